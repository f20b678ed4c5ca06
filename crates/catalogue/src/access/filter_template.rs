//! Filter templates: the token `"{studies}"` as a value is replaced by the claim of that name.
//!
//! A claim is taken literally: it never becomes a pattern, a saved set or "no value". A claim that is missing, empty or
//! of another type makes the whole filter match nothing, wherever in it the token is.

use cantata_sqon::{Condition, Leaf, Scalar, Sqon, ValueTest, ValuesOp};
use serde_json::{Map, Value};

/// The token of the identity's name.
const NAME: &str = "name";

/// A filter that may have tokens.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct FilterTemplate(Sqon);

/// A template that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("found {found}, expected {expected}")]
pub(crate) struct TemplateError {
    pub(crate) found: String,
    pub(crate) expected: String,
}

impl TemplateError {
    fn new(found: impl Into<String>, expected: impl Into<String>) -> Self {
        Self { found: found.into(), expected: expected.into() }
    }
}

impl FilterTemplate {
    /// Parses a template.
    pub(crate) fn parse(filter: &Value) -> Result<Self, TemplateError> {
        let invalid = |found| TemplateError::new(found, "a filter with `op` and `content`, or null for all records");
        match Sqon::parse(filter) {
            Ok(Some(sqon)) => {
                check(&sqon)?;
                Ok(Self(sqon))
            }
            Ok(None) => Err(invalid("an empty object".to_owned())),
            Err(error) => Err(invalid(format!("a filter that cannot be read: {error}"))),
        }
    }

    /// Returns the filter without its tokens, to validate its names and other values.
    pub(crate) fn without_tokens(&self) -> Sqon {
        replace(&self.0, &|_| Some(Vec::new())).unwrap_or_else(|| self.0.clone())
    }

    /// Transforms the filter.
    pub(crate) fn map(self, change: impl FnOnce(Sqon) -> Sqon) -> Self {
        Self(change(self.0))
    }

    /// Returns the filter for an identity; `None` if a token has no value.
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

/// Returns the claim at a dotted path; names of claims may have dots too.
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

/// Returns the path of the claim of a token.
fn token(value: &Scalar) -> Option<&str> {
    let Scalar::String(text) = value else { return None };
    text.strip_prefix('{')?.strip_suffix('}').filter(|path| !path.is_empty() && !path.contains(['{', '}']))
}

/// Replaces the tokens of a filter; `None` if one has no value.
fn replace(sqon: &Sqon, values_of: &dyn Fn(&str) -> Option<Vec<Scalar>>) -> Option<Sqon> {
    let Leaf { condition, pivot } = match sqon {
        Sqon::Group { op, content, pivot } => {
            let content: Option<Vec<Sqon>> = content.iter().map(|part| replace(part, values_of)).collect();
            return Some(Sqon::Group { op: *op, content: content?, pivot: pivot.clone() });
        }
        Sqon::Leaf(leaf) => leaf,
    };
    let fill = |scalar: &Scalar| token(scalar).map_or_else(|| Some(vec![scalar.clone()]), values_of);
    let condition = match condition {
        Condition::Values { op, field, values } => {
            let mut filled = Vec::with_capacity(values.len());
            for value in values {
                match value {
                    ValueTest::Equals(scalar) => filled.extend(fill(scalar)?.into_iter().map(ValueTest::Equals)),
                    other => filled.push(other.clone()),
                }
            }
            Condition::Values { op: *op, field: field.clone(), values: filled }
        }
        Condition::Range { op, field, bounds } => {
            let filled: Option<Vec<Vec<Scalar>>> = bounds.iter().map(fill).collect();
            Condition::Range { op: *op, field: field.clone(), bounds: filled?.concat() }
        }
        Condition::Between { .. } | Condition::Wildcard { .. } | Condition::Fuzzy { .. } => condition.clone(),
    };
    Some(Sqon::Leaf(Leaf { condition, pivot: pivot.clone() }))
}

/// Rejects filters that would grant more than they seem to, and tokens that would not be replaced.
fn check(sqon: &Sqon) -> Result<(), TemplateError> {
    let condition = match sqon {
        Sqon::Group { op, content, .. } if content.is_empty() => {
            let expected = "at least one filter in it; all records are opened by null alone";
            return Err(TemplateError::new(format!("`{}` without content", op.name()), expected));
        }
        Sqon::Group { content, .. } => return content.iter().try_for_each(check),
        Sqon::Leaf(leaf) => &leaf.condition,
    };
    let has_brace = |text: &str| text.contains(['{', '}']);
    let is_stray = |scalar: &Scalar| token(scalar).is_none() && has_brace(&scalar.to_string());
    let stray = match condition {
        Condition::Values { op, values, .. } => {
            if values.iter().any(|value| matches!(value, ValueTest::Set(_))) {
                return Err(TemplateError::new("a saved set", "values; a set can be changed by others"));
            }
            if values.is_empty() && *op != ValuesOp::In {
                return Err(TemplateError::new("an empty list of values", "at least one value"));
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
        Some(stray) => Err(TemplateError::new(
            format!("the value {:?}", stray.to_string()),
            "a claim such as \"{studies}\" as a whole value of in, not-in, some-not-in, all, gt, gte, lt or lte",
        )),
    }
}
