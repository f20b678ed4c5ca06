//! Random documents and random requests: whatever comes, the answer is JSON of the promised types.

use cantata_graphql::PlanResults;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Map, Value, json};

use crate::sample::{mapping, plan, request, schema, write_hits};

const QUERY: &str = "{ file { hits { total edges { searchAfter node { id score analysis_id file_name size quality level \
    released created address field_score tags everything named info shape extra file { type index_file { name } } \
    file__type donors__gender donors__specimens__samples__code donors { hits { total edges { node { id field_id gender age \
    specimens__type specimens { hits { edges { node { type samples { hits { edges { node { code } } } } } } } } } } } } } } \
    } } }";

/// The words and signs that random requests are made of.
const WORDS: [&str; 40] = [
    "{",
    "{",
    "{",
    "}",
    "}",
    "}",
    "(",
    ")",
    "[",
    "]",
    ":",
    "$",
    "!",
    "...",
    "@",
    "=",
    "file",
    "hits",
    "edges",
    "node",
    "total",
    "aggregations",
    "size",
    "buckets",
    "key",
    "query",
    "mutation",
    "fragment",
    "on",
    "first",
    "filters",
    "sort",
    "1",
    "-1",
    "\"a\"",
    "null",
    "true",
    "A",
    "fileNode",
    "__typename",
];

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        select(vec!["12", "1.5", "-3", "true", "", "x\"\\\n"]).prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        let names = ["type", "index_file", "name", "gender", "age", "id", "specimens", "samples", "code", "other"];
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            vec((select(names.to_vec()), inner), 0..5).prop_map(|members| members
                .into_iter()
                .map(|(key, value)| (key.to_owned(), value))
                .collect::<Map<_, _>>()
                .into()),
        ]
    })
}

fn document() -> impl Strategy<Value = Value> {
    let names: Vec<String> = mapping()["properties"].as_object().unwrap().keys().cloned().collect();
    vec((select(names), any_json()), 0..12).prop_map(|members| members.into_iter().collect::<Map<_, _>>().into())
}

proptest! {
    #[test]
    fn any_document_is_shown_as_the_schema_promises(document in document()) {
        let body = write_hits(&plan(&schema(), QUERY, json!({})), &[("a", document.clone()), ("b", document)]);
        let edges = body["data"]["file"]["hits"]["edges"].as_array().unwrap();
        prop_assert_eq!(edges.len(), 2);
        let node = &edges[0]["node"];
        for name in ["analysis_id", "file_name", "created", "address", "named", "file__type"] {
            prop_assert!(node[name].is_string() || node[name].is_null(), "{}: {}", name, node[name]);
        }
        for name in ["size", "quality", "level", "field_score"] {
            prop_assert!(node[name].is_number() || node[name].is_null(), "{}: {}", name, node[name]);
        }
        for name in ["tags", "everything", "donors__gender", "donors__specimens__samples__code"] {
            prop_assert!(node[name].is_array() || node[name].is_null(), "{}: {}", name, node[name]);
        }
        prop_assert!(node["released"].is_boolean() || node["released"].is_null());
        let donors = &node["donors"]["hits"];
        prop_assert_eq!(donors["total"].as_u64().unwrap(), donors["edges"].as_array().unwrap().len() as u64);
    }

    #[test]
    fn any_text_is_refused_or_planned(words in vec(select(WORDS.to_vec()), 0..40), noise in ".{0,12}") {
        let schema = schema();
        let made = words.join(" ");
        for query in [made.clone(), format!("{made}{noise}"), noise] {
            match schema.prepare(&request(&query, Value::Null)) {
                Err(refused) => prop_assert_eq!(refused.status, 400),
                Ok(_) => {
                    let body = plan(&schema, &query, Value::Null).write(&PlanResults::default()).body;
                    prop_assert!(serde_json::from_slice::<Value>(&body).is_ok());
                }
            }
        }
    }
}
