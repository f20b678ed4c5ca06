//! The JSON of a node as a tree that borrows its texts from the body.
//!
//! An answer is a list of hundreds of small objects, which are read once. So a text is copied only where it has escapes,
//! and an object is a sorted list rather than a hash table.

use std::borrow::Cow;
use std::fmt::{self, Formatter};
use std::ops::Index;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

static NULL: JsonTree<'static> = JsonTree::Null;

/// A value.
#[derive(Debug)]
pub(crate) enum JsonTree<'a> {
    Null,
    /// True or false, which no answer has.
    Flag,
    /// A whole number from 0 on.
    Count(u64),
    /// Any other number.
    Number(f64),
    Text(Cow<'a, str>),
    List(Vec<JsonTree<'a>>),
    /// The members by name. Of those with the same name the last one counts.
    Object(Vec<(Cow<'a, str>, JsonTree<'a>)>),
}

impl<'a> JsonTree<'a> {
    pub(crate) fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    pub(crate) fn is_object(&self) -> bool {
        matches!(self, Self::Object(_))
    }

    pub(crate) fn as_u64(&self) -> Option<u64> {
        match self {
            Self::Count(count) => Some(*count),
            _ => None,
        }
    }

    pub(crate) fn as_f64(&self) -> Option<f64> {
        match self {
            Self::Count(count) => Some(*count as f64),
            Self::Number(number) => Some(*number),
            _ => None,
        }
    }

    pub(crate) fn as_str(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(crate) fn as_array(&self) -> Option<&[JsonTree<'a>]> {
        match self {
            Self::List(list) => Some(list),
            _ => None,
        }
    }
}

impl<'a> Index<&str> for JsonTree<'a> {
    type Output = JsonTree<'a>;

    /// Returns a member; null if there is none.
    fn index(&self, name: &str) -> &JsonTree<'a> {
        let Self::Object(members) = self else { return &NULL };
        let end = members.partition_point(|(known, _)| &**known <= name);
        match end.checked_sub(1).and_then(|last| members.get(last)) {
            Some((known, value)) if &**known == name => value,
            _ => &NULL,
        }
    }
}

impl<'a> Index<usize> for JsonTree<'a> {
    type Output = JsonTree<'a>;

    /// Returns an element; null if there is none.
    fn index(&self, position: usize) -> &JsonTree<'a> {
        self.as_array().and_then(|list| list.get(position)).unwrap_or(&NULL)
    }
}

impl<'de> Deserialize<'de> for JsonTree<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TreeVisitor)
    }
}

struct TreeVisitor;

impl<'de> Visitor<'de> for TreeVisitor {
    type Value = JsonTree<'de>;

    fn expecting(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(JsonTree::Null)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
        Ok(JsonTree::Flag)
    }

    fn visit_u64<E>(self, count: u64) -> Result<Self::Value, E> {
        Ok(JsonTree::Count(count))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Self::Value, E> {
        Ok(u64::try_from(number).map_or(JsonTree::Number(number as f64), JsonTree::Count))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Self::Value, E> {
        Ok(JsonTree::Number(number))
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(JsonTree::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(JsonTree::Text(Cow::Owned(text.to_owned())))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Self::Value, A::Error> {
        let mut list = Vec::new();
        while let Some(element) = elements.next_element()? {
            list.push(element);
        }
        Ok(JsonTree::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Self::Value, A::Error> {
        let mut members: Vec<(Cow<'de, str>, JsonTree<'de>)> = Vec::new();
        while let Some((MemberName(name), value)) = entries.next_entry()? {
            members.push((name, value));
        }
        // Members of the same name keep their order.
        members.sort_by(|(one, _), (other, _)| one.cmp(other));
        Ok(JsonTree::Object(members))
    }
}

/// The name of a member.
struct MemberName<'a>(Cow<'a, str>);

impl<'de> Deserialize<'de> for MemberName<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(NameVisitor)
    }
}

struct NameVisitor;

impl<'de> Visitor<'de> for NameVisitor {
    type Value = MemberName<'de>;

    fn expecting(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter.write_str("the name of a member")
    }

    fn visit_borrowed_str<E>(self, name: &'de str) -> Result<Self::Value, E> {
        Ok(MemberName(Cow::Borrowed(name)))
    }

    fn visit_str<E>(self, name: &str) -> Result<Self::Value, E> {
        Ok(MemberName(Cow::Owned(name.to_owned())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_by_name_and_position() {
        let text = r#"{"z": [1, -2, 0.5, true, null], "a\u0062": "x\ny", "m": {"k": 1},
            "m": {"k": 18446744073709551615}}"#;
        let tree: JsonTree<'_> = serde_json::from_str(text).unwrap();
        assert_eq!((tree["z"][0].as_u64(), tree["z"][0].as_f64()), (Some(1), Some(1.0)));
        assert_eq!((tree["z"][1].as_u64(), tree["z"][1].as_f64()), (None, Some(-2.0)));
        assert_eq!((tree["z"][2].as_f64(), tree["z"][3].as_f64()), (Some(0.5), None));
        assert_eq!(tree["ab"].as_str(), Some("x\ny"));
        assert_eq!(tree["m"]["k"].as_u64(), Some(u64::MAX), "the last one counts");
        assert!(tree["z"][4].is_null() && tree["z"][5].is_null() && tree["none"]["of"][7].is_null());
        assert!(tree["m"].is_object() && !tree["z"].is_object() && tree["m"].as_array().is_none());
        assert!(matches!(&tree, JsonTree::Object(members) if members.len() == 4));
        for text in ["{", "[1,]", "\"", "{1: 2}"] {
            assert!(serde_json::from_str::<JsonTree<'_>>(text).is_err(), "{text}");
        }
    }
}
