//! The rules of `access.json`: what is read, and every mistake that would leave something open.

use cantata_access::{AuthMethod, Identity};
use cantata_catalogue::{Catalogue, CatalogueConfig, CatalogueConfigs, ConfigDefaults, VisibleRecords, check};
use serde_json::{Value, json};

use crate::support::{build, config, mapping, sample_properties, try_build};

fn problems(access: Value) -> Vec<String> {
    let value = json!({ "esIndex": "files", "documentType": "file", "access": access });
    match CatalogueConfig::from_value("files", &value, &ConfigDefaults::default()) {
        Ok(_) => Vec::new(),
        Err(problems) => problems.iter().map(ToString::to_string).collect(),
    }
}

fn open() -> Value {
    json!([{ "scope": "*", "filter": null }])
}

fn leaf(value: Value) -> Value {
    json!({ "op": "in", "content": { "fieldName": "object_id", "value": value } })
}

#[test]
fn every_mistake_fails_the_catalogue() {
    let rule = |filter: Value| json!({ "records": [{ "scope": "*", "filter": filter }] });
    let fields = |rule: Value| json!({ "records": open(), "fields": [rule] });
    for (access, key, found) in [
        (json!([]), "access", "a list"),
        (json!("open"), "access", "the string \"open\""),
        (json!({}), "access.records", "nothing"),
        (json!({ "records": null }), "access.records", "nothing"),
        (json!({ "records": {} }), "access.records", "an object"),
        (json!({ "record": open(), "records": open() }), "access.record", "an unknown key"),
        (json!({ "records": [{ "filter": null }] }), "access.records[0].scope", "nothing"),
        (json!({ "records": [{ "scope": " ", "filter": null }] }), "access.records[0].scope", "the string \" \""),
        (json!({ "records": [{ "scope": "*" }] }), "access.records[0].filter", "nothing"),
        (
            json!({ "records": [{ "scope": "*", "filters": {} , "filter": null }] }),
            "access.records[0].filters",
            "an unknown key",
        ),
        (rule(json!({})), "access.records[0].filter", "an empty object"),
        (rule(json!([])), "access.records[0].filter", "a filter that cannot be read"),
        (rule(json!({ "op": "and", "content": [] })), "access.records[0].filter", "`and` without content"),
        (
            rule(json!({ "op": "or", "content": [leaf(json!("x")), { "op": "not", "content": [] }] })),
            "access.records[0].filter",
            "`not` without content",
        ),
        (rule(leaf(json!("set_id:x"))), "access.records[0].filter", "a saved set"),
        (rule(leaf(json!("study-{study}"))), "access.records[0].filter", "the value \"study-{study}\""),
        (rule(leaf(json!("{study}*"))), "access.records[0].filter", "the value \"{study}*\""),
        (rule(leaf(json!("{}"))), "access.records[0].filter", "the value \"{}\""),
        (
            rule(json!({ "op": "wildcard", "content": { "fieldNames": ["object_id"], "value": "{study}" } })),
            "access.records[0].filter",
            "the value \"{study}\"",
        ),
        (
            rule(json!({ "op": "between", "content": { "fieldName": "size", "value": ["{from}", 5] } })),
            "access.records[0].filter",
            "the value \"{from}\"",
        ),
        (
            rule(json!({ "op": "not-in", "content": { "fieldName": "object_id", "value": [] } })),
            "access.records[0].filter",
            "an empty list of values",
        ),
        (fields(json!({})), "access.fields[0]", "neither `hide` nor `mask`"),
        (fields(json!({ "hide": ["size"], "mask": ["size"] })), "access.fields[0]", "both `hide` and `mask`"),
        (fields(json!({ "hide": "size" })), "access.fields[0].hide", "the string \"size\""),
        (fields(json!({ "hide": [] })), "access.fields[0].hide", "an empty list"),
        (fields(json!({ "hide": ["size", 5] })), "access.fields[0].hide", "an empty list, or one of other things"),
        (fields(json!({ "hide": ["size"], "as": "x" })), "access.fields[0].as", "a text for hidden fields"),
        (fields(json!({ "mask": ["size"], "as": 5 })), "access.fields[0].as", "the number 5"),
        (fields(json!({ "hide": ["size"], "unless": "a" })), "access.fields[0].unless", "the string \"a\""),
        (fields(json!({ "hide": ["size"], "unless": null })), "access.fields[0].unless", "null"),
        (fields(json!({ "hide": ["size"], "unless": ["*"] })), "access.fields[0].unless", "\"*\""),
        (fields(json!({ "hide": ["size"], "scope": "a" })), "access.fields[0].scope", "an unknown key"),
        (json!({ "records": open(), "fields": null }), "access.fields", "nothing"),
        (json!({ "records": open(), "suppress": {} }), "access.suppress.below", "nothing"),
        (json!({ "records": open(), "suppress": null }), "access.suppress", "null"),
        (json!({ "records": open(), "suppress": { "below": 1 } }), "access.suppress.below", "the number 1"),
        (
            json!({ "records": open(), "suppress": { "below": 5, "unles": [] } }),
            "access.suppress.unles",
            "an unknown key",
        ),
    ] {
        let told = problems(access.clone());
        let expected = format!("`{key}`: found {found}");
        assert!(told.iter().any(|problem| problem.contains(&expected)), "{access}: {told:?}");
    }
    assert_eq!(problems(json!({ "records": [] })), Vec::<String>::new(), "nobody sees anything");
}

#[test]
fn a_file_of_rules_that_has_none_fails_the_catalogue() {
    for (name, content) in [
        ("access.json", "{}"),
        ("access.json", r#"{"access": null}"#),
        ("access.json", "null"),
        ("access.json", "{"),
        ("access.json", r#"{"records": [{"scope": "*", "filter": null}]}"#),
        ("access.json", r#"{"access": {"records": []}, "maxDepth": 5}"#),
        ("other.json", r#"{"access": null}"#),
        ("other.json", r#"{"acces": {"records": []}}"#),
        ("other.json", r#"{"Access": {"records": []}}"#),
    ] {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("base.json"), r#"{"esIndex": "files", "documentType": "file"}"#).unwrap();
        std::fs::write(folder.path().join(name), content).unwrap();
        let configs = CatalogueConfigs::from_folder(folder.path(), &ConfigDefaults::default()).unwrap();
        assert!(configs.catalogues[0].config.is_err(), "{name}: {content}");
    }
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("base.json"), r#"{"esIndex": "files", "documentType": "file"}"#).unwrap();
    for name in ["access.json", "more.json"] {
        std::fs::write(folder.path().join(name), r#"{"access": {"records": []}}"#).unwrap();
    }
    let configs = CatalogueConfigs::from_folder(folder.path(), &ConfigDefaults::default()).unwrap();
    assert!(configs.catalogues[0].config.is_err(), "rules in two files");
}

#[test]
fn clients_are_not_told_the_rules_that_cannot_be_used() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("base.json"), r#"{"esIndex": "files", "documentType": "file"}"#).unwrap();
    let rules = json!({ "access": { "records": open(), "fields": [{ "hide": ["hiv"], "scopes": "doctors" }] } });
    std::fs::write(folder.path().join("access.json"), rules.to_string()).unwrap();
    let configs = CatalogueConfigs::from_folder(folder.path(), &ConfigDefaults::default()).unwrap();
    let told = configs.catalogues[0].error().unwrap().to_string();
    assert!(told.contains("access.json, `access`: the log of the server says why"), "{told}");
    assert!(!told.contains("scopes") && !told.contains("hiv"), "{told}");
    assert!(configs.catalogues[0].problems().iter().any(|problem| problem.key == "access.fields[0].scopes"));
}

#[test]
fn rules_that_do_not_fit_the_index_fail_the_catalogue() {
    let mut properties = sample_properties();
    properties["attributes"] = json!({ "type": "flattened" });
    properties["renamed"] = json!({ "type": "alias", "path": "size" });
    properties["free"] = json!({ "type": "object", "enabled": false });
    properties["loose"] = json!({ "dynamic": false, "properties": { "a": { "type": "keyword" } } });
    let access = |fields: &[&str]| json!({ "access": { "records": open(), "fields": [{ "hide": fields }] } });
    for name in [
        "sise",
        "size.more",
        "donors.agee",
        "file_name.keyword",
        "renamed",
        "attributes.key",
        "donors__age",
        "loose.a.b",
        "*",
    ] {
        let error = try_build(access(&["size", name]), properties.clone()).unwrap_err();
        assert!(!error.message.contains(name), "{error}");
        let misfits = Catalogue::access_rule_problems(&config(access(&["size", name])), &mapping(properties.clone()));
        assert_eq!(misfits.len(), 1, "{name}: {misfits:?}");
        assert_eq!(misfits[0].key, "access.fields[0].hide[1]");
        assert!(misfits[0].found.contains(name), "{misfits:?}");
    }
    build(access(&["free.any.thing", "loose.other", "donors", "attributes"]), properties.clone());
    for filter in [
        json!({ "op": "not-in", "content": { "fieldName": "objectid", "value": ["x"] } }),
        json!({ "op": "gt", "content": { "fieldName": "is_open", "value": 5 } }),
        json!({ "op": "in", "content": { "fieldName": "size", "value": ["many", "{sizes}"] } }),
        json!({ "op": "in", "pivot": "analysis", "content": { "fieldName": "size", "value": "{sizes}" } }),
    ] {
        let keys = json!({ "access": { "records": [{ "scope": "*", "filter": filter }] } });
        assert!(try_build(keys, properties.clone()).is_err(), "{filter}");
    }
    let keys = access(&["sise"]);
    let configs = CatalogueConfigs::single(config(keys));
    let report = check::check(&configs, |_| Ok(mapping(properties.clone())));
    assert_eq!((report.is_usable(), report.catalogues[0].misfits.len()), (false, 1));
}

#[test]
fn views_are_equal_when_they_show_the_same() {
    let fields = json!([
        { "hide": ["size"], "unless": ["sizes", "all"] },
        { "mask": ["released"], "as": "soon", "unless": ["all"] },
        { "mask": ["released"] },
    ]);
    let records = json!([
        { "scope": "*", "filter": leaf(json!("{ids}")) },
        { "scope": "all", "filter": null },
    ]);
    let access = json!({ "records": records, "fields": fields, "suppress": { "below": 10, "unless": ["all"] } });
    let catalogue = build(json!({ "access": access }), sample_properties());
    let view = |scopes: &[&str], claims: Value| {
        catalogue.view(&Identity {
            auth_method: AuthMethod::ApiKey,
            name: "key".to_owned(),
            scopes: scopes.iter().map(|scope| (*scope).to_owned()).collect(),
            claims: claims.as_object().unwrap().clone(),
            person: None,
        })
    };
    let plain = view(&[], json!({ "ids": "x" }));
    assert_eq!(plain, view(&["other"], json!({ "ids": ["x"], "more": 1 })));
    assert_eq!(plain.fingerprint("files"), view(&["other"], json!({ "ids": ["x"] })).fingerprint("files"));
    assert_ne!(plain.fingerprint("files"), plain.fingerprint("others"), "a label is of one catalogue");
    for other in [view(&["sizes"], json!({ "ids": "x" })), view(&[], json!({ "ids": "y" })), view(&[], json!({}))] {
        assert_ne!(plain, other);
        assert_ne!(plain.fingerprint("files"), other.fingerprint("files"));
    }
    // A claim that looks like a pattern is another view than a pattern in the rules.
    let pattern =
        build(json!({ "access": { "records": [{ "scope": "*", "filter": leaf(json!("x*")) }] } }), sample_properties());
    let literal = build(
        json!({ "access": { "records": [{ "scope": "*", "filter": leaf(json!("{ids}")) }] } }),
        sample_properties(),
    );
    let identity = Identity { claims: json!({ "ids": "x*" }).as_object().unwrap().clone(), ..Identity::anonymous() };
    assert_ne!(pattern.view(&identity).fingerprint("files"), literal.view(&identity).fingerprint("files"));
    assert_eq!((plain.suppression_threshold, plain.hidden_fields.masked.get("released")), (Some(10), Some(&None)));
    let all = view(&["all"], json!({}));
    assert_eq!(
        (all.records.clone(), all.suppression_threshold, all.hidden_fields.hidden.len()),
        (VisibleRecords::All, None, 0)
    );
    assert!(!all.is_unrestricted(), "the last mask is for everybody");
}
