//! Walking a document to the values at a path, through objects and lists.

use cantata_engine::ValueRef;

/// Visits values one by one until it returns false.
pub(crate) type ValueVisitor<'v, 'a> = &'v mut dyn FnMut(ValueRef<'a>) -> bool;

/// Visits every value at a path but nulls, those in lists one by one. Returns whether the visitor wants more.
pub(crate) fn values_at<'a>(node: ValueRef<'a>, path: &[String], visit: ValueVisitor<'_, 'a>) -> bool {
    walk(node, path, true, visit)
}

/// Visits the values at a path; a list at its end is one value.
pub(crate) fn whole_at<'a>(node: ValueRef<'a>, path: &[String], visit: ValueVisitor<'_, 'a>) -> bool {
    walk(node, path, false, visit)
}

fn walk<'a>(node: ValueRef<'a>, path: &[String], splits_lists: bool, visit: ValueVisitor<'_, 'a>) -> bool {
    match (node, path) {
        (ValueRef::Null, _) => true,
        (ValueRef::Array(list), path) if splits_lists || !path.is_empty() => {
            let mut goes_on = true;
            list.for_each(|element| goes_on = goes_on && walk(element, path, splits_lists, visit));
            goes_on
        }
        (value, []) => visit(value),
        (ValueRef::Object(object), [name, rest @ ..]) => {
            object.get(name).is_none_or(|member| walk(member, rest, splits_lists, visit))
        }
        _ => true,
    }
}
