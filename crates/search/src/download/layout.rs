//! Where the values of all columns lie in a document, as one tree, so that a document is walked once for each row.
//!
//! Each place has a slot, in which its values are gathered. Where the elements of nested containers become rows, the
//! tree is divided at these containers: slots of depth 0 are filled from the record, those of depth 1 from an element
//! of the first container, and so on; a row has what stands in all slots when the deepest is filled.

use cantata_engine::Node;
use hashbrown::HashMap;

/// The places of all values.
#[derive(Default)]
pub(super) struct Layout {
    /// The path of the object in a document that is the record.
    prefix: Vec<String>,
    root: Level,
    /// The depth of each slot.
    depths: Vec<usize>,
    /// How many containers become rows.
    deepest: usize,
}

/// What is wanted of an object.
#[derive(Default)]
struct Level {
    places: HashMap<String, usize>,
    members: Vec<Member>,
}

/// What is wanted of a member.
#[derive(Default)]
struct Member {
    slot: Option<usize>,
    inner: Level,
    becomes_rows: bool,
}

impl Level {
    fn member(&mut self, name: &str) -> &mut Member {
        let place = *self.places.entry_ref(name).or_insert(self.members.len());
        if place == self.members.len() {
            self.members.push(Member::default());
        }
        &mut self.members[place]
    }
}

impl Layout {
    /// Returns a layout without slots.
    pub(super) fn new(prefix: &str, row_containers: &[String]) -> Self {
        let mut layout = Self {
            prefix: prefix.split('.').filter(|name| !name.is_empty()).map(str::to_owned).collect(),
            deepest: row_containers.len(),
            ..Self::default()
        };
        for container in row_containers {
            layout.member(container).0.becomes_rows = true;
        }
        layout
    }

    /// Returns the slot of a dotted path, which is added if it is new.
    pub(super) fn slot(&mut self, path: &str) -> usize {
        let next = self.depths.len();
        let (member, depth) = self.member(path);
        let slot = *member.slot.get_or_insert(next);
        if slot == next {
            self.depths.push(depth);
        }
        slot
    }

    /// Returns the member at a path, and how many containers that become rows lie on the way to it.
    fn member(&mut self, path: &str) -> (&mut Member, usize) {
        let mut names = path.split('.');
        let mut member = self.root.member(names.next().unwrap_or_default());
        let mut depth = usize::from(member.becomes_rows);
        for name in names {
            member = member.inner.member(name);
            depth += usize::from(member.becomes_rows);
        }
        (member, depth)
    }
}

/// Gathers the values of the rows of documents.
pub(super) struct Gathering<'p> {
    layout: &'p Layout,
    slots: Vec<Vec<Node<'p>>>,
}

/// What is done with the rows of a document.
pub(super) trait RowSink<'p> {
    /// Returns whether the next row is wanted.
    fn wants_row(&mut self) -> bool;

    /// Takes a row.
    fn row(&mut self, slots: &[Vec<Node<'p>>]);
}

impl<'p> Gathering<'p> {
    pub(super) fn new(layout: &'p Layout) -> Self {
        Self { layout, slots: vec![Vec::new(); layout.depths.len()] }
    }

    /// Shows the rows of a document in order.
    pub(super) fn document(&mut self, document: Node<'p>, sink: &mut impl RowSink<'p>) {
        let record = self.layout.prefix.iter().fold(document, |node, name| match node {
            Node::Object(object) => object.get(name).unwrap_or(Node::Null),
            _ => Node::Null,
        });
        if self.layout.deepest > 0 || sink.wants_row() {
            self.rows(&self.layout.root, None, record, 0, sink);
        }
    }

    fn rows(
        &mut self,
        level: &'p Level,
        slot: Option<usize>,
        node: Node<'p>,
        depth: usize,
        sink: &mut impl RowSink<'p>,
    ) {
        for (values, slot_depth) in self.slots.iter_mut().zip(&self.layout.depths) {
            if *slot_depth >= depth {
                values.clear();
            }
        }
        if let Some(slot) = slot {
            self.slots[slot].push(node);
        }
        let mut containers = Vec::new();
        gather(level, node, &mut self.slots, &mut containers);
        if depth == self.layout.deepest {
            sink.row(&self.slots);
            return;
        }
        for (member, elements) in containers {
            for_each_object(elements, &mut |element| {
                if depth + 1 < self.layout.deepest || sink.wants_row() {
                    self.rows(&member.inner, member.slot, element, depth + 1, sink);
                }
            });
        }
    }
}

/// Puts the values below an object into their slots, and the containers that become rows aside.
fn gather<'p>(
    level: &'p Level,
    node: Node<'p>,
    slots: &mut [Vec<Node<'p>>],
    containers: &mut Vec<(&'p Member, Node<'p>)>,
) {
    match node {
        Node::Array(list) => list.for_each(|element| gather(level, element, slots, containers)),
        Node::Object(object) => object.places(|name, place| {
            let Some(member) = level.places.get(name).and_then(|&place| level.members.get(place)) else { return };
            let value = place.node();
            if member.becomes_rows {
                containers.push((member, value));
                return;
            }
            if let Some(slot) = member.slot.filter(|_| !matches!(value, Node::Null)) {
                slots[slot].push(value);
            }
            if !member.inner.members.is_empty() {
                gather(&member.inner, value, slots, containers);
            }
        }),
        _ => {}
    }
}

/// Shows the elements of a container; a single object is a list of one.
fn for_each_object<'p>(node: Node<'p>, visit: &mut dyn FnMut(Node<'p>)) {
    match node {
        Node::Object(_) => visit(node),
        Node::Array(list) => list.for_each(|element| for_each_object(element, visit)),
        _ => {}
    }
}
