//! Properties that hold for every filter.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::sync::LazyLock;

use cantata_sqon::{FilterClause, GroupOp, Sqon, build_filter, json_schema};
use jsonschema::Validator;
use proptest::prelude::*;
use serde_json::json;

use crate::strategies::{changed, filter, json, scalar};
use crate::support::{Catalogue, sqon};

static SCHEMA: LazyLock<Validator> = LazyLock::new(|| {
    jsonschema::draft202012::options().build(&json_schema()["schema"]).expect("the published schema compiles")
});

/// Tells whether a filter matches a record on which each leaf holds or does not, as `record` decides.
fn matches(filter: &Sqon, record: u64) -> bool {
    match filter {
        Sqon::Leaf(leaf) => {
            let mut hasher = DefaultHasher::new();
            (record, leaf).hash(&mut hasher);
            hasher.finish().is_multiple_of(2)
        }
        Sqon::Group { content, .. } if content.is_empty() => true,
        Sqon::Group { op, content, .. } => match op {
            GroupOp::And => content.iter().all(|part| matches(part, record)),
            GroupOp::Or => content.iter().any(|part| matches(part, record)),
            GroupOp::Not => !content.iter().any(|part| matches(part, record)),
        },
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, ..ProptestConfig::default() })]

    #[test]
    fn right_filters_are_read_and_fit_the_schema(filter in filter()) {
        prop_assert!(SCHEMA.is_valid(&filter));
        prop_assert!(matches!(Sqon::parse(&filter), Ok(Some(_))));
    }

    #[test]
    fn what_is_written_reads_back_as_the_same(filter in filter()) {
        let read = sqon(filter);
        let written = read.to_json();
        prop_assert!(SCHEMA.is_valid(&written));
        prop_assert_eq!(Sqon::parse(&written), Ok(Some(read)));
    }

    /// Reading is more lenient than the schema only for `null`, `{}`, and the names that older clients use; the
    /// strategies do not use those names.
    #[test]
    fn reading_and_the_schema_agree(filter in changed()) {
        let no_filter = filter.is_null() || filter == json!({});
        prop_assert_eq!(Sqon::parse(&filter).is_ok(), SCHEMA.is_valid(&filter) || no_filter, "{}", filter);
    }

    #[test]
    fn nothing_panics_and_errors_name_a_place_that_exists(filter in prop_oneof![json(), changed()]) {
        match Sqon::parse(&filter) {
            Err(error) => prop_assert!(filter.pointer(&error.pointer).is_some(), "{} in {}", error, filter),
            Ok(None) => {}
            Ok(Some(read)) => {
                read.summary();
                read.without_field("a");
                let written = read.to_json();
                for error in read.validate(&Catalogue).err().unwrap_or_default() {
                    prop_assert!(written.pointer(&error.pointer).is_some(), "{} in {}", error, written);
                    prop_assert!(filter.pointer(&error.pointer).is_some(), "{} in {}", error, filter);
                }
            }
        }
    }

    #[test]
    fn normalisation_changes_no_match_and_is_done_once(filter in filter()) {
        let read = sqon(filter);
        let normal = read.clone().normalise();
        prop_assert_eq!(normal.clone().normalise(), normal.clone());
        for record in 0..8 {
            prop_assert_eq!(matches(&read, record), matches(&normal, record));
        }
    }

    #[test]
    fn without_a_field_the_field_is_not_tested_alone(filter in filter()) {
        let read = sqon(filter);
        let Some(left) = read.without_field("size") else { return Ok(()) };
        prop_assert_eq!(left.without_field("size"), Some(left.clone()));
        prop_assert!(left.leaf_count() <= read.leaf_count());
    }

    #[test]
    fn what_is_built_reads_back(
        existing in prop::option::of(filter()),
        values in prop::collection::vec((scalar(), any::<bool>()), 0..5),
        operator in prop::sample::select(vec!["in", "not-in", "gt", "<=", "wildcard", "between"]),
        combination in prop::sample::select(GroupOp::ALL.to_vec()),
    ) {
        let clauses: Vec<FilterClause> = values
            .into_iter()
            .map(|(value, negate)| FilterClause { field_name: "a".to_owned(), operator: operator.to_owned(), value, negate })
            .collect();
        if let Ok(built) = build_filter(combination, &clauses, existing.map(sqon)) {
            if let Some(sqon) = &built.sqon {
                prop_assert_eq!(Sqon::parse(&sqon.to_json()), Ok(Some(sqon.clone())));
            }
            let again = build_filter(combination, &[], built.sqon.clone()).unwrap();
            prop_assert_eq!(again.sqon, built.sqon);
        }
    }
}

#[test]
fn reading_is_more_lenient_than_the_schema_here() {
    for lenient in [
        json!(null),
        json!({}),
        json!({ "op": "in", "content": { "field": "a", "value": 1 } }),
        json!({ "op": "filter", "content": { "fields": ["a"], "value": "x" } }),
    ] {
        assert!(Sqon::parse(&lenient).is_ok(), "{lenient}");
        assert!(!SCHEMA.is_valid(&lenient), "{lenient}");
    }
}
