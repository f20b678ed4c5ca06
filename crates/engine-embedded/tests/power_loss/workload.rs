//! Random writes, merges, imports and changes of indexes.

use std::collections::BTreeMap;
use std::path::Path;

use cantata_engine::{
    AliasChange, Document, EngineError, ExportRequest, Filter, ImportChunk, IndexAdmin, IndexMaintenance, IndexReader,
    IndexWriter, ValueRef, WriteOperation,
};
use cantata_engine_embedded::EmbeddedEngine;
use cantata_sim_disk::SimDisk;
use rand::Rng;
use rand::rngs::StdRng;
use serde_json::json;

use crate::model::{IndexState, Model};

const INDEXES: [&str; 3] = ["donors", "files", "files-2"];
const ALIASES: [&str; 2] = ["current", "all"];
const STEPS: usize = 30;
const IDS: u64 = 40;

/// As large as a log may become before it is flushed, with the least memory.
const LARGE_TEXT_BYTES: usize = 1 << 20;

/// Opens the engine, compares it with the model, and changes it until the power is cut.
pub(crate) async fn run(folder: &Path, disk: &SimDisk, model: &mut Model, random: &mut StdRng) -> Result<(), String> {
    let engine = match EmbeddedEngine::open(folder) {
        Ok(engine) => engine,
        Err(_) if !disk.has_power() => return Ok(()),
        Err(error) => return Err(format!("the folder does not open: {error}")),
    };
    let checked = check(&engine, model).await;
    if disk.has_power() {
        checked?;
    }
    for _ in 0..STEPS {
        if !disk.has_power() {
            break;
        }
        step(&engine, disk, model, random).await?;
    }
    engine.wait_until_idle().await;
    Ok(())
}

/// Opens the engine and compares it with the model.
pub(crate) async fn check_opens(folder: &Path, disk: &SimDisk, model: &mut Model) -> Result<(), String> {
    assert!(disk.has_power());
    let engine = EmbeddedEngine::open(folder).map_err(|error| format!("the folder does not open: {error}"))?;
    check(&engine, model).await
}

/// Compares an engine that was just opened with the model.
pub(crate) async fn check(engine: &EmbeddedEngine, model: &mut Model) -> Result<(), String> {
    let (found, aliases) = contents(engine).await?;
    model.check(&found, aliases)
}

/// Compares an engine that is written to with the model.
pub(crate) async fn check_current(engine: &EmbeddedEngine, model: &Model) -> Result<(), String> {
    let (found, aliases) = contents(engine).await?;
    model.check_current(&found, &aliases)
}

/// Returns what all indexes hold, and the aliases.
async fn contents(engine: &EmbeddedEngine) -> Result<(BTreeMap<String, IndexState>, BTreeMap<String, String>), String> {
    let mut found = BTreeMap::new();
    for index in engine.indexes().await.map_err(|error| error.to_string())? {
        let state = read(engine, &index.name).await.map_err(|error| format!("index `{}`: {error}", index.name))?;
        let problems = engine.verify(&index.name).await.map_err(|error| error.to_string())?;
        if !problems.is_empty() {
            return Err(format!("index `{}`: {problems:?}", index.name));
        }
        found.insert(index.name, state);
    }
    let aliases = engine.aliases().await.map_err(|error| error.to_string())?;
    Ok((found, aliases.into_iter().map(|alias| (alias.name, alias.index)).collect()))
}

async fn read(engine: &EmbeddedEngine, index: &str) -> Result<IndexState, EngineError> {
    let request = ExportRequest { filter: Filter::All, sort: Vec::new(), limit: None, page_size: 100 };
    let mut export = engine.export(index, request).await?;
    let mut documents = BTreeMap::new();
    while let Some(page) = export.next().await? {
        for hit in page.hits {
            let number = hit.document.as_ref().map_or(u64::MAX, number_of);
            let earlier = documents.insert(hit.cursor.id.clone(), number);
            assert_eq!(earlier, None, "document `{}` is there twice", hit.cursor.id);
        }
    }
    Ok(IndexState { documents, position: engine.position(index).await? })
}

fn number_of(document: &Document) -> u64 {
    let ValueRef::Object(object) = document.root() else { return u64::MAX };
    match object.get("n") {
        Some(ValueRef::Integer(number)) => number.unsigned_abs(),
        _ => u64::MAX,
    }
}

fn random_batch(random: &mut StdRng, state: &mut IndexState) -> Vec<WriteOperation> {
    let count = random.random_range(1..6);
    let mut batch = Vec::new();
    for _ in 0..count {
        let id = format!("d{}", random.random_range(0..IDS));
        if random.random_bool(0.25) {
            state.documents.remove(&id);
            batch.push(WriteOperation::Delete { id });
        } else {
            let n = random.random_range(0..1_000_000);
            state.documents.insert(id.clone(), n);
            // Some documents cross the borders of blocks, a few are enough for a flush while writes go on.
            let text = "x".repeat(match random.random_range(0..1000) {
                0..5 => LARGE_TEXT_BYTES,
                5..200 => random.random_range(0..3000),
                _ => 10,
            });
            batch.push(WriteOperation::Put { id, source: json!({"n": n, "text": text}).to_string().into_bytes() });
        }
    }
    batch
}

/// Changes something at random, and notes what the disk may hold afterwards.
pub(crate) async fn step(
    engine: &EmbeddedEngine,
    disk: &SimDisk,
    model: &mut Model,
    random: &mut StdRng,
) -> Result<(), String> {
    let name = INDEXES[random.random_range(0..INDEXES.len())];
    let Some(before) = model.current(name) else {
        let created = engine.create_index(name, None).await;
        return settle(model, disk, name, Some(IndexState::default()), true, created);
    };
    match random.random_range(0..100) {
        0..45 => {
            let mut after = before;
            let batch = random_batch(random, &mut after);
            let written = engine.write(name, batch).await.map(drop);
            settle(model, disk, name, Some(after), true, written)
        }
        45..65 => {
            let mut after = before;
            let batch = random_batch(random, &mut after);
            let position = random.random_range(0..1_000_000_u64).to_string();
            after.position = Some(position.clone());
            let written = engine.write_with_position(name, batch, &position).await.map(drop);
            settle(model, disk, name, Some(after), false, written)
        }
        65..75 => {
            let mut after = before;
            let text: String = (0..random.random_range(1..5))
                .map(|_| {
                    let (id, n) = (format!("d{}", random.random_range(0..IDS)), random.random_range(0..1000));
                    after.documents.insert(id.clone(), n);
                    json!({"_id": id, "n": n}).to_string() + "\n"
                })
                .collect();
            let imported = engine.import_chunk(name, chunk(&text), None).await.map(drop);
            settle(model, disk, name, Some(after), true, imported)
        }
        75..87 => {
            let compacted = engine.compact(name).await;
            settle(model, disk, name, Some(before), true, compacted)
        }
        87..92 => {
            let deleted = engine.delete_index(name).await;
            if deleted.is_ok() || !disk.has_power() {
                let aliases = model.aliases().into_iter().filter(|(_, index)| index != name).collect();
                model.add_possible_aliases(aliases);
            }
            settle(model, disk, name, None, true, deleted)
        }
        _ => {
            let alias = ALIASES[random.random_range(0..ALIASES.len())].to_owned();
            let mut after = model.aliases();
            let mut changes = Vec::new();
            if let Some(index) = after.insert(alias.clone(), name.to_owned()) {
                changes.push(AliasChange::Remove { alias: alias.clone(), index });
            }
            changes.push(AliasChange::Add { alias, index: name.to_owned() });
            let changed = engine.change_aliases(&changes).await;
            match changed {
                Ok(()) => model.set_durable_aliases(after),
                Err(error) if disk.has_power() => return Err(format!("changing aliases failed: {error}")),
                Err(_) => model.add_possible_aliases(after),
            }
            Ok(())
        }
    }
}

fn chunk(text: &str) -> ImportChunk {
    let mut start = 0;
    let mut documents = Vec::new();
    for (number, line) in text.lines().enumerate() {
        documents.push((number as u64 + 1, start..start + line.len()));
        start += line.len() + 1;
    }
    ImportChunk { source: "file".to_owned(), bytes: text.as_bytes().to_vec(), documents, end: start as u64 }
}

/// Notes the outcome of a change. One that failed because the power was cut may be on the disk or not.
fn settle(
    model: &mut Model,
    disk: &SimDisk,
    name: &str,
    after: Option<IndexState>,
    is_durable: bool,
    outcome: Result<(), EngineError>,
) -> Result<(), String> {
    match outcome {
        Ok(()) if is_durable => model.set_durable(name, after),
        Ok(()) => model.add_possible(name, after),
        Err(error) if disk.has_power() => return Err(format!("a change of `{name}` failed: {error}")),
        Err(_) => model.add_possible(name, after),
    }
    Ok(())
}
