//! Analysis types: versions count up per name and are never altered; options left out come from the version before.

use cantata_core::{AnalysisType, AnalysisTypeId, ExternalValidation, PartialTypeOptions, Timestamp, TypeOptions};
use serde_json::json;

use super::Backend;
use super::builders::new_type;
use crate::{NewAnalysisType, Store, TypeQuery, TypeSortField};

fn id(name: &str, version: u32) -> AnalysisTypeId {
    AnalysisTypeId { name: name.to_owned(), version }
}

async fn register(store: &dyn Store, names: &[&str]) {
    for name in names {
        store.register_type(new_type(name)).await.unwrap();
    }
}

async fn assert_listed(store: &dyn Store, query: &TypeQuery, total: u64, expected: &[&str]) {
    let (matching, types) = store.list_types(query).await.unwrap();
    let listed: Vec<String> = types.iter().map(|listed| listed.id.to_string()).collect();
    assert_eq!(listed, expected, "{query:?}");
    assert_eq!(matching, total, "{query:?}");
}

/// Each name counts its own versions from 1.
pub async fn versions_count_up_per_name(backend: &dyn Backend) {
    let store = backend.open().await;
    for (name, version) in [("a", 1), ("b", 1), ("a", 2), ("a", 3), ("A", 1), ("b", 2)] {
        assert_eq!(store.register_type(new_type(name)).await.unwrap().id, id(name, version));
    }
    assert_eq!(store.latest_type_version("a").await.unwrap(), Some(3));
    assert_eq!(store.latest_type_version("b").await.unwrap(), Some(2));
    assert_eq!(store.latest_type_version("A").await.unwrap(), Some(1));
}

/// Schema, options and time of registration are stored unchanged, and older versions stay readable.
pub async fn a_type_reads_back_as_it_was_registered(backend: &dyn Backend) {
    let store = backend.open().await;
    let given = NewAnalysisType {
        schema: json!({"z": u64::MAX, "a": {"y": 1.0, "b": -7, "m": [null, true, "\u{0}\"ü"]}, "k": ""}),
        options: PartialTypeOptions {
            file_types: Some(vec!["bam".to_owned(), "vcf".to_owned()]),
            external_validations: Some(vec![ExternalValidation {
                url: "http://example.org/{study}/{value}".to_owned(),
                json_path: "$.donor[*].id".to_owned(),
            }]),
        },
        created_at: Timestamp::from_micros(1_794_713_363_000_007),
        ..new_type("t")
    };
    let expected = AnalysisType {
        id: id("t", 1),
        created_at: given.created_at,
        options: given.options.clone().inherit(None),
        schema: given.schema.clone(),
    };
    assert_eq!(store.register_type(given.clone()).await.unwrap(), expected);
    register(&*store, &["t"]).await;
    let stored = store.analysis_type("t", Some(1)).await.unwrap().unwrap();
    assert_eq!(stored, expected);
    assert_eq!(stored.schema.to_string(), given.schema.to_string(), "members keep their order");
}

/// An omitted option is inherited from the version before; an empty list clears it.
pub async fn omitted_options_are_inherited_and_empty_ones_clear(backend: &dyn Backend) {
    let store = backend.open().await;
    let check = ExternalValidation { url: "http://example.org/{value}".to_owned(), json_path: "$.a".to_owned() };
    let mut expected: Option<TypeOptions> = None;
    for (file_types, external_validations) in [
        (None, None),
        (Some(vec!["bam".to_owned()]), None),
        (None, Some(vec![check])),
        (None, None),
        (Some(vec![]), None),
        (None, Some(vec![])),
    ] {
        let options = PartialTypeOptions { file_types, external_validations };
        let in_force = options.clone().inherit(expected.as_ref());
        let registered = store.register_type(NewAnalysisType { options, ..new_type("t") }).await.unwrap();
        assert_eq!(registered.options, in_force, "{}", registered.id);
        assert_eq!(store.analysis_type("t", None).await.unwrap(), Some(registered));
        expected = Some(in_force);
        let other = store.register_type(new_type("other")).await.unwrap();
        assert_eq!(other.options, TypeOptions::default(), "types of other names have nothing to inherit");
    }
}

/// Without a version, the latest one is returned.
pub async fn no_version_means_the_latest(backend: &dyn Backend) {
    let store = backend.open().await;
    register(&*store, &["t", "t", "u"]).await;
    assert_eq!(store.analysis_type("t", None).await.unwrap().unwrap().id, id("t", 2));
    assert_eq!(store.analysis_type("t", Some(1)).await.unwrap().unwrap().id, id("t", 1));
    assert_eq!(store.analysis_type("u", None).await.unwrap().unwrap().id, id("u", 1));
}

/// Names and versions that were not registered are absent.
pub async fn unknown_types_are_absent(backend: &dyn Backend) {
    let store = backend.open().await;
    register(&*store, &["t"]).await;
    for (name, version) in
        [("u", None), ("T", None), ("u", Some(1)), ("t", Some(0)), ("t", Some(2)), ("t", Some(u32::MAX))]
    {
        assert_eq!(store.analysis_type(name, version).await.unwrap(), None, "{name}:{version:?}");
    }
    for name in ["u", "t\0"] {
        assert_eq!(store.latest_type_version(name).await.unwrap(), None);
        assert_eq!(store.analysis_type(name, Some(1)).await.unwrap(), None);
    }
    let query = TypeQuery { names: vec!["u".to_owned()], ..TypeQuery::all() };
    assert_listed(&*store, &query, 0, &[]).await;
}

/// Seeding registers nothing for a name that has a version, even if it has just registered that version itself.
pub async fn seeding_registers_only_names_without_a_version(backend: &dyn Backend) {
    let store = backend.open().await;
    register(&*store, &["known", "known"]).await;
    let with_file_types = |name: &str, file_type: &str| NewAnalysisType {
        options: PartialTypeOptions { file_types: Some(vec![file_type.to_owned()]), external_validations: None },
        ..new_type(name)
    };
    let seeds = vec![
        with_file_types("known", "x"),
        with_file_types("z", "first"),
        with_file_types("z", "second"),
        with_file_types("a", "y"),
    ];
    store.seed_types(seeds.clone()).await.unwrap();
    store.seed_types(seeds).await.unwrap();
    store.seed_types(vec![]).await.unwrap();
    assert_listed(&*store, &TypeQuery::all(), 4, &["known:1", "known:2", "z:1", "a:1"]).await;
    assert_eq!(store.analysis_type("z", None).await.unwrap().unwrap().options.file_types, ["first"]);
    assert_eq!(store.register_type(new_type("z")).await.unwrap().options.file_types, ["first"]);
}

/// A listing has only the names and the versions of the query.
pub async fn listing_filters_by_name_and_version(backend: &dyn Backend) {
    let store = backend.open().await;
    register(&*store, &["a", "b", "a", "c", "a", "b"]).await;
    for (names, versions, expected) in [
        (vec![], vec![], vec!["a:1", "b:1", "a:2", "c:1", "a:3", "b:2"]),
        (vec!["a"], vec![], vec!["a:1", "a:2", "a:3"]),
        (vec!["c", "b", "c"], vec![], vec!["b:1", "c:1", "b:2"]),
        (vec![], vec![2, 3], vec!["a:2", "a:3", "b:2"]),
        (vec!["a", "c"], vec![1], vec!["a:1", "c:1"]),
        (vec!["c"], vec![2], vec![]),
        (vec!["A", "%"], vec![], vec![]),
    ] {
        let query = TypeQuery {
            names: names.into_iter().map(str::to_owned).collect(),
            versions,
            sort: vec![TypeSortField::Version],
            ..TypeQuery::all()
        };
        assert_listed(&*store, &query, expected.len() as u64, &expected).await;
    }
}

/// A listing is sorted by the fields of the query, then by registration order, and can be reversed.
pub async fn listing_sorts_as_asked(backend: &dyn Backend) {
    let store = backend.open().await;
    register(&*store, &["b", "a", "b", "C"]).await;
    for (sort, mut expected) in [
        (vec![], ["b:1", "a:1", "b:2", "C:1"]),
        (vec![TypeSortField::Version], ["b:1", "a:1", "b:2", "C:1"]),
        (vec![TypeSortField::Name], ["C:1", "a:1", "b:1", "b:2"]),
        (vec![TypeSortField::Name, TypeSortField::Version], ["C:1", "a:1", "b:1", "b:2"]),
        (vec![TypeSortField::Version, TypeSortField::Name], ["b:1", "a:1", "b:2", "C:1"]),
    ] {
        let ascending = TypeQuery { sort, ..TypeQuery::all() };
        assert_listed(&*store, &ascending, 4, &expected).await;
        expected.reverse();
        assert_listed(&*store, &TypeQuery { descending: true, ..ascending }, 4, &expected).await;
    }
}

/// A page is a range of the listing; the total also counts what is outside of it.
pub async fn listing_pages_and_counts_everything(backend: &dyn Backend) {
    let store = backend.open().await;
    register(&*store, &["t"; 7]).await;
    register(&*store, &["other"]).await;
    for (offset, limit, expected) in [
        (0, 3, vec!["t:1", "t:2", "t:3"]),
        (3, 3, vec!["t:4", "t:5", "t:6"]),
        (6, 3, vec!["t:7"]),
        (7, 3, vec![]),
        (2, 0, vec![]),
        (6, u64::MAX, vec!["t:7"]),
        (u64::MAX, u64::MAX, vec![]),
    ] {
        let query = TypeQuery { names: vec!["t".to_owned()], offset, limit, ..TypeQuery::all() };
        assert_listed(&*store, &query, 7, &expected).await;
    }
}

/// The versions of one type come newest first.
pub async fn versions_of_a_type_come_newest_first(backend: &dyn Backend) {
    let store = backend.open().await;
    register(&*store, &["t", "u", "t", "t"]).await;
    let (total, types) = store.list_types(&TypeQuery::versions_of("t")).await.unwrap();
    let mut expected = vec![];
    for version in [3, 2, 1] {
        expected.push(store.analysis_type("t", Some(version)).await.unwrap().unwrap());
    }
    assert_eq!((total, types), (3, expected));
}
