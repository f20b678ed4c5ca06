//! `source.json`: what it says, and every mistake in it with its key.

use std::time::Duration;

use cantata_catalogue::{
    CatalogueConfig, CatalogueConfigs, ConfigDefaults, DocumentShape, SourceConfig, SourceOrigin, TopicCredentials,
};
use cantata_core::AnalysisState;
use serde_json::{Value, json};

fn read(keys: Value) -> Result<SourceConfig, Vec<String>> {
    let config = json!({"esIndex": "files", "documentType": "file", "source": keys});
    match CatalogueConfig::from_value("files", &config, &ConfigDefaults::default()) {
        Ok(config) => Ok(config.source.unwrap()),
        Err(problems) => Err(problems.iter().map(ToString::to_string).collect()),
    }
}

#[test]
fn a_source_has_defaults() {
    let source = read(json!({"document": "file-centric"})).unwrap();
    assert_eq!(source.origin, SourceOrigin::Local);
    assert_eq!(source.states, [AnalysisState::Published]);
    assert_eq!((source.studies, source.analysis_types, source.mapping), (None, None, None));
    assert_eq!(source.document, DocumentShape::FileCentric);
    let none = json!({"esIndex": "files", "documentType": "file"});
    assert!(CatalogueConfig::from_value("files", &none, &ConfigDefaults::default()).unwrap().source.is_none());
}

#[test]
fn a_source_says_what_is_taken() {
    let source = read(json!({
        "studies": ["A", "B"],
        "states": ["PUBLISHED", "SUPPRESSED"],
        "analysisTypes": ["reads", {"name": "calls", "versions": [2]}],
        "document": "analysis-centric",
        "mapping": {"properties": {"experiment": {"properties": {"tool": {"type": "text"}}}}},
    }))
    .unwrap();
    assert!(source.includes("A", AnalysisState::Suppressed, "reads", 7));
    assert!(source.includes("B", AnalysisState::Published, "calls", 2));
    assert!(!source.includes("B", AnalysisState::Published, "calls", 1));
    assert!(!source.includes("C", AnalysisState::Published, "reads", 1));
    assert!(!source.includes("A", AnalysisState::Unpublished, "reads", 1));
    assert_eq!(source.mapping.unwrap()["experiment"]["properties"]["tool"]["type"], "text");
}

#[test]
fn another_server_can_be_the_source_and_is_never_shown() {
    let source = read(json!({
        "document": "file-centric",
        "song": {
            "url": "https://me:secret@song.example.org/",
            "token": "hush",
            "pollSeconds": 5,
            "kafka": {"brokers": "one:9092, two:9092", "tls": true, "user": "u", "password": "p", "mechanism": "SCRAM-SHA-256"},
        },
    }))
    .unwrap();
    let SourceOrigin::Song(song) = &source.origin else { panic!("{source:?}") };
    assert_eq!(song.url.reveal(), "https://me:secret@song.example.org");
    assert_eq!(song.token.as_ref().unwrap().reveal(), "hush");
    assert_eq!(song.poll, Duration::from_secs(5));
    let kafka = song.kafka.as_ref().unwrap();
    assert_eq!(kafka.brokers.iter().map(|broker| broker.reveal()).collect::<Vec<_>>(), ["one:9092", "two:9092"]);
    assert_eq!((kafka.topic.as_str(), kafka.uses_tls), ("song-analysis", true));
    assert_eq!(kafka.credentials.as_ref().unwrap().mechanism, TopicCredentials::MECHANISMS[1]);
    let shown = format!("{source:?}");
    for secret in ["secret", "hush", "song.example.org", "one:9092"] {
        assert!(!shown.contains(secret), "{shown}");
    }
}

#[test]
fn every_mistake_is_told_with_its_key() {
    let shapes = "\"file-centric\", \"analysis-centric\", or an object with `id`, `fields` and perhaps `each`";
    let path = "a JSON path such as $.studyId, or @.fileName from what `each` finds";
    let cases = [
        (json!({}), format!("source.document`: found nothing, expected {shapes}")),
        (json!({"document": "files"}), format!("source.document`: found the string \"files\", expected {shapes}")),
        (
            json!({"document": "file-centric", "study": ["A"]}),
            "source.study`: found an unknown key, expected one of analysisTypes, document, mapping, song, states, studies".into(),
        ),
        (
            json!({"document": "file-centric", "studies": []}),
            "source.studies`: found an empty list, or one of other things, expected a list of study ids, at least one".into(),
        ),
        (
            json!({"document": "file-centric", "studies": "A"}),
            "source.studies`: found the string \"A\", expected a list of study ids, at least one".into(),
        ),
        (
            json!({"document": "file-centric", "states": ["published"]}),
            "source.states[0]`: found \"published\", expected a list of PUBLISHED, UNPUBLISHED and SUPPRESSED, at least one of them".into(),
        ),
        (
            json!({"document": "file-centric", "analysisTypes": [{"versions": [1]}]}),
            "source.analysisTypes[0].name`: found nothing, expected the name of an analysis type".into(),
        ),
        (
            json!({"document": "file-centric", "analysisTypes": [{"name": "a", "versions": ["1"]}]}),
            "source.analysisTypes[0].versions`: found a list, expected a list of version numbers, at least one".into(),
        ),
        (
            json!({"document": "file-centric", "mapping": {"dynamic": true}}),
            "source.mapping`: found something else than `properties` alone, expected an object such as {\"properties\": {\"info\": {\"type\": \"flattened\"}}}".into(),
        ),
        (json!({"document": {"fields": {"a": "$.a"}}}), format!("source.document.id`: found nothing, expected {path}")),
        (
            json!({"document": {"id": "$.a", "fields": {}}}),
            "source.document.fields`: found an object, expected an object of dotted paths and JSON paths, at least one".into(),
        ),
        (
            json!({"document": {"id": "$.a", "fields": {"analysisId": "$.a"}}}),
            "source.document.fields.analysisId`: found the name \"analysisId\", expected another name; every document has the id of its analysis there".into(),
        ),
        (
            json!({"document": {"id": "$.a", "fields": {"a": "$.a", "a.b": "$.b"}}}),
            "source.document.fields.a.b`: found a field in the field \"a\", expected one of the two".into(),
        ),
        (
            json!({"document": "file-centric", "song": {"url": "song.example.org"}}),
            "source.song.url`: found no such address, expected an address such as https://song.example.org".into(),
        ),
        (
            json!({"document": "file-centric", "song": {"url": "http://a", "kafka": {"brokers": "a:1", "user": "u"}}}),
            "source.song.kafka`: found one of `user` and `password`, expected both, or none".into(),
        ),
    ];
    for (keys, expected) in cases {
        let problems = read(keys.clone()).unwrap_err();
        assert_eq!(problems, [format!("configuration, `{expected}")], "{keys}");
    }
    for (key, keys) in [
        ("each", json!({"each": "files", "id": "$.a", "fields": {"a": "$.a"}})),
        ("id", json!({"id": "a", "fields": {"a": "$.a"}})),
        ("fields.a", json!({"id": "$.a", "fields": {"a": "$.a["}})),
    ] {
        let problems = read(json!({"document": keys})).unwrap_err();
        let begin = format!("configuration, `source.document.{key}`: found \"");
        assert!(problems.len() == 1 && problems[0].starts_with(&begin), "{problems:?}");
    }
    let problems =
        read(json!({"document": "file-centric", "mapping": {"properties": {"a": {"type": "scaled_float"}}}}));
    assert!(problems.unwrap_err()[0].contains("scaling_factor"));
}

#[test]
fn the_file_of_a_mistake_is_named_and_its_catalogue_is_failed() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("base.json"), r#"{"esIndex": "files", "documentType": "file"}"#).unwrap();
    std::fs::write(folder.path().join("source.json"), r#"{"source": {"document": "x", "song": {"url": 5}}}"#).unwrap();
    let configs = CatalogueConfigs::from_folder(folder.path(), &ConfigDefaults::default()).unwrap();
    let problems = configs.catalogues[0].config.as_ref().unwrap_err();
    assert_eq!(problems.len(), 2);
    assert!(problems.iter().all(|problem| problem.file == "source.json" && problem.is_error()), "{problems:?}");
}
