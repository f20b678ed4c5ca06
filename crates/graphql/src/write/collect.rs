//! Values at a path of a document, through objects and lists.

use cantata_engine::Node;

/// Who is shown values, one by one, until `false` tells to stop.
pub(crate) type Visit<'v, 'a> = &'v mut dyn FnMut(Node<'a>) -> bool;

/// Returns what stands at a path of objects; null if it is not there.
pub(crate) fn object_at<'a>(node: Node<'a>, path: &[String]) -> Node<'a> {
    path.iter().fold(node, |node, name| match node {
        Node::Object(object) => object.get(name).unwrap_or(Node::Null),
        _ => Node::Null,
    })
}

/// Shows every value at a path, those in lists one by one, nulls left out. Returns whether more are wanted.
pub(crate) fn values_at<'a>(node: Node<'a>, path: &[String], visit: Visit<'_, 'a>) -> bool {
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

/// Shows what stands at a path as it stands there: only lists on the way to it are looked into.
pub(crate) fn whole_at<'a>(node: Node<'a>, path: &[String], visit: Visit<'_, 'a>) -> bool {
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
