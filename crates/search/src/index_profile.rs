//! Counting the values of an index, for a catalogue of which files and mapping say little.

use std::sync::Arc;

use cantata_catalogue::{FieldProfile, IndexProfile};
use cantata_engine::{EngineError, FacetRequest, Filter, HitsRequest, SearchEngine, SearchPlan};
use cantata_mapping::{Field, FieldKind, IndexMapping};

/// How many fields are counted at most.
const MAX_PROFILED_FIELDS: usize = 1_000;

/// How many fields are counted by one search.
const FIELDS_PER_SEARCH: usize = 50;

/// How often the pause after a failed count is doubled at most.
const MAX_DOUBLINGS: u32 = 9;

/// The pause after a count that failed, twice as long each time: on an index that is too large to be counted in time,
/// each try costs its cluster as much as all searches of a page.
#[derive(Debug, Default)]
pub(crate) struct CountingPause {
    failures: u32,
    /// How many occasions to count are left out.
    left: u32,
}

impl CountingPause {
    /// Returns whether values may be counted on this occasion.
    pub(crate) fn is_over(&mut self) -> bool {
        let is_over = self.left == 0;
        self.left = self.left.saturating_sub(1);
        is_over
    }

    /// Takes note of how a count ended.
    pub(crate) fn note(&mut self, is_counted: bool) {
        self.failures = if is_counted { 0 } else { (self.failures + 1).min(MAX_DOUBLINGS) };
        self.left = if is_counted { 0 } else { 1 << self.failures };
    }
}

/// Counts the values of the fields of an index.
///
/// # Errors
///
/// If a search fails.
pub(crate) async fn fetch_profile(
    engine: &dyn SearchEngine,
    index: &str,
    mapping: &IndexMapping,
) -> Result<IndexProfile, EngineError> {
    let fields = mapping.fields().chain(mapping.multi_fields()).filter(|field| is_countable(field));
    let fields: Vec<&Field> = fields.take(MAX_PROFILED_FIELDS).collect();
    let mut profile = IndexProfile::default();
    for fields in fields.chunks(FIELDS_PER_SEARCH) {
        let requests = fields.iter().map(|field| FacetRequest {
            field: field.path.clone(),
            distinct: true,
            missing: true,
            stats: has_range(field),
            ..FacetRequest::default()
        });
        let all = HitsRequest { total: true, ..HitsRequest::default() };
        let plan = SearchPlan { filters: vec![Filter::All], hits: vec![all], facets: requests.collect() };
        let response = engine.search(index, Arc::new(plan)).await?;
        profile.records = response.hits.first().and_then(|page| page.total).unwrap_or_default();
        for (field, facet) in fields.iter().zip(response.facets) {
            let range = facet.stats.filter(|stats| stats.count > 0).map(|stats| (stats.min, stats.max));
            let values = FieldProfile { missing: facet.missing, distinct: facet.distinct, range };
            profile.fields.insert(field.path.clone(), values);
        }
    }
    Ok(profile)
}

/// Returns whether the values of a field can be counted; words of texts, and keys of flattened objects, say little.
fn is_countable(field: &Field) -> bool {
    let is_plain = !matches!(field.kind, FieldKind::Text | FieldKind::Flattened | FieldKind::ConstantKeyword { .. });
    is_plain && field.kind.has_values() && field.enabled && field.doc_values
}

fn has_range(field: &Field) -> bool {
    field.kind.is_numeric() || field.kind.is_date()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_that_cannot_be_counted_is_tried_ever_less_often() {
        let mut pause = CountingPause::default();
        let tries = |pause: &mut CountingPause, occasions: usize| {
            let mut tries = 0;
            for _ in 0..occasions {
                if pause.is_over() {
                    tries += 1;
                    pause.note(false);
                }
            }
            tries
        };
        assert_eq!(tries(&mut pause, 10_000), 27);
        pause.note(true);
        assert!(pause.is_over());
    }
}
