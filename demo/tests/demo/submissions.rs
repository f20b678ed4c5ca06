//! Studies, types and submissions are what a server would take, and always the same.

use std::collections::{HashMap, HashSet};

use cantata_core::Study;
use cantata_core::analysis_type::check_registrable_name;
use cantata_demo::{FinalState, analysis_types, studies, submissions};
use cantata_schema::{PayloadValidator, builtin_types, check_registration};
use serde_json::Value;

/// The versions of each type, oldest first, with the file types it allows.
fn known_types() -> HashMap<String, Vec<(PayloadValidator, Value)>> {
    let mut known: HashMap<String, Vec<_>> = HashMap::new();
    for builtin in builtin_types() {
        let validator = PayloadValidator::compile(&builtin.schema).unwrap();
        known.entry(builtin.id.name.clone()).or_default().push((validator, Value::Null));
    }
    for body in analysis_types() {
        let name = body["name"].as_str().unwrap();
        let validator = PayloadValidator::compile(&body["schema"]).unwrap();
        known.entry(name.to_owned()).or_default().push((validator, body["options"]["fileTypes"].clone()));
    }
    known
}

#[test]
fn types_may_be_registered() {
    for body in analysis_types() {
        check_registrable_name(body["name"].as_str().unwrap()).unwrap();
        check_registration(&body["schema"]).unwrap_or_else(|error| panic!("{}: {error}", body["name"]));
    }
}

#[test]
fn studies_have_distinct_usable_ids() {
    let studies = studies();
    let ids: HashSet<_> = studies.iter().map(|study| study["studyId"].as_str().unwrap()).collect();
    assert_eq!(ids.len(), studies.len());
    ids.into_iter().for_each(|id| Study::check_id(id).unwrap());
}

#[test]
fn every_payload_follows_its_type_and_names_its_study() {
    let known = known_types();
    let study_ids: Vec<Value> = studies().iter().map(|study| study["studyId"].clone()).collect();
    for (position, submission) in submissions(1_000).enumerate() {
        let payload = &submission.payload;
        let versions = &known[payload["analysisType"]["name"].as_str().unwrap()];
        let version = payload["analysisType"]["version"].as_u64().unwrap_or(versions.len() as u64);
        let (validator, file_types) = &versions[version as usize - 1];
        assert_eq!(validator.validate_submission(payload), [], "submission {position}: {payload:#}");
        assert_eq!(payload["studyId"], submission.study_id);
        assert!(study_ids.contains(&payload["studyId"]));
        if let Some(allowed) = file_types.as_array() {
            let files = payload["files"].as_array().unwrap();
            assert!(files.iter().all(|file| allowed.contains(&file["fileType"])), "{payload:#}");
        }
    }
}

#[test]
fn files_are_one_to_seven_with_names_and_checksums_of_their_own() {
    let mut checksums = HashSet::new();
    for submission in submissions(1_000) {
        let files = submission.payload["files"].as_array().unwrap();
        assert!((1..=7).contains(&files.len()));
        let names: HashSet<_> = files.iter().map(|file| file["fileName"].as_str().unwrap()).collect();
        assert_eq!(names.len(), files.len());
        for file in files {
            assert!(checksums.insert(file["fileMd5sum"].as_str().unwrap().to_owned()), "{file}");
        }
    }
}

#[test]
fn two_hundred_submissions_show_every_study_type_version_and_outcome() {
    let mut seen = HashSet::new();
    let mut outcomes = HashSet::new();
    for submission in submissions(200) {
        seen.insert(submission.study_id.to_owned());
        seen.insert(submission.payload["analysisType"].to_string());
        outcomes.insert(submission.final_state);
    }
    assert_eq!(seen.len(), 8 + 5, "{seen:?}");
    assert_eq!(outcomes, HashSet::from([FinalState::Unpublished, FinalState::Published, FinalState::Suppressed]));
}

#[test]
fn a_submission_does_not_depend_on_how_many_are_asked_for() {
    let few: Vec<_> = submissions(20).collect();
    let many: Vec<_> = submissions(40).take(20).collect();
    assert_eq!(few, many);
    assert_eq!(few[1].payload["files"][0]["fileName"], "DO0000000-00001-Amplicon-snv.vcf.gz");
}
