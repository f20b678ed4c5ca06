//! The answer of a node, validated: counts are whole numbers and not negative, keys are texts, no key comes twice, the
//! steps of a histogram are those that were asked, and no range is missing.
//!
//! A facet that the node has but did not answer counts as one that it lacks. An answer that breaks a rule is no answer:
//! its other numbers are not worth more.

use std::collections::{HashMap, HashSet};

use cantata_graphql::{NamedRange, NetworkFacet, NetworkQuestion};
use serde_json_borrow::Value as JsonValue;

use crate::error::NodeError;
use crate::names::NameTranslation;
use crate::node_query::{NodeQuery, answer_key};

/// How many buckets one aggregation may have; as many as a catalogue of this server gives.
const MAX_BUCKETS: usize = 300_001;

/// Larger counts are wrong: no index has that many records, and JSON numbers are not exact beyond.
const MAX_COUNT: u64 = 1 << 53;

/// How many steps from zero a bucket of a histogram may be; beyond, steps are not exact.
const MAX_STEPS: f64 = 9_007_199_254_740_992.0;

/// Keys with their counts.
pub(crate) type Buckets = Vec<(String, u64)>;

/// The texts of keys.
pub(crate) type KeyTexts = HashMap<String, String>;

/// The validated answer of a node.
#[derive(Debug, PartialEq)]
pub(crate) struct NodeAnswer {
    pub(crate) hits: u64,
    /// For each facet of the question, the answer; `None` if the node gave none.
    pub(crate) facets: Vec<Option<FacetAnswer>>,
    /// The flat names in the network of the fields that are missing.
    pub(crate) missing_fields: Vec<String>,
}

#[derive(Debug, PartialEq, Default)]
pub(crate) struct FacetAnswer {
    /// `None` if the node cannot count the values.
    pub(crate) buckets: Option<Buckets>,
    /// The texts of their keys, where the node gives them.
    pub(crate) key_texts: KeyTexts,
    pub(crate) stats: Option<NodeStats>,
    pub(crate) histograms: Vec<Buckets>,
    pub(crate) ranges: Vec<Buckets>,
}

/// The statistics of the values of a field at a node.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct NodeStats {
    pub(crate) count: u64,
    pub(crate) sum: f64,
    /// The least and the greatest value; `None` if there is no value.
    pub(crate) extent: Option<(f64, f64)>,
}

impl NodeAnswer {
    /// Reads the body of a response with the status 200.
    pub(crate) fn parse(
        body: &[u8],
        document_type: &str,
        question: &NetworkQuestion,
        query: &NodeQuery,
        names: &NameTranslation,
    ) -> Result<Self, NodeError> {
        let body: JsonValue<'_> = serde_json::from_slice(body).map_err(|_| NodeError::Invalid("it is no JSON"))?;
        let records = member_of(body.get("data"), document_type);
        if !records.get("hits").is_object() {
            return Err(failure(&body));
        }
        let hits = count(records.get("hits").get("total"))?;
        let mut facets: Vec<Option<FacetAnswer>> = question.facets.iter().map(|_| None).collect();
        let mut missing_fields = query.missing_fields.clone();
        for asked in &query.facets {
            let (Some(slot), Some(facet)) = (facets.get_mut(asked.facet), question.facets.get(asked.facet)) else {
                continue;
            };
            let value = member_of(member_of(records, &asked.group), &asked.field);
            if value.is_null() {
                missing_fields.push(facet.field.clone());
                continue;
            }
            let member = |kind: &str, index: usize| member_of(value, &answer_key(kind, index));
            let histograms = facet.histograms.iter().enumerate();
            let ranges = facet.ranges.iter().enumerate();
            *slot = Some(FacetAnswer {
                buckets: match (facet.buckets, asked.has_buckets) {
                    (true, true) => Some(values(value.get("buckets"), &facet.field, names)?),
                    (true, false) => None,
                    (false, _) => Some(Vec::new()),
                },
                key_texts: match facet.key_texts {
                    true => key_texts(value.get("buckets"), &facet.field, names)?,
                    false => KeyTexts::new(),
                },
                stats: stats(value.get("stats"))?,
                histograms: histograms
                    .map(|(index, interval)| histogram(member("histogram", index), *interval))
                    .collect::<Result<_, _>>()?,
                ranges: ranges
                    .map(|(index, asked)| range_counts(member("range", index), asked))
                    .collect::<Result<_, _>>()?,
            });
            let lacks_buckets = facet.buckets && !asked.has_buckets;
            if lacks_buckets || (asked.has_numbers && lacks_numbers(value, facet)) {
                missing_fields.push(facet.field.clone());
            }
        }
        Ok(Self { hits, facets, missing_fields })
    }
}

/// Returns a member of an object; null if there is none.
pub(crate) fn member_of<'v>(value: &'v JsonValue<'v>, name: &str) -> &'v JsonValue<'v> {
    static NULL: JsonValue<'static> = JsonValue::Null;
    value.as_object().and_then(|object| object.get(name)).unwrap_or(&NULL)
}

/// Returns why there are no hits: because of the request, or because the node failed.
fn failure(body: &JsonValue<'_>) -> NodeError {
    let code = body.get("errors").get(0).get("extensions").get("code");
    match code.as_str() {
        Some("BAD_USER_INPUT") => NodeError::Rejected,
        Some("GRAPHQL_VALIDATION_FAILED") => NodeError::SchemaMismatch,
        Some("FORBIDDEN" | "UNAUTHENTICATED") => NodeError::Denied,
        Some(_) => NodeError::Erred,
        None if !body.get("errors").get(0).is_null() => NodeError::Erred,
        None => NodeError::Invalid("it has no hits"),
    }
}

pub(crate) fn count(value: &JsonValue<'_>) -> Result<u64, NodeError> {
    let whole = value.as_f64().filter(|number| number.fract() == 0.0 && *number >= 0.0).map(|number| number as u64);
    let count = value.as_u64().or(whole).filter(|count| *count <= MAX_COUNT);
    count.ok_or(NodeError::Invalid("a count is no whole number from 0 on"))
}

/// Returns whether something that was asked of a number is missing in the answer.
fn lacks_numbers(value: &JsonValue<'_>, facet: &NetworkFacet) -> bool {
    let is_missing =
        |kind: &str, number: usize| (0..number).any(|index| member_of(value, &answer_key(kind, index)).is_null());
    (facet.stats && value.get("stats").is_null())
        || is_missing("histogram", facet.histograms.len())
        || is_missing("range", facet.ranges.len())
}

/// Reads the buckets of values, with the keys of the network. A value that the node has under both names has one bucket.
fn values(value: &JsonValue<'_>, field: &str, names: &NameTranslation) -> Result<Buckets, NodeError> {
    let buckets = read_buckets(value)?;
    if !names.renames_values(field) {
        return Ok(buckets);
    }
    let mut named: Buckets = Vec::new();
    let mut positions: HashMap<String, usize> = HashMap::new();
    for (key, count) in buckets {
        let key = names.value_in_network(field, key);
        match positions.get(&key) {
            Some(&position) => named[position].1 = named[position].1.saturating_add(count),
            None => {
                positions.insert(key.clone(), named.len());
                named.push((key, count));
            }
        }
    }
    Ok(named)
}

/// Reads the texts of keys, such as `true` of `1`. A value that has another name in the network has none.
fn key_texts(value: &JsonValue<'_>, field: &str, names: &NameTranslation) -> Result<KeyTexts, NodeError> {
    let mut texts = KeyTexts::new();
    for bucket in value.as_array().into_iter().flatten() {
        match (bucket.get("key"), bucket.get("key_as_string")) {
            (_, JsonValue::Null) => {}
            (JsonValue::Str(key), JsonValue::Str(text)) => {
                if names.value_in_network(field, key.to_string()) == *key {
                    texts.insert(key.to_string(), text.to_string());
                }
            }
            _ => return Err(NodeError::Invalid("the text of a key is no text")),
        }
    }
    Ok(texts)
}

/// Reads the buckets of a histogram; there are none if it was not answered.
fn histogram(value: &JsonValue<'_>, interval: f64) -> Result<Buckets, NodeError> {
    let bound = |key: &str| key.parse::<f64>().ok().filter(|bound| bound.is_finite());
    let keys = value.get("buckets").as_array().into_iter().flatten().filter_map(|bucket| bucket.get("key").as_str());
    // The node works: it is the client that asks for steps too fine for its values.
    if keys.filter_map(bound).any(|bound| (bound / interval).abs() >= MAX_STEPS) {
        return Err(NodeError::Erred);
    }
    let buckets = if value.is_null() { Vec::new() } else { read_buckets(value.get("buckets"))? };
    let is_step = |key: &str| {
        let steps = bound(key).map_or(f64::NAN, |bound| bound / interval);
        // What is left of a division that has no exact result.
        let tolerance = f64::max(1e-6, steps.abs() * 1e-14);
        (steps - steps.round()).abs() <= tolerance
    };
    if buckets.iter().all(|(key, _)| is_step(key)) {
        Ok(buckets)
    } else {
        Err(NodeError::Invalid("a histogram has other steps than those that were asked"))
    }
}

/// Reads the buckets of ranges; there are none if they were not answered.
fn range_counts(value: &JsonValue<'_>, asked: &[NamedRange]) -> Result<Buckets, NodeError> {
    if value.is_null() {
        return Ok(Vec::new());
    }
    let buckets = read_buckets(value.get("buckets"))?;
    let has = |range: &NamedRange| buckets.iter().any(|(key, _)| *key == range.key);
    if asked.iter().all(has) { Ok(buckets) } else { Err(NodeError::Invalid("a range is missing")) }
}

/// Reads buckets with distinct keys.
fn read_buckets(value: &JsonValue<'_>) -> Result<Buckets, NodeError> {
    let buckets = value.as_array().ok_or(NodeError::Invalid("buckets are no list"))?;
    if buckets.len() > MAX_BUCKETS {
        return Err(NodeError::Invalid("there are too many buckets"));
    }
    let bucket = |bucket: &JsonValue<'_>| {
        let key = bucket.get("key").as_str().ok_or(NodeError::Invalid("a key is no text"))?;
        Ok((key.to_owned(), count(bucket.get("doc_count"))?))
    };
    let buckets = buckets.iter().map(bucket).collect::<Result<Buckets, NodeError>>()?;
    let mut seen = HashSet::with_capacity(buckets.len());
    if !buckets.iter().all(|(key, _)| seen.insert(key.as_str())) {
        return Err(NodeError::Invalid("a key comes twice"));
    }
    Ok(buckets)
}

pub(crate) fn stats(value: &JsonValue<'_>) -> Result<Option<NodeStats>, NodeError> {
    if value.is_null() {
        return Ok(None);
    }
    let number = |name: &str| member_of(value, name).as_f64().filter(|number| number.is_finite());
    let count = count(value.get("count"))?;
    let extent = number("min").zip(number("max")).filter(|(min, max)| min <= max);
    match (count, number("sum"), extent) {
        (0, ..) => Ok(Some(NodeStats { count, sum: 0.0, extent: None })),
        (_, Some(sum), Some(extent)) => Ok(Some(NodeStats { count, sum, extent: Some(extent) })),
        _ => Err(NodeError::Invalid("statistics are no numbers")),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use cantata_catalogue::{AggregationKind, NodeNames};
    use serde_json::{Value, json};

    use super::*;
    use crate::node_query::{FieldMembers, NodeField, QueryOptions, node_query};

    fn parse(answer: &Value) -> Result<NodeAnswer, NodeError> {
        let facet = NetworkFacet { field: "size".to_owned(), buckets: true, stats: true, ..NetworkFacet::default() };
        parse_facet(answer, facet)
    }

    fn parse_facet(answer: &Value, facet: NetworkFacet) -> Result<NodeAnswer, NodeError> {
        let question = NetworkQuestion { has_plain_filter: true, facets: vec![facet], ..NetworkQuestion::default() };
        let size = || "size".to_owned();
        let (kind, members) = (AggregationKind::Numeric, FieldMembers::ALL);
        let field = NodeField { network: size(), node: size(), kind, members };
        let options = QueryOptions { question: &question, counts_only: false };
        let names = NameTranslation::default();
        let query = node_query(options, None, "file", &[field], &names);
        NodeAnswer::parse(answer.to_string().as_bytes(), "file", &question, &query, &names)
    }

    fn tree(value: &Value) -> JsonValue<'static> {
        serde_json::from_str(value.to_string().leak()).unwrap()
    }

    fn with_size(size: &Value) -> Value {
        json!({"data": {"file": {"hits": {"total": 3}, "aggregations": {"size": size}}}})
    }

    #[test]
    fn a_good_answer_is_read_and_a_missing_facet_is_named() {
        let stats = json!({"count": 2, "sum": 3, "min": 1, "max": 2});
        let good = with_size(&json!({"buckets": [{"key": "1", "doc_count": 2}], "stats": stats}));
        let answer = parse(&good).unwrap();
        assert_eq!((answer.hits, answer.missing_fields.len()), (3, 0));
        let facet = answer.facets[0].as_ref().unwrap();
        assert_eq!(facet.buckets, Some(vec![("1".to_owned(), 2)]));
        assert_eq!(facet.stats, Some(NodeStats { count: 2, sum: 3.0, extent: Some((1.0, 2.0)) }));
        let only_buckets = parse(&with_size(&json!({"buckets": []}))).unwrap();
        assert_eq!(only_buckets.missing_fields, ["size"], "statistics were asked too");
        let without = parse(&with_size(&Value::Null)).unwrap();
        assert_eq!((without.hits, without.missing_fields), (3, vec!["size".to_owned()]));
    }

    #[test]
    fn histograms_have_the_steps_and_ranges_the_keys_that_were_asked() {
        let range = NamedRange { key: "low".to_owned(), from: None, to: Some(10.0) };
        let facet = NetworkFacet {
            field: "size".to_owned(),
            histograms: vec![0.1],
            ranges: vec![vec![range]],
            ..NetworkFacet::default()
        };
        let part = |key: &str| json!({"buckets": [{"key": key, "doc_count": 1}]});
        let answer = |step: &str, range: &str| {
            let size = json!({"histogram": part(step), "range": part(range)});
            parse_facet(&with_size(&size), facet.clone())
        };
        for step in ["0", "0.0", "0.30000000000000004", "-1.5e3", "123456789.1"] {
            assert_eq!(answer(step, "low").map(|answer| answer.missing_fields), Ok(Vec::new()), "{step}");
        }
        for step in ["many", "0.25", "NaN", "inf", ""] {
            assert!(matches!(answer(step, "low"), Err(NodeError::Invalid(_))), "{step}");
        }
        let too_fine = answer("1e300", "low").unwrap_err();
        assert!(!too_fine.is_outage(), "a client must not suspend a node by its interval: {too_fine:?}");
        assert!(matches!(answer("0", "high"), Err(NodeError::Invalid(_))));
    }

    #[test]
    fn a_value_under_both_of_its_names_is_counted_once() {
        let names = NameTranslation::new(&NodeNames {
            fields: BTreeMap::new(),
            values: [("sex".to_owned(), [("Male".to_owned(), "M".to_owned())].into())].into(),
        });
        let bucket = |key: &str, count: u64| json!({"key": key, "doc_count": count});
        let found = values(&tree(&json!([bucket("M", 3), bucket("F", 1), bucket("Male", 2)])), "sex", &names);
        assert_eq!(found, Ok(vec![("Male".to_owned(), 5), ("F".to_owned(), 1)]));
    }

    #[test]
    fn texts_of_keys_are_read_where_the_value_has_no_other_name() {
        let facet =
            NetworkFacet { field: "size".to_owned(), buckets: true, key_texts: true, ..NetworkFacet::default() };
        let buckets = |text: Value| json!({"buckets": [{"key": "1", "key_as_string": text, "doc_count": 2}]});
        let texts = |text: Value| -> Result<Vec<KeyTexts>, NodeError> {
            let answer = parse_facet(&with_size(&buckets(text)), facet.clone())?;
            Ok(answer.facets.into_iter().flatten().map(|facet| facet.key_texts).collect())
        };
        assert_eq!(texts(json!("true")), Ok(vec![[("1".to_owned(), "true".to_owned())].into()]));
        assert_eq!(texts(Value::Null), Ok(vec![KeyTexts::new()]));
        assert_eq!(texts(json!(true)), Err(NodeError::Invalid("the text of a key is no text")));
        let names = NameTranslation::new(&NodeNames {
            fields: BTreeMap::new(),
            values: [("size".to_owned(), [("yes".to_owned(), "1".to_owned())].into())].into(),
        });
        let found = key_texts(tree(&buckets(json!("true"))).get("buckets"), "size", &names);
        assert_eq!(found, Ok(KeyTexts::new()));
    }

    #[test]
    fn an_answer_that_breaks_a_rule_is_no_answer() {
        let bucket = |key: Value, count: Value| json!({"key": key, "doc_count": count});
        for buckets in [
            json!("none"),
            json!([bucket(json!("a"), json!(-1))]),
            json!([bucket(json!("a"), json!(0.5))]),
            json!([bucket(json!("a"), json!("1"))]),
            json!([bucket(json!("a"), json!(1e300))]),
            json!([bucket(json!(1), json!(1))]),
            json!([bucket(json!("a"), json!(1)), bucket(json!("a"), json!(1))]),
            json!([7]),
        ] {
            let answer = parse(&with_size(&json!({"buckets": buckets})));
            assert!(matches!(answer, Err(NodeError::Invalid(_))), "{buckets} gave {answer:?}");
        }
        let stats = with_size(&json!({"buckets": [], "stats": {"count": 1, "sum": 1, "min": 3, "max": 2}}));
        assert!(matches!(parse(&stats), Err(NodeError::Invalid(_))));
        for body in [json!([]), json!(null), json!({"data": null}), json!({"data": {"file": {"hits": 7}}})] {
            assert!(matches!(parse(&body), Err(NodeError::Invalid(_))), "{body}");
        }
        let rejected = json!({"errors": [{"message": "m", "extensions": {"code": "BAD_USER_INPUT"}}], "data": null});
        assert_eq!(parse(&rejected), Err(NodeError::Rejected));
        for error in [json!({"message": "m"}), json!({"message": "m", "extensions": {"code": "INTERNAL_SERVER_ERROR"}})]
        {
            assert_eq!(parse(&json!({"errors": [error], "data": null})), Err(NodeError::Erred));
        }
    }
}
