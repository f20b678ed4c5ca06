//! The fields of a catalogue for filters: containers, fields, aliases, multi-fields, the keys in flattened fields, and
//! the id of the record. Masked fields are not among them.

use cantata_mapping::{DateExpression, Field, MASKED_TYPE, RECORD_ID};
use cantata_sqon::validate::is_date;
use cantata_sqon::{FieldClass, FieldInfo, FieldLookup};

use crate::catalogue::Catalogue;

/// The names of the id of a record; `id` unless a field has this name.
const RECORD_ID_NAMES: [&str; 2] = [RECORD_ID, "id"];

/// The type of the id of a record.
pub(crate) const RECORD_ID_TYPE: &str = "id";

/// The type of the keys in a flattened field.
const FLATTENED_KEY_TYPE: &str = "keyword";

impl FieldLookup for Catalogue {
    fn field(&self, dotted: &str) -> Option<FieldInfo> {
        match self.mapping.field(dotted) {
            Some(field) if field.type_name == MASKED_TYPE => None,
            Some(field) => Some(facts(field, &field.type_name)),
            None if RECORD_ID_NAMES.contains(&dotted) => Some(FieldInfo {
                type_name: RECORD_ID_TYPE.to_owned(),
                class: FieldClass::of_type(RECORD_ID_TYPE),
                nested: Vec::new(),
            }),
            None => self.mapping.flattened_key(dotted).map(|(field, _)| facts(field, FLATTENED_KEY_TYPE)),
        }
    }

    fn is_nested_path(&self, dotted: &str) -> bool {
        self.field(dotted).is_some_and(|facts| facts.class == FieldClass::Nested)
    }

    fn is_date(&self, dotted: &str, text: &str) -> bool {
        let format = self.mapping.field(dotted).and_then(|field| field.kind.date_format());
        format.map_or_else(|| is_date(text), |format| DateExpression::parse(text, format).is_ok())
    }

    fn by_graphql_name(&self, name: &str) -> Option<&str> {
        self.root.aggregation(name).map(|field| field.path.as_str())
    }

    fn names(&self) -> Box<dyn Iterator<Item = &str> + '_> {
        let fields = self.mapping.fields().chain(self.mapping.multi_fields());
        Box::new(fields.filter(|field| field.type_name != MASKED_TYPE).map(|field| field.path.as_str()))
    }
}

fn facts(field: &Field, type_name: &str) -> FieldInfo {
    FieldInfo { type_name: type_name.to_owned(), class: FieldClass::of_type(type_name), nested: field.nested.clone() }
}
