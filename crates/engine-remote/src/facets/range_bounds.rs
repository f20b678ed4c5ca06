//! The bounds of range aggregations, rounded to values of the field.
//!
//! The lower bound of a range is inclusive, the upper one exclusive, so a bound between two values of the field can be
//! rounded up. Clusters differ in what they do with other bounds: some reject them, some round them.

use cantata_engine::NumberRange;
use cantata_mapping::{FieldKind, HALF_MAX, half_precision_step};
use serde_json::{Map, Value, json};

/// Returns a range with its key; nothing if no value of the field lies in it.
pub(super) fn range(kind: &FieldKind, range: NumberRange, key: usize) -> Option<Value> {
    let (least, greatest) = limits(kind);
    let lies_above = range.from.is_some_and(|from| from > greatest);
    let lies_below = range.to.is_some_and(|to| to <= least);
    let is_empty = range.from.zip(range.to).is_some_and(|(from, to)| from >= to);
    if lies_above || lies_below || is_empty {
        return None;
    }
    let mut ends = Map::from_iter([("key".to_owned(), json!(key.to_string()))]);
    if let Some(from) = range.from.filter(|from| *from > least) {
        ends.insert("from".to_owned(), json!(next(kind, from)));
    }
    if let Some(to) = range.to.filter(|to| *to <= greatest) {
        ends.insert("to".to_owned(), json!(next(kind, to)));
    }
    Some(Value::Object(ends))
}

/// Returns the least and the greatest value of a field.
fn limits(kind: &FieldKind) -> (f64, f64) {
    match kind {
        FieldKind::Byte => (i8::MIN.into(), i8::MAX.into()),
        FieldKind::Short => (i16::MIN.into(), i16::MAX.into()),
        FieldKind::Integer => (i32::MIN.into(), i32::MAX.into()),
        // The greatest integers of 64 bits are no doubles; these are the next lower ones.
        FieldKind::Long => (-9_223_372_036_854_775_808.0, 9_223_372_036_854_774_784.0),
        FieldKind::UnsignedLong => (0.0, 18_446_744_073_709_549_568.0),
        FieldKind::HalfFloat => (-HALF_MAX, HALF_MAX),
        FieldKind::Float => (f32::MIN.into(), f32::MAX.into()),
        _ => (f64::MIN, f64::MAX),
    }
}

/// Returns the least value of a field at or above a bound.
fn next(kind: &FieldKind, end: f64) -> f64 {
    match kind {
        kind if kind.is_integer() => end.ceil(),
        FieldKind::HalfFloat if end != 0.0 => {
            let step = half_precision_step(end);
            (end / step).ceil() * step
        }
        FieldKind::Float => {
            let nearest = end as f32;
            let above = if f64::from(nearest) < end { nearest.next_up() } else { nearest };
            f64::from(above)
        }
        _ => end,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ends(kind: &FieldKind, from: Option<f64>, to: Option<f64>) -> Option<(Option<f64>, Option<f64>)> {
        let range = range(kind, NumberRange { from, to }, 0)?;
        Some((range.get("from").and_then(Value::as_f64), range.get("to").and_then(Value::as_f64)))
    }

    #[test]
    fn an_end_between_two_numbers_becomes_the_greater_one() {
        assert_eq!(ends(&FieldKind::Byte, Some(0.5), Some(2.5)), Some((Some(1.0), Some(3.0))));
        assert_eq!(ends(&FieldKind::Byte, Some(-0.5), Some(2.0)), Some((Some(0.0), Some(2.0))));
        let (above, below) = (f64::from(0.7_f32.next_up()), f64::from(0.7_f32));
        assert!(below < 0.7);
        assert_eq!(ends(&FieldKind::Float, Some(0.7), Some(100.0)), Some((Some(above), Some(100.0))));
        assert_eq!(ends(&FieldKind::Double, Some(0.7), None), Some((Some(0.7), None)));
        assert_eq!(ends(&FieldKind::HalfFloat, Some(0.1), Some(0.5)), Some((Some(0.100_036_621_093_75), Some(0.5))));
    }

    #[test]
    fn an_end_beyond_the_field_is_none() {
        assert_eq!(ends(&FieldKind::Byte, Some(-1e9), Some(1e19)), Some((None, None)));
        assert_eq!(ends(&FieldKind::HalfFloat, Some(0.5), Some(1e19)), Some((Some(0.5), None)));
        assert_eq!(ends(&FieldKind::Long, Some(0.0), Some(1e19)), Some((Some(0.0), None)));
    }

    #[test]
    fn a_range_without_numbers_is_none() {
        assert_eq!(ends(&FieldKind::Byte, Some(128.0), None), None);
        assert_eq!(ends(&FieldKind::Byte, None, Some(-128.0)), None);
        assert_eq!(ends(&FieldKind::UnsignedLong, None, Some(0.0)), None);
        assert_eq!(ends(&FieldKind::Double, Some(2.0), Some(2.0)), None);
    }
}
