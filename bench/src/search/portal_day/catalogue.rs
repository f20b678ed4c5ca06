//! A catalogue as a portal knows it. Everything is learned from the server: its introspection, the display
//! configuration, the values of its facets, and some of its records.

use std::collections::BTreeMap;

use cantata_catalogue::flat_name;
use serde::Deserialize;
use serde_json::{Value, json};

use super::target::Target;
use crate::Outcome;
use crate::search::graphql::ask_any;

/// How many values of a facet a portal asks for.
const MAX_VALUES: usize = 60;

/// How many bars the histogram of a number or a date has.
const BARS: u32 = 24;

/// How many records there are from which people type something and which they open.
const SAMPLED_RECORDS: usize = 500;

/// The shortest text that is worth typing.
const MIN_TYPED: usize = 3;

/// The path of the id of a record, and its name in GraphQL.
const RECORD_ID: &str = "_id";
const ID_NAME: &str = "id";

const TEXTS: [&str; 3] = ["keyword", "wildcard", "text"];
const COUNTED: [&str; 5] = ["keyword", "wildcard", "constant_keyword", "boolean", "ip"];
const RANGED: [&str; 11] = [
    "byte",
    "short",
    "integer",
    "long",
    "unsigned_long",
    "half_float",
    "float",
    "double",
    "scaled_float",
    "date",
    "date_nanos",
];

/// What a portal asks of a catalogue, and with which values.
pub(super) struct Catalogue {
    /// The rows of the table and the facets beside it.
    pub(super) page_query: String,
    /// The suggestions of the quick search.
    pub(super) suggest_query: String,
    /// A whole record.
    pub(super) record_query: String,
    /// The field that a record is found by.
    pub(super) key_field: String,
    pub(super) keys: Vec<String>,
    pub(super) facets: Vec<Facet>,
    pub(super) sort_fields: Vec<String>,
    pub(super) quick_fields: Vec<String>,
    /// Values of the fields of the quick search.
    pub(super) texts: Vec<String>,
    /// Whether an export may say how many rows it has.
    pub(super) takes_max_rows: bool,
    pub(super) records: u64,
}

/// A facet with values that can be picked.
pub(super) struct Facet {
    pub(super) path: String,
    pub(super) values: Vec<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Description {
    document_type: String,
    fields: BTreeMap<String, Field>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Field {
    #[serde(rename = "type")]
    type_name: String,
    multi_field_of: Option<String>,
    graphql_name: Option<String>,
}

impl Catalogue {
    /// Learns what a portal needs to know.
    pub(super) fn describe(target: &Target) -> Outcome<Self> {
        let mut connection = target.connect()?;
        let known: Description = connection.fetch(&target.get("/introspection"))?;
        let root = &known.document_type;
        let mut ask = |query: &str, variables: Value| {
            let mut answer = ask_any(&mut connection, &target.graphql(query, &variables))?;
            Outcome::Ok(answer[root.as_str()].take())
        };
        let query = format!(
            "query Configs {{ {root} {{ configs {{ extended table {{ columns {{ fieldName show sortable }} \
             rowIdFieldName }} facets {{ aggregations {{ fieldName isActive }} }} \
             downloads {{ allowCustomMaxRows }} }} }} }}"
        );
        let configs = ask(&query, json!({}))?["configs"].take();
        let columns = known.paths(&configs["table"]["columns"], "show");
        let columns = known.selection(columns.iter().map(String::as_str));
        let mut quick_fields = known.paths(&configs["extended"], "quickSearchEnabled");
        quick_fields.retain(|path| known.is_one_of(path, &TEXTS));
        let quick = known.selection(quick_fields.iter().map(String::as_str));
        let row_id = configs["table"]["rowIdFieldName"].as_str().and_then(|name| known.path(name));
        let key_field = row_id.filter(|path| known.is_one_of(path, &["keyword"])).unwrap_or(RECORD_ID);
        let key = known.graphql_name(key_field);
        let facets = known.paths(&configs["facets"]["aggregations"], "isActive");
        let sampled: Vec<String> = facets.iter().filter_map(|path| known.sampled(path)).collect();
        if sampled.is_empty() {
            return Err(format!("the catalogue of {root} has no facets, which a portal's pages are made of").into());
        }
        let query = format!(
            "query Sample($first: Int) {{ {root} {{ hits(first: $first) {{ total edges {{ node {{ {ID_NAME} {key} \
             {quick} }} }} }} aggregations(include_missing: false) {{ {} }} }} }}",
            sampled.join(" ")
        );
        let sample = ask(&query, json!({ "first": SAMPLED_RECORDS }))?;
        let counts = &sample["aggregations"];
        let shown: Vec<String> = facets.iter().filter_map(|path| known.shown(path, counts)).collect();
        let facets: Vec<Facet> = facets.into_iter().filter_map(|path| known.facet(path, counts)).collect();
        if facets.is_empty() {
            return Err(format!("no facet of the catalogue of {root} has a value that could be picked").into());
        }
        let nodes = || sample["hits"]["edges"].as_array().into_iter().flatten().map(|edge| &edge["node"]);
        let mut texts = Vec::new();
        for name in quick.split_whitespace() {
            nodes().for_each(|node| collect_texts(&node[name], &mut texts));
        }
        let page_query = format!(
            "query View($filters: JSON, $sort: [Sort], $first: Int, $offset: Int) {{ {root} {{ \
             hits(filters: $filters, sort: $sort, first: $first, offset: $offset) \
             {{ total edges {{ searchAfter node {{ {ID_NAME} {columns} }} }} }} \
             aggregations(filters: $filters, include_missing: true) {{ {} }} }} }}",
            shown.join(" ")
        );
        let suggest_query = format!(
            "query Suggest($filters: JSON) {{ {root} {{ hits(filters: $filters, first: 20, trackTotalHits: false) \
             {{ edges {{ node {{ {ID_NAME} {quick} }} }} }} }} }}"
        );
        let record = if key_field == RECORD_ID {
            format!("hits(filters: $filters, first: 1) {{ edges {{ node {{ {ID_NAME} {columns} }} }} }}")
        } else {
            // As the portal does it: a whole document as the top hit of the only bucket of its key.
            format!(
                "aggregations(filters: $filters, aggregations_filter_themselves: true, include_missing: false) \
                 {{ {key} {{ buckets(max: 1) {{ top_hits }} }} }}"
            )
        };
        Ok(Self {
            page_query,
            suggest_query,
            record_query: format!("query Record($filters: JSON) {{ {root} {{ {record} }} }}"),
            key_field: key_field.to_owned(),
            keys: nodes().filter_map(|node| node[key.as_str()].as_str()).map(str::to_owned).collect(),
            facets,
            sort_fields: known.paths(&configs["table"]["columns"], "sortable"),
            quick_fields,
            texts,
            takes_max_rows: configs["downloads"]["allowCustomMaxRows"] == true,
            records: sample["hits"]["total"].as_u64().unwrap_or_default(),
        })
    }
}

impl Description {
    /// Returns the path of a field, which the configuration may name as GraphQL does.
    fn path(&self, name: &str) -> Option<&str> {
        let dotted = name.replace("__", ".");
        let found = self.fields.get_key_value(name).or_else(|| self.fields.get_key_value(dotted.as_str()));
        found.map(|(path, _)| path.as_str())
    }

    /// Returns the paths of the fields in a list of the configuration for which a flag is set.
    fn paths(&self, list: &Value, flag: &str) -> Vec<String> {
        let entries = list.as_array().into_iter().flatten().filter(|entry| entry[flag] == true);
        entries.filter_map(|entry| self.path(entry["fieldName"].as_str()?)).map(str::to_owned).collect()
    }

    fn is_one_of(&self, path: &str, types: &[&str]) -> bool {
        self.fields.get(path).is_some_and(|field| types.contains(&field.type_name.as_str()))
    }

    fn graphql_name(&self, path: &str) -> String {
        if path == RECORD_ID {
            return ID_NAME.to_owned();
        }
        let assigned = self.fields.get(path).and_then(|field| field.graphql_name.clone());
        assigned.unwrap_or_else(|| flat_name(path))
    }

    /// Returns the names of the fields whose values a node has.
    fn selection<'a>(&self, paths: impl Iterator<Item = &'a str>) -> String {
        let is_selectable = |path: &&str| {
            let is_multi_field = self.fields.get(*path).is_some_and(|field| field.multi_field_of.is_some());
            !is_multi_field && !self.is_one_of(path, &["object", "nested"])
        };
        let names: Vec<String> = paths.filter(is_selectable).map(|path| self.graphql_name(path)).collect();
        names.join(" ")
    }

    /// Returns the selection for what there is to know of a facet.
    fn sampled(&self, path: &str) -> Option<String> {
        let selection = if self.is_one_of(path, &COUNTED) {
            format!("buckets(max: {MAX_VALUES}) {{ key key_as_string }}")
        } else if self.is_one_of(path, &RANGED) {
            "stats { min max }".to_owned()
        } else {
            return None;
        };
        Some(format!("{} {{ {selection} }}", self.graphql_name(path)))
    }

    /// Returns the selection for a facet beside the table: its values, or the bars of its histogram.
    fn shown(&self, path: &str, counts: &Value) -> Option<String> {
        let name = self.graphql_name(path);
        if self.is_one_of(path, &COUNTED) {
            return Some(format!(
                "{name} {{ bucket_count buckets(max: {MAX_VALUES}) {{ key key_as_string doc_count }} }}"
            ));
        }
        let stats = &counts[name.as_str()]["stats"];
        let (min, max) = (stats["min"].as_f64()?, stats["max"].as_f64()?);
        let bars = (max > min).then(|| bars(min, max))?;
        Some(format!("{name} {{ range(ranges: [{bars}]) {{ buckets {{ key doc_count }} }} }}"))
    }

    /// Returns a facet whose values can be picked.
    fn facet(&self, path: String, counts: &Value) -> Option<Facet> {
        let buckets = counts[self.graphql_name(&path)]["buckets"].as_array().map(Vec::as_slice).unwrap_or_default();
        let value = |bucket: &Value| bucket["key_as_string"].as_str().or(bucket["key"].as_str()).map(str::to_owned);
        // In a filter, an asterisk matches any characters.
        let values: Vec<String> = buckets.iter().filter_map(value).filter(|value| !value.contains('*')).collect();
        (!values.is_empty()).then_some(Facet { path, values })
    }
}

/// Returns the ranges of the bars of a histogram.
fn bars(min: f64, max: f64) -> String {
    let width = (max - min) / f64::from(BARS);
    let bar = |number: u32| {
        let from = min + width * f64::from(number);
        format!("{{from: {from}, to: {}, key: \"{number}\"}}", from + width)
    };
    (0..BARS).map(bar).collect::<Vec<_>>().join(" ")
}

/// Adds the texts in a value of a node, which may be a list of lists, that a person could type.
fn collect_texts(value: &Value, texts: &mut Vec<String>) {
    match value {
        Value::Array(elements) => elements.iter().for_each(|element| collect_texts(element, texts)),
        Value::String(text) if text.chars().count() >= MIN_TYPED && !text.contains(['*', '?']) => {
            texts.push(text.clone());
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn description() -> Description {
        let fields = json!({
            "a.b": { "displayName": "B", "type": "keyword", "unit": null },
            "size": { "displayName": "Size", "type": "long", "unit": "B" },
            "name": { "displayName": "Name", "type": "text", "unit": null },
            "name.keyword": { "displayName": "Name", "type": "keyword", "unit": null, "multiFieldOf": "name" },
            "x-y": { "displayName": "X", "type": "keyword", "unit": null, "graphqlName": "x_y_1" },
        });
        serde_json::from_value(json!({ "documentType": "thing", "fields": fields })).unwrap()
    }

    #[test]
    fn fields_have_the_names_that_the_server_gives_them() {
        let known = description();
        assert_eq!(known.path("a__b"), Some("a.b"));
        let list = json!([
            { "fieldName": "a.b", "show": true },
            { "fieldName": "name.keyword", "show": true },
            { "fieldName": "size", "show": false },
            { "fieldName": "gone", "show": true },
        ]);
        assert_eq!(known.paths(&list, "show"), ["a.b", "name.keyword"]);
        assert_eq!(known.selection(["a.b", "name.keyword", "x-y", RECORD_ID].into_iter()), "a__b x_y_1 id");
    }

    #[test]
    fn facets_have_values_to_pick_or_bars() {
        let known = description();
        let counts = json!({
            "a__b": { "buckets": [{ "key": "1", "key_as_string": "true" }, { "key": "x*", "key_as_string": null }] },
            "size": { "stats": { "min": 0, "max": 48 } },
        });
        let values = |path: &str| known.facet(path.to_owned(), &counts).map(|facet| facet.values);
        assert_eq!(values("a.b"), Some(vec!["true".to_owned()]));
        assert_eq!(values("size"), None);
        let bars = known.shown("size", &counts).unwrap();
        assert!(bars.contains("{from: 0, to: 2, key: \"0\"} {from: 2, to: 4, key: \"1\"}"), "{bars}");
        assert_eq!((known.shown("name", &counts), known.sampled("name")), (None, None));
    }

    #[test]
    fn texts_are_found_in_lists_of_lists() {
        let mut texts = Vec::new();
        collect_texts(&json!([["abc", "ab"], "a*c", null, 7, "äöü"]), &mut texts);
        assert_eq!(texts, ["abc", "äöü"]);
    }
}
