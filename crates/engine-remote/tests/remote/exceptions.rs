//! What clusters do in a way of their own: each exception that the contract is asked for is shown to be one.

use cantata_engine::{
    EngineError, FacetRequest, Filter, HitsRequest, HitsResult, IndexAdmin, IndexReader, IndexWriter, MissingOrder,
    SearchPlan, SortKey, SortMode, SortOrder, WriteOperation,
};
use cantata_engine_remote::Product;
use cantata_mapping::{FieldKind, TypedValue};
use cantata_testkit::engines;
use serde_json::{Value, json};

use crate::support::Scoped;

const INDEX: &str = "records";

fn all() -> [Scoped; 3] {
    let [one, two] = opensearch();
    [one, two, Scoped::new(engines::elasticsearch(), Product::Elasticsearch)]
}

fn opensearch() -> [Scoped; 2] {
    [engines::opensearch(), engines::opensearch3()].map(|host| Scoped::new(host, Product::OpenSearch))
}

async fn with_documents(engine: &Scoped, properties: Value, documents: &[Value]) {
    let mapping = json!({"properties": properties, "dynamic": false});
    engine.create_index(INDEX, Some(&mapping)).await.unwrap();
    let puts = ('a'..='z')
        .zip(documents)
        .map(|(id, document)| WriteOperation::Put { id: id.to_string(), source: document.to_string().into_bytes() });
    let report = engine.write(INDEX, puts.collect()).await.unwrap();
    assert_eq!(report.written, documents.len(), "{report:?}");
}

async fn page(engine: &Scoped, filter: Filter, sort: Option<&str>) -> Result<HitsResult, EngineError> {
    let key = |field: &str| SortKey {
        field: Some(field.to_owned()),
        order: SortOrder::Ascending,
        mode: SortMode::Min,
        missing: MissingOrder::Last,
    };
    let hits = HitsRequest {
        filter: 0,
        size: 10,
        offset: 0,
        sort: sort.map(key).into_iter().collect(),
        after: None,
        total: true,
        documents: false,
        score: None,
    };
    let plan = SearchPlan { filters: vec![filter], hits: vec![hits], facets: Vec::new() };
    engine.search(INDEX, plan.into()).await.map(|mut answer| answer.hits.remove(0))
}

fn ids(page: &HitsResult) -> String {
    page.hits.iter().map(|hit| hit.cursor.id.as_str()).collect()
}

fn is_text(field: &str, text: &str) -> Filter {
    Filter::Terms { field: field.to_owned(), values: vec![TypedValue::Text(text.to_owned())] }
}

/// A text field without a keyword knows its words: whole texts are found as phrases, and there is no order.
#[tokio::test]
async fn texts_without_a_keyword_are_words() {
    for engine in all() {
        let documents = ["The quick Fox", "see the quick fox", "x", "at 2.5 metres"].map(|note| json!({"note": note}));
        with_documents(&engine, json!({"note": {"type": "text"}}), &documents).await;
        for (text, expected) in [("quick", "ab"), ("Quick", ""), ("The quick Fox", "ab"), ("quick Fox", "ab")] {
            assert_eq!(ids(&page(&engine, is_text("note", text), None).await.unwrap()), expected, "{text}");
        }
        for (text, expected) in [("2.5", "d"), ("5", "")] {
            assert_eq!(ids(&page(&engine, is_text("note", text), None).await.unwrap()), expected, "{text}");
        }
        let pattern = Filter::Pattern { field: "note".to_owned(), pattern: "The*x".to_owned() };
        assert_eq!(ids(&page(&engine, pattern, None).await.unwrap()), "");
        let sorted = page(&engine, Filter::All, Some("note")).await.map(|_| ());
        assert!(matches!(&sorted, Err(EngineError::Rejected(why)) if why.contains("`note`")), "{sorted:?}");
    }
}

/// A keyword beside a text field does not hold what is longer than its limit; as a phrase the text is still found.
#[tokio::test]
async fn long_texts_are_found_as_phrases() {
    for engine in all() {
        let keyword = json!({"keyword": {"type": "keyword", "ignore_above": 5}});
        let documents = [json!({"note": "a long text"}), json!({"note": "short"})];
        with_documents(&engine, json!({"note": {"type": "text", "fields": keyword}}), &documents).await;
        assert_eq!(ids(&page(&engine, is_text("note", "a long text"), None).await.unwrap()), "a");
        let sorted = page(&engine, Filter::All, Some("note")).await.unwrap();
        assert_eq!((ids(&sorted).as_str(), sorted.hits[1].cursor.values[0].is_none()), ("ba", true));
    }
}

/// A cluster tells a negative zero from zero.
#[tokio::test]
async fn a_negative_zero_comes_before_zero() {
    for engine in all() {
        with_documents(&engine, json!({"x": {"type": "double"}}), &[json!({"x": 0.0}), json!({"x": -0.0})]).await;
        assert_eq!(ids(&page(&engine, Filter::All, Some("x")).await.unwrap()), "ba");
    }
}

/// Keys of a `flat_object` have no order.
#[tokio::test]
async fn flat_objects_have_no_order() {
    for engine in opensearch() {
        with_documents(&engine, json!({"info": {"type": "flattened"}}), &[json!({"info": {"a": "x"}})]).await;
        for field in ["info", "info.a"] {
            let sorted = page(&engine, Filter::All, Some(field)).await.map(|_| ());
            assert!(matches!(&sorted, Err(EngineError::Rejected(why)) if why.contains(field)), "{sorted:?}");
        }
    }
}

/// Of several numbers without a sign, the cluster takes a large one for a negative one where others tie.
#[tokio::test]
async fn several_numbers_without_a_sign_tie_in_another_way() {
    for engine in opensearch() {
        let documents = [json!({"x": [u64::MAX, 0]}), json!({"x": 0})];
        with_documents(&engine, json!({"x": {"type": "unsigned_long"}}), &documents).await;
        let sorted = page(&engine, Filter::All, Some("x")).await.unwrap();
        let values: Vec<_> = sorted.hits.iter().map(|hit| hit.cursor.values[0].clone()).collect();
        assert_eq!(values, [Some(TypedValue::Unsigned(0)), Some(TypedValue::Unsigned(0))]);
        assert_eq!(ids(&sorted), "ba");
    }
}

/// Where documents were replaced, a filter of a facet loses elements with several numbers without a sign.
#[tokio::test]
async fn several_numbers_without_a_sign_are_not_all_found_by_a_facet() {
    for engine in opensearch() {
        let properties = json!({"n": {"type": "nested", "properties": {
            "x": {"type": "unsigned_long"}, "k": {"type": "keyword"},
        }}});
        let documents = [
            ("a", json!([{"x": 0}, {"x": [u64::MAX - 1, 2], "k": "yes"}])),
            ("b", json!([{"x": [u64::MAX, u64::MAX]}])),
            ("c", json!([{"x": [2, 1_u64 << 63], "k": "yes"}])),
            ("d", json!([{"x": 1}, {"x": 0}, {"x": 1_u64 << 63}])),
            ("d", json!([{"x": 1_u64 << 63}])),
            ("e", json!([{"x": 1}, {"x": 1}])),
            ("f", json!([{"x": 2, "k": "yes"}, {"x": u64::MAX}, {"x": u64::MAX - 1}])),
            ("d", json!([{"x": 0}])),
        ];
        let mapping = json!({"properties": properties, "dynamic": false});
        engine.create_index(INDEX, Some(&mapping)).await.unwrap();
        let puts = documents.iter().map(|(id, elements)| WriteOperation::Put {
            id: (*id).to_owned(),
            source: json!({"n": elements}).to_string().into_bytes(),
        });
        engine.write(INDEX, puts.collect()).await.unwrap();
        let elements = Filter::Terms { field: "n.x".to_owned(), values: vec![TypedValue::Unsigned(2)] };
        let facet = FacetRequest {
            field: "n.k".to_owned(),
            filter: 0,
            elements,
            ancestors: Vec::new(),
            buckets: Some(10),
            distinct: false,
            missing: false,
            stats: false,
            histograms: Vec::new(),
            ranges: Vec::new(),
            top_hits: None,
            bucket_filters: Vec::new(),
        };
        let plan = SearchPlan { filters: vec![Filter::All], hits: Vec::new(), facets: vec![facet] };
        let answer = engine.search(INDEX, plan.into()).await.unwrap();
        assert_eq!(answer.facets[0].buckets[0].count, 1, "three records have such an element");
    }
}

/// OpenSearch keeps the values of a wildcard only if told to; otherwise texts that are near cannot be found, and that is
/// an error.
#[tokio::test]
async fn a_wildcard_without_values_is_not_searched_for_near_texts() {
    for engine in opensearch() {
        let mapping = json!({"x": {"type": "wildcard", "doc_values": false}, "y": {"type": "wildcard"}});
        with_documents(&engine, mapping, &[json!({"x": "alpha", "y": "alpha"})]).await;
        let near = |field: &str| Filter::Fuzzy { field: field.to_owned(), text: "alpa".to_owned(), distance: 1 };
        assert_eq!(ids(&page(&engine, near("y"), None).await.unwrap()), "a");
        assert!(matches!(page(&engine, near("x"), None).await, Err(EngineError::Failed(_))));
    }
}

/// OpenSearch 3 sorts by a wildcard in no order, so it is not asked to.
#[tokio::test]
async fn wildcards_have_no_order() {
    let engine = Scoped::new(engines::opensearch3(), Product::OpenSearch);
    with_documents(&engine, json!({"x": {"type": "wildcard"}}), &[json!({"x": "a"})]).await;
    let sorted = page(&engine, Filter::All, Some("x")).await.map(|_| ());
    assert!(matches!(&sorted, Err(EngineError::Rejected(why)) if why.contains("`x`")), "{sorted:?}");
}

/// Elasticsearch has these types only with a licence, and the service says what it says.
#[tokio::test]
async fn types_that_are_not_there_are_refused() {
    let engine = Scoped::new(engines::elasticsearch(), Product::Elasticsearch);
    for kind in ["wildcard", "unsigned_long"] {
        let made = engine.create_index(INDEX, Some(&json!({"properties": {"x": {"type": kind}}}))).await;
        assert!(matches!(&made, Err(EngineError::Rejected(why)) if why.contains(kind)), "{made:?}");
    }
}

/// A cluster looks at values that are only shown here, and guesses a fraction to be a float.
#[tokio::test]
async fn clusters_check_and_guess_types_themselves() {
    for engine in all() {
        let mapping = json!({"properties": {"place": {"type": "geo_point"}}});
        engine.create_index(INDEX, Some(&mapping)).await.unwrap();
        let put = |id: &str, source: &[u8]| WriteOperation::Put { id: id.to_owned(), source: source.to_vec() };
        let batch = vec![put("a", b"{\"place\": [[]]}"), put("b", b"{\"fraction\": 1.5}")];
        let report = engine.write(INDEX, batch).await.unwrap();
        assert_eq!((report.written, report.rejected[0].batch_index), (1, 0));
        assert_eq!(engine.mapping(INDEX).await.unwrap().field("fraction").unwrap().kind, FieldKind::Float);
    }
}
