//! What a pivot holds together in one element.

use cantata_mapping::TypedValue;
use serde_json::{Value, json};

use crate::support::{and, check, group, leaf, nested, not, or, pivoted, range, strings};

fn female() -> Value {
    leaf("in", "donors.gender", json!("f"))
}

fn old() -> Value {
    leaf("gt", "donors.age", json!(70))
}

fn dna() -> Value {
    leaf("in", "donors.specimens.type", json!("DNA"))
}

fn study() -> Value {
    leaf("in", "study", json!("a"))
}

fn is_female() -> cantata_engine::Filter {
    strings("donors.gender", &["f"])
}

fn is_old() -> cantata_engine::Filter {
    range("donors.age", Some((TypedValue::Integer(70), false)), None)
}

fn is_dna() -> cantata_engine::Filter {
    strings("donors.specimens.type", &["DNA"])
}

fn in_study() -> cantata_engine::Filter {
    strings("study", &["a"])
}

#[test]
fn without_a_pivot_any_elements_will_do() {
    let apart = and([nested("donors", is_female()), nested("donors", is_old())]);
    check([
        (group("and", json!([female(), old()])), apart.clone()),
        (pivoted("and", ".", json!([female(), old()])), apart.clone()),
        (pivoted("and", "tags", json!([female(), old()])), apart),
        (
            pivoted("or", "donors", json!([female(), old()])),
            or([nested("donors", is_female()), nested("donors", is_old())]),
        ),
    ]);
}

#[test]
fn a_pivot_asks_for_one_element() {
    check([
        (pivoted("and", "donors", json!([female(), old()])), nested("donors", and([is_female(), is_old()]))),
        (
            pivoted("and", "donors", json!([study(), female(), old()])),
            and([nested("donors", and([is_female(), is_old()])), in_study()]),
        ),
        (
            pivoted("and", "donors", json!([female(), dna()])),
            nested("donors", and([is_female(), nested("donors.specimens", is_dna())])),
        ),
        (
            pivoted("and", "donors.specimens", json!([female(), dna()])),
            and([nested("donors.specimens", is_dna()), nested("donors", is_female())]),
        ),
        (
            pivoted("and", "donors", json!([leaf("not-in", "donors.gender", json!("f")), old()])),
            nested("donors", and([not(is_female()), is_old()])),
        ),
        (
            pivoted("and", "donors", json!([leaf("all", "donors.specimens.type", json!(["A", "B"])), old()])),
            nested(
                "donors",
                and([
                    nested("donors.specimens", strings("donors.specimens.type", &["A"])),
                    nested("donors.specimens", strings("donors.specimens.type", &["B"])),
                    is_old(),
                ]),
            ),
        ),
        (pivoted("and", "donors", json!([group("and", json!([])), study()])), in_study()),
    ]);
}

#[test]
fn some_not_in_speaks_of_all_elements_in_the_one_of_the_pivot() {
    let no_dna = || leaf("some-not-in", "donors.specimens.type", json!("DNA"));
    let joint = || nested("donors", and([not(nested("donors.specimens", is_dna())), is_old()]));
    check([
        (
            pivoted("and", "donors", json!([leaf("some-not-in", "donors.gender", json!("f")), old()])),
            nested("donors", and([not(is_female()), is_old()])),
        ),
        (pivoted("and", "donors", json!([no_dna(), old()])), joint()),
        (pivoted("not", "donors", json!([no_dna(), old()])), not(joint())),
        (pivoted("not", "donors", json!([group("and", json!([])), no_dna(), old()])), not(joint())),
    ]);
}

#[test]
fn a_negated_pivot_denies_one_element() {
    check([
        (pivoted("not", "donors", json!([female(), old()])), not(nested("donors", and([is_female(), is_old()])))),
        (
            pivoted("not", "donors", json!([female(), old(), study()])),
            and([not(nested("donors", and([is_female(), is_old()]))), not(in_study())]),
        ),
        (
            group("not", json!([female(), old()])),
            and([not(nested("donors", is_female())), not(nested("donors", is_old()))]),
        ),
    ]);
}

#[test]
fn groups_inside_a_pivot_are_read_at_its_level() {
    check([
        (
            pivoted("and", "donors", json!([group("not", json!([female()])), group("or", json!([old(), dna()]))])),
            nested("donors", and([not(is_female()), or([is_old(), nested("donors.specimens", is_dna())])])),
        ),
        // What reaches above the pivot stays outside.
        (
            pivoted("and", "donors", json!([old(), group("or", json!([female(), study()]))])),
            and([nested("donors", is_old()), or([nested("donors", is_female()), in_study()])]),
        ),
        // A pivot within a pivot goes further down; one at or above the level says nothing more.
        (
            pivoted(
                "and",
                "donors",
                json!([
                    old(),
                    pivoted("and", "donors.specimens", json!([dna(), leaf("gt", "donors.specimens.weight", json!(1))])),
                ]),
            ),
            nested(
                "donors",
                and([
                    is_old(),
                    nested(
                        "donors.specimens",
                        and([is_dna(), range("donors.specimens.weight", Some((TypedValue::Double(1.0), false)), None)]),
                    ),
                ]),
            ),
        ),
        (
            pivoted("and", "donors.specimens", json!([dna(), pivoted("not", "donors", json!([dna()]))])),
            nested("donors.specimens", and([is_dna(), not(is_dna())])),
        ),
    ]);
}
