//! What a segment consists of, as its directory says it.

use serde::{Deserialize, Serialize};

use super::column::ColumnEntry;
use super::dictionary::DictionaryEntry;
use super::postings::PostingsEntry;
use super::sections::Section;
use crate::key::Class;

/// The directory of a segment.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Directory {
    /// The number of documents, deleted ones included.
    pub(crate) documents: u32,
    /// The ids of the documents, sorted; the row of a document is the place of its id.
    pub(crate) ids: DictionaryEntry,
    /// What tells that an id is not among them; nothing in files from before this was written.
    pub(crate) id_filter: Option<Section>,
    /// Where each document begins on the tape.
    pub(crate) tape_starts: Section,
    pub(crate) tape: Section,
    /// The paths of the documents; a path comes after the one it lies in. The first is the document itself.
    pub(crate) paths: Vec<PathEntry>,
    /// The shapes of objects: the paths of their members, in order.
    pub(crate) shapes: Vec<Vec<u32>>,
    /// The nesting levels; the first is the root.
    pub(crate) levels: Vec<LevelEntry>,
    pub(crate) fields: Vec<FieldEntry>,
}

/// A path of a document.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct PathEntry {
    /// The path it lies in; the document itself names itself.
    pub(crate) parent: u32,
    pub(crate) key: String,
    /// The field whose dictionary has the values of this path, where it has one. The numbers of scalars on the tape
    /// are the codes of that field, then the entries of the table of other values.
    pub(crate) field: Option<u32>,
    /// Values that the dictionary cannot give back as they were: where each begins, with one more for the end, and
    /// their bytes.
    pub(crate) others: Option<(Section, Section)>,
}

/// A nesting level.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct LevelEntry {
    /// The path of the nested container; empty for the root.
    pub(crate) path: String,
    /// The level around it; the root names itself.
    pub(crate) parent: u32,
    /// The number of rows.
    pub(crate) rows: u32,
    /// Where the rows of each row of the level around it begin, with one more for the end.
    pub(crate) starts: Section,
    /// Where the rows of each document begin, with one more for the end.
    pub(crate) document_starts: Section,
}

/// A field.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct FieldEntry {
    pub(crate) path: String,
    pub(crate) class: Class,
    pub(crate) level: u32,
    pub(crate) dictionary: DictionaryEntry,
    pub(crate) column: ColumnEntry,
    /// The rows of each value.
    pub(crate) postings: PostingsEntry,
    /// The documents of each value, for nested fields of few values.
    pub(crate) by_document: Option<PostingsEntry>,
}
