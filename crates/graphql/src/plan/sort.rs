//! The `sort` argument.

use cantata_catalogue::Catalogue;
use cantata_engine::{MissingOrder, RECORD_SCORE, SortKey, SortMode, SortOrder};
use cantata_mapping::RECORD_ID;
use serde_json::Value;

use super::{PlanError, arguments};
use crate::request::SelectedField;

/// Parses the sort keys of a field.
pub(super) fn parse(field: &SelectedField, catalogue: &Catalogue) -> Result<Vec<SortKey>, PlanError> {
    let keys = arguments::list(field, "sort").unwrap_or_default();
    keys.into_iter().enumerate().map(|(index, key)| parse_key(index, key, catalogue)).collect()
}

/// Rejects a sort by relevance, which only pages have.
pub(super) fn reject_score(keys: &[SortKey]) -> Result<(), PlanError> {
    match keys.iter().position(SortKey::is_score) {
        Some(index) => Err(format!(
            "sort[{index}].fieldName: found {RECORD_SCORE:?}, the relevance, by which only `hits` are sorted; expected the \
             dotted path of a field with values, or \"{RECORD_ID}\""
        )
        .into()),
        None => Ok(()),
    }
}

/// Parses one sort key, whose keywords were checked before.
pub(super) fn parse_key(index: usize, key: &Value, catalogue: &Catalogue) -> Result<SortKey, PlanError> {
    let word = |name: &str| key.get(name).and_then(Value::as_str);
    let name = word("fieldName").unwrap_or_default();
    if name == RECORD_SCORE {
        // The best first, unless something else is written; every record has one score.
        let order = if word("order") == Some("asc") { SortOrder::Ascending } else { SortOrder::Descending };
        let field = Some(RECORD_SCORE.to_owned());
        return Ok(SortKey { field, order, mode: SortMode::Max, missing: MissingOrder::Last });
    }
    let (field, has_numbers) = target(name, catalogue).ok_or_else(|| {
        format!(
            "sort[{index}].fieldName: found {name:?}; expected the dotted path of a field with values, \"{RECORD_ID}\" or \
             \"{RECORD_SCORE}\""
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
            "sort[{index}].mode: found {found:?}, but {name:?} has no numbers or dates; expected \"min\" or \"max\""
        )
        .into());
    }
    // As in Arranger, they come first only where `asc` is written.
    let missing = match (word("missing"), word("order")) {
        (Some("first"), _) | (None, Some("asc")) => MissingOrder::First,
        _ => MissingOrder::Last,
    };
    Ok(SortKey { field, order, mode, missing })
}

/// Returns the path of a sort field, `None` for the id of the record, and whether it has numbers or dates.
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
