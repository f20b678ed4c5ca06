//! Ranges of numbers and dates: how many documents have a value in each.
//!
//! The bars of a histogram in a portal are a list of ranges that do not overlap, the same for every filter: their documents
//! are cached ([`super::cached_postings`]). Until then, such ranges are counted in one pass over the rows. The dictionary is
//! sorted, so a range is an interval of ordinals, which two bisections find. A pass looks up the range of an ordinal in an
//! array of bytes, because bisecting the ranges for each row takes several times as long as reading the row. Ranges that
//! overlap, and those past what a byte can number, are counted in several passes: a document with several values counts once
//! for each range.

use std::ops::Range;

use cantata_engine::NumberRange;

use super::facet::SegmentFacet;
use crate::segment::SegmentField;

/// What stands in the place of a range for ordinals that are in none.
const NO_RANGE: u8 = u8::MAX;

/// How many ranges are counted in a pass.
const MAX_PASS_RANGES: usize = NO_RANGE as usize;

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
            let range_of = ranges_by_ordinal(field, pass.iter().map(|&index| intervals[index].clone()));
            let group_of = |ordinal: u32| range_of.get(ordinal as usize).map_or(NO_RANGE.into(), |&range| range.into());
            let of_segment = segment.count_by_group(field, group_of, pass.len());
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

/// Returns for each ordinal which of some intervals has it, given those of a pass.
fn ranges_by_ordinal(field: &SegmentField<'_>, intervals: impl Iterator<Item = Range<u32>>) -> Vec<u8> {
    let mut range_of = vec![NO_RANGE; field.dictionary.len()];
    for (range, interval) in (0..NO_RANGE).zip(intervals) {
        if let Some(ordinals) = range_of.get_mut(interval.start as usize..interval.end as usize) {
            ordinals.fill(range);
        }
    }
    range_of
}

/// Returns the positions of the ranges of each pass, which do not overlap.
fn without_overlap(ranges: &[NumberRange]) -> Vec<Vec<usize>> {
    let start = |index: &usize| ranges[*index].from.unwrap_or(f64::NEG_INFINITY);
    let mut sorted: Vec<usize> = (0..ranges.len()).collect();
    sorted.sort_by(|one, other| start(one).total_cmp(&start(other)));
    // Each with the end of its last range.
    let mut passes: Vec<(f64, Vec<usize>)> = Vec::new();
    for index in sorted {
        let from = start(&index);
        let end = ranges[index].to.unwrap_or(f64::INFINITY).max(from);
        match passes.iter_mut().find(|(last, pass)| *last <= from && pass.len() < MAX_PASS_RANGES) {
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

    #[test]
    fn a_pass_has_no_more_ranges_than_a_byte_can_number() {
        let bars: Vec<NumberRange> =
            (0..600).map(|bar| range(Some(f64::from(bar)), Some(f64::from(bar + 1)))).collect();
        assert_eq!(without_overlap(&bars).iter().map(Vec::len).collect::<Vec<_>>(), [255, 255, 90]);
    }
}
