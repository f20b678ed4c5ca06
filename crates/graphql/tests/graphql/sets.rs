//! Saved sets: commands and what is shown of them.

use cantata_engine::{Cursor, Filter, Hit, HitsResult};
use cantata_graphql::{GraphqlErrorCode, PlanResults, SetCommand, SetCommandOutcome, saved_sets_mapping};
use cantata_mapping::TypedValue;
use serde_json::{Value, json};

use crate::sample::{plan, refused, request, schema, schema_with};

const SAVE: &str = "mutation($sqon: JSON!, $path: String!) { saveSet(type: file, sqon: $sqon, path: $path, userId: \"u\", \
                    name: \"n\", sort: [{fieldName: \"size\"}], refresh: WAIT_FOR) { setId size ids __typename } }";

fn variables(path: &str) -> Value {
    json!({ "sqon": { "op": "in", "content": { "fieldName": "tags", "value": "a" } }, "path": path })
}

#[test]
fn saving_is_a_command() {
    let schema = schema();
    assert!(schema.prepare(&request(SAVE, variables("tags"))).unwrap().is_mutation());
    let planned = plan(&schema, SAVE, variables("donors__specimens__type"));
    assert!(planned.records.is_none() && planned.sets.is_none());
    let [SetCommand::SaveSet(set)] = planned.commands.as_slice() else { panic!("{:?}", planned.commands) };
    assert_eq!((set.document_type.as_str(), set.path.as_str()), ("file", "donors__specimens__type"));
    assert_eq!((set.user_id.as_deref(), set.name.as_deref(), set.sort.len()), (Some("u"), Some("n"), 1));
    assert_eq!(set.sqon, variables("")["sqon"]);
    assert!(matches!(&set.filter, Filter::Terms { field, .. } if field == "tags"));
    let hit = |document: Value| Hit {
        cursor: Cursor { values: Vec::new(), id: "R".to_owned() },
        document: Some(document.into()),
        score: None,
    };
    let document = json!({ "donors": [{ "specimens": [{ "type": "x" }, { "type": ["y", 7] }] }, {}] });
    assert_eq!(set.members_of(&hit(document)), ["x", "y", "7"]);
    assert_eq!(set.members_of(&hit(json!({}))), ["R"]);
}

#[test]
fn outcomes_are_shown_as_selected() {
    let planned = plan(&schema(), SAVE, variables("tags"));
    let written = |outcome: SetCommandOutcome| -> Value {
        let answers = PlanResults { commands: vec![outcome], ..PlanResults::default() };
        serde_json::from_slice(&planned.write(&answers).body).unwrap()
    };
    assert_eq!(
        written(SetCommandOutcome::Set(json!({ "setId": "s", "ids": ["a"], "size": 1, "userId": "u" }))),
        json!({ "data": { "saveSet": { "setId": "s", "size": 1, "ids": ["a"], "__typename": "Set" } } })
    );
    assert_eq!(
        written(SetCommandOutcome::Failed { code: GraphqlErrorCode::InternalServerError, message: "no".to_owned() }),
        json!({ "data": { "saveSet": null }, "errors": [
            { "message": "no", "path": ["saveSet"], "extensions": { "code": "INTERNAL_SERVER_ERROR" } }
        ] })
    );
}

#[test]
fn the_type_may_be_an_enum_or_a_string() {
    for query in [
        "mutation { saveSet(type: file, sqon: {}, path: \"tags\") { setId } }",
        "mutation { saveSet(type: \"file\", sqon: {}, path: \"tags\") { setId } }",
        "mutation($t: String!) { saveSet(type: $t, sqon: {}, path: \"tags\") { setId } }",
        "mutation($t: DocumentType!) { saveSet(type: $t, sqon: {}, path: \"tags\") { setId } }",
    ] {
        assert_eq!(plan(&schema(), query, json!({ "t": "file" })).commands.len(), 1, "{query}");
    }
    let query = "mutation($t: String!) { saveSet(type: $t, sqon: {}, path: \"tags\") { setId } }";
    assert_eq!(
        refused(&schema(), query, json!({ "t": "donor" })).1["errors"][0]["extensions"]["code"],
        "BAD_USER_INPUT"
    );
    let of_sets = plan(&schema(), query, json!({ "t": "sets" }));
    assert!(of_sets.commands.is_empty());
    let by_score =
        "mutation { saveSet(type: file, sqon: {}, path: \"tags\", sort: [{fieldName: \"_score\"}]) { setId } }";
    assert!(plan(&schema(), by_score, json!({})).commands.is_empty(), "members are not sorted by relevance");
}

#[test]
fn sets_are_renamed_and_deleted() {
    let query = "mutation { a: renameSet(setId: \"s\", name: \"n\") { name } b: deleteSet(setId: \"t\") }";
    let planned = plan(&schema(), query, json!({}));
    assert_eq!(
        planned.commands,
        [
            SetCommand::RenameSet { set_id: "s".to_owned(), name: "n".to_owned() },
            SetCommand::DeleteSet { set_id: "t".to_owned() }
        ]
    );
    let commands = vec![SetCommandOutcome::Set(Value::Null), SetCommandOutcome::Deleted(true)];
    let body = planned.write(&PlanResults { commands, ..PlanResults::default() }).body;
    assert_eq!(serde_json::from_slice::<Value>(&body).unwrap(), json!({ "data": { "a": null, "b": true } }));
}

#[test]
fn sets_are_searched_in_their_own_index() {
    let query = "query($f: JSON) { sets { hits(filters: $f) { total edges { node { setId ids sqon size } } } } file { hits { \
        total } } }";
    let filter = json!({ "op": "in", "content": { "fieldName": "userId", "value": "u" } });
    let planned = plan(&schema(), query, json!({ "f": filter }));
    assert_eq!(planned.records.as_ref().unwrap().hits.len(), 1);
    // Sets that were saved under the rules of some catalogue are not for one without rules.
    let terms = Filter::Terms { field: "userId".to_owned(), values: vec![TypedValue::Text("u".to_owned())] };
    let unlabelled = Filter::Not(Box::new(Filter::Exists { field: "view".to_owned() }));
    assert_eq!(planned.sets.as_ref().unwrap().filters, [Filter::And(vec![unlabelled, terms])]);
    let page = |hits: Vec<Hit>| HitsResult { total: Some(1), hits };
    let document = json!({ "setId": "s", "ids": ["a", "b"], "size": 2, "sqon": { "op": "and", "content": [1, 2] } });
    let hit = Hit {
        cursor: Cursor { values: Vec::new(), id: "s".to_owned() },
        document: Some(document.clone().into()),
        score: None,
    };
    let answer = |hits| Some(Ok(cantata_engine::SearchResponse { hits: vec![page(hits)], facets: Vec::new() }));
    let results = PlanResults { records: answer(Vec::new()), sets: answer(vec![hit]), ..PlanResults::default() };
    let body = planned.write(&results).body;
    assert_eq!(
        serde_json::from_slice::<Value>(&body).unwrap(),
        json!({ "data": {
            "sets": { "hits": { "total": 1, "edges": [{ "node": document }] } },
            "file": { "hits": { "total": 1 } }
        } })
    );
    assert!(saved_sets_mapping()["properties"]["ids"].is_object());
}

#[test]
fn sets_can_be_switched_off() {
    let schema = schema_with(json!({ "enableSets": false }));
    for query in ["{ sets { hits { total } } }", "mutation { deleteSet(setId: \"t\") }"] {
        let planned = plan(&schema, query, json!({}));
        assert!(planned.commands.is_empty() && planned.sets.is_none());
        let body: Value = serde_json::from_slice(&planned.write(&PlanResults::default()).body).unwrap();
        assert!(body["errors"][0]["message"].as_str().unwrap().contains("enableSets"));
    }
}
