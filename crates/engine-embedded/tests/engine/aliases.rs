//! Aliases survive, and never lead nowhere.

use cantata_engine::{Alias, AliasChange, EngineError, IndexAdmin, IndexWriter, WriteOperation};
use cantata_engine_embedded::EmbeddedEngine;

fn add(alias: &str, index: &str) -> AliasChange {
    AliasChange::Add { alias: alias.to_owned(), index: index.to_owned() }
}

fn alias(name: &str, index: &str) -> Alias {
    Alias { name: name.to_owned(), index: index.to_owned() }
}

#[tokio::test]
async fn aliases_are_there_after_reopening() {
    let folder = tempfile::tempdir().unwrap();
    let engine = EmbeddedEngine::open(folder.path()).unwrap();
    engine.create("one", None).unwrap();
    engine.create("two", None).unwrap();
    engine.change_aliases(&[add("a", "one"), add("b", "two")]).await.unwrap();
    engine.delete("two").unwrap();
    drop(engine);
    let engine = EmbeddedEngine::open(folder.path()).unwrap();
    assert_eq!(engine.aliases().await.unwrap(), [alias("a", "one")]);
    let put = WriteOperation::Put { id: "x".to_owned(), source: b"{}".to_vec() };
    assert_eq!(engine.write("a", vec![put]).await.unwrap().written, 1);
}

#[tokio::test]
async fn an_alias_of_an_index_that_is_gone_is_dropped_when_the_folder_is_opened() {
    let folder = tempfile::tempdir().unwrap();
    let engine = EmbeddedEngine::open(folder.path()).unwrap();
    engine.create("one", None).unwrap();
    engine.create("two", None).unwrap();
    engine.change_aliases(&[add("a", "one"), add("b", "two")]).await.unwrap();
    drop(engine);
    // As after a crash in the middle of its removal.
    std::fs::rename(folder.path().join("one"), folder.path().join(".deleted-one")).unwrap();
    let engine = EmbeddedEngine::open(folder.path()).unwrap();
    assert_eq!(engine.aliases().await.unwrap(), [alias("b", "two")]);
    engine.create("a", None).unwrap();
}

#[tokio::test]
async fn an_alias_has_a_name_that_an_index_could_have_and_one_index() {
    let folder = tempfile::tempdir().unwrap();
    let engine = EmbeddedEngine::open(folder.path()).unwrap();
    engine.create("one", None).unwrap();
    engine.create("two", None).unwrap();
    for name in ["", ".", "..", "a/b", "../one", ".aliases.json", "_all", "lock", "a\0b", "ü", &"x".repeat(201)] {
        let refused = engine.change_aliases(&[add("good", "one"), add(name, "one")]).await;
        assert!(matches!(refused, Err(EngineError::Rejected(_))), "{name:?}: {refused:?}");
        assert!(matches!(engine.create(name, None), Err(EngineError::Rejected(_))), "{name:?}");
    }
    let refused = engine.change_aliases(&[add("both", "one"), add("both", "two")]).await;
    assert!(matches!(&refused, Err(EngineError::Rejected(text)) if text.contains("`both`")), "{refused:?}");
    assert_eq!(engine.aliases().await.unwrap(), []);
}

#[tokio::test]
async fn damaged_aliases_do_not_stop_the_engine() {
    for damage in [&b"{\"aliases\": {\"a\": "[..], b"[]", b"\xff\x00", b""] {
        let folder = tempfile::tempdir().unwrap();
        let engine = EmbeddedEngine::open(folder.path()).unwrap();
        engine.create("one", None).unwrap();
        engine.change_aliases(&[add("a", "one")]).await.unwrap();
        drop(engine);
        std::fs::write(folder.path().join(".aliases.json"), damage).unwrap();
        let engine = EmbeddedEngine::open(folder.path()).unwrap();
        assert!(engine.aliases().await.unwrap().is_empty());
        engine.change_aliases(&[add("a", "one")]).await.unwrap();
        drop(engine);
        assert_eq!(std::fs::read(folder.path().join(".aliases.json.damaged")).unwrap(), damage, "it is kept");
        let engine = EmbeddedEngine::open(folder.path()).unwrap();
        assert_eq!(engine.aliases().await.unwrap(), [alias("a", "one")]);
        let put = WriteOperation::Put { id: "x".to_owned(), source: b"{}".to_vec() };
        assert_eq!(engine.write("one", vec![put]).await.unwrap().written, 1);
    }
}

/// It is still JSON, and the index that it names is another one.
#[tokio::test]
async fn an_alias_with_a_flipped_bit_leads_to_no_other_index() {
    let folder = tempfile::tempdir().unwrap();
    let engine = EmbeddedEngine::open(folder.path()).unwrap();
    engine.create("one", None).unwrap();
    engine.create("ooe", None).unwrap();
    engine.change_aliases(&[add("a", "one")]).await.unwrap();
    drop(engine);
    let path = folder.path().join(".aliases.json");
    let damaged = std::fs::read_to_string(&path).unwrap().replace("one", "ooe");
    std::fs::write(&path, &damaged).unwrap();
    let engine = EmbeddedEngine::open(folder.path()).unwrap();
    assert!(engine.aliases().await.unwrap().is_empty());
    assert_eq!(std::fs::read_to_string(folder.path().join(".aliases.json.damaged")).unwrap(), damaged, "it is kept");
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_full_disk_is_an_error_of_its_own_until_there_is_room() {
    let folder = tempfile::tempdir().unwrap();
    let engine = EmbeddedEngine::open(folder.path()).unwrap();
    engine.create("one", None).unwrap();
    // Whatever is written there finds the disk full.
    let new_file = folder.path().join(".aliases.json.new");
    std::os::unix::fs::symlink("/dev/full", &new_file).unwrap();
    let refused = engine.change_aliases(&[add("a", "one")]).await;
    assert!(matches!(refused, Err(EngineError::NotWritable(_))), "{refused:?}");
    assert!(engine.aliases().await.unwrap().is_empty());
    std::fs::remove_file(&new_file).unwrap();
    engine.change_aliases(&[add("a", "one")]).await.unwrap();
    assert_eq!(engine.aliases().await.unwrap(), [alias("a", "one")]);
}
