//! Walking a document to the values at a path, through objects and lists.

use cantata_engine::Node;

/// Visits values one by one until it returns false.
pub(crate) type ValueVisitor<'v, 'a> = &'v mut dyn FnMut(Node<'a>) -> bool;

/// Returns the value at a path of objects; null if it is absent.
pub(crate) fn object_at<'a>(node: Node<'a>, path: &[String]) -> Node<'a> {
    path.iter().fold(node, |node, name| match node {
        Node::Object(object) => object.get(name).unwrap_or(Node::Null),
        _ => Node::Null,
    })
}

/// Visits every value at a path but nulls, those in lists one by one. Returns whether the visitor wants more.
pub(crate) fn values_at<'a>(node: Node<'a>, path: &[String], visit: ValueVisitor<'_, 'a>) -> bool {
    match (node, path) {
        (Node::Null, _) => true,
        (Node::Array(list), path) => {
            let mut goes_on = true;
            list.for_each(|element| goes_on = goes_on && values_at(element, path, visit));
            goes_on
        }
        (value, []) => visit(value),
        (Node::Object(object), [name, rest @ ..]) => {
            object.get(name).is_none_or(|member| values_at(member, rest, visit))
        }
        _ => true,
    }
}

/// Visits the values at a path without taking lists at its end apart.
pub(crate) fn whole_at<'a>(node: Node<'a>, path: &[String], visit: ValueVisitor<'_, 'a>) -> bool {
    match (node, path) {
        (Node::Null, _) => true,
        (value, []) => visit(value),
        (Node::Array(list), path) => {
            let mut goes_on = true;
            list.for_each(|element| goes_on = goes_on && whole_at(element, path, visit));
            goes_on
        }
        (Node::Object(object), [name, rest @ ..]) => {
            object.get(name).is_none_or(|member| whole_at(member, rest, visit))
        }
        _ => true,
    }
}
