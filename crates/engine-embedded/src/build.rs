//! Building segments, out of new documents and out of other segments.
//!
//! Both go the same way. A [`source::DocumentSource`] offers documents as a tape, and for each path the table of its
//! different scalars; [`build_segment()`] makes the dictionaries out of the tables, so that a value is read once however
//! often it occurs, and then reads the documents once, in the order of their ids, writing the new tape and the columns.

mod column_builder;
mod dictionaries;
mod document_buffer;
mod document_error;
mod dynamic_mapping;
mod interner;
mod layout;
mod object_shapes;
mod parse;
mod path_tree;
mod segment_builder;
mod shared_tail;
mod source;
mod word_index_builder;
mod word_parts;

pub(crate) use document_buffer::DocumentBuffer;
pub(crate) use dynamic_mapping::DynamicMapping;
pub(crate) use segment_builder::{build_segment, build_segment_file};
