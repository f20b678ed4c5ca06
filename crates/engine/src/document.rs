//! A document as its readers see it, however the engine encodes it.
//!
//! [`ValueRef`] is a view of one JSON value that borrows from the document. Members come in the order of the source and
//! integers of 64 bits are exact, so that what goes out is what came in.

use std::fmt::{self, Debug};
use std::sync::Arc;

use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};
use serde_json::{Map, Value};

use crate::dotted_names::has_dotted_names;

/// A document.
#[derive(Clone)]
pub struct Document(DocumentRepr);

#[derive(Clone)]
enum DocumentRepr {
    Json(Arc<Value>),
    Packed { documents: Arc<dyn PackedDocuments>, address: u64 },
}

/// Documents in the encoding of an engine. Addresses are opaque to everything else.
pub trait PackedDocuments: Send + Sync {
    /// Returns the value at an address.
    fn value(&self, address: u64) -> ValueRef<'_>;

    /// Returns the text at an address if it is known, without reading it, to need no JSON escapes
    /// ([`crate::is_escape_free`]).
    fn escape_free_text(&self, address: u64) -> Option<&[u8]>;

    /// Returns whether a name of a member in one of the documents has a dot; all documents of their segment may count.
    fn has_dotted_names(&self) -> bool;

    /// Visits the elements of the array at an address, in order, until `visit` returns `false`.
    fn elements<'a>(&'a self, address: u64, visit: &mut dyn FnMut(ValueRef<'a>) -> bool);

    /// Visits the members of the object at an address, in order: the key, the address of the value, and the value if it is
    /// a text known to need no JSON escapes and is at hand.
    fn members<'a>(&'a self, address: u64, visit: &mut dyn FnMut(&'a str, u64, Option<&'a [u8]>));
}

impl Document {
    /// Returns the document at an address among packed ones.
    pub fn packed(documents: Arc<dyn PackedDocuments>, address: u64) -> Self {
        Self(DocumentRepr::Packed { documents, address })
    }

    /// Returns a view of the whole document.
    pub fn root(&self) -> ValueRef<'_> {
        match &self.0 {
            DocumentRepr::Json(value) => ValueRef::from(&**value),
            DocumentRepr::Packed { documents, address } => documents.value(*address),
        }
    }

    /// Returns whether a name of a member may have a dot ([`crate::nest_dotted_names`]).
    pub fn may_have_dotted_names(&self) -> bool {
        match &self.0 {
            DocumentRepr::Json(value) => has_dotted_names(value),
            DocumentRepr::Packed { documents, .. } => documents.has_dotted_names(),
        }
    }
}

impl From<Value> for Document {
    fn from(value: Value) -> Self {
        Self(DocumentRepr::Json(Arc::new(value)))
    }
}

impl Debug for Document {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let json = serde_json::to_string(&self.root()).map_err(|_| fmt::Error)?;
        formatter.write_str(&json)
    }
}

/// A view of one JSON value.
#[derive(Clone, Copy)]
pub enum ValueRef<'a> {
    /// `null`.
    Null,
    /// A boolean.
    Bool(bool),
    /// An integer.
    Integer(i64),
    /// An integer beyond those of [`ValueRef::Integer`].
    Unsigned(u64),
    /// Any other number.
    Double(f64),
    /// A string.
    String(&'a str),
    /// An array.
    Array(ArrayRef<'a>),
    /// An object.
    Object(ObjectRef<'a>),
}

impl<'a> ValueRef<'a> {
    /// Returns the value at a path of objects; null if it is absent.
    #[must_use]
    pub fn at(self, path: &[String]) -> Self {
        path.iter().fold(self, |value, name| match value {
            Self::Object(object) => object.get(name).unwrap_or(Self::Null),
            _ => Self::Null,
        })
    }

    /// Visits an object, or those in a list.
    pub fn for_each_object(self, visit: &mut dyn FnMut(Self)) {
        match self {
            Self::Object(_) => visit(self),
            Self::Array(list) => list.for_each(|element| element.for_each_object(visit)),
            _ => {}
        }
    }
}

impl<'a> From<&'a Value> for ValueRef<'a> {
    fn from(value: &'a Value) -> Self {
        match value {
            Value::Null => ValueRef::Null,
            Value::Bool(flag) => ValueRef::Bool(*flag),
            Value::Number(number) => match (number.as_i64(), number.as_u64()) {
                (Some(integer), _) => ValueRef::Integer(integer),
                (None, Some(unsigned)) => ValueRef::Unsigned(unsigned),
                (None, None) => ValueRef::Double(number.as_f64().unwrap_or_default()),
            },
            Value::String(text) => ValueRef::String(text),
            Value::Array(elements) => ValueRef::Array(ArrayRef(ArrayRepr::Json(elements))),
            Value::Object(members) => ValueRef::Object(ObjectRef(ObjectRepr::Json(members))),
        }
    }
}

/// A view of an array.
#[derive(Clone, Copy)]
pub struct ArrayRef<'a>(ArrayRepr<'a>);

#[derive(Clone, Copy)]
enum ArrayRepr<'a> {
    Json(&'a [Value]),
    Packed { documents: &'a dyn PackedDocuments, address: u64, length: u32 },
}

impl<'a> ArrayRef<'a> {
    /// Returns the array of `length` elements at an address among packed documents.
    pub fn packed(documents: &'a dyn PackedDocuments, address: u64, length: u32) -> Self {
        Self(ArrayRepr::Packed { documents, address, length })
    }

    /// Returns the number of elements.
    pub fn len(&self) -> usize {
        match self.0 {
            ArrayRepr::Json(elements) => elements.len(),
            ArrayRepr::Packed { length, .. } => length as usize,
        }
    }

    /// Returns whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the first element.
    pub fn first(&self) -> Option<ValueRef<'a>> {
        let mut first = None;
        self.visit(|element| {
            first = Some(element);
            false
        });
        first
    }

    /// Visits the elements in order.
    pub fn for_each(&self, mut visit: impl FnMut(ValueRef<'a>)) {
        self.visit(|element| {
            visit(element);
            true
        });
    }

    fn visit(&self, mut visit: impl FnMut(ValueRef<'a>) -> bool) {
        match self.0 {
            ArrayRepr::Json(elements) => {
                elements.iter().all(|element| visit(ValueRef::from(element)));
            }
            ArrayRepr::Packed { documents, address, .. } => documents.elements(address, &mut visit),
        }
    }
}

/// A view of an object.
#[derive(Clone, Copy)]
pub struct ObjectRef<'a>(ObjectRepr<'a>);

#[derive(Clone, Copy)]
enum ObjectRepr<'a> {
    Json(&'a Map<String, Value>),
    Packed { documents: &'a dyn PackedDocuments, address: u64 },
}

impl<'a> ObjectRef<'a> {
    /// Returns the object at an address among packed documents.
    pub fn packed(documents: &'a dyn PackedDocuments, address: u64) -> Self {
        Self(ObjectRepr::Packed { documents, address })
    }

    /// Visits the members in the order of the source.
    pub fn for_each(&self, mut visit: impl FnMut(&'a str, ValueRef<'a>)) {
        self.for_each_lazy(|key, value| visit(key, value.value()));
    }

    /// Visits the members in the order of the source without decoding their values. Values that are not read cost
    /// next to nothing.
    pub fn for_each_lazy(&self, mut visit: impl FnMut(&'a str, LazyValueRef<'a>)) {
        match self.0 {
            ObjectRepr::Json(members) => {
                members.iter().for_each(|(key, value)| visit(key, LazyValueRef(LazyRepr::Json(value))));
            }
            ObjectRepr::Packed { documents, address } => {
                documents.members(address, &mut |key, address, text| {
                    visit(key, LazyValueRef(LazyRepr::Packed { documents, address, text }))
                });
            }
        }
    }

    /// Returns a member. For several members [`ObjectRef::for_each_lazy`] is faster.
    pub fn get(&self, name: &str) -> Option<ValueRef<'a>> {
        let mut found = None;
        self.for_each_lazy(|key, value| {
            if key == name {
                found = Some(value);
            }
        });
        found.map(LazyValueRef::value)
    }
}

/// A value that is decoded on demand.
#[derive(Clone, Copy)]
pub struct LazyValueRef<'a>(LazyRepr<'a>);

#[derive(Clone, Copy)]
enum LazyRepr<'a> {
    Json(&'a Value),
    Packed { documents: &'a dyn PackedDocuments, address: u64, text: Option<&'a [u8]> },
}

impl<'a> LazyValueRef<'a> {
    /// Returns the value.
    #[inline]
    pub fn value(self) -> ValueRef<'a> {
        match self.0 {
            LazyRepr::Json(value) => ValueRef::from(value),
            LazyRepr::Packed { documents, address, .. } => documents.value(address),
        }
    }

    /// Returns the value if it is a text known to need no JSON escapes.
    #[inline]
    pub fn escape_free_text(self) -> Option<&'a [u8]> {
        match self.0 {
            LazyRepr::Json(_) => None,
            LazyRepr::Packed { documents, address, text } => text.or_else(|| documents.escape_free_text(address)),
        }
    }
}

impl Serialize for ValueRef<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match *self {
            ValueRef::Null => serializer.serialize_unit(),
            ValueRef::Bool(flag) => serializer.serialize_bool(flag),
            ValueRef::Integer(number) => serializer.serialize_i64(number),
            ValueRef::Unsigned(number) => serializer.serialize_u64(number),
            ValueRef::Double(number) => serializer.serialize_f64(number),
            ValueRef::String(text) => serializer.serialize_str(text),
            ValueRef::Array(array) => {
                let mut sequence = serializer.serialize_seq(Some(array.len()))?;
                let mut result = Ok(());
                array.visit(|element| {
                    result = sequence.serialize_element(&element);
                    result.is_ok()
                });
                result?;
                sequence.end()
            }
            ValueRef::Object(object) => {
                let mut map = serializer.serialize_map(None)?;
                let mut result = Ok(());
                object.for_each(|key, value| {
                    if result.is_ok() {
                        result = map.serialize_entry(key, &value);
                    }
                });
                result?;
                map.end()
            }
        }
    }
}
