//! Which rows a filter selects, read straight from the filter.
//!
//! A condition on a field is tested on the elements at the field's own level, seen from the row at hand: one of them
//! must pass. A group with a pivot tests the conditions that lie in the pivot on one and the same element.

use std::cmp::Ordering;

use cantata_mapping::{Field, FieldKind, IndexMapping, RECORD_ID, TypedValue, UtcDateTime};
use cantata_sqon::{Condition, Fuzziness, GroupOp, Leaf, RangeOp, Scalar, Sqon, ValueTest, ValuesOp};

use super::compare::{compare, is_equal};
use super::json::below;
use super::text::{forms, fuzzy, like};
use super::{Row, read_path};
use crate::SavedSets;

/// The meaning of filters on one index.
#[derive(Debug, Clone, Copy)]
pub struct FilterEvaluator<'a> {
    /// The mapping of the index.
    pub mapping: &'a IndexMapping,
    /// The moment of the request.
    pub now: UtcDateTime,
    /// The saved sets.
    pub sets: &'a SavedSets,
}

impl FilterEvaluator<'_> {
    /// Returns whether a row at a level passes a filter.
    pub fn matches(&self, sqon: &Sqon, row: &Row, level: &str) -> bool {
        match sqon {
            Sqon::Leaf(leaf) => self.leaf_matches(&leaf.condition, row, level),
            Sqon::Group { content, .. } if content.is_empty() => true,
            Sqon::Group { op: GroupOp::Or, content, .. } => content.iter().any(|part| self.matches(part, row, level)),
            Sqon::Group { op, content, pivot } => {
                let pivot = pivot.as_deref();
                let (together, apart) = self.bound_parts(content, pivot, level);
                let has_element = || self.has_element(row, level, pivot.unwrap_or_default(), &together);
                let mut others = apart.into_iter().map(|part| self.matches(part, row, level));
                match op {
                    GroupOp::Not => (together.is_empty() || !has_element()) && !others.any(|passes| passes),
                    _ => (together.is_empty() || has_element()) && others.all(|passes| passes),
                }
            }
        }
    }

    /// Returns whether an element at a level passes the filter's own conditions on that level: the clauses of the
    /// outermost `and` whose fields all lie there or deeper, and what a pivot there or deeper binds together.
    pub fn element_passes(&self, sqon: &Sqon, element: &Row, level: &str) -> bool {
        match sqon {
            _ if level.is_empty() => true,
            Sqon::Leaf(Leaf { condition: Condition::Values { op: ValuesOp::SomeNotIn, .. }, .. }) => true,
            Sqon::Leaf(Leaf { condition: Condition::Values { op: ValuesOp::All, values, .. }, .. })
                if values.len() > 1 =>
            {
                true
            }
            Sqon::Leaf(_) => !self.lies_in(sqon, level) || self.matches(sqon, element, level),
            Sqon::Group { op: GroupOp::And, content, pivot } => {
                let pivot = pivot.as_deref();
                let (together, apart) = self.bound_parts(content, pivot, level);
                (together.is_empty() || self.has_element(element, level, pivot.unwrap_or_default(), &together))
                    && apart.into_iter().all(|part| self.element_passes(part, element, level))
            }
            Sqon::Group { .. } => true,
        }
    }

    /// Returns whether an element that a facet counts passes the conditions on its level or deeper, and those that it
    /// lies in the conditions on their own levels.
    pub fn lineage_passes(&self, sqon: &Sqon, lineage: &[(&str, &Row)]) -> bool {
        let Some(((level, element), around)) = lineage.split_last() else { return false };
        self.element_passes(sqon, element, level)
            && around.iter().all(|(path, outer)| self.container_passes(sqon, outer, path))
    }

    /// Returns whether an element of a container passes the filter's conditions on that container itself: the clauses
    /// of the outermost `and` whose fields have it as their innermost common container, and what a pivot on it binds
    /// together.
    fn container_passes(&self, sqon: &Sqon, element: &Row, path: &str) -> bool {
        match sqon {
            Sqon::Leaf(_) if self.common_container(sqon) == path => self.element_passes(sqon, element, path),
            Sqon::Group { op: GroupOp::And, content, pivot } => content.iter().all(|part| {
                let is_bound = pivot.as_deref() == Some(path) && self.is_bound_by(Some(path), part, path);
                if is_bound { self.matches(part, element, path) } else { self.container_passes(part, element, path) }
            }),
            _ => true,
        }
    }

    /// Returns the innermost nested container that all fields of a filter lie in; the root has the empty path.
    fn common_container(&self, sqon: &Sqon) -> &str {
        let around = self.mapping.nested_paths().filter(|path| self.lies_in(sqon, path));
        around.max_by_key(|path| path.len()).unwrap_or_default()
    }

    /// Returns whether one element of the pivot, seen from a row, passes all of these.
    fn has_element(&self, row: &Row, level: &str, pivot: &str, together: &[&Sqon]) -> bool {
        let elements = if pivot == level { vec![row] } else { row.elements_below(pivot) };
        elements.into_iter().any(|element| together.iter().all(|part| self.matches(part, element, pivot)))
    }

    /// Returns whether a pivot binds all parts of a group together. Then `not` is the opposite of `and`.
    pub fn binds_everything(&self, content: &[Sqon], pivot: &str) -> bool {
        let (together, apart) = self.bound_parts(content, Some(pivot), "");
        !together.is_empty() && apart.is_empty()
    }

    /// Divides the content of a group into what must hold in one element of the pivot and the rest. What names no field
    /// holds everywhere, and is bound with what does.
    fn bound_parts<'s>(&self, content: &'s [Sqon], pivot: Option<&str>, level: &str) -> (Vec<&'s Sqon>, Vec<&'s Sqon>) {
        let is_bound = |part: &Sqon| self.is_bound_by(pivot, part, level);
        match content.iter().any(is_bound) {
            true => content.iter().partition(|part| is_bound(part) || part.fields_used().is_empty()),
            false => (Vec::new(), content.iter().collect()),
        }
    }

    /// Returns whether a part of a group belongs to what must hold in one element of the pivot.
    fn is_bound_by(&self, pivot: Option<&str>, part: &Sqon, level: &str) -> bool {
        pivot.is_some_and(|pivot| {
            self.mapping.entry(pivot).is_some_and(|field| field.kind == FieldKind::Nested)
                && is_at_or_below(pivot, level)
                && self.lies_in(part, pivot)
        })
    }

    fn lies_in(&self, part: &Sqon, level: &str) -> bool {
        let names = part.fields_used();
        !names.is_empty() && names.into_iter().all(|name| is_at_or_below(&read_path(self.mapping, name).1, level))
    }

    fn leaf_matches(&self, condition: &Condition, row: &Row, level: &str) -> bool {
        condition.fields().iter().any(|name| {
            if self.mapping.field(name).is_none() && ["id", RECORD_ID].contains(&name.as_str()) {
                return self.id_matches(condition, row);
            }
            let (path, field_level) = read_path(self.mapping, name);
            let elements = if field_level == level { vec![row] } else { row.elements_below(&field_level) };
            let field = self.mapping.field(name).or_else(|| Some(self.mapping.flattened_key(name)?.0));
            self.field_matches(condition, &TestedField { field, path }, &elements)
        })
    }

    /// Returns whether a record has an id that a condition names.
    fn id_matches(&self, condition: &Condition, record: &Row) -> bool {
        let Condition::Values { op, values: tests, .. } = condition else { return false };
        let is_id = |text: &str| record.values(RECORD_ID) == [TypedValue::Text(text.to_owned())];
        let passes = |test: &ValueTest| match test {
            ValueTest::Equals(scalar) => is_id(&scalar.to_string()),
            ValueTest::Set(id) => self.sets.get(id).into_iter().flatten().any(|member| is_id(member)),
            ValueTest::Missing | ValueTest::Pattern(_) => false,
        };
        match op {
            ValuesOp::In => tests.iter().any(passes),
            ValuesOp::NotIn | ValuesOp::SomeNotIn => !tests.iter().any(passes),
            ValuesOp::All => tests.iter().all(passes),
        }
    }

    fn field_matches(&self, condition: &Condition, tested: &TestedField<'_>, elements: &[&Row]) -> bool {
        let some_element = |test: &dyn Fn(&Row) -> bool| elements.iter().any(|row| test(row));
        let some_value = |test: &dyn Fn(&Field, &TypedValue) -> bool| {
            some_element(&|row| tested.values(row).any(|(field, value)| test(field, value)))
        };
        let some_form = |test: &dyn Fn(&str) -> bool| some_value(&|field, value| has_form(field, value, test));
        match condition {
            Condition::Values { op, values: tests, .. } => {
                let is_in = |row: &Row| tests.iter().any(|test| self.passes(tested, row, test));
                match op {
                    ValuesOp::In => some_element(&is_in),
                    ValuesOp::NotIn => some_element(&|row| !is_in(row)),
                    ValuesOp::SomeNotIn => !some_element(&is_in),
                    ValuesOp::All => tests.iter().all(|test| some_element(&|row| self.passes(tested, row, test))),
                }
            }
            Condition::Range { bounds, .. } if bounds.is_empty() => false,
            Condition::Range { op, bounds, .. } => {
                some_value(&|field, value| bounds.iter().all(|bound| self.keeps_to(field, value, *op, bound)))
            }
            Condition::Between { bounds: [one, other], .. } => some_value(&|field, value| {
                let lies = |low: &Scalar, high: &Scalar| {
                    self.keeps_to(field, value, RangeOp::Gte, low) && self.keeps_to(field, value, RangeOp::Lte, high)
                };
                lies(one, other) || lies(other, one)
            }),
            Condition::Wildcard { pattern, .. } => some_form(&|form| like(pattern, form, true)),
            Condition::Fuzzy { text, fuzziness, .. } => {
                let distance = match (fuzziness, text.chars().count()) {
                    (Fuzziness::Edits(edits), _) => *edits,
                    (Fuzziness::Auto, 0..=2) => 0,
                    (Fuzziness::Auto, 3..=5) => 1,
                    (Fuzziness::Auto, _) => 2,
                };
                some_form(&|form| fuzzy(text, form, distance))
            }
        }
    }

    /// Returns whether one element passes a test of an in-like operator.
    fn passes(&self, tested: &TestedField<'_>, row: &Row, test: &ValueTest) -> bool {
        let has = |scalar: &Scalar| tested.values(row).any(|(field, value)| is_equal(field, value, scalar, self.now));
        match test {
            ValueTest::Equals(scalar) => has(scalar),
            ValueTest::Missing => self.is_missing(tested, row),
            ValueTest::Set(id) => {
                self.sets.get(id).into_iter().flatten().any(|member| has(&Scalar::String(member.clone())))
            }
            ValueTest::Pattern(pattern) => {
                tested.values(row).any(|(field, value)| has_form(field, value, &|form| like(pattern, form, false)))
            }
        }
    }

    /// Returns whether an element has no value; a container has one if a field in it has, or if it has elements.
    fn is_missing(&self, tested: &TestedField<'_>, row: &Row) -> bool {
        match tested.field {
            Some(container) if container.kind.is_container() => {
                let inside = self.mapping.fields().filter(|field| below(&field.path, &container.path).is_some());
                !row.has(&container.path) && !inside.into_iter().any(|field| row.has(&field.path))
            }
            _ => !row.has(&tested.path),
        }
    }

    fn keeps_to(&self, field: &Field, value: &TypedValue, op: RangeOp, bound: &Scalar) -> bool {
        let Some(order) = compare(field, value, bound, self.now) else { return false };
        match op {
            RangeOp::Gt => order == Ordering::Greater,
            RangeOp::Gte => order != Ordering::Less,
            RangeOp::Lt => order == Ordering::Less,
            RangeOp::Lte => order != Ordering::Greater,
        }
    }
}

/// The field that a name in a filter refers to; nothing, if the mapping does not have it.
struct TestedField<'a> {
    field: Option<&'a Field>,
    path: String,
}

impl<'a> TestedField<'a> {
    fn values<'r>(&self, row: &'r Row) -> impl Iterator<Item = (&'a Field, &'r TypedValue)> {
        let values = row.values(&self.path).iter();
        self.field.into_iter().flat_map(move |field| values.clone().map(move |value| (field, value)))
    }
}

fn has_form(field: &Field, value: &TypedValue, test: &dyn Fn(&str) -> bool) -> bool {
    match value {
        TypedValue::Text(text) => forms(text, field.kind == FieldKind::Text).iter().any(|form| test(form)),
        _ => false,
    }
}

fn is_at_or_below(path: &str, level: &str) -> bool {
    path == level || below(path, level).is_some()
}
