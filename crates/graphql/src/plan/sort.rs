//! The `sort` argument.

use cantata_catalogue::Catalogue;
use cantata_engine::{Missing, SortKey, SortMode, SortOrder};
use serde_json::Value;

use super::{Refusal, arguments};
use crate::request::Selected;

/// The name of the id of a record in a sort.
const RECORD_ID: &str = "_id";

/// Reads the order that is asked for.
pub(super) fn sort(field: &Selected, catalogue: &Catalogue) -> Result<Vec<SortKey>, Refusal> {
    let keys = arguments::list(field, "sort").unwrap_or_default();
    keys.into_iter().enumerate().map(|(place, key)| read(place, key, catalogue)).collect()
}

/// Reads one key of an order, whose words were checked before.
pub(super) fn read(place: usize, key: &Value, catalogue: &Catalogue) -> Result<SortKey, Refusal> {
    let word = |name: &str| key.get(name).and_then(Value::as_str);
    let name = word("fieldName").unwrap_or_default();
    let (field, has_numbers) = target(name, catalogue).ok_or_else(|| {
        format!(
            "sort[{place}].fieldName: found {name:?}; expected the dotted path of a field with values, or \"{RECORD_ID}\""
        )
    })?;
    let order = match word("order") {
        Some("desc") => SortOrder::Descending,
        _ => SortOrder::Ascending,
    };
    let mode = match (word("mode"), order) {
        (Some("min"), _) | (None, SortOrder::Ascending) => SortMode::Min,
        (Some("sum"), _) => SortMode::Sum,
        (Some("avg"), _) => SortMode::Avg,
        (Some(_), _) | (None, SortOrder::Descending) => SortMode::Max,
    };
    if matches!(mode, SortMode::Sum | SortMode::Avg) && !has_numbers {
        let found = word("mode").unwrap_or_default();
        return Err(format!(
            "sort[{place}].mode: found {found:?}, but {name:?} has no numbers or dates; expected \"min\" or \"max\""
        )
        .into());
    }
    let missing = match (word("missing"), order) {
        (Some("first"), _) | (None, SortOrder::Ascending) => Missing::First,
        (Some(_), _) | (None, SortOrder::Descending) => Missing::Last,
    };
    Ok(SortKey { field, order, mode, missing })
}

/// Returns the path of a field to sort by, nothing for the id of the record, and whether it has numbers or dates.
fn target(name: &str, catalogue: &Catalogue) -> Option<(Option<String>, bool)> {
    let mapping = &catalogue.mapping;
    let dotted = name.replace("__", ".");
    let by_flat_name = catalogue.root.aggregation(name).map(|field| field.path.as_str());
    for path in [name, by_flat_name.unwrap_or(name), &dotted] {
        if let Some(field) = mapping.field(path).filter(|field| field.kind.has_values()) {
            return Some((Some(field.path.clone()), field.kind.is_numeric() || field.kind.is_date()));
        }
        if mapping.flattened_key(path).is_some() {
            return Some((Some(path.to_owned()), false));
        }
    }
    [RECORD_ID, "id"].contains(&name).then_some((None, false))
}
