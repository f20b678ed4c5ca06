//! Columns whose types are known after the last row: lists if a row has several values ([`ColumnType::OneOrList`]), doubles
//! if a number has a fraction ([`ColumnType::Number`]).
//!
//! Until then all of them are in a temporary file: as lists, and as numbers in two parts. When the last row is there the
//! batches are read back, and each column gets its type. A single value is null where the list is empty.

use std::io::{self, BufReader};
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array, ArrayRef, Float64Array, ListArray, RecordBatch, StructArray, UInt32Array};
use arrow_ipc::reader::StreamReader;
use arrow_schema::{ArrowError, SchemaRef};
use arrow_select::take::take;
use tempfile::SpooledTempFile;

use crate::column::{element_field, member_fields};
use crate::{Column, ColumnType};

/// The batches of a temporary file, with the types that their columns have after the last row.
pub(crate) struct SettledBatches {
    batches: StreamReader<BufReader<SpooledTempFile>>,
    written: Vec<Column>,
    settled: Vec<Column>,
    schema: SchemaRef,
}

impl SettledBatches {
    /// Begins to read the batches of a file, from its start; `schema` is that of the settled columns.
    pub(crate) fn new(
        file: SpooledTempFile,
        written: Vec<Column>,
        settled: Vec<Column>,
        schema: SchemaRef,
    ) -> io::Result<Self> {
        let batches = StreamReader::try_new_buffered(file, None).map_err(io::Error::other)?;
        Ok(Self { batches, written, settled, schema })
    }

    fn settle(&self, batch: &RecordBatch) -> Result<RecordBatch, ArrowError> {
        let columns = settle_all(batch.columns(), &self.written, &self.settled)?;
        RecordBatch::try_new(Arc::clone(&self.schema), columns)
    }
}

impl Iterator for SettledBatches {
    type Item = io::Result<RecordBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        let batch = self.batches.next()?;
        Some(batch.and_then(|batch| self.settle(&batch)).map_err(io::Error::other))
    }
}

fn settle_all(arrays: &[ArrayRef], written: &[Column], settled: &[Column]) -> Result<Vec<ArrayRef>, ArrowError> {
    let columns = written.iter().zip(settled);
    let columns = arrays.iter().zip(columns);
    columns.map(|(array, (from, to))| settle(array, &from.column_type, &to.column_type)).collect()
}

fn settle(array: &ArrayRef, from: &ColumnType, to: &ColumnType) -> Result<ArrayRef, ArrowError> {
    Ok(match (from, to) {
        (ColumnType::OneOrList(from) | ColumnType::List(from), ColumnType::List(to)) => {
            let lists = array.as_list::<i32>();
            let values = settle(lists.values(), from, to)?;
            Arc::new(ListArray::try_new(element_field(to), lists.offsets().clone(), values, None)?)
        }
        (ColumnType::OneOrList(from), to) => {
            let lists = array.as_list::<i32>();
            let values = settle(lists.values(), from, to)?;
            let ends = lists.offsets().windows(2);
            let indices: UInt32Array = ends.map(|ends| (ends[0] < ends[1]).then(|| ends[0].unsigned_abs())).collect();
            take(values.as_ref(), &indices, None)?
        }
        (ColumnType::Number, ColumnType::Integer) => Arc::clone(array.as_struct().column(0)),
        (ColumnType::Number, _) => {
            let parts = array.as_struct();
            let (whole, other) = (parts.column(0).as_primitive::<Int64Type>(), parts.column(1));
            let numbers = other.as_primitive::<Float64Type>().iter().zip(whole.iter());
            let numbers: Float64Array =
                numbers.map(|(other, whole)| other.or(whole.map(|whole| whole as f64))).collect();
            Arc::new(numbers)
        }
        (ColumnType::Struct(from), ColumnType::Struct(to)) => {
            let members = settle_all(array.as_struct().columns(), from, to)?;
            Arc::new(StructArray::try_new_with_length(member_fields(to), members, None, array.len())?)
        }
        _ => Arc::clone(array),
    })
}
