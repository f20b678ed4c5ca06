//! Ranges of numbers and dates: how many documents have a value in each.
//!
//! The bars of a histogram in a portal are a list of ranges that do not overlap, the same for every filter: their documents
//! are cached ([`super::cached_postings`]). Until then, such ranges are counted in one pass over the rows. The dictionary is
//! sorted, so a range is an interval of ordinals, which two bisections find. Ranges that overlap are counted in several
//! passes: a document with several values counts once for each range.

use std::ops::Range;

use cantata_engine::NumberRange;

use super::facet::SegmentFacet;
use super::facet_counts::NO_GROUP;
use crate::segment::SegmentField;

/// Counts the documents that have a value in each range of a list, which is the one at a position in the request.
pub(super) fn count(segments: &[SegmentFacet<'_>], list: usize, ranges: &[NumberRange]) -> Vec<u64> {
    let mut counts = vec![0; ranges.len()];
    let passes = without_overlap(ranges);
    for segment in segments {
        let Some(field) = &segment.field else { continue };
        if let Some(known) = segment.range_counts.get(list).and_then(Option::as_ref) {
            counts.iter_mut().zip(known).for_each(|(count, &other)| *count += u64::from(other));
            continue;
        }
        let intervals = intervals(field, ranges);
        for pass in &passes {
            let groups = IntervalGroups::new(pass.iter().map(|&index| intervals[index].clone()));
            let of_segment = segment.count_by_group(field, |ordinal| groups.group_of(ordinal), pass.len());
            pass.iter().zip(of_segment).for_each(|(&index, count)| counts[index] += u64::from(count));
        }
    }
    counts
}

/// Returns the ordinals of the values in each range.
pub(super) fn intervals(field: &SegmentField<'_>, ranges: &[NumberRange]) -> Vec<Range<u32>> {
    let numbers = field.dictionary.numbers();
    let first_from = |bound: f64| numbers.partition_point(|&number| field.class.as_f64(number) < bound) as u32;
    let interval = |range: &NumberRange| {
        let start = range.from.map_or(0, first_from);
        start..range.to.map_or(numbers.len() as u32, first_from).max(start)
    };
    ranges.iter().map(interval).collect()
}

/// Groups of ordinals that are intervals, found by bisection.
struct IntervalGroups {
    /// The intervals that are not empty, in order, each with its group.
    intervals: Vec<(Range<u32>, u32)>,
}

impl IntervalGroups {
    /// Makes a group of each of some intervals that do not overlap, in order.
    fn new(intervals: impl Iterator<Item = Range<u32>>) -> Self {
        Self { intervals: intervals.zip(0..).filter(|(interval, _)| !interval.is_empty()).collect() }
    }

    #[inline]
    fn group_of(&self, ordinal: u32) -> u32 {
        let after = self.intervals.partition_point(|(interval, _)| interval.start <= ordinal);
        let last = after.checked_sub(1).and_then(|index| self.intervals.get(index));
        last.filter(|(interval, _)| ordinal < interval.end).map_or(NO_GROUP, |(_, group)| *group)
    }
}

/// Returns the positions of ranges in groups of such that do not overlap.
fn without_overlap(ranges: &[NumberRange]) -> Vec<Vec<usize>> {
    let start = |index: &usize| ranges[*index].from.unwrap_or(f64::NEG_INFINITY);
    let mut sorted: Vec<usize> = (0..ranges.len()).collect();
    sorted.sort_by(|one, other| start(one).total_cmp(&start(other)));
    // Each with the end of its last range.
    let mut passes: Vec<(f64, Vec<usize>)> = Vec::new();
    for index in sorted {
        let from = start(&index);
        let end = ranges[index].to.unwrap_or(f64::INFINITY).max(from);
        match passes.iter_mut().find(|(last, _)| *last <= from) {
            Some((last, pass)) => {
                *last = end;
                pass.push(index);
            }
            None => passes.push((end, vec![index])),
        }
    }
    passes.into_iter().map(|(_, pass)| pass).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(from: Option<f64>, to: Option<f64>) -> NumberRange {
        NumberRange { from, to }
    }

    #[test]
    fn ranges_that_follow_each_other_are_one_pass() {
        let bars: Vec<NumberRange> = (0..20).map(|bar| range(Some(f64::from(bar)), Some(f64::from(bar + 1)))).collect();
        assert_eq!(without_overlap(&bars), [(0..20).collect::<Vec<usize>>()]);
        let open = [range(Some(5.0), None), range(None, Some(5.0))];
        assert_eq!(without_overlap(&open), [vec![1, 0]]);
    }

    #[test]
    fn ranges_that_overlap_are_in_different_passes() {
        let ranges = [
            range(None, None),
            range(Some(1.0), Some(3.0)),
            range(Some(2.0), Some(4.0)),
            range(Some(3.0), Some(2.0)),
            range(Some(4.0), None),
        ];
        assert_eq!(without_overlap(&ranges), [vec![0], vec![1, 3, 4], vec![2]]);
        assert_eq!(without_overlap(&[]), Vec::<Vec<usize>>::new());
    }
}
