//! Aliases: other names of indexes, changed all at once.

use std::sync::Arc;

use serde_json::json;

use super::{delete, put};
use crate::{Alias, AliasChange, EngineError, ExportRequest, Filter, HitsRequest, SearchEngine, SearchPlan};

fn add(alias: &str, index: &str) -> AliasChange {
    AliasChange::Add { alias: alias.to_owned(), index: index.to_owned() }
}

fn remove(alias: &str, index: &str) -> AliasChange {
    AliasChange::Remove { alias: alias.to_owned(), index: index.to_owned() }
}

/// Makes an index for each name, with one document whose id is the name.
async fn make(engine: &dyn SearchEngine, names: &[&str]) {
    for name in names {
        engine.create_index(name, Some(&json!({"properties": {*name: {"type": "keyword"}}}))).await.unwrap();
        engine.write(name, vec![put(name, &json!({*name: "here"}))]).await.unwrap();
    }
}

async fn aliases(engine: &dyn SearchEngine) -> String {
    let aliases = engine.aliases().await.unwrap();
    aliases.iter().map(|Alias { name, index }| format!("{name}>{index}")).collect::<Vec<_>>().join(" ")
}

/// Returns the ids of all records.
async fn ids(engine: &dyn SearchEngine, name: &str) -> Vec<String> {
    let hits = HitsRequest { size: 100, total: true, ..HitsRequest::default() };
    let plan = SearchPlan { filters: vec![Filter::All], hits: vec![hits], facets: vec![] };
    let answer = engine.search(name, Arc::new(plan)).await.unwrap();
    answer.hits[0].hits.iter().map(|hit| hit.cursor.id.clone()).collect()
}

/// Whatever an index is asked, its alias can be asked, and writes through it go to the index.
pub async fn an_alias_is_as_good_as_its_index(engine: &dyn SearchEngine) {
    make(engine, &["one"]).await;
    assert_eq!(aliases(engine).await, "");
    engine.change_aliases(&[add("other", "one"), add("another", "one")]).await.unwrap();
    assert_eq!(aliases(engine).await, "another>one other>one");
    assert_eq!(engine.indexes().await.unwrap().len(), 1, "an alias is no index");
    assert!(engine.mapping("other").await.unwrap().field("one").is_some());
    assert!(engine.document("other", "one").await.unwrap().is_some());
    let report = engine.write("other", vec![put("two", &json!({"one": "there"})), delete("one")]).await.unwrap();
    assert_eq!((report.written, report.deleted), (1, 1));
    engine.extend_mapping("another", &json!({"properties": {"more": {"type": "long"}}})).await.unwrap();
    engine.write_with_position("another", vec![put("three", &json!({"more": 1}))], "p").await.unwrap();
    for name in ["one", "other", "another"] {
        assert_eq!(ids(engine, name).await, ["three", "two"], "{name}");
        assert_eq!(engine.position(name).await.unwrap().as_deref(), Some("p"), "{name}");
        assert!(engine.mapping(name).await.unwrap().field("more").is_some(), "{name}");
        let request = ExportRequest { filter: Filter::All, sort: Vec::new(), limit: None, page_size: 10 };
        assert_eq!(engine.export(name, request).await.unwrap().total(), 2, "{name}");
    }
}

/// An alias is moved in one step, whichever way its changes are ordered, and back again.
pub async fn an_alias_moves_at_once(engine: &dyn SearchEngine) {
    make(engine, &["old", "new"]).await;
    engine.change_aliases(&[add("current", "old")]).await.unwrap();
    assert_eq!(ids(engine, "current").await, ["old"]);
    engine.change_aliases(&[remove("current", "old"), add("current", "new")]).await.unwrap();
    assert_eq!(aliases(engine).await, "current>new");
    assert_eq!(ids(engine, "current").await, ["new"]);
    assert!(engine.mapping("current").await.unwrap().field("new").is_some());
    engine.change_aliases(&[add("current", "old"), remove("current", "new")]).await.unwrap();
    assert_eq!(ids(engine, "current").await, ["old"]);
    engine.change_aliases(&[]).await.unwrap();
    assert_eq!(aliases(engine).await, "current>old");
}

/// A search while an alias is moved back and forth reads one of its indexes.
pub async fn a_moving_alias_always_leads_somewhere(engine: &dyn SearchEngine) {
    make(engine, &["old", "new"]).await;
    engine.change_aliases(&[add("current", "old")]).await.unwrap();
    for (from, to) in [("old", "new"), ("new", "old")].repeat(5) {
        let changes = [remove("current", from), add("current", to)];
        let (moved, found) = futures_util::future::join(engine.change_aliases(&changes), ids(engine, "current")).await;
        moved.unwrap();
        assert!(found == ["old"] || found == ["new"], "{found:?}");
        assert_eq!(ids(engine, "current").await, [to]);
    }
}

/// Changes that cannot be made change nothing, not even what could be made of them.
pub async fn wrong_changes_of_aliases_are_refused(engine: &dyn SearchEngine) {
    make(engine, &["one", "two"]).await;
    engine.change_aliases(&[add("current", "one")]).await.unwrap();
    let rejected = engine.change_aliases(&[add("good", "one"), add("two", "one")]).await;
    assert!(matches!(rejected, Err(EngineError::Rejected(_))), "{rejected:?}");
    let nowhere = engine.change_aliases(&[add("good", "one"), add("bad", "nowhere")]).await;
    assert_eq!(nowhere, Err(EngineError::IndexNotFound("nowhere".to_owned())));
    engine.change_aliases(&[remove("never", "one")]).await.unwrap();
    assert_eq!(aliases(engine).await, "current>one");
}

/// An index cannot have the name of an alias, and is not removed by one; when it goes, its aliases go.
pub async fn aliases_come_and_go_with_their_index(engine: &dyn SearchEngine) {
    make(engine, &["one", "two"]).await;
    engine.change_aliases(&[add("current", "one"), add("kept", "two")]).await.unwrap();
    let made = engine.create_index("current", None).await;
    assert!(matches!(made, Err(EngineError::Rejected(_) | EngineError::IndexExists(_))), "{made:?}");
    let removed = engine.delete_index("current").await;
    assert!(matches!(removed, Err(EngineError::Rejected(_))), "{removed:?}");
    assert_eq!(ids(engine, "current").await, ["one"]);
    engine.delete_index("one").await.unwrap();
    assert_eq!(aliases(engine).await, "kept>two");
    let gone = engine.document("current", "one").await.map(|_| ());
    assert_eq!(gone, Err(EngineError::IndexNotFound("current".to_owned())));
    make(engine, &["current"]).await;
    assert_eq!(ids(engine, "current").await, ["current"]);
}
