//! `cantata check`.

use serde_json::{Value, json};
use tempfile::TempDir;

use super::site::{Site, read};
use crate::process::{cantata, outcome};

fn folder(files: &[(&str, Value)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (path, content) in files {
        let path = folder.path().join(path);
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        fs_err::write(path, content.to_string()).unwrap();
    }
    folder
}

fn check(folder: &TempDir, more: &[&str]) -> (i32, String, String) {
    outcome(cantata(&["check"]).arg(folder.path()).args(more).current_dir(folder.path()))
}

#[test]
fn files_are_checked_without_a_server() {
    let good = ("plants/base.json", json!({"documentType": "plant", "esIndex": "plants"}));
    let files = folder(&[
        good.clone(),
        ("trees/base.json", json!({"documentType": "tree", "esIndex": "trees", "maxDepht": 9})),
    ]);
    let (code, stdout, stderr) = check(&files, &[]);
    assert_eq!((code, stderr.as_str()), (0, ""), "{stdout}");
    assert!(stdout.contains("plants (index plants): the files can be used\n"), "{stdout}");
    assert!(stdout.contains("  warning: trees/base.json, `maxDepht`: found an unknown key"), "{stdout}");
    assert!(stdout.ends_with("2 read, 0 cannot be served; the indexes were not looked at\n"), "{stdout}");
    assert_eq!(check(&files, &["--strict"]).0, 1);

    let files = folder(&[good, ("trees/base.json", json!({"documentType": "tree", "maxDepth": "nine"}))]);
    let (code, stdout, _) = check(&files, &[]);
    assert_eq!(code, 1);
    for part in
        ["trees: cannot be served", "error: trees/base.json, `maxDepth`: found the string \"nine\"", "`esIndex`"]
    {
        assert!(stdout.contains(part), "'{part}' is not in: {stdout}");
    }
    let (code, stdout, _) = check(&files, &["--json"]);
    let report = read(&stdout);
    assert_eq!((code, &report["mode"], &report["indexes"]), (1, &json!("multiple"), &json!(false)));
    assert_eq!(report["catalogues"][0]["error"], Value::Null);
    assert_eq!(report["catalogues"][1]["problems"][0]["severity"], "error");
}

#[test]
fn folders_without_catalogues_are_told() {
    let empty = tempfile::tempdir().unwrap();
    let (code, stdout, _) = check(&empty, &[]);
    assert!(code == 1 && stdout.contains("no catalogues are configured"), "{stdout}");
    let (code, stdout, _) = outcome(cantata(&["check", "/none/configs", "--json"]).current_dir(empty.path()));
    assert_eq!(code, 1);
    assert!(read(&stdout)["problems"][0]["found"].as_str().unwrap().contains("no such folder"), "{stdout}");
}

#[test]
fn files_are_held_against_the_indexes_of_a_server_or_of_its_folder() {
    let site = Site::with_plants(&json!({"documentType": "plant", "esIndex": "plants"}));
    let columns = json!([{"fieldName": "name"}, {"fieldName": "hight"}]);
    let files = folder(&[
        ("plants/base.json", json!({"documentType": "plant", "esIndex": "plants"})),
        ("plants/table.json", json!({"table": {"columns": columns}})),
        ("trees/base.json", json!({"documentType": "tree", "esIndex": "trees"})),
    ]);
    let data = site.path().join("data");
    let by_folder = ["--data-dir", data.to_str().unwrap()];
    let address = site.address();
    for place in [&["--server", address.as_str()], &by_folder] {
        let (code, stdout, stderr) = check(&files, place);
        assert_eq!(code, 1, "{stderr}");
        for part in [
            "plants (index plants): can be served, 8 fields\n",
            "  warning: plants/table.json, `table.columns[1].fieldName`: found \"hight\"",
            "  made by the server, as no file has it: ",
            "trees (index trees): cannot be served\n",
            "trees",
            "2 read, 1 cannot be served\n",
        ] {
            assert!(stdout.contains(part), "{place:?}: '{part}' is not in: {stdout}");
        }
        let (_, stdout, _) = check(&files, &[place.as_slice(), &["--json"]].concat());
        let report = read(&stdout);
        assert_eq!(report["catalogues"][1]["error"]["code"], "index_not_found");
        assert_eq!((&report["indexes"], &report["catalogues"][0]["fieldCount"]), (&json!(true), &json!(8)));
        assert_eq!(check(&files, &[place.as_slice(), &["--files-only"]].concat()).0, 0);
    }
    let (code, _, stderr) = check(&files, &["--server", "http://127.0.0.1:9"]);
    assert!(code == 3 && stderr.contains("cannot be reached"), "{stderr}");
}

#[test]
fn a_key_that_may_only_search_is_enough_for_a_served_catalogue() {
    let site = Site::with_plants(&json!({"documentType": "plant", "esIndex": "plants"}));
    let data = site.path().join("data");
    let configs = format!("--configs-path={}", site.path().join("configs").display());
    drop(site.server);
    let server = crate::process::Server::start("serve", &data, &[&configs, "--auth-mode=api-key"]);
    let files = folder(&[("plants/base.json", json!({"documentType": "plant", "esIndex": "plants"}))]);
    let address = format!("http://{}", server.address);
    let (code, stdout, stderr) = check(&files, &["--server", &address]);
    assert_eq!(code, 0, "{stdout}{stderr}");
    assert!(stdout.contains("can be served, 8 fields"), "{stdout}");
}

#[test]
fn what_becomes_of_the_index_of_a_source_is_told() {
    let site = Site::with_study();
    let source = json!({"source": {"document": "file-centric"}});
    let files = folder(&[
        ("new/base.json", json!({"documentType": "file", "esIndex": "new-files"})),
        ("new/source.json", source.clone()),
        ("other/base.json", json!({"documentType": "plant", "esIndex": "other-files"})),
        ("other/source.json", source),
    ]);
    // An index that somebody made with another type than the analyses have.
    let mapping = json!({"properties": {"objectId": {"type": "keyword"}, "fileSize": {"type": "keyword"}}});
    let (status, _) = site.server.request("PUT", "/admin/indexes/other-files", &mapping.to_string());
    assert_eq!(status, 201);
    let data = site.path().join("data");
    let address = site.address();
    for place in [["--server", address.as_str()], ["--data-dir", data.to_str().unwrap()]] {
        let (code, stdout, stderr) = check(&files, &place);
        assert_eq!(code, 0, "{stdout}{stderr}");
        assert!(stdout.contains("  the index is made with "), "{stdout}");
        assert!(stdout.contains("  the index gets new fields, by the analysis types: "), "{stdout}");
        assert!(stdout.contains("  until `cantata reindex other`, the index stays as it is: "), "{stdout}");
        let report = read(&check(&files, &[place.as_slice(), &["--json"]].concat()).1);
        let [new, other] = [&report["catalogues"][0]["plan"], &report["catalogues"][1]["plan"]];
        assert_eq!((&new["isNew"], &new["needsReindex"]), (&json!(true), &json!([])));
        assert!(new["adds"].as_array().unwrap().contains(&json!("fileSize")), "{new}");
        assert_eq!(other["isNew"], false);
        assert!(other["needsReindex"][0].as_str().unwrap().contains("fileSize"), "{other}");
        assert_eq!(check(&files, &[place.as_slice(), &["--strict"]].concat()).0, 1);
    }
}
