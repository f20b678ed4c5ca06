//! What is reported about configuration files, word for word.

use cantata_catalogue::{CatalogueConfig, ConfigDefaults, ConfigProblem};
use serde_json::{Value, json};

/// Reads a configuration and returns what is said of it, errors marked.
fn problems(value: Value) -> Vec<String> {
    let problems = match CatalogueConfig::from_value("files", &value, &ConfigDefaults::default()) {
        Ok(config) => config.warnings,
        Err(problems) => problems,
    };
    let shown = |problem: &ConfigProblem| format!("{}{problem}", if problem.is_error() { "! " } else { "" });
    problems.iter().map(shown).collect()
}

#[test]
fn every_kind_of_problem_is_reported_with_its_key() {
    let cases = [
        (
            json!({ "maxDepth": "7" }),
            "! configuration, `maxDepth`: found the string \"7\", expected a whole number from 1 to 2147483647",
        ),
        (
            json!({ "maxDepth": 0 }),
            "! configuration, `maxDepth`: found the number 0, expected a whole number from 1 to 2147483647",
        ),
        (
            json!({ "maxAliases": -1 }),
            "! configuration, `maxAliases`: found the number -1, expected a whole number from 0 to 2147483647",
        ),
        (
            json!({ "maxAliases": 1.5 }),
            "! configuration, `maxAliases`: found the number 1.5, expected a whole number from 0 to 2147483647",
        ),
        (
            json!({ "documentType": 5 }),
            "! configuration, `documentType`: found the number 5, expected a string that is not empty",
        ),
        (
            json!({ "esIndex": " " }),
            "! configuration, `esIndex`: found the string \" \", expected a string that is not empty",
        ),
        (
            json!({ "enableSets": "yes" }),
            "! configuration, `enableSets`: found the string \"yes\", expected true or false",
        ),
        (
            json!({ "catalogId": "a/b" }),
            "! configuration, `catalogId`: found \"a/b\", expected an id without spaces, slashes, ?, # and %",
        ),
        (json!({ "table": [] }), "! configuration, `table`: found a list, expected an object"),
        (
            json!({ "table": { "columns": {} } }),
            "! configuration, `table.columns`: found an object, expected a list of objects",
        ),
        (
            json!({ "table": { "columns": ["x"] } }),
            "! configuration, `table.columns[0]`: found the string \"x\", expected an object",
        ),
        (
            json!({ "table": { "columns": [{ "fieldName": "x", "show": 1 }] } }),
            "! configuration, `table.columns[0].show`: found the number 1, expected true or false",
        ),
        (
            json!({ "table": { "maxResultsWindow": null, "maxResultWindow": 5 } }),
            "configuration, `table.maxResultWindow`: found an unknown key, which is ignored, expected a known key, such as `maxResultsWindow`",
        ),
        (
            json!({ "extended": [{ "displayName": "X" }] }),
            "! configuration, `extended[0].fieldName`: found nothing, expected the dotted path of a field",
        ),
        (
            json!({ "extended": [{ "fieldName": "x", "rangeStep": "1" }] }),
            "! configuration, `extended[0].rangeStep`: found the string \"1\", expected a number",
        ),
        (
            json!({ "extended": [{ "fieldName": "x", "displayValues": [] }] }),
            "! configuration, `extended[0].displayValues`: found a list, expected an object",
        ),
        (
            json!({ "facets": { "aggregations": [{ "fieldName": "x", "active": true }] } }),
            "configuration, `facets.aggregations[0].active`: found an unknown key, which is ignored, expected a known key, such as `isActive`",
        ),
        (
            json!({ "facets": { "zzz": 1 } }),
            "configuration, `facets.zzz`: found an unknown key, which is ignored, expected one of the known keys: aggregations",
        ),
        (
            json!({ "matchbox": [{ "fieldName": "x", "searchFields": [1] }] }),
            "! configuration, `matchbox[0].searchFields`: found a list, expected a list of strings",
        ),
        (
            json!({ "downloads": { "maxRow": 1 } }),
            "configuration, `downloads.maxRow`: found an unknown key, which is ignored, expected a known key, such as `maxRows`",
        ),
        (json!({ "charts": "query" }), "! configuration, `charts`: found the string \"query\", expected an object"),
        (
            json!({ "network": { "remoteNodes": [{ "displayName": "N", "documentType": "file" }] } }),
            "! configuration, `network.remoteNodes[0].graphqlUrl`: found nothing, expected the address of the other server",
        ),
        (
            json!({ "sets": { "index": 1 } }),
            "! configuration, `sets.index`: found the number 1, expected a string that is not empty",
        ),
        (
            json!({ "index": "files" }),
            "configuration, `index`: found a key that is no setting of a catalogue and is ignored, expected `esIndex` for the index that is searched",
        ),
        (
            json!({ "documenttype": "file" }),
            "configuration, `documenttype`: found an unknown key, which is ignored, expected a known key, such as `documentType`",
        ),
    ];
    for (keys, expected) in cases {
        let mut value = json!({ "esIndex": "files", "documentType": "file" });
        value.as_object_mut().unwrap().extend(keys.as_object().unwrap().clone());
        assert_eq!(problems(value), [expected], "{keys}");
    }
}

#[test]
fn all_problems_are_reported_at_once() {
    let value = json!({ "maxDepth": "x", "extended": [{}, { "fieldName": 1 }], "table": { "columns": [{}] } });
    assert_eq!(
        problems(value),
        [
            "! configuration, `table.columns[0].fieldName`: found nothing, expected the dotted path of a field",
            "! configuration, `maxDepth`: found the string \"x\", expected a whole number from 1 to 2147483647",
            "! configuration, `extended[0].fieldName`: found nothing, expected the dotted path of a field",
            "! configuration, `extended[1].fieldName`: found the number 1, expected a string that is not empty",
            "! configuration, `esIndex`: found nothing, expected the name of an index, here or in ES_INDEX",
            "! configuration, `documentType`: found nothing, expected the name of the records, here or in DOCUMENT_TYPE",
        ]
    );
}

#[test]
fn a_configuration_is_an_object() {
    let defaults =
        ConfigDefaults { index: Some("i".into()), document_type: Some("d".into()), ..ConfigDefaults::default() };
    let problems = CatalogueConfig::from_value("x", &json!([]), &defaults).unwrap_err();
    assert_eq!(problems[0].to_string(), "configuration: found a list, expected a JSON object");
}

#[test]
fn what_real_files_say_is_no_problem() {
    let value = json!({
        "esIndex": "files", "documentType": "file", "esHost": "http://localhost:9200",
        "extended": [{ "fieldName": "x", "type": "keyword", "unit": null, "displayName": null }],
        "table": { "columns": [{ "fieldName": "x", "isArray": false, "type": "list", "displayFormat": null }] },
        "charts": { "query": "{ file }" },
    });
    assert_eq!(problems(value), [""; 0]);
}
