//! `POST /schemas`: what cannot be registered.

use cantata_testkit::{TestServer, minimal_type};
use serde_json::{Value, json};

use crate::support::violations;

const ORIGIN: &str = "AnalysisTypeService";

fn with_schema(schema: &Value) -> Value {
    json!({"name": "t", "schema": schema})
}

/// A schema that can be registered, with one member changed or, with null, left out.
fn changed(member: &str, value: Value) -> Value {
    let mut body = minimal_type("t");
    if value.is_null() {
        body["schema"].as_object_mut().unwrap().remove(member);
    } else {
        body["schema"][member] = value;
    }
    body
}

#[tokio::test]
async fn names_that_cannot_be_used() {
    let server = TestServer::start().await;
    for name in ["", "a b", "a/b", "é", "a\u{0}", "a\n"] {
        let text = format!("The analysisTypeId name '{name}' does not match the regex: ^[a-zA-Z0-9\\._-]+$");
        server.post("/schemas", &minimal_type(name)).await.assert_error(400, ORIGIN, "malformed.parameter", &text);
    }
    let long = "x".repeat(226);
    let text = format!("The analysisTypeId name '{long}' has 226 characters, but may have 225 at most");
    server.post("/schemas", &minimal_type(&long)).await.assert_error(400, ORIGIN, "malformed.parameter", &text);
    server.post("/schemas", &minimal_type("registration")).await.assert_error(
        400,
        ORIGIN,
        "illegal.analysis.type.name",
        "Cannot register an analysisType with name 'registration'",
    );
    for body in [json!({"schema": {}}), json!({"name": null, "schema": {}}), json!({})] {
        let text = "The analysisType name field cannot be null";
        server.post("/schemas", &body).await.assert_error(400, ORIGIN, "malformed.parameter", text);
    }
    let text = "#/name: expected a string, found: 5";
    server.post("/schemas", &json!({"name": 5})).await.assert_error(400, ORIGIN, "malformed.request.body", text);
}

#[tokio::test]
async fn the_name_is_checked_before_the_schema() {
    let server = TestServer::start().await;
    server.post("/schemas", &json!({"name": "a b", "schema": {}})).await.assert_error_id(400, "malformed.parameter");
    let reserved = json!({"name": "registration", "schema": {}});
    server.post("/schemas", &reserved).await.assert_error_id(400, "illegal.analysis.type.name");
}

#[tokio::test]
async fn schemas_that_are_missing_or_no_objects() {
    let server = TestServer::start().await;
    for body in [json!({"name": "t"}), json!({"name": "t", "schema": null})] {
        let text = "Schema field cannot be null";
        server.post("/schemas", &body).await.assert_error(400, ORIGIN, "schema.violation", text);
    }
    for (schema, found) in
        [(json!(true), "Boolean"), (json!("x"), "String"), (json!([]), "JSONArray"), (json!(1), "Integer")]
    {
        let text = format!("#: expected type: JSONObject, found: {found}");
        server.post("/schemas", &with_schema(&schema)).await.assert_error(400, ORIGIN, "schema.violation", &text);
    }
}

#[tokio::test]
async fn schemas_that_break_the_schema_of_schemas() {
    let server = TestServer::start().await;
    let boolean = "#: expected type: Boolean, found: JSONObject";
    let mut cases: Vec<(Value, Vec<String>)> = vec![
        (
            with_schema(&json!({})),
            vec!["#: required key [properties] not found".into(), "#: required key [type] not found".into()],
        ),
        (changed("type", Value::Null), vec!["#: required key [type] not found".into()]),
        (changed("type", json!("object-misspelt")), vec!["#/type: ".into()]),
        (changed("properties", Value::Null), vec!["#: required key [properties] not found".into()]),
        (changed("properties", json!({})), vec!["#/properties: required key [experiment] not found".into()]),
        (
            changed("properties", json!({"experiment": "object"})),
            vec!["#/properties/experiment: expected type: JSONObject, found: String".into()],
        ),
        (
            changed("required", json!([])),
            vec!["#/required: expected at least one array item to match 'contains' schema".into()],
        ),
        (
            changed("required", json!(["experiment", "experiment"])),
            vec!["#/required: array items are not unique".into()],
        ),
        (
            changed("required", json!(["experiment", 5])),
            vec!["#/required/1: expected type: String, found: Integer".into()],
        ),
        (changed("definitions", json!([])), vec!["#/definitions: expected type: JSONObject, found: JSONArray".into()]),
    ];
    for key in ["$id", "$schema", "title", "description", "allOf", "if", "additionalProperties", "$comment"] {
        cases.push((changed(key, json!("x")), vec![format!("#: extraneous key [{key}] is not permitted")]));
    }
    for name in ["studyId", "analysisId", "analysisState", "analysisType", "analysisTypeId", "files", "createdAt"] {
        let properties = json!({"experiment": {"type": "object"}, name: {"type": "string"}});
        let text = format!("#/properties/{name}: subject must not be valid against schema {{}}");
        cases.push((changed("properties", properties), vec![text]));
    }
    for name in ["analysisType", "common", "file"] {
        let text = format!("#/definitions/{name}: this name is reserved (analysisType, common, file); choose another");
        cases.push((changed("definitions", json!({name: {"type": "string"}})), vec![text]));
    }
    for (body, mut expected) in cases {
        let message = server.post("/schemas", &body).await.assert_error_id(400, "schema.violation");
        assert!(message.starts_with("[AnalysisTypeService::schema.violation] - "), "{message}");
        expected.push(boolean.to_owned());
        expected.sort();
        assert_eq!(violations(&message), expected, "{body}");
    }
    let message = server.post("/schemas", &changed("required", Value::Null)).await;
    let message = message.assert_error_id(400, "schema.violation");
    assert!(message.contains("required"), "{message}");
}

#[tokio::test]
async fn an_experiment_that_is_not_described_as_an_object() {
    let server = TestServer::start().await;
    for experiment in
        [json!({}), json!({"type": "string"}), json!({"type": "array"}), json!({"type": ["object", "null"]})]
    {
        let text = "#/properties/experiment: it describes other values than objects, but experiment is an object; add \
                    \"type\": \"object\"";
        let refused = server.post("/schemas", &changed("properties", json!({"experiment": experiment}))).await;
        refused.assert_error(400, ORIGIN, "schema.violation", text);
    }
}

#[tokio::test]
async fn schemas_that_are_no_json_schemas() {
    let server = TestServer::start().await;
    let experiment = |schema: Value| changed("properties", json!({"experiment": schema}));
    for (body, text) in [
        (
            experiment(json!({"type": "object", "properties": {"something": {"type": {"a": 1}}}})),
            "#/properties/experiment/properties/something/type: expected type is one of JsonArray or String, \
             found: JsonObject",
        ),
        (experiment(json!({"type": "strng"})), "#/properties/experiment: unknown type: [strng]"),
        (
            experiment(json!({"type": "object", "properties": {"a": {"$ref": "#/definitions/none"}}})),
            "#: key [definitions] not found",
        ),
    ] {
        server.post("/schemas", &body).await.assert_error(400, ORIGIN, "malformed.json.schema", text);
    }
    for schema in [
        json!({"type": "object", "required": "x"}),
        json!({"type": "object", "properties": {"a": {"pattern": "(["}}}),
        json!({"type": "object", "properties": {"a": {"minLength": -1}}}),
        json!({"type": "object", "properties": {"a": {"$ref": "http://127.0.0.1:1/other.json"}}}),
        json!({"type": "object", "properties": {"a": {"$ref": "file:///etc/passwd"}}}),
    ] {
        let message = server.post("/schemas", &experiment(schema.clone())).await;
        message.assert_error_id(400, "malformed.json.schema");
    }
    assert_eq!(server.get("/schemas?names=t").await.ok()["count"], 0, "nothing refused is stored");
}

#[tokio::test]
async fn options_of_the_wrong_type() {
    let server = TestServer::start().await;
    for options in [
        json!(5),
        json!([]),
        json!({"fileTypes": "bam"}),
        json!({"fileTypes": [1]}),
        json!({"externalValidations": {}}),
        json!({"externalValidations": [{"url": "http://x/{value}"}]}),
        json!({"externalValidations": [{"url": 1, "jsonPath": "a"}]}),
        json!({"externalValidations": [["http://x/{value}", "a"]]}),
        json!({"fileTyps": ["bam"]}),
        json!({"externalValidations": [{"url": "http://x/{value}", "jsonPath": "a", "method": "PUT"}]}),
    ] {
        let mut body = minimal_type("t");
        body["options"] = options;
        let message = server.post("/schemas", &body).await.assert_error_id(400, "malformed.request.body");
        assert!(message.starts_with("[AnalysisTypeService::malformed.request.body] - #/options"), "{message}");
        assert!(message.ends_with("a list of objects with url and jsonPath"), "{message}");
        assert!(!message.contains("struct"), "{message}");
    }
    for (options, place) in [
        (json!([]), "#/options: expected type: JSONObject, found: JSONArray; "),
        (json!({"fileTyps": []}), "#/options/fileTyps: this option does not exist; "),
        (json!({"fileTypes": ["a", 1]}), "#/options/fileTypes/1: expected type: String, found: Integer; "),
        (json!({"externalValidations": [[]]}), "#/options/externalValidations/0: expected type: JSONObject, found: "),
    ] {
        let mut body = minimal_type("t");
        body["options"] = options;
        let message = server.post("/schemas", &body).await.assert_error_id(400, "malformed.request.body");
        assert!(message.contains(place), "{message}");
    }
}

#[tokio::test]
async fn external_validations_that_could_never_check_anything() {
    let server = TestServer::start().await;
    let register = async |url: &str, path: &str| {
        let mut body = minimal_type("t");
        body["options"] = json!({"externalValidations": [{"url": url, "jsonPath": path}]});
        server.post("/schemas", &body).await
    };
    for path in ["", "$", "$.", "/experiment/donor", "items[", "items[a]", " experiment.donor", "..donor"] {
        let refused = register("http://example.org/{value}", path).await;
        let text = format!(
            "#/options/externalValidations/0/jsonPath: '{path}' is no path; write it like experiment.donorId or \
             samples[*].donorId"
        );
        refused.assert_error(400, ORIGIN, "malformed.parameter", &text);
    }
    for (url, reason) in [
        ("", "it is not an address"),
        ("/donors/{value}", "it is not an address"),
        ("example.org/{value}", "it is not an address"),
        ("file:///etc/passwd", "its scheme is 'file'"),
        ("ftp://example.org/{value}", "its scheme is 'ftp'"),
        ("http://example.org/{donor}", "unknown token '{donor}'"),
        ("http://{value}.example.org/", "is part of the server's name"),
        ("http://{study}.example.org/{value}", "is part of the server's name"),
        ("http://user:secret@example.org/{value}", "it has a user or a password"),
        ("http://user@example.org/{value}", "it has a user or a password"),
    ] {
        let message = register(url, "experiment.donor").await.assert_error_id(400, "malformed.parameter");
        let start = "[AnalysisTypeService::malformed.parameter] - #/options/externalValidations/0/url: ";
        assert!(message.starts_with(start) && message.contains(reason), "{url}: {message}");
        assert!(!message.contains("secret"), "{message}");
    }
    assert_eq!(server.get("/schemas?names=t").await.ok()["count"], 0, "nothing refused is stored");
    for path in ["experiment.donor", "$.experiment.donor", "$['experiment']['donor']", "$..donor", "samples[*].donor"] {
        register("https://example.org/{study}/{value}", path).await.ok();
    }
}
