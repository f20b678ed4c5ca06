//! Rows that cannot be taken as they are: each is named with its reason, and stops nothing else.

use std::sync::Arc;

use cantata_core::{PartialTypeOptions, Study, Timestamp};
use cantata_metadata::external::{DEFAULT_TIMEOUT, ExternalValidator};
use cantata_metadata::{MetadataService, MetadataSettings, TypeRegistration};
use cantata_song_import::{ImportError, RecordKind};
use cantata_store::NewAnalysisType;
use cantata_testkit::databases::TestDatabase;
use cantata_testkit::{databases, song};
use serde_json::json;

use crate::target::{Target, compared, figures, reason};

/// Adds an analysis that could be taken, and changes it.
fn with_analysis(song: &TestDatabase, number: u32, change: &str) -> String {
    let id = format!("d{number:07}-0000-4000-8000-000000000000");
    song.run(&format!(
        "INSERT INTO analysis_data VALUES ({number}, '{{\"experiment\": {{}}}}');
         INSERT INTO analysis VALUES ('{id}', 'ABC-CA', NULL, 'PUBLISHED', 1, {number});
         INSERT INTO file VALUES ('e{number:07}-0000-5000-8000-000000000000', '{id}', 'ABC-CA', 'f', 1,
             lpad('{number}', 32, '0'), 'bam', 'open', 'd');
         INSERT INTO analysis_state_change (id, analysis_id, initial_state, updated_state)
             VALUES ({number}, '{id}', 'UNPUBLISHED', 'PUBLISHED');
         {}",
        change.replace("$id", &format!("'{id}'")).replace("$n", &number.to_string())
    ));
    id
}

#[tokio::test(flavor = "multi_thread")]
async fn every_row_that_cannot_be_taken_is_named() {
    let song = song::since_5_3();
    let cases = [
        (
            "UPDATE analysis SET study_id = 'MISSING' WHERE id = $id; UPDATE file SET study_id = 'MISSING' WHERE analysis_id = $id",
            "its study is not imported",
        ),
        ("UPDATE analysis SET study_id = NULL WHERE id = $id", "it belongs to no study"),
        ("UPDATE analysis SET analysis_schema_id = 99 WHERE id = $id", "its analysis type, row 99, is not imported"),
        ("UPDATE analysis SET analysis_schema_id = NULL WHERE id = $id", "it has no analysis type"),
        ("UPDATE analysis SET state = NULL WHERE id = $id", "it has no state"),
        ("UPDATE analysis SET created_at = 'infinity' WHERE id = $id", "its created_at is no moment"),
        ("UPDATE analysis SET updated_at = '20000-01-01' WHERE id = $id", "its updated_at is no moment"),
        ("UPDATE analysis_data SET data = '[1]' WHERE id = $n", "its data: is JSON, but no object"),
        (
            "UPDATE analysis_data SET data = '{\"a\": 123456789012345678901234567890}' WHERE id = $n",
            "its data: #/a: the integer 123456789012345678901234567890 has more than 64 bits",
        ),
        (
            "UPDATE analysis_data SET data = '{\"analysisState\": \"PUBLISHED\"}' WHERE id = $n",
            "'analysisState', which only the server writes",
        ),
        ("UPDATE analysis_data SET data = '{\"files\": []}' WHERE id = $n", "'files', which only the server writes"),
        ("UPDATE file SET md5 = 'short' WHERE analysis_id = $id", "has no MD5 checksum, but 'short'"),
        ("UPDATE file SET size = NULL WHERE analysis_id = $id", "has no size"),
        ("UPDATE file SET access = NULL WHERE analysis_id = $id", "has no access level"),
        ("UPDATE file SET study_id = 'EMPTY' WHERE analysis_id = $id", "belongs to study 'EMPTY'"),
        (
            "INSERT INTO info SELECT id, 'File', '[]' FROM file WHERE analysis_id = $id",
            "has an info record: is JSON, but no object",
        ),
        ("UPDATE analysis_state_change SET updated_state = NULL WHERE analysis_id = $id", "lacks a state or a moment"),
        ("INSERT INTO sampleset VALUES ($id, 'GONE')", "its sample 'GONE' is not in the database"),
    ];
    let ids: Vec<String> =
        (1000..).zip(&cases).map(|(number, (change, _))| with_analysis(&song, number, change)).collect();
    song.run(
        "INSERT INTO analysis VALUES ('EGAZ00001', 'ABC-CA', NULL, 'PUBLISHED', 1);
         INSERT INTO file VALUES ('f0000000-0000-5000-8000-000000000000', 'NOBODY', 'ABC-CA');
         INSERT INTO analysis_state_change (id, analysis_id) VALUES (777, NULL);
         INSERT INTO study VALUES ('all', NULL, NULL, NULL);
         INSERT INTO analysis_schema (id, version, name, schema) VALUES
             (90, 1, 'not a name', '{}'), (91, 9, 'variantCall', '{}'), (92, 1, 'without', NULL);
         UPDATE analysis_schema SET options = '{\"fileTypes\": 5}' WHERE id = 91;",
    );
    let target = Target::sqlite();
    let report = target.take(&song).await;
    assert!(!report.is_complete());
    for (id, (_, expected)) in ids.iter().zip(cases) {
        let found = reason(&report, RecordKind::Analysis, id);
        assert!(found.contains(expected), "{found}: expected {expected}");
        assert_eq!(target.analysis(id).await, None);
        let file = id.replacen('d', "e", 1).replace("-4000-", "-5000-");
        assert!(reason(&report, RecordKind::File, &file).contains(id));
    }
    assert!(reason(&report, RecordKind::Analysis, "EGAZ00001").contains("no UUID"));
    assert!(
        reason(&report, RecordKind::File, "f0000000-0000-5000-8000-000000000000")
            .contains("'NOBODY' is not in the database")
    );
    assert!(reason(&report, RecordKind::StateChange, "777").contains("is not in the database"));
    assert!(reason(&report, RecordKind::Study, "all").contains("reserved"));
    assert!(reason(&report, RecordKind::AnalysisType, "not a name:1").contains("does not match"));
    assert!(reason(&report, RecordKind::AnalysisType, "variantCall:9").contains("its options cannot be read"));
    assert!(reason(&report, RecordKind::AnalysisType, "without:1").contains("has no schema"));
    // Everything else is here, and both sides agree on that.
    let refused = cases.len() as u64;
    assert_eq!(
        figures(&report),
        [
            (4, 1, 3),
            (7, 3, 4),
            (6 + refused, 1 + refused, 5),
            (7 + refused, 1 + refused, 6),
            (9 + refused, 1 + refused, 8)
        ]
    );
    assert!(report.comparisons.iter().all(|comparison| comparison.is_same), "{report}");
    let text = report.to_string();
    assert!(text.contains("rejected: analysis EGAZ00001: ") && text.ends_with("NOT everything was imported"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn types_that_mean_something_else_here_are_taken_with_a_note() {
    let song = song::empty();
    song.run(
        r##"INSERT INTO analysis_schema (id, version, name, schema, created_at) VALUES
            (1, 1, 'replaced', '{"type": "object", "definitions": {"file": {"type": "string"}, "own": {}},
                "properties": {"experiment": {"properties": {"a": {"$ref": "#/definitions/file"}}}}}', now()),
            (2, 1, 'broken', '{"type": "object", "properties": {"experiment": {"$ref": "#/definitions/none"}}}', now()),
            (3, 1, 'fine', '{"type": "object", "definitions": {"own": {}}}', now()),
            (4, 1, 'pattern', '{"type": "object", "properties": {"experiment": {"type": "object",
                "properties": {"a": {"pattern": "(?x) a b"}}}}}', now())"##,
    );
    let report = Target::sqlite().take(&song).await;
    assert!(report.is_complete(), "{report}");
    assert_eq!(
        report.notes,
        [
            "analysis type replaced:1: its definitions file are replaced by those of the base schema; register a version \
             with other names",
            "analysis type replaced:1: it allows an experiment that is no object, but only objects are accepted here",
            "analysis type broken:1: nothing can be submitted under it or updated: #: key [definitions] not found",
            "analysis type pattern:1: nothing can be submitted under it or updated: \
             #/properties/experiment/properties/a/pattern: [(?x) a b] is not a valid regular expression: the flag x \
             has no counterpart",
        ]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn external_validations_that_check_nothing_are_named_and_credentials_are_left_out() {
    let song = song::empty();
    song.run(
        r#"INSERT INTO analysis_schema (id, version, name, schema, options, created_at) VALUES
            (1, 1, 'ruled', '{"type": "object", "required": ["experiment"], "properties": {"experiment": {"type": "object"}}}',
                '{"externalValidations": [
                    {"url": "http://h/{value}", "jsonPath": "/experiment/donor"},
                    {"url": "http://h/{donor}", "jsonPath": "experiment.donor"},
                    {"url": "http://user:secret@h/{value}", "jsonPath": "experiment.donor"},
                    {"url": "http://h/{study}/{value}", "jsonPath": "experiment.donor"}]}', now())"#,
    );
    let target = Target::sqlite();
    let report = target.take(&song).await;
    assert!(report.is_complete(), "{report}");
    assert_eq!(
        report.notes,
        [
            "analysis type ruled:1: externalValidations/0/jsonPath: '/experiment/donor' is no path; write it like \
             experiment.donorId or samples[*].donorId; register a version with other externalValidations",
            "analysis type ruled:1: externalValidations/1/url: it cannot be used: it contains the unknown token \
             '{donor}', but only {value} and {study} can be filled in; register a version with other \
             externalValidations",
            "analysis type ruled:1: externalValidations/2/url: its user and password are left out, because everybody \
             who lists the analysis types could read them; the service is called without them",
        ]
    );
    let stored = target.store.analysis_type("ruled", None).await.unwrap().unwrap();
    let urls: Vec<&str> = stored.options.external_validations.iter().map(|rule| rule.url.as_str()).collect();
    assert_eq!(urls, ["http://h/{value}", "http://h/{donor}", "http://h/{value}", "http://h/{study}/{value}"]);
    assert!(target.take(&song).await.is_complete(), "the same import again");

    // A new version does not inherit them unseen.
    let external = ExternalValidator::new(DEFAULT_TIMEOUT).unwrap();
    let store = Arc::clone(&target.store);
    let service = MetadataService::start(store, MetadataSettings::default(), external, None).await.unwrap();
    let register = async |external_validations| {
        let options = PartialTypeOptions { file_types: None, external_validations };
        let (name, schema) = (Some("ruled".to_owned()), Some(stored.schema.clone()));
        service.register_type(TypeRegistration { name, schema, options }).await
    };
    let refused = register(None).await.unwrap_err();
    assert!(refused.text.starts_with("#/options/externalValidations/0/jsonPath: "), "{}", refused.text);
    assert!(refused.text.contains("inherited from version 1") && refused.text.contains("[]"), "{}", refused.text);
    register(Some(Vec::new())).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_type_that_was_imported_with_its_credentials_is_the_same() {
    let song = song::empty();
    let schema = json!({"type": "object", "properties": {"experiment": {"type": "object"}}});
    let rule = json!({"url": "http://user:secret@h/{value}", "jsonPath": "experiment.donor"});
    song.run(&format!(
        "INSERT INTO analysis_schema (id, version, name, schema, options, created_at)
         VALUES (1, 1, 'ruled', '{schema}', '{}', now())",
        json!({"externalValidations": [rule]})
    ));
    let target = Target::sqlite();
    let options = PartialTypeOptions {
        file_types: None,
        external_validations: Some(vec![serde_json::from_value(rule).unwrap()]),
    };
    let imported = NewAnalysisType { name: "ruled".to_owned(), schema, options, created_at: Timestamp::now() };
    target.store.register_type(imported).await.unwrap();
    let report = target.take(&song).await;
    assert!(report.is_complete(), "{report}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_here_with_another_content_stays() {
    let song = song::since_5_3();
    let target = Target::sqlite();
    let other = Study { study_id: "ABC-CA".into(), name: Some("Another".into()), ..Study::default() };
    target.store.create_study(other.clone()).await.unwrap();
    let new = cantata_store::NewAnalysisType {
        name: "sequencingRead".into(),
        schema: serde_json::json!({"another": "schema"}),
        options: cantata_core::PartialTypeOptions::default(),
        created_at: cantata_core::Timestamp::now(),
    };
    target.store.register_type(new).await.unwrap();
    let report = target.take(&song).await;
    assert!(reason(&report, RecordKind::Study, "ABC-CA").contains("another content"));
    assert!(reason(&report, RecordKind::AnalysisType, "sequencingRead:1").contains("another schema"));
    assert_eq!(target.store.study("ABC-CA").await.unwrap(), Some(other));
    assert_eq!(compared(&report, RecordKind::Analysis).here, 4);
}

#[tokio::test(flavor = "multi_thread")]
async fn another_database_is_not_taken_for_one_of_song() {
    let target = Target::sqlite();
    let other = databases::postgres();
    let refused = target.try_take(&other).await.unwrap_err();
    assert!(matches!(&refused, ImportError::NotSong(text) if text.contains("study")), "{refused}");
    let half = song::empty();
    half.run("ALTER TABLE file DROP COLUMN md5");
    let refused = target.try_take(&half).await.unwrap_err();
    assert!(matches!(&refused, ImportError::NotSong(text) if text.contains("column md5 in a table file")), "{refused}");
    assert_eq!(target.store.study_ids().await.unwrap(), Vec::<String>::new());
}
