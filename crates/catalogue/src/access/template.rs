//! Filters with tokens: `"{studies}"` in a value stands for what the claims of an identity say there.
//!
//! A claim is taken literally. What it says never becomes a pattern, a saved set or "no value", and a claim that is
//! missing, empty or of another form makes the whole filter give nothing, wherever in it the token stands.

use cantata_sqon::{Condition, Leaf, Scalar, Sqon, ValueTest, ValuesOp};
use serde_json::{Map, Value};

/// The token of the name of the identity itself.
const NAME: &str = "name";

/// A filter that may have tokens.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Template(Sqon);

/// What is wrong with a template: what was found, and what was expected.
pub(crate) type Misuse = (String, String);

impl Template {
    /// Reads a template.
    pub(crate) fn parse(filter: &Value) -> Result<Self, Misuse> {
        let expected = || "a filter with `op` and `content`, or null for all records".to_owned();
        match Sqon::parse(filter) {
            Ok(Some(sqon)) => {
                check(&sqon)?;
                Ok(Self(sqon))
            }
            Ok(None) => Err(("an empty object".to_owned(), expected())),
            Err(error) => Err((format!("a filter that cannot be read: {error}"), expected())),
        }
    }

    /// Returns the filter without its tokens, to hold its names and its other values against the fields.
    pub(crate) fn without_tokens(&self) -> Sqon {
        replace(&self.0, &|_| Some(Vec::new())).unwrap_or_else(|| self.0.clone())
    }

    /// Changes the names of the fields.
    pub(crate) fn map(self, change: impl FnOnce(Sqon) -> Sqon) -> Self {
        Self(change(self.0))
    }

    /// Returns the filter for an identity of this name with these claims; nothing if a token has no value.
    pub(crate) fn fill(&self, name: Option<&str>, claims: &Map<String, Value>) -> Option<Sqon> {
        replace(&self.0, &|token| {
            let values = match (token, name) {
                (NAME, Some(name)) => vec![Scalar::String(name.to_owned())],
                (NAME, None) => return None,
                _ => scalars(claim(claims, token)?)?,
            };
            Some(values).filter(|values| !values.is_empty())
        })
    }
}

/// Returns the claim at a path, whose names may have dots themselves.
fn claim<'c>(claims: &'c Map<String, Value>, path: &str) -> Option<&'c Value> {
    if let Some(claim) = claims.get(path) {
        return Some(claim);
    }
    path.match_indices('.').find_map(|(dot, _)| claim(claims.get(&path[..dot])?.as_object()?, &path[dot + 1..]))
}

/// Returns the values of a claim: one, or those of a list.
fn scalars(claim: &Value) -> Option<Vec<Scalar>> {
    match claim {
        Value::Array(list) => list.iter().map(Scalar::from_json).collect(),
        single => Scalar::from_json(single).map(|scalar| vec![scalar]),
    }
}

/// Returns the claim that a value stands for.
fn token(value: &Scalar) -> Option<&str> {
    let Scalar::String(text) = value else { return None };
    text.strip_prefix('{')?.strip_suffix('}').filter(|path| !path.is_empty() && !path.contains(['{', '}']))
}

/// Returns a filter with the values of its tokens; nothing if one has none.
fn replace(sqon: &Sqon, values_of: &dyn Fn(&str) -> Option<Vec<Scalar>>) -> Option<Sqon> {
    let Leaf { condition, pivot } = match sqon {
        Sqon::Group { op, content, pivot } => {
            let content: Option<Vec<Sqon>> = content.iter().map(|part| replace(part, values_of)).collect();
            return Some(Sqon::Group { op: *op, content: content?, pivot: pivot.clone() });
        }
        Sqon::Leaf(leaf) => leaf,
    };
    let condition = match condition {
        Condition::Values { op, field, values } => {
            let mut filled = Vec::with_capacity(values.len());
            for value in values {
                match value {
                    ValueTest::Equals(scalar) if token(scalar).is_some() => {
                        filled.extend(values_of(token(scalar)?)?.into_iter().map(ValueTest::Equals));
                    }
                    other => filled.push(other.clone()),
                }
            }
            Condition::Values { op: *op, field: field.clone(), values: filled }
        }
        Condition::Range { op, field, bounds } => {
            let mut filled = Vec::with_capacity(bounds.len());
            for bound in bounds {
                match token(bound) {
                    Some(token) => filled.extend(values_of(token)?),
                    None => filled.push(bound.clone()),
                }
            }
            Condition::Range { op: *op, field: field.clone(), bounds: filled }
        }
        Condition::Between { .. } | Condition::Wildcard { .. } | Condition::Fuzzy { .. } => condition.clone(),
    };
    Some(Sqon::Leaf(Leaf { condition, pivot: pivot.clone() }))
}

/// Refuses what would open more than it says, and tokens that would not be replaced.
fn check(sqon: &Sqon) -> Result<(), Misuse> {
    let condition = match sqon {
        Sqon::Group { op, content, .. } if content.is_empty() => {
            let expected = "at least one filter in it; all records are opened by null alone";
            return Err((format!("`{}` without content", op.name()), expected.to_owned()));
        }
        Sqon::Group { content, .. } => return content.iter().try_for_each(check),
        Sqon::Leaf(leaf) => &leaf.condition,
    };
    let has_brace = |text: &str| text.contains(['{', '}']);
    let is_stray = |scalar: &Scalar| token(scalar).is_none() && has_brace(&scalar.to_string());
    let stray = match condition {
        Condition::Values { op, values, .. } => {
            if values.iter().any(|value| matches!(value, ValueTest::Set(_))) {
                return Err(("a saved set".to_owned(), "values; a set can be changed by others".to_owned()));
            }
            if values.is_empty() && *op != ValuesOp::In {
                return Err(("an empty list of values".to_owned(), "at least one value".to_owned()));
            }
            values.iter().map(ValueTest::to_scalar).find(is_stray)
        }
        Condition::Range { bounds, .. } => bounds.iter().find(|bound| is_stray(bound)).cloned(),
        Condition::Between { bounds, .. } => bounds.iter().find(|bound| has_brace(&bound.to_string())).cloned(),
        Condition::Wildcard { pattern: text, .. } | Condition::Fuzzy { text, .. } => {
            Some(text).filter(|text| has_brace(text)).cloned().map(Scalar::String)
        }
    };
    match stray {
        None => Ok(()),
        Some(stray) => Err((
            format!("the value {:?}", stray.to_string()),
            "a claim such as \"{studies}\" as a whole value of in, not-in, some-not-in, all, gt, gte, lt or lte"
                .to_owned(),
        )),
    }
}
