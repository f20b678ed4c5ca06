//! Answering one facet over all segments of a snapshot.

use std::sync::Arc;

use cantata_engine::{Bucket, EngineError, FacetAnswer, FacetRequest, Filter, NumberRange, Stats};

use super::buckets::{BucketRecords, most_frequent};
use super::counting::{self, NO_GROUP};
use super::found::Found;
use super::{GlobalDictionary, Matches, rowwise};
use crate::bitset::Bitset;
use crate::segment::SegmentField;
use crate::snapshot::View;

/// More buckets than this a histogram may not have.
const MOST_HISTOGRAM_BUCKETS: f64 = 65_536.0;

/// A facet on one segment.
pub(super) struct Part<'a> {
    pub(super) view: &'a View,
    /// The field, if any document of the segment has it.
    pub(super) field: Option<SegmentField<'a>>,
    level: Option<usize>,
    pub(super) matches: &'a Matches,
    /// The elements of these documents that are counted; nothing: all of them.
    pub(super) elements: Option<Arc<Bitset>>,
}

/// Answers a facet.
///
/// # Errors
///
/// If a histogram would have too many buckets, or documents cannot be read.
pub(super) fn answer<'a>(found: &Found<'a>, request: &'a FacetRequest) -> Result<FacetAnswer, EngineError> {
    let snapshot = found.snapshot;
    let parts = parts(found, request);
    let mut answer = FacetAnswer::default();
    if request.buckets.is_some() || request.distinct || request.missing {
        let dictionary = snapshot.dictionary(&request.field);
        let of_parts: Vec<Vec<u32>> =
            parts.iter().map(|part| part.by_code(part.matches, part.elements.as_deref())).collect();
        // The last count of a segment is of what is missing.
        answer.missing = of_parts.iter().map(|counts| u64::from(counts.last().copied().unwrap_or_default())).sum();
        answer.missing += parts.iter().map(Part::without_field).sum::<u64>();
        let counts = added_up(&of_parts, &dictionary);
        answer.distinct = counts.iter().filter(|&&count| count > 0).count() as u64;
        if let Some(most) = request.buckets {
            let filtered: Vec<Vec<u64>> = request
                .bucket_filters
                .iter()
                .map(|&filter| filtered_counts(&parts, &dictionary, found.by(filter)))
                .collect();
            let records = BucketRecords { snapshot, parts: &parts, dictionary: &dictionary };
            for number in most_frequent(&counts, most) {
                let Some(value) = dictionary.value(&snapshot.views, &request.field, number) else { continue };
                let top_hits = match request.top_hits {
                    Some(top) => records.first(number, top.size)?,
                    None => Vec::new(),
                };
                let filtered = filtered.iter().map(|counts| counts[number]).collect();
                answer.buckets.push(Bucket { value, count: counts[number], top_hits, filtered });
            }
        }
    }
    answer.stats = request.stats.then(|| stats(&parts));
    let histograms = request.histograms.iter().map(|&interval| histogram(&parts, &request.field, interval));
    answer.histograms = histograms.collect::<Result<_, _>>()?;
    let counted = |list: &Vec<NumberRange>| list.iter().map(|range| in_range(&parts, *range)).collect();
    answer.ranges = request.ranges.iter().map(counted).collect();
    Ok(answer)
}

fn parts<'f, 'a>(found: &'f Found<'a>, request: &'a FacetRequest) -> Vec<Part<'f>> {
    let snapshot = found.snapshot;
    let mapping = &snapshot.mapping;
    let mapped =
        mapping.field(&request.field).or_else(|| mapping.flattened_key(&request.field).map(|(field, _)| field));
    let path = mapped.map(cantata_mapping::Field::row_path).unwrap_or_default();
    let parts = snapshot.views.iter().zip(found.by(request.filter)).enumerate().map(|(segment, (view, matches))| {
        let field = view.segment.field(&request.field);
        let level = field.as_ref().map(|field| field.level).or_else(|| view.segment.level_of(path));
        let elements = (request.elements != Filter::All)
            .then(|| level.map(|level| found.elements(segment, level, &request.elements, request.filter)))
            .flatten();
        Part { view, field, level, matches, elements }
    });
    parts.collect()
}

impl Part<'_> {
    fn by_code(&self, matches: &Matches, elements: Option<&Bitset>) -> Vec<u32> {
        match &self.field {
            Some(field) => counting::by_code(&self.view.segment, field, matches, elements),
            None => Vec::new(),
        }
    }

    /// Counts the documents that have a row, but no field to have a value in.
    fn without_field(&self) -> u64 {
        let (None, Some(level)) = (&self.field, self.level) else { return 0 };
        counting::with_rows(&self.view.segment, level, &self.matches.documents, self.elements.as_deref())
    }

    /// Counts the documents that have a value in each group of codes.
    fn by_group(&self, group_of: impl Fn(f64) -> u32, group_count: usize) -> Vec<u32> {
        let Some(field) = &self.field else { return vec![0; group_count] };
        let figures = field.dictionary.numbers().iter().map(|&number| field.class.figure(number));
        let groups: Vec<u32> = figures.map(group_of).chain([NO_GROUP]).collect();
        let (segment, documents) = (&self.view.segment, &self.matches.documents);
        counting::count(segment, field, documents, self.elements.as_deref(), Some(&groups), group_count)
    }

    /// Returns the figures that occur, in order, and how often.
    fn occurrences(&self) -> impl Iterator<Item = (f64, u64)> + '_ {
        self.field.iter().flat_map(|field| {
            let (segment, documents) = (&self.view.segment, &self.matches.documents);
            let counts = counting::occurrences(segment, field, documents, self.elements.as_deref());
            let figures = field.dictionary.numbers().iter().map(|&number| field.class.figure(number));
            figures.zip(counts).filter(|(_, count)| *count > 0)
        })
    }
}

/// Adds up the counts of all segments by the common numbering, leaving out what is missing.
fn added_up(of_parts: &[Vec<u32>], dictionary: &GlobalDictionary) -> Vec<u64> {
    let mut sums = vec![0_u64; dictionary.len];
    for (segment, counts) in of_parts.iter().enumerate() {
        let values = counts.len().saturating_sub(1);
        for (code, &count) in counts[..values].iter().enumerate().filter(|(_, count)| **count > 0) {
            sums[dictionary.number(segment, code)] += u64::from(count);
        }
    }
    sums
}

/// Counts the documents of each bucket that pass another filter too.
fn filtered_counts(parts: &[Part<'_>], dictionary: &GlobalDictionary, filter: &[Matches]) -> Vec<u64> {
    let of_parts = parts.iter().zip(filter).map(|(part, filter)| {
        let mut documents = part.matches.documents.clone();
        documents.intersect(&filter.documents);
        let elements = part.level.zip(part.elements.as_deref()).map(|(level, elements)| {
            let mut of_documents = rowwise::rows_of(&part.view.segment, level, &documents);
            of_documents.intersect(elements);
            of_documents
        });
        part.by_code(&Matches { count: documents.count(), documents }, elements.as_ref())
    });
    added_up(&of_parts.collect::<Vec<_>>(), dictionary)
}

fn stats(parts: &[Part<'_>]) -> Stats {
    let mut stats = Stats { count: 0, min: 0.0, max: 0.0, sum: 0.0 };
    for (figure, count) in parts.iter().flat_map(Part::occurrences) {
        let is_first = stats.count == 0;
        stats.min = if is_first { figure } else { stats.min.min(figure) };
        stats.max = if is_first { figure } else { stats.max.max(figure) };
        stats.sum += figure * count as f64;
        stats.count += count;
    }
    stats
}

fn histogram(parts: &[Part<'_>], field: &str, interval: f64) -> Result<Vec<(f64, u64)>, EngineError> {
    let figures = stats(parts);
    if figures.count == 0 {
        return Ok(Vec::new());
    }
    let step = |figure: f64| (figure / interval).floor();
    let first = step(figures.min);
    let steps = step(figures.max) - first + 1.0;
    if steps.is_nan() || steps > MOST_HISTOGRAM_BUCKETS {
        return Err(EngineError::Refused(format!(
            "`{field}`: a histogram with the interval {interval} would have {steps} buckets; at most {MOST_HISTOGRAM_BUCKETS} \
             are possible: choose a greater interval or a narrower filter"
        )));
    }
    let mut counts = vec![0_u64; steps as usize];
    for part in parts {
        let of_part = part.by_group(
            |figure| {
                let step = step(figure) - first;
                if (0.0..steps).contains(&step) { step as u32 } else { NO_GROUP }
            },
            counts.len(),
        );
        counts.iter_mut().zip(of_part).for_each(|(count, other)| *count += u64::from(other));
    }
    Ok(counts.into_iter().enumerate().map(|(place, count)| ((first + place as f64) * interval, count)).collect())
}

fn in_range(parts: &[Part<'_>], range: NumberRange) -> u64 {
    let is_in = |figure: f64| range.from.is_none_or(|from| figure >= from) && range.to.is_none_or(|to| figure < to);
    let counts = parts.iter().map(|part| part.by_group(|figure| if is_in(figure) { 0 } else { NO_GROUP }, 1));
    counts.map(|counts| u64::from(counts[0])).sum()
}
