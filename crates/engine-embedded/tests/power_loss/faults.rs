//! A disk that fails and works again: what is refused is not there, and what was acknowledged stays.

use std::path::Path;
use std::time::Duration;

use cantata_engine::{
    AliasChange, EngineError, IndexAdmin, IndexMaintenance, IndexReader, IndexWriter, WriteOperation,
};
use cantata_engine_embedded::EmbeddedEngine;
use cantata_sim_disk::{Fault, SimDisk};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use serde_json::json;

use crate::model::Model;
use crate::workload::{check_current, check_opens, step};

const FAULTS: [Fault; 6] =
    [Fault::DiskFull, Fault::NoSpaceForBytes, Fault::ReadOnly, Fault::IoError, Fault::ShortWrite, Fault::FailedSync];

/// Opens an engine that tries a failed index again at each request.
fn open(folder: &Path) -> EmbeddedEngine {
    EmbeddedEngine::open_with_retry_interval(folder, Duration::ZERO).unwrap()
}

/// So many segments are merged.
const SEGMENTS_PER_MERGE: usize = 12;

fn document(n: usize) -> WriteOperation {
    WriteOperation::Put { id: n.to_string(), source: b"{\"n\": 1}".to_vec() }
}

/// Opens an engine with an index that lacks one segment for a merge.
async fn open_before_merge(folder: &Path) -> EmbeddedEngine {
    let engine = open(folder);
    engine.create_index("things", None).await.unwrap();
    for n in 1..SEGMENTS_PER_MERGE {
        engine.bulk_load("things", vec![document(n)]).await.unwrap();
    }
    engine
}

/// Runs a workload with one fault, repairs the disk, goes on, and cuts the power at the end.
async fn run(seed: u64, fault: Fault) -> Result<(), String> {
    let mut random = StdRng::seed_from_u64(seed);
    let mut model = Model::default();
    let folder = tempfile::tempdir().unwrap();
    let disk = SimDisk::mount(folder.path());
    let engine = open(folder.path());
    for _ in 0..10 {
        step(&engine, &disk, &mut model, &mut random).await?;
    }
    disk.fail_at(disk.operations() + random.random_range(0..60), fault);
    for _ in 0..30 {
        if step(&engine, &disk, &mut model, &mut random).await.is_err() {
            break;
        }
    }
    disk.repair();
    // The failed change is not there, and the next ones are.
    check_current(&engine, &model).await.map_err(|problem| format!("after the fault: {problem}"))?;
    for _ in 0..10 {
        step(&engine, &disk, &mut model, &mut random)
            .await
            .map_err(|problem| format!("after the repair: {problem}"))?;
    }
    check_current(&engine, &model).await.map_err(|problem| format!("after more changes: {problem}"))?;
    let created = engine.create_index("another", None).await;
    if !matches!(created, Ok(()) | Err(EngineError::IndexExists(_))) {
        return Err(format!("no index can be created after the repair: {created:?}"));
    }
    model.set_durable("another", Some(crate::model::IndexState::default()));
    engine.wait_until_idle().await;
    drop(engine);
    disk.cut_power(random.random());
    let survivor = tempfile::tempdir().unwrap();
    disk.write_image(survivor.path());
    drop(disk);
    check_opens(survivor.path(), &SimDisk::mount(survivor.path()), &mut model).await
}

#[tokio::test]
async fn a_disk_that_fails_and_works_again_loses_nothing() {
    for seed in 0..crate::workloads(20) {
        for fault in FAULTS {
            run(seed, fault).await.unwrap_or_else(|problem| panic!("workload {seed} with {fault:?}: {problem}"));
        }
    }
}

#[tokio::test]
async fn every_change_says_that_the_disk_cannot_be_written_until_it_can() {
    for fault in [Fault::DiskFull, Fault::NoSpaceForBytes, Fault::ReadOnly] {
        let folder = tempfile::tempdir().unwrap();
        let disk = SimDisk::mount(folder.path());
        let engine = open(folder.path());
        engine.create_index("things", None).await.unwrap();
        let logs = || {
            let files = std::fs::read_dir(folder.path().join("things")).unwrap().map(|entry| entry.unwrap().path());
            files.filter(|path| path.extension().is_some_and(|extension| extension == "log")).count()
        };
        let put = |id: &str| vec![WriteOperation::Put { id: id.to_owned(), source: b"{\"n\": 1}".to_vec() }];
        disk.fail_at(0, fault);
        for _ in 0..3 {
            let written = engine.write("things", put("refused")).await.map(drop);
            for refused in [written, engine.check_health().await, engine.create_index("more", None).await] {
                assert!(matches!(refused, Err(EngineError::NotWritable(_))), "{fault:?}: {refused:?}");
            }
        }
        engine.wait_until_idle().await;
        drop(engine);
        for _ in 0..3 {
            drop(open(folder.path()));
        }
        assert_eq!(logs(), 1, "{fault:?}: neither a refused change nor a start leaves a file");
        let engine = open(folder.path());
        disk.repair();
        engine.check_health().await.unwrap();
        engine.write("things", put("accepted")).await.unwrap();
        assert_eq!(engine.has_documents("things", &["refused", "accepted"]).await.unwrap(), [false, true]);
        engine.create_index("more", None).await.unwrap();
        engine.wait_until_idle().await;
    }
}

#[tokio::test]
async fn aliases_that_could_not_be_set_back_are_known_to_the_health_check() {
    for fault in [Fault::DiskFull, Fault::ReadOnly] {
        let folder = tempfile::tempdir().unwrap();
        let disk = SimDisk::mount(folder.path());
        let engine = open(folder.path());
        engine.create_index("things", None).await.unwrap();
        disk.fail_at(0, fault);
        let change = AliasChange::Add { alias: "all".to_owned(), index: "things".to_owned() };
        for refused in [engine.change_aliases(&[change]).await, engine.check_health().await] {
            assert!(matches!(refused, Err(EngineError::NotWritable(_))), "{fault:?}: {refused:?}");
        }
        disk.repair();
        assert_eq!(engine.check_health().await, Ok(()));
        assert_eq!(engine.aliases().await, Ok(Vec::new()));
    }
}

/// Each attempt would write the manifest, which is an operation of the disk.
#[tokio::test]
async fn a_failed_index_is_not_opened_again_for_each_request() {
    let folder = tempfile::tempdir().unwrap();
    let disk = SimDisk::mount(folder.path());
    let engine = EmbeddedEngine::open_with_retry_interval(folder.path(), Duration::MAX).unwrap();
    engine.create_index("things", None).await.unwrap();
    let write = || {
        let put = WriteOperation::Put { id: "refused".to_owned(), source: b"{\"n\": 1}".to_vec() };
        engine.write("things", vec![put])
    };
    disk.fail_at(0, Fault::DiskFull);
    let first = write().await.unwrap_err();
    assert!(matches!(first, EngineError::NotWritable(_)), "{first:?}");
    let operations = disk.operations();
    for is_repaired in [false, true] {
        for _ in 0..20 {
            let position = engine.position("things").await.map(drop);
            for refused in [write().await.map(drop), position, engine.check_health().await] {
                assert!(matches!(refused, Err(EngineError::NotWritable(_))), "repaired: {is_repaired}, {refused:?}");
            }
        }
        assert_eq!(disk.operations(), operations, "nobody touches the disk before the interval is over");
        disk.repair();
    }
    assert_eq!(engine.has_documents("things", &["refused"]).await, Ok(vec![false]), "searches go on");
}

/// The disk runs full before each operation of a load in turn, which merges what is there as its last step.
#[tokio::test]
async fn a_merge_that_failed_is_known_and_tried_again_by_the_health_check() {
    let (mut failed_merges, mut healthy_meanwhile) = (0, 0);
    for operation in 0.. {
        let folder = tempfile::tempdir().unwrap();
        let disk = SimDisk::mount(folder.path());
        let engine = open_before_merge(folder.path()).await;
        let begun = disk.operations();
        disk.fail_at(begun + operation, Fault::DiskFull);
        let loaded = engine.bulk_load("things", vec![document(0)]).await;
        let is_over = disk.operations() <= begun + operation;
        if loaded.is_ok() && engine.stats("things").await.unwrap().segments > 1 {
            failed_merges += 1;
            let failure = engine.maintenance_failure("things");
            assert!(matches!(failure, Some(EngineError::NotWritable(_))), "{operation}: {failure:?}");
            // The index is refused only if the merge could not be undone.
            match engine.check_health().await {
                Ok(()) => healthy_meanwhile += 1,
                Err(error) => assert!(matches!(error, EngineError::NotWritable(_)), "{operation}: {error:?}"),
            }
            engine.wait_until_idle().await;
            disk.repair();
            for _ in 0..100 {
                assert_eq!(engine.check_health().await, Ok(()), "{operation}");
                engine.wait_until_idle().await;
                if engine.maintenance_failure("things").is_none() {
                    break;
                }
            }
            assert_eq!(engine.maintenance_failure("things"), None, "{operation}");
            let stats = engine.stats("things").await.unwrap();
            assert_eq!((stats.segments, stats.documents), (1, SEGMENTS_PER_MERGE as u64), "{operation}");
        }
        engine.wait_until_idle().await;
        if is_over {
            break;
        }
    }
    assert!(failed_merges > 0 && healthy_meanwhile > 0, "{failed_merges}, {healthy_meanwhile}");
}

/// The disk runs full before each operation of a load in turn, which merges what is there as its last step. Only what this
/// has written itself can be removed.
#[tokio::test]
async fn an_index_that_has_filled_the_disk_itself_makes_room() {
    for operation in 0.. {
        let folder = tempfile::tempdir().unwrap();
        let disk = SimDisk::mount(folder.path());
        let engine = open_before_merge(folder.path()).await;
        let begun = disk.operations();
        disk.fail_at(begun + operation, Fault::FullUntilRemoval);
        let _ = engine.bulk_load("things", vec![document(0)]).await;
        let is_over = disk.operations() <= begun + operation;
        assert_eq!(engine.check_health().await, Ok(()), "{operation}");
        engine.wait_until_idle().await;
        disk.repair();
        // What was refused is sent again, and the merge of all is tried again with it.
        engine.bulk_load("things", vec![document(0)]).await.unwrap();
        engine.wait_until_idle().await;
        let stats = engine.stats("things").await.unwrap();
        let files = std::fs::read_dir(folder.path().join("things")).unwrap().map(|entry| entry.unwrap().path());
        let segments = files.filter(|path| path.extension().is_some_and(|extension| extension == "segment")).count();
        assert_eq!((stats.documents, segments), (SEGMENTS_PER_MERGE as u64, stats.segments), "{operation}");
        if is_over {
            break;
        }
    }
}

/// A deletion that could not be synced is refused, so the index goes on: what is then acknowledged must not be lost with it.
#[tokio::test]
async fn an_index_whose_deletion_failed_keeps_what_is_written_afterwards() {
    for seed in 0..20 {
        let folder = tempfile::tempdir().unwrap();
        let disk = SimDisk::mount(folder.path());
        let engine = open(folder.path());
        engine.create_index("things", None).await.unwrap();
        disk.fail_at(disk.operations(), Fault::FailedSync);
        assert!(engine.delete_index("things").await.is_err());
        let put = WriteOperation::Put { id: "later".to_owned(), source: b"{\"n\": 1}".to_vec() };
        engine.write("things", vec![put]).await.unwrap();
        drop(engine);
        disk.cut_power(seed);
        let survivor = tempfile::tempdir().unwrap();
        disk.write_image(survivor.path());
        let engine = open(survivor.path());
        assert_eq!(engine.has_documents("things", &["later"]).await, Ok(vec![true]), "seed {seed}");
    }
}

/// Wherever an attempt to open a failed index again fails, it leaves no log file behind.
#[tokio::test]
async fn attempts_to_recover_leave_no_files() {
    let folder = tempfile::tempdir().unwrap();
    let disk = SimDisk::mount(folder.path());
    let engine = open(folder.path());
    engine.create_index("things", None).await.unwrap();
    let logs = || {
        let entries = std::fs::read_dir(folder.path().join("things")).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.filter(|name| name.ends_with(".log")).collect::<Vec<_>>()
    };
    for skipped in 0..15 {
        disk.fail_at(0, Fault::DiskFull);
        let put = WriteOperation::Put { id: "refused".to_owned(), source: b"{\"n\": 1}".to_vec() };
        assert!(engine.write("things", vec![put]).await.is_err());
        for _ in 0..5 {
            disk.repair();
            disk.fail_at(disk.operations() + skipped, Fault::FailedSync);
            let _ = engine.position("things").await;
        }
        assert!(logs().len() <= 2, "a sync after operation {skipped} failed: {:?}", logs());
        disk.repair();
        assert_eq!(engine.check_health().await, Ok(()));
        assert_eq!(logs().len(), 1, "{:?}", logs());
    }
    engine.wait_until_idle().await;
}

/// The fault begins before each operation of the creation in turn, and the power is cut after it, with several seeds.
#[tokio::test]
async fn an_index_is_there_after_its_creation_was_acknowledged_and_not_after_it_was_refused() {
    for fault in FAULTS {
        for operation in 0.. {
            let mut is_over = false;
            for seed in 0..6 {
                let folder = tempfile::tempdir().unwrap();
                let disk = SimDisk::mount(folder.path());
                let engine = EmbeddedEngine::open(folder.path()).unwrap();
                let begun = disk.operations();
                disk.fail_at(begun + operation, fault);
                let created = engine.create_index("things", None).await;
                is_over = disk.operations() <= begun + operation;
                disk.repair();
                drop(engine);
                disk.cut_power(seed);
                let survivor = tempfile::tempdir().unwrap();
                disk.write_image(survivor.path());
                let engine = EmbeddedEngine::open(survivor.path()).unwrap();
                let found = engine.indexes().await.unwrap().into_iter().map(|index| (index.name, index.problem));
                let found: Vec<(String, Option<String>)> = found.collect();
                let expected = if created.is_ok() { vec![("things".to_owned(), None)] } else { Vec::new() };
                assert_eq!(found, expected, "{fault:?} from operation {operation} on, seed {seed}: {created:?}");
            }
            if is_over {
                break;
            }
        }
    }
}

/// The fault begins before each operation of the deletion in turn.
#[tokio::test]
async fn an_index_goes_with_its_aliases_or_stays_with_them() {
    for fault in [Fault::DiskFull, Fault::ReadOnly, Fault::FailedSync] {
        for operation in 0.. {
            let folder = tempfile::tempdir().unwrap();
            let disk = SimDisk::mount(folder.path());
            let engine = EmbeddedEngine::open(folder.path()).unwrap();
            engine.create_index("things", None).await.unwrap();
            let alias = AliasChange::Add { alias: "all".to_owned(), index: "things".to_owned() };
            engine.change_aliases(&[alias]).await.unwrap();
            let begun = disk.operations();
            disk.fail_at(begun + operation, fault);
            let deleted = engine.delete_index("things").await;
            let is_over = disk.operations() <= begun + operation;
            disk.repair();
            // Another index of the name has no alias of the one before.
            let created = engine.create_index("things", None).await;
            assert_eq!(created.is_ok(), deleted.is_ok(), "{fault:?} from operation {operation} on: {created:?}");
            drop(engine);
            disk.cut_power(operation);
            let survivor = tempfile::tempdir().unwrap();
            disk.write_image(survivor.path());
            let engine = EmbeddedEngine::open(survivor.path()).unwrap();
            let aliases: Vec<String> = engine.aliases().await.unwrap().into_iter().map(|alias| alias.name).collect();
            let expected: &[&str] = if deleted.is_ok() { &[] } else { &["all"] };
            assert_eq!(aliases, expected, "{fault:?} from operation {operation} on: {deleted:?}");
            assert_eq!(engine.indexes().await.unwrap().len(), 1);
            if is_over {
                break;
            }
        }
    }
}

/// The disk breaks before each operation of the change in turn, so that it cannot be undone either, and works again.
#[tokio::test]
async fn aliases_that_were_refused_are_not_there_after_a_restart() {
    for operation in 0.. {
        let folder = tempfile::tempdir().unwrap();
        let disk = SimDisk::mount(folder.path());
        let engine = EmbeddedEngine::open(folder.path()).unwrap();
        engine.create_index("one", None).await.unwrap();
        engine.create_index("two", None).await.unwrap();
        let add = |index: &str| AliasChange::Add { alias: "all".to_owned(), index: index.to_owned() };
        engine.change_aliases(&[add("one")]).await.unwrap();
        let begun = disk.operations();
        disk.fail_at(begun + operation, Fault::Broken);
        let remove = AliasChange::Remove { alias: "all".to_owned(), index: "one".to_owned() };
        let moved = engine.change_aliases(&[remove, add("two")]).await;
        let is_over = disk.operations() <= begun + operation;
        assert_eq!(engine.check_health().await.is_ok(), moved.is_ok(), "from operation {operation} on: {moved:?}");
        disk.repair();
        engine.check_health().await.unwrap();
        drop(engine);
        disk.cut_power(operation);
        let survivor = tempfile::tempdir().unwrap();
        disk.write_image(survivor.path());
        let engine = EmbeddedEngine::open(survivor.path()).unwrap();
        let aliases: Vec<String> = engine.aliases().await.unwrap().into_iter().map(|alias| alias.index).collect();
        let expected = if moved.is_ok() { "two" } else { "one" };
        assert_eq!(aliases, [expected], "from operation {operation} on: {moved:?}");
        if is_over {
            break;
        }
    }
}

/// A flush begins with a new log, and writes go into it while the segment file is made.
#[test]
fn what_is_written_during_a_flush_survives_a_power_loss() {
    cantata_engine_embedded::set_build_memory_bytes(1);
    let put = |id: &str, bytes: usize| {
        let source = json!({"text": "x".repeat(bytes)}).to_string().into_bytes();
        vec![WriteOperation::Put { id: id.to_owned(), source }]
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    for seed in 0..5 {
        let folder = tempfile::tempdir().unwrap();
        let disk = SimDisk::mount(folder.path());
        runtime.block_on(async {
            let engine = EmbeddedEngine::open(folder.path()).unwrap();
            engine.create_index("files", None).await.unwrap();
            // Folders stand where the segment file would be written, so the flush ends before it is over.
            for number in 1..40 {
                let _ = std::fs::create_dir(folder.path().join("files").join(format!("{number}.segment")));
            }
            engine.write("files", put("before", 1_200_000)).await.unwrap();
            engine.wait_until_idle().await;
            engine.write("files", put("during", 1)).await.unwrap();
            disk.cut_power(seed);
            engine.wait_until_idle().await;
        });
        let survivor = tempfile::tempdir().unwrap();
        disk.write_image(survivor.path());
        drop(disk);
        for number in 1..40 {
            let _ = std::fs::remove_dir(survivor.path().join("files").join(format!("{number}.segment")));
        }
        runtime.block_on(async {
            let engine = EmbeddedEngine::open(survivor.path()).unwrap();
            let found = engine.has_documents("files", &["before", "during"]).await;
            assert_eq!(found, Ok(vec![true, true]), "seed {seed}");
        });
    }
}
