//! The figures of numeric fields: stats, histograms, ranges.

use serde_json::{Value, json};

use super::{TestIndex, leaf};
use crate::{FieldStats, NumberRange, SearchEngine};

async fn bench(engine: &dyn SearchEngine) -> TestIndex<'_> {
    let fields = json!({"size": {"type": "long"}, "share": {"type": "double"}, "at": {"type": "date"}});
    let mut mapping = json!({"properties": fields});
    mapping["properties"]["parts"] = json!({"type": "nested", "properties": fields});
    let documents = [
        json!({"size": [1, 1, 4], "share": 0.5, "parts": [{"size": 1}, {"size": 9}, {"size": 9}]}),
        json!({"size": -1, "share": [0.25, 2.25], "parts": {"size": [2, 3]}, "at": "1970-01-02"}),
        json!({"size": null, "at": "1970-01-01T12:00:00Z"}),
    ];
    TestIndex::new(engine, mapping, &documents).await
}

/// Every value of every element goes into the figures, equal ones too.
pub async fn stats_count_every_value(engine: &dyn SearchEngine) {
    let bench = bench(engine).await;
    let none = json!(null);
    for (field, filter, expected) in [
        ("size", &none, FieldStats { count: 4, min: -1.0, max: 4.0, sum: 5.0 }),
        ("share", &none, FieldStats { count: 3, min: 0.25, max: 2.25, sum: 3.0 }),
        ("parts.size", &none, FieldStats { count: 5, min: 1.0, max: 9.0, sum: 24.0 }),
        ("parts.size", &leaf("gt", "parts.size", 2), FieldStats { count: 4, min: 2.0, max: 9.0, sum: 23.0 }),
        ("size", &leaf("in", "size", 100), FieldStats { count: 0, min: 0.0, max: 0.0, sum: 0.0 }),
        ("at", &none, FieldStats { count: 2, min: 43_200_000.0, max: 86_400_000.0, sum: 129_600_000.0 }),
    ] {
        let facet = bench.facet(field, filter, |facet| facet.stats = true).await;
        assert_eq!(facet.stats, Some(expected), "{field} {filter}");
    }
}

/// A histogram goes from its first bucket with records to its last, and counts records.
pub async fn histograms_count_records(engine: &dyn SearchEngine) {
    let bench = bench(engine).await;
    let cases = [
        ("size", vec![2.0], vec![vec![(-2.0, 1), (0.0, 1), (2.0, 0), (4.0, 1)]]),
        ("share", vec![0.5, 10.0], vec![vec![(0.0, 1), (0.5, 1), (1.0, 0), (1.5, 0), (2.0, 1)], vec![(0.0, 2)]]),
        ("parts.size", vec![4.0], vec![vec![(0.0, 2), (4.0, 0), (8.0, 1)]]),
        ("at", vec![86_400_000.0], vec![vec![(0.0, 1), (86_400_000.0, 1)]]),
    ];
    for (field, intervals, expected) in cases {
        let facet = bench.facet(field, &json!(null), |facet| facet.histograms = intervals).await;
        assert_eq!(facet.histograms, expected, "{field}");
    }
    let empty = bench.facet("size", &leaf("in", "size", 100), |facet| facet.histograms = vec![1.0]).await;
    assert_eq!(empty.histograms, [vec![]]);
}

/// A range has its lower end and not its upper one; ranges may overlap.
pub async fn ranges_have_their_lower_end(engine: &dyn SearchEngine) {
    let bench = bench(engine).await;
    let range = |from: Value, to: Value| NumberRange { from: from.as_f64(), to: to.as_f64() };
    let ranges = vec![
        range(json!(null), json!(1)),
        range(json!(1), json!(4)),
        range(json!(4), json!(null)),
        range(json!(null), json!(null)),
        range(json!(5), json!(5)),
    ];
    let facet = bench.facet("size", &json!(null), |facet| facet.ranges = vec![ranges, Vec::new()]).await;
    assert_eq!(facet.ranges, [vec![1, 1, 1, 2, 0], vec![]]);
    let ranges = vec![range(json!(1), json!(3)), range(json!(9), json!(10))];
    let facet = bench.facet("parts.size", &json!(null), |facet| facet.ranges = vec![ranges]).await;
    assert_eq!(facet.ranges, [vec![2, 1]]);
}
