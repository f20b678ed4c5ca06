//! Statistics and histograms of the numbers and dates of a facet, in one pass over the rows each.
//!
//! Values are decoded where a row has them, not for the whole dictionary: a field like the size of a file has nearly as many
//! values as records.

use cantata_engine::{EngineError, FieldStats};

use super::facet::SegmentFacet;
use super::facet_counts::{self, NO_GROUP};
use crate::segment::SegmentField;

/// The limit of a histogram.
const MAX_HISTOGRAM_BUCKETS: f64 = 65_536.0;

/// A sum that keeps what additions round off (Neumaier), so that the order of rows does not show.
#[derive(Default)]
struct CompensatedSum {
    sum: f64,
    lost: f64,
}

impl CompensatedSum {
    #[inline]
    fn add(&mut self, value: f64) {
        let sum = self.sum + value;
        let (greater, less) = if self.sum.abs() >= value.abs() { (self.sum, value) } else { (value, self.sum) };
        self.lost += (greater - sum) + less;
        self.sum = sum;
    }

    fn total(&self) -> f64 {
        let total = self.sum + self.lost;
        // What is lost of infinity is not a number.
        if total.is_nan() { self.sum } else { total }
    }
}

/// Computes the statistics of all values.
pub(super) fn stats(segments: &[SegmentFacet<'_>]) -> FieldStats {
    let (mut count, mut sum) = (0, CompensatedSum::default());
    let (mut min, mut max) = (f64::INFINITY, f64::NEG_INFINITY);
    for (facet, field) in numeric(segments) {
        // The dictionary is sorted, so the extremes are those of the ordinals.
        let (mut first, mut last) = (u32::MAX, 0);
        let (segment, documents) = (&facet.reader.segment, &facet.matches.documents);
        let before = count;
        facet_counts::for_each_ordinal(segment, field, documents, facet.elements.as_deref(), |ordinal| {
            first = first.min(ordinal);
            last = last.max(ordinal);
            count += 1;
            sum.add(field.number(ordinal));
        });
        if count > before {
            min = min.min(field.number(first));
            max = max.max(field.number(last));
        }
    }
    if count == 0 {
        return FieldStats { count, min: 0.0, max: 0.0, sum: 0.0 };
    }
    FieldStats { count, min, max, sum: sum.total() }
}

/// Counts the documents in each bucket of a histogram, given the statistics of the values.
///
/// # Errors
///
/// If it would have too many buckets.
pub(super) fn histogram(
    segments: &[SegmentFacet<'_>],
    field: &str,
    stats: FieldStats,
    interval: f64,
) -> Result<Vec<(f64, u64)>, EngineError> {
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
    for (segment, field) in numeric(segments) {
        let group_of = |ordinal: u32| {
            let bucket = step(field.number(ordinal)) - first;
            if ordinal != field.column.missing && (0.0..buckets).contains(&bucket) { bucket as u32 } else { NO_GROUP }
        };
        let of_segment = segment.count_by_group(field, group_of, counts.len());
        counts.iter_mut().zip(of_segment).for_each(|(count, other)| *count += u64::from(other));
    }
    Ok(counts.into_iter().enumerate().map(|(bucket, count)| ((first + bucket as f64) * interval, count)).collect())
}

/// Returns the segments that have numbers in the field.
fn numeric<'f, 'a>(
    segments: &'f [SegmentFacet<'a>],
) -> impl Iterator<Item = (&'f SegmentFacet<'a>, &'f SegmentField<'a>)> {
    let with_field = segments.iter().filter_map(|facet| Some((facet, facet.field.as_ref()?)));
    with_field.filter(|(_, field)| !field.dictionary.numbers().is_empty())
}
