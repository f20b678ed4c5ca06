//! `cantata type`.

use serde_json::{Value, json};

use super::site::{Site, cells, read};

fn definition(properties: &Value) -> Value {
    json!({
        "name": "tour",
        "schema": {"type": "object", "required": ["experiment"], "properties": {
            "experiment": {"type": "object", "required": ["tissue"], "properties": properties}
        }},
        "options": {"fileTypes": ["bam"]}
    })
}

#[test]
fn types_are_registered_listed_and_shown() {
    let site = Site::new();
    let first = definition(&json!({"tissue": {"type": "string"}}));
    let file = site.file("type.json", first.to_string());
    assert_eq!(site.ok(&["type", "register", &file]), "tour version 1 is registered\n");
    let (code, stdout, stderr) =
        site.run_with_input(&["type", "register", "-", "--json"], first.to_string().as_bytes());
    assert_eq!((code, read(&stdout)), (0, json!({"name": "tour", "version": 2})), "{stderr}");

    let listed = site.json(&["type", "list", "--name", "tour"]);
    let versions: Vec<&Value> = listed.as_array().unwrap().iter().map(|found| &found["version"]).collect();
    assert_eq!(versions, [2, 1]);
    let table = site.ok(&["type", "list"]);
    let table = cells(&table);
    assert_eq!(table[0], ["name", "version", "registered", "file types"]);
    assert_eq!((table[1][0], table[1][1], table[1][3]), ("tour", "2", "bam"));
    assert_eq!(table.len(), 5, "the built-in types are there, too");

    let shown = site.json(&["type", "get", "tour", "--version", "1"]);
    assert_eq!((&shown["version"], &shown["schema"]), (&json!(1), &first["schema"]));
    let latest = site.json(&["type", "get", "tour"]);
    assert_eq!((&latest["version"], latest.get("resultSet")), (&json!(2), None));
    let rendered = site.json(&["type", "get", "tour", "--rendered"]);
    assert!(rendered["schema"]["properties"]["files"].is_object());

    site.refused(1, &["type", "get", "none"], &["analysis.type.not.found"]);
    site.refused(1, &["type", "get", "tour", "--version", "9"], &["analysis.type.not.found"]);
    let unusable = site.file("unusable.json", json!({"name": "tour", "schema": {}}).to_string());
    site.refused(1, &["type", "register", &unusable], &["schema.violation", "\n  #"]);
    site.refused(2, &["type", "register", "/none.json"], &["/none.json"]);
    let broken = site.file("broken.json", "{");
    site.refused(2, &["type", "register", &broken], &["not JSON"]);
}

#[test]
fn more_types_than_a_page_are_all_listed() {
    let site = Site::new();
    let body = definition(&json!({"tissue": {"type": "string"}})).to_string();
    for _ in 0..210 {
        assert_eq!(site.server.request("POST", "/schemas", &body).0, 200);
    }
    assert_eq!(site.json(&["type", "list", "--name", "tour"]).as_array().unwrap().len(), 210);
    assert_eq!(site.ok(&["type", "list"]).lines().count(), 213);
}

#[test]
fn versions_are_compared_with_each_other_and_with_a_file() {
    let site = Site::new();
    let first = site.file("1.json", definition(&json!({"tissue": {"type": "string"}})).to_string());
    site.ok(&["type", "register", &first]);
    site.refused(2, &["type", "diff", "tour"], &["name a FILE"]);
    assert_eq!(site.ok(&["type", "diff", "tour", &first]), "");

    let mut changed = definition(&json!({"tissue": {"type": "string", "enum": ["a"]}, "year": {"type": "integer"}}));
    changed["options"] = Value::Null;
    changed["schema"]["required"] = json!(["experiment", "more"]);
    changed["schema"]["properties"]["more"] = json!({"type": "string"});
    let second = site.file("2.json", changed.to_string());
    let expected = "+ /schema/required: \"more\"\n\
        + /schema/properties/experiment/properties/tissue/enum: [\"a\"]\n\
        + /schema/properties/experiment/properties/year: {\"type\":\"integer\"}\n\
        + /schema/properties/more: {\"type\":\"string\"}\n";
    let (code, stdout, _) = site.run(&["type", "diff", "tour", &second]);
    assert_eq!((code, stdout.as_str()), (1, expected), "options that are left out stay as they are");
    site.ok(&["type", "register", &second]);
    let (code, stdout, _) = site.run(&["type", "diff", "tour"]);
    assert_eq!((code, stdout.as_str()), (1, expected));
    let (code, stdout, _) = site.run(&["type", "diff", "tour", "--from", "2", "--to", "1", "--json"]);
    assert_eq!(code, 1);
    let differences = read(&stdout);
    assert_eq!(differences[0], json!({"path": "/schema/required", "before": "more"}));
    assert_eq!(site.ok(&["type", "diff", "tour", "--from", "2", "--to", "2"]), "");
}
