//! Facets on nested elements where most records pass as a whole.
//!
//! A condition on a nesting level narrows the facets of this level and of those below to the elements that pass. Mostly
//! all elements of a record that matches do: it has one, or all are alike. Such records are counted as if there were no
//! condition, by the postings of documents, which are much smaller than the rows of a deep level. Only the records with
//! an element that does not pass are read row by row. The answer is the same.

use cantata_engine::{AncestorFilter, FacetRequest, Filter};

use super::facet_counts;
use super::few_records::{Elements, is_countable_by_row, visit_ordinals};
use super::match_sets::{MatchSet, PlanMatchSets};
use crate::bitset::Bitset;
use crate::segment::SegmentField;

/// At most one record in so many has an element that does not pass. Reading the rows of a record takes about as long as
/// counting the elements of so many.
const MIN_RECORDS_PER_SPLIT_RECORD: usize = 16;

/// Counts the documents of a segment that have each ordinal, and last those that have an element without value; nothing
/// if this is not expected to be faster than going through the elements.
pub(super) fn count<'a>(
    match_sets: &PlanMatchSets<'a>,
    segment: usize,
    field: &SegmentField<'_>,
    request: &'a FacetRequest,
) -> Option<Vec<u32>> {
    let within = &match_sets.snapshot.segments[segment].segment;
    let matches = &match_sets.of_filter(request.filter)[segment];
    if !is_countable_by_row(request) || !facet_counts::is_counted_by_postings(within, field, matches.count) {
        return None;
    }
    let mut split = Bitset::empty(within.document_count());
    let around = request.ancestors.iter();
    let around = around.filter_map(|AncestorFilter { path, filter }| Some((within.level_of(path)?, filter)));
    for (level, filter) in around.chain([(field.level, &request.elements)]) {
        if *filter != Filter::All {
            let others = match_sets.with_other_elements(segment, level, filter, request.filter)?;
            split.union_with(&others);
        }
    }
    let split_count = split.count();
    if split_count * MIN_RECORDS_PER_SPLIT_RECORD > matches.count {
        return None;
    }
    let mut whole = MatchSet { documents: matches.documents.clone(), count: matches.count - split_count };
    whole.documents.remove_all(&split);
    let mut counts = facet_counts::count_by_ordinal(within, field, &whole, None);
    let split: Vec<u32> = split.iter().map(|document| document as u32).collect();
    let elements = Elements::new(within, field.level, request, match_sets.cancellation);
    visit_ordinals(field, &split, &elements, |ordinal| counts[ordinal as usize] += 1);
    Some(counts)
}

#[cfg(test)]
mod tests {
    use cantata_engine::SearchPlan;
    use cantata_mapping::TypedValue;
    use rand::rngs::StdRng;
    use rand::{Rng, SeedableRng};
    use serde_json::{Value, json};

    use super::*;
    use crate::cancellation::CancelOnDrop;
    use crate::test_index::TestIndex;

    const DOCUMENTS: usize = 640;

    /// Returns a document of things that are all of the same kind, except for one in forty documents.
    fn random_document(number: usize, random: &mut StdRng) -> Value {
        let (mut things, count) = (Vec::new(), random.random_range(1..4));
        for thing in 0..count {
            let (mut parts, count) = (Vec::new(), random.random_range(0..4));
            for _ in 0..count {
                let kind = random.random_range(0..5);
                parts.push(if kind == 4 { json!({}) } else { json!({ "kind": kind.to_string() }) });
            }
            let kind = if thing == 0 && number % 40 == 3 { "b" } else { "a" };
            things.push(json!({ "kind": kind, "parts": parts }));
        }
        json!({ "things": things })
    }

    fn is_of_kind(kind: &str) -> Filter {
        Filter::Terms { field: "things.kind".to_owned(), values: vec![TypedValue::Text(kind.to_owned())] }
    }

    #[tokio::test]
    async fn records_are_counted_like_their_elements() {
        let (kind, mut random) = (json!({ "type": "keyword" }), StdRng::seed_from_u64(5));
        let parts = json!({ "type": "nested", "properties": { "kind": kind } });
        let things = json!({ "type": "nested", "properties": { "kind": kind, "parts": parts } });
        let index = TestIndex::new(&json!({ "things": things }));
        index.write((0..DOCUMENTS).map(|number| random_document(number, &mut random))).await;
        let snapshot = index.snapshot();
        let segment = &snapshot.segments[0].segment;
        let with_kind = |kind: &str| Filter::Nested { path: "things".to_owned(), inner: Box::new(is_of_kind(kind)) };
        let counts = FacetRequest { buckets: Some(10), missing: true, ..FacetRequest::default() };
        let ancestors = vec![AncestorFilter { path: "things".to_owned(), filter: is_of_kind("a") }];
        let of_parts = FacetRequest { field: "things.parts.kind".to_owned(), ancestors, ..counts.clone() };
        let of_things = FacetRequest { field: "things.kind".to_owned(), elements: is_of_kind("a"), ..counts };
        let of_others = FacetRequest { elements: is_of_kind("b"), ..of_things.clone() };
        let plan = SearchPlan {
            filters: vec![Filter::All, with_kind("a")],
            hits: Vec::new(),
            facets: vec![
                FacetRequest { filter: 1, ..of_parts.clone() },
                FacetRequest { filter: 1, ..of_things.clone() },
                of_parts,
                of_things,
                of_others,
            ],
        };
        let request = CancelOnDrop::default();
        let token = request.token();
        let match_sets = PlanMatchSets::new(&snapshot, &plan, &token);
        for (number, facet) in plan.facets.iter().enumerate() {
            let field = segment.field(&facet.field).unwrap();
            let matches = &match_sets.of_filter(facet.filter)[0];
            let elements = match_sets.elements(0, field.level, facet);
            let expected = facet_counts::count_by_ordinal(segment, &field, matches, Some(&elements));
            // Nearly all records have other things than the last facet counts.
            let expected = Some(expected).filter(|_| number < 4);
            assert_eq!(count(&match_sets, 0, &field, facet), expected, "{facet:?}");
        }
    }
}
