//! Elements of nested containers in a document that was found: which of them pass a filter, and in which order they
//! come.
//!
//! An engine finds records; what a reader asks of the elements within one is answered from its document. Filters mean
//! what they mean to an engine, and values are read as an index reads them ([`cantata_mapping::Field::read`]).
//! Documents may have any number of elements and filters any number of tests, so a budget bounds the work.

use std::borrow::Cow;
use std::cell::Cell;
use std::cmp::Ordering;

use cantata_mapping::{Field, FieldKind, IndexMapping, TypedValue, join_path};
use serde_json::Value;

use crate::matching::{FuzzyMatcher, Matcher, WildcardPattern, text_matches, words};
use crate::{Filter, MissingOrder, SortKey, SortMode, SortOrder, SortValue, ValueRange, ValueRef};

/// How much of a budget is spent before it is asked again whether the request was cancelled.
const ASK_INTERVAL: u64 = 1_000;

/// A test of a text costs 1 more for each time that the product of the lengths of pattern and text has this many bytes.
const PATTERN_COST_BYTES: usize = 4_096;

/// A choice among the elements of a nested container.
#[derive(Debug, Clone)]
pub struct ElementSelection {
    path: String,
    test: ElementTest,
    sort: Vec<SortKey>,
}

/// How much work selections may still be. Each test of an element and each sort key costs 1, and so does each value
/// that is read for it; a test of a text costs 1 more for each word that is compared with terms, and for a pattern as much as
/// it takes to compare it with the text.
pub struct ElementBudget<'a> {
    /// `None` once there was more work than it allowed, or the request was cancelled.
    left: Cell<Option<u64>>,
    spent_since_asked: Cell<u64>,
    is_cancelled: &'a dyn Fn() -> bool,
}

impl<'a> ElementBudget<'a> {
    /// Returns a budget for so much work, which ends early once the request is cancelled.
    pub fn new(limit: u64, is_cancelled: &'a dyn Fn() -> bool) -> Self {
        Self { left: Cell::new(Some(limit)), spent_since_asked: Cell::new(0), is_cancelled }
    }

    /// Returns whether there was more work than the budget allowed; what was selected then is incomplete.
    pub fn is_exceeded(&self) -> bool {
        self.left.get().is_none()
    }

    fn spend(&self, cost: usize) {
        let cost = cost as u64;
        let spent = self.spent_since_asked.get().saturating_add(cost);
        let must_ask = spent >= ASK_INTERVAL;
        self.spent_since_asked.set(if must_ask { 0 } else { spent });
        let left = self.left.get().and_then(|left| left.checked_sub(cost));
        self.left.set(if must_ask && (self.is_cancelled)() { None } else { left });
    }
}

/// A filter whose patterns are compiled.
#[derive(Debug, Clone)]
enum ElementTest {
    All,
    None,
    And(Vec<ElementTest>),
    Or(Vec<ElementTest>),
    Not(Box<ElementTest>),
    Nested { path: String, inner: Box<ElementTest> },
    Terms { field: String, values: Vec<TypedValue> },
    Range { field: String, range: ValueRange },
    Exists { field: String },
    Wildcard { field: String, matcher: WildcardPattern, length: usize },
    Fuzzy { field: String, matcher: FuzzyMatcher, length: usize },
}

impl From<Filter> for ElementTest {
    fn from(filter: Filter) -> Self {
        match filter {
            Filter::All => Self::All,
            Filter::None => Self::None,
            Filter::And(parts) => Self::And(parts.into_iter().map(Self::from).collect()),
            Filter::Or(parts) => Self::Or(parts.into_iter().map(Self::from).collect()),
            Filter::Not(part) => Self::Not(Box::new(Self::from(*part))),
            Filter::Nested { path, inner } => Self::Nested { path, inner: Box::new(Self::from(*inner)) },
            Filter::Terms { field, values } => Self::Terms { field, values },
            Filter::Range { field, range } => Self::Range { field, range },
            Filter::Exists { field } => Self::Exists { field },
            Filter::Pattern { field, pattern } => {
                let matcher = WildcardPattern::case_sensitive(&pattern);
                Self::Wildcard { field, matcher, length: pattern.len() }
            }
            Filter::Wildcard { field, pattern } => {
                Self::Wildcard { field, matcher: WildcardPattern::wildcard(&pattern), length: pattern.len() }
            }
            Filter::Fuzzy { field, text, distance } => {
                Self::Fuzzy { field, matcher: FuzzyMatcher::new(&text, distance), length: text.len() }
            }
        }
    }
}

impl ElementSelection {
    /// Selects the elements of the container at a path that pass a filter, which is read at their level; those that are
    /// equal in the order of the keys stay in the order of the document. No key is the id of the record.
    pub fn new(path: String, filter: Filter, sort: Vec<SortKey>) -> Self {
        Self { path, test: filter.into(), sort }
    }

    /// Returns the elements that pass, in order, each with its position among all that are given. The caller checks
    /// afterwards that the budget is not exceeded.
    pub fn select<'v>(
        &self,
        elements: &[ValueRef<'v>],
        mapping: &IndexMapping,
        budget: &ElementBudget<'_>,
    ) -> Vec<(usize, ValueRef<'v>)> {
        let mut selected: Vec<(Vec<SortValue>, usize, ValueRef<'v>)> = Vec::new();
        for (position, &value) in elements.iter().enumerate() {
            let element = Element { mapping, level: &self.path, value, budget };
            if element.passes(&self.test) {
                let values = self.sort.iter().map(|key| element.sort_value(key)).collect();
                selected.push((values, position, value));
            }
            if budget.is_exceeded() {
                return Vec::new();
            }
        }
        selected.sort_by(|(one, ..), (other, ..)| compare(&self.sort, one, other));
        selected.into_iter().map(|(_, position, element)| (position, element)).collect()
    }
}

/// An element of a nested container.
#[derive(Clone, Copy)]
struct Element<'v, 'm> {
    mapping: &'m IndexMapping,
    /// The path of the container.
    level: &'m str,
    value: ValueRef<'v>,
    budget: &'m ElementBudget<'m>,
}

impl<'m> Element<'_, 'm> {
    fn passes(&self, test: &'m ElementTest) -> bool {
        match test {
            _ if self.budget.is_exceeded() => false,
            ElementTest::All => true,
            ElementTest::None => false,
            ElementTest::And(parts) => parts.iter().all(|part| self.passes(part)),
            ElementTest::Or(parts) => parts.iter().any(|part| self.passes(part)),
            ElementTest::Not(part) => !self.passes(part),
            ElementTest::Nested { path, inner } => {
                let mut passes = false;
                walk(self.value, &segments(path, self.level), &mut |value| {
                    passes = passes
                        || (matches!(value, ValueRef::Object(_))
                            && Element { level: path, value, ..*self }.passes(inner));
                });
                passes
            }
            ElementTest::Terms { field, values } => {
                let is_term = |word: Cow<'_, str>| values.binary_search(&TypedValue::Text(word.into_owned())).is_ok();
                self.has_value(field, |value| values.binary_search(value).is_ok())
                    || (self.is_text(field) && self.has_text(field, |text| self.any_word(text, is_term)))
            }
            ElementTest::Range { field, range } => self.has_value(field, |value| lies_within(value, range)),
            ElementTest::Exists { field } => self.has_value(field, |_| true),
            ElementTest::Wildcard { field, matcher, length } => self.matches(field, matcher, *length),
            ElementTest::Fuzzy { field, matcher, length } => self.matches(field, matcher, *length),
        }
    }

    fn matches(&self, field: &str, matcher: &dyn Matcher, length: usize) -> bool {
        let has_words = self.is_text(field);
        self.has_text(field, |text| {
            self.budget.spend(length.saturating_mul(text.len()) / PATTERN_COST_BYTES);
            if has_words { text_matches(text, matcher) } else { matcher.matches(text) }
        })
    }

    /// Returns whether a word of a text passes.
    fn any_word(&self, text: &str, test: impl Fn(Cow<'_, str>) -> bool) -> bool {
        words(text).take_while(|_| !self.budget.is_exceeded()).any(|word| {
            self.budget.spend(1);
            test(word)
        })
    }

    fn is_text(&self, field: &str) -> bool {
        self.mapping.field(field).is_some_and(|field| field.kind == FieldKind::Text)
    }

    fn has_text(&self, field: &str, test: impl Fn(&str) -> bool) -> bool {
        self.has_value(field, |value| matches!(value, TypedValue::Text(text) if test(text)))
    }

    fn has_value(&self, field: &str, test: impl Fn(&TypedValue) -> bool) -> bool {
        self.values(field).iter().any(|value| !self.budget.is_exceeded() && test(value))
    }

    /// Returns the values of a field at or below the level of the element.
    fn values(&self, path: &str) -> Vec<TypedValue> {
        let (field, key) = match (self.mapping.field(path), self.mapping.flattened_key(path)) {
            (Some(field), _) => (field, None),
            (None, Some((field, key))) => (field, Some(key)),
            (None, None) => return Vec::new(),
        };
        let mut values = Vec::new();
        let owner = field.multi_field_of.as_ref().unwrap_or(&field.path);
        walk(self.value, &segments(owner, self.level), &mut |value| read(field, key, "", value, &mut values));
        let sources = self.mapping.fields().filter(|source| source.enabled && source.copy_to.contains(owner));
        for source in sources.filter(|source| is_below(&source.path, self.level)) {
            walk(self.value, &segments(&source.path, self.level), &mut |value| {
                if !matches!(value, ValueRef::Null) {
                    read(field, key, "", value, &mut values);
                }
            });
        }
        self.budget.spend(1 + values.len());
        values
    }

    fn sort_value(&self, key: &SortKey) -> SortValue {
        let values = self.values(key.field.as_deref()?);
        let sum = || values.iter().filter_map(TypedValue::as_number).sum::<f64>();
        match key.mode {
            _ if values.is_empty() => None,
            SortMode::Min => values.into_iter().min(),
            SortMode::Max => values.into_iter().max(),
            SortMode::Sum => Some(TypedValue::Double(sum())),
            SortMode::Avg => Some(TypedValue::Double(sum() / values.len() as f64)),
        }
    }
}

/// Adds what the field reads of a value: a scalar, or the scalars in a flattened object, of one key if it is given.
fn read(field: &Field, key: Option<&str>, path: &str, value: ValueRef<'_>, values: &mut Vec<TypedValue>) {
    match value {
        ValueRef::Array(list) => list.for_each(|element| read(field, key, path, element, values)),
        ValueRef::Object(object) if field.kind == FieldKind::Flattened => {
            object.for_each(|name, inner| read(field, key, &join_path(path, name), inner, values));
        }
        ValueRef::Object(_) => {}
        scalar if key.is_none_or(|key| key == path) => {
            let json = serde_json::to_value(scalar).unwrap_or(Value::Null);
            values.extend(field.read(&json).ok().flatten());
        }
        _ => {}
    }
}

/// Visits everything at a path in a value, also in lists.
fn walk<'v>(value: ValueRef<'v>, path: &[&str], visit: &mut dyn FnMut(ValueRef<'v>)) {
    match (value, path) {
        (ValueRef::Array(list), _) => list.for_each(|element| walk(element, path, visit)),
        (value, []) => visit(value),
        (ValueRef::Object(object), [name, rest @ ..]) => {
            if let Some(member) = object.get(name) {
                walk(member, rest, visit);
            }
        }
        _ => {}
    }
}

/// Returns the names from a container to a path below it.
fn segments<'p>(path: &'p str, container: &str) -> Vec<&'p str> {
    path.strip_prefix(container).map_or(path, |rest| rest.trim_start_matches('.')).split('.').collect()
}

fn is_below(path: &str, container: &str) -> bool {
    path.strip_prefix(container).is_some_and(|rest| container.is_empty() || rest.starts_with('.'))
}

fn lies_within(value: &TypedValue, range: &ValueRange) -> bool {
    range.from.as_ref().is_none_or(|(from, is_in)| value > from || (*is_in && value == from))
        && range.to.as_ref().is_none_or(|(to, is_in)| value < to || (*is_in && value == to))
}

fn compare(sort: &[SortKey], one: &[SortValue], other: &[SortValue]) -> Ordering {
    let by_key = sort.iter().zip(one).zip(other).map(|((key, one), other)| {
        let missing = if key.missing == MissingOrder::First { Ordering::Less } else { Ordering::Greater };
        match (one, other) {
            (None, None) => Ordering::Equal,
            (None, Some(_)) => missing,
            (Some(_), None) => missing.reverse(),
            (Some(one), Some(other)) if key.order == SortOrder::Ascending => one.cmp(other),
            (Some(one), Some(other)) => other.cmp(one),
        }
    });
    by_key.fold(Ordering::Equal, Ordering::then)
}
