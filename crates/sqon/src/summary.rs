//! A summary of a filter in English, for people who check what a program is about to search for.

use crate::operators::fuzzy::Fuzziness;
use crate::operators::group::GroupOp;
use crate::sqon::{Condition, Sqon, ValuesOp};
use crate::value::{Scalar, ValueTest};

/// How many values of a list a summary shows; the rest is counted.
const MAX_SUMMARY_VALUES: usize = 8;

impl Sqon {
    /// Returns what the filter says, such as `donors.gender is Female or Male and not (size > 5)`.
    pub fn summary(&self) -> String {
        match self {
            Self::Leaf(leaf) => leaf.condition.summary(),
            Self::Group { content, .. } if content.is_empty() => "all records".to_owned(),
            Self::Group { op, content, pivot } => {
                let joined = match op {
                    GroupOp::And => join(content, " and ", *op),
                    GroupOp::Or => join(content, " or ", *op),
                    GroupOp::Not => format!("not ({})", join(content, " or ", GroupOp::Or)),
                };
                match pivot.as_deref() {
                    None | Some(".") => joined,
                    Some(pivot) => format!("within one of {pivot}: ({joined})"),
                }
            }
        }
    }
}

fn join(parts: &[Sqon], word: &str, op: GroupOp) -> String {
    let summaries: Vec<String> = parts
        .iter()
        .map(|part| {
            let text = part.summary();
            if parts.len() > 1 && needs_brackets(part, op) { format!("({text})") } else { text }
        })
        .collect();
    summaries.join(word)
}

/// Returns whether a part of a group could be read as belonging half to its neighbour.
fn needs_brackets(part: &Sqon, within: GroupOp) -> bool {
    match part {
        Sqon::Group { op: GroupOp::Not, pivot: None, .. } => false,
        Sqon::Group { content, .. } => !content.is_empty(),
        Sqon::Leaf(leaf) => match &leaf.condition {
            Condition::Values { op: ValuesOp::In, values, .. } => within == GroupOp::Or && values.len() > 1,
            Condition::Range { bounds, .. } => bounds.len() > 1,
            _ => false,
        },
    }
}

impl Condition {
    fn summary(&self) -> String {
        match self {
            Self::Values { op, field, values } => values_summary(*op, field, values),
            Self::Range { field, bounds, .. } if bounds.is_empty() => format!("{field} keeps to none of no bounds"),
            Self::Range { op, field, bounds } => {
                let bounds = bounds.iter().map(|bound| format!("{} {}", op.sign(), plain(bound)));
                format!("{field} {}", list(bounds, " and "))
            }
            Self::Between { field, bounds: [first, second] } => {
                format!("{field} is between {} and {}", plain(first), plain(second))
            }
            Self::Wildcard { fields, pattern } => format!("{} matches {}", names(fields), text(pattern)),
            Self::Fuzzy { fields, text: wanted, fuzziness } => {
                let summary = format!("{} resembles {}", names(fields), text(wanted));
                match fuzziness {
                    Fuzziness::Auto => summary,
                    Fuzziness::Edits(edits) => format!("{summary} but for up to {edits} letters"),
                }
            }
        }
    }
}

fn values_summary(op: ValuesOp, field: &str, values: &[ValueTest]) -> String {
    let tests = values.iter().map(test);
    match (op, values) {
        (ValuesOp::In, []) => format!("{field} is one of no values"),
        (ValuesOp::In, _) => format!("{field} is {}", list(tests, " or ")),
        (ValuesOp::NotIn, [only]) => format!("{field} is not {}", test(only)),
        (ValuesOp::NotIn, _) => format!("{field} is none of [{}]", list(tests, ", ")),
        (ValuesOp::SomeNotIn, _) => format!("no {field} is any of [{}]", list(tests, ", ")),
        (ValuesOp::All, _) => format!("{field} has all of [{}]", list(tests, ", ")),
    }
}

fn test(value: &ValueTest) -> String {
    match value {
        ValueTest::Equals(scalar) => plain(scalar),
        ValueTest::Pattern(pattern) => format!("like {}", text(pattern)),
        ValueTest::Missing => "missing".to_owned(),
        ValueTest::Set(id) => format!("in the set {}", text(id)),
    }
}

fn list(parts: impl ExactSizeIterator<Item = String>, word: &str) -> String {
    let count = parts.len();
    let mut parts: Vec<String> = parts.take(MAX_SUMMARY_VALUES).collect();
    if count > MAX_SUMMARY_VALUES {
        parts.push(format!("{} more", count - MAX_SUMMARY_VALUES));
    }
    parts.join(word)
}

fn names(fields: &[String]) -> String {
    list(fields.iter().cloned(), " or ")
}

fn plain(scalar: &Scalar) -> String {
    match scalar {
        Scalar::String(value) => text(value),
        other => other.to_string(),
    }
}

/// Puts a text in quotes where it could not be distinguished from the words around it.
fn text(value: &str) -> String {
    let clear = !value.is_empty() && !value.contains([' ', '\t', '\n', ',', '"', '(', ')', '[', ']']);
    if clear { value.to_owned() } else { format!("{value:?}") }
}
