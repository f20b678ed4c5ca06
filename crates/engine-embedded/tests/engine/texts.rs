//! Parts of texts, prefixes and similar texts in fields with many different values, which segments have an index for.

use std::sync::Arc;

use cantata_engine::matching::{FuzzyMatcher, Matcher, WildcardPattern, text_matches};
use cantata_engine::{Filter, HitsRequest, IndexMaintenance, IndexReader, IndexWriter, SearchPlan, WriteOperation};
use cantata_engine_embedded::EmbeddedEngine;
use serde_json::json;

const DOCUMENTS: u32 = 3_200;

/// Every this many documents one is deleted.
const DELETED_RATIO: u32 = 50;

const PATTERNS: [&str; 12] = [
    "*1234*",
    "*01*-9*",
    "*7*",
    "fl0001*",
    "FL0001*",
    "*?genome*GZ",
    "*Genome*.gz",
    "genome",
    "01234?",
    "*sample-000012*",
    "Sample-00001*treatment",
    "nothing like it*",
];

fn scattered(number: u32) -> u32 {
    number.wrapping_mul(2_654_435_761) % 1_000_000
}

fn file_name(document: u32) -> String {
    let about = "Whole-Genome-Sequencing-of-the-Primary-Tumour-of-a-Donor-in-2024-aligned";
    format!("FL{document:06}-{:06}-{about}.vcf.gz", scattered(document))
}

/// Returns the names of the samples of a document, each in an element of its own, two levels down.
fn sample_names(document: u32) -> [String; 2] {
    let name = |sample: u32| format!("Sample-{sample:06}/{:06}-of-normal-tissue-before-treatment", scattered(sample));
    [2 * document, 2 * document + 1].map(name)
}

fn put(document: u32) -> WriteOperation {
    let name = file_name(document);
    let samples = sample_names(document).map(|name| json!({"name": name}));
    let source = json!({"name": name, "title": name, "donors": [{"samples": samples}]});
    WriteOperation::Put { id: document.to_string(), source: source.to_string().into_bytes() }
}

async fn count(engine: &EmbeddedEngine, filter: Filter) -> u64 {
    let hits = HitsRequest { total: true, ..HitsRequest::default() };
    let plan = SearchPlan { filters: vec![filter], hits: vec![hits], facets: vec![] };
    engine.search("files", Arc::new(plan)).await.unwrap().hits[0].total.unwrap()
}

/// A filter, the number of documents it must find, and how it is called where it finds others.
struct Case {
    filter: Filter,
    expected: usize,
    what: String,
}

/// Returns the cases of a condition, counted document by document: on a keyword, a text, nested elements, and any of these.
fn cases_of(leaf: impl Fn(&str) -> Filter, matcher: &impl Matcher, what: &str) -> [Case; 4] {
    let count = |test: &dyn Fn(u32) -> bool| {
        (0..DOCUMENTS).filter(|&document| document % DELETED_RATIO != 0 && test(document)).count()
    };
    let by_name = |document: u32| matcher.matches(&file_name(document));
    let by_title = |document: u32| text_matches(&file_name(document), matcher);
    let by_sample = |document: u32| sample_names(document).iter().any(|name| matcher.matches(name));
    let samples = Filter::Nested { path: "donors.samples".to_owned(), inner: Box::new(leaf("donors.samples.name")) };
    let case =
        |filter: Filter, expected: usize, place: &str| Case { filter, expected, what: format!("{what} {place}") };
    [
        case(leaf("name"), count(&by_name), "in names"),
        case(leaf("title"), count(&by_title), "in titles"),
        case(samples.clone(), count(&by_sample), "in samples"),
        case(
            Filter::or([leaf("name"), leaf("title"), samples]),
            count(&|document| by_title(document) || by_sample(document)),
            "anywhere",
        ),
    ]
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for pattern in PATTERNS {
        let like = |field: &str| Filter::Pattern { field: field.to_owned(), pattern: pattern.to_owned() };
        cases.extend(cases_of(like, &WildcardPattern::case_sensitive(pattern), pattern));
        let like = |field: &str| Filter::Wildcard { field: field.to_owned(), pattern: pattern.to_owned() };
        cases.extend(cases_of(like, &WildcardPattern::wildcard(pattern), &format!("{pattern} in any case")));
    }
    let [sample, _] = sample_names(1_234);
    for (text, distance) in [(file_name(321).replace("Whole", "Hwole"), 2), (sample, 1), ("genom".to_owned(), 1)] {
        let like = |field: &str| Filter::Fuzzy { field: field.to_owned(), text: text.clone(), distance };
        cases.extend(cases_of(like, &FuzzyMatcher::new(&text, distance), &text));
    }
    cases
}

async fn check(engine: &EmbeddedEngine, cases: &[Case]) {
    for Case { filter, expected, what } in cases {
        assert_eq!(count(engine, filter.clone()).await, *expected as u64, "{what}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn texts_are_found_in_segments_of_any_size() {
    let folder = tempfile::tempdir().unwrap();
    let engine = EmbeddedEngine::open(folder.path()).unwrap();
    let samples = json!({"type": "nested", "properties": {"name": {"type": "keyword"}}});
    let mapping = json!({"properties": {
        "name": {"type": "keyword"}, "title": {"type": "text"},
        "donors": {"type": "nested", "properties": {"samples": samples}},
    }});
    engine.create("files", Some(&mapping)).unwrap();
    for start in (0..DOCUMENTS).step_by(800) {
        engine.write("files", (start..start + 800).map(put).collect()).await.unwrap();
    }
    let delete = |document: u32| WriteOperation::Delete { id: document.to_string() };
    let deleted = (0..DOCUMENTS).step_by(DELETED_RATIO as usize).map(delete).collect();
    engine.write("files", deleted).await.unwrap();
    let cases = cases();
    check(&engine, &cases).await;
    // One segment, large enough for an index of its texts.
    engine.compact("files").await.unwrap();
    check(&engine, &cases).await;
    engine.wait_until_idle().await;
    drop(engine);
    check(&EmbeddedEngine::open(folder.path()).unwrap(), &cases).await;
}
