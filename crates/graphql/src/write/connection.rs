//! Pages of records, and the records.

use cantata_catalogue::Scalar;
use cantata_engine::{Document, Hit, HitsAnswer, Node, Place};

use super::collect::{Visit, object_at, values_at, whole_at};
use super::{Step, Writer};
use crate::output::{
    Connection, ConnectionMember, EdgeMember, HitsOutput, Member, NestedMember, NodeMember, NodeOutput, Origin, Values,
};

/// After how many records of a page the room for the others is guessed: growing a large buffer costs more than writing
/// into it.
const SAMPLE: usize = 64;

impl<'a> Writer<'a> {
    /// Writes a page.
    pub(super) fn page(&mut self, hits: &'a HitsOutput, page: &'a HitsAnswer) {
        self.object(&hits.connection.members, |writer, member| match member {
            ConnectionMember::Ready(bytes) => writer.out.extend_from_slice(bytes),
            // Without the count of all records, those that are known of are counted.
            ConnectionMember::Total => {
                writer.json(&page.total.unwrap_or_else(|| hits.offset + page.hits.len() as u64));
            }
            ConnectionMember::Edges { members, .. } => {
                let depth = writer.enter_member();
                writer.out.push(b'[');
                let start = writer.out.len();
                for (place, hit) in page.hits.iter().enumerate() {
                    if place > 0 {
                        writer.out.push(b',');
                    }
                    if place == SAMPLE {
                        let left = page.hits.len() - place;
                        let guess = ((writer.out.len() - start) / SAMPLE * 9 / 8).saturating_mul(left);
                        writer.out.reserve(guess.min(writer.limit));
                    }
                    writer.member = None;
                    writer.path.push(Step::Place(place));
                    writer.edge(members, hit);
                    writer.path.pop();
                }
                writer.out.push(b']');
                writer.path.truncate(depth);
            }
        });
    }

    fn edge(&mut self, members: &'a [Member<EdgeMember>], hit: &'a Hit) {
        let root = hit.document.as_ref().map_or(Node::Null, Document::root);
        let record = object_at(root, self.prefix);
        self.object(members, |writer, member| match member {
            EdgeMember::Ready(bytes) => writer.out.extend_from_slice(bytes),
            EdgeMember::SearchAfter => writer.json(&hit.cursor.to_json()),
            EdgeMember::Node(node) => writer.node(node, record, record, &hit.cursor.id),
        });
    }

    /// Writes one level of a record, which lies in an object of the document.
    fn node(&mut self, node: &'a NodeOutput, value: Node<'a>, record: Node<'a>, id: &str) {
        let base = self.slots.len();
        self.slots.resize(base + node.slots.len(), None);
        if let Node::Object(object) = value {
            let slots = &mut self.slots[base..];
            object.places(|name, place| {
                if let Some(slot) = node.slots.find(name) {
                    slots[slot] = Some(place);
                }
            });
        }
        self.object(&node.members, |writer, member| match member {
            NodeMember::Ready(bytes) => writer.out.extend_from_slice(bytes),
            NodeMember::Id => writer.string_of(id),
            NodeMember::Values(values) => writer.values(values, base, record),
            NodeMember::Object { slot, path, node } => {
                let objects = Objects::of(writer.slot(base + slot));
                if objects.are_several {
                    writer.report_cut(path);
                }
                match objects.first {
                    Some(object) => writer.node(node, object, record, id),
                    None => writer.null(),
                }
            }
            NodeMember::Nested { slot, name, members, needs_id } => {
                let elements = writer.slot(base + slot);
                let nested = Nested { elements, name: needs_id.then_some(name), id };
                writer.object(members, |writer, member| match member {
                    NestedMember::Ready(bytes) => writer.out.extend_from_slice(bytes),
                    NestedMember::Hits(connection) => writer.nested(connection, &nested, record),
                });
            }
        });
        self.slots.truncate(base);
    }

    /// Reads a member of an object at hand; null if it is not there.
    #[inline]
    fn slot(&self, slot: usize) -> Node<'a> {
        self.slots[slot].map_or(Node::Null, Place::node)
    }

    fn nested(&mut self, connection: &'a Connection, nested: &Nested<'a, '_>, record: Node<'a>) {
        self.object(&connection.members, |writer, member| match member {
            ConnectionMember::Ready(bytes) => writer.out.extend_from_slice(bytes),
            ConnectionMember::Total => {
                let mut total = 0_u64;
                for_each_object(nested.elements, &mut |_| total += 1);
                writer.json(&total);
            }
            ConnectionMember::Edges { members, window: (offset, first) } => {
                let depth = writer.enter_member();
                writer.out.push(b'[');
                let (mut place, mut shown) = (0, 0);
                for_each_object(nested.elements, &mut |element| {
                    if place >= *offset && shown < *first {
                        if shown > 0 {
                            writer.out.push(b',');
                        }
                        writer.member = None;
                        writer.path.push(Step::Place(shown));
                        writer.nested_edge(members, element, nested, place, record);
                        writer.path.pop();
                        shown += 1;
                    }
                    place += 1;
                });
                writer.out.push(b']');
                writer.path.truncate(depth);
            }
        });
    }

    fn nested_edge(
        &mut self,
        members: &'a [Member<EdgeMember>],
        element: Node<'a>,
        nested: &Nested<'a, '_>,
        place: usize,
        record: Node<'a>,
    ) {
        let id = nested.name.map(|name| format!("{}/{name}/{place}", nested.id));
        self.object(members, |writer, member| match member {
            EdgeMember::Ready(bytes) => writer.out.extend_from_slice(bytes),
            EdgeMember::SearchAfter => writer.null(),
            EdgeMember::Node(node) => writer.node(node, element, record, id.as_deref().unwrap_or_default()),
        });
    }

    fn values(&mut self, values: &'a Values, base: usize, record: Node<'a>) {
        let Some(slot) = values.direct else { return self.collected(values, base, record) };
        if values.scalar == Some(Scalar::String)
            && !values.list
            && let Some(text) = self.slots[base + slot].and_then(Place::plain_text)
        {
            return self.plain(text);
        }
        let value = self.slot(base + slot);
        let Some(scalar) = values.scalar else { return self.json(&value) };
        match (value, values.list) {
            (Node::Null, _) => self.null(),
            (Node::Array(_), true) => self.list(|writer, visit| {
                values_at(value, &[], &mut |element| {
                    visit(writer);
                    writer.scalar(scalar, element);
                    true
                });
            }),
            (single, true) => {
                self.out.push(b'[');
                self.scalar(scalar, single);
                self.out.push(b']');
            }
            (Node::Array(_), false) => {
                let first = self.first(values, |visit| {
                    values_at(value, &[], visit);
                });
                self.scalar(scalar, first);
            }
            (single, false) => self.scalar(scalar, single),
        }
    }

    /// Writes values that lie at one or several paths.
    fn collected(&mut self, values: &'a Values, base: usize, record: Node<'a>) {
        let visit_at = if values.scalar.is_some() { values_at } else { whole_at };
        if !values.list {
            let places = values.origins.iter().map(|origin| self.place(origin, base, record));
            let places: Vec<(Node<'a>, &[String])> = places.collect();
            let first = self.first(values, |visit| {
                places.iter().all(|(node, path)| visit_at(*node, path, visit));
            });
            return self.one(values, first);
        }
        self.list(|writer, separate| {
            for origin in &values.origins {
                let (node, path) = writer.place(origin, base, record);
                visit_at(node, path, &mut |value| {
                    separate(writer);
                    writer.one(values, value);
                    true
                });
            }
        });
    }

    /// Returns the first of the values that are shown; that there are more is reported.
    fn first(&mut self, values: &'a Values, show: impl FnOnce(Visit<'_, 'a>)) -> Node<'a> {
        let mut first = None;
        let mut is_cut = false;
        show(&mut |value| {
            is_cut = first.is_some();
            first = first.or(Some(value));
            !is_cut
        });
        if is_cut {
            self.report_cut(&values.path);
        }
        first.unwrap_or(Node::Null)
    }

    /// Notes that only the first of the values of a field is shown.
    fn report_cut(&mut self, path: &'a str) {
        if !self.cut_fields.contains(&path) {
            self.cut_fields.push(path);
        }
    }

    fn place(&self, origin: &'a Origin, base: usize, record: Node<'a>) -> (Node<'a>, &'a [String]) {
        match origin {
            Origin::Slot { slot, rest } => (self.slot(base + slot), rest),
            Origin::Record(path) => (record, path),
        }
    }

    fn one(&mut self, values: &'a Values, value: Node<'a>) {
        match values.scalar {
            Some(scalar) => self.scalar(scalar, value),
            None => self.json(&value),
        }
    }

    /// Writes a list; what fills it calls the given function before each element.
    fn list(&mut self, fill: impl FnOnce(&mut Self, &mut dyn FnMut(&mut Self))) {
        self.out.push(b'[');
        let mut is_first = true;
        fill(self, &mut |writer| {
            if !std::mem::take(&mut is_first) {
                writer.out.push(b',');
            }
        });
        self.out.push(b']');
    }
}

/// The elements of a nested container.
struct Nested<'a, 'i> {
    elements: Node<'a>,
    /// The name of the container, if the ids of its elements are shown.
    name: Option<&'a String>,
    /// The id of the element around it.
    id: &'i str,
}

/// Shows the elements of a nested container; a single object is a list of one.
fn for_each_object<'a>(node: Node<'a>, visit: &mut dyn FnMut(Node<'a>)) {
    match node {
        Node::Object(_) => visit(node),
        Node::Array(list) => list.for_each(|element| for_each_object(element, visit)),
        _ => {}
    }
}

/// What stands where one object is expected.
#[derive(Default)]
struct Objects<'a> {
    first: Option<Node<'a>>,
    are_several: bool,
}

impl<'a> Objects<'a> {
    fn of(node: Node<'a>) -> Self {
        let mut objects = Self::default();
        for_each_object(node, &mut |object| {
            objects.are_several = objects.first.is_some();
            objects.first = objects.first.or(Some(object));
        });
        objects
    }
}
