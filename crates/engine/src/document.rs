//! A document as its readers see it, whatever form an engine keeps it in.
//!
//! [`Node`] is a view of one JSON value that borrows from the document. Members come in the order of the source and
//! integers of 64 bits are exact, so that what goes out is what came in.

use std::fmt::{self, Debug};
use std::sync::Arc;

use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};
use serde_json::{Map, Value};

/// A document.
#[derive(Clone)]
pub struct Document(Form);

#[derive(Clone)]
enum Form {
    Json(Arc<Value>),
    Packed { documents: Arc<dyn PackedDocuments>, place: u64 },
}

/// Documents in a form of an engine's own. Places are known to the engine only.
pub trait PackedDocuments: Send + Sync {
    /// Returns the value at a place.
    fn node(&self, place: u64) -> Node<'_>;

    /// Returns the text at a place, if there is one that may stand in JSON as it is ([`crate::is_plain`]) and that is
    /// known without looking at it.
    fn plain_text(&self, place: u64) -> Option<&[u8]>;

    /// Shows the elements of the array at a place, in order, until told to stop by `false`.
    fn elements<'a>(&'a self, place: u64, visit: &mut dyn FnMut(Node<'a>) -> bool);

    /// Shows the keys of the object at a place, in order, each with the place of its value.
    fn members<'a>(&'a self, place: u64, visit: &mut dyn FnMut(&'a str, u64));
}

impl Document {
    /// Returns the document that is a place among packed ones.
    pub fn packed(documents: Arc<dyn PackedDocuments>, place: u64) -> Self {
        Self(Form::Packed { documents, place })
    }

    /// Returns a view of the whole document.
    pub fn root(&self) -> Node<'_> {
        match &self.0 {
            Form::Json(value) => Node::from(&**value),
            Form::Packed { documents, place } => documents.node(*place),
        }
    }
}

impl From<Value> for Document {
    fn from(value: Value) -> Self {
        Self(Form::Json(Arc::new(value)))
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
pub enum Node<'a> {
    /// `null`.
    Null,
    /// A boolean.
    Bool(bool),
    /// An integer.
    Integer(i64),
    /// An integer beyond those of [`Node::Integer`].
    Unsigned(u64),
    /// Any other number.
    Double(f64),
    /// A string.
    String(&'a str),
    /// An array.
    Array(Array<'a>),
    /// An object.
    Object(Object<'a>),
}

impl<'a> From<&'a Value> for Node<'a> {
    fn from(value: &'a Value) -> Self {
        match value {
            Value::Null => Node::Null,
            Value::Bool(flag) => Node::Bool(*flag),
            Value::Number(number) => match (number.as_i64(), number.as_u64()) {
                (Some(integer), _) => Node::Integer(integer),
                (None, Some(unsigned)) => Node::Unsigned(unsigned),
                (None, None) => Node::Double(number.as_f64().unwrap_or_default()),
            },
            Value::String(text) => Node::String(text),
            Value::Array(elements) => Node::Array(Array(ArrayForm::Json(elements))),
            Value::Object(members) => Node::Object(Object(ObjectForm::Json(members))),
        }
    }
}

/// A view of an array.
#[derive(Clone, Copy)]
pub struct Array<'a>(ArrayForm<'a>);

#[derive(Clone, Copy)]
enum ArrayForm<'a> {
    Json(&'a [Value]),
    Packed { documents: &'a dyn PackedDocuments, place: u64, length: u32 },
}

impl<'a> Array<'a> {
    /// Returns the array of so many elements at a place among packed documents.
    pub fn packed(documents: &'a dyn PackedDocuments, place: u64, length: u32) -> Self {
        Self(ArrayForm::Packed { documents, place, length })
    }

    /// Returns the number of elements.
    pub fn len(&self) -> usize {
        match self.0 {
            ArrayForm::Json(elements) => elements.len(),
            ArrayForm::Packed { length, .. } => length as usize,
        }
    }

    /// Returns whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the first element.
    pub fn first(&self) -> Option<Node<'a>> {
        let mut first = None;
        self.visit(|element| {
            first = Some(element);
            false
        });
        first
    }

    /// Shows the elements in order.
    pub fn for_each(&self, mut visit: impl FnMut(Node<'a>)) {
        self.visit(|element| {
            visit(element);
            true
        });
    }

    fn visit(&self, mut visit: impl FnMut(Node<'a>) -> bool) {
        match self.0 {
            ArrayForm::Json(elements) => {
                elements.iter().all(|element| visit(Node::from(element)));
            }
            ArrayForm::Packed { documents, place, .. } => documents.elements(place, &mut visit),
        }
    }
}

/// A view of an object.
#[derive(Clone, Copy)]
pub struct Object<'a>(ObjectForm<'a>);

#[derive(Clone, Copy)]
enum ObjectForm<'a> {
    Json(&'a Map<String, Value>),
    Packed { documents: &'a dyn PackedDocuments, place: u64 },
}

impl<'a> Object<'a> {
    /// Returns the object at a place among packed documents.
    pub fn packed(documents: &'a dyn PackedDocuments, place: u64) -> Self {
        Self(ObjectForm::Packed { documents, place })
    }

    /// Shows the members in the order of the source.
    pub fn for_each(&self, mut visit: impl FnMut(&'a str, Node<'a>)) {
        self.places(|key, place| visit(key, place.node()));
    }

    /// Shows the keys in the order of the source, each with where its value stands. Values that are not read cost next
    /// to nothing.
    pub fn places(&self, mut visit: impl FnMut(&'a str, Place<'a>)) {
        match self.0 {
            ObjectForm::Json(members) => {
                members.iter().for_each(|(key, value)| visit(key, Place(PlaceForm::Json(value))));
            }
            ObjectForm::Packed { documents, place } => {
                documents.members(place, &mut |key, place| visit(key, Place(PlaceForm::Packed { documents, place })));
            }
        }
    }

    /// Returns a member. Whoever wants several of them does better with [`Object::places`].
    pub fn get(&self, name: &str) -> Option<Node<'a>> {
        let mut found = None;
        self.places(|key, place| {
            if key == name {
                found = Some(place);
            }
        });
        found.map(Place::node)
    }
}

/// Where a value stands, which is read when it is wanted.
#[derive(Clone, Copy)]
pub struct Place<'a>(PlaceForm<'a>);

#[derive(Clone, Copy)]
enum PlaceForm<'a> {
    Json(&'a Value),
    Packed { documents: &'a dyn PackedDocuments, place: u64 },
}

impl<'a> Place<'a> {
    /// Returns the value.
    #[inline]
    pub fn node(self) -> Node<'a> {
        match self.0 {
            PlaceForm::Json(value) => Node::from(value),
            PlaceForm::Packed { documents, place } => documents.node(place),
        }
    }

    /// Returns the value if it is a text that is known to need no escapes in JSON.
    #[inline]
    pub fn plain_text(self) -> Option<&'a [u8]> {
        match self.0 {
            PlaceForm::Json(_) => None,
            PlaceForm::Packed { documents, place } => documents.plain_text(place),
        }
    }
}

impl Serialize for Node<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match *self {
            Node::Null => serializer.serialize_unit(),
            Node::Bool(flag) => serializer.serialize_bool(flag),
            Node::Integer(number) => serializer.serialize_i64(number),
            Node::Unsigned(number) => serializer.serialize_u64(number),
            Node::Double(number) => serializer.serialize_f64(number),
            Node::String(text) => serializer.serialize_str(text),
            Node::Array(array) => {
                let mut sequence = serializer.serialize_seq(Some(array.len()))?;
                let mut result = Ok(());
                array.visit(|element| {
                    result = sequence.serialize_element(&element);
                    result.is_ok()
                });
                result?;
                sequence.end()
            }
            Node::Object(object) => {
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
