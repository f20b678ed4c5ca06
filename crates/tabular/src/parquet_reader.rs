//! The rows of a Parquet file as JSON: lists of structs are lists of objects, dates and moments are texts of ISO 8601.
//!
//! Memory is bounded by a row group, as large as its writer chose, and a batch.

use std::fs::File;
use std::io;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Date64Type, Decimal128Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type,
    TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType, UInt8Type,
    UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{DataType, TimeUnit};
use parquet::arrow::arrow_reader::{ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder};
use serde_json::{Map, Number, Value};

/// How many rows are decoded at once.
const BATCH_ROWS: usize = 1_024;

/// Reads the rows of a Parquet file.
pub struct ParquetReader {
    batches: ParquetRecordBatchReader,
    batch: Option<RecordBatch>,
    /// The row of the batch that is next.
    next: usize,
}

impl ParquetReader {
    /// Begins to read a file.
    ///
    /// # Errors
    ///
    /// If it is no Parquet file, or has a column that JSON has no form for.
    pub fn open(file: File) -> io::Result<Self> {
        let builder = ParquetRecordBatchReaderBuilder::try_new(file).map_err(io::Error::other)?;
        for field in builder.schema().fields() {
            if let Some(unreadable) = unreadable_type(field.data_type()) {
                let reason =
                    format!("column '{}' has values of type {unreadable:?}, which cannot be read", field.name());
                return Err(io::Error::new(io::ErrorKind::InvalidData, reason));
            }
        }
        let batches = builder.with_batch_size(BATCH_ROWS).build().map_err(io::Error::other)?;
        Ok(Self { batches, batch: None, next: 0 })
    }

    /// Returns the next row, without its null cells; nothing after the last.
    ///
    /// # Errors
    ///
    /// If the file cannot be read further.
    pub fn next_row(&mut self) -> io::Result<Option<Map<String, Value>>> {
        loop {
            if let Some(batch) = self.batch.as_ref().filter(|batch| self.next < batch.num_rows()) {
                let row = self.next;
                self.next += 1;
                return Ok(Some(json_row(batch, row)));
            }
            match self.batches.next().transpose().map_err(io::Error::other)? {
                None => return Ok(None),
                batch => (self.batch, self.next) = (batch, 0),
            }
        }
    }
}

/// Returns a row of a batch as an object, without its null cells.
pub fn json_row(batch: &RecordBatch, row: usize) -> Map<String, Value> {
    let schema = batch.schema_ref();
    let cells = schema.fields().iter().zip(batch.columns());
    let cells = cells.map(|(field, column)| (field.name().clone(), json_value(column.as_ref(), row)));
    cells.filter(|(_, value)| !value.is_null()).collect()
}

/// Returns the type that cannot be read, of a column or of what is in it.
fn unreadable_type(data_type: &DataType) -> Option<&DataType> {
    match data_type {
        DataType::Null
        | DataType::Boolean
        | DataType::Int8
        | DataType::Int16
        | DataType::Int32
        | DataType::Int64
        | DataType::UInt8
        | DataType::UInt16
        | DataType::UInt32
        | DataType::UInt64
        | DataType::Float32
        | DataType::Float64
        | DataType::Utf8
        | DataType::LargeUtf8
        | DataType::Utf8View
        | DataType::Date32
        | DataType::Date64
        | DataType::Timestamp(_, _)
        | DataType::Decimal128(_, _) => None,
        DataType::Dictionary(_, values) => unreadable_type(values),
        DataType::List(element) | DataType::LargeList(element) | DataType::FixedSizeList(element, _) => {
            unreadable_type(element.data_type())
        }
        DataType::Struct(members) => members.iter().find_map(|member| unreadable_type(member.data_type())),
        other => Some(other),
    }
}

fn json_value(array: &dyn Array, row: usize) -> Value {
    if array.is_null(row) {
        return Value::Null;
    }
    match array.data_type() {
        DataType::Boolean => array.as_boolean().value(row).into(),
        DataType::Int8 => array.as_primitive::<Int8Type>().value(row).into(),
        DataType::Int16 => array.as_primitive::<Int16Type>().value(row).into(),
        DataType::Int32 => array.as_primitive::<Int32Type>().value(row).into(),
        DataType::Int64 => array.as_primitive::<Int64Type>().value(row).into(),
        DataType::UInt8 => array.as_primitive::<UInt8Type>().value(row).into(),
        DataType::UInt16 => array.as_primitive::<UInt16Type>().value(row).into(),
        DataType::UInt32 => array.as_primitive::<UInt32Type>().value(row).into(),
        DataType::UInt64 => array.as_primitive::<UInt64Type>().value(row).into(),
        // The shortest decimal, 0.1 and not 0.10000000149011612.
        DataType::Float32 => number(&array.as_primitive::<Float32Type>().value(row).to_string()),
        DataType::Float64 => array.as_primitive::<Float64Type>().value(row).into(),
        DataType::Utf8 => array.as_string::<i32>().value(row).into(),
        DataType::LargeUtf8 => array.as_string::<i64>().value(row).into(),
        DataType::Utf8View => array.as_string_view().value(row).into(),
        DataType::Date32 => date(array.as_primitive::<Date32Type>().value_as_date(row)),
        DataType::Date64 => date(array.as_primitive::<Date64Type>().value_as_date(row)),
        DataType::Timestamp(unit, zone) => {
            let moment = match unit {
                TimeUnit::Second => array.as_primitive::<TimestampSecondType>().value_as_datetime(row),
                TimeUnit::Millisecond => array.as_primitive::<TimestampMillisecondType>().value_as_datetime(row),
                TimeUnit::Microsecond => array.as_primitive::<TimestampMicrosecondType>().value_as_datetime(row),
                TimeUnit::Nanosecond => array.as_primitive::<TimestampNanosecondType>().value_as_datetime(row),
            };
            // Moments with a zone are stored in UTC.
            let suffix = if zone.is_some() { "Z" } else { "" };
            moment.map_or(Value::Null, |moment| format!("{moment:?}{suffix}").into())
        }
        DataType::Decimal128(_, _) => number(&array.as_primitive::<Decimal128Type>().value_as_string(row)),
        DataType::Dictionary(_, _) => {
            let dictionary = array.as_any_dictionary();
            let key = json_value(dictionary.keys(), row).as_u64().and_then(|key| usize::try_from(key).ok());
            let values = dictionary.values();
            key.filter(|key| *key < values.len()).map_or(Value::Null, |key| json_value(values.as_ref(), key))
        }
        DataType::List(_) => list(&array.as_list::<i32>().value(row)),
        DataType::LargeList(_) => list(&array.as_list::<i64>().value(row)),
        DataType::FixedSizeList(_, _) => list(&array.as_fixed_size_list().value(row)),
        DataType::Struct(members) => {
            let columns = array.as_struct().columns();
            let cells = members.iter().zip(columns);
            let cells = cells.map(|(member, column)| (member.name().clone(), json_value(column.as_ref(), row)));
            Value::Object(cells.filter(|(_, value)| !value.is_null()).collect())
        }
        // Refused when the file was opened.
        _ => Value::Null,
    }
}

/// Returns a list without its nulls.
fn list(elements: &ArrayRef) -> Value {
    let values = (0..elements.len()).map(|index| json_value(elements.as_ref(), index));
    values.filter(|value| !value.is_null()).collect()
}

/// Returns a date in the form of ISO 8601, which is the one that it is debugged in.
fn date(date: Option<impl std::fmt::Debug>) -> Value {
    date.map_or(Value::Null, |date| format!("{date:?}").into())
}

/// Returns the number that a text is; null for what is none, such as `NaN`.
fn number(text: &str) -> Value {
    let parsed = text.parse::<i64>().map(Number::from).ok();
    let parsed = parsed.or_else(|| text.parse::<f64>().ok().and_then(Number::from_f64));
    parsed.map_or(Value::Null, Value::Number)
}
