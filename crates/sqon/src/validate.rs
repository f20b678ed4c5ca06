//! Validation of a filter against the fields of a catalogue: names, operators, values and pivots. Every error is
//! reported, each with its path in the canonical form of the filter.
//!
//! Whether an unknown field is an error or just matches nothing is for the caller to decide; it has its own
//! [`SqonErrorKind::UnknownField`]. Types that no [`FieldClass`] describes are not judged.

mod class;
mod dates;
mod similar;
mod value_check;

pub use self::class::FieldClass;
pub use self::dates::is_date;

pub(crate) use self::dates::is_absolute_date;

use std::collections::HashMap;

use self::similar::similar_names;
use self::value_check::FieldChecker;
use crate::error::{SqonError, SqonErrorKind};
use crate::json_path::quote;
use crate::sqon::{Condition, Leaf, Sqon};

/// The pivot of the record itself.
const ROOT_PIVOT: &str = ".";

/// How many different unknown fields get suggestions; finding them is slow.
const MAX_HINTED_FIELDS: usize = 20;

/// The fields of a catalogue.
pub trait FieldLookup {
    /// Returns type and nesting of a field, containers included.
    fn field(&self, dotted: &str) -> Option<FieldInfo>;

    /// Returns whether the field is nested: a list of objects that are matched one by one.
    fn is_nested_path(&self, dotted: &str) -> bool;

    /// Returns whether a text is a date for a date field. Catalogues whose fields have formats of their own say so
    /// here.
    fn is_date(&self, _dotted: &str, text: &str) -> bool {
        is_date(text)
    }

    /// Returns the dotted name of the field with this GraphQL name. It matters where names have characters that GraphQL
    /// does not allow, such as `access-level`, which is `access_level` there.
    fn by_graphql_name(&self, _name: &str) -> Option<&str> {
        None
    }

    /// Returns the dotted names of all fields, for hints.
    fn names(&self) -> Box<dyn Iterator<Item = &str> + '_>;
}

/// Type and nesting of a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldInfo {
    /// The type as the mapping names it.
    pub type_name: String,
    /// What the type is like.
    pub class: FieldClass,
    /// The nested fields it lies in, the outermost first.
    pub nested: Vec<String>,
}

/// Returns the dotted name that a name such as `donors__gender` refers to, unless it is a name itself.
pub(crate) fn dotted_name(name: &str, exists: impl Fn(&str) -> bool) -> Option<String> {
    if exists(name) || !name.contains("__") {
        return None;
    }
    let dotted = name.replace("__", ".");
    exists(&dotted).then_some(dotted)
}

impl Sqon {
    /// Checks the filter against the fields of a catalogue.
    ///
    /// # Errors
    /// Everything that is wrong, in the order of the filter.
    pub fn validate(&self, fields: &dyn FieldLookup) -> Result<(), Vec<SqonError>> {
        let mut validator = Validator { fields, errors: Vec::new(), similar: HashMap::new() };
        validator.node(self, "");
        if validator.errors.is_empty() { Ok(()) } else { Err(validator.errors) }
    }
}

struct Validator<'a> {
    fields: &'a dyn FieldLookup,
    errors: Vec<SqonError>,
    similar: HashMap<String, Vec<String>>,
}

impl Validator<'_> {
    fn node(&mut self, node: &Sqon, pointer: &str) {
        match node {
            Sqon::Group { content, pivot, .. } => {
                for (index, part) in content.iter().enumerate() {
                    self.node(part, &format!("{pointer}/content/{index}"));
                }
                self.pivot(pivot.as_deref(), pointer);
            }
            Sqon::Leaf(leaf) => self.leaf(leaf, pointer),
        }
    }

    fn leaf(&mut self, leaf: &Leaf, pointer: &str) {
        let condition = &leaf.condition;
        for (index, name) in condition.fields().iter().enumerate() {
            let path = match condition {
                Condition::Wildcard { .. } | Condition::Fuzzy { .. } => format!("{pointer}/content/fieldNames/{index}"),
                Condition::Values { .. } | Condition::Range { .. } | Condition::Between { .. } => {
                    format!("{pointer}/content/fieldName")
                }
            };
            let dotted = dotted_name(name, |name| self.fields.field(name).is_some());
            let dotted = dotted.as_deref().unwrap_or(name);
            match self.fields.field(dotted) {
                None => self.unknown_field(name, path),
                Some(info) if !condition.operator().applies_to(info.class) => {
                    self.not_applicable(condition, name, &info, path);
                }
                Some(info) => self.values(condition, &FieldChecker { fields: self.fields, dotted, info }, pointer),
            }
        }
        self.pivot(leaf.pivot.as_deref(), pointer);
    }

    fn values(&mut self, condition: &Condition, field: &FieldChecker<'_>, pointer: &str) {
        let problems: Vec<Option<String>> = match condition {
            Condition::Values { values, .. } => values.iter().map(|value| field.value_problem(value)).collect(),
            Condition::Range { bounds, .. } => bounds.iter().map(|bound| field.scalar_problem(bound)).collect(),
            Condition::Between { bounds, .. } => bounds.iter().map(|bound| field.scalar_problem(bound)).collect(),
            Condition::Wildcard { .. } | Condition::Fuzzy { .. } => return,
        };
        let single = problems.len() == 1;
        for (index, problem) in problems.into_iter().enumerate() {
            let Some(message) = problem else { continue };
            // A single value may have been written without a list; the path of the whole value is right either way.
            let path = match single {
                true => format!("{pointer}/content/value"),
                false => format!("{pointer}/content/value/{index}"),
            };
            self.errors.push(SqonError::new(path, SqonErrorKind::WrongValue, message));
        }
    }

    fn unknown_field(&mut self, name: &str, path: String) {
        let similar = match self.similar.get(name) {
            Some(known) => known.clone(),
            None if self.similar.len() >= MAX_HINTED_FIELDS => Vec::new(),
            None => {
                let similar = similar_names(name, self.fields.names());
                self.similar.insert(name.to_owned(), similar.clone());
                similar
            }
        };
        let advice = match similar.as_slice() {
            [] => "its introspection lists the fields it has".to_owned(),
            names => format!("similar fields: {}", names.join(", ")),
        };
        let message = format!("the catalogue has no field {}; {advice}", quote(name));
        self.errors.push(SqonError::new(
            path,
            SqonErrorKind::UnknownField { field: name.to_owned(), similar },
            message,
        ));
    }

    fn not_applicable(&mut self, condition: &Condition, name: &str, info: &FieldInfo, path: String) {
        let usable: Vec<&str> = info.class.operators().map(|operator| operator.name).collect();
        let message = format!(
            "`{}` cannot be used on {}, which is of type {}; expected one of {}",
            condition.operator().name,
            quote(name),
            info.type_name,
            usable.join(", "),
        );
        self.errors.push(SqonError::new(path, SqonErrorKind::NotApplicable, message));
    }

    fn pivot(&mut self, pivot: Option<&str>, pointer: &str) {
        let Some(pivot) = pivot else { return };
        let nested = |name: &str| self.fields.is_nested_path(name);
        if pivot == ROOT_PIVOT || nested(pivot) || dotted_name(pivot, nested).is_some() {
            return;
        }
        let message = format!("Invalid pivot field {}, not a nested field", quote(pivot));
        self.errors.push(SqonError::new(format!("{pointer}/pivot"), SqonErrorKind::InvalidPivot, message));
    }
}
