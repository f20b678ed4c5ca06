//! `cantata import song-db`: the binary takes over a database, and its server shows what SONG showed.

use std::path::Path;
use std::process::Command;

use cantata_testkit::databases::{self, TestDatabase};
use cantata_testkit::song;
use serde_json::{Value, json};

use crate::process::{Server, cantata, outcome};

const FIRST: &str = "2772f99d-a956-4bb2-b2f9-9da956abb2b2";

fn importing(song: &TestDatabase, folder: &Path, more: &[&str]) -> Command {
    let mut command = cantata(&["import", "song-db"]);
    command.args(more).arg("--data-dir").arg(folder).env("SONG_DATABASE_URL", song.address());
    command
}

#[test]
fn a_server_shows_what_song_showed() {
    let song = song::before_5_3();
    let folder = tempfile::tempdir().unwrap();
    let (code, stdout, stderr) = outcome(&mut importing(&song, folder.path(), &[]));
    assert_eq!((code, stderr.as_str()), (0, ""), "{stdout}");
    assert!(stdout.starts_with("analyses: 5 new, 0 updated, 0 unchanged\n"), "{stdout}");
    assert!(stdout.ends_with("everything was imported\n"), "{stdout}");

    let server = Server::start("serve", folder.path(), &[]);
    let (status, analysis) = server.get(&format!("/studies/ABC-CA/analysis/{FIRST}"));
    assert_eq!(status, 200);
    assert_eq!(analysis["publishedAt"], "2019-11-15T03:27:56.607489");
    assert_eq!(analysis["samples"][1]["donor"]["donorId"], "DO2");
    let (_, entity) = server.get("/entities/870f2122-e77a-53a9-8df2-f912b76f1f80");
    assert_eq!((&entity["gnosId"], &entity["projectCode"]), (&json!(FIRST), &json!("ABC-CA")));
    assert_eq!(server.get("/schemas/sequencingRead").1["version"], 2);
    // What was registered in SONG takes the place of what a new server would have registered.
    assert_eq!(server.get("/schemas/variantCall?version=1").1["createdAt"], "2019-01-01T00:00:00");
    assert_eq!(server.request("PUT", &format!("/studies/ABC-CA/analysis/unpublish/{FIRST}"), "").0, 200);

    let (code, _, stderr) = outcome(&mut importing(&song, folder.path(), &[]));
    assert_eq!(code, 1);
    assert!(stderr.contains("is held by another running server"), "{stderr}");
}

#[test]
fn the_report_is_json_too_and_tells_what_was_refused() {
    let (song, database) = (song::since_5_3(), databases::postgres());
    song.run("INSERT INTO analysis VALUES ('EGAZ1', 'ABC-CA', NULL, 'PUBLISHED', 1)");
    let folder = tempfile::tempdir().unwrap();
    let mut command = importing(&song, folder.path(), &["--json"]);
    let (code, stdout, _) = outcome(command.env("DATABASE_URL", database.address()));
    let report: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(code, 1);
    assert_eq!(report["isComplete"], json!(false));
    assert_eq!(report["refused"][0]["id"], "EGAZ1");
    assert_eq!((&report["new"], &report["comparisons"][2]["inSong"]), (&json!(5), &json!(6)));
    // Nothing went into the folder.
    assert!(!folder.path().join("metadata.db").try_exists().unwrap());
}

#[test]
fn what_cannot_be_reached_is_told_without_a_password() {
    let folder = tempfile::tempdir().unwrap();
    for (url, code, said) in [
        ("postgres://ann:secret@127.0.0.1:1/song", 1, "the database of SONG at 127.0.0.1:1/song cannot be read"),
        (
            "http://ann:secret@127.0.0.1/song",
            2,
            "the database of SONG: expected an address that begins with postgres://",
        ),
    ] {
        let (found, _, stderr) = outcome(cantata(&["import", "song-db", url]).arg("--data-dir").arg(folder.path()));
        assert!(found == code && stderr.contains(said) && !stderr.contains("secret"), "{found}: {stderr}");
    }
    let (code, _, stderr) = outcome(&mut cantata(&["import", "song-db"]));
    assert!(code == 2 && stderr.contains("<URL>"), "{stderr}");
    let other = databases::postgres();
    let (code, _, stderr) = outcome(&mut importing(&other, folder.path(), &[]));
    assert!(code == 1 && stderr.contains("this is no database of SONG 4.1 or later"), "{stderr}");
}

#[test]
fn killed_in_the_middle_it_goes_on() {
    let song = song::empty();
    song.run(
        "INSERT INTO study VALUES ('S', NULL, NULL, NULL);
         INSERT INTO analysis_schema (id, version, name, schema) VALUES (1, 1, 't', '{}');
         INSERT INTO analysis SELECT format('%s-0000-4000-8000-000000000000', lpad(to_hex(n), 8, '0')), 'S', NULL,
             'UNPUBLISHED', 1, NULL, '2020-01-01', '2021-01-01' FROM generate_series(1, 20000) AS n",
    );
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("metadata.db-wal");
    for _ in 0..3 {
        let mut child = importing(&song, folder.path(), &[]).spawn().unwrap();
        let before = log.metadata().map_or(0, |file| file.len());
        while child.try_wait().unwrap().is_none() && log.metadata().map_or(0, |file| file.len()) <= before + 100_000 {
            std::thread::yield_now();
        }
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let (code, stdout, stderr) = outcome(&mut importing(&song, folder.path(), &["--json"]));
    assert_eq!(code, 0, "{stderr}");
    let report: Value = serde_json::from_str(&stdout).unwrap();
    let figure = |name: &str| report[name].as_u64().unwrap();
    assert_eq!(figure("new") + figure("unchanged"), 20_000);
    assert!(figure("unchanged") > 0 && figure("updated") == 0, "{stdout}");
}
