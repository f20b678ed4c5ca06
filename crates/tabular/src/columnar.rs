//! Tables by columns: Parquet files and Arrow streams.
//!
//! Rows are collected in builders; a batch of them goes to the format, which makes bytes of it: Arrow at once, Parquet
//! when a row group is complete. So no more than a row group and a batch are in memory. Where the type of a column is
//! known after the last row only, the batches wait in a temporary file.

use std::io::{self, Seek};
use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchOptions};
use arrow_ipc::writer::StreamWriter;
use arrow_schema::{Schema, SchemaRef};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use tempfile::SpooledTempFile;

use crate::column::settled;
use crate::settled_batches::SettledBatches;
use crate::{Column, ColumnBuilder};

/// How many bytes of cells make a batch.
const BATCH_BYTES: usize = 1 << 20;

/// How many rows make a batch, however small they are.
const BATCH_ROWS: usize = 65_536;

/// How much memory a row group of Parquet takes before it is written.
const ROW_GROUP_BYTES: usize = 8 << 20;

/// How many bytes of a column make a page of Parquet, and how many of its dictionary are kept.
const PAGE_BYTES: usize = 256 << 10;

/// How many bytes of batches that wait are kept in memory.
const MAX_MEMORY_BYTES: usize = 4 << 20;

/// A format by columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnarFormat {
    /// A Parquet file.
    Parquet,
    /// A stream of Arrow IPC.
    Arrow,
}

/// A table that is being written.
pub struct ColumnarWriter {
    columns: Vec<Column>,
    schema: SchemaRef,
    builders: Vec<ColumnBuilder>,
    /// How many rows the builders have.
    rows: usize,
    target: BatchTarget,
}

/// Where batches go.
enum BatchTarget {
    Format(FormatWriter),
    /// A temporary file, until the types of all columns are known.
    Spool(ColumnarFormat, Box<StreamWriter<SpooledTempFile>>),
}

/// Makes bytes of batches.
enum FormatWriter {
    Parquet(Box<ArrowWriter<Vec<u8>>>),
    Arrow(Box<StreamWriter<Vec<u8>>>),
}

/// The bytes of a table that follow its last row, in pieces.
pub struct ColumnarEnd {
    /// Taken by what ends the table.
    writer: Option<FormatWriter>,
    batches: Option<SettledBatches>,
}

impl ColumnarWriter {
    /// Begins a table.
    ///
    /// # Errors
    ///
    /// If the format cannot have these columns, or there is no room for a temporary file.
    pub fn new(format: ColumnarFormat, columns: &[Column]) -> io::Result<Self> {
        let schema = schema(columns);
        let target = if columns.iter().all(|column| column.column_type.is_settled()) {
            BatchTarget::Format(FormatWriter::new(format, &schema)?)
        } else {
            let spool = StreamWriter::try_new(SpooledTempFile::new(MAX_MEMORY_BYTES), &schema);
            BatchTarget::Spool(format, Box::new(spool.map_err(io::Error::other)?))
        };
        let builders = columns.iter().map(|column| ColumnBuilder::new(&column.column_type)).collect();
        Ok(Self { columns: columns.to_vec(), schema, builders, rows: 0, target })
    }

    /// Returns the builders of all columns, each of which gets one cell for a row.
    pub fn builders(&mut self) -> &mut [ColumnBuilder] {
        &mut self.builders
    }

    /// Ends a row.
    ///
    /// # Errors
    ///
    /// If a batch cannot be written.
    pub fn end_row(&mut self) -> io::Result<()> {
        self.rows += 1;
        let bytes: usize = self.builders.iter().map(ColumnBuilder::bytes).sum();
        if self.rows >= BATCH_ROWS || bytes >= BATCH_BYTES { self.write_batch() } else { Ok(()) }
    }

    fn write_batch(&mut self) -> io::Result<()> {
        let arrays = self.builders.iter_mut().map(ColumnBuilder::finish).collect::<Result<Vec<_>, _>>();
        let options = RecordBatchOptions::new().with_row_count(Some(std::mem::take(&mut self.rows)));
        let batch =
            arrays.and_then(|arrays| RecordBatch::try_new_with_options(Arc::clone(&self.schema), arrays, &options));
        let batch = batch.map_err(io::Error::other)?;
        match &mut self.target {
            BatchTarget::Format(writer) => writer.write(&batch),
            BatchTarget::Spool(_, spool) => spool.write(&batch).map_err(io::Error::other),
        }
    }

    /// Returns the bytes that are complete, possibly none.
    pub fn take_bytes(&mut self) -> Vec<u8> {
        match &mut self.target {
            BatchTarget::Format(writer) => writer.take_bytes(),
            BatchTarget::Spool(..) => Vec::new(),
        }
    }

    /// Ends the table and returns its last bytes.
    ///
    /// # Errors
    ///
    /// If the last batch cannot be written.
    pub fn finish(mut self) -> io::Result<ColumnarEnd> {
        if self.rows > 0 {
            self.write_batch()?;
        }
        match self.target {
            BatchTarget::Format(writer) => Ok(ColumnarEnd { writer: Some(writer), batches: None }),
            BatchTarget::Spool(format, spool) => {
                let mut file = spool.into_inner().map_err(io::Error::other)?;
                file.rewind()?;
                let settled = settled(&self.columns, &self.builders);
                let schema = schema(&settled);
                let writer = FormatWriter::new(format, &schema)?;
                let batches = SettledBatches::new(file, self.columns, settled, schema)?;
                Ok(ColumnarEnd { writer: Some(writer), batches: Some(batches) })
            }
        }
    }
}

fn schema(columns: &[Column]) -> SchemaRef {
    Arc::new(Schema::new(columns.iter().map(Column::field).collect::<Vec<_>>()))
}

impl Iterator for ColumnarEnd {
    type Item = io::Result<Vec<u8>>;

    /// Returns the next piece, which may be empty; nothing after the last one or an error.
    fn next(&mut self) -> Option<Self::Item> {
        let mut writer = self.writer.take()?;
        let Some(batch) = self.batches.as_mut().and_then(Iterator::next) else { return Some(writer.finish()) };
        let written = batch.and_then(|batch| writer.write(&batch));
        Some(written.map(|()| {
            let bytes = writer.take_bytes();
            self.writer = Some(writer);
            bytes
        }))
    }
}

impl FormatWriter {
    fn new(format: ColumnarFormat, schema: &SchemaRef) -> io::Result<Self> {
        match format {
            ColumnarFormat::Parquet => {
                let properties = WriterProperties::builder()
                    .set_compression(Compression::SNAPPY)
                    .set_data_page_size_limit(PAGE_BYTES)
                    .set_dictionary_page_size_limit(PAGE_BYTES)
                    // Figures of every page would be kept until the end.
                    .set_statistics_enabled(EnabledStatistics::Chunk)
                    .set_offset_index_disabled(true)
                    .build();
                let writer = ArrowWriter::try_new(Vec::new(), Arc::clone(schema), Some(properties));
                Ok(Self::Parquet(Box::new(writer.map_err(io::Error::other)?)))
            }
            ColumnarFormat::Arrow => {
                Ok(Self::Arrow(Box::new(StreamWriter::try_new(Vec::new(), schema).map_err(io::Error::other)?)))
            }
        }
    }

    fn write(&mut self, batch: &RecordBatch) -> io::Result<()> {
        match self {
            Self::Parquet(writer) => {
                writer.write(batch).map_err(io::Error::other)?;
                if writer.memory_size() >= ROW_GROUP_BYTES {
                    writer.flush().map_err(io::Error::other)?;
                }
                Ok(())
            }
            Self::Arrow(writer) => writer.write(batch).map_err(io::Error::other),
        }
    }

    fn take_bytes(&mut self) -> Vec<u8> {
        std::mem::take(match self {
            Self::Parquet(writer) => writer.inner_mut(),
            Self::Arrow(writer) => writer.get_mut(),
        })
    }

    /// Ends the file and returns its last bytes.
    fn finish(mut self) -> io::Result<Vec<u8>> {
        match &mut self {
            Self::Parquet(writer) => {
                writer.finish().map_err(io::Error::other)?;
            }
            Self::Arrow(writer) => writer.finish().map_err(io::Error::other)?,
        }
        Ok(self.take_bytes())
    }
}
