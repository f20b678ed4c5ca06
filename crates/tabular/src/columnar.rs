//! Tables by columns: Parquet files and Arrow streams.
//!
//! Rows are collected in builders; a batch of them goes to the format, which makes bytes of it: Arrow at once, Parquet
//! when a row group is complete. So no more than a row group and a batch are in memory.

use std::io;
use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchOptions};
use arrow_ipc::writer::StreamWriter;
use arrow_schema::{Schema, SchemaRef};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::{EnabledStatistics, WriterProperties};

use crate::{Column, ColumnBuilder};

/// How many bytes of cells make a batch.
const BATCH_BYTES: usize = 1 << 20;

/// How many rows make a batch, however small they are.
const BATCH_ROWS: usize = 65_536;

/// How much memory a row group of Parquet takes before it is written.
const ROW_GROUP_BYTES: usize = 8 << 20;

/// How many bytes of a column make a page of Parquet, and how many of its dictionary are kept.
const PAGE_BYTES: usize = 256 << 10;

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
    schema: SchemaRef,
    builders: Vec<ColumnBuilder>,
    /// How many rows the builders have.
    rows: usize,
    sink: Sink,
}

enum Sink {
    Parquet(Box<ArrowWriter<Vec<u8>>>),
    Arrow(Box<StreamWriter<Vec<u8>>>),
}

impl ColumnarWriter {
    /// Begins a table.
    ///
    /// # Errors
    ///
    /// If the format cannot have these columns.
    pub fn new(format: ColumnarFormat, columns: &[Column]) -> io::Result<Self> {
        let schema = Arc::new(Schema::new(columns.iter().map(Column::field).collect::<Vec<_>>()));
        let sink = match format {
            ColumnarFormat::Parquet => {
                let properties = WriterProperties::builder()
                    .set_compression(Compression::SNAPPY)
                    .set_data_page_size_limit(PAGE_BYTES)
                    .set_dictionary_page_size_limit(PAGE_BYTES)
                    // Figures of every page would be kept until the end.
                    .set_statistics_enabled(EnabledStatistics::Chunk)
                    .set_offset_index_disabled(true)
                    .build();
                let writer = ArrowWriter::try_new(Vec::new(), Arc::clone(&schema), Some(properties));
                Sink::Parquet(Box::new(writer.map_err(io::Error::other)?))
            }
            ColumnarFormat::Arrow => {
                Sink::Arrow(Box::new(StreamWriter::try_new(Vec::new(), &schema).map_err(io::Error::other)?))
            }
        };
        let builders = columns.iter().map(|column| ColumnBuilder::new(&column.column_type)).collect();
        Ok(Self { schema, builders, rows: 0, sink })
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
        match &mut self.sink {
            Sink::Parquet(writer) => {
                writer.write(&batch).map_err(io::Error::other)?;
                if writer.memory_size() >= ROW_GROUP_BYTES {
                    writer.flush().map_err(io::Error::other)?;
                }
                Ok(())
            }
            Sink::Arrow(writer) => writer.write(&batch).map_err(io::Error::other),
        }
    }

    /// Returns the bytes that are complete, possibly none.
    pub fn take_bytes(&mut self) -> Vec<u8> {
        std::mem::take(match &mut self.sink {
            Sink::Parquet(writer) => writer.inner_mut(),
            Sink::Arrow(writer) => writer.get_mut(),
        })
    }

    /// Ends the table and returns its last bytes.
    ///
    /// # Errors
    ///
    /// If the last batch cannot be written.
    pub fn finish(mut self) -> io::Result<Vec<u8>> {
        if self.rows > 0 {
            self.write_batch()?;
        }
        match &mut self.sink {
            Sink::Parquet(writer) => {
                writer.finish().map_err(io::Error::other)?;
            }
            Sink::Arrow(writer) => writer.finish().map_err(io::Error::other)?,
        }
        Ok(self.take_bytes())
    }
}
