//! What is hidden stays hidden, whichever tool is asked: two servers whose indexes differ in nothing else answer alike.

use cantata_testkit::TestServer;
use serde_json::{Value, json};

use super::send;
use crate::access::index::{HIDDEN_WORDS, Variant, catalogues};

/// Messages of every sort, about what can be seen and about what cannot.
fn messages() -> Vec<(&'static str, Value)> {
    let names =
        ["name", "zzqx", "nickname", "everything", "postcode", "box.key", "donors.sex", "donors.age", "zzqx.words"];
    let filters = names.map(|name| json!({"op": "not-in", "content": {"fieldName": name, "value": ["secret-1", "x"]}}));
    let call = |tool: &str, arguments: Value| ("tools/call", json!({"name": tool, "arguments": arguments}));
    let mut messages = vec![
        call("list_catalogues", json!({})),
        call("get_catalogue_fields", json!({"catalogueId": "files"})),
        ("resources/list", json!({})),
        ("resources/read", json!({"uri": "arranger://introspection/catalog/files"})),
        ("prompts/get", json!({"name": "query_arranger", "arguments": {"goal": "everything"}})),
    ];
    for (name, filter) in names.iter().zip(filters) {
        let clauses = json!([{"fieldName": name, "operator": "in", "value": "x"}]);
        messages.push(call("build_sqon", json!({"catalogueId": "files", "combination": "and", "clauses": clauses})));
        for sqon in [filter, json!({"op": "and", "content": []})] {
            let query = json!({"catalogueId": "files", "sqon": sqon, "queryType": "both", "fields": [name],
                "aggregationFields": [name], "sort": [{"fieldName": name}]});
            messages.push(call("execute_query", query));
            let query = json!({"catalogueId": "files", "sqon": sqon, "queryType": "both", "fields": ["name", "donors.sex"],
                "aggregationFields": ["size", "made", "donors.sex"]});
            messages.push(call("execute_query", query));
        }
    }
    messages
}

#[tokio::test]
async fn every_tool_shows_the_same() {
    let plain = TestServer::with_catalogues(catalogues(Variant::Plain)).await;
    let secrets = TestServer::with_catalogues(catalogues(Variant::WithSecrets)).await;
    let mut found = 0;
    for (method, params) in messages() {
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let mut answers = Vec::new();
        for server in [&plain, &secrets] {
            answers.push(without_moments(send(server, &message, &[]).await.text()));
        }
        assert_eq!(answers[0], answers[1], "{message}");
        found += usize::from(answers[0].contains("\"total\":"));
        let asked = message.to_string();
        for word in HIDDEN_WORDS.into_iter().filter(|word| !asked.contains(word)) {
            assert!(!answers[0].contains(word), "{word} is in the answer to {message}: {}", answers[0]);
        }
    }
    assert!(found > 10, "{found}");
}

/// Returns an answer without the moment at which a catalogue was built, which may stand in a text within it.
fn without_moments(answer: &str) -> String {
    let mut parts = answer.split("generatedAt");
    let first = parts.next().unwrap().to_owned();
    parts.fold(first, |text, part| text + part.split_once('Z').unwrap().1)
}
