//! Numeric aggregations: stats, histograms, ranges.
//!
//! Clusters distinguish negative zero from zero: a record with negative zero in one element, and a number of the bucket
//! that starts at zero in another, counts twice in a histogram.

use cantata_engine::{EngineError, FacetResult, FieldStats, NumberRange};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::field::FacetField;
use super::{malformed, range_bounds};

/// The greatest number of buckets of a histogram.
const MAX_HISTOGRAM_BUCKETS: f64 = 65_536.0;

#[derive(Deserialize)]
struct StatsResponse {
    count: u64,
    min: Value,
    max: Value,
    sum: Value,
}

/// Returns the numeric aggregations of a facet.
pub(super) fn aggregations(facet_field: &FacetField<'_>, index: usize) -> Result<Map<String, Value>, EngineError> {
    let request = facet_field.request;
    let mut all = Map::new();
    if request.stats {
        all.insert(format!("s{index}"), json!({"stats": facet_field.numbers()?}));
    }
    for (number, interval) in request.histograms.iter().enumerate() {
        let mut histogram = facet_field.ordered_numbers()?;
        histogram.insert("interval".to_owned(), json!(interval));
        // Empty buckets in between are added when the response is parsed.
        histogram.insert("min_doc_count".to_owned(), json!(1));
        let aggregation = facet_field.aggregation("histogram", Value::Object(histogram), Map::new());
        all.insert(format!("h{index}.{number}"), aggregation);
    }
    for (number, ranges) in request.ranges.iter().enumerate() {
        let context: Vec<Value> =
            (0..).zip(ranges).filter_map(|(key, range)| bounds_of(facet_field, *range, key)).collect();
        if !context.is_empty() {
            let mut body = facet_field.ordered_numbers()?;
            body.insert("keyed".to_owned(), json!(true));
            body.insert("ranges".to_owned(), json!(context));
            let aggregation = facet_field.aggregation("range", Value::Object(body), Map::new());
            all.insert(format!("r{index}.{number}"), aggregation);
        }
    }
    Ok(all)
}

/// Parses the numeric aggregations of a facet.
pub(super) fn read(facet_field: &FacetField<'_>, index: usize, found: &Value) -> Result<FacetResult, EngineError> {
    let request = facet_field.request;
    let mut result = FacetResult::default();
    if request.stats {
        result.stats = Some(found.get(format!("s{index}")).and_then(stats).ok_or_else(malformed)?);
    }
    for (number, interval) in request.histograms.iter().enumerate() {
        let found = found.get(format!("h{index}.{number}")).ok_or_else(malformed)?;
        result.histograms.push(histogram(facet_field, *interval, found)?);
    }
    for (number, ranges) in request.ranges.iter().enumerate() {
        let found = found.get(format!("r{index}.{number}")).and_then(|found| found.get("buckets"));
        let counts = (0..).zip(ranges).map(|(key, range)| match bounds_of(facet_field, *range, key) {
            Some(_) => facet_field.records(found.and_then(|found| found.get(key.to_string()))),
            None => Ok(0),
        });
        result.ranges.push(counts.collect::<Result<_, _>>()?);
    }
    Ok(result)
}

fn bounds_of(facet_field: &FacetField<'_>, range: NumberRange, key: usize) -> Option<Value> {
    range_bounds::range(&facet_field.field.kind, range, key)
}

fn stats(found: &Value) -> Option<FieldStats> {
    let found = StatsResponse::deserialize(found).ok()?;
    if found.count == 0 {
        return Some(FieldStats { count: 0, min: 0.0, max: 0.0, sum: 0.0 });
    }
    let (min, max, sum) = (number(&found.min)?, number(&found.max)?, number(&found.sum)?);
    Some(FieldStats { count: found.count, min, max, sum })
}

/// Parses a number, which is a string if it is not finite; negative zero becomes zero.
fn number(value: &Value) -> Option<f64> {
    let number = value.as_f64().or_else(|| value.as_str()?.parse().ok())?;
    Some(number + 0.0)
}

fn histogram(facet_field: &FacetField<'_>, interval: f64, found: &Value) -> Result<Vec<(f64, u64)>, EngineError> {
    let mut steps: Vec<(f64, u64)> = Vec::new();
    for bucket in found.get("buckets").and_then(Value::as_array).ok_or_else(malformed)? {
        let key = bucket.get("key").and_then(number).ok_or_else(malformed)?;
        steps.push(((key / interval).round(), facet_field.records(Some(bucket))?));
    }
    let (Some((first, _)), Some((last, _))) = (steps.first().copied(), steps.last().copied()) else {
        return Ok(Vec::new());
    };
    let length = last - first + 1.0;
    if length.is_nan() || length > MAX_HISTOGRAM_BUCKETS {
        return Err(EngineError::Rejected(format!(
            "`{}`: a histogram with the interval {interval} would have {length} buckets; at most \
             {MAX_HISTOGRAM_BUCKETS} are possible: choose a greater interval or a narrower filter",
            facet_field.request.field
        )));
    }
    let mut buckets: Vec<(f64, u64)> =
        (0..length as usize).map(|index| ((first + index as f64) * interval, 0)).collect();
    for (step, count) in steps {
        let bucket = buckets.get_mut((step - first) as usize).ok_or_else(malformed)?;
        bucket.1 = count;
    }
    Ok(buckets)
}
