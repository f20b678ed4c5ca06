//! Random analysis types and analyses that follow them: every value has a field that takes it, and the engine takes
//! every document.

mod generate;

use cantata_core::AnalysisType;
use cantata_engine::{IndexAdmin, IndexWriter, WriteOperation};
use cantata_engine_embedded::EmbeddedEngine;
use cantata_indexing::document_builder::{DocumentBuilder, IndexDocument};
use cantata_indexing::mapping_derivation::derive_mapping;
use cantata_mapping::IndexMapping;
use cantata_schema::{PayloadValidator, check_registration};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use serde_json::{Value, json};

use crate::support::{analysis, source};
use generate::Generator;

/// How many cases are tried.
const CASES: u64 = 150;

#[tokio::test]
async fn every_value_of_random_analyses_has_a_field_and_every_document_is_taken() {
    let folder = tempfile::tempdir().unwrap();
    let engine = EmbeddedEngine::open(folder.path()).unwrap();
    for seed in 0..CASES {
        let mut generator = Generator::new(StdRng::seed_from_u64(seed));
        let types: Vec<AnalysisType> =
            (1..=generator.rng.random_range(1..4)).map(|n| generator.analysis_type(n)).collect();
        let shape = ["file-centric", "analysis-centric"][seed as usize % 2];
        let source = source(json!({"document": shape}));
        let derived = derive_mapping(&source, &types);
        let mapping = IndexMapping::parse(&derived.mapping).unwrap_or_else(|errors| panic!("seed {seed}: {errors:?}"));
        let index = format!("case-{seed}");
        engine.create_index(&index, Some(&derived.mapping)).await.unwrap();
        let mut batch = Vec::new();
        for number in 0..8 {
            let analysis_type = &types[number % types.len()];
            let data = generator.instance(analysis_type);
            for IndexDocument { id, source } in
                DocumentBuilder::new(&source).documents(&whole(number, &data).to_string()).unwrap()
            {
                let document: Value = serde_json::from_slice(&source).unwrap();
                check(&mapping, &document, "", &|told| {
                    panic!("seed {seed}: {told}\nschema {:#}\ndocument {document:#}", analysis_type.schema)
                });
                batch.push(WriteOperation::Put { id: format!("{number}-{id}"), source });
            }
        }
        let written = batch.len();
        let report = engine.write(&index, batch).await.unwrap();
        assert_eq!((report.rejected, report.written), (vec![], written), "seed {seed}");
        engine.delete_index(&index).await.unwrap();
    }
}

/// The generator is worth something only if its schemas can be registered and its instances follow them.
#[test]
fn what_is_generated_follows_its_schema() {
    for seed in 0..CASES {
        let mut generator = Generator::new(StdRng::seed_from_u64(seed));
        let analysis_type = generator.analysis_type(1);
        check_registration(&analysis_type.schema).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        let validator = PayloadValidator::compile(&analysis_type.schema).unwrap();
        let mut payload = generator.instance(&analysis_type);
        payload["studyId"] = json!("S");
        payload["analysisType"] = json!({"name": "t"});
        payload["files"] = analysis()["files"].clone();
        for file in payload["files"].as_array_mut().unwrap() {
            file.as_object_mut()
                .unwrap()
                .retain(|name, _| !["objectId", "studyId", "analysisId"].contains(&name.as_str()));
        }
        let violations = validator.validate_submission(&payload);
        assert!(violations.is_empty(), "seed {seed}: {violations:?}\n{:#}\n{payload:#}", analysis_type.schema);
    }
}

fn whole(number: usize, data: &Value) -> Value {
    let mut analysis = analysis();
    for name in ["experiment", "donors"] {
        analysis.as_object_mut().unwrap().remove(name);
    }
    analysis["analysisId"] = json!(format!("a-{number}"));
    analysis.as_object_mut().unwrap().extend(data.as_object().unwrap().clone());
    analysis
}

/// Looks at every scalar of a document: its field is there, unless it lies in what is shown only, and takes it.
fn check(mapping: &IndexMapping, value: &Value, path: &str, fail: &dyn Fn(String)) {
    match value {
        Value::Null => {}
        Value::Array(elements) => elements.iter().for_each(|element| check(mapping, element, path, fail)),
        Value::Object(members) => {
            match mapping.entry(path) {
                Some(field) if !field.enabled => return,
                Some(field) if !field.kind.is_container() => {
                    fail(format!("an object at `{path}`, a {}", field.type_name))
                }
                None if !path.is_empty() => fail(format!("no field for the object `{path}`")),
                _ => {}
            }
            for (name, member) in members {
                let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                check(mapping, member, &path, fail);
            }
        }
        scalar => match mapping.entry(path) {
            None => fail(format!("no field for `{path}`")),
            Some(field) if !field.enabled => {}
            Some(field) => match field.read(scalar) {
                Ok(Some(_)) => {}
                other => fail(format!("{scalar} at `{path}`, a {}: {other:?}", field.type_name)),
            },
        },
    }
}
