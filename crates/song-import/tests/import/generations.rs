//! Databases of both generations, with everything in them, into both stores.

use cantata_core::AnalysisState;
use cantata_store::{AnalysisQuery, StateSet, TypeQuery};
use cantata_testkit::song;
use serde_json::{Value, json};

use crate::target::{Target, figures};

const FIRST: &str = "2772f99d-a956-4bb2-b2f9-9da956abb2b2";
const SECOND: &str = "00000000-0000-1000-8000-000000000001";
const SUPPRESSED: &str = "ffffffff-ffff-4fff-bfff-ffffffffffff";
const WITHOUT_FILES: &str = "b0000000-0000-4000-8000-000000000000";

fn first(samples: Option<Value>) -> Value {
    let mut expected = json!({
        "analysisId": FIRST,
        "studyId": "ABC-CA",
        "analysisState": "PUBLISHED",
        "createdAt": "2019-11-15T03:24:38.336272",
        "updatedAt": "2019-11-15T03:28:02.777991",
        "firstPublishedAt": "2019-11-15T03:27:20.385859",
        "publishedAt": "2019-11-15T03:27:56.607489",
        "analysisStateHistory": [
            {"initialState": "UNPUBLISHED", "updatedState": "PUBLISHED", "updatedAt": "2019-11-15T03:27:20.385859"},
            {"initialState": "PUBLISHED", "updatedState": "PUBLISHED", "updatedAt": "2019-11-15T03:27:56.607489"},
        ],
        "files": [
            {"objectId": "00000000-0000-5000-8000-000000000000", "studyId": "ABC-CA", "analysisId": FIRST,
             "fileName": "Dateí 2.bam", "fileSize": 9_223_372_036_854_775_807_u64, "fileType": "BAM",
             "fileMd5sum": "595F44FEC1E92A71D3E9E77456BA80D1", "fileAccess": "controlled", "dataType": ""},
            {"info": {"k": "v", "n": {"deep": [1, 2]}}, "objectId": "870f2122-e77a-53a9-8df2-f912b76f1f80",
             "studyId": "ABC-CA", "analysisId": FIRST, "fileName": "file1.txt", "fileSize": 123, "fileType": "txt",
             "fileMd5sum": "595f44fec1e92a71d3e9e77456ba80d1", "fileAccess": "open", "dataType": "text"},
        ],
        "analysisType": {"name": "variantCall", "version": 1},
        "experiment": {"tool": "t", "none": null, "empty": ""},
        "long": 9_007_199_254_740_993_u64,
        "fraction": 0.1,
        "списки": [1, "two", {"three": []}],
    });
    if let Some(samples) = samples {
        expected["samples"] = samples;
    }
    expected
}

fn sample_1() -> Value {
    json!({
        "sampleId": "SA1", "submitterSampleId": "sample-1", "sampleType": "Total DNA",
        "matchedNormalSubmitterSampleId": "sample-2", "info": {"tube": "7"},
        "specimen": {"specimenId": "SP1", "specimenType": "Primary tumour", "submitterSpecimenId": "specimen-1",
                     "tumourNormalDesignation": "Tumour", "specimenTissueSource": "Solid tissue"},
        "donor": {"donorId": "DO1", "submitterDonorId": "donor-1", "gender": "female", "info": {"age": 61}},
    })
}

fn sample_2() -> Value {
    json!({
        "sampleId": "SA2", "submitterSampleId": "sample-2", "sampleType": "FFPE DNA",
        "matchedNormalSubmitterSampleId": null,
        "specimen": {"specimenId": "SP2", "specimenType": "Normal - other", "submitterSpecimenId": "specimen-2",
                     "tumourNormalDesignation": "Normal", "specimenTissueSource": null},
        "donor": {"donorId": "DO2", "submitterDonorId": null, "gender": null},
    })
}

/// What holds whatever the generation.
async fn has_everything(target: &Target) {
    let store = &target.store;
    assert_eq!(store.study_ids().await.unwrap(), ["ABC-CA", "EMPTY", "Ünïcode 研究"]);
    let study = serde_json::to_value(store.study("ABC-CA").await.unwrap().unwrap()).unwrap();
    let info = json!({"z": {"b": 1, "a": [null, true]}, "contact": "x@example.org"});
    let expected = json!({
        "info": info, "studyId": "ABC-CA", "name": "A study", "organization": "Us", "description": "About something",
    });
    assert_eq!(study, expected);

    let mut query = TypeQuery::versions_of("variantCall");
    query.names.clear();
    query.descending = false;
    let (_, types) = store.list_types(&query).await.unwrap();
    let registered: Vec<(String, String)> =
        types.iter().map(|found| (found.id.to_string(), found.created_at.to_string())).collect();
    let expected = [
        ("variantCall:1", "2019-01-01T00:00:00"),
        ("sequencingRead:1", "2019-01-01T00:00:00.000001"),
        ("variantCall:2", "2020-02-29T23:59:59.999999"),
        ("sequencingRead:2", "2021-06-01T12:00:00.5"),
    ];
    assert_eq!(registered, expected.map(|(id, created_at)| (id.to_owned(), created_at.to_owned())));
    assert_eq!(types[0].options.file_types, ["bam", "txt"]);
    assert_eq!(types[2].schema["properties"]["more"], json!({}));

    let suppressed = target.analysis(SUPPRESSED).await.unwrap();
    assert_eq!(suppressed["samples"], json!([{"sampleId": "kept as it is"}]));
    let history = suppressed["analysisStateHistory"].as_array().unwrap();
    let states: Vec<&str> = history.iter().map(|change| change["updatedState"].as_str().unwrap()).collect();
    assert_eq!(states, ["PUBLISHED", "SUPPRESSED", "PUBLISHED", "UNPUBLISHED", "SUPPRESSED"]);
    assert_eq!(suppressed["createdAt"], "2018-10-28T02:30:00.000001");

    let without_files = target.analysis(WITHOUT_FILES).await.unwrap();
    assert_eq!((&without_files["files"], &without_files["createdAt"]), (&json!([]), &json!("1969-12-31T23:59:59.5")));
    let same_name = &target.analysis(SECOND).await.unwrap()["files"];
    assert_eq!(
        (&same_name[0]["fileName"], &same_name[0]["fileName"]),
        (&same_name[1]["fileName"], &json!("same name"))
    );
    for file in same_name.as_array().unwrap() {
        let id = cantata_core::ObjectId::parse(file["objectId"].as_str().unwrap()).unwrap();
        assert_eq!(store.file(id).await.unwrap().unwrap().analysis_id.to_string(), SECOND);
    }

    for (state, count) in
        [(AnalysisState::Published, 1), (AnalysisState::Unpublished, 2), (AnalysisState::Suppressed, 0)]
    {
        let states = StateSet::from_iter([state]);
        assert_eq!(store.count_analyses("ABC-CA", states).await.unwrap(), count);
        let query = AnalysisQuery::all("ABC-CA", states);
        assert_eq!(store.list_analyses(&query).await.unwrap().len() as u64, count);
    }
    // One event for each, in the order in which they were made.
    let events = store.events_after(0, 100).await.unwrap();
    let in_order: Vec<String> = events.iter().map(|event| event.analysis_id.to_string()).collect();
    assert_eq!(in_order.len(), 5);
    assert_eq!((in_order[0].as_str(), in_order[1].as_str()), (WITHOUT_FILES, SUPPRESSED));
}

const ALL: [(u64, u64, u64); 5] = [(3, 0, 3), (4, 0, 4), (5, 0, 5), (6, 0, 6), (8, 0, 8)];

#[tokio::test(flavor = "multi_thread")]
async fn a_database_before_5_3_is_taken_with_its_samples() {
    let song = song::before_5_3();
    for target in [Target::sqlite(), Target::postgres().await] {
        let report = target.take(&song).await;
        assert_eq!(report.refused, vec![]);
        assert!(report.is_complete() && report.is_before_5_3, "{report}");
        assert_eq!(figures(&report), ALL);
        assert_eq!((report.new, report.updated, report.unchanged), (5, 0, 0));
        has_everything(&target).await;
        assert_eq!(target.analysis(FIRST).await.unwrap(), first(Some(json!([sample_1(), sample_2()]))));
        assert_eq!(target.analysis(SECOND).await.unwrap()["samples"], json!([sample_1()]));
        assert_eq!(target.analysis(WITHOUT_FILES).await.unwrap().get("samples"), None, "it had none");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn samples_are_added_only_where_there_are_some() {
    let song = song::before_5_3();
    song.run("DELETE FROM sampleset");
    let target = Target::sqlite();
    assert!(target.take(&song).await.is_complete());
    assert_eq!(target.analysis(FIRST).await.unwrap(), first(None));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_since_5_3_is_taken_as_it_is() {
    let song = song::since_5_3();
    for target in [Target::sqlite(), Target::postgres().await] {
        let report = target.take(&song).await;
        assert!(report.is_complete() && !report.is_before_5_3, "{report}");
        assert_eq!(figures(&report), ALL);
        has_everything(&target).await;
        assert_eq!(target.analysis(FIRST).await.unwrap(), first(None));
        let latest = target.store.analysis_type("variantCall", Some(2)).await.unwrap().unwrap();
        // What a version left out it had from the one before.
        assert_eq!(latest.options.file_types, ["bam", "txt"]);
        assert_eq!(latest.options.external_validations[0].json_path, "experiment.tool");
        let any_experiment = "analysis type sequencingRead:1: it allows an experiment that is no object, but only \
                              objects are accepted here";
        assert_eq!(report.notes, [any_experiment, "2 files have no dataType; it is an empty text here"]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn samples_that_a_later_version_forgot_are_brought_along() {
    let song = song::before_5_3();
    song.run("ALTER TABLE analysis_schema DROP COLUMN file_types, ADD COLUMN options jsonb");
    song.run("INSERT INTO info VALUES ('x', 'Analysis', '{\"a\": 1}'), ('y', 'Analysis', '{}')");
    let target = Target::sqlite();
    let report = target.take(&song).await;
    assert!(report.is_complete() && !report.is_before_5_3, "{report}");
    assert_eq!(target.analysis(FIRST).await.unwrap(), first(Some(json!([sample_1(), sample_2()]))));
    assert_eq!(target.analysis(WITHOUT_FILES).await.unwrap().get("samples"), None);
    let [_, samples, _, infos] = &report.notes[..] else { panic!("{:?}", report.notes) };
    assert!(samples.starts_with("2 analyses had samples in tables"), "{samples}");
    assert!(infos.starts_with("1 info records of the kind Analysis"), "{infos}");
}

#[tokio::test(flavor = "multi_thread")]
async fn moments_do_not_depend_on_time_zones() {
    let song = song::since_5_3();
    song.run(
        "ALTER DATABASE CURRENT SET timezone TO 'America/St_Johns'".replace("CURRENT", &name(&song.address())).as_str(),
    );
    let target = Target::sqlite();
    assert!(target.take(&song).await.is_complete());
    assert_eq!(target.analysis(FIRST).await.unwrap(), first(None));
}

fn name(address: &str) -> String {
    address.rsplit('/').next().unwrap().to_owned()
}
