//! `cantata index`: on the data folder of a stopped server and through a running one.

use serde_json::{Value, json};

use crate::catalogue::Catalogue;
use crate::process::{Server, cantata, outcome};

fn filled() -> Catalogue {
    let catalogue = Catalogue::new();
    let lines: String = (0..20).map(|id| format!("{{\"_id\": \"{id}\", \"n\": {id}}}\n")).collect();
    let file = catalogue.file("numbers.ndjson", lines);
    for index in ["numbers", "numbers", "others"] {
        catalogue.ok(&["import", "--index", index, &file]);
    }
    catalogue
}

fn read(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// Goes through all commands.
fn every_command_works(catalogue: &Catalogue) {
    let list = read(&catalogue.ok(&["index", "list", "--json"]));
    let shown: Vec<(&Value, &Value)> =
        list.as_array().unwrap().iter().map(|index| (&index["name"], &index["documents"])).collect();
    assert_eq!(shown, [(&json!("numbers"), &json!(20)), (&json!("others"), &json!(20))]);
    let table = catalogue.ok(&["index", "list"]);
    let cells: Vec<Vec<&str>> = table.lines().map(|line| line.split_whitespace().take(2).collect()).collect();
    assert_eq!(cells, [["index", "documents"], ["numbers", "20"], ["others", "20"]]);

    let stats = read(&catalogue.ok(&["index", "--json", "stats", "numbers"]));
    assert_eq!((&stats["name"], &stats["documents"], &stats["fields"]), (&json!("numbers"), &json!(20), &json!(1)));
    assert!(catalogue.ok(&["index", "stats", "numbers"]).contains("\ndocuments  20\n"));
    let compact = read(&catalogue.ok(&["index", "compact", "numbers", "--json"]));
    assert_eq!((&compact["segments"], &compact["deleted"]), (&json!(1), &json!(0)));
    assert_eq!(read(&catalogue.ok(&["index", "verify", "numbers", "--json"])), json!({"problems": []}));

    let (code, _, stderr) = catalogue.run(&["index", "delete", "numbers"]);
    assert_eq!(code, 2);
    assert!(stderr.contains("20 documents") && stderr.contains("--yes"), "{stderr}");
    catalogue.ok(&["index", "delete", "numbers", "--yes"]);
    for command in [&["stats", "numbers"][..], &["compact", "numbers"], &["verify", "numbers"], &["delete", "numbers"]]
    {
        let (code, stdout, stderr) = catalogue.run(&[&["index"], command].concat());
        assert_eq!((code, stdout.as_str()), (1, ""));
        assert!(stderr.contains("index `numbers` was not found; `cantata index list`"), "{stderr}");
    }
    assert_eq!(read(&catalogue.ok(&["index", "list", "--json"])).as_array().unwrap().len(), 1);
}

#[test]
fn on_the_folder_of_a_stopped_server() {
    every_command_works(&filled());
}

#[test]
fn through_a_running_server() {
    let catalogue = filled();
    let server = Server::start("serve", &catalogue.data_dir(), &[]);
    every_command_works(&catalogue);
    server.stop("TERM");
    assert!(!catalogue.data_dir().join("server.json").is_file());
}

#[test]
fn what_a_killed_server_leaves_behind_is_no_obstacle() {
    let catalogue = filled();
    Server::start("serve", &catalogue.data_dir(), &[]).stop("KILL");
    assert!(catalogue.data_dir().join("server.json").is_file());
    every_command_works(&catalogue);
}

#[test]
fn damage_is_found() {
    let catalogue = filled();
    let folder = catalogue.data_dir().join("search/others");
    let files = fs_err::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
    let largest = files.max_by_key(|path| fs_err::metadata(path).unwrap().len()).unwrap();
    let mut bytes = fs_err::read(&largest).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0xff;
    fs_err::write(&largest, bytes).unwrap();
    let (code, stdout, stderr) = catalogue.run(&["index", "verify", "others"]);
    assert_eq!(code, 1, "{stdout}{stderr}");
}

#[test]
fn wrong_places_are_told() {
    let catalogue = Catalogue::new();
    let (code, _, stderr) = catalogue.run(&["index", "list"]);
    assert_eq!(code, 1);
    assert!(stderr.contains("has no indexes") && stderr.contains("DATA_DIR"), "{stderr}");
    assert!(!catalogue.data_dir().is_dir());
    let (code, _, stderr) = outcome(&mut cantata(&["index", "list", "--server=http://127.0.0.1:9"]));
    assert_eq!(code, 1);
    assert!(stderr.contains("http://127.0.0.1:9/ cannot be reached") && stderr.contains("--server"), "{stderr}");
    let (code, _, stderr) = outcome(&mut cantata(&["index", "list", "--server=ftp://x"]));
    assert_eq!(code, 2);
    assert!(stderr.contains("'ftp'"), "{stderr}");
}
