//! Ranges of numbers and dates: how many documents have a value in each.
//!
//! The bars of a histogram in a portal are a list of ranges that do not overlap. Such ranges are counted in one pass over
//! the rows. The dictionary is sorted, so a range is an interval of ordinals, which two bisections find. Ranges that
//! overlap are counted in several passes: a document with several values counts once for each range.

use cantata_engine::NumberRange;

use super::facet::SegmentFacet;
use super::facet_counts::NO_GROUP;
use crate::segment::SegmentField;

/// Counts the documents that have a value in each range.
pub(super) fn count(segments: &[SegmentFacet<'_>], ranges: &[NumberRange]) -> Vec<u64> {
    let mut counts = vec![0; ranges.len()];
    for pass in without_overlap(ranges) {
        let groups = |field: &SegmentField<'_>| {
            let mut groups = vec![NO_GROUP; field.dictionary.len() + 1];
            for (&index, group) in pass.iter().zip(0..) {
                let interval = ordinals(field, ranges[index]);
                groups.get_mut(interval).unwrap_or_default().fill(group);
            }
            groups
        };
        for segment in segments {
            let of_segment = segment.count_by_group(groups, pass.len());
            pass.iter().zip(of_segment).for_each(|(&index, count)| counts[index] += u64::from(count));
        }
    }
    counts
}

/// Returns the ordinals of the values in a range.
fn ordinals(field: &SegmentField<'_>, NumberRange { from, to }: NumberRange) -> std::ops::Range<usize> {
    let numbers = field.dictionary.numbers();
    let first_from = |bound: f64| numbers.partition_point(|&number| field.class.as_f64(number) < bound);
    from.map_or(0, first_from)..to.map_or(numbers.len(), first_from)
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
