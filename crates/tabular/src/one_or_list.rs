//! Columns that are lists only if a row has several values ([`ColumnType::OneOrList`]).
//!
//! All of them are written as lists to a temporary file. When the last row is there it is known which stay lists; the
//! batches are then read back, and the other columns become single values: null where the list is empty.

use std::io::{self, BufReader};
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, ListArray, RecordBatch, StructArray, UInt32Array};
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
        (ColumnType::OneOrList(_), _) => {
            let lists = array.as_list::<i32>();
            let ends = lists.offsets().windows(2);
            let indices: UInt32Array = ends.map(|ends| (ends[0] < ends[1]).then(|| ends[0].unsigned_abs())).collect();
            take(lists.values().as_ref(), &indices, None)?
        }
        (ColumnType::Struct(from), ColumnType::Struct(to)) => {
            let members = settle_all(array.as_struct().columns(), from, to)?;
            Arc::new(StructArray::try_new_with_length(member_fields(to), members, None, array.len())?)
        }
        _ => Arc::clone(array),
    })
}
