//! The metadata of a segment: what it consists of, and in which sections. The serialised names are part of the format.

use serde::{Deserialize, Serialize};

use super::column::ColumnMetadata;
use super::dictionary::DictionaryMetadata;
use super::postings::PostingsMetadata;
use super::sections::Section;
use super::trigram_index::TrigramMetadata;
use super::word_index::WordIndexMetadata;
use crate::value_encoding::ValueClass;

/// The metadata of a segment.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct SegmentMetadata {
    /// The number of documents, deleted ones included.
    pub(crate) documents: u32,
    /// The ids of the documents, sorted; the row of a document is the ordinal of its id.
    pub(crate) ids: DictionaryMetadata,
    /// The Bloom filter of the ids; nothing in files of versions that had none.
    pub(crate) id_filter: Option<Section>,
    /// Where each document begins on the tape.
    pub(crate) tape_starts: Section,
    pub(crate) tape: Section,
    /// The paths of the documents, each after its parent. The first is the document itself.
    pub(crate) paths: Vec<PathMetadata>,
    /// The shapes of objects: the paths of their members, in order.
    pub(crate) shapes: Vec<Vec<u32>>,
    /// The nesting levels; the first is the root.
    pub(crate) levels: Vec<LevelMetadata>,
    pub(crate) fields: Vec<FieldMetadata>,
}

/// A path of a document.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct PathMetadata {
    /// The parent path; the root is its own parent.
    pub(crate) parent: u32,
    pub(crate) key: String,
    /// The field whose dictionary has the values of this path, if there is one. The numbers of scalars on the tape are the
    /// ordinals of that field, followed by the entries of the table of other values.
    pub(crate) field: Option<u32>,
    /// Values that the dictionary cannot restore as they were: where each begins, with one more for the end, and their
    /// bytes.
    pub(crate) others: Option<(Section, Section)>,
}

/// A nesting level.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct LevelMetadata {
    /// The path of the nested container; empty for the root.
    pub(crate) path: String,
    /// The parent level; the root is its own parent.
    pub(crate) parent: u32,
    /// The number of rows.
    pub(crate) rows: u32,
    /// Where the rows of each parent row begin, with one more for the end.
    pub(crate) starts: Section,
    /// Where the rows of each document begin, with one more for the end.
    pub(crate) document_starts: Section,
}

/// A field.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct FieldMetadata {
    pub(crate) path: String,
    pub(crate) class: ValueClass,
    pub(crate) level: u32,
    pub(crate) dictionary: DictionaryMetadata,
    pub(crate) column: ColumnMetadata,
    /// The rows of each value.
    pub(crate) postings: PostingsMetadata,
    /// The documents of each value, for nested fields of few values.
    #[serde(rename = "by_document")]
    pub(crate) document_postings: Option<PostingsMetadata>,
    /// The trigrams of the dictionary; nothing if an index is not worth it, and in files of versions that had none.
    pub(crate) trigrams: Option<TrigramMetadata>,
    /// The words of a text field; nothing in files of versions that had none.
    pub(crate) words: Option<WordIndexMetadata>,
}
