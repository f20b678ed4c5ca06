//! Beyond the limits of clusters: large pages, odd names, aliases, and what they would lose.

use cantata_engine::{
    EngineError, ExportRequest, ExportStream, Filter, HitsRequest, IndexAdmin, IndexReader, IndexWriter, MissingOrder,
    SearchPlan, SortKey, SortMode, SortOrder, WriteOperation,
};
use cantata_engine_remote::Product;
use cantata_mapping::FieldKind;
use cantata_testkit::engines;
use serde_json::json;

use crate::support::{Scoped, engine};

const INDEX: &str = "records";

fn all() -> [Scoped; 3] {
    [
        Scoped::new(engines::opensearch(), Product::OpenSearch),
        Scoped::new(engines::opensearch3(), Product::OpenSearch),
        Scoped::new(engines::elasticsearch(), Product::Elasticsearch),
    ]
}

async fn ids(export: &mut dyn ExportStream) -> Vec<String> {
    let mut ids = Vec::new();
    while let Some(page) = export.next().await.unwrap() {
        ids.extend(page.hits.into_iter().map(|hit| hit.cursor.id));
    }
    ids
}

/// Pages and exports beyond what a cluster gives at once are walked to.
#[tokio::test]
async fn pages_go_beyond_what_a_cluster_gives_at_once() {
    for engine in all() {
        engine.create_index(INDEX, Some(&json!({"properties": {"x": {"type": "long"}}}))).await.unwrap();
        let put = |number: usize| WriteOperation::Put {
            id: format!("{number:05}"),
            source: json!({"x": number / 2}).to_string().into_bytes(),
        };
        engine.write(INDEX, (0..12_000).map(put).collect()).await.unwrap();
        let hits = HitsRequest {
            filter: 0,
            size: 3,
            offset: 11_000,
            sort: Vec::new(),
            after: None,
            total: true,
            documents: true,
            score: None,
        };
        let large = HitsRequest { offset: 0, size: 11_500, documents: false, ..hits.clone() };
        let plan = SearchPlan { filters: vec![Filter::All], hits: vec![hits, large], facets: Vec::new() };
        let answer = engine.search(INDEX, plan.into()).await.unwrap();
        let found: Vec<&str> = answer.hits[0].hits.iter().map(|hit| hit.cursor.id.as_str()).collect();
        assert_eq!((found, answer.hits[0].total), (vec!["11000", "11001", "11002"], Some(12_000)));
        assert!(answer.hits[0].hits.iter().all(|hit| hit.document.is_some()));
        assert_eq!(answer.hits[1].hits.len(), 11_500);
        assert_eq!(answer.hits[1].hits[11_499].cursor.id, "11499");
        let request = ExportRequest { filter: Filter::All, sort: Vec::new(), limit: Some(11_001), page_size: 20_000 };
        let mut export = engine.export(INDEX, request).await.unwrap();
        assert_eq!((ids(&mut *export).await.len(), export.total()), (11_001, 11_001));
    }
}

/// A batch that is too large for one request is visible as a whole when its write returns.
#[tokio::test]
async fn a_batch_of_several_requests_is_seen_at_once() {
    for engine in all() {
        let mapping = json!({"dynamic": false, "properties": {"x": {"type": "long"}}});
        engine.create_index(INDEX, Some(&mapping)).await.unwrap();
        let source = json!({"text": "x".repeat(4 << 20)}).to_string().into_bytes();
        let put = |number: usize| WriteOperation::Put { id: number.to_string(), source: source.clone() };
        assert_eq!(engine.write(INDEX, (0..4).map(put).collect()).await.unwrap().written, 4);
        let request = ExportRequest { filter: Filter::All, sort: Vec::new(), limit: None, page_size: 10 };
        let mut export = engine.export(INDEX, request).await.unwrap();
        assert_eq!(ids(&mut *export).await, ["0", "1", "2", "3"]);
    }
}

/// No name of an index leads anywhere else.
#[tokio::test]
async fn odd_names_are_no_indexes() {
    let engine = engine(&engines::opensearch());
    for name in ["", "_all", "*", "a,b", "a b", "..", "a/b", "-a", "a*", "a?x=1", "<a-{now/d}>", "a#b", "a%2fb"] {
        let found = engine.mapping(name).await.map(|_| ());
        assert!(matches!(found, Err(EngineError::Rejected(_))), "{name}: {found:?}");
        assert!(matches!(engine.delete_index(name).await, Err(EngineError::Rejected(_))), "{name}");
    }
    let missing = engine.mapping("nobody-made-this-ü").await.map(|_| ());
    assert_eq!(missing, Err(EngineError::IndexNotFound("nobody-made-this-ü".to_owned())));
}

/// Ids may be any text that is not too long.
#[tokio::test]
async fn ids_may_be_any_text() {
    for engine in all() {
        engine.create_index(INDEX, None).await.unwrap();
        let ids = [".", "..", "a/b", "a b", "%2f", "ü#?&", "_search", "\"quoted\"\n", "🧬"];
        let long = "x".repeat(513);
        let put =
            |id: &str| WriteOperation::Put { id: id.to_owned(), source: json!({"id": id}).to_string().into_bytes() };
        let batch = ids.iter().copied().chain(["", long.as_str()]).map(put).collect();
        let report = engine.write(INDEX, batch).await.unwrap();
        let refused: Vec<usize> = report.rejected.iter().map(|rejected| rejected.batch_index).collect();
        assert_eq!((report.written, refused), (ids.len(), vec![ids.len(), ids.len() + 1]));
        for id in ids {
            let document = engine.document(INDEX, id).await.unwrap().unwrap();
            assert_eq!(serde_json::to_value(document.root()).unwrap(), json!({"id": id}));
        }
    }
}

/// OpenSearch passes over records by numbers that it does not sort by, if it is not told to look at all of them.
#[tokio::test]
async fn no_record_is_passed_over() {
    for engine in all() {
        let step = json!({"type": "scaled_float", "scaling_factor": 100});
        let mapping = json!({"properties": {"parts": {"type": "nested", "properties": {"x": step}}}});
        engine.create_index(INDEX, Some(&mapping)).await.unwrap();
        let put = |id: &str, source: &[u8]| WriteOperation::Put { id: id.to_owned(), source: source.to_vec() };
        let quarter: &[u8] = br#"{"parts": {"x": 0.25}}"#;
        let batch = vec![
            put("f", b"{}"),
            put("e", b"{}"),
            put("c", quarter),
            put("a", br#"{"parts": {"x": 10}}"#),
            put("d", b"{}"),
            put("b", quarter),
        ];
        engine.write(INDEX, batch).await.unwrap();
        let key = SortKey {
            field: Some("parts.x".to_owned()),
            order: SortOrder::Descending,
            mode: SortMode::Max,
            missing: MissingOrder::First,
        };
        let request = ExportRequest { filter: Filter::All, sort: vec![key], limit: None, page_size: 4 };
        let mut export = engine.export(INDEX, request).await.unwrap();
        assert_eq!(ids(&mut *export).await.concat(), "defabc");
    }
}

/// An alias of several indexes has all their fields and records; where they differ, the first by name has its way.
#[tokio::test]
async fn an_alias_is_all_its_indexes() {
    for host in [engines::opensearch(), engines::opensearch3(), engines::elasticsearch()] {
        let engine = engine(&host);
        let alias = format!("alias-{:016x}", rand::random::<u64>());
        let made = [format!("{alias}-1"), format!("{alias}-2")];
        let fields = [
            json!({"x": {"type": "long"}, "of": {"properties": {"a": {"type": "keyword"}}}}),
            json!({"x": {"type": "keyword"}, "of": {"properties": {"b": {"type": "keyword"}}}}),
        ];
        for (name, fields) in made.iter().zip(fields) {
            let body = json!({"mappings": {"properties": fields}, "aliases": {alias.as_str(): {}}});
            engine.create_index(name, Some(&body)).await.unwrap();
            let put = WriteOperation::Put { id: format!("in {name}"), source: b"{\"x\": 7}".to_vec() };
            assert_eq!(engine.write(name, vec![put]).await.unwrap().written, 1);
        }
        let mapping = engine.mapping(&alias).await.unwrap();
        assert_eq!(mapping.field("x").unwrap().kind, FieldKind::Long);
        assert!(mapping.field("of.a").is_some() && mapping.field("of.b").is_some());
        for name in &made {
            assert!(engine.document(&alias, &format!("in {name}")).await.unwrap().is_some());
        }
        let request = ExportRequest { filter: Filter::All, sort: Vec::new(), limit: None, page_size: 1 };
        let mut export = engine.export(&alias, request).await.unwrap();
        assert_eq!(ids(&mut *export).await, made.clone().map(|name| format!("in {name}")));
        for name in made {
            engine.delete_index(&name).await.unwrap();
        }
    }
}
