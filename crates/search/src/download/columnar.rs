//! The columns of a columnar file: types follow from the mapping, and nested containers are lists of objects.
//!
//! JSON has the values of a nested field as one list; here they stay in the elements that they belong to. What is not of
//! the type of its field is null. No engine knows of every list in its documents, so that a field is a list if it is said
//! to be one, or if a row of the file has several values: no value of any other format is missing.

use cantata_engine::ValueRef;
use cantata_mapping::FieldKind;
use cantata_tabular::{CellRef, Column, ColumnBuilder, ColumnType};

use super::columns::DownloadColumn;
use super::layout::ColumnLayout;

/// A field with values that a column asks for; a column that is a nested container asks for all fields in it.
pub(super) struct ColumnarLeaf {
    /// The name of the column, or the dotted path of a field in a container.
    pub(super) name: String,
    /// The dotted paths of the values in a document.
    pub(super) origins: Vec<String>,
    pub(super) column_type: ColumnType,
    /// Whether it is a list, however many values there are.
    pub(super) is_list: bool,
    /// The nested containers around it whose elements are no rows, the outermost first.
    pub(super) containers: Vec<String>,
}

/// The columns of a file, and where their values are.
#[derive(Default)]
pub(super) struct ColumnarLayout {
    pub(super) columns: Vec<Column>,
    fields: Vec<RowField>,
}

struct RowField {
    name: String,
    /// The slots of the values; `None` for the id of the record.
    slots: Option<Vec<usize>>,
    shape: Shape,
}

struct ElementField {
    name: String,
    /// The paths of the values in an element.
    paths: Vec<Vec<String>>,
    shape: Shape,
}

enum Shape {
    RecordId,
    /// Lists, or single values if no row of the file has several.
    OneOrList(ColumnType),
    List(ColumnType),
    /// The elements of a nested container.
    Elements(Vec<ElementField>),
}

/// Returns the type of a column with values of a field.
pub(super) fn column_type(kind: Option<&FieldKind>) -> ColumnType {
    match kind {
        Some(FieldKind::Boolean) => ColumnType::Boolean,
        Some(FieldKind::UnsignedLong) => ColumnType::Unsigned,
        // An index takes a fraction for a whole number, but the document keeps it.
        Some(kind) if kind.is_integer() => ColumnType::Number,
        Some(kind) if kind.is_numeric() => ColumnType::Double,
        // Dates are texts or numbers in documents, in any format.
        _ => ColumnType::Text,
    }
}

impl ColumnarLayout {
    /// Arranges columns, and adds the slots of nested containers to the layout.
    pub(super) fn new(columns: &[DownloadColumn], layout: &mut ColumnLayout) -> Self {
        let mut fields: Vec<RowField> = Vec::new();
        for (column, leaf) in columns.iter().flat_map(|column| column.leaves.iter().map(move |leaf| (column, leaf))) {
            let Some((outer, inner)) = leaf.containers.split_first() else {
                if !fields.iter().any(|field| field.name == leaf.name) {
                    fields.push(RowField {
                        name: leaf.name.clone(),
                        slots: column.slots.clone(),
                        shape: if column.slots.is_none() { Shape::RecordId } else { Shape::of(leaf) },
                    });
                }
                continue;
            };
            let known = fields.iter().position(|field| field.name == *outer);
            let index = known.unwrap_or_else(|| {
                let slots = Some(vec![layout.slot(outer)]);
                fields.push(RowField { name: outer.clone(), slots, shape: Shape::Elements(Vec::new()) });
                fields.len() - 1
            });
            fields[index].shape.add(outer, inner, leaf);
        }
        let columns = fields.iter().map(|field| field.shape.column(&field.name)).collect();
        Self { columns, fields }
    }

    /// Adds the cells of a row to the builders of the columns.
    pub(super) fn append_row(&self, builders: &mut [ColumnBuilder], id: &str, slots: &[Vec<ValueRef<'_>>]) {
        let mut values = Vec::new();
        for (field, builder) in self.fields.iter().zip(builders) {
            let Some(of_field) = &field.slots else {
                builder.append(CellRef::Text(id));
                continue;
            };
            values.clear();
            values.extend(of_field.iter().flat_map(|slot| &slots[*slot]).copied());
            field.shape.append(builder, &values);
        }
    }
}

impl Shape {
    fn of(leaf: &ColumnarLeaf) -> Self {
        let column_type = leaf.column_type.clone();
        if leaf.is_list { Self::List(column_type) } else { Self::OneOrList(column_type) }
    }

    /// Adds a field to the elements of a container; `inner` are the containers between them, the outermost first.
    fn add(&mut self, container: &str, inner: &[String], leaf: &ColumnarLeaf) {
        let Self::Elements(members) = self else { return };
        let name = relative(inner.first().unwrap_or(&leaf.name), container).to_owned();
        let known = members.iter().position(|member| member.name == name);
        match inner.split_first() {
            None if known.is_some() => {}
            None => {
                let paths = leaf.origins.iter().map(|origin| segments(relative(origin, container))).collect();
                members.push(ElementField { name, paths, shape: Self::of(leaf) });
            }
            Some((next, inner)) => {
                let index = known.unwrap_or_else(|| {
                    let paths = vec![segments(&name)];
                    members.push(ElementField { name: name.clone(), paths, shape: Self::Elements(Vec::new()) });
                    members.len() - 1
                });
                members[index].shape.add(next, inner, leaf);
            }
        }
    }

    fn column(&self, name: &str) -> Column {
        let column_type = match self {
            Self::RecordId => ColumnType::Text,
            Self::OneOrList(column_type) => ColumnType::OneOrList(Box::new(column_type.clone())),
            Self::List(column_type) => ColumnType::List(Box::new(column_type.clone())),
            Self::Elements(members) => {
                let members = members.iter().map(|member| member.shape.column(&member.name)).collect();
                ColumnType::List(Box::new(ColumnType::Struct(members)))
            }
        };
        Column { name: name.to_owned(), column_type }
    }

    /// Adds a cell with these values.
    fn append(&self, builder: &mut ColumnBuilder, values: &[ValueRef<'_>]) {
        match self {
            // It is no value of a document.
            Self::RecordId => builder.append(CellRef::Null),
            Self::OneOrList(_) | Self::List(_) => {
                if let [items] = builder.parts() {
                    values.iter().for_each(|value| visit_values(*value, &mut |value| append_value(items, value)));
                }
                builder.end_list();
            }
            Self::Elements(members) => {
                if let [items] = builder.parts() {
                    for value in values {
                        value.for_each_object(&mut |element| append_element(items, members, element));
                    }
                }
                builder.end_list();
            }
        }
    }
}

fn append_element(items: &mut ColumnBuilder, members: &[ElementField], element: ValueRef<'_>) {
    let mut values = Vec::new();
    for (member, builder) in members.iter().zip(items.parts()) {
        values.clear();
        member.paths.iter().for_each(|path| collect(element, path, &mut values));
        member.shape.append(builder, &values);
    }
    items.end_struct();
}

/// Collects the values at a path, through lists on the way to them.
fn collect<'v>(value: ValueRef<'v>, path: &[String], values: &mut Vec<ValueRef<'v>>) {
    let Some((name, rest)) = path.split_first() else {
        values.push(value);
        return;
    };
    match value {
        ValueRef::Array(list) => list.for_each(|element| collect(element, path, values)),
        ValueRef::Object(object) => {
            if let Some(member) = object.get(name) {
                collect(member, rest, values);
            }
        }
        _ => {}
    }
}

/// Visits a value that is not null, or those in a list.
fn visit_values<'v>(value: ValueRef<'v>, visit: &mut dyn FnMut(ValueRef<'v>)) {
    match value {
        ValueRef::Array(list) => list.for_each(|element| visit_values(element, visit)),
        ValueRef::Null => {}
        value => visit(value),
    }
}

fn append_value(builder: &mut ColumnBuilder, value: ValueRef<'_>) {
    match value {
        ValueRef::Null => builder.append(CellRef::Null),
        ValueRef::Bool(value) => builder.append(CellRef::Boolean(value)),
        ValueRef::Integer(value) => builder.append(CellRef::Integer(value)),
        ValueRef::Unsigned(value) => builder.append(CellRef::Unsigned(value)),
        ValueRef::Double(value) => builder.append(CellRef::Double(value)),
        ValueRef::String(text) => builder.append(CellRef::Text(text)),
        ValueRef::Array(_) | ValueRef::Object(_) => {
            let json = serde_json::to_string(&value).unwrap_or_default();
            builder.append(CellRef::Text(&json));
        }
    }
}

/// Returns a path without that of the container in front of it.
fn relative<'p>(path: &'p str, container: &str) -> &'p str {
    path.strip_prefix(container).and_then(|rest| rest.strip_prefix('.')).unwrap_or(path)
}

fn segments(path: &str) -> Vec<String> {
    path.split('.').map(str::to_owned).collect()
}
