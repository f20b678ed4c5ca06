//! Values of documents as scalars of GraphQL.
//!
//! Documents may write a number as a string or a string as a number; what is shown is of the type that the schema
//! promises. Integers of 64 bits keep their value.

use cantata_catalogue::Scalar;
use cantata_engine::Node;

use super::Writer;

impl<'a> Writer<'a> {
    /// Writes a value as a scalar; null and an error if it cannot be one.
    pub(super) fn scalar(&mut self, scalar: Scalar, value: Node<'a>) {
        let written = match scalar {
            Scalar::String => self.string(value),
            Scalar::Float => self.number(value),
            Scalar::Int => self.integer(value),
            Scalar::Boolean => self.boolean(value),
        };
        if !written {
            self.fail_here(|| {
                format!("{} cannot represent {}; the document has another type there", scalar.type_name(), kind(value))
            });
        }
    }

    fn string(&mut self, value: Node<'a>) -> bool {
        match value {
            Node::Null => self.null(),
            Node::String(text) => self.string_of(text),
            Node::Bool(_) | Node::Integer(_) | Node::Unsigned(_) | Node::Double(_) => {
                self.out.push(b'"');
                self.json(&value);
                self.out.push(b'"');
            }
            Node::Array(_) | Node::Object(_) => return false,
        }
        true
    }

    fn number(&mut self, value: Node<'a>) -> bool {
        match value {
            Node::Null => self.null(),
            Node::Integer(number) => self.json(&number),
            Node::Unsigned(number) => self.json(&number),
            Node::Double(number) => self.json(&number),
            Node::Bool(flag) => self.json(&u8::from(flag)),
            Node::String(text) => match parse(text) {
                Some(number) => self.json(&number),
                None => return false,
            },
            Node::Array(_) | Node::Object(_) => return false,
        }
        true
    }

    fn integer(&mut self, value: Node<'a>) -> bool {
        let is_fraction = match value {
            Node::Double(number) => number.fract() != 0.0,
            Node::String(text) => parse(text).is_some_and(|number| number.as_f64().is_some_and(|n| n.fract() != 0.0)),
            _ => false,
        };
        !is_fraction && self.number(value)
    }

    fn boolean(&mut self, value: Node<'a>) -> bool {
        let flag = match value {
            Node::Null => {
                self.null();
                return true;
            }
            Node::Bool(flag) => flag,
            Node::Integer(number) => number != 0,
            Node::Unsigned(_) => true,
            Node::Double(number) => number != 0.0,
            Node::String("true") => true,
            Node::String("false" | "") => false,
            Node::String(_) | Node::Array(_) | Node::Object(_) => return false,
        };
        self.json(&flag);
        true
    }
}

/// Reads a text as a number, exactly where it is a whole one of 64 bits.
fn parse(text: &str) -> Option<serde_json::Number> {
    let text = text.trim();
    if let Ok(whole) = text.parse::<i64>() {
        return Some(whole.into());
    }
    if let Ok(whole) = text.parse::<u64>() {
        return Some(whole.into());
    }
    text.parse::<f64>().ok().and_then(serde_json::Number::from_f64)
}

fn kind(value: Node<'_>) -> &'static str {
    match value {
        Node::Null => "null",
        Node::Bool(_) => "a boolean",
        Node::Integer(_) | Node::Unsigned(_) | Node::Double(_) => "this number",
        Node::String(_) => "this text",
        Node::Array(_) => "a list",
        Node::Object(_) => "an object",
    }
}
