//! Facets that one request cannot answer: more values than it brings, several shards, and fields whose values a
//! cluster keeps in a way of its own. What is expected follows from how the documents are made.

use std::sync::Arc;

use cantata_engine::{
    EngineError, FacetRequest, FacetResult, Filter, HitsRequest, IndexAdmin, IndexReader, IndexWriter, SearchPlan,
    WriteOperation,
};
use cantata_engine_remote::Product;
use cantata_mapping::TypedValue;
use cantata_testkit::engines;
use cantata_testkit::fault_proxy::FaultProxy;
use serde_json::{Value, json};

use crate::bed;
use crate::support::Scoped;

const INDEX: &str = "records";

/// More values than a cluster lets all buckets of an answer be.
const MORE_THAN_MAX_BUCKETS: usize = 70_000;

/// More values than are asked for at once.
const MORE_THAN_FIRST_BUCKETS: usize = 25_000;

fn facet(field: &str, buckets: Option<usize>) -> FacetRequest {
    FacetRequest {
        field: field.to_owned(),
        filter: 0,
        elements: Filter::All,
        ancestors: Vec::new(),
        buckets,
        distinct: true,
        missing: false,
        stats: false,
        histograms: Vec::new(),
        ranges: Vec::new(),
        top_hits: None,
        bucket_filters: Vec::new(),
    }
}

async fn fill(engine: &Scoped, mapping: Value, documents: impl IntoIterator<Item = Value>) {
    engine.create_index(INDEX, Some(&mapping)).await.unwrap();
    let put = |(number, document): (usize, Value)| WriteOperation::Put {
        id: format!("{number:06}"),
        source: document.to_string().into_bytes(),
    };
    let batch: Vec<WriteOperation> = documents.into_iter().enumerate().map(put).collect();
    assert_eq!(engine.write(INDEX, batch).await.unwrap().rejected, []);
}

async fn ask(engine: &Scoped, facets: Vec<FacetRequest>) -> Result<Vec<FacetResult>, EngineError> {
    let plan = SearchPlan { filters: vec![Filter::All, even()], hits: Vec::new(), facets };
    Ok(engine.search(INDEX, Arc::new(plan)).await?.facets)
}

fn even() -> Filter {
    Filter::Terms { field: "parity".to_owned(), values: vec![TypedValue::Text("even".to_owned())] }
}

/// Returns the values and counts of the buckets.
fn counts(answer: &FacetResult) -> Vec<(String, u64)> {
    let text = |value: &TypedValue| match value {
        TypedValue::Text(text) => text.clone(),
        TypedValue::Integer(number) => number.to_string(),
        other => format!("{other:?}"),
    };
    answer.buckets.iter().map(|bucket| (text(&bucket.value), bucket.count)).collect()
}

/// Returns the name of a value; they are in the order of their numbers.
fn name(number: usize) -> String {
    format!("v{number:05}")
}

/// Three thousand values, each in one record but every hundredth, which is in three: by far more than a shard returns
/// at first, and most of them equally frequent.
async fn many_values(engine: &Scoped) {
    const VALUES: usize = 3_000;
    let element = json!({"type": "nested", "properties": {"name": {"type": "keyword"}, "number": {"type": "long"}}});
    let mapping = json!({"dynamic": false, "properties": {
        "name": {"type": "keyword"}, "number": {"type": "long"}, "parity": {"type": "keyword"}, "parts": element,
    }});
    let occurrences = (0..3).flat_map(|round| (0..VALUES).filter(move |number| round == 0 || number % 100 == 0));
    let documents = occurrences.map(|number| {
        let own = json!({"name": name(number), "number": number});
        let parity = if number % 200 == 0 { "even" } else { "odd" };
        // Twice the same element, which is one record.
        json!({"name": name(number), "number": [number, number], "parity": parity, "parts": [own, own]})
    });
    fill(engine, mapping, documents).await;
    let frequent: Vec<usize> = (0..VALUES).filter(|number| number % 100 == 0).collect();
    let ordered: Vec<usize> = frequent.iter().copied().chain((0..VALUES).filter(|number| number % 100 != 0)).collect();
    let expected = |field: &str, count: usize| -> Vec<(String, u64)> {
        let label = |number: usize| if field.ends_with("number") { number.to_string() } else { name(number) };
        ordered.iter().take(count).map(|&n| (label(n), if n % 100 == 0 { 3 } else { 1 })).collect()
    };
    for field in ["name", "number", "parts.name", "parts.number"] {
        for wanted in [5, 40, VALUES, 300_000] {
            let answers = ask(engine, vec![facet(field, Some(wanted))]).await.unwrap();
            assert_eq!(counts(&answers[0]), expected(field, wanted), "{field} {wanted}");
            assert_eq!(answers[0].distinct, VALUES as u64, "{field} {wanted}");
        }
        let only_number = ask(engine, vec![facet(field, None)]).await.unwrap();
        assert_eq!((only_number[0].distinct, only_number[0].buckets.len()), (VALUES as u64, 0), "{field}");
        for wanted in [35, 1_500] {
            let only_buckets = FacetRequest { distinct: false, ..facet(field, Some(wanted)) };
            let answers = ask(engine, vec![only_buckets]).await.unwrap();
            assert_eq!((counts(&answers[0]), answers[0].distinct), (expected(field, wanted), 0), "{field}");
        }
        let details = FacetRequest { top_hits: Some(2), bucket_filters: vec![1], ..facet(field, Some(150)) };
        let answers = ask(engine, vec![details]).await.unwrap();
        assert_eq!(counts(&answers[0]), expected(field, 150), "{field}");
        for (bucket, &number) in answers[0].buckets.iter().zip(&ordered) {
            let shown: Vec<Value> =
                bucket.top_hits.iter().map(|hit| serde_json::to_value(hit.root()).unwrap()["name"].clone()).collect();
            let records = if number % 100 == 0 { 2 } else { 1 };
            assert_eq!(shown, vec![json!(name(number)); records], "{field} {number}");
            assert_eq!(bucket.filtered, [if number % 200 == 0 { 3 } else { 0 }], "{field} {number}");
        }
    }
}

/// More values than a cluster gives in one answer.
async fn very_many_values(engine: &Scoped) {
    let mapping = json!({"dynamic": false, "properties": {
        "name": {"type": "keyword"}, "number": {"type": "long"}, "parity": {"type": "keyword"},
        "parts": {"type": "nested", "properties": {"name": {"type": "keyword"}}},
    }});
    // The value with the greatest name is in all records, so no cut by name or by shard finds it by chance.
    let documents = (0..MORE_THAN_MAX_BUCKETS / 10).map(|number| {
        let names: Vec<String> = (number * 10..number * 10 + 10).map(name).chain(["z".to_owned()]).collect();
        let numbers: Vec<usize> = (number * 10..number * 10 + 10).chain([MORE_THAN_MAX_BUCKETS]).collect();
        let is_early = number * 10 < MORE_THAN_FIRST_BUCKETS;
        let parts: Vec<Value> = names.iter().filter(|_| is_early).map(|name| json!({"name": name})).collect();
        json!({"name": names, "number": numbers, "parts": parts})
    });
    fill(engine, mapping, documents).await;
    for (field, wanted, most, next, values) in [
        ("name", 300_000, "z".to_owned(), name(0), MORE_THAN_MAX_BUCKETS),
        ("number", 2, MORE_THAN_MAX_BUCKETS.to_string(), "0".to_owned(), MORE_THAN_MAX_BUCKETS),
        ("parts.name", 2, "z".to_owned(), name(0), MORE_THAN_FIRST_BUCKETS),
    ] {
        let answers = ask(engine, vec![facet(field, Some(wanted))]).await.unwrap();
        assert_eq!(counts(&answers[0])[..2], [(most, values as u64 / 10), (next, 1)], "{field}");
        assert_eq!(answers[0].buckets.len(), wanted.min(values + 1), "{field}");
        assert_eq!(answers[0].distinct, values as u64 + 1, "{field}");
    }
}

/// Many facets with many values each stay below what a cluster gives in one answer.
async fn many_facets(engine: &Scoped) {
    const FACETS: usize = 80;
    let names: Vec<String> = (0..FACETS).map(|number| format!("f{number}")).collect();
    let fields: serde_json::Map<String, Value> =
        names.iter().map(|name| (name.clone(), json!({"type": "keyword"}))).collect();
    let documents = (0..1_000).map(|number| names.iter().map(|field| (field.clone(), json!(name(number)))).collect());
    fill(engine, json!({"properties": fields}), documents).await;
    let asked = names.iter().map(|name| FacetRequest { distinct: false, ..facet(name, Some(900)) }).collect();
    let answers = ask(engine, asked).await.unwrap();
    assert!(answers.iter().all(|answer| answer.buckets.len() == 900));
}

/// A text field is counted by the keyword beside it, and refused where there is none.
async fn text_fields(engine: &Scoped) {
    let mapping = json!({"properties": {
        "title": {"type": "text", "fields": {"raw": {"type": "keyword"}}},
        "notes": {"type": "text"},
        "hidden": {"type": "keyword", "doc_values": false},
        "parity": {"type": "keyword"},
    }});
    let document = json!({"title": ["Red fox", "Blue fox"], "notes": "Red fox", "hidden": "fox"});
    fill(engine, mapping, [document.clone(), document]).await;
    let answers = ask(engine, vec![facet("title", Some(10))]).await.unwrap();
    assert_eq!(counts(&answers[0]), [("Blue fox".to_owned(), 2), ("Red fox".to_owned(), 2)]);
    for field in ["notes", "hidden"] {
        let refused = ask(engine, vec![facet(field, Some(10))]).await;
        assert!(matches!(&refused, Err(EngineError::Rejected(reason)) if reason.contains(field)), "{refused:?}");
        let lacking = FacetRequest { missing: true, distinct: false, ..facet(field, None) };
        assert_eq!(ask(engine, vec![lacking]).await.unwrap()[0].missing, 0, "{field}");
    }
}

/// A histogram whose buckets are too many is refused, however few of them have records.
async fn fine_histograms(engine: &Scoped) {
    let mapping = json!({"properties": {"size": {"type": "double"}, "parity": {"type": "keyword"}}});
    fill(engine, mapping, [json!({"size": 0}), json!({"size": 65_535}), json!({"size": 65_536})]).await;
    let histogram = |interval: f64| FacetRequest { histograms: vec![interval], distinct: false, ..facet("size", None) };
    let answers = ask(engine, vec![histogram(2.0)]).await.unwrap();
    assert_eq!(answers[0].histograms[0].len(), 32_769);
    for interval in [1.0, 1e-300, f64::MIN_POSITIVE * f64::EPSILON] {
        let refused = ask(engine, vec![histogram(interval)]).await;
        assert!(matches!(&refused, Err(EngineError::Rejected(reason)) if reason.contains("size")), "{refused:?}");
    }
}

macro_rules! on_each_cluster {
    ($($case:ident),+) => {
        on_each_cluster! { @ opensearch OpenSearch opensearch $($case)+ }
        on_each_cluster! { @ opensearch3 OpenSearch opensearch3 $($case)+ }
        on_each_cluster! { @ elasticsearch Elasticsearch elasticsearch $($case)+ }
    };
    (@ $module:ident $product:ident $node:ident $($case:ident)+) => {
        mod $module {
            use super::*;

            $(
                #[tokio::test]
                async fn $case() {
                    let engine = Scoped::new(engines::$node(), Product::$product);
                    super::$case(&engine.with_shards(3)).await;
                }
            )+
        }
    };
}

on_each_cluster!(many_values, very_many_values, many_facets, text_fields, fine_histograms);

/// On one shard the most frequent values are exact at once.
#[tokio::test]
async fn many_values_on_one_shard() {
    many_values(&Scoped::new(engines::opensearch(), Product::OpenSearch)).await;
}

/// A page of a portal is one request: records and facets on three levels, some of them without their own filter.
#[tokio::test]
async fn a_page_is_one_request() {
    let proxy = FaultProxy::start(&engines::opensearch());
    let engine = bed::engine([&proxy]);
    let scoped = Scoped::new(engines::opensearch(), Product::OpenSearch);
    let fields = |names: &[&str]| -> Value { names.iter().map(|name| (*name, json!({"type": "keyword"}))).collect() };
    let mut donors = json!({"type": "nested", "properties": fields(&["sex", "vital", "stage"])});
    donors["properties"]["specimens"] = json!({"type": "nested", "properties": fields(&["site", "type"])});
    let mut properties = fields(&["study", "access", "format", "parity", "strategy"]);
    properties["donors"] = donors;
    let donor = json!({"sex": "f", "vital": "alive", "specimens": [{"site": "skin", "type": "normal"}]});
    let document = json!({"study": "s", "access": "open", "parity": "even", "donors": [donor]});
    fill(&scoped, json!({"properties": properties}), [document]).await;
    let paths = ["study", "access", "format", "strategy", "parity", "donors.sex", "donors.vital", "donors.stage"];
    let paths = paths.into_iter().chain(["donors.specimens.site", "donors.specimens.type"]);
    let facets = paths.map(|path| FacetRequest {
        filter: usize::from(path != "parity"),
        missing: true,
        ..facet(path, Some(300_000))
    });
    let hits = HitsRequest { filter: 1, size: 20, total: true, documents: true, ..HitsRequest::default() };
    let plan = Arc::new(SearchPlan { filters: vec![Filter::All, even()], hits: vec![hits], facets: facets.collect() });
    // The first request also asks what the cluster and the index are.
    engine.search(&scoped.name(INDEX), Arc::clone(&plan)).await.unwrap();
    proxy.clear_requests();
    let answer = engine.search(&scoped.name(INDEX), plan).await.unwrap();
    assert_eq!(proxy.requests().len(), 1);
    assert_eq!(answer.facets.iter().map(|facet| facet.distinct).collect::<Vec<_>>(), [1, 1, 0, 0, 1, 1, 1, 0, 1, 1]);
    assert_eq!(answer.facets.iter().map(|facet| facet.missing).collect::<Vec<_>>(), [0, 0, 1, 1, 0, 0, 0, 1, 0, 0]);
}
