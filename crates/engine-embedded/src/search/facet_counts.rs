//! Facet counts: for each value of a field, how many documents of a match set have it.
//!
//! There are four ways, and the cheapest is chosen: over all documents the counts are stored; where most documents match,
//! those that do not are counted and subtracted; where there are few values, their postings are intersected with the
//! match set, 64 rows at a time; else the column is read row by row. A document with several rows of a value counts once:
//! of rows, those that are the first of their document are known, so that 64 of them are still counted at a time; where
//! the column is read, the document that was counted last is tracked for each value.

use super::match_sets::MatchSet;
use crate::bitset::{Bitset, WORD_BITS};
use crate::segment::{Ordinal, PostingList, Postings, Segment, SegmentField, with_ordinals};

/// The number of bitmap words that are intersected in the time that one row of a column takes.
const WORDS_PER_ROW: usize = 8;

/// The same where the range of a row is found by bisection.
const WORDS_PER_RANGE_ROW: usize = 64;

/// The same where documents with an element in both bitmaps are counted, in the time that one element takes.
const WORDS_PER_ELEMENT: usize = 2;

/// Postings of more ordinals than this are never intersected one by one.
const MAX_INTERSECTED_ORDINALS: u32 = 4097;

/// The group of ordinals that are not counted.
pub(crate) const NO_GROUP: u32 = u32::MAX;

/// Counts the documents that have each ordinal; last, those that have a row without value.
pub(crate) fn count_by_ordinal(
    segment: &Segment,
    field: &SegmentField<'_>,
    matches: &MatchSet,
    elements: Option<&Bitset>,
) -> Vec<u32> {
    if let Some(elements) = elements {
        return count_elements(segment, field, matches, elements);
    }
    if matches.count == segment.document_count() {
        return field.postings.document_counts.to_vec();
    }
    if matches.count * 2 > segment.document_count() {
        let mut others = matches.documents.clone();
        others.invert();
        let mut counts = field.postings.document_counts.to_vec();
        let others = MatchSet { count: segment.document_count() - matches.count, documents: others };
        let subtracted = count_matches(segment, field, &others);
        counts.iter_mut().zip(subtracted).for_each(|(count, other)| *count -= other);
        return counts;
    }
    count_matches(segment, field, matches)
}

/// Counts the documents that have an element with each ordinal.
fn count_elements(segment: &Segment, field: &SegmentField<'_>, matches: &MatchSet, elements: &Bitset) -> Vec<u32> {
    let ordinals = field.dictionary.len() as u32 + 1;
    let words = segment.level(field.level).rows.div_ceil(WORD_BITS) / WORDS_PER_ELEMENT;
    if ordinals <= MAX_INTERSECTED_ORDINALS && intersection_cost(field.postings, ordinals, words) < elements.count() {
        let rows = segment.rows_by_document(field.level);
        let count = |ordinal: u32| match field.postings.rows(ordinal) {
            PostingList::Dense(words) => rows.count_parents(elements, words) as u32,
            PostingList::Sparse(list) => rows.count_parents_of_list(elements, list) as u32,
        };
        return (0..ordinals).map(count).collect();
    }
    count_by_group(segment, field, &matches.documents, Some(elements), |ordinal| ordinal, ordinals as usize)
}

/// Returns the cost of intersecting the postings of all ordinals with a bitmap, in rows of a column, given that of a
/// posting list that is a bitmap.
fn intersection_cost(postings: Postings<'_>, ordinals: u32, bitmap_cost: usize) -> usize {
    let cost = |ordinal: u32| match postings.rows(ordinal) {
        PostingList::Dense(_) => bitmap_cost,
        PostingList::Sparse(rows) => rows.len(),
    };
    (0..ordinals).map(cost).sum()
}

fn count_matches(segment: &Segment, field: &SegmentField<'_>, matches: &MatchSet) -> Vec<u32> {
    let documents = &matches.documents;
    let by_column = || count_by_group(segment, field, documents, None, |ordinal| ordinal, field.dictionary.len() + 1);
    count_by_postings(segment, field, documents, matches.count).unwrap_or_else(by_column)
}

/// Counts the documents of a bitmap that have each ordinal, and last those with a row without value, by the postings of
/// documents; nothing if reading the rows of this many documents is cheaper.
pub(crate) fn count_by_postings(
    segment: &Segment,
    field: &SegmentField<'_>,
    documents: &Bitset,
    read_documents: usize,
) -> Option<Vec<u32>> {
    let postings = cheap_postings(segment, field, read_documents)?;
    let ordinals = 0..=field.dictionary.len() as u32;
    Some(ordinals.map(|ordinal| count_in(documents, postings.rows(ordinal))).collect())
}

/// Returns whether the values of this many documents are counted without reading their rows.
pub(crate) fn is_counted_by_postings(segment: &Segment, field: &SegmentField<'_>, documents: usize) -> bool {
    cheap_postings(segment, field, documents).is_some()
}

/// Returns whether intersecting the bitmaps of the ranges is cheaper than reading the rows of the documents.
pub(crate) fn are_ranges_intersected(
    segment: &Segment,
    field: &SegmentField<'_>,
    ranges: usize,
    documents: usize,
) -> bool {
    let rows_each = segment.level(field.level).rows.checked_div(segment.document_count()).unwrap_or_default();
    let words = segment.document_count().div_ceil(WORD_BITS) / WORDS_PER_RANGE_ROW;
    ranges * words < documents * rows_each.max(1)
}

/// Returns the postings of documents, if intersecting them is cheaper than reading the rows of this many documents.
fn cheap_postings<'a>(segment: &Segment, field: &SegmentField<'a>, documents: usize) -> Option<Postings<'a>> {
    let ordinals = field.dictionary.len() as u32 + 1;
    let postings = field.document_postings().filter(|_| ordinals <= MAX_INTERSECTED_ORDINALS)?;
    let rows_each = segment.level(field.level).rows.checked_div(segment.document_count())?;
    let words = segment.document_count().div_ceil(WORD_BITS) / WORDS_PER_ROW;
    (intersection_cost(postings, ordinals, words) < documents * rows_each.max(1)).then_some(postings)
}

/// Counts the documents of a posting list that are in a bitmap.
pub(crate) fn count_in(documents: &Bitset, rows: PostingList<'_>) -> u32 {
    match rows {
        PostingList::Dense(words) => documents.intersection_count(words) as u32,
        PostingList::Sparse(rows) => rows.iter().filter(|&&row| documents.contains(row as usize)).count() as u32,
    }
}

/// Counts the documents of each group of ordinals, row by row. If elements are given, which must be rows of these documents,
/// only they are read. The group of a row without value is that of the ordinal after the last one.
pub(crate) fn count_by_group(
    segment: &Segment,
    field: &SegmentField<'_>,
    documents: &Bitset,
    elements: Option<&Bitset>,
    group_of: impl Fn(u32) -> u32,
    group_count: usize,
) -> Vec<u32> {
    if field.level == 0 && field.column.starts.is_none() {
        return count_records(field, elements.unwrap_or(documents), group_of, group_count);
    }
    let mut counter = DistinctCounter { counts: vec![0; group_count], last: vec![0; group_count] };
    match (field.column.starts, elements) {
        (None, Some(elements)) => with_ordinals!(field.column.ordinals, ordinals => {
            for_each_element(elements, segment.rows_by_document(field.level).first(), |row, document| {
                counter.count(group_of(ordinals[row].to_u32()), document);
            });
        }),
        (None, None) => with_ordinals!(field.column.ordinals, ordinals => {
            let starts = segment.level(field.level).document_starts;
            documents.for_each(|document| {
                for ordinal in &ordinals[starts[document] as usize..starts[document + 1] as usize] {
                    counter.count(group_of(ordinal.to_u32()), document as u32 + 1);
                }
            });
        }),
        (Some(value_starts), elements) => {
            let mut read_row = |row: usize, document: u32| {
                if value_starts[row] == value_starts[row + 1] {
                    counter.count(group_of(field.column.missing), document);
                }
                for index in value_starts[row]..value_starts[row + 1] {
                    counter.count(group_of(field.column.ordinals.get(index as usize)), document);
                }
            };
            match elements {
                Some(elements) => for_each_element(elements, segment.rows_by_document(field.level).first(), read_row),
                None => {
                    let starts = segment.level(field.level).document_starts;
                    documents.for_each(|document| {
                        let rows = starts[document] as usize..starts[document + 1] as usize;
                        rows.for_each(|row| read_row(row, document as u32 + 1));
                    });
                }
            }
        }
    }
    counter.counts
}

/// The common case, single-valued fields of records, as a tight loop.
fn count_records(
    field: &SegmentField<'_>,
    records: &Bitset,
    group_of: impl Fn(u32) -> u32,
    group_count: usize,
) -> Vec<u32> {
    let mut counts = vec![0; group_count];
    with_ordinals!(field.column.ordinals, ordinals => records.for_each(|row| {
        if let Some(count) = counts.get_mut(group_of(ordinals[row].to_u32()) as usize) {
            *count += 1;
        }
    }));
    counts
}

/// Counts documents by group, each document once. The rows of a document must come one after the other.
struct DistinctCounter {
    counts: Vec<u32>,
    /// The document that was counted last for each group; zero is none.
    last: Vec<u32>,
}

impl DistinctCounter {
    #[inline]
    fn count(&mut self, group: u32, document: u32) {
        let (Some(last), Some(count)) = (self.last.get_mut(group as usize), self.counts.get_mut(group as usize)) else {
            return;
        };
        *count += u32::from(*last != document);
        *last = document;
    }
}

/// Visits elements in order, each with a number that differs between documents, from one on.
#[inline]
fn for_each_element(elements: &Bitset, first_rows: &Bitset, mut visit: impl FnMut(usize, u32)) {
    let mut document = 0;
    // Whether a document began after the last element.
    let mut has_begun = false;
    for (index, (&elements, &first)) in elements.words().iter().zip(first_rows.words()).enumerate() {
        let (mut left, mut begun) = (elements, first);
        while left != 0 {
            let up_to = left ^ (left - 1);
            document += u32::from(has_begun || begun & up_to != 0);
            has_begun = false;
            begun &= !up_to;
            visit(index * WORD_BITS + left.trailing_zeros() as usize, document);
            left &= left - 1;
        }
        has_begun |= begun != 0;
    }
}

/// Visits the ordinals in the rows of documents, each as often as it occurs. If elements are given, which must be rows of
/// these documents, only they are read.
pub(crate) fn for_each_ordinal(
    segment: &Segment,
    field: &SegmentField<'_>,
    documents: &Bitset,
    elements: Option<&Bitset>,
    mut visit: impl FnMut(u32),
) {
    let mut read_row = |row: usize| field.column.for_each(row, &mut visit);
    match elements {
        Some(elements) => elements.for_each(read_row),
        None if field.level == 0 => documents.for_each(read_row),
        None => {
            let starts = segment.level(field.level).document_starts;
            documents.for_each(|document| {
                (starts[document] as usize..starts[document + 1] as usize).for_each(&mut read_row);
            });
        }
    }
}

/// Counts the documents that have a row at a level, among the elements if these are given.
pub(crate) fn count_with_rows(segment: &Segment, level: usize, documents: &Bitset, elements: Option<&Bitset>) -> u64 {
    let starts = segment.level(level).document_starts;
    let has_row = |document: &usize| {
        let mut rows = starts[*document] as usize..starts[*document + 1] as usize;
        elements.map_or(!rows.is_empty(), |elements| rows.any(|row| elements.contains(row)))
    };
    documents.iter().filter(has_row).count() as u64
}

#[cfg(test)]
mod tests {
    use rand::rngs::StdRng;
    use rand::{Rng, SeedableRng};
    use serde_json::{Value, json};

    use super::*;
    use crate::search::row_filter::rows_of;
    use crate::test_index::TestIndex;

    const DOCUMENTS: usize = 700;

    /// Returns values of which some are frequent, some rare, some missing and some several.
    fn random_value(random: &mut StdRng) -> Value {
        match random.random_range(0..10) {
            0 => Value::Null,
            1 => json!(["a", format!("{}", random.random_range(0..40))]),
            2..7 => json!("a"),
            _ => json!(format!("{}", random.random_range(0..4))),
        }
    }

    fn random_document(random: &mut StdRng) -> Value {
        let parts = |random: &mut StdRng| -> Vec<Value> {
            let count = random.random_range(0..4);
            (0..count).map(|_| json!({ "kind": random_value(random) })).collect()
        };
        let count = random.random_range(0..4);
        let things: Vec<Value> =
            (0..count).map(|_| json!({ "kind": random_value(random), "parts": parts(random) })).collect();
        json!({ "kind": random_value(random), "things": things })
    }

    #[tokio::test]
    async fn elements_are_counted_as_row_by_row() {
        let (kind, mut random) = (json!({ "type": "keyword" }), StdRng::seed_from_u64(7));
        let parts = json!({ "type": "nested", "properties": { "kind": kind } });
        let things = json!({ "type": "nested", "properties": { "kind": kind, "parts": parts } });
        let index = TestIndex::new(&json!({ "kind": kind, "things": things }));
        index.write((0..DOCUMENTS).map(|_| random_document(&mut random))).await;
        let snapshot = index.snapshot();
        let segment = &snapshot.segments[0].segment;
        assert_eq!(segment.document_count(), DOCUMENTS);
        for percent in [0, 1, 5, 20, 60, 99, 100] {
            for path in ["kind", "things.kind", "things.parts.kind"] {
                let field = segment.field(path).unwrap();
                let mut documents = Bitset::empty(DOCUMENTS);
                (0..DOCUMENTS).filter(|_| random.random_range(0..100) < percent).for_each(|row| documents.insert(row));
                let mut elements = rows_of(segment, field.level, &documents);
                let mut by_row = Bitset::empty(segment.level(field.level).rows);
                let starts = segment.level(field.level).document_starts;
                documents.for_each(|document| {
                    (starts[document]..starts[document + 1]).for_each(|row| by_row.insert(row as usize));
                });
                assert_eq!(elements, by_row, "{path}, {percent} %");
                by_row.for_each(|row| {
                    if random.random_range(0..3) == 0 {
                        elements.remove(row);
                    }
                });
                let matches = MatchSet { count: documents.count(), documents };
                let groups = field.dictionary.len() + 1;
                for elements in [None, Some(&elements)] {
                    let counted = count_by_ordinal(segment, &field, &matches, elements);
                    let expected =
                        count_by_group(segment, &field, &matches.documents, elements, |ordinal| ordinal, groups);
                    assert_eq!(counted, expected, "{path}, {percent} %, {}", elements.is_some());
                }
            }
        }
    }
}
