//! The work of selecting nested elements is bounded, whatever filters and documents there are.

use std::cell::Cell;

use cantata_engine::{Document, ElementBudget, ElementSelection, Filter, ValueRef};
use cantata_mapping::{IndexMapping, TypedValue};
use serde_json::json;

/// Selects among this many equal elements, and returns how many pass.
#[track_caller]
fn select(filter: Filter, count: usize, note: &str, budget: &ElementBudget<'_>) -> usize {
    let properties = json!({ "sample": { "type": "keyword" }, "note": { "type": "text" } });
    let mapping = json!({ "properties": { "donors": { "type": "nested", "properties": properties } } });
    let mapping = IndexMapping::parse(&mapping).unwrap();
    let document = Document::from(json!({ "donors": vec![json!({ "sample": note, "note": note }); count] }));
    let ValueRef::Object(root) = document.root() else { panic!("no object") };
    let mut elements = Vec::new();
    root.get("donors").unwrap().for_each_object(&mut |element| elements.push(element));
    assert_eq!(elements.len(), count);
    ElementSelection::new("donors".to_owned(), filter, Vec::new()).select(&elements, &mapping, budget).len()
}

#[test]
fn long_patterns_on_long_texts_cost_more() {
    let never = || false;
    let text = "a".repeat(1_000);
    let like = |pattern: String| Filter::Wildcard { field: "donors.sample".to_owned(), pattern };
    let budget = ElementBudget::new(100, &never);
    assert_eq!(select(like("a*".to_owned()), 20, &text, &budget), 20);
    assert!(!budget.is_exceeded());
    let budget = ElementBudget::new(100, &never);
    select(like("*a?".repeat(100)), 20, &text, &budget);
    assert!(budget.is_exceeded());
}

#[test]
fn terms_are_compared_with_each_word_of_a_text_once() {
    let never = || false;
    let text = "one TWO three four";
    let terms = |count: usize| {
        let mut values: Vec<TypedValue> = (0..count).map(|term| TypedValue::Text(format!("t{term}"))).collect();
        values.push(TypedValue::Text("two".to_owned()));
        values.sort();
        Filter::Terms { field: "donors.note".to_owned(), values }
    };
    for count in [0, 10_000] {
        let budget = ElementBudget::new(100, &never);
        assert_eq!(select(terms(count), 10, text, &budget), 10);
        assert!(!budget.is_exceeded(), "{count}");
    }
    let budget = ElementBudget::new(100, &never);
    assert_eq!(select(terms(1), 1, &"word ".repeat(1_000), &budget), 0);
    assert!(budget.is_exceeded());
}

#[test]
fn a_selection_within_one_record_ends_when_it_is_cancelled() {
    let asked = Cell::new(0);
    let is_cancelled = || asked.replace(asked.get() + 1) == 1;
    let budget = ElementBudget::new(u64::MAX, &is_cancelled);
    assert_eq!(select(Filter::Exists { field: "donors.sample".to_owned() }, 10_000, "a", &budget), 0);
    assert!(budget.is_exceeded());
    assert_eq!(asked.get(), 2, "it goes on after it was cancelled");
}
