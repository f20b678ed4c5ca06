//! Writes pages of records.

use cantata_catalogue::GraphqlScalar;
use cantata_engine::{Document, Hit, HitsResult, LazyValueRef, ValueRef};

use super::document_values::{ValueVisitor, values_at, whole_at};
use super::{PathSegment, ResponseWriter};
use crate::output::{
    ConnectionMember, ConnectionOutput, EdgeMember, HitsOutput, NodeMember, NodeOutput, OutputMember, ValueOrigin,
    ValuesOutput,
};

/// After how many records the size of the page is estimated: growing a large buffer costs more than writing into it.
const SAMPLE_RECORDS: usize = 64;

impl<'a> ResponseWriter<'a> {
    /// Writes a page.
    pub(super) fn page(&mut self, hits: &'a HitsOutput, page: &'a HitsResult) {
        self.object(&hits.connection.members, |writer, member| match member {
            // Without a total, the records up to the end of the page are counted.
            ConnectionMember::Total => {
                writer.json(&page.total.unwrap_or_else(|| hits.offset + page.hits.len() as u64));
            }
            ConnectionMember::Edges { members, .. } => {
                let depth = writer.enter_member();
                writer.out.push(b'[');
                let start = writer.out.len();
                for (index, hit) in page.hits.iter().enumerate() {
                    if index > 0 {
                        writer.out.push(b',');
                    }
                    if index == SAMPLE_RECORDS {
                        let left = page.hits.len() - index;
                        let guess = ((writer.out.len() - start) / SAMPLE_RECORDS * 9 / 8).saturating_mul(left);
                        writer.out.reserve(guess.min(writer.limit));
                    }
                    writer.member = None;
                    writer.path.push(PathSegment::Index(index));
                    writer.edge(members, hit);
                    writer.path.pop();
                }
                writer.out.push(b']');
                writer.path.truncate(depth);
            }
        });
    }

    fn edge(&mut self, members: &'a [OutputMember<EdgeMember>], hit: &'a Hit) {
        let root = hit.document.as_ref().map_or(ValueRef::Null, Document::root);
        let record = root.at(self.prefix);
        self.score = hit.score;
        self.object(members, |writer, member| match member {
            EdgeMember::SearchAfter => writer.json(&hit.cursor.to_json()),
            EdgeMember::Node(node) => writer.node(node, record, record, &hit.cursor.id),
        });
    }

    /// Writes one level of a record from an object of the document.
    fn node(&mut self, node: &'a NodeOutput, value: ValueRef<'a>, record: ValueRef<'a>, id: &str) {
        let base = self.slots.len();
        self.slots.resize(base + node.table.len(), None);
        if let ValueRef::Object(object) = value {
            let slots = &mut self.slots[base..];
            object.for_each_lazy(|name, value| {
                if let Some(slot) = node.table.find(name) {
                    slots[slot] = Some(value);
                }
            });
        }
        self.object(&node.members, |writer, member| match member {
            NodeMember::Id => writer.string(id),
            NodeMember::Score => writer.score(),
            NodeMember::Values(values) => writer.values(values, base, record),
            NodeMember::Object { slot, path, node } => {
                let value = writer.slot(base + slot);
                let first = writer.first(path, |visit| {
                    value.for_each_object(&mut |object| {
                        visit(object);
                    });
                });
                match first {
                    ValueRef::Null => writer.null(),
                    object => writer.node(node, object, record, id),
                }
            }
            NodeMember::Nested { slot, name, members, needs_id } => {
                let elements = writer.slot(base + slot);
                let nested = NestedElements { elements, name: needs_id.then_some(name), id };
                writer.object(members, |writer, connection| writer.nested(connection, &nested, record));
            }
        });
        self.slots.truncate(base);
    }

    /// Returns the node in a slot; null if it is empty.
    #[inline]
    fn slot(&self, slot: usize) -> ValueRef<'a> {
        self.slots[slot].map_or(ValueRef::Null, LazyValueRef::value)
    }

    fn nested(&mut self, connection: &'a ConnectionOutput, nested: &NestedElements<'a, '_>, record: ValueRef<'a>) {
        if let Some((selection, mapping)) = &connection.selection {
            if self.is_full() {
                return;
            }
            let mut elements = Vec::new();
            nested.elements.for_each_object(&mut |element| elements.push(element));
            let selected = selection.select(&elements, mapping, &self.budget);
            if self.budget.is_exceeded() || (self.is_cancelled)() {
                self.limit = 0;
                return;
            }
            return self.selected(connection, &selected, nested, record);
        }
        self.object(&connection.members, |writer, member| match member {
            ConnectionMember::Total => {
                let mut total = 0_u64;
                nested.elements.for_each_object(&mut |_| total += 1);
                writer.json(&total);
            }
            ConnectionMember::Edges { members, window: (offset, first) } => {
                let depth = writer.enter_member();
                writer.out.push(b'[');
                let (mut position, mut count) = (0, 0);
                nested.elements.for_each_object(&mut |element| {
                    if position >= *offset && count < *first {
                        if count > 0 {
                            writer.out.push(b',');
                        }
                        writer.member = None;
                        writer.path.push(PathSegment::Index(count));
                        writer.nested_edge(members, element, nested, position, record);
                        writer.path.pop();
                        count += 1;
                    }
                    position += 1;
                });
                writer.out.push(b']');
                writer.path.truncate(depth);
            }
        });
    }

    /// Writes nested elements that were selected, each with its position in the document.
    fn selected(
        &mut self,
        connection: &'a ConnectionOutput,
        elements: &[(usize, ValueRef<'a>)],
        nested: &NestedElements<'a, '_>,
        record: ValueRef<'a>,
    ) {
        self.object(&connection.members, |writer, member| match member {
            ConnectionMember::Total => writer.json(&elements.len()),
            ConnectionMember::Edges { members, window: (offset, first) } => {
                let depth = writer.enter_member();
                writer.out.push(b'[');
                for (index, (position, element)) in elements.iter().skip(*offset).take(*first).enumerate() {
                    if index > 0 {
                        writer.out.push(b',');
                    }
                    writer.member = None;
                    writer.path.push(PathSegment::Index(index));
                    writer.nested_edge(members, *element, nested, *position, record);
                    writer.path.pop();
                }
                writer.out.push(b']');
                writer.path.truncate(depth);
            }
        });
    }

    fn nested_edge(
        &mut self,
        members: &'a [OutputMember<EdgeMember>],
        element: ValueRef<'a>,
        nested: &NestedElements<'a, '_>,
        position: usize,
        record: ValueRef<'a>,
    ) {
        let id = nested.name.map(|name| format!("{}/{name}/{position}", nested.id));
        self.object(members, |writer, member| match member {
            EdgeMember::SearchAfter => writer.null(),
            EdgeMember::Node(node) => writer.node(node, element, record, id.as_deref().unwrap_or_default()),
        });
    }

    fn values(&mut self, values: &'a ValuesOutput, base: usize, record: ValueRef<'a>) {
        let Some(slot) = values.direct else { return self.collected(values, base, record) };
        if values.scalar == Some(GraphqlScalar::String)
            && !values.list
            && let Some(text) = self.slots[base + slot].and_then(LazyValueRef::escape_free_text)
        {
            return self.plain_string(text);
        }
        let value = self.slot(base + slot);
        let Some(scalar) = values.scalar else { return self.json(&value) };
        match (value, values.list) {
            (ValueRef::Null, _) => self.null(),
            (ValueRef::Array(_), true) => self.list(|writer, visit| {
                values_at(value, &[], &mut |element| {
                    visit(writer);
                    writer.scalar(values, scalar, element);
                    true
                });
            }),
            (single, true) => {
                self.out.push(b'[');
                self.scalar(values, scalar, single);
                self.out.push(b']');
            }
            (ValueRef::Array(_), false) => {
                let first = self.first(&values.path, |visit| {
                    values_at(value, &[], visit);
                });
                self.scalar(values, scalar, first);
            }
            (single, false) => self.scalar(values, scalar, single),
        }
    }

    /// Writes values at one or several paths.
    fn collected(&mut self, values: &'a ValuesOutput, base: usize, record: ValueRef<'a>) {
        let visit_at = if values.scalar.is_some() { values_at } else { whole_at };
        if !values.list {
            let origins = values.origins.iter().map(|origin| self.resolve(origin, base, record));
            let origins: Vec<(ValueRef<'a>, &[String])> = origins.collect();
            let first = self.first(&values.path, |visit| {
                origins.iter().all(|(node, path)| visit_at(*node, path, visit));
            });
            return self.one(values, first);
        }
        self.list(|writer, separate| {
            for origin in &values.origins {
                let (node, path) = writer.resolve(origin, base, record);
                visit_at(node, path, &mut |value| {
                    separate(writer);
                    writer.one(values, value);
                    true
                });
            }
        });
    }

    /// Returns the first of the values that `visit_all` visits, null if there are none; reports that there are more.
    fn first(&mut self, path: &'a str, visit_all: impl FnOnce(ValueVisitor<'_, 'a>)) -> ValueRef<'a> {
        let mut first = None;
        let mut is_truncated = false;
        visit_all(&mut |value| {
            is_truncated = first.is_some();
            first = first.or(Some(value));
            !is_truncated
        });
        if is_truncated && !self.truncated_fields.contains(&path) {
            self.truncated_fields.push(path);
        }
        first.unwrap_or(ValueRef::Null)
    }

    fn resolve(&self, origin: &'a ValueOrigin, base: usize, record: ValueRef<'a>) -> (ValueRef<'a>, &'a [String]) {
        match origin {
            ValueOrigin::Slot { slot, rest } => (self.slot(base + slot), rest),
            ValueOrigin::Record(path) => (record, path),
        }
    }

    fn one(&mut self, values: &'a ValuesOutput, value: ValueRef<'a>) {
        match values.scalar {
            Some(scalar) => self.scalar(values, scalar, value),
            None => self.json(&value),
        }
    }

    /// Writes a list; `fill` calls the given function before each element.
    pub(super) fn list(&mut self, fill: impl FnOnce(&mut Self, &mut dyn FnMut(&mut Self))) {
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
struct NestedElements<'a, 'i> {
    elements: ValueRef<'a>,
    /// The name of the container, if the ids of its elements are needed.
    name: Option<&'a String>,
    /// The id of the enclosing element.
    id: &'i str,
}
