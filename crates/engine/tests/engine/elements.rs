//! The elements that facets count, and what facets leave out.

use cantata_engine::{AncestorFilter, Filter};
use serde_json::{Value, json};

use crate::support::{and, group, leaf, nested, not, pivoted, sqon, strings, translating};

#[track_caller]
fn check(row_path: &str, cases: impl IntoIterator<Item = (Value, Filter)>) {
    for (filter, expected) in cases {
        let sqon = sqon(&filter);
        let elements = translating(|translation| translation.elements(sqon.as_ref(), row_path));
        assert_eq!(elements, Ok(expected), "{row_path}: {filter}");
    }
}

#[track_caller]
fn facet(filter: &Value, field: &str, filter_themselves: bool) -> (Filter, Filter) {
    let sqon = sqon(filter);
    let filter = translating(|translation| translation.facet_filter(sqon.as_ref(), field, filter_themselves)).unwrap();
    (filter.records, filter.elements)
}

fn female() -> Value {
    leaf("in", "donors.gender", json!("f"))
}

fn dna() -> Value {
    leaf("in", "donors.specimens.type", json!("DNA"))
}

fn study() -> Value {
    leaf("in", "study", json!("a"))
}

fn is_female() -> Filter {
    strings("donors.gender", &["f"])
}

fn is_dna() -> Filter {
    strings("donors.specimens.type", &["DNA"])
}

#[test]
fn clauses_at_or_below_the_path_count() {
    check("", [(Value::Null, Filter::All), (group("and", json!([study(), female()])), Filter::All)]);
    check(
        "donors",
        [
            (Value::Null, Filter::All),
            (female(), is_female()),
            (study(), Filter::All),
            (dna(), nested("donors.specimens", is_dna())),
            (group("and", json!([study(), female(), dna()])), and([is_female(), nested("donors.specimens", is_dna())])),
            (leaf("not-in", "donors.gender", json!("f")), not(is_female())),
            (leaf("in", "tags.name", json!("x")), Filter::All),
            (
                json!({"op": "wildcard", "content": {"fieldNames": ["donors.notes", "title"], "value": "x"}}),
                Filter::All,
            ),
        ],
    );
    check("donors.specimens", [(group("and", json!([study(), female(), dna()])), is_dna()), (female(), Filter::All)]);
}

#[test]
fn clauses_above_the_path_count_for_the_elements_around() {
    let of_donors = |filter: Filter| vec![AncestorFilter { path: "donors".to_owned(), filter }];
    for (filter, expected) in [
        (group("and", json!([study(), female(), dna()])), of_donors(is_female())),
        (
            pivoted("and", "donors", json!([female(), dna()])),
            of_donors(and([is_female(), nested("donors.specimens", is_dna())])),
        ),
        (dna(), Vec::new()),
        (leaf("in", "tags.name", json!("x")), Vec::new()),
        (group("or", json!([female()])), Vec::new()),
        (group("not", json!([female()])), Vec::new()),
        (leaf("some-not-in", "donors.gender", json!("f")), Vec::new()),
    ] {
        let sqon = sqon(&filter);
        let ancestors = translating(|translation| translation.ancestors(sqon.as_ref(), "donors.specimens"));
        assert_eq!(ancestors, Ok(expected), "{filter}");
    }
}

#[test]
fn what_speaks_of_records_does_not_count() {
    check(
        "donors",
        [
            (group("or", json!([female()])), Filter::All),
            (group("not", json!([female()])), Filter::All),
            (group("and", json!([group("not", json!([female()])), dna()])), nested("donors.specimens", is_dna())),
            (leaf("some-not-in", "donors.gender", json!("f")), Filter::All),
            (leaf("all", "donors.gender", json!(["f", "m"])), Filter::All),
            (leaf("all", "donors.gender", json!(["f"])), is_female()),
        ],
    );
}

#[test]
fn pivots_hold_clauses_together() {
    let heavy = leaf("in", "donors.specimens.weight", json!(2));
    let is_heavy = || crate::support::terms("donors.specimens.weight", [cantata_mapping::TypedValue::Double(2.0)]);
    let in_one = pivoted("and", "donors.specimens", json!([dna(), heavy]));
    let joint = nested("donors.specimens", and([is_dna(), is_heavy()]));
    check(
        "donors",
        [
            (
                pivoted("and", "donors", json!([study(), female(), dna()])),
                and([is_female(), nested("donors.specimens", is_dna())]),
            ),
            (in_one.clone(), joint.clone()),
            (group("and", json!([study(), female(), in_one.clone()])), and([is_female(), joint.clone()])),
            (pivoted("and", "donors.specimens", json!([dna(), heavy, female(), study()])), and([joint, is_female()])),
        ],
    );
    check(
        "donors.specimens",
        [
            (in_one, and([is_dna(), is_heavy()])),
            (group("and", json!([study(), pivoted("and", "donors", json!([female(), dna()]))])), is_dna()),
        ],
    );
}

#[test]
fn facets_leave_their_own_clauses_out() {
    let filter = group("and", json!([study(), female(), dna()]));
    let in_study = strings("study", &["a"]);
    let (a_female, a_dna) = (nested("donors", is_female()), nested("donors.specimens", is_dna()));
    assert_eq!(facet(&filter, "study", false), (and([a_female.clone(), a_dna.clone()]), Filter::All));
    assert_eq!(facet(&filter, "study_name", false), (and([a_female.clone(), a_dna.clone()]), Filter::All));
    assert_eq!(facet(&filter, "study", true), (and([in_study.clone(), a_female.clone(), a_dna.clone()]), Filter::All));
    assert_eq!(facet(&filter, "donors.gender", false), (and([in_study.clone(), a_dna.clone()]), a_dna.clone()));
    assert_eq!(
        facet(&filter, "donors.gender", true),
        (and([in_study, a_female, a_dna.clone()]), and([is_female(), a_dna]))
    );
    assert_eq!(facet(&female(), "donors.gender", false), (Filter::All, Filter::All));
    assert_eq!(facet(&Value::Null, "donors.gender", false), (Filter::All, Filter::All));
}
