//! Walking a document to the values at a path, through objects and lists.

use cantata_engine::ValueRef;

/// Visits values one by one until it returns false.
pub(crate) type ValueVisitor<'v, 'a> = &'v mut dyn FnMut(ValueRef<'a>) -> bool;

/// Returns the value at a path of objects; null if it is absent.
pub(crate) fn object_at<'a>(node: ValueRef<'a>, path: &[String]) -> ValueRef<'a> {
    path.iter().fold(node, |node, name| match node {
        ValueRef::Object(object) => object.get(name).unwrap_or(ValueRef::Null),
        _ => ValueRef::Null,
    })
}

/// Visits every value at a path but nulls, those in lists one by one. Returns whether the visitor wants more.
pub(crate) fn values_at<'a>(node: ValueRef<'a>, path: &[String], visit: ValueVisitor<'_, 'a>) -> bool {
    match (node, path) {
        (ValueRef::Null, _) => true,
        (ValueRef::Array(list), path) => {
            let mut goes_on = true;
            list.for_each(|element| goes_on = goes_on && values_at(element, path, visit));
            goes_on
        }
        (value, []) => visit(value),
        (ValueRef::Object(object), [name, rest @ ..]) => {
            object.get(name).is_none_or(|member| values_at(member, rest, visit))
        }
        _ => true,
    }
}

/// Visits the values at a path without taking lists at its end apart.
pub(crate) fn whole_at<'a>(node: ValueRef<'a>, path: &[String], visit: ValueVisitor<'_, 'a>) -> bool {
    match (node, path) {
        (ValueRef::Null, _) => true,
        (value, []) => visit(value),
        (ValueRef::Array(list), path) => {
            let mut goes_on = true;
            list.for_each(|element| goes_on = goes_on && whole_at(element, path, visit));
            goes_on
        }
        (ValueRef::Object(object), [name, rest @ ..]) => {
            object.get(name).is_none_or(|member| whole_at(member, rest, visit))
        }
        _ => true,
    }
}
