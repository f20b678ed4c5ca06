//! Writes: seen at once and as a whole, whatever some of the documents are like.

use serde_json::{Value, json};

use super::{INDEX, TestIndex, delete, leaf, put};
use crate::{BatchReport, SearchEngine, WriteOperation};

fn mapping() -> Value {
    json!({"properties": {"colour": {"type": "keyword"}, "size": {"type": "integer"}}})
}

async fn text_of(engine: &dyn SearchEngine, id: &str) -> Option<String> {
    let document = engine.document(INDEX, id).await.unwrap()?;
    Some(serde_json::to_string(&document.root()).unwrap())
}

/// What was written is found by the next request, by its values and by its id.
pub async fn a_written_document_is_seen_at_once(engine: &dyn SearchEngine) {
    let bench = TestIndex::new(engine, mapping(), &[]).await;
    for (index, id) in ["x", "y", "z"].into_iter().enumerate() {
        let report = bench.write(vec![put(id, &json!({"size": index}))]).await;
        assert_eq!(report, BatchReport { written: 1, ..BatchReport::default() });
        assert_eq!(bench.ids(&leaf("in", "size", index)).await, id);
        assert_eq!(text_of(engine, id).await.unwrap(), format!("{{\"size\":{index}}}"));
    }
    assert_eq!(bench.ids(&json!(null)).await, "xyz");
}

/// A replaced document is found by its new values only, and counts once.
pub async fn a_replaced_document_is_seen_as_it_is_now(engine: &dyn SearchEngine) {
    let bench = TestIndex::new(engine, mapping(), &[json!({"colour": "red"}), json!({"colour": "red"})]).await;
    bench.write(vec![put("a", &json!({"colour": "blue"}))]).await;
    assert_eq!(bench.ids(&leaf("in", "colour", "red")).await, "b");
    assert_eq!(bench.ids(&leaf("in", "colour", "blue")).await, "a");
    assert_eq!(bench.ids(&json!(null)).await, "ab");
    assert_eq!(super::texts(&bench.facet("colour", &json!(null), |_| {}).await), "blue 1, red 1");
    assert_eq!(text_of(engine, "a").await.unwrap(), "{\"colour\":\"blue\"}");
}

/// A removed document is nowhere, and can be written again.
pub async fn a_removed_document_is_gone(engine: &dyn SearchEngine) {
    let bench = TestIndex::new(engine, mapping(), &[json!({"colour": "red"}), json!({"colour": "red"})]).await;
    let report = bench.write(vec![delete("a"), delete("never there")]).await;
    assert_eq!(report, BatchReport { deleted: 1, ..BatchReport::default() });
    assert_eq!(bench.ids(&leaf("in", "colour", "red")).await, "b");
    assert_eq!(text_of(engine, "a").await, None);
    let ids = ["b", "a", "never there", "b"];
    assert_eq!(engine.has_documents(INDEX, &ids).await.unwrap(), [true, false, false, true]);
    let facet = bench.facet("colour", &json!(null), |_| {}).await;
    assert_eq!((super::texts(&facet).as_str(), facet.distinct), ("red 1", 1));
    bench.write(vec![put("a", &json!({"colour": "red"}))]).await;
    assert_eq!(bench.ids(&leaf("in", "colour", "red")).await, "ab");
}

/// The values of removed documents are no values of the index any more.
pub async fn values_of_removed_documents_are_not_counted(engine: &dyn SearchEngine) {
    let bench =
        TestIndex::new(engine, mapping(), &[json!({"colour": "red"}), json!({"colour": "blue", "size": 9})]).await;
    bench.write(vec![delete("b")]).await;
    let facet = bench.facet("size", &json!(null), |facet| facet.stats = true).await;
    assert_eq!((facet.buckets.len(), facet.distinct, facet.missing, facet.stats.unwrap().count), (0, 0, 1, 0));
    assert_eq!(super::texts(&bench.facet("colour", &json!(null), |_| {}).await), "red 1");
}

/// Within one batch the last operation on an id holds.
pub async fn the_last_operation_on_an_id_holds(engine: &dyn SearchEngine) {
    let bench = TestIndex::new(engine, mapping(), &[json!({"size": 0})]).await;
    let batch = vec![
        put("a", &json!({"size": 1})),
        put("b", &json!({"size": 1})),
        put("c", &json!({"size": 1})),
        delete("a"),
        put("b", &json!({"size": 2})),
        delete("c"),
        put("c", &json!({"size": 3})),
    ];
    bench.write(batch).await;
    assert_eq!(bench.ids(&json!(null)).await, "bc");
    assert_eq!(bench.ids(&leaf("in", "size", vec![0, 1])).await, "");
    assert_eq!(bench.ids(&leaf("in", "size", 2)).await, "b");
    assert_eq!(bench.ids(&leaf("in", "size", 3)).await, "c");
}

/// Documents that cannot be taken are named with their index and why; all others are written.
pub async fn a_refused_document_stops_nothing(engine: &dyn SearchEngine) {
    let bench = TestIndex::new(engine, mapping(), &[]).await;
    let not_json = WriteOperation::Put { id: "c".to_owned(), source: b"{\"size\": ".to_vec() };
    let no_object = WriteOperation::Put { id: "d".to_owned(), source: b"[1]".to_vec() };
    let not_utf8 = WriteOperation::Put { id: "e".to_owned(), source: b"{\"colour\": \"\xff\"}".to_vec() };
    let batch = vec![
        put("a", &json!({"size": 1})),
        put("b", &json!({"size": "large"})),
        not_json,
        no_object,
        not_utf8,
        put("f", &json!({"size": {"inner": 1}})),
        put("g", &json!({"size": 2_147_483_648_i64})),
        put("h", &json!({"size": 2})),
    ];
    let report = bench.write(batch).await;
    assert_eq!(report.written, 2);
    let rejected: Vec<(usize, &str)> = report.rejected.iter().map(|one| (one.batch_index, one.id.as_str())).collect();
    assert_eq!(rejected, [(1, "b"), (2, "c"), (3, "d"), (4, "e"), (5, "f"), (6, "g")]);
    for index in [0, 4, 5] {
        assert!(report.rejected[index].reason.contains("size"), "{}", report.rejected[index].reason);
    }
    assert_eq!(bench.ids(&json!(null)).await, "ah");
}

/// A replacement that is rejected leaves the document as it was.
pub async fn a_refused_replacement_changes_nothing(engine: &dyn SearchEngine) {
    let bench = TestIndex::new(engine, mapping(), &[json!({"size": 1})]).await;
    let report = bench.write(vec![put("a", &json!({"size": "large"}))]).await;
    assert_eq!((report.written, report.rejected.len()), (0, 1));
    assert_eq!(bench.ids(&leaf("in", "size", 1)).await, "a");
    assert_eq!(text_of(engine, "a").await.unwrap(), "{\"size\":1}");
}

/// A batch without operations is fine.
pub async fn an_empty_batch_changes_nothing(engine: &dyn SearchEngine) {
    let bench = TestIndex::new(engine, mapping(), &[json!({"size": 1})]).await;
    assert_eq!(bench.write(Vec::new()).await, BatchReport::default());
    assert_eq!(bench.ids(&json!(null)).await, "a");
}

/// What goes out is what came in: members in their order, numbers exact, nothing added and nothing lost.
pub async fn documents_come_back_as_they_were_given(engine: &dyn SearchEngine) {
    let bench = TestIndex::new(engine, json!({"dynamic": false, "properties": {}}), &[]).await;
    let texts = [
        "{}",
        r#"{"z":1,"a":2,"m":{"y":[],"b":{}}}"#,
        r#"{"n":[9223372036854775807,-9223372036854775808,18446744073709551615,9007199254740993]}"#,
        r#"{"f":[0.1,1.0,-0.5,1e300,5e-324,0.30000000000000004,100000.0]}"#,
        r#"{"t":["","ü","🧬","\u0000","\"quoted\"\n",null,true,false]}"#,
        r#"{"deep":[[[{"a":[[{"b":null}]]}]]],"a.b":{"c.d":1}}"#,
    ];
    for (index, text) in texts.into_iter().enumerate() {
        let id = format!("{index}");
        let source = text.as_bytes().to_vec();
        assert_eq!(bench.write(vec![WriteOperation::Put { id: id.clone(), source }]).await.written, 1, "{text}");
        let expected = serde_json::from_str::<Value>(text).unwrap().to_string();
        assert_eq!(text_of(engine, &id).await.unwrap(), expected);
        let page = bench.page(&json!(null), |page| page.documents = true).await;
        let found = page.hits.iter().find(|hit| hit.cursor.id == id).unwrap().document.clone().unwrap();
        assert_eq!(serde_json::to_string(&found.root()).unwrap(), expected);
    }
}
