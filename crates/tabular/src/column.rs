//! The columns of a table with their types, and the cells that are collected for its next batch.
//!
//! A cell that is not of the type of its column, and has no exact form in it, is null. Lists are empty, never null.

use std::sync::Arc;

use arrow_array::builder::{ArrayBuilder, BooleanBuilder, Float64Builder, Int64Builder, StringBuilder, UInt64Builder};
use arrow_array::{ArrayRef, ListArray, StructArray};
use arrow_buffer::{OffsetBuffer, ScalarBuffer};
use arrow_schema::{ArrowError, DataType, Field, FieldRef, Fields};

/// The name that Parquet prescribes for the elements of a list.
const ELEMENT: &str = "element";

/// 2 to the power of 63: doubles from minus this up to below it are within 64-bit integers.
const INTEGER_BOUND: f64 = 9_223_372_036_854_775_808.0;

/// What the cells of a column are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ColumnType {
    /// Texts.
    Text,
    /// True or false.
    Boolean,
    /// Integers of 64 bits.
    Integer,
    /// Integers of 64 bits without a sign.
    Unsigned,
    /// Numbers of double precision.
    Double,
    /// Integers of 64 bits if all numbers are whole, else numbers of double precision: known after the last row.
    Number,
    /// Lists.
    List(Box<ColumnType>),
    /// Lists if one of them has several elements, else single values: known after the last row. The elements are no lists.
    OneOrList(Box<ColumnType>),
    /// Objects with known members.
    Struct(Vec<Column>),
}

/// A column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// What its cells are.
    pub column_type: ColumnType,
}

/// A single value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum CellRef<'a> {
    /// Nothing.
    Null,
    /// True or false.
    Boolean(bool),
    /// An integer.
    Integer(i64),
    /// An integer beyond those of [`CellRef::Integer`].
    Unsigned(u64),
    /// Any other number.
    Double(f64),
    /// A text.
    Text(&'a str),
}

impl Column {
    /// Returns the field of the schema.
    pub(crate) fn field(&self) -> Field {
        Field::new(&self.name, self.column_type.data_type(), true)
    }
}

impl ColumnType {
    fn data_type(&self) -> DataType {
        match self {
            Self::Text => DataType::Utf8,
            Self::Boolean => DataType::Boolean,
            Self::Integer => DataType::Int64,
            Self::Unsigned => DataType::UInt64,
            Self::Double => DataType::Float64,
            Self::Number => DataType::Struct(number_fields()),
            Self::List(element) | Self::OneOrList(element) => DataType::List(element_field(element)),
            Self::Struct(members) => DataType::Struct(member_fields(members)),
        }
    }

    /// Returns whether the type is known before the first row.
    pub(crate) fn is_settled(&self) -> bool {
        match self {
            Self::Number | Self::OneOrList(_) => false,
            Self::List(element) => element.is_settled(),
            Self::Struct(members) => members.iter().all(|member| member.column_type.is_settled()),
            _ => true,
        }
    }
}

/// Returns the fields of numbers that may be whole: such a number, or another one.
fn number_fields() -> Fields {
    [Field::new("whole", DataType::Int64, true), Field::new("other", DataType::Float64, true)].into_iter().collect()
}

/// Returns the field of the elements of a list.
pub(crate) fn element_field(element: &ColumnType) -> FieldRef {
    Arc::new(Field::new(ELEMENT, element.data_type(), true))
}

/// Returns the fields of the members of an object.
pub(crate) fn member_fields(members: &[Column]) -> Fields {
    members.iter().map(Column::field).collect()
}

/// The cells of a column that are not in a batch yet.
#[derive(Debug)]
pub struct ColumnBuilder(Cells);

#[derive(Debug)]
enum Cells {
    Text(StringBuilder),
    Boolean(BooleanBuilder),
    Integer(Int64Builder),
    Unsigned(UInt64Builder),
    Double(Float64Builder),
    Number {
        whole: Int64Builder,
        /// The numbers that are not whole.
        other: Float64Builder,
        /// Whether there are any, also in earlier batches.
        has_other: bool,
    },
    List {
        element: FieldRef,
        items: Box<ColumnBuilder>,
        offsets: Vec<i32>,
        /// The length of the longest list so far, also in earlier batches.
        longest: i32,
    },
    Struct {
        fields: Fields,
        members: Vec<ColumnBuilder>,
        length: usize,
    },
}

impl ColumnBuilder {
    pub(crate) fn new(column_type: &ColumnType) -> Self {
        Self(match column_type {
            ColumnType::Text => Cells::Text(StringBuilder::new()),
            ColumnType::Boolean => Cells::Boolean(BooleanBuilder::new()),
            ColumnType::Integer => Cells::Integer(Int64Builder::new()),
            ColumnType::Unsigned => Cells::Unsigned(UInt64Builder::new()),
            ColumnType::Double => Cells::Double(Float64Builder::new()),
            ColumnType::Number => {
                Cells::Number { whole: Int64Builder::new(), other: Float64Builder::new(), has_other: false }
            }
            ColumnType::List(element) | ColumnType::OneOrList(element) => Cells::List {
                element: element_field(element),
                items: Box::new(Self::new(element)),
                offsets: vec![0],
                longest: 0,
            },
            ColumnType::Struct(members) => Cells::Struct {
                fields: member_fields(members),
                members: members.iter().map(|member| Self::new(&member.column_type)).collect(),
                length: 0,
            },
        })
    }

    /// Adds a cell. A list gets no elements by it, and an object no members.
    pub fn append(&mut self, cell: CellRef<'_>) {
        match &mut self.0 {
            Cells::Text(builder) => match cell {
                CellRef::Null => builder.append_null(),
                CellRef::Boolean(value) => builder.append_value(value.to_string()),
                CellRef::Integer(value) => builder.append_value(value.to_string()),
                CellRef::Unsigned(value) => builder.append_value(value.to_string()),
                CellRef::Double(value) => builder.append_value(value.to_string()),
                CellRef::Text(text) => builder.append_value(text),
            },
            Cells::Boolean(builder) => builder.append_option(boolean(cell)),
            Cells::Integer(builder) => builder.append_option(integer(cell)),
            Cells::Unsigned(builder) => builder.append_option(unsigned(cell)),
            Cells::Double(builder) => builder.append_option(double(cell)),
            Cells::Number { whole, other, has_other } => {
                let integer = integer(cell);
                let fraction = match cell {
                    CellRef::Double(_) | CellRef::Text(_) if integer.is_none() => double(cell),
                    _ => None,
                };
                *has_other |= fraction.is_some();
                whole.append_option(integer);
                other.append_option(fraction);
            }
            Cells::List { .. } => self.end_list(),
            Cells::Struct { members, length, .. } => {
                members.iter_mut().for_each(|member| member.append(CellRef::Null));
                *length += 1;
            }
        }
    }

    /// Returns the elements of a list, and the members of an object, to add to; nothing of other columns.
    pub fn parts(&mut self) -> &mut [ColumnBuilder] {
        match &mut self.0 {
            Cells::List { items, .. } => std::slice::from_mut(&mut **items),
            Cells::Struct { members, .. } => members,
            _ => &mut [],
        }
    }

    /// Ends a list: what was added to its elements since the list before is in it.
    pub fn end_list(&mut self) {
        if let Cells::List { items, offsets, longest, .. } = &mut self.0 {
            let end = i32::try_from(items.len()).unwrap_or(i32::MAX);
            let start = offsets.last().copied().unwrap_or_default();
            *longest = (*longest).max(end - start);
            offsets.push(end);
        }
    }

    /// Ends an object, each of whose members got one cell.
    pub fn end_struct(&mut self) {
        if let Cells::Struct { length, .. } = &mut self.0 {
            *length += 1;
        }
    }

    /// Returns the type of the column, given all its rows.
    pub(crate) fn settled_type(&self, column_type: &ColumnType) -> ColumnType {
        match (&self.0, column_type) {
            (Cells::Number { has_other: true, .. }, ColumnType::Number) => ColumnType::Double,
            (Cells::Number { .. }, ColumnType::Number) => ColumnType::Integer,
            (Cells::List { items, longest: 0 | 1, .. }, ColumnType::OneOrList(element)) => items.settled_type(element),
            (Cells::List { items, .. }, ColumnType::List(element) | ColumnType::OneOrList(element)) => {
                ColumnType::List(Box::new(items.settled_type(element)))
            }
            (Cells::Struct { members, .. }, ColumnType::Struct(columns)) => {
                ColumnType::Struct(settled(columns, members))
            }
            _ => column_type.clone(),
        }
    }

    fn len(&self) -> usize {
        match &self.0 {
            Cells::Text(builder) => builder.len(),
            Cells::Boolean(builder) => builder.len(),
            Cells::Integer(builder) => builder.len(),
            Cells::Unsigned(builder) => builder.len(),
            Cells::Double(builder) => builder.len(),
            Cells::Number { whole, .. } => whole.len(),
            Cells::List { offsets, .. } => offsets.len() - 1,
            Cells::Struct { length, .. } => *length,
        }
    }

    /// Returns how many bytes the cells take, about.
    pub(crate) fn bytes(&self) -> usize {
        match &self.0 {
            Cells::Text(builder) => builder.values_slice().len() + 4 * builder.len(),
            Cells::Boolean(builder) => builder.len(),
            Cells::Integer(_) | Cells::Unsigned(_) | Cells::Double(_) => 8 * self.len(),
            Cells::Number { .. } => 16 * self.len(),
            Cells::List { items, offsets, .. } => 4 * offsets.len() + items.bytes(),
            Cells::Struct { members, .. } => members.iter().map(Self::bytes).sum(),
        }
    }

    /// Returns the cells as an array, and begins another.
    pub(crate) fn finish(&mut self) -> Result<ArrayRef, ArrowError> {
        Ok(match &mut self.0 {
            Cells::Text(builder) => Arc::new(builder.finish()),
            Cells::Boolean(builder) => Arc::new(builder.finish()),
            Cells::Integer(builder) => Arc::new(builder.finish()),
            Cells::Unsigned(builder) => Arc::new(builder.finish()),
            Cells::Double(builder) => Arc::new(builder.finish()),
            Cells::Number { whole, other, .. } => {
                let parts: Vec<ArrayRef> = vec![Arc::new(whole.finish()), Arc::new(other.finish())];
                Arc::new(StructArray::try_new(number_fields(), parts, None)?)
            }
            Cells::List { element, items, offsets, .. } => {
                let offsets = OffsetBuffer::new(ScalarBuffer::from(std::mem::replace(offsets, vec![0])));
                Arc::new(ListArray::try_new(Arc::clone(element), offsets, items.finish()?, None)?)
            }
            Cells::Struct { fields, members, length } => {
                let length = std::mem::take(length);
                let arrays = members.iter_mut().map(Self::finish).collect::<Result<Vec<_>, _>>()?;
                Arc::new(StructArray::try_new_with_length(fields.clone(), arrays, None, length)?)
            }
        })
    }
}

/// Returns columns with their types, given all their rows.
pub(crate) fn settled(columns: &[Column], builders: &[ColumnBuilder]) -> Vec<Column> {
    let settled = columns.iter().zip(builders).map(|(column, builder)| Column {
        name: column.name.clone(),
        column_type: builder.settled_type(&column.column_type),
    });
    settled.collect()
}

fn boolean(cell: CellRef<'_>) -> Option<bool> {
    match cell {
        CellRef::Boolean(value) => Some(value),
        CellRef::Text(text) => text.parse().ok(),
        _ => None,
    }
}

fn integer(cell: CellRef<'_>) -> Option<i64> {
    match cell {
        CellRef::Integer(value) => Some(value),
        CellRef::Double(value) if value.fract() == 0.0 && (-INTEGER_BOUND..INTEGER_BOUND).contains(&value) => {
            Some(value as i64)
        }
        CellRef::Text(text) => text.trim().parse().ok(),
        _ => None,
    }
}

fn unsigned(cell: CellRef<'_>) -> Option<u64> {
    match cell {
        CellRef::Unsigned(value) => Some(value),
        CellRef::Text(text) => text.trim().parse().ok(),
        other => integer(other).and_then(|value| u64::try_from(value).ok()),
    }
}

fn double(cell: CellRef<'_>) -> Option<f64> {
    match cell {
        CellRef::Integer(value) => Some(value as f64),
        CellRef::Unsigned(value) => Some(value as f64),
        CellRef::Double(value) => Some(value),
        CellRef::Text(text) => text.trim().parse().ok().filter(|value: &f64| value.is_finite()),
        CellRef::Null | CellRef::Boolean(_) => None,
    }
}
