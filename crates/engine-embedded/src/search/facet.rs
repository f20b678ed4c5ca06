//! Computing one facet over all segments of a snapshot.

use std::sync::Arc;

use cantata_engine::{Bucket, EngineError, FacetRequest, FacetResult, Filter, NumberRange};

use super::buckets::{most_frequent, top_hits};
use super::cached_postings::{self, Counted};
use super::facet_counts;
use super::match_sets::{MatchSet, PlanMatchSets};
use super::{few_records, number_stats, ranges, row_filter};
use crate::bitset::Bitset;
use crate::segment::SegmentField;
use crate::segment_reader::SegmentReader;
use crate::snapshot::{GlobalOrdinals, Snapshot};

/// About what a bucket takes, with a value of usual length.
pub(super) const BUCKET_BYTES: usize = size_of::<Bucket>() + 64;

/// A facet on one segment.
pub(super) struct SegmentFacet<'a> {
    pub(super) reader: &'a SegmentReader,
    /// The field, if any document of the segment has it.
    pub(super) field: Option<SegmentField<'a>>,
    level: Option<usize>,
    pub(super) matches: &'a MatchSet,
    /// The elements of these documents that are counted; nothing: all of them, or the counts are known.
    pub(super) elements: Option<Arc<Bitset>>,
    /// How many of these documents have each ordinal, if that was counted without the elements.
    counts: Option<Vec<u32>>,
    /// For each list of ranges, how many of these documents have a value in each, if that was counted without the elements.
    pub(super) range_counts: Vec<Option<Vec<u32>>>,
}

/// Computes a facet.
///
/// # Errors
///
/// If a histogram would have too many buckets, the answer takes too much memory, the search was cancelled, or documents
/// cannot be read.
pub(super) fn compute<'a>(
    match_sets: &PlanMatchSets<'a>,
    request: &'a FacetRequest,
) -> Result<FacetResult, EngineError> {
    if let Some(answer) = few_records::compute(match_sets, request)? {
        return Ok(answer);
    }
    let snapshot = match_sets.snapshot;
    let segments = segment_facets(match_sets, request);
    let mut answer = FacetResult::default();
    if request.buckets.is_some() || request.distinct || request.missing {
        let ordinals = snapshot.global_ordinals(&request.field);
        let by_segment = segments.iter().map(|segment| {
            let count = || segment.count_by_ordinal(segment.matches, segment.elements.as_deref());
            let counts = segment.counts.clone().unwrap_or_else(count);
            // The last count of a segment is that of documents without value.
            let missing = counts.last().copied().unwrap_or_default();
            answer.missing += u64::from(missing) + segment.count_without_field();
            counts
        });
        let counts = sum_by_global_ordinal(by_segment, &ordinals);
        answer.distinct = counts.iter().filter(|&&count| count > 0).count() as u64;
        if let Some(limit) = request.buckets {
            let filtered: Vec<Vec<u64>> = request
                .bucket_filters
                .iter()
                .map(|&filter| filtered_counts(&segments, &ordinals, match_sets.of_filter(filter)))
                .collect();
            for bucket in most_frequent(&counts, limit) {
                let Some(value) = ordinals.value(&snapshot.segments, &request.field, bucket) else { continue };
                match_sets.cancellation.check()?;
                match_sets.budget.take(BUCKET_BYTES + request.bucket_filters.len() * size_of::<u64>())?;
                let top_hits = match request.top_hits {
                    Some(size) => top_hits(match_sets, &segments, &ordinals, bucket, size)?,
                    None => Vec::new(),
                };
                let filtered = filtered.iter().map(|counts| counts[bucket]).collect();
                answer.buckets.push(Bucket { value, count: counts[bucket], top_hits, filtered });
            }
        }
    }
    if request.stats || !request.histograms.is_empty() {
        let stats = number_stats::stats(&segments);
        answer.stats = request.stats.then_some(stats);
        let intervals = request.histograms.iter();
        let histograms = intervals.map(|&interval| number_stats::histogram(&segments, &request.field, stats, interval));
        answer.histograms = histograms.collect::<Result<_, _>>()?;
    }
    let ranges = request.ranges.iter().enumerate();
    answer.ranges = ranges.map(|(list, ranges)| ranges::count(&segments, list, ranges)).collect();
    Ok(answer)
}

/// Returns the path of the nested container that a field belongs to; empty for records.
pub(super) fn row_path<'a>(snapshot: &'a Snapshot, field: &str) -> &'a str {
    let mapping = &snapshot.mapping;
    let mapped = mapping.field(field).or_else(|| mapping.flattened_key(field).map(|(field, _)| field));
    mapped.map(cantata_mapping::Field::row_path).unwrap_or_default()
}

/// Returns a facet on each segment.
pub(super) fn segment_facets<'f, 'a>(
    match_sets: &'f PlanMatchSets<'a>,
    request: &'a FacetRequest,
) -> Vec<SegmentFacet<'f>> {
    let snapshot = match_sets.snapshot;
    let path = row_path(snapshot, &request.field);
    let readers = snapshot.segments.iter().zip(match_sets.of_filter(request.filter)).enumerate();
    let is_narrowed = request.elements != Filter::All || !request.ancestors.is_empty();
    let values = few_records::wants_only_counts(request).then(|| Counted::values(request)).flatten();
    let ranges: Vec<_> = request.ranges.iter().map(|ranges| (ranges, Counted::ranges(request, ranges))).collect();
    let wants_only_ranges = few_records::wants_only_ranges(request);
    let facets = readers.map(|(segment, (reader, matches))| {
        let field = reader.segment.field(&request.field);
        let level = field.as_ref().map(|field| field.level).or_else(|| reader.segment.level_of(path));
        let count_values =
            |(field, counted)| cached_postings::count_values(match_sets, segment, field, request, counted);
        let counts = field.as_ref().zip(values.as_ref()).and_then(count_values);
        let count_ranges = |(list, counted): &(&Vec<NumberRange>, Option<Arc<Counted>>)| {
            let (field, counted) = field.as_ref().zip(counted.as_ref())?;
            let intervals = || ranges::intervals(field, list);
            cached_postings::count_ranges(match_sets, segment, field, request, counted, intervals)
        };
        let range_counts: Vec<Option<Vec<u32>>> = ranges.iter().map(count_ranges).collect();
        let is_counted = counts.is_some() || (wants_only_ranges && range_counts.iter().all(Option::is_some));
        let level_of_elements = level.filter(|_| is_narrowed && !is_counted);
        let elements = level_of_elements.map(|level| match_sets.elements(segment, level, request));
        SegmentFacet { reader, field, level, matches, elements, counts, range_counts }
    });
    facets.collect()
}

impl SegmentFacet<'_> {
    fn count_by_ordinal(&self, matches: &MatchSet, elements: Option<&Bitset>) -> Vec<u32> {
        match &self.field {
            Some(field) => facet_counts::count_by_ordinal(&self.reader.segment, field, matches, elements),
            None => Vec::new(),
        }
    }

    /// Counts the documents that have a row, in a segment where no row has the field.
    fn count_without_field(&self) -> u64 {
        let (None, Some(level)) = (&self.field, self.level) else { return 0 };
        let (segment, documents) = (&self.reader.segment, &self.matches.documents);
        facet_counts::count_with_rows(segment, level, documents, self.elements.as_deref())
    }

    /// Counts the documents that have a value in each group of ordinals.
    pub(super) fn count_by_group(
        &self,
        field: &SegmentField<'_>,
        group_of: impl Fn(u32) -> u32,
        group_count: usize,
    ) -> Vec<u32> {
        let (segment, documents) = (&self.reader.segment, &self.matches.documents);
        facet_counts::count_by_group(segment, field, documents, self.elements.as_deref(), group_of, group_count)
    }
}

/// Adds up the counts of all segments by global ordinal, without those of missing values. They are taken one segment after
/// the other, because there are as many as different values.
fn sum_by_global_ordinal(counts_by_segment: impl Iterator<Item = Vec<u32>>, ordinals: &GlobalOrdinals) -> Vec<u64> {
    let mut sums = vec![0_u64; ordinals.len];
    for (segment, counts) in counts_by_segment.enumerate() {
        let values = counts.len().saturating_sub(1);
        for (ordinal, &count) in counts[..values].iter().enumerate().filter(|(_, count)| **count > 0) {
            sums[ordinals.global(segment, ordinal)] += u64::from(count);
        }
    }
    sums
}

/// Counts the documents of each bucket that match another filter too.
fn filtered_counts(segments: &[SegmentFacet<'_>], ordinals: &GlobalOrdinals, filter: &[MatchSet]) -> Vec<u64> {
    let counts = segments.iter().zip(filter).map(|(facet, filter)| {
        let mut documents = facet.matches.documents.clone();
        documents.intersect_with(&filter.documents);
        let elements = facet.level.zip(facet.elements.as_deref()).map(|(level, elements)| {
            let mut of_documents = row_filter::rows_of(&facet.reader.segment, level, &documents);
            of_documents.intersect_with(elements);
            of_documents
        });
        facet.count_by_ordinal(&MatchSet { count: documents.count(), documents }, elements.as_ref())
    });
    sum_by_global_ordinal(counts, ordinals)
}
