//! The shape of the search documents: what makes them like real ones.

use std::collections::HashMap;

use cantata_demo::catalogue::Documents;
use serde_json::Value;

const COUNT: usize = 10_000;

fn files() -> Vec<Value> {
    Documents::new(11, COUNT as u64).collect()
}

/// Returns everything at a path of a document; a part that is missing ends the way.
fn at<'d>(document: &'d Value, path: &str) -> Vec<&'d Value> {
    path.split('.').fold(vec![document], |found, name| {
        found.into_iter().flat_map(elements).filter_map(|value| value.get(name)).collect()
    })
}

fn elements(value: &Value) -> &[Value] {
    value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice)
}

/// Returns how often each value but null occurs at a path, the most common first.
fn counts(documents: &[Value], path: &str) -> Vec<(String, usize)> {
    let mut counts: HashMap<String, usize> = HashMap::new();
    for value in documents.iter().flat_map(|document| at(document, path)).flat_map(elements) {
        if !value.is_null() {
            *counts.entry(value.to_string()).or_default() += 1;
        }
    }
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by(|one, two| two.1.cmp(&one.1).then_with(|| one.0.cmp(&two.0)));
    counts
}

#[test]
fn documents_have_about_the_size_of_real_ones() {
    let mut bytes = Vec::new();
    Documents::new(11, COUNT as u64).write_to(&mut bytes).unwrap();
    let average = bytes.len() / COUNT;
    assert!((1_000..=1_600).contains(&average), "{average} bytes");
}

#[test]
fn fields_have_as_many_values_as_they_should_and_some_are_rare() {
    let files = files();
    for (path, distinct) in [
        ("file_type", 8),
        ("file_access", 2),
        ("data_type", 20),
        ("data_category", 7),
        ("study_id", 30),
        ("analysis.analysis_type", 6),
        ("analysis.experiment.strategy", 11),
        ("repositories.code", 7),
        ("donors.specimens.specimen_type", 8),
        ("donors.specimens.samples.sample_type", 6),
        ("tags", 16),
    ] {
        let counts = counts(&files, path);
        assert_eq!(counts.len(), distinct, "{path}: {counts:?}");
        let (most, least) = (counts[0].1, counts[distinct - 1].1);
        assert!(most >= 2 * least, "{path}: {counts:?}");
    }
    assert!((24..=28).contains(&counts(&files, "donors.primary_site").len()));
}

#[test]
fn values_are_missing_null_or_empty_in_some_documents() {
    let donors: Vec<Value> = files().iter().flat_map(|file| at(file, "donors")).flat_map(elements).cloned().collect();
    for name in ["gender", "age_at_diagnosis", "vital_status", "is_deceased", "survival_days"] {
        assert!(donors.iter().any(|donor| donor.get(name).is_none()), "{name} is never missing");
        assert!(donors.iter().any(|donor| donor.get(name).is_some_and(Value::is_null)), "{name} is never null");
        assert!(donors.iter().any(|donor| donor.get(name).is_some_and(|value| !value.is_null())), "{name} never is");
    }
    assert!(donors.iter().any(|donor| donor["specimens"] == Value::Array(Vec::new())));

    let files = files();
    for name in ["tags", "uploaded_from", "released_at"] {
        assert!(files.iter().any(|file| file.get(name).is_none()), "{name} is never missing");
        assert!(files.iter().any(|file| file.get(name).is_some_and(Value::is_null)), "{name} is never null");
    }
    assert!(files.iter().any(|file| file["tags"] == Value::Array(Vec::new())));
}

#[test]
fn sizes_reach_from_kilobytes_past_32_bits() {
    let sizes: Vec<u64> = files().iter().map(|file| file["size"].as_u64().unwrap()).collect();
    let large = sizes.iter().filter(|size| **size > u64::from(u32::MAX)).count();
    assert!(large > COUNT / 10, "{large}");
    assert!(sizes.iter().any(|size| *size < 10_000));
    assert!(sizes.iter().all(|size| *size < 1 << 53), "a size that other programs would round");
}

#[test]
fn nested_objects_come_once_twice_and_three_times_three_deep() {
    let files = files();
    for (path, expected) in [
        ("donors", vec![1, 2]),
        ("repositories", vec![1, 2, 3]),
        ("donors.specimens", vec![0, 1, 2, 3]),
        ("donors.specimens.samples", vec![1, 2, 3]),
    ] {
        let mut lengths: Vec<usize> =
            files.iter().flat_map(|file| at(file, path)).map(|list| list.as_array().unwrap().len()).collect();
        lengths.sort_unstable();
        lengths.dedup();
        assert_eq!(lengths, expected, "{path}");
    }
}

#[test]
fn the_dead_are_the_deceased_and_only_they_have_survived_a_number_of_days() {
    for donor in files().iter().flat_map(|file| at(file, "donors")).flat_map(elements) {
        let status = donor.get("vital_status").and_then(Value::as_str);
        let is_deceased = donor.get("is_deceased").and_then(Value::as_bool);
        assert_eq!(status.map(|status| status == "Deceased"), is_deceased, "{donor}");
        assert!(donor.get("survival_days").is_none() || is_deceased == Some(true), "{donor}");
    }
}
