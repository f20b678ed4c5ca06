//! Short forms for the tests, and a small catalogue.

use cantata_sqon::validate::is_date;
use cantata_sqon::{FieldClass, FieldInfo, FieldLookup, Sqon, SqonError};
use serde_json::Value;

/// Reads a filter that must be there and right.
#[track_caller]
pub(crate) fn sqon(filter: Value) -> Sqon {
    Sqon::parse(&filter).unwrap_or_else(|error| panic!("{filter} was refused: {error}")).expect("a filter")
}

/// Reads a filter that must be refused.
#[track_caller]
pub(crate) fn refused(filter: &Value) -> SqonError {
    match Sqon::parse(filter) {
        Err(error) => error,
        Ok(read) => panic!("{filter} was read as {read:?}"),
    }
}

/// Checks that the filter reads and is written as the given canonical form.
#[track_caller]
pub(crate) fn reads_as(filter: Value, canonical: Value) {
    assert_eq!(sqon(filter.clone()).to_json(), canonical, "{filter}");
}

/// Checks the place and the message of a refusal.
#[track_caller]
pub(crate) fn refused_with(filter: Value, pointer: &str, message: &str) {
    let error = refused(&filter);
    assert_eq!((error.pointer.as_str(), error.message.as_str()), (pointer, message), "{filter}");
}

/// Files with donors and their specimens.
pub(crate) struct Catalogue;

const FIELDS: [(&str, &str); 15] = [
    ("file_id", "keyword"),
    ("name", "text"),
    ("size", "long"),
    ("quality", "double"),
    ("open", "boolean"),
    ("created", "date"),
    ("due", "date"),
    ("host", "ip"),
    ("place", "geo_point"),
    ("analysis", "object"),
    ("analysis.type", "keyword"),
    ("donors", "nested"),
    ("donors.gender", "keyword"),
    ("donors.specimens", "nested"),
    ("donors.specimens.specimen_type", "keyword"),
];

impl FieldLookup for Catalogue {
    fn field(&self, dotted: &str) -> Option<FieldInfo> {
        let (_, type_name) = FIELDS.into_iter().find(|(name, _)| *name == dotted)?;
        Some(FieldInfo {
            type_name: type_name.to_owned(),
            class: FieldClass::of_type(type_name),
            nested: ["donors", "donors.specimens"]
                .into_iter()
                .filter(|path| dotted.starts_with(&format!("{path}.")))
                .map(str::to_owned)
                .collect(),
        })
    }

    fn is_nested_path(&self, dotted: &str) -> bool {
        self.field(dotted).is_some_and(|facts| facts.class == FieldClass::Nested)
    }

    fn is_date(&self, dotted: &str, text: &str) -> bool {
        match dotted {
            "due" => text.split('.').count() == 3,
            _ => is_date(text),
        }
    }

    fn names(&self) -> Box<dyn Iterator<Item = &str> + '_> {
        Box::new(FIELDS.into_iter().map(|(name, _)| name))
    }
}
