//! Studies, and analyses that are shown, found, exported and changed.

use cantata_testkit::Payload;
use serde_json::{Value, json};

use super::site::{Site, cells, read, read_lines};

fn submit(site: &Site, payload: &Payload) -> String {
    let file = site.file("payload.json", payload.build().to_string());
    site.ok(&["submit", "-q", &file]).trim().to_owned()
}

#[test]
fn studies_are_registered_and_listed() {
    let site = Site::new();
    assert_eq!(site.json(&["study", "list"]), json!([]));
    let told = site.ok(&["study", "create", "B", "--name", "Bees", "--organization", "Us", "--info", "{\"n\": 1}"]);
    assert!(told.contains("'B'"), "{told}");
    assert_eq!(site.json(&["study", "create", "A/1 ä"]), json!({"studyId": "A/1 ä"}));
    let (_, study) = site.server.get("/studies/B");
    assert_eq!(study, json!({"info": {"n": 1}, "studyId": "B", "name": "Bees", "organization": "Us"}));
    assert_eq!(site.ok(&["study", "list"]), "A/1 ä\nB\n");
    assert_eq!(site.json(&["study", "list"]), json!(["A/1 ä", "B"]));
    assert_eq!(read(&site.ok(&["study", "--json", "list"])), json!(["A/1 ä", "B"]));
    site.refused(1, &["study", "create", "B"], &["study.already.exists", "'B'"]);
    site.refused(2, &["study", "create"], &["STUDY"]);
    site.refused(2, &["study", "create", "C", "--info", "{"], &["--info", "JSON"]);
}

#[test]
fn an_analysis_is_shown_with_or_without_its_study() {
    let site = Site::with_study();
    let id = submit(&site, &Payload::new("S").with_files(2).with("tissue", "liver"));
    for study in [&["--study", "S"][..], &[]] {
        let shown = site.json(&[&["get", &id], study].concat());
        assert_eq!(shown, site.server.get(&format!("/studies/S/analysis/{id}")).1);
    }
    let shown = site.ok(&["get", &id]);
    for part in [&id, "UNPUBLISHED", "variantCall version 1", "file1.vcf", "\"tissue\": \"liver\""] {
        assert!(shown.contains(part), "'{part}' is not in: {shown}");
    }
    let missing = "00000000-0000-4000-8000-000000000000";
    site.refused(1, &["get", missing], &["analysis.id.not.found", missing]);
    site.refused(1, &["get", missing, "-s", "S"], &["analysis.id.not.found", missing]);
    site.refused(1, &["get", &id, "-s", "NONE"], &["study.id.does.not.exist", "NONE"]);
}

#[test]
fn analyses_are_found_by_their_id_and_by_their_files() {
    let site = Site::with_study();
    let ids = [submit(&site, &Payload::new("S").with_files(3)), submit(&site, &Payload::new("S"))];
    let analysis = site.json(&["get", &ids[0]]);
    let object_id = analysis["files"][1]["objectId"].as_str().unwrap();
    assert_eq!(site.json(&["search", "-a", &ids[0]]), json!([analysis]));
    assert_eq!(site.json(&["search", "-s", "S", "-f", object_id]), json!([analysis]));
    assert_eq!(site.json(&["search", "-s", "S", "-f", "."]).as_array().unwrap().len(), 2);
    assert_eq!(site.json(&["search", "-s", "S", "-f", "none"]), json!([]));
    let table = site.ok(&["search", "-s", "S", "-f", &object_id.to_uppercase()]);
    let table = cells(&table);
    assert_eq!(table[0], ["analysis", "study", "state", "type", "version", "files"]);
    assert_eq!(table[1], [&ids[0], "S", "UNPUBLISHED", "variantCall", "1", "3"]);
    site.refused(1, &["search", "-s", "S", "-f", "("], &["search.term.syntax"]);
    site.refused(2, &["search", "-f", "x"], &["--study"]);
    site.refused(2, &["search", "-s", "S"], &["--analysis-id"]);
}

#[test]
fn what_is_exported_can_be_submitted_again() {
    let site = Site::with_study();
    let ids: Vec<String> = (0..120).map(|_| Payload::new("S").build().to_string()).collect();
    let file = site.file("many.ndjson", ids.join("\n"));
    let ids: Vec<String> = site.ok(&["submit", "-q", &file]).lines().map(str::to_owned).collect();
    assert_eq!(ids.len(), 120);

    let exported = site.ok(&["export", "--study", "S"]);
    assert_eq!(read_lines(&exported).len(), 120);
    assert_eq!(site.json(&["export", "--study", "S"]), Value::Array(read_lines(&exported)));
    let named: Vec<&str> = ids.iter().map(String::as_str).collect();
    assert_eq!(read_lines(&site.ok(&[&["export"], named.as_slice()].concat())).len(), 120);

    let written = site.path().join("out.ndjson");
    site.ok(&["export", &ids[3], "-o", written.to_str().unwrap()]);
    let (_, whole) = site.server.get(&format!("/export/analysis/{}", ids[3]));
    assert_eq!(read(&fs_err::read_to_string(&written).unwrap()), whole[0]["payloads"][0]);

    let (code, _, stderr) = site.run_with_input(&["submit", "-", "--allow-duplicates"], exported.as_bytes());
    assert_eq!(code, 0, "{stderr}");
    assert!(stderr.contains("120 submitted, 0 refused"), "{stderr}");

    site.ok(&["study", "create", "EMPTY"]);
    assert_eq!(site.ok(&["export", "-s", "EMPTY"]), "");
    assert_eq!(site.json(&["export", "-s", "EMPTY"]), json!([]));
    site.refused(1, &["export", "-s", "NONE"], &["study.id.does.not.exist"]);
    site.refused(2, &["export"], &["--study"]);
    // What could not be written as a whole leaves no file behind.
    let gone = site.path().join("gone.ndjson");
    site.refused(1, &["export", "none", "-o", gone.to_str().unwrap()], &["analysis.id.not.found"]);
    let left: Vec<_> = fs_err::read_dir(site.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(!left.iter().any(|name| name.to_string_lossy().starts_with("gone")), "{left:?}");
}

#[test]
fn the_metadata_of_a_file_is_changed() {
    let site = Site::with_study();
    let id = submit(&site, &Payload::new("S"));
    let object_id = site.json(&["get", &id])["files"][0]["objectId"].as_str().unwrap().to_owned();
    let told =
        site.ok(&["update-file", &object_id, "--size", "77", "--access", "controlled", "--info", "{\"lane\": 3}"]);
    assert!(told.contains("Updated file") && told.contains(&object_id), "{told}");
    let file = &site.json(&["get", &id])["files"][0];
    assert_eq!((&file["fileSize"], &file["fileAccess"]), (&json!(77), &json!("controlled")));
    assert_eq!(file["info"]["lane"], 3);
    let answer = site.json(&["update-file", &object_id, "-s", "S", "--data-type", "reads"]);
    assert_eq!(answer["fileUpdateType"], "METADATA_UPDATE");
    site.refused(1, &["update-file", &object_id, "--md5", "x"], &["invalid.file.update.request"]);
    site.refused(1, &["update-file", "00000000-0000-5000-8000-000000000000", "--size", "1"], &["not.found"]);
    site.refused(2, &["update-file", &object_id], &["--size"]);
    site.refused(2, &["update-file", &object_id, "--access", "secret"], &["controlled"]);
}

#[test]
fn a_manifest_names_the_local_files() {
    let site = Site::with_study();
    let id = submit(&site, &Payload::new("S").with_files(2));
    let files = site.json(&["get", &id])["files"].take();
    site.refused(1, &["manifest", &id], &["file0.vcf", "file1.vcf", "--input-dir"]);
    for file in files.as_array().unwrap() {
        site.file(file["fileName"].as_str().unwrap(), "x");
    }
    let folder = site.path().canonicalize().unwrap();
    let mut expected = format!("{id}\t\t\n");
    for file in files.as_array().unwrap() {
        let [object_id, name, md5] = ["objectId", "fileName", "fileMd5sum"].map(|key| file[key].as_str().unwrap());
        expected.push_str(&format!("{object_id}\t{}\t{md5}\n", folder.join(name).display()));
    }
    let folder = folder.to_str().unwrap();
    assert_eq!(site.ok(&["manifest", &id, "-d", folder]), expected);
    let written = site.path().join("manifest.txt");
    assert_eq!(site.ok(&["manifest", &id, "-d", folder, "-f", written.to_str().unwrap()]), "");
    assert_eq!(fs_err::read_to_string(written).unwrap(), expected);
    let manifest = site.json(&["manifest", &id, "-d", folder]);
    assert_eq!((&manifest["analysisId"], manifest["files"].as_array().unwrap().len()), (&json!(id), 2));
}
