//! The scores of records, by the rules of [`cantata_engine::relevance`].
//!
//! Match sets have found the records; scoring follows the filter a second time, and only where it has conditions that
//! score. It costs:
//!
//! * for each such condition once: its ordinals again, which the dictionaries find without looking at documents; a
//!   bitmap of its rows, whose number is a statistic; and the lengths of the field, which a snapshot keeps for all
//!   clients that see the same records;
//! * for each record that is scored: the values of its rows in the fields, and cutting those into words that match in a
//!   text field. Sorted by relevance, these are all that match, which bounded heaps as those of every order take in,
//!   and which the processors share where they are many; otherwise those of the page.
//!
//! A score needs no memory of its own. A condition has a bit for each value of its field, and catalogues bound the
//! number of conditions. Nothing here is computed for a search that asks for no scores.

use cantata_engine::relevance::{Bm25, ScoringCondition, TermStatistics};
use cantata_engine::{Filter, ScoreRequest};

use super::filter;
use super::match_sets::{MatchSet, PlanMatchSets};
use super::row_filter::{self, RowFilter};
use crate::bitset::Bitset;
use crate::cancellation::CancellationToken;
use crate::segment::SegmentField;
use crate::snapshot::{FieldLengths, Snapshot};

/// After this many documents it is checked whether the search was cancelled.
const DOCUMENTS_PER_CHECK: usize = 4096;

/// The scores of the records of a snapshot; they are wrong if the search was cancelled.
pub(crate) struct Relevance<'a> {
    /// Nothing if no condition scores.
    scorer: Option<Scorer<'a>>,
    cancellation: &'a CancellationToken,
}

/// The scores of the documents of one segment.
#[derive(Clone, Copy)]
pub(crate) struct SegmentRelevance<'a> {
    relevance: &'a Relevance<'a>,
    segment: usize,
}

impl<'a> Relevance<'a> {
    pub(super) fn new(match_sets: &PlanMatchSets<'a>, request: ScoreRequest) -> Self {
        let compiler = Compiler {
            snapshot: match_sets.snapshot,
            cancellation: match_sets.cancellation,
            within: match_sets.filter(request.within),
            counted: match_sets.of_filter(request.within),
        };
        let root = vec![Some(0); match_sets.snapshot.segments.len()];
        let scorer = compiler.scorer(match_sets.filter(request.query), &root, true);
        Self { scorer, cancellation: match_sets.cancellation }
    }

    pub(super) fn of_segment(&self, segment: usize) -> SegmentRelevance<'_> {
        SegmentRelevance { relevance: self, segment }
    }

    /// Returns the score of a document that passes the filter.
    pub(super) fn score(&self, segment: usize, document: usize) -> f32 {
        match &self.scorer {
            Some(scorer) if !self.cancellation.is_cancelled() => scorer.score(segment, document) as f32,
            _ => 0.0,
        }
    }
}

impl SegmentRelevance<'_> {
    /// Returns the score of a document that passes the filter.
    pub(super) fn score(&self, document: usize) -> f32 {
        self.relevance.score(self.segment, document)
    }
}

/// The part of a filter that scores, for the rows of one level. Lists have an entry for each segment, an empty one where
/// the segment has not the level or the field.
enum Scorer<'a> {
    /// The sum of its parts; of a conjunction only where it holds.
    Sum { parts: Vec<Scorer<'a>>, conjunction: Option<Vec<Option<RowFilter<'a>>>> },
    /// The score of the best child row; with the row starts of each level on the way down to it.
    Best { starts: Vec<Option<Vec<&'a [u32]>>>, inner: Box<Scorer<'a>> },
    /// The score of a condition.
    Term { condition: ScoringCondition<'a>, bm25: Bm25, fields: Vec<Option<TermField<'a>>> },
}

/// The field of a condition in one segment.
struct TermField<'a> {
    field: SegmentField<'a>,
    /// The ordinals of the values that match.
    matches: Bitset,
}

impl Scorer<'_> {
    fn score(&self, segment: usize, row: usize) -> f64 {
        match self {
            Self::Sum { parts, conjunction } => {
                let holds = conjunction
                    .as_ref()
                    .is_none_or(|filters| filters[segment].as_ref().is_some_and(|filter| filter.matches(row)));
                if holds { parts.iter().map(|part| part.score(segment, row)).sum() } else { 0.0 }
            }
            Self::Best { starts, inner } => {
                let Some(starts) = &starts[segment] else { return 0.0 };
                let (first, end) = starts
                    .iter()
                    .fold((row, row + 1), |(first, end), starts| (starts[first] as usize, starts[end] as usize));
                (first..end).map(|row| inner.score(segment, row)).fold(0.0, f64::max)
            }
            Self::Term { condition, bm25, fields } => {
                let Some(TermField { field, matches }) = &fields[segment] else { return 0.0 };
                let (mut frequency, mut length) = (0, 0);
                field.column.for_each(row, |ordinal| {
                    length += field.dictionary.bytes(ordinal).len() as u64;
                    if matches.contains(ordinal as usize) {
                        frequency += condition.frequency_in(field.dictionary.text(ordinal));
                    }
                });
                bm25.score(frequency, length)
            }
        }
    }
}

/// Makes the scorer of a filter.
struct Compiler<'a, 'c> {
    snapshot: &'a Snapshot,
    cancellation: &'a CancellationToken,
    /// The filter over the documents that statistics are made of.
    within: &'a Filter,
    /// These documents in each segment.
    counted: &'c [MatchSet],
}

impl<'a> Compiler<'a, '_> {
    /// Returns the scorer of a filter at the level that each segment has for its path; nothing if nothing in it scores.
    /// `holds` says that only rows are scored that pass the filter.
    fn scorer(&self, filter: &'a Filter, levels: &[Option<usize>], holds: bool) -> Option<Scorer<'a>> {
        match filter {
            Filter::And(parts) => {
                let parts = self.scorers(parts, levels, holds)?;
                let conjunction = (!holds).then(|| {
                    let segments = self.snapshot.segments.iter().zip(levels);
                    let row_filters = segments.map(|(reader, level)| {
                        level.map(|level| RowFilter::new(&reader.segment, filter, level, self.cancellation))
                    });
                    row_filters.collect()
                });
                Some(Scorer::Sum { parts, conjunction })
            }
            Filter::Or(parts) => Some(Scorer::Sum { parts: self.scorers(parts, levels, false)?, conjunction: None }),
            Filter::Nested { path, inner } => {
                let segments = &self.snapshot.segments;
                let inner_levels: Vec<_> = segments.iter().map(|reader| reader.segment.level_of(path)).collect();
                let inner = Box::new(self.scorer(inner, &inner_levels, false)?);
                let ends = levels.iter().zip(&inner_levels);
                let starts = segments.iter().zip(ends).map(|(reader, (outer, inner))| {
                    Some(row_filter::starts_between(&reader.segment, (*outer)?, (*inner)?))
                });
                Some(Scorer::Best { starts: starts.collect(), inner })
            }
            condition => self.term(condition, levels),
        }
    }

    /// Returns the scorers of the parts of a group; nothing if none scores.
    fn scorers(&self, parts: &'a [Filter], levels: &[Option<usize>], holds: bool) -> Option<Vec<Scorer<'a>>> {
        let scorers: Vec<_> = parts.iter().filter_map(|part| self.scorer(part, levels, holds)).collect();
        (!scorers.is_empty()).then_some(scorers)
    }

    fn term(&self, filter: &'a Filter, levels: &[Option<usize>]) -> Option<Scorer<'a>> {
        let condition = ScoringCondition::new(filter, &self.snapshot.mapping)?;
        let mut matching = 0;
        let mut fields = Vec::with_capacity(levels.len());
        for ((reader, level), counted) in self.snapshot.segments.iter().zip(levels).zip(self.counted) {
            let Some(field) = level.and_then(|level| filter::leaf_field(&reader.segment, filter, level)) else {
                fields.push(None);
                continue;
            };
            let mut matches = Bitset::empty(field.dictionary.len());
            let mut rows = Bitset::empty(reader.segment.level(field.level).rows);
            for ordinal in filter::matching_ordinals(filter, &field, self.cancellation) {
                matches.insert(ordinal as usize);
                field.postings.union_into(ordinal, &mut rows);
            }
            if counted.count < reader.segment.document_count() {
                rows.intersect_with(&row_filter::rows_of(&reader.segment, field.level, &counted.documents));
            }
            matching += rows.count() as u64;
            fields.push(Some(TermField { field, matches }));
        }
        let lengths = self.snapshot.field_lengths(condition.field, self.within, || self.count_lengths(&fields));
        let FieldLengths { rows, bytes } = lengths.unwrap_or_default();
        let bm25 = Bm25::new(TermStatistics { rows, matching, length: bytes });
        Some(Scorer::Term { condition, bm25, fields })
    }

    /// Returns the lengths of a field in the documents that statistics are made of; nothing if the search was
    /// cancelled.
    fn count_lengths(&self, fields: &[Option<TermField<'a>>]) -> Option<FieldLengths> {
        let mut lengths = FieldLengths::default();
        for ((reader, field), counted) in self.snapshot.segments.iter().zip(fields).zip(self.counted) {
            let Some(TermField { field, .. }) = field else { continue };
            let level = reader.segment.level(field.level);
            if counted.count == reader.segment.document_count() {
                // A row has each of its texts once.
                lengths.rows += (level.rows - field.postings.count(field.column.missing)) as u64;
                let bytes = |ordinal| field.postings.count(ordinal) * field.dictionary.bytes(ordinal).len();
                lengths.bytes += (0..field.dictionary.len() as u32).map(bytes).sum::<usize>() as u64;
                continue;
            }
            for (number, document) in counted.documents.iter().enumerate() {
                if number.is_multiple_of(DOCUMENTS_PER_CHECK) && self.cancellation.is_cancelled() {
                    return None;
                }
                for row in level.document_starts[document] as usize..level.document_starts[document + 1] as usize {
                    let mut has_value = false;
                    field.column.for_each(row, |ordinal| {
                        has_value = true;
                        lengths.bytes += field.dictionary.bytes(ordinal).len() as u64;
                    });
                    lengths.rows += u64::from(has_value);
                }
            }
        }
        Some(lengths)
    }
}

#[cfg(test)]
mod tests {
    use cantata_engine::{HitsRequest, SearchPlan};
    use serde_json::json;

    use super::*;
    use crate::cancellation::CancelOnDrop;
    use crate::test_index::TestIndex;

    #[tokio::test]
    async fn lengths_are_counted_once_and_nothing_is_scored_for_nobody() {
        let index = TestIndex::new(&json!({"a": {"type": "keyword"}}));
        index.write((1..=9).map(|length| json!({"a": "x".repeat(length)}))).await;
        let snapshot = index.snapshot();
        let filter = Filter::Wildcard { field: "a".to_owned(), pattern: "*x*".to_owned() };
        let score = ScoreRequest { query: 0, within: 1 };
        let page = HitsRequest { size: 3, score: Some(score), ..HitsRequest::default() };
        let plan = SearchPlan { filters: vec![filter, Filter::All], hits: vec![page], facets: Vec::new() };
        let request = CancelOnDrop::default();
        let token = request.token();
        let match_sets = PlanMatchSets::new(&snapshot, &plan, &token);
        let relevance = Relevance::new(&match_sets, score);
        let scores: Vec<f32> = (0..9).map(|row| relevance.score(0, row)).collect();
        assert!(scores.is_sorted_by(|one, two| one > two), "short values are better: {scores:?}");
        let known = snapshot.field_lengths("a", &Filter::All, || None).unwrap();
        assert_eq!((known.rows, known.bytes), (9, 45));
        drop(request);
        assert_eq!(relevance.score(0, 0), 0.0);
    }
}
