//! Facets over few records: only the rows of these records are read.
//!
//! The other ways of counting ([`super::facet_counts`]) go through bitmaps of all records and of all elements of a
//! nesting level, and have a count for each value of the field. Where one record in hundreds matches, that takes longer
//! than the records do. Nested fields of few values are the exception: their rows have to be found, and the postings of
//! documents have them all. The answer is the same.

use std::cmp::Reverse;
use std::iter::repeat_n;

use cantata_engine::{AncestorFilter, Bucket, EngineError, FacetRequest, FacetResult, Filter};

use super::buckets::{keep_first, top_hits};
use super::facet::{BUCKET_BYTES, row_path, segment_facets};
use super::facet_counts::count_by_postings;
use super::match_sets::PlanMatchSets;
use super::row_filter::RowFilter;
use crate::cancellation::CancellationToken;
use crate::segment::{Segment, SegmentField};

/// Records are few if the index has more than this many times as many.
const FEW_RECORDS_RATIO: usize = 512;

/// Up to this many values for each one that was found are counted in an array.
const ARRAY_VALUES_PER_FOUND: usize = 8;

/// Finding and reading a row of a nesting level takes as long as reading this many rows of records in turn.
const NESTED_READ_COST: usize = 8;

/// A condition on elements with more values is evaluated once for all facets, as a bitmap.
const MAX_TESTED_VALUES: usize = 64;

/// Computes a facet if it is over few records, and is about nothing but the counts of values and their top hits.
///
/// # Errors
///
/// If the answer takes too much memory, documents cannot be read, or the search was cancelled.
pub(super) fn compute<'a>(
    match_sets: &PlanMatchSets<'a>,
    request: &'a FacetRequest,
) -> Result<Option<FacetResult>, EngineError> {
    let records: usize = match_sets.of_filter(request.filter).iter().map(|matches| matches.count).sum();
    let segments = &match_sets.snapshot.segments;
    let all_records: usize = segments.iter().map(|reader| reader.segment.document_count()).sum();
    if records.saturating_mul(FEW_RECORDS_RATIO) < all_records && is_countable_by_row(request) {
        count(match_sets, request).map(Some)
    } else {
        Ok(None)
    }
}

/// Returns whether a facet is about nothing but the counts of values and their top hits, and its conditions are cheap to
/// test row by row.
fn is_countable_by_row(request: &FacetRequest) -> bool {
    let mut filters = request.ancestors.iter().map(|around| &around.filter).chain([&request.elements]);
    let has_top_hits = request.top_hits.is_none() || counts_all_elements(request);
    let is_about_counts = wants_counts(request) && request.ranges.is_empty() && !wants_more(request);
    is_about_counts && has_top_hits && filters.all(is_cheap_test)
}

/// Returns whether all elements of the records are counted.
fn counts_all_elements(request: &FacetRequest) -> bool {
    request.elements == Filter::All && request.ancestors.is_empty()
}

/// Returns whether a facet is about nothing but the counts of values.
pub(super) fn wants_only_counts(request: &FacetRequest) -> bool {
    wants_counts(request) && request.ranges.is_empty() && request.top_hits.is_none() && !wants_more(request)
}

/// Returns whether a facet is about nothing but ranges.
pub(super) fn wants_only_ranges(request: &FacetRequest) -> bool {
    !wants_counts(request) && !wants_more(request)
}

fn wants_counts(request: &FacetRequest) -> bool {
    request.buckets.is_some() || request.distinct || request.missing
}

/// Returns whether a facet is about more than values and ranges.
fn wants_more(request: &FacetRequest) -> bool {
    let FacetRequest { stats, histograms, bucket_filters, .. } = request;
    *stats || !histograms.is_empty() || !bucket_filters.is_empty()
}

/// Returns whether a condition is prepared at next to no cost, so that each facet can do it for itself.
fn is_cheap_test(filter: &Filter) -> bool {
    match filter {
        Filter::All | Filter::None | Filter::Range { .. } | Filter::Exists { .. } => true,
        Filter::Terms { values, .. } => values.len() <= MAX_TESTED_VALUES,
        Filter::And(parts) | Filter::Or(parts) => parts.iter().all(is_cheap_test),
        Filter::Not(inner) | Filter::Nested { inner, .. } => is_cheap_test(inner),
        _ => false,
    }
}

fn count<'a>(match_sets: &PlanMatchSets<'a>, request: &'a FacetRequest) -> Result<FacetResult, EngineError> {
    let snapshot = match_sets.snapshot;
    let (ordinals, path) = (snapshot.global_ordinals(&request.field), row_path(snapshot, &request.field));
    let mut answer = FacetResult::default();
    let documents = match_sets.lists_of_filter(request.filter);
    // The global ordinals that documents have, each once for each document.
    let mut found: Vec<u32> = Vec::with_capacity(documents.iter().map(Vec::len).sum());
    for (segment, (reader, documents)) in snapshot.segments.iter().zip(documents).enumerate() {
        let field = reader.segment.field(&request.field);
        let level = field.as_ref().map(|field| field.level).or_else(|| reader.segment.level_of(path));
        let Some(level) = level.filter(|_| !documents.is_empty()) else { continue };
        let elements = Elements::new(&reader.segment, level, request, match_sets.cancellation);
        let Some(field) = field else {
            // No row has a value.
            answer.missing += documents.iter().filter(|document| elements.has_any(**document as usize)).count() as u64;
            continue;
        };
        let global = |ordinal: u32| ordinals.global(segment, ordinal as usize) as u32;
        let by_postings = || {
            let matches = &match_sets.of_filter(request.filter)[segment].documents;
            count_by_postings(&reader.segment, &field, matches, documents.len() * NESTED_READ_COST)
        };
        let has_few_values = field.dictionary.len() < documents.len();
        let counts = (counts_all_elements(request) && level > 0 && has_few_values).then(by_postings).flatten();
        if let Some(mut counts) = counts {
            answer.missing += u64::from(counts.pop().unwrap_or_default());
            for (ordinal, count) in (0..).zip(counts).filter(|(_, count)| *count > 0) {
                found.extend(repeat_n(global(ordinal), count as usize));
            }
            continue;
        }
        visit_ordinals(&field, documents, &elements, |ordinal| {
            if ordinal == field.column.missing {
                answer.missing += 1;
            } else {
                found.push(global(ordinal));
            }
        });
    }
    let counted = count_each(found, ordinals.len);
    answer.distinct = counted.len() as u64;
    let rank = |&(ordinal, count): &(usize, u64)| (Reverse(count), ordinal);
    let wanted_hits = request.top_hits.map(|size| (size, segment_facets(match_sets, request)));
    for (ordinal, count) in keep_first(counted, request.buckets.unwrap_or_default(), rank) {
        let Some(value) = ordinals.value(&snapshot.segments, &request.field, ordinal) else { continue };
        match_sets.cancellation.check()?;
        match_sets.budget.take(BUCKET_BYTES)?;
        let top_hits = match &wanted_hits {
            Some((size, segments)) => top_hits(match_sets, segments, &ordinals, ordinal, *size)?,
            None => Vec::new(),
        };
        answer.buckets.push(Bucket { value, count, top_hits, filtered: Vec::new() });
    }
    Ok(answer)
}

/// Counts how often each ordinal was found, in the order of the ordinals.
fn count_each(mut found: Vec<u32>, ordinals: usize) -> Vec<(usize, u64)> {
    if ordinals <= found.len() * ARRAY_VALUES_PER_FOUND {
        let mut counts = vec![0_u64; ordinals];
        found.into_iter().for_each(|ordinal| counts[ordinal as usize] += 1);
        counts.into_iter().enumerate().filter(|&(_, count)| count > 0).collect()
    } else {
        found.sort_unstable();
        found.chunk_by(|one, two| one == two).map(|equal| (equal[0] as usize, equal.len() as u64)).collect()
    }
}

/// Visits the ordinals of the elements of documents, each once for each document that has it. Elements without a
/// value have the ordinal of missing values.
pub(super) fn visit_ordinals(
    field: &SegmentField<'_>,
    documents: &[u32],
    elements: &Elements<'_>,
    mut visit: impl FnMut(u32),
) {
    let column = &field.column;
    if elements.steps.is_empty() && column.starts.is_none() {
        // The common case, single-valued fields of records, as a tight loop.
        documents.iter().for_each(|&document| visit(column.ordinals.get(document as usize)));
        return;
    }
    let mut of_document: Vec<u32> = Vec::new();
    for &document in documents {
        of_document.clear();
        elements.for_each(document as usize, |row| {
            let before = of_document.len();
            column.for_each(row, |ordinal| of_document.push(ordinal));
            if of_document.len() == before {
                of_document.push(column.missing);
            }
        });
        if of_document.len() > 1 {
            of_document.sort_unstable();
            of_document.dedup();
        }
        of_document.iter().for_each(|&ordinal| visit(ordinal));
    }
}

/// Finds the elements of a document that a facet counts, from the outermost level that has a condition inwards.
pub(super) struct Elements<'a> {
    steps: Vec<Step<'a>>,
}

/// Leads from a row to those of its rows at a level below that pass a condition.
struct Step<'a> {
    /// The row starts of each level on the way.
    starts: Vec<&'a [u32]>,
    condition: RowFilter<'a>,
}

impl<'a> Elements<'a> {
    pub(super) fn new(
        segment: &'a Segment,
        level: usize,
        request: &FacetRequest,
        cancellation: &CancellationToken,
    ) -> Self {
        // A segment that has elements has those around them.
        let around = request.ancestors.iter();
        let around = around.filter_map(|AncestorFilter { path, filter }| Some((segment.level_of(path)?, filter)));
        let (mut steps, mut outer) = (Vec::new(), 0);
        for (inner, filter) in around.chain([(level, &request.elements)]) {
            if inner == outer && *filter == Filter::All {
                // A record is the only element of itself.
                continue;
            }
            let condition = RowFilter::new(segment, filter, inner, cancellation);
            steps.push(Step { starts: starts_between(segment, outer, inner), condition });
            outer = inner;
        }
        Self { steps }
    }

    /// Visits the elements of a document in order.
    fn for_each(&self, document: usize, mut visit: impl FnMut(usize)) {
        visit_rows(&self.steps, document, &mut visit);
    }

    fn has_any(&self, document: usize) -> bool {
        let mut is_found = false;
        self.for_each(document, |_| is_found = true);
        is_found
    }
}

fn visit_rows(steps: &[Step<'_>], row: usize, visit: &mut impl FnMut(usize)) {
    let Some((step, inner)) = steps.split_first() else {
        visit(row);
        return;
    };
    let (mut first, mut end) = (row, row + 1);
    for starts in &step.starts {
        (first, end) = (starts[first] as usize, starts[end] as usize);
    }
    for row in (first..end).filter(|&row| step.condition.matches(row)) {
        visit_rows(inner, row, visit);
    }
}

/// Returns the row starts of each level on the way from a level down to another.
fn starts_between(segment: &Segment, outer: usize, inner: usize) -> Vec<&[u32]> {
    if outer == 0 {
        return vec![segment.level(inner).document_starts];
    }
    let (mut starts, mut at) = (Vec::new(), inner);
    while at != outer && at != 0 {
        starts.push(segment.level(at).starts);
        at = segment.level(at).parent;
    }
    starts.reverse();
    starts
}

#[cfg(test)]
mod tests {
    use cantata_engine::{IndexWriter, SearchPlan, WriteOperation};
    use cantata_mapping::TypedValue;
    use rand::rngs::StdRng;
    use rand::{Rng, SeedableRng};
    use serde_json::{Value, json};

    use super::*;
    use crate::cancellation::CancelOnDrop;
    use crate::search::facet;
    use crate::test_index::{TestIndex, put_document};

    /// Returns values of which some are frequent, some rare, some missing and some several.
    fn random_value(random: &mut StdRng) -> Value {
        match random.random_range(0..10) {
            0 => Value::Null,
            1 => json!(["a", random.random_range(0..300).to_string()]),
            2..7 => json!("a"),
            _ => json!(random.random_range(0..4).to_string()),
        }
    }

    fn random_document(random: &mut StdRng) -> Value {
        let (mut things, count) = (Vec::new(), random.random_range(0..4));
        for _ in 0..count {
            let (mut parts, count) = (Vec::new(), random.random_range(0..4));
            for _ in 0..count {
                parts.push(json!({ "kind": random_value(random) }));
            }
            things.push(json!({ "kind": random_value(random), "parts": parts }));
        }
        json!({ "kind": random_value(random), "things": things })
    }

    fn has_value(field: &str, value: &str) -> Filter {
        Filter::Terms { field: field.to_owned(), values: vec![TypedValue::Text(value.to_owned())] }
    }

    fn nested(path: &str, inner: Filter) -> Filter {
        Filter::Nested { path: path.to_owned(), inner: Box::new(inner) }
    }

    /// Returns facets of a path, with all kinds of conditions on its elements and those around them.
    fn facets(path: &str) -> Vec<FacetRequest> {
        let field = path.to_owned();
        let facet = FacetRequest { field, buckets: Some(5), missing: true, ..FacetRequest::default() };
        let around = |path: &str, filter| AncestorFilter { path: path.to_owned(), filter };
        let mut facets = vec![facet.clone(), FacetRequest { buckets: Some(0), ..facet.clone() }];
        facets.push(FacetRequest { buckets: Some(1000), distinct: true, ..facet.clone() });
        facets.push(FacetRequest { top_hits: Some(2), ..facet.clone() });
        if path != "kind" {
            facets.push(FacetRequest { elements: has_value(path, "a"), ..facet.clone() });
        }
        if path.starts_with("things.") && !path.starts_with("things.parts.") {
            let elements = nested("things.parts", has_value("things.parts.kind", "a"));
            facets.push(FacetRequest { elements: Filter::Not(Box::new(elements)), ..facet.clone() });
        }
        if path.starts_with("things.parts.") {
            let ancestors = vec![around("things", has_value("things.kind", "a"))];
            facets.push(FacetRequest { elements: has_value("things.parts.kind", "1"), ancestors, ..facet });
        }
        facets
    }

    #[test]
    fn ordinals_are_counted_in_order_among_few_and_among_many() {
        let expected: Vec<(usize, u64)> = vec![(0, 1), (1, 1), (3, 3)];
        for ordinals in [4, 4000] {
            assert_eq!(count_each(vec![3, 1, 3, 0, 3], ordinals), expected);
            assert!(count_each(Vec::new(), ordinals).is_empty());
        }
    }

    #[tokio::test]
    async fn few_records_are_counted_like_many() {
        let (kind, mut random) = (json!({ "type": "keyword" }), StdRng::seed_from_u64(11));
        let rare = json!({ "type": "nested", "properties": { "kind": kind, "rare": kind } });
        let things = json!({ "type": "nested", "properties": { "kind": kind, "parts": rare } });
        let index = TestIndex::new(&json!({ "kind": kind, "things": things, "rare": kind }));
        for batch in [400, 90] {
            let put = |number: usize| put_document(&format!("{batch}/{number}"), &random_document(&mut random));
            index.engine.write("things", (0..batch).map(put).collect()).await.unwrap();
        }
        index.engine.write("things", vec![WriteOperation::Delete { id: "400/7".to_owned() }]).await.unwrap();
        let snapshot = index.snapshot();
        assert_eq!(snapshot.segments.len(), 2);
        let with_thing = nested("things", has_value("things.kind", "3"));
        let filters = [Filter::All, has_value("kind", "2"), with_thing, Filter::None];
        let paths = ["kind", "things.kind", "things.parts.kind", "rare", "things.parts.rare", "unknown"];
        let request = CancelOnDrop::default();
        let token = request.token();
        for filter in filters {
            for facet in paths.into_iter().flat_map(facets) {
                let plan = SearchPlan { filters: vec![filter.clone()], hits: Vec::new(), facets: vec![facet] };
                let facet = &plan.facets[0];
                let match_sets = PlanMatchSets::new(&snapshot, &plan, &token);
                let (few, many) = (count(&match_sets, facet).unwrap(), facet::compute(&match_sets, facet).unwrap());
                let text = |answer: &FacetResult| {
                    let bucket =
                        |Bucket { value, count, top_hits, .. }: &Bucket| format!("{value:?} {count} {top_hits:?}");
                    let buckets: Vec<String> = answer.buckets.iter().map(bucket).collect();
                    format!("{} {} {buckets:?}", answer.distinct, answer.missing)
                };
                assert_eq!(text(&few), text(&many), "{facet:?} of {filter:?}");
            }
        }
    }
}
