//! `cantata backup` and `cantata restore`: nothing acknowledged is missing, nothing half or foreign is served.

use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use cantata_backup::{BackupFile, FileContent, PreparedBackup};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::process::{Server, cantata, outcome};

const STUDY: &str = "BACKUP";

/// A data folder, and files beside it.
struct BackupFolders(TempDir);

impl BackupFolders {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Runs a command on one of the folders.
    fn run(&self, folder: &str, arguments: &[&str]) -> (i32, String, String) {
        outcome(cantata(arguments).arg("--data-dir").arg(self.path(folder)).current_dir(self.0.path()))
    }

    #[track_caller]
    fn ok(&self, folder: &str, arguments: &[&str]) -> String {
        let (code, stdout, stderr) = self.run(folder, arguments);
        assert_eq!((code, stderr.as_str()), (0, ""), "{arguments:?}: {stdout}");
        stdout
    }

    /// Runs a command that must fail, and returns what it says.
    #[track_caller]
    fn refused(&self, folder: &str, arguments: &[&str]) -> String {
        let (code, stdout, stderr) = self.run(folder, arguments);
        assert_eq!((code, stdout.as_str()), (1, ""), "{arguments:?}: {stderr}");
        stderr
    }

    fn start(&self, folder: &str) -> Server {
        Server::start("serve", &self.path(folder), &[])
    }

    fn names(&self, folder: &str) -> BTreeSet<String> {
        let entries = fs_err::read_dir(self.path(folder)).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }
}

fn payload(marker: usize) -> String {
    let file = json!({
        "fileName": "a.bam", "fileSize": 1, "fileType": "bam", "fileAccess": "open", "dataType": "reads",
        "fileMd5sum": format!("{marker:032x}"),
    });
    let experiment = json!({"matchedNormalSampleSubmitterId": marker.to_string(), "variantCallingTool": "t"});
    json!({"studyId": STUDY, "analysisType": {"name": "variantCall"}, "files": [file], "experiment": experiment})
        .to_string()
}

/// Submits an analysis, publishes every second one, and puts a document into an index; returns the analysis' id.
fn write(server: &Server, marker: usize) -> String {
    let (status, answer) = server.request("POST", &format!("/submit/{STUDY}"), &payload(marker));
    assert_eq!(status, 200, "{answer}");
    let id = answer["analysisId"].as_str().unwrap().to_owned();
    if marker.is_multiple_of(2) {
        assert_eq!(server.request("PUT", &format!("/studies/{STUDY}/analysis/publish/{id}"), "").0, 200);
    }
    let document = json!({"_id": id, "marker": marker}).to_string();
    assert_eq!(server.request("POST", "/admin/indexes/things/import", &document).0, 200);
    id
}

fn set_up(server: &Server) {
    assert_eq!(server.request("POST", &format!("/studies/{STUDY}"), &json!({"studyId": STUDY}).to_string()).0, 200);
    assert_eq!(server.request("PUT", "/admin/indexes/things", "").0, 201);
}

fn analysis(server: &Server, id: &str) -> Value {
    let (status, analysis) = server.get(&format!("/studies/{STUDY}/analysis/{id}"));
    assert_eq!(status, 200, "{analysis}");
    analysis
}

fn documents(server: &Server) -> u64 {
    server.get("/admin/indexes/things").1["documents"].as_u64().unwrap()
}

#[test]
fn everything_acknowledged_before_a_backup_is_in_it_while_writing_goes_on() {
    let place = BackupFolders::new();
    let server = place.start("data");
    set_up(&server);
    let before: Vec<String> = (0..40).map(|marker| write(&server, marker)).collect();
    let expected: Vec<Value> = before.iter().map(|id| analysis(&server, id)).collect();
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        let writers: Vec<_> = (1..4)
            .map(|writer| {
                let (server, is_over) = (&server, &is_over);
                scope.spawn(move || {
                    let mut written = 0;
                    while !is_over.load(Ordering::Relaxed) {
                        write(server, writer * 1_000_000 + written);
                        written += 1;
                    }
                    written
                })
            })
            .collect();
        for round in 0..3 {
            let said = place.ok("data", &["backup", &format!("{round}.backup")]);
            assert!(said.ends_with("; verified\n"), "{said}");
        }
        is_over.store(true, Ordering::Relaxed);
        assert!(writers.into_iter().map(|writer| writer.join().unwrap()).sum::<usize>() > 0);
    });
    let (schemas, events) = (server.get("/schemas").1, documents(&server));
    drop(server);

    for round in 0..3 {
        let file = format!("{round}.backup");
        assert!(place.ok("unused", &["backup", "--verify", &file]).contains(" is a complete backup: "));
        let folder = format!("restored-{round}");
        assert!(place.ok(&folder, &["restore", &file]).contains(" is restored: "));
        let restored = place.start(&folder);
        for (id, expected) in before.iter().zip(&expected) {
            assert_eq!(analysis(&restored, id), *expected);
        }
        assert_eq!(restored.get("/schemas").1, schemas);
        assert!(documents(&restored) >= 40 && documents(&restored) <= events);
        let all = restored.get(&format!("/studies/{STUDY}/analysis?analysisStates=PUBLISHED,UNPUBLISHED")).1;
        let all = all.as_array().unwrap();
        // The indexes are taken first, so that they never know of an analysis that the metadata does not have.
        assert!(all.len() as u64 >= documents(&restored), "{} analyses, {} documents", all.len(), documents(&restored));
        for analysis in all {
            let object_id = analysis["files"][0]["objectId"].as_str().unwrap();
            assert_eq!(restored.get(&format!("/entities/{object_id}")).0, 200);
        }
        // It is a server like any other: it takes what comes, and knows duplicates of what it had.
        assert_eq!(restored.request("POST", &format!("/submit/{STUDY}"), &payload(7)).0, 409);
        write(&restored, 9_000_000);
        assert_eq!(restored.request("POST", "/admin/indexes/things/verify", "").1, json!({"problems": []}));
    }
}

#[test]
fn a_stopped_server_is_backed_up_too_with_its_catalogues() {
    let place = BackupFolders::new();
    let server = place.start("data");
    set_up(&server);
    let id = write(&server, 1);
    let expected = analysis(&server, &id);
    server.stop("TERM");
    fs_err::create_dir_all(place.path("data/configs/things")).unwrap();
    fs_err::write(place.path("data/configs/things/base.json"), "{}").unwrap();
    assert_eq!(place.run("data", &["key", "create", "--name", "k", "--scope", "song.WRITE"]).0, 0);
    fs_err::write(place.path("data/.backup-left-behind"), "by a process that was killed").unwrap();
    place.ok("data", &["backup", "b"]);
    assert!(!place.names("data").iter().any(|name| name.starts_with(".backup-")));
    let said = place.refused("data", &["backup", "b"]);
    assert!(said.contains("the file exists"), "{said}");

    fs_err::create_dir_all(place.path("restored/lost+found")).unwrap();
    place.ok("restored", &["restore", "b"]);
    assert_eq!(fs_err::read_to_string(place.path("restored/configs/things/base.json")).unwrap(), "{}");
    let keys = |folder: &str| place.run(folder, &["key", "list", "--json"]).1;
    assert!(keys("restored") == keys("data") && keys("data").contains("song.WRITE"), "{}", keys("restored"));
    for file in ["b", "restored/metadata.db"] {
        let mode = fs_err::metadata(place.path(file)).unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0, "{file} can be read by others: {mode:o}");
    }
    let restored = place.start("restored");
    assert_eq!(analysis(&restored, &id), expected);
    assert_eq!(documents(&restored), 1);
}

/// Returns a backup with something of everything in it.
fn small_backup(place: &BackupFolders) -> Vec<u8> {
    let server = place.start("data");
    set_up(&server);
    write(&server, 1);
    server.stop("TERM");
    place.ok("data", &["backup", "b"]);
    fs_err::read(place.path("b")).unwrap()
}

#[test]
fn a_damaged_backup_is_refused_wherever_it_is_damaged_and_leaves_nothing() {
    let place = BackupFolders::new();
    let whole = small_backup(&place);
    let regions = 60;
    for region in 0..regions {
        let mut damaged = whole.clone();
        let at = (whole.len() - 1) * region / (regions - 1);
        damaged[at] ^= 0x5a;
        fs_err::write(place.path("damaged"), damaged).unwrap();
        let said = place.refused("restored", &["restore", "damaged"]);
        assert!(
            said.starts_with("error: damaged is damaged: ") || said.starts_with("error: damaged is no backup: "),
            "{said}"
        );
        assert_eq!(place.names("restored"), BTreeSet::new());
    }
    fs_err::write(place.path("damaged"), &whole[..whole.len() / 2]).unwrap();
    for arguments in [["restore", "damaged"].as_slice(), &["backup", "--verify", "damaged"]] {
        let said = place.refused("restored", arguments);
        assert!(said.starts_with("error: damaged is damaged: "), "{said}");
    }
    let said = place.refused("restored", &["restore", "missing"]);
    assert!(said.starts_with("error: the backup missing cannot be read: "), "{said}");
}

#[test]
fn only_who_may_do_everything_gets_a_backup() {
    let place = BackupFolders::new();
    let server = Server::start("serve", &place.path("data"), &["--auth-mode=api-key"]);
    let made = place.ok("data", &["key", "create", "--name", "k", "--scope", "song.READ", "--json"]);
    let key = serde_json::from_str::<Value>(&made).unwrap()["key"].as_str().unwrap().to_owned();
    let address = format!("http://{}", server.address);
    for key in [None, Some(key.as_str())] {
        let mut command = cantata(&["backup", "b", "--server", &address]);
        command.current_dir(place.0.path()).envs(key.map(|key| ("CANTATA_API_KEY", key)));
        let (code, _, stderr) = outcome(&mut command);
        assert_eq!(code, 1, "{stderr}");
    }
    // A process that can read the data folder needs no key.
    place.ok("data", &["backup", "b"]);
}

#[test]
fn a_backup_is_not_written_into_what_somebody_left_in_its_place() {
    let place = BackupFolders::new();
    small_backup(&place);
    fs_err::write(place.path("precious"), "as it was").unwrap();
    std::os::unix::fs::symlink(place.path("precious"), place.path("a.unfinished")).unwrap();
    fs_err::write(place.path("c.unfinished"), "for everybody").unwrap();
    fs_err::set_permissions(place.path("c.unfinished"), PermissionsExt::from_mode(0o666)).unwrap();
    for file in ["a", "c"] {
        place.ok("data", &["backup", file]);
        let made = fs_err::symlink_metadata(place.path(file)).unwrap();
        assert!(made.is_file(), "{file} leads elsewhere");
        assert_eq!(made.permissions().mode() & 0o077, 0, "{file} can be read by others");
    }
    assert_eq!(fs_err::read_to_string(place.path("precious")).unwrap(), "as it was");
}

#[test]
fn a_whole_backup_of_nonsense_is_not_restored() {
    let place = BackupFolders::new();
    for path in ["metadata.db", "search/things/manifest.json"] {
        let file = BackupFile { path: path.to_owned(), content: FileContent::Bytes(b"nonsense".to_vec().into()) };
        let forged = fs_err::File::create(place.path("forged")).unwrap();
        PreparedBackup::new(vec![file]).unwrap().write_to(forged).unwrap();
        let said = place.refused("restored", &["restore", "forged"]);
        assert!(said.contains("error: the data in the backup forged is damaged: "), "{said}");
        assert_eq!(place.names("restored"), BTreeSet::new());
    }
}

#[test]
fn only_an_empty_folder_is_restored_into() {
    let place = BackupFolders::new();
    small_backup(&place);
    let before = place.names("data");
    let said = place.refused("data", &["restore", "b"]);
    assert!(said.contains("it is not empty, it has "), "{said}");
    assert_eq!(place.names("data"), before);
}

#[test]
fn a_half_restored_folder_is_not_served() {
    let place = BackupFolders::new();
    small_backup(&place);
    place.ok("restored", &["restore", "b"]);
    fs_err::create_dir(place.path("restored/.restoring")).unwrap();
    let create_key = ["key", "create", "--name", "k", "--scope", "song.READ"];
    for arguments in [["serve"].as_slice(), &["demo"], &["index", "list"], &["backup", "c"], &create_key] {
        let said = place.refused("restored", arguments);
        assert!(said.contains("is half restored"), "{said}");
    }
    let said = place.refused("restored", &["restore", "b"]);
    assert!(said.contains("cannot be restored into: another restore is in progress or was interrupted"), "{said}");
}

#[test]
fn a_damaged_index_makes_no_backup_and_is_named() {
    let place = BackupFolders::new();
    small_backup(&place);
    let is_segment = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "segment");
    let files =
        |folder: &Path| fs_err::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect::<Vec<_>>();
    let segment = files(&place.path("data/search/things")).into_iter().find(is_segment).unwrap();
    let mut bytes = fs_err::read(&segment).unwrap();
    let at = bytes.len() / 2;
    bytes[at] ^= 1;
    fs_err::write(&segment, bytes).unwrap();
    let said = place.refused("data", &["backup", "c"]);
    assert!(said.contains("index `things`"), "{said}");
    let server = place.start("data");
    let said = place.refused("data", &["backup", "c", "--server", &format!("http://{}", server.address)]);
    assert!(said.contains("index `things`"), "{said}");
    assert!(!place.path("c").try_exists().unwrap() && !place.path("c.unfinished").try_exists().unwrap());
}
