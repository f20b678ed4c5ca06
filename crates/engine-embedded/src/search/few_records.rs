//! Facets over few records: only the rows of these records are read.
//!
//! The other ways of counting ([`super::facet_counts`]) go through bitmaps of all records and of all elements of a
//! nesting level, and have a count for each value of the field. Where one record in hundreds matches, that takes longer
//! than the records do. The answer is the same.

use std::cmp::Reverse;

use cantata_engine::{AncestorFilter, Bucket, EngineError, FacetRequest, FacetResult, Filter};

use super::facet::{BUCKET_BYTES, row_path};
use super::match_sets::PlanMatchSets;
use super::row_filter::RowFilter;
use crate::cancellation::CancellationToken;
use crate::segment::{Segment, SegmentField};

/// Records are few if the index has more than this many times as many.
const FEW_RECORDS_RATIO: usize = 512;

/// Up to so many values for each one that was found are counted in an array.
const ARRAY_VALUES_PER_FOUND: usize = 8;

/// A condition on elements with more values is evaluated once for all facets, as a bitmap.
const MAX_TESTED_VALUES: usize = 64;

/// Computes a facet if it is over few records, and is about nothing but the counts of values.
///
/// # Errors
///
/// If the answer takes too much memory, or the search was cancelled.
pub(super) fn compute(
    match_sets: &PlanMatchSets<'_>,
    request: &FacetRequest,
) -> Result<Option<FacetResult>, EngineError> {
    let records: usize = match_sets.of_filter(request.filter).iter().map(|matches| matches.count).sum();
    let segments = &match_sets.snapshot.segments;
    let all_records: usize = segments.iter().map(|reader| reader.segment.document_count()).sum();
    let ancestors = &request.ancestors;
    let is_cheap = || is_cheap_test(&request.elements) && ancestors.iter().all(|around| is_cheap_test(&around.filter));
    if records.saturating_mul(FEW_RECORDS_RATIO) < all_records && wants_only_counts(request) && is_cheap() {
        count(match_sets, request).map(Some)
    } else {
        Ok(None)
    }
}

fn wants_only_counts(request: &FacetRequest) -> bool {
    let FacetRequest { buckets, distinct, missing, stats, histograms, ranges, top_hits, bucket_filters, .. } = request;
    (buckets.is_some() || *distinct || *missing)
        && !(*stats || top_hits.is_some())
        && histograms.is_empty()
        && ranges.is_empty()
        && bucket_filters.is_empty()
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

fn count(match_sets: &PlanMatchSets<'_>, request: &FacetRequest) -> Result<FacetResult, EngineError> {
    let snapshot = match_sets.snapshot;
    let (ordinals, path) = (snapshot.global_ordinals(&request.field), row_path(snapshot, &request.field));
    let mut answer = FacetResult::default();
    let mut counted: Vec<(usize, u64)> = Vec::new();
    let documents = match_sets.lists_of_filter(request.filter);
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
        for (ordinal, count) in count_ordinals(&field, documents, &elements) {
            match ordinal == field.column.missing {
                true => answer.missing += u64::from(count),
                false => counted.push((ordinals.global(segment, ordinal as usize), u64::from(count))),
            }
        }
    }
    if snapshot.segments.len() > 1 {
        counted.sort_unstable_by_key(|&(ordinal, _)| ordinal);
        counted.dedup_by(|next, kept| {
            let is_same = next.0 == kept.0;
            kept.1 += if is_same { next.1 } else { 0 };
            is_same
        });
    }
    answer.distinct = counted.len() as u64;
    for (ordinal, count) in most_frequent(counted, request.buckets.unwrap_or_default()) {
        let Some(value) = ordinals.value(&snapshot.segments, &request.field, ordinal) else { continue };
        match_sets.cancellation.check()?;
        match_sets.budget.take(BUCKET_BYTES)?;
        answer.buckets.push(Bucket { value, count, top_hits: Vec::new(), filtered: Vec::new() });
    }
    Ok(answer)
}

/// Returns the ordinals with the greatest counts, the greatest first, equal ones in order.
fn most_frequent(mut counted: Vec<(usize, u64)>, limit: usize) -> Vec<(usize, u64)> {
    let rank = |&(ordinal, count): &(usize, u64)| (Reverse(count), ordinal);
    if limit < counted.len() {
        if limit > 0 {
            counted.select_nth_unstable_by_key(limit - 1, rank);
        }
        counted.truncate(limit);
    }
    counted.sort_unstable_by_key(rank);
    counted
}

/// Returns the ordinals of the elements of documents, in order, each with the number of documents that have it.
/// Elements without a value have the ordinal of missing values.
fn count_ordinals(field: &SegmentField<'_>, documents: &[u32], elements: &Elements<'_>) -> Vec<(u32, u32)> {
    let column = &field.column;
    let mut found: Vec<u32> = Vec::with_capacity(documents.len());
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
        found.extend_from_slice(&of_document);
    }
    let ordinals = field.dictionary.len() + 1;
    if ordinals <= found.len() * ARRAY_VALUES_PER_FOUND {
        let mut counts = vec![0_u32; ordinals];
        found.iter().for_each(|&ordinal| counts[ordinal as usize] += 1);
        (0_u32..).zip(counts).filter(|&(_, count)| count > 0).collect()
    } else {
        found.sort_unstable();
        found.chunk_by(|one, two| one == two).map(|equal| (equal[0], equal.len() as u32)).collect()
    }
}

/// Finds the elements of a document that a facet counts, from the outermost level that has a condition inwards.
struct Elements<'a> {
    steps: Vec<Step<'a>>,
}

/// Leads from a row to those of its rows at a level below that pass a condition.
struct Step<'a> {
    /// The row starts of each level on the way.
    starts: Vec<&'a [u32]>,
    condition: RowFilter<'a>,
}

impl<'a> Elements<'a> {
    fn new(segment: &'a Segment, level: usize, request: &FacetRequest, cancellation: &CancellationToken) -> Self {
        let mut conditions: Vec<(usize, &Filter)> = Vec::new();
        for AncestorFilter { path, filter } in &request.ancestors {
            // A segment that has elements has those around them.
            conditions.extend(segment.level_of(path).map(|around| (around, filter)));
        }
        conditions.push((level, &request.elements));
        let (mut steps, mut outer) = (Vec::new(), 0);
        for (inner, filter) in conditions {
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
    use crate::EmbeddedEngine;
    use crate::cancellation::CancelOnDrop;
    use crate::search::facet;

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

    #[tokio::test]
    async fn few_records_are_counted_like_many() {
        let folder = tempfile::tempdir().unwrap();
        let engine = EmbeddedEngine::open(folder.path()).unwrap();
        let (kind, mut random) = (json!({ "type": "keyword" }), StdRng::seed_from_u64(11));
        let rare = json!({ "type": "nested", "properties": { "kind": kind, "rare": kind } });
        let things = json!({ "type": "nested", "properties": { "kind": kind, "parts": rare } });
        let mapping = json!({ "properties": { "kind": kind, "things": things, "rare": kind } });
        engine.create("things", Some(&mapping)).unwrap();
        for batch in [400, 90] {
            let put = |number: usize, random: &mut StdRng| WriteOperation::Put {
                id: format!("{batch}/{number}"),
                source: random_document(random).to_string().into_bytes(),
            };
            let operations = (0..batch).map(|number| put(number, &mut random)).collect();
            engine.write("things", operations).await.unwrap();
        }
        engine.write("things", vec![WriteOperation::Delete { id: "400/7".to_owned() }]).await.unwrap();
        let snapshot = engine.index("things").unwrap().snapshot();
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
                    let buckets: Vec<String> =
                        answer.buckets.iter().map(|bucket| format!("{:?} {}", bucket.value, bucket.count)).collect();
                    format!("{} {} {buckets:?}", answer.distinct, answer.missing)
                };
                assert_eq!(text(&few), text(&many), "{facet:?} of {filter:?}");
            }
        }
    }
}
