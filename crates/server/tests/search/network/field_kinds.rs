//! Hiding and suppression hold over a network for every kind of field.

use cantata_testkit::fault_proxy::{Fault, FaultProxy};
use cantata_testkit::{TestCatalogues, TestServer};
use serde_json::{Value, json};

use super::{NODES, ask, network, node_of, remote, start};
use crate::support::{leaf, refused};

/// A field of each kind: its path, whether it has statistics, and a value that some documents have.
fn kinds() -> Vec<(&'static str, bool, Value)> {
    vec![
        ("word", false, json!("w1")),
        ("note", false, json!("note 1")),
        ("note.raw", false, json!("note 1")),
        ("whole", true, json!(1)),
        ("fraction", true, json!(0.5)),
        ("day", true, json!("2020-01-02T00:00:00Z")),
        ("moment", false, json!("2020-01-02T00:00:00Z")),
        ("flag", false, json!(true)),
        ("address", false, json!("10.0.0.1")),
        ("code", false, json!("w1")),
        ("large", true, json!(1)),
        ("scaled", true, json!(0.5)),
        ("box.inner", false, json!("w1")),
        ("donors.gender", false, json!("g1")),
        ("donors.age", true, json!(1)),
    ]
}

fn flat(path: &str) -> String {
    path.replace('.', "__")
}

fn mapping() -> Value {
    json!({"properties": {
        "open": {"type": "keyword"},
        "word": {"type": "keyword"},
        "note": {"type": "text", "fields": {"raw": {"type": "keyword"}}},
        "whole": {"type": "long"},
        "fraction": {"type": "double"},
        "day": {"type": "date"},
        "moment": {"type": "date_nanos"},
        "flag": {"type": "boolean"},
        "address": {"type": "ip"},
        "code": {"type": "wildcard"},
        "large": {"type": "unsigned_long"},
        "scaled": {"type": "scaled_float", "scaling_factor": 10},
        "box": {"properties": {"inner": {"type": "keyword"}}},
        "donors": {"type": "nested", "properties": {"gender": {"type": "keyword"}, "age": {"type": "integer"}}},
    }})
}

fn document(number: usize) -> Value {
    let few = number % 4;
    json!({
        "open": "o", "word": format!("w{few}"), "note": format!("note {few}"), "whole": few, "fraction": few as f64 / 2.0,
        "day": format!("2020-01-{:02}T00:00:00Z", few + 1), "flag": few == 1, "box": {"inner": format!("w{few}")},
        "donors": [{"gender": format!("g{few}"), "age": few}], "moment": format!("2020-01-{:02}T00:00:00Z", few + 1),
        "address": format!("10.0.0.{few}"), "code": format!("w{few}"), "large": few, "scaled": few as f64 / 2.0,
    })
}

/// A catalogue with this many documents and access rules.
fn catalogue(documents: usize, access: Option<&Value>) -> TestCatalogues {
    let documents: Vec<(String, Value)> =
        (0..documents).map(|number| (format!("f{number}"), document(number))).collect();
    let catalogues = TestCatalogues::new()
        .file("base.json", &json!({"documentType": "file", "esIndex": "files"}))
        .index("files", &mapping(), documents.iter().map(|(id, document)| (id.as_str(), document.clone())));
    match access {
        Some(access) => catalogues.file("access.json", &json!({"access": access})),
        None => catalogues,
    }
}

/// Returns the selection of all that a facet on each field can show.
fn facets() -> String {
    let facet = |(path, has_stats, _): (&str, bool, Value)| {
        // The step is a day, since a histogram of dates by milliseconds would have too many of them.
        let numbers = "stats { count sum min max avg } histogram(interval: 86400000) { buckets { key doc_count } } \
                       range(ranges: [{from: 0}]) { buckets { key doc_count } }";
        let numbers = if has_stats { numbers } else { "" };
        format!("{} {{ bucket_count buckets {{ key doc_count }} {numbers} }}", flat(path))
    };
    kinds().into_iter().map(facet).collect::<Vec<_>>().join(" ")
}

#[tokio::test]
async fn a_hidden_or_masked_field_of_any_kind_cannot_be_asked() {
    let other = TestServer::with_catalogues(catalogue(8, None)).await;
    for restriction in ["hide", "mask"] {
        // A multi-field is hidden with its field.
        for (path, _, value) in kinds().into_iter().filter(|(path, ..)| *path != "note.raw") {
            let rules = json!({"records": [{"scope": "*", "filter": null}], "fields": [{restriction: [path]}]});
            let remotes = [remote("other", other.base(), json!({}))];
            let server = start(catalogue(2, Some(&rules)), &network(&remotes)).await;
            for part in ["aggregations", "nodes { aggregations"] {
                let close = if part == "aggregations" { "" } else { " }" };
                let query = format!("{{ network {{ {part} {{ {} {{ bucket_count }} }}{close} }} }}", flat(path));
                let answer = server.graphql("/graphql", &query, &json!({})).await;
                let message = refused(&answer, 400, "GRAPHQL_VALIDATION_FAILED");
                assert!(message.contains(&format!("Cannot query field \"{}\"", flat(path))), "{path}: {message}");
            }
            let query = "query($f: JSON) { network(filters: $f) { nodes { hits } } }";
            let covered = if path == "note" { vec!["note", "note.raw"] } else { vec![path] };
            for name in covered.into_iter().flat_map(|path| [path.to_owned(), flat(path)]) {
                let filter = json!({"f": leaf("in", &name, json!([value]))});
                let answer = server.graphql("/graphql", query, &filter).await;
                let message = refused(&answer, 200, "BAD_USER_INPUT");
                assert!(message.contains("no node of the network has a field"), "{name}: {message}");
            }
            let described = server.get("/introspection/fields").await.ok();
            assert!(described["network"]["fields"].get(flat(path)).is_none(), "{path}: {}", described["network"]);
        }
    }
}

#[tokio::test]
async fn what_a_node_hides_is_missing_there_and_in_the_answer() {
    let paths: Vec<&str> = kinds().iter().map(|(path, ..)| *path).filter(|path| *path != "note.raw").collect();
    let rules = json!({"records": [{"scope": "*", "filter": null}], "fields": [{"hide": paths}]});
    let closed = TestServer::with_catalogues(catalogue(40, Some(&rules))).await;
    for kind in ["arranger", "cantata"] {
        let remotes = [remote("closed", closed.base(), json!({"kind": kind}))];
        let server = start(catalogue(3, None), &network(&remotes)).await;
        let selection = format!("{NODES} aggregations {{ {} }}", facets());
        let answer = ask(&server, "", &selection, &json!({})).await;
        let state = node_of(&answer, "closed");
        assert_eq!((&state["hits"], &answer["complete"]), (&json!(40), &json!(false)));
        assert_eq!(state["missingFields"].as_array().map(Vec::len), Some(kinds().len()), "{state}");
        for (path, ..) in kinds() {
            let buckets = answer["aggregations"][flat(path)]["buckets"].as_array().unwrap();
            let mut of_values = buckets.iter().filter(|bucket| bucket["key"] != "___aggregation_not_available___");
            // Every value has ten records there, and one to three here.
            assert!(of_values.all(|bucket| bucket["doc_count"].as_u64().unwrap() <= 3), "{path}: {buckets:?}");
            assert!(buckets.len() > 1, "{path}: {buckets:?}");
        }
    }
}

/// Collects every count of an answer with where it is.
fn counts_in(value: &Value, place: &str, found: &mut Vec<(String, u64)>) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                match (name.as_str(), member.as_u64()) {
                    ("doc_count" | "hits", Some(count)) => {
                        let key = members.get("key").or(members.get("name")).and_then(Value::as_str);
                        found.push((format!("{place}/{}", key.unwrap_or_default()), count));
                    }
                    _ => counts_in(member, &format!("{place}/{name}"), found),
                }
            }
        }
        Value::Array(list) => {
            for (index, element) in list.iter().enumerate() {
                // Buckets are known by their keys, nodes by their order.
                let is_bucket = element.get("doc_count").is_some();
                let inner = if is_bucket { place.to_owned() } else { format!("{place}/{index}") };
                counts_in(element, &inner, found);
            }
        }
        _ => {}
    }
}

#[tokio::test]
async fn no_count_of_any_kind_of_field_and_no_difference_of_counts_is_small() {
    const THRESHOLD: u64 = 5;
    let suppressed = json!({"records": [{"scope": "*", "filter": null}], "suppress": {"below": THRESHOLD}});
    let strict = TestServer::with_catalogues(catalogue(27, Some(&suppressed))).await;
    let open = TestServer::with_catalogues(catalogue(19, None)).await;
    let remotes = [remote("strict", strict.base(), json!({"kind": "cantata"})), remote("open", open.base(), json!({}))];
    let server = start(catalogue(14, None), &network(&remotes)).await;
    let facets = facets();
    let selection =
        format!("suppressedBelow {NODES} byNode: nodes {{ aggregations {{ {facets} }} }} aggregations {{ {facets} }}");
    let subsets: [&[&str]; 7] = [
        &["own"],
        &["open"],
        &["strict"],
        &["own", "open"],
        &["own", "strict"],
        &["open", "strict"],
        &["own", "open", "strict"],
    ];
    let mut filters = vec![Value::Null];
    filters.extend(kinds().into_iter().map(|(path, _, value)| leaf("in", path, json!([value]))));
    for filter in filters {
        let mut answers = Vec::new();
        for subset in subsets {
            let arguments = format!("filters: $f, nodesFilter: {}", json!(subset));
            let answer = ask(&server, &arguments, &selection, &json!({"f": filter})).await;
            assert_eq!(answer["suppressedBelow"], THRESHOLD);
            let by_node = answer["byNode"].as_array().unwrap().iter();
            for aggregations in by_node.map(|node| &node["aggregations"]).chain([&answer["aggregations"]]) {
                for (path, ..) in kinds() {
                    for member in ["stats", "histogram", "range"] {
                        assert_eq!(aggregations[flat(path)][member], Value::Null, "{member} of {path} with {filter}");
                    }
                }
            }
            let mut found = Vec::new();
            counts_in(&answer, "", &mut found);
            assert!(found.len() >= 3, "{answer}");
            assert!(found.iter().all(|(_, count)| count.is_multiple_of(THRESHOLD)), "{filter}: {found:?}");
            answers.push(found);
        }
        // What a client could work out from two answers: how many more the one has at the same place.
        for one in &answers {
            for other in &answers {
                for (place, count) in one {
                    let without = other.iter().find(|(known, _)| known == place).map_or(0, |(_, count)| *count);
                    let difference = count.abs_diff(without);
                    assert!(difference.is_multiple_of(THRESHOLD), "{place} with {filter}: {count} and {without}");
                }
            }
        }
    }
}

#[tokio::test]
async fn no_header_of_a_node_and_no_text_of_its_errors_reaches_a_client() {
    let other = TestServer::with_catalogues(catalogue(4, None)).await;
    let proxy = FaultProxy::start(other.base());
    let more = json!({"kind": "cantata", "token": "secret-token"});
    let server = start(catalogue(2, None), &network(&[remote("other", &proxy.url(), more)])).await;
    let good = json!({"data": {"file": {"hits": {"total": 4}}}, "errors": [{"message": "secret-error"}]});
    let bad = json!({"errors": [{"message": "secret-error", "extensions": {"code": "INTERNAL_SERVER_ERROR"}}]});
    let body = json!({"query": format!("{{ network {{ {NODES} }} }}")});
    for (header, answer) in [
        ("x-secret: secret-header", &good),
        ("set-cookie: secret-header=1", &good),
        ("x-cantata-version: secret-version", &good),
        ("www-authenticate: Basic realm=\"secret-header\"", &bad),
    ] {
        proxy.set_for_path("/graphql", Fault::Answer(header, answer.to_string())).await;
        let response = server.post("/graphql", &body).await;
        response.assert_status(200);
        assert!(!response.text().contains("secret"), "{}", response.text());
        assert!(!format!("{:?}", response.headers).contains("secret"), "{:?}", response.headers);
    }
    for path in ["/introspection/fields", "/introspection", "/metrics"] {
        let text = server.get(path).await.text().to_owned();
        assert!(!text.contains("secret") && !text.contains(&proxy.url()), "{path}: {text}");
    }
}
