//! Comparing the values of a dictionary with what is sought, one after the other.
//!
//! This is what is left where neither the order of the dictionary nor its trigrams say which values match.
//!
//! * If every value that matches contains a literal, it is sought in the folded forms of many values at once, and only the
//!   values that have it are compared; or not even these, where having it is enough.
//! * Many values are shared over all processors.
//! * A scan ends soon after its search was cancelled; what it found is incomplete then.

use std::ops::Range;

use cantata_engine::matching::{Matcher, fold_into, text_matches};
use memchr::memmem::Finder;

use super::thread_pool::map_parallel;
use crate::cancellation::CancellationToken;
use crate::segment::SegmentField;

/// So many values at most are looked at before it is checked whether the search was cancelled.
const BATCH_VALUES: u32 = 256;

/// A batch has no more values once they have this many bytes.
const BATCH_BYTES: usize = 64 << 10;

/// Fewer values are compared on the calling thread, before another one could wake up.
const MIN_PARALLEL_VALUES: usize = 16_384;

/// Longer ranges are divided, so that a scan has enough tasks for all processors.
const MAX_RANGE_VALUES: u32 = 4_096;

/// The tasks of a scan at most.
const MAX_TASKS: usize = 64;

/// A scan of the values of a string field.
pub(super) struct DictionaryScan<'a, M> {
    field: &'a SegmentField<'a>,
    matcher: &'a M,
    /// Finds what the folded form of every value that matches contains.
    literal: Option<Finder<'a>>,
    /// Whether every value in ASCII matches whose folded form contains the literal.
    is_literal_enough: bool,
    /// Whether values are cut into words, one of which may match instead of all of it.
    cuts_words: bool,
    cancellation: &'a CancellationToken,
}

/// The folded forms of neighbouring values.
#[derive(Default)]
struct Batch {
    folded: Vec<u8>,
    /// Where each of them ends.
    ends: Vec<usize>,
}

impl<'a, M: Matcher + Sync> DictionaryScan<'a, M> {
    pub(super) fn new(
        field: &'a SegmentField<'a>,
        matcher: &'a M,
        cuts_words: bool,
        cancellation: &'a CancellationToken,
    ) -> Self {
        Self { field, matcher, literal: None, is_literal_enough: false, cuts_words, cancellation }
    }

    /// Says that the folded form of every value that matches contains a literal, and whether that is enough for a value in
    /// ASCII.
    pub(super) fn with_literal(self, literal: &'a [u8], is_enough: bool) -> Self {
        let literal = (!literal.is_empty()).then(|| Finder::new(literal));
        Self { literal, is_literal_enough: is_enough, ..self }
    }

    /// Returns the ordinals that match, in the order of the ranges that are looked at.
    pub(super) fn run(&self, ranges: &[Range<u32>]) -> Vec<u32> {
        if ranges.iter().map(|range| range.len()).sum::<usize>() < MIN_PARALLEL_VALUES {
            return self.scan(ranges);
        }
        let divided = ranges.iter().flat_map(|range| {
            let end = range.end;
            let starts = range.clone().step_by(MAX_RANGE_VALUES as usize);
            starts.map(move |start| start..start.saturating_add(MAX_RANGE_VALUES).min(end))
        });
        let divided: Vec<Range<u32>> = divided.collect();
        let tasks: Vec<&[Range<u32>]> = divided.chunks(divided.len().div_ceil(MAX_TASKS)).collect();
        map_parallel(tasks.len(), |task| self.scan(tasks[task])).concat()
    }

    fn scan(&self, ranges: &[Range<u32>]) -> Vec<u32> {
        let (mut found, mut batch) = (Vec::new(), Batch::default());
        for range in ranges {
            let mut next = range.start;
            while next < range.end {
                if self.cancellation.is_cancelled() {
                    return found;
                }
                let values = next..next.saturating_add(BATCH_VALUES).min(range.end);
                next = match &self.literal {
                    Some(literal) => self.scan_batch(literal, values, &mut batch, &mut found),
                    None => {
                        found.extend(values.clone().filter(|&ordinal| self.matches(ordinal)));
                        values.end
                    }
                };
            }
        }
        found
    }

    /// Compares the first of the values that contain the literal, and returns the first value that was not looked at.
    fn scan_batch(&self, literal: &Finder<'_>, values: Range<u32>, batch: &mut Batch, found: &mut Vec<u32>) -> u32 {
        let Batch { folded, ends } = batch;
        folded.clear();
        ends.clear();
        for ordinal in values.clone() {
            fold_into(self.field.dictionary.text(ordinal), folded);
            ends.push(folded.len());
            if folded.len() >= BATCH_BYTES {
                break;
            }
        }
        let (mut value, mut from) = (0, 0);
        while let Some(position) = literal.find(&folded[from..]) {
            let position = from + position;
            value += ends[value..].partition_point(|&end| end <= position);
            // What lies across the end of a value is no part of it, and nothing after it in the value can be.
            from = ends[value];
            let ordinal = values.start + value as u32;
            if position + literal.needle().len() <= from && (self.is_certain(ordinal) || self.matches(ordinal)) {
                found.push(ordinal);
            }
        }
        values.start + ends.len() as u32
    }

    /// Returns whether a value that contains the literal matches for that reason.
    fn is_certain(&self, ordinal: u32) -> bool {
        self.is_literal_enough && self.field.dictionary.bytes(ordinal).is_ascii()
    }

    fn matches(&self, ordinal: u32) -> bool {
        let value = self.field.dictionary.text(ordinal);
        if self.cuts_words { text_matches(value, self.matcher) } else { self.matcher.matches(value) }
    }
}
