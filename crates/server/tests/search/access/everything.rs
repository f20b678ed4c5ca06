//! A request for everything that a schema offers, with every argument in several ways.

use std::collections::BTreeMap;

use serde_json::{Value, json};

/// Asks for what there is to ask for.
pub(crate) const SCHEMA: &str = "{ __schema { types { name kind fields(includeDeprecated: true) { name args { name } type { \
    ...T } } } } } fragment T on __Type { kind name ofType { kind name ofType { kind name ofType { kind name } } } }";

/// Ways to give an argument.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Ways {
    /// That are answered.
    Allowed,
    /// That are about something hidden, which is refused.
    AboutHidden,
}

/// In which ways each argument is given, as it stands in a document. An argument that is not here fails the test.
fn ways(argument: &str, ways: Ways) -> &'static [&'static str] {
    let (allowed, about_hidden): (&[&str], &[&str]) = match argument {
        "filters" | "filter" => (
            &[
                "{op: \"in\", content: {fieldName: \"name\", value: [\"name 1\", \"ghost\"]}}",
                "{op: \"not-in\", content: {fieldName: \"donors.sex\", value: [\"m\"]}}",
                "{op: \"not\", content: [{op: \"in\", content: {fieldName: \"status\", value: [\"open\"]}}]}",
                "{op: \"in\", content: {fieldName: \"status\", value: [\"closed\", \"__missing__\", \"*\"]}}",
                "{op: \"wildcard\", content: {fieldNames: [\"name\", \"status\"], value: \"*o*\"}}",
                "{op: \"fuzzy\", content: {fieldNames: [\"name\"], value: \"gost\"}}",
                "{op: \"gte\", content: {fieldName: \"size\", value: 501}}",
            ],
            &[
                "{op: \"in\", content: {fieldName: \"zzqx\", value: [\"secret-1\"]}}",
                "{op: \"in\", content: {fieldName: \"nickname\", value: [\"secret-*\"]}}",
                "{op: \"wildcard\", content: {fieldNames: [\"everything\", \"zzqx.words\"], value: \"*\"}}",
                "{op: \"in\", content: {fieldName: \"postcode\", value: [87654]}}",
                "{op: \"in\", content: {fieldName: \"box\", value: [\"__missing__\"]}}",
                "{op: \"not-in\", content: {fieldName: \"donors.age\", value: [\"__missing__\"]}}",
                "{op: \"and\", pivot: \"donors\", content: [{op: \"in\", content: {fieldName: \"donors.zzqx\", value: [\"x\"]}}]}",
            ],
        ),
        "sort" => (
            &[
                "[{fieldName: \"name\", order: desc}]",
                "[{fieldName: \"size\"}, {fieldName: \"donors.sex\", mode: max, missing: first}]",
                "[{fieldName: \"_score\"}]",
            ],
            &["[{fieldName: \"zzqx\"}]", "[{fieldName: \"postcode\"}]", "[{fieldName: \"donors.age\", mode: sum}]"],
        ),
        "searchAfter" => (&["[\"f1\"]", "[\"f1-ghost\"]"], &["[\"secret-1\", \"f1\"]"]),
        "first" | "last" | "max" | "size" | "precision_threshold" => (&["0", "1", "100"], &[]),
        "offset" => (&["1", "3"], &[]),
        "score" | "before" | "after" | "query" => (&["\"zzqx\""], &[]),
        "trackTotalHits" | "include_missing" | "aggregations_filter_themselves" => (&["true", "false"], &[]),
        "interval" => (&["500", "0.5"], &[]),
        "ranges" => (&["[{to: 500}, {from: 500}]", "[{from: 70000, to: 90000}]"], &[]),
        "_source" => {
            (&["[\"name\"]", "[\"zzqx\", \"box\", \"open\"]", "[\"open.closed.deep\", \"donors\"]", "[\"*\"]"], &[])
        }
        "fieldNames" | "types" => (&["[\"zzqx\", \"postcode\", \"name\"]"], &[]),
        other => panic!("say in which ways the argument {other:?} is given"),
    };
    if ways == Ways::Allowed { allowed } else { about_hidden }
}

/// Returns whether an argument can be given to the elements of `donors`: a filter or an order is about their fields.
fn fits_elements(argument: &str, way: &str) -> bool {
    match argument {
        "filters" => way.contains("\"donors.sex\""),
        "sort" => false,
        _ => true,
    }
}

/// The arguments without which a root field cannot be asked for.
fn needed(type_name: &str, field: &str) -> &'static str {
    match (type_name, field) {
        ("Root", "hasValidConfig") => "(documentType: \"file\", index: \"files\")",
        ("Root", "node") => "(id: \"f1-ghost\")",
        _ => "",
    }
}

struct Types<'s> {
    by_name: BTreeMap<&'s str, &'s Value>,
    ways: Ways,
}

impl<'s> Types<'s> {
    fn of(schema: &'s Value, ways: Ways) -> Self {
        let types = schema["types"].as_array().unwrap();
        Self { by_name: types.iter().map(|each| (each["name"].as_str().unwrap(), each)).collect(), ways }
    }

    fn fields(&self, name: &str) -> &'s [Value] {
        self.by_name[name]["fields"].as_array().map(Vec::as_slice).unwrap_or_default()
    }

    /// Returns the selection of a type; empty for one that has no fields.
    fn selection(&self, name: &str, around: &mut Vec<&'s str>) -> String {
        let mut selected = String::from("__typename");
        if self.fields(name).is_empty() {
            return String::new();
        }
        around.push(self.by_name[name]["name"].as_str().unwrap());
        for field in self.fields(name) {
            let field_name = field["name"].as_str().unwrap();
            let inner = named_type(&field["type"]);
            if around.contains(&inner) {
                continue;
            }
            let inner = match self.selection(inner, around) {
                selection if selection.is_empty() => String::new(),
                selection => format!(" {{ {selection} }}"),
            };
            let needed = needed(name, field_name);
            selected.push_str(&format!(" {field_name}{needed}{inner}"));
            if !needed.is_empty() {
                continue;
            }
            for argument in field["args"].as_array().unwrap() {
                let argument = argument["name"].as_str().unwrap();
                let is_nested = field_name == "hits" && !["file", "sets"].contains(&name);
                let given = ways(argument, self.ways).iter().filter(|way| !is_nested || fits_elements(argument, way));
                for (place, way) in given.enumerate() {
                    // What lies below was asked for without arguments; here the record and its counts are enough.
                    let inner = if around.len() > 2 && inner.len() > 4000 { " { __typename }" } else { &inner };
                    selected
                        .push_str(&format!(" {field_name}_{argument}_{place}: {field_name}({argument}: {way}){inner}"));
                }
            }
        }
        around.pop();
        selected
    }
}

fn named_type(wrapped: &Value) -> &str {
    match &wrapped["ofType"] {
        Value::Null => wrapped["name"].as_str().unwrap(),
        inner => named_type(inner),
    }
}

/// Returns a request for everything.
pub(crate) fn everything(schema: &Value, ways: Ways) -> String {
    let types = Types::of(schema, ways);
    let root = types.selection("Root", &mut vec!["Node"]);
    format!("{{ {root} __schema {{ types {{ name fields {{ name args {{ name }} }} }} }} }}")
}

/// Returns requests for every mutation. The ids of sets are new each time, so they are not asked for.
pub(crate) fn mutations(schema: &Value) -> Vec<(String, Value)> {
    let types = Types::of(schema, Ways::Allowed);
    let shown: Vec<&str> = types.fields("Set").iter().map(|field| field["name"].as_str().unwrap()).collect();
    let shown: Vec<&str> = shown.into_iter().filter(|name| !["setId", "createdAt"].contains(name)).collect();
    let shown = shown.join(" ");
    let mut requests = Vec::new();
    for mutation in types.fields("Mutation") {
        match mutation["name"].as_str().unwrap() {
            "saveSet" => {
                for path in
                    ["name", "zzqx", "nickname", "everything", "box.key", "open.closed.deep", "postcode", "donors.age"]
                {
                    for sqon in [Ways::Allowed, Ways::AboutHidden].into_iter().flat_map(|way| ways("filters", way)) {
                        requests.push((
                            format!("mutation($path: String!) {{ saveSet(type: file, path: $path, sqon: {sqon}) {{ {shown} }} }}"),
                            json!({ "path": path }),
                        ));
                    }
                }
            }
            "renameSet" => {
                let query = format!("mutation {{ renameSet(setId: \"x\", name: \"y\") {{ {shown} }} }}");
                requests.push((query, json!({})));
            }
            "shareSet" => {
                let query = format!("mutation {{ shareSet(setId: \"x\", with: [\"link\"]) {{ {shown} }} }}");
                requests.push((query, json!({})));
            }
            "deleteSet" => requests.push(("mutation { deleteSet(setId: \"x\") }".to_owned(), json!({}))),
            other => panic!("say how the mutation {other:?} is asked"),
        }
    }
    requests
}
