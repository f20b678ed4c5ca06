//! The figures of numeric fields: stats, histograms, ranges.
//!
//! A negative zero is a number of its own for clusters: a record that has it in one element, and a number of the bucket
//! from zero on in another, counts twice in a histogram.

use cantata_engine::{EngineError, FacetAnswer, NumberRange, Stats};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::counted::Counted;
use super::{ends, malformed};

/// More buckets than this a histogram may not have.
const MOST_HISTOGRAM_BUCKETS: f64 = 65_536.0;

#[derive(Deserialize)]
struct FoundStats {
    count: u64,
    min: Value,
    max: Value,
    sum: Value,
}

#[derive(Deserialize)]
struct FoundHistogram {
    buckets: Vec<Value>,
}

/// Returns the aggregations of the figures of a facet.
pub(super) fn aggregations(counted: &Counted<'_>, place: usize) -> Result<Map<String, Value>, EngineError> {
    let request = counted.request;
    let mut all = Map::new();
    if request.stats {
        all.insert(format!("s{place}"), json!({"stats": counted.numbers()?}));
    }
    for (number, interval) in request.histograms.iter().enumerate() {
        let mut histogram = counted.ordered_numbers()?;
        histogram.insert("interval".to_owned(), json!(interval));
        // What lies between two buckets is filled in when they are read: clusters are spared empty ones.
        histogram.insert("min_doc_count".to_owned(), json!(1));
        let aggregation = counted.aggregation("histogram", Value::Object(histogram), Map::new());
        all.insert(format!("h{place}.{number}"), aggregation);
    }
    for (number, ranges) in request.ranges.iter().enumerate() {
        let asked: Vec<Value> = (0..).zip(ranges).filter_map(|(key, range)| ends_of(counted, *range, key)).collect();
        if !asked.is_empty() {
            let mut body = counted.ordered_numbers()?;
            body.insert("keyed".to_owned(), json!(true));
            body.insert("ranges".to_owned(), json!(asked));
            let aggregation = counted.aggregation("range", Value::Object(body), Map::new());
            all.insert(format!("r{place}.{number}"), aggregation);
        }
    }
    Ok(all)
}

/// Reads the figures of a facet.
pub(super) fn read(counted: &Counted<'_>, place: usize, found: &Value) -> Result<FacetAnswer, EngineError> {
    let request = counted.request;
    let mut answer = FacetAnswer::default();
    if request.stats {
        answer.stats = Some(found.get(format!("s{place}")).and_then(stats).ok_or_else(malformed)?);
    }
    for (number, interval) in request.histograms.iter().enumerate() {
        let found = found.get(format!("h{place}.{number}")).ok_or_else(malformed)?;
        answer.histograms.push(histogram(counted, *interval, found)?);
    }
    for (number, ranges) in request.ranges.iter().enumerate() {
        let found = found.get(format!("r{place}.{number}")).and_then(|found| found.get("buckets"));
        let counts = (0..).zip(ranges).map(|(key, range)| match ends_of(counted, *range, key) {
            Some(_) => counted.records(found.and_then(|found| found.get(key.to_string()))),
            None => Ok(0),
        });
        answer.ranges.push(counts.collect::<Result<_, _>>()?);
    }
    Ok(answer)
}

fn ends_of(counted: &Counted<'_>, range: NumberRange, key: usize) -> Option<Value> {
    ends::range(&counted.field.kind, range, key)
}

fn stats(found: &Value) -> Option<Stats> {
    let found = FoundStats::deserialize(found).ok()?;
    if found.count == 0 {
        return Some(Stats { count: 0, min: 0.0, max: 0.0, sum: 0.0 });
    }
    let (min, max, sum) = (number(&found.min)?, number(&found.max)?, number(&found.sum)?);
    Some(Stats { count: found.count, min, max, sum })
}

/// Reads a number, which is a text if it is not finite; a negative zero becomes zero.
fn number(value: &Value) -> Option<f64> {
    let number = value.as_f64().or_else(|| value.as_str()?.parse().ok())?;
    Some(number + 0.0)
}

fn histogram(counted: &Counted<'_>, interval: f64, found: &Value) -> Result<Vec<(f64, u64)>, EngineError> {
    let found = FoundHistogram::deserialize(found).map_err(|_| malformed())?;
    let mut steps: Vec<(f64, u64)> = Vec::with_capacity(found.buckets.len());
    for bucket in &found.buckets {
        let key = bucket.get("key").and_then(number).ok_or_else(malformed)?;
        steps.push(((key / interval).round(), counted.records(Some(bucket))?));
    }
    let (Some((first, _)), Some((last, _))) = (steps.first().copied(), steps.last().copied()) else {
        return Ok(Vec::new());
    };
    let length = last - first + 1.0;
    if length.is_nan() || length > MOST_HISTOGRAM_BUCKETS {
        return Err(EngineError::Refused(format!(
            "`{}`: a histogram with the interval {interval} would have {length} buckets; at most \
             {MOST_HISTOGRAM_BUCKETS} are possible: choose a greater interval or a narrower filter",
            counted.request.field
        )));
    }
    let mut buckets: Vec<(f64, u64)> =
        (0..length as usize).map(|place| ((first + place as f64) * interval, 0)).collect();
    for (step, count) in steps {
        let bucket = buckets.get_mut((step - first) as usize).ok_or_else(malformed)?;
        bucket.1 = count;
    }
    Ok(buckets)
}
