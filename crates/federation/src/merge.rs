//! Adds up the answers of nodes.
//!
//! Nodes are added in the order of the configuration, and buckets are sorted by count and key, so the result does not
//! depend on which node was faster. Below a suppression threshold each count of each node is rounded down to a multiple
//! of it first: sums and differences of what is shown are multiples too, whichever nodes are left out.

use std::collections::{BTreeMap, HashMap};

use cantata_catalogue::AggregationKind;
use cantata_graphql::{NetworkFacet, histogram_member, range_member};
use cantata_sqon::MISSING_VALUE;
use serde_json::{Map, Value, json};

use crate::node_answer::{Buckets, FacetAnswer, NodeAnswer, NodeStats};
use crate::node_query::number_json;

/// The key of the bucket with the records of nodes that lack a field.
const NOT_AVAILABLE: &str = "___aggregation_not_available___";

/// How many empty buckets of a histogram are written between those that nodes gave.
const MAX_HISTOGRAM_BUCKETS: i64 = 300_000;

/// Rounds what a node answered, and removes what is no count of values.
pub(crate) fn suppress(answer: &mut NodeAnswer, threshold: u64) {
    let round = |count: u64| count - count % threshold.max(1);
    answer.hits = round(answer.hits);
    for facet in answer.facets.iter_mut().flatten() {
        let mut buckets = facet.buckets.take();
        if let Some(buckets) = &mut buckets {
            buckets.iter_mut().for_each(|(_, count)| *count = round(*count));
            buckets.retain(|(_, count)| *count > 0);
        }
        let key_texts = std::mem::take(&mut facet.key_texts);
        *facet = FacetAnswer { buckets, key_texts, ..FacetAnswer::default() };
    }
}

/// Returns the merged answer to one facet of the question; the position is that of the facet. Where only counts of
/// values are shown, the rest is missing rather than zero.
pub(crate) fn merge_facet(
    position: usize,
    facet: &NetworkFacet,
    kind: AggregationKind,
    answers: &[&NodeAnswer],
    counts_only: bool,
) -> Value {
    let parts: Vec<&FacetAnswer> =
        answers.iter().filter_map(|answer| answer.facets.get(position).and_then(Option::as_ref)).collect();
    let is_lacking = |answer: &&&NodeAnswer| {
        let part = answer.facets.get(position).and_then(Option::as_ref);
        part.is_none_or(|part| part.buckets.is_none())
    };
    let lacking = answers.iter().filter(is_lacking);
    let lacking = lacking.fold(0_u64, |sum, answer| sum.saturating_add(answer.hits));
    let mut merged = Map::new();
    if facet.buckets {
        let buckets = merge_values(parts.iter().filter_map(|part| part.buckets.as_ref()), kind, lacking);
        let values = buckets.iter().filter(|(key, _)| key != NOT_AVAILABLE && key != MISSING_VALUE).count();
        merged.insert("cardinality".to_owned(), values.into());
        let shown = facet.max_buckets.and_then(|max| buckets.get(..max)).unwrap_or(&buckets);
        let mut members = buckets_json(shown);
        members.insert("bucket_count".to_owned(), buckets.len().into());
        if facet.key_texts
            && let Some(Value::Array(list)) = members.get_mut("buckets")
        {
            let texts = agreed_texts(&parts, kind);
            for (bucket, (key, _)) in list.iter_mut().zip(shown) {
                bucket["key_as_string"] = texts.get(canonical(key, kind)).copied().flatten().into();
            }
        }
        merged.extend(members);
    }
    if counts_only {
        return Value::Object(merged);
    }
    if facet.stats {
        merged.insert("stats".to_owned(), merge_stats(parts.iter().filter_map(|part| part.stats)));
    }
    for (index, interval) in facet.histograms.iter().enumerate() {
        let lists = parts.iter().filter_map(|part| part.histograms.get(index));
        let buckets = merge_histogram(lists, *interval);
        merged.insert(histogram_member(index), Value::Object(buckets_json(&buckets)));
    }
    for (index, ranges) in facet.ranges.iter().enumerate() {
        let lists: Vec<&Buckets> = parts.iter().filter_map(|part| part.ranges.get(index)).collect();
        let sum = |key: &str| {
            let counts = lists.iter().copied().flatten().filter(|(found, _)| found == key);
            counts.fold(0_u64, |sum, (_, count)| sum.saturating_add(*count))
        };
        let buckets: Buckets = ranges.iter().map(|range| (range.key.clone(), sum(&range.key))).collect();
        merged.insert(range_member(index), Value::Object(buckets_json(&buckets)));
    }
    Value::Object(merged)
}

fn buckets_json(buckets: &[(String, u64)]) -> Map<String, Value> {
    let bucket = |(key, count): &(String, u64)| json!({ "key": key, "doc_count": count });
    let list: Vec<Value> = buckets.iter().map(bucket).collect();
    let mut members = Map::new();
    members.insert("bucket_count".to_owned(), list.len().into());
    members.insert("buckets".to_owned(), Value::Array(list));
    members
}

/// Adds up the buckets of values: the most frequent first, then by key; missing values and records of nodes without the
/// field come last.
fn merge_values<'a>(lists: impl Iterator<Item = &'a Buckets>, kind: AggregationKind, lacking: u64) -> Buckets {
    let mut merged: HashMap<&str, (&str, u64)> = HashMap::new();
    for (key, count) in lists.flatten() {
        let key = key.as_str();
        let (text, sum) = merged.entry(canonical(key, kind)).or_insert((key, 0));
        *text = (*text).max(key);
        *sum = sum.saturating_add(*count);
    }
    if lacking > 0 {
        let (_, sum) = merged.entry(NOT_AVAILABLE).or_insert((NOT_AVAILABLE, 0));
        *sum = sum.saturating_add(lacking);
    }
    let mut buckets: Buckets = merged.into_values().map(|(key, count)| (key.to_owned(), count)).collect();
    let rank = |key: &str| match key {
        NOT_AVAILABLE => 2,
        MISSING_VALUE => 1,
        _ => 0,
    };
    buckets.sort_by(|(one, one_count), (other, other_count)| {
        rank(one).cmp(&rank(other)).then(other_count.cmp(one_count)).then_with(|| one.cmp(other))
    });
    buckets
}

/// Returns the form of a key that all nodes share: the same number may have a point at one and none at another.
fn canonical(key: &str, kind: AggregationKind) -> &str {
    match kind {
        AggregationKind::Numeric => key.strip_suffix(".0").unwrap_or(key),
        AggregationKind::Plain => key,
    }
}

/// Returns the texts of keys, by the form that nodes share; `None` where nodes that have the key do not agree.
fn agreed_texts<'a>(parts: &[&'a FacetAnswer], kind: AggregationKind) -> HashMap<&'a str, Option<&'a str>> {
    let mut agreed = HashMap::new();
    for part in parts {
        for (key, _) in part.buckets.iter().flatten() {
            let text = part.key_texts.get(key).map(String::as_str);
            let known = agreed.entry(canonical(key, kind)).or_insert(text);
            if *known != text {
                *known = None;
            }
        }
    }
    agreed
}

fn merge_stats(parts: impl Iterator<Item = NodeStats>) -> Value {
    let mut parts = parts.peekable();
    if parts.peek().is_none() {
        return Value::Null;
    }
    let (mut count, mut sum, mut extent) = (0_u64, 0.0, None);
    for part in parts {
        count = count.saturating_add(part.count);
        sum += part.sum;
        extent = match (extent, part.extent) {
            (Some((min, max)), Some((least, most))) => Some((f64::min(min, least), f64::max(max, most))),
            (known, other) => known.or(other),
        };
    }
    let number = |number: Option<f64>| number.map_or(Value::Null, number_json);
    #[expect(clippy::cast_precision_loss, reason = "a mean is a double")]
    let average = (count > 0).then(|| sum / count as f64);
    json!({
        "count": count,
        "sum": number_json(sum),
        "min": number(extent.map(|(min, _)| min)),
        "max": number(extent.map(|(_, max)| max)),
        "avg": number(average),
    })
}

/// Adds up the buckets of histograms of one interval, and fills the gaps between those of different nodes.
fn merge_histogram<'a>(lists: impl Iterator<Item = &'a Buckets>, interval: f64) -> Buckets {
    let mut steps: BTreeMap<i64, (String, u64)> = BTreeMap::new();
    for (key, count) in lists.flatten() {
        let Ok(bound) = key.parse::<f64>() else { continue };
        let (text, sum) = steps.entry((bound / interval).round() as i64).or_default();
        if *key > *text {
            text.clone_from(key);
        }
        *sum = sum.saturating_add(*count);
    }
    let (Some((&first, _)), Some((&last, _))) = (steps.first_key_value(), steps.last_key_value()) else {
        return Vec::new();
    };
    if last.saturating_sub(first) < MAX_HISTOGRAM_BUCKETS {
        for step in first..=last {
            steps.entry(step).or_insert_with(|| (number_text(step as f64 * interval), 0));
        }
    }
    steps.into_values().collect()
}

fn number_text(number: f64) -> String {
    match number_json(number) {
        Value::Number(whole) if whole.is_i64() => whole.to_string(),
        _ => format!("{number:?}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(hits: u64, buckets: &[(&str, u64)]) -> NodeAnswer {
        let buckets = buckets.iter().map(|(key, count)| ((*key).to_owned(), *count)).collect();
        NodeAnswer {
            hits,
            facets: vec![Some(FacetAnswer { buckets: Some(buckets), ..FacetAnswer::default() })],
            missing_fields: Vec::new(),
        }
    }

    fn facet() -> NetworkFacet {
        NetworkFacet { field: "size".to_owned(), buckets: true, ..NetworkFacet::default() }
    }

    #[test]
    fn counts_are_added_in_a_fixed_order() {
        let one = answer(9, &[("b", 1), ("a", 2), ("__missing__", 50)]);
        let other = answer(4, &[("c", 2), ("b", 1)]);
        let lacking = NodeAnswer { hits: 7, facets: vec![None], missing_fields: vec!["size".to_owned()] };
        let expected: Vec<Value> =
            [("a", 2), ("b", 2), ("c", 2), ("__missing__", 50), ("___aggregation_not_available___", 7)]
                .map(|(key, count)| json!({"key": key, "doc_count": count}))
                .into();
        for order in [[&one, &other, &lacking], [&lacking, &other, &one]] {
            let merged = merge_facet(0, &facet(), AggregationKind::Plain, &order, false);
            assert_eq!(merged["buckets"], Value::Array(expected.clone()));
            assert_eq!((&merged["bucket_count"], &merged["cardinality"]), (&json!(5), &json!(3)));
        }
    }

    #[test]
    fn buckets_that_are_not_shown_are_only_counted() {
        let one = answer(9, &[("b", 1), ("a", 2), ("__missing__", 50)]);
        for (max, shown) in [(0, 0), (2, 2), (3, 3), (9, 3)] {
            let facet = NetworkFacet { max_buckets: Some(max), ..facet() };
            let merged = merge_facet(0, &facet, AggregationKind::Plain, &[&one], false);
            assert_eq!(merged["buckets"].as_array().map(Vec::len), Some(shown), "{max}");
            assert_eq!((&merged["bucket_count"], &merged["cardinality"]), (&json!(3), &json!(2)), "{max}");
        }
    }

    #[test]
    fn records_of_a_node_that_cannot_count_values_have_a_bucket() {
        let other =
            NodeAnswer { hits: 7, facets: vec![Some(FacetAnswer::default())], missing_fields: vec!["size".to_owned()] };
        let merged = merge_facet(0, &facet(), AggregationKind::Numeric, &[&answer(1, &[("5", 1)]), &other], false);
        let bucket = |key: &str, count: u64| json!({"key": key, "doc_count": count});
        assert_eq!(merged["buckets"], json!([bucket("5", 1), bucket("___aggregation_not_available___", 7)]));
    }

    #[test]
    fn numbers_with_and_without_a_point_are_the_same() {
        let (one, other) = (answer(1, &[("5", 1)]), answer(1, &[("5.0", 1)]));
        let merged = merge_facet(0, &facet(), AggregationKind::Numeric, &[&one, &other], false);
        assert_eq!(merged["buckets"], json!([{"key": "5.0", "doc_count": 2}]));
    }

    #[test]
    fn a_key_has_the_text_on_which_all_nodes_agree_that_have_it() {
        let with_texts = |buckets: &[(&str, u64)], texts: &[(&str, &str)]| {
            let mut answer = answer(9, buckets);
            let texts = texts.iter().map(|(key, text)| ((*key).to_owned(), (*text).to_owned()));
            answer.facets[0].as_mut().unwrap().key_texts = texts.collect();
            answer
        };
        let texts = [("1", "a"), ("2", "b"), ("3", "c"), ("4", "d")];
        let one = with_texts(&[("1", 5), ("2", 4), ("3", 3), ("4", 2)], &texts);
        let other = with_texts(&[("1.0", 5), ("2", 4), ("3", 3)], &[("1.0", "a"), ("2", "another")]);
        let facet = NetworkFacet { key_texts: true, ..facet() };
        for order in [[&one, &other], [&other, &one]] {
            let merged = merge_facet(0, &facet, AggregationKind::Numeric, &order, false);
            let found = merged["buckets"].as_array().unwrap().iter().map(|bucket| &bucket["key_as_string"]);
            assert_eq!(found.collect::<Vec<_>>(), [&json!("a"), &Value::Null, &Value::Null, &json!("d")]);
        }
        let mut one = one;
        suppress(&mut one, 5);
        let merged = merge_facet(0, &facet, AggregationKind::Numeric, &[&one], true);
        assert_eq!(merged["buckets"], json!([{"key": "1", "doc_count": 5, "key_as_string": "a"}]));
    }

    #[test]
    fn statistics_and_histograms_are_those_of_all_values() {
        let part = |stats: Option<NodeStats>, steps: &[(&str, u64)]| NodeAnswer {
            hits: 1,
            facets: vec![Some(FacetAnswer {
                stats,
                histograms: vec![steps.iter().map(|(key, count)| ((*key).to_owned(), *count)).collect()],
                ..FacetAnswer::default()
            })],
            missing_fields: Vec::new(),
        };
        let one = part(Some(NodeStats { count: 2, sum: 5.0, extent: Some((1.0, 4.0)) }), &[("0", 2)]);
        let other = part(Some(NodeStats { count: 1, sum: 31.0, extent: Some((31.0, 31.0)) }), &[("30", 1)]);
        let empty = part(Some(NodeStats { count: 0, sum: 0.0, extent: None }), &[]);
        let facet = NetworkFacet { stats: true, buckets: false, histograms: vec![10.0], ..facet() };
        let merged = merge_facet(0, &facet, AggregationKind::Numeric, &[&one, &other, &empty], false);
        assert_eq!(merged["stats"], json!({"count": 3, "sum": 36, "min": 1, "max": 31, "avg": 12}));
        let found = merged["histogram_0"]["buckets"].as_array().map(Vec::as_slice).unwrap_or_default();
        let found: Vec<(&str, u64)> = found
            .iter()
            .map(|bucket| {
                (bucket["key"].as_str().unwrap_or_default(), bucket["doc_count"].as_u64().unwrap_or_default())
            })
            .collect();
        assert_eq!(found, [("0", 2), ("10", 0), ("20", 0), ("30", 1)]);
    }

    #[test]
    fn suppressed_counts_are_multiples_before_they_are_added() {
        let mut answers = [answer(9, &[("a", 4), ("b", 6)]), answer(7, &[("a", 4), ("b", 5)])];
        answers.iter_mut().for_each(|answer| suppress(answer, 5));
        assert_eq!(answers[0], answer(5, &[("b", 5)]));
        let merged = merge_facet(0, &facet(), AggregationKind::Plain, &[&answers[0], &answers[1]], true);
        assert_eq!(merged["buckets"], json!([{"key": "b", "doc_count": 10}]));
    }
}
