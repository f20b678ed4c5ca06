//! Kills imports, merges and deletions at random moments and proves that no acknowledged document is lost.
//!
//! The index is filled with files of documents by the real binary, a file at a time, and now and then put together or
//! removed as a whole; what the binary has said to be done is noted. Most of its runs get SIGKILL in the middle. After
//! each kill the index is opened again: it is sound, everything acknowledged is there once and as it should be, and
//! of the file under way any number of documents.
#![expect(clippy::unwrap_used, reason = "a test helper that fails should fail its test")]

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::Duration;

use cantata_demo::catalogue::Documents;
use cantata_engine::{ExportRequest, Filter, IndexAdmin, IndexMaintenance, IndexReader};
use cantata_engine_embedded::EmbeddedEngine;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use serde_json::Value;

const KILLS: u32 = 12;
const INDEX: &str = "files";
const FILES: u64 = 16;
const DOCUMENTS: u64 = 400;

/// What one run of the binary does.
#[derive(Debug, Clone, Copy)]
enum Task {
    /// Takes in a file; its documents replace those of the same ids.
    Import(u64),
    Compact,
    Delete,
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_acknowledged_is_lost_when_an_import_is_killed() {
    let seed: u64 = rand::rng().random();
    println!("seed {seed}");
    let mut random = StdRng::seed_from_u64(seed);
    let folder = tempfile::tempdir().unwrap();
    for file in 0..FILES {
        write_file(folder.path(), file);
    }
    let mut acknowledged: BTreeMap<String, Value> = BTreeMap::new();
    let (mut kills, mut most) = (0, 0_u64);
    // On a slow machine every run that is to be killed is, and few are left that write something.
    while kills < KILLS || most <= DOCUMENTS {
        let task = match random.random_range(0..12) {
            0..2 => Task::Delete,
            2..4 => Task::Compact,
            _ => Task::Import(random.random_range(0..FILES)),
        };
        let is_killed = random.random_bool(0.5);
        let ended = run(folder.path(), task, is_killed.then(|| Duration::from_millis(random.random_range(0..350))));
        kills += u32::from(ended.code().is_none());
        // 1: the index is not there, which compacting and deleting mind.
        let is_done = ended.code() == Some(0);
        assert!(is_done || ended.code().is_none() || !matches!(task, Task::Import(_)), "{task:?}: {ended}");
        match task {
            Task::Import(file) if is_done => acknowledged.extend(documents_of(file)),
            Task::Delete if is_done => acknowledged.clear(),
            _ => {}
        }
        let found = found(&folder.path().join("data/search")).await;
        // What was under way when the binary was killed may have happened, or in part.
        let optional: BTreeMap<String, Value> = match task {
            Task::Import(file) => documents_of(file).collect(),
            Task::Delete if found.is_empty() => {
                acknowledged.clear();
                BTreeMap::new()
            }
            _ => BTreeMap::new(),
        };
        for (id, document) in &acknowledged {
            assert_eq!(found.get(id), Some(document), "{task:?} lost {id}");
        }
        for (id, document) in &found {
            assert!(acknowledged.contains_key(id) || optional.get(id) == Some(document), "{task:?} made up {id}");
        }
        acknowledged = found;
        most = most.max(acknowledged.len() as u64);
    }
    println!("{kills} kills, up to {most} documents, none lost");
}

fn numbered(file: u64) -> Documents {
    Documents::new(5, 0).slice(file * DOCUMENTS..(file + 1) * DOCUMENTS)
}

fn write_file(folder: &Path, file: u64) {
    let mut lines = Vec::new();
    numbered(file).write_to(&mut lines).unwrap();
    fs_err::write(folder.join(file.to_string()), lines).unwrap();
}

fn documents_of(file: u64) -> impl Iterator<Item = (String, Value)> {
    numbered(file).map(|mut document| {
        let id = document.as_object_mut().unwrap().shift_remove("_id").unwrap();
        (id.as_str().unwrap().to_owned(), document)
    })
}

/// Runs the binary; it is killed after a while, unless it has ended by then.
fn run(folder: &Path, task: Task, killed_after: Option<Duration>) -> ExitStatus {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cantata"));
    match task {
        Task::Import(file) => command.args(["import", "--index", INDEX]).arg(folder.join(file.to_string())),
        Task::Compact => command.args(["index", "compact", INDEX]),
        Task::Delete => command.args(["index", "delete", INDEX, "--yes"]),
    };
    command.env("DATA_DIR", folder.join("data")).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    if let Some(time) = killed_after {
        std::thread::sleep(time);
        child.kill().unwrap();
    }
    child.wait().unwrap()
}

/// Opens the index, requires that it is sound, and returns its documents; none, if it is not there.
async fn found(folder: &Path) -> BTreeMap<String, Value> {
    let engine = EmbeddedEngine::open(folder).unwrap();
    let names: Vec<String> = engine.indexes().await.unwrap().into_iter().map(|index| index.name).collect();
    if names.is_empty() {
        return BTreeMap::new();
    }
    assert_eq!(names, [INDEX]);
    assert_eq!(engine.verify(INDEX).await.unwrap(), Vec::<String>::new());
    let everything = ExportRequest { filter: Filter::All, sort: vec![], limit: None, page_size: 1000 };
    let mut export = engine.export(INDEX, everything).await.unwrap();
    let mut documents = BTreeMap::new();
    while let Some(page) = export.next().await.unwrap() {
        for hit in page.hits {
            let document = serde_json::to_value(hit.document.unwrap().root()).unwrap();
            assert!(documents.insert(hit.cursor.id.clone(), document).is_none(), "{} is there twice", hit.cursor.id);
        }
    }
    documents
}
