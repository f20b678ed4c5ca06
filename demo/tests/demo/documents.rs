//! Search documents: the same bytes for the same seed and number, and only what the mapping allows.

use std::collections::{HashMap, HashSet};
use std::hash::Hasher;

use cantata_demo::catalogue::{DONOR_INDEX, Documents, FILE_INDEX, document, donor_document, mapping};
use cantata_mapping::{FieldKind, IndexMapping};
use serde_json::Value;
use siphasher::sip::SipHasher13;

fn written(documents: Documents) -> Vec<u8> {
    let mut bytes = Vec::new();
    documents.write_to(&mut bytes).unwrap();
    bytes
}

fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = SipHasher13::new();
    hasher.write(bytes);
    hasher.finish()
}

#[test]
fn the_first_documents_never_change() {
    assert_eq!(hash(&written(Documents::new(1, 1_000))), 0x5CE4_3661_1D75_5B2D);
    assert_eq!(hash(&written(Documents::of_donors(1, 1_000))), 0x0310_2142_234B_2F52);
}

#[test]
fn another_seed_gives_other_documents() {
    assert_ne!(document(1, 0), document(2, 0));
    assert_ne!(donor_document(1, 0), donor_document(2, 0));
}

#[test]
fn a_line_is_the_document_of_its_number_however_it_is_made() {
    for (documents, make) in
        [(Documents::new(7, 60), document as fn(u64, u64) -> Value), (Documents::of_donors(7, 60), donor_document)]
    {
        let lines = String::from_utf8(written(documents.clone())).unwrap();
        assert_eq!(lines.lines().count(), 60);
        for (number, (line, taken)) in (0..).zip(lines.lines().zip(documents.clone())) {
            assert_eq!(line, make(7, number).to_string());
            assert_eq!(taken, make(7, number));
        }
        let parts = [written(documents.clone().slice(0..17)), written(documents.slice(17..60))];
        assert_eq!(parts.concat(), lines.as_bytes());
    }
}

#[test]
fn every_value_is_one_that_its_field_takes() {
    for (index, documents) in [(FILE_INDEX, Documents::new(3, 5_000)), (DONOR_INDEX, Documents::of_donors(3, 1_000))] {
        let mapping = IndexMapping::parse(&mapping(index)).unwrap();
        let mut seen = HashSet::new();
        for document in documents {
            assert_eq!(mapping.forbidden_fields(&document), [] as [String; 0]);
            for (name, value) in document.as_object().unwrap() {
                if name != "_id" {
                    check(&mapping, name, value, &mut seen);
                }
            }
        }
        let never: Vec<_> =
            mapping.fields().map(|field| field.path.as_str()).filter(|path| !seen.contains(*path)).collect();
        assert_eq!(never, [] as [&str; 0], "{index} has fields without a value");
    }
}

/// Checks what stands at a path, and notes the paths that have values.
fn check(mapping: &IndexMapping, path: &str, value: &Value, seen: &mut HashSet<String>) {
    let field = mapping.field(path).unwrap_or_else(|| panic!("{path} is not in the mapping"));
    match value {
        Value::Array(items) => {
            let is_list = field.kind == FieldKind::Nested || path == "tags";
            assert!(is_list, "{path} has a list");
            items.iter().for_each(|item| check(mapping, path, item, seen));
        }
        Value::Object(members) => {
            assert!(field.kind.is_container(), "{path} has an object");
            seen.insert(path.to_owned());
            for (name, value) in members {
                check(mapping, &format!("{path}.{name}"), value, seen);
            }
        }
        scalar => {
            for path in field.multi_fields.iter().map(String::as_str).chain([path]) {
                let read = mapping.field(path).unwrap().read(scalar).unwrap();
                assert_eq!(read.is_none(), scalar.is_null(), "{path}: {scalar}");
            }
            if !scalar.is_null() {
                seen.insert(path.to_owned());
            }
        }
    }
}

#[test]
fn ids_are_unique_and_repeat_the_key() {
    for (documents, key) in [(Documents::new(5, 20_000), "object_id"), (Documents::of_donors(5, 2_000), "donor_id")] {
        let mut ids = HashSet::new();
        for document in documents {
            assert_eq!(document["_id"], document[key]);
            assert!(ids.insert(document["_id"].as_str().unwrap().to_owned()), "{}", document["_id"]);
        }
    }
}

#[test]
fn both_indices_tell_of_the_same_donors_and_files() {
    let mut files_of: HashMap<Value, Vec<Value>> = HashMap::new();
    let mut donors: HashMap<Value, Value> = HashMap::new();
    for file in Documents::new(9, 24 * 50) {
        for donor in file["donors"].as_array().unwrap() {
            files_of.entry(donor["donor_id"].clone()).or_default().push(file["object_id"].clone());
            let known = donors.entry(donor["donor_id"].clone()).or_insert_with(|| donor.clone());
            assert_eq!(known, donor);
        }
    }
    for document in Documents::of_donors(9, 4 * 50) {
        let files = document["files"].as_array().unwrap();
        let listed: Vec<Value> = files.iter().map(|file| file["object_id"].clone()).collect();
        assert_eq!(listed, files_of[&document["donor_id"]]);
        assert_eq!(document["summary"]["file_count"], files.len());
        for (name, value) in donors[&document["donor_id"]].as_object().unwrap() {
            assert_eq!(&document[name], value);
        }
    }
}
