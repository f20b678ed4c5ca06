//! Facets: counts and statistics of the values of a field.

use std::collections::{BTreeMap, BTreeSet};

use cantata_mapping::TypedValue;

use super::{Record, Row};
use crate::{Bucket, Document, FacetRequest, FacetResult, FieldStats, NumberRange};

/// A record that passes the filter of a facet, with those of its elements at the level of the field that count.
#[derive(Debug)]
pub struct FacetRecord<'a> {
    /// The id of the record.
    pub id: &'a str,
    /// The record.
    pub record: &'a Record,
    /// The elements.
    pub elements: Vec<&'a Row>,
}

impl FacetRecord<'_> {
    fn values(&self, path: &str) -> Vec<&TypedValue> {
        self.elements.iter().flat_map(|element| element.values(path)).collect()
    }

    fn numbers(&self, path: &str) -> Vec<f64> {
        self.values(path).into_iter().filter_map(TypedValue::as_number).collect()
    }
}

/// Returns the elements at the ends of lineages.
pub(crate) fn last_elements<'r>(lineages: &[Vec<(&str, &'r Row)>]) -> Vec<&'r Row> {
    lineages.iter().filter_map(|lineage| lineage.last()).map(|(_, element)| *element).collect()
}

/// Answers a facet. The records come by id; `passes` returns whether a record passes one of the bucket filters, by its
/// index in the request.
pub(crate) fn evaluate(
    counted: &[FacetRecord<'_>],
    path: &str,
    request: &FacetRequest,
    passes: &dyn Fn(usize, &Record) -> bool,
) -> FacetResult {
    let mut having: BTreeMap<&TypedValue, Vec<&FacetRecord<'_>>> = BTreeMap::new();
    for one in counted {
        for value in BTreeSet::from_iter(one.values(path)) {
            having.entry(value).or_default().push(one);
        }
    }
    let lacking = counted.iter().filter(|one| one.elements.iter().any(|element| element.values(path).is_empty()));
    FacetResult {
        distinct: if request.distinct { having.len() as u64 } else { 0 },
        missing: if request.missing { lacking.count() as u64 } else { 0 },
        stats: request.stats.then(|| stats(counted, path)),
        histograms: request.histograms.iter().map(|&interval| histogram(counted, path, interval)).collect(),
        ranges: request.ranges.iter().map(|ranges| in_ranges(counted, path, ranges)).collect(),
        buckets: buckets(having, request, passes),
    }
}

fn buckets(
    having: BTreeMap<&TypedValue, Vec<&FacetRecord<'_>>>,
    request: &FacetRequest,
    passes: &dyn Fn(usize, &Record) -> bool,
) -> Vec<Bucket> {
    let mut having: Vec<(&TypedValue, Vec<&FacetRecord<'_>>)> = having.into_iter().collect();
    // Values are in order already, and the sort keeps the order of equal counts.
    having.sort_by_key(|(_, records)| std::cmp::Reverse(records.len()));
    having
        .into_iter()
        .take(request.buckets.unwrap_or(0))
        .map(|(value, records)| Bucket {
            value: value.clone(),
            count: records.len() as u64,
            top_hits: records
                .iter()
                .take(request.top_hits.unwrap_or(0))
                .map(|one| Document::from(one.record.source.clone()))
                .collect(),
            filtered: (0..request.bucket_filters.len())
                .map(|index| records.iter().filter(|one| passes(index, one.record)).count() as u64)
                .collect(),
        })
        .collect()
}

fn stats(counted: &[FacetRecord<'_>], path: &str) -> FieldStats {
    let numbers: Vec<f64> = counted.iter().flat_map(|one| one.numbers(path)).collect();
    let least = numbers.iter().copied().reduce(f64::min);
    let greatest = numbers.iter().copied().reduce(f64::max);
    FieldStats {
        count: numbers.len() as u64,
        min: least.unwrap_or(0.0),
        max: greatest.unwrap_or(0.0),
        sum: numbers.iter().sum::<f64>() + 0.0,
    }
}

fn histogram(counted: &[FacetRecord<'_>], path: &str, interval: f64) -> Vec<(f64, u64)> {
    let steps: Vec<BTreeSet<i128>> = counted
        .iter()
        .map(|one| one.numbers(path).into_iter().map(|number| (number / interval).floor() as i128).collect())
        .collect();
    let all: BTreeSet<i128> = steps.iter().flatten().copied().collect();
    let (Some(&first), Some(&last)) = (all.first(), all.last()) else { return Vec::new() };
    (first..=last)
        .map(|step| (step as f64 * interval, steps.iter().filter(|steps| steps.contains(&step)).count() as u64))
        .collect()
}

fn in_ranges(counted: &[FacetRecord<'_>], path: &str, ranges: &[NumberRange]) -> Vec<u64> {
    let lies_in = |number: f64, range: &NumberRange| {
        range.from.is_none_or(|from| number >= from) && range.to.is_none_or(|to| number < to)
    };
    ranges
        .iter()
        .map(|range| {
            let records = counted.iter().filter(|one| one.numbers(path).into_iter().any(|n| lies_in(n, range)));
            records.count() as u64
        })
        .collect()
}
