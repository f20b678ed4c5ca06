//! Where the values of all columns are in a document, as one tree, so that a document is walked once per row.
//!
//! Each path has a slot that its values are collected in. Where the elements of nested containers become rows, the tree
//! is divided at these containers: slots of depth 0 are filled from the record, those of depth 1 from an element of the
//! first container, and so on. A row consists of all slots when those of the greatest depth are filled.

use cantata_engine::ValueRef;
use hashbrown::HashMap;

/// The paths of all columns.
#[derive(Default)]
pub(super) struct ColumnLayout {
    /// The path of the object in a document that is the record.
    prefix: Vec<String>,
    pub(super) root: LayoutObject,
    /// The depth of each slot.
    pub(super) slot_depths: Vec<usize>,
    /// How many containers become rows.
    pub(super) row_depth: usize,
}

/// The members of an object that are read.
#[derive(Default)]
pub(super) struct LayoutObject {
    by_name: HashMap<String, usize>,
    members: Vec<LayoutMember>,
}

/// What is read of a member.
#[derive(Default)]
pub(super) struct LayoutMember {
    pub(super) slot: Option<usize>,
    pub(super) inner: LayoutObject,
    becomes_rows: bool,
}

impl LayoutObject {
    fn member(&mut self, name: &str) -> &mut LayoutMember {
        let index = *self.by_name.entry_ref(name).or_insert(self.members.len());
        if index == self.members.len() {
            self.members.push(LayoutMember::default());
        }
        &mut self.members[index]
    }

    /// Collects the values of a node in their slots, and the containers that become rows in a list.
    pub(super) fn collect<'p>(
        &'p self,
        node: ValueRef<'p>,
        slots: &mut [Vec<ValueRef<'p>>],
        containers: &mut Vec<(&'p LayoutMember, ValueRef<'p>)>,
    ) {
        match node {
            ValueRef::Array(list) => list.for_each(|element| self.collect(element, slots, containers)),
            ValueRef::Object(object) => object.for_each_lazy(|name, value| {
                let Some(member) = self.by_name.get(name).and_then(|&index| self.members.get(index)) else { return };
                let value = value.value();
                if member.becomes_rows {
                    containers.push((member, value));
                    return;
                }
                if let Some(slot) = member.slot.filter(|_| !matches!(value, ValueRef::Null)) {
                    slots[slot].push(value);
                }
                if !member.inner.members.is_empty() {
                    member.inner.collect(value, slots, containers);
                }
            }),
            _ => {}
        }
    }
}

impl ColumnLayout {
    /// Returns a layout without slots.
    pub(super) fn new(prefix: &str, row_containers: &[String]) -> Self {
        let mut layout = Self {
            prefix: prefix.split('.').filter(|name| !name.is_empty()).map(str::to_owned).collect(),
            row_depth: row_containers.len(),
            ..Self::default()
        };
        for container in row_containers {
            layout.member(container).0.becomes_rows = true;
        }
        layout
    }

    /// Returns the slot of a dotted path, which is added if it is new.
    pub(super) fn slot(&mut self, path: &str) -> usize {
        let next = self.slot_depths.len();
        let (member, depth) = self.member(path);
        let slot = *member.slot.get_or_insert(next);
        if slot == next {
            self.slot_depths.push(depth);
        }
        slot
    }

    /// Returns the member at a path, and how many containers on the way to it become rows.
    fn member(&mut self, path: &str) -> (&mut LayoutMember, usize) {
        let mut names = path.split('.');
        let mut member = self.root.member(names.next().unwrap_or_default());
        let mut depth = usize::from(member.becomes_rows);
        for name in names {
            member = member.inner.member(name);
            depth += usize::from(member.becomes_rows);
        }
        (member, depth)
    }

    /// Returns the record in a document; null if it has none.
    pub(super) fn record<'p>(&self, document: ValueRef<'p>) -> ValueRef<'p> {
        document.at(&self.prefix)
    }
}
