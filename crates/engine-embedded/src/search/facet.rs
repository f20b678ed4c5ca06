//! Computing one facet over all segments of a snapshot.

use std::sync::Arc;

use cantata_engine::{Bucket, EngineError, FacetRequest, FacetResult, FieldStats, Filter};

use super::buckets::{most_frequent, top_hits};
use super::facet_counts::{self, NO_GROUP};
use super::match_sets::{MatchSet, PlanMatchSets};
use super::narrowed_postings::{self, Narrowing};
use super::{few_records, ranges, row_filter};
use crate::bitset::Bitset;
use crate::segment::SegmentField;
use crate::segment_reader::SegmentReader;
use crate::snapshot::{GlobalOrdinals, Snapshot};

/// The limit of a histogram.
const MAX_HISTOGRAM_BUCKETS: f64 = 65_536.0;

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
    answer.stats = request.stats.then(|| stats(&segments));
    let histograms = request.histograms.iter().map(|&interval| histogram(&segments, &request.field, interval));
    answer.histograms = histograms.collect::<Result<_, _>>()?;
    answer.ranges = request.ranges.iter().map(|ranges| ranges::count(&segments, ranges)).collect();
    Ok(answer)
}

/// Returns the path of the nested container that a field belongs to; empty for records.
pub(super) fn row_path<'a>(snapshot: &'a Snapshot, field: &str) -> &'a str {
    let mapping = &snapshot.mapping;
    let mapped = mapping.field(field).or_else(|| mapping.flattened_key(field).map(|(field, _)| field));
    mapped.map(cantata_mapping::Field::row_path).unwrap_or_default()
}

fn segment_facets<'f, 'a>(match_sets: &'f PlanMatchSets<'a>, request: &'a FacetRequest) -> Vec<SegmentFacet<'f>> {
    let snapshot = match_sets.snapshot;
    let path = row_path(snapshot, &request.field);
    let readers = snapshot.segments.iter().zip(match_sets.of_filter(request.filter)).enumerate();
    let is_narrowed = request.elements != Filter::All || !request.ancestors.is_empty();
    let narrowing = Narrowing::new(request).filter(|_| few_records::wants_only_counts(request));
    let facets = readers.map(|(segment, (reader, matches))| {
        let field = reader.segment.field(&request.field);
        let level = field.as_ref().map(|field| field.level).or_else(|| reader.segment.level_of(path));
        let counts = field
            .as_ref()
            .zip(narrowing.as_ref())
            .and_then(|(field, narrowing)| narrowed_postings::count(match_sets, segment, field, request, narrowing));
        let level_of_elements = level.filter(|_| is_narrowed && counts.is_none());
        let elements = level_of_elements.map(|level| match_sets.elements(segment, level, request));
        SegmentFacet { reader, field, level, matches, elements, counts }
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

    /// Counts the documents that have a value in each group of ordinals, which are made of the field.
    pub(super) fn count_by_group(
        &self,
        make_groups: impl FnOnce(&SegmentField<'_>) -> Vec<u32>,
        group_count: usize,
    ) -> Vec<u32> {
        let Some(field) = &self.field else { return vec![0; group_count] };
        let groups = make_groups(field);
        let (segment, documents) = (&self.reader.segment, &self.matches.documents);
        facet_counts::count_by_group(segment, field, documents, self.elements.as_deref(), Some(&groups), group_count)
    }

    /// Returns the numeric values that occur, in order, and how often.
    fn occurrences(&self) -> impl Iterator<Item = (f64, u64)> + '_ {
        self.field.iter().flat_map(|field| {
            let (segment, documents) = (&self.reader.segment, &self.matches.documents);
            let counts = facet_counts::count_occurrences(segment, field, documents, self.elements.as_deref());
            field.numeric_values().zip(counts).filter(|(_, count)| *count > 0)
        })
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

fn stats(segments: &[SegmentFacet<'_>]) -> FieldStats {
    let mut stats = FieldStats { count: 0, min: 0.0, max: 0.0, sum: 0.0 };
    for (value, count) in segments.iter().flat_map(SegmentFacet::occurrences) {
        let is_first = stats.count == 0;
        stats.min = if is_first { value } else { stats.min.min(value) };
        stats.max = if is_first { value } else { stats.max.max(value) };
        stats.sum += value * count as f64;
        stats.count += count;
    }
    stats
}

fn histogram(segments: &[SegmentFacet<'_>], field: &str, interval: f64) -> Result<Vec<(f64, u64)>, EngineError> {
    let stats = stats(segments);
    if stats.count == 0 {
        return Ok(Vec::new());
    }
    let step = |value: f64| (value / interval).floor();
    let first = step(stats.min);
    let buckets = step(stats.max) - first + 1.0;
    if buckets.is_nan() || buckets > MAX_HISTOGRAM_BUCKETS {
        return Err(EngineError::Rejected(format!(
            "`{field}`: a histogram with the interval {interval} would have {buckets} buckets; at most \
             {MAX_HISTOGRAM_BUCKETS} are possible: choose a greater interval or a narrower filter"
        )));
    }
    let mut counts = vec![0_u64; buckets as usize];
    for segment in segments {
        let group_of = |value: f64| {
            let bucket = step(value) - first;
            if (0.0..buckets).contains(&bucket) { bucket as u32 } else { NO_GROUP }
        };
        let groups = |field: &SegmentField<'_>| field.numeric_values().map(group_of).chain([NO_GROUP]).collect();
        let of_segment = segment.count_by_group(groups, counts.len());
        counts.iter_mut().zip(of_segment).for_each(|(count, other)| *count += u64::from(other));
    }
    Ok(counts.into_iter().enumerate().map(|(bucket, count)| ((first + bucket as f64) * interval, count)).collect())
}
