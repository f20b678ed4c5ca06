//! A segment: an immutable set of documents with the structures to search them by.
//!
//! The rows of documents are in the order of their ids, so the row is the tie-break of every sort, an id is found by
//! binary search, and a merge walks the ids of its segments side by side. Which documents are deleted is kept outside of
//! the segment; see [`crate::segment_reader`].
//!
//! The format is hand-written because everything is read in place from the memory-mapped file, so that an index opens
//! without loading anything; no library has columns, postings and documents of nesting levels in one such file.

mod child_rows;
mod column;
mod dictionary;
mod id_filter;
#[cfg(test)]
mod memory_tests;
mod metadata;
mod postings;
mod scalar_tables;
mod section_file;
mod sections;
mod stored_documents;
mod trigram_index;
mod word_index;

pub(crate) use child_rows::ChildRows;
pub(crate) use column::{Column, ColumnMetadata, Ordinal, Ordinals, with_ordinals};
pub(crate) use dictionary::{Dictionary, DictionaryMetadata};
pub(crate) use id_filter::{HashedId, write_id_filter};
pub(crate) use metadata::{FieldMetadata, LevelMetadata, PathMetadata, SegmentMetadata};
pub(crate) use postings::{PostingList, Postings, PostingsMetadata};
pub(crate) use sections::{Section, SectionWriter};
pub(crate) use stored_documents::load_documents;
pub(crate) use trigram_index::{TrigramIndex, TrigramMetadata};
pub(crate) use word_index::{WordIndex, WordIndexMetadata, WordIndexWriter, WordPostings};

use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use hashbrown::HashMap;

use crate::bitset::Bitset;
use crate::error::IndexError;
use crate::platform::SegmentStorage;
use crate::value_encoding::ValueClass;

static NEXT_INSTANCE: AtomicU64 = AtomicU64::new(0);

/// A segment.
pub(crate) struct Segment {
    instance: u64,
    storage: SegmentStorage,
    metadata: SegmentMetadata,
    fields: HashMap<String, usize>,
    levels: HashMap<String, usize>,
    scalar_tables: Vec<scalar_tables::ScalarTable>,
    /// Whether the name of a member has a dot.
    has_dotted_names: bool,
    /// For each level its rows by document, and by the rows of its parent level; made when first needed.
    document_rows: Vec<OnceLock<ChildRows>>,
    parent_rows: Vec<OnceLock<ChildRows>>,
    /// Whether the file is known to be as it was written.
    is_verified: AtomicBool,
}

/// A segment that was built and is not in a file yet.
pub(crate) struct BuiltSegment {
    pub(crate) sections: SectionWriter,
    pub(crate) metadata: SegmentMetadata,
}

impl BuiltSegment {
    /// Returns the bytes of its file.
    pub(crate) fn into_file(self) -> Result<Vec<u8>, IndexError> {
        sections::into_file(self.sections.into_bytes(), &self.metadata)
    }
}

/// A field of a segment.
#[derive(Clone, Copy)]
pub(crate) struct SegmentField<'a> {
    pub(crate) class: ValueClass,
    pub(crate) level: usize,
    pub(crate) dictionary: Dictionary<'a>,
    pub(crate) column: Column<'a>,
    /// The rows of each value.
    pub(crate) postings: Postings<'a>,
    /// The documents of each value, for nested fields of few values.
    document_postings: Option<Postings<'a>>,
    /// Where the dictionary may have a part of a text, for strings of which there are many.
    pub(crate) trigrams: Option<TrigramMetadata>,
    /// The words of the values of a text field; nothing in files of versions that had none.
    pub(crate) words: Option<WordIndexMetadata>,
    /// The bytes of the segment, in which few searches need the two above.
    bytes: &'a [u8],
}

/// A nesting level of a segment.
#[derive(Clone, Copy)]
pub(crate) struct NestingLevel<'a> {
    pub(crate) parent: usize,
    pub(crate) rows: usize,
    /// Where the rows of each row of the parent begin, with one more for the end.
    pub(crate) starts: &'a [u32],
    /// Where the rows of each document begin, with one more for the end.
    pub(crate) document_starts: &'a [u32],
}

impl Segment {
    /// Opens a segment file.
    ///
    /// # Errors
    ///
    /// If it cannot be read or is not a segment.
    pub(crate) fn open(path: &Path) -> Result<Self, IndexError> {
        let storage = SegmentStorage::map(path)?;
        let metadata = sections::read_metadata(&storage)?;
        Ok(Self::new(storage, metadata))
    }

    /// Keeps a built segment in memory.
    pub(crate) fn in_memory(built: BuiltSegment) -> Self {
        let BuiltSegment { sections, metadata } = built;
        Self::new(SegmentStorage::memory(sections.into_bytes()), metadata)
    }

    fn new(storage: SegmentStorage, metadata: SegmentMetadata) -> Self {
        let fields = metadata.fields.iter().enumerate().map(|(index, field)| (field.path.clone(), index)).collect();
        let levels = metadata.levels.iter().enumerate().map(|(index, level)| (level.path.clone(), index)).collect();
        let scalar_tables = scalar_tables::of_paths(&metadata);
        let has_dotted_names = metadata.paths.iter().any(|path| path.key.contains('.'));
        let document_rows = metadata.levels.iter().map(|_| OnceLock::new()).collect();
        let parent_rows = metadata.levels.iter().map(|_| OnceLock::new()).collect();
        let is_verified = AtomicBool::new(false);
        Self {
            instance: NEXT_INSTANCE.fetch_add(1, Ordering::Relaxed),
            storage,
            metadata,
            fields,
            levels,
            scalar_tables,
            has_dotted_names,
            document_rows,
            parent_rows,
            is_verified,
        }
    }

    /// Returns a number that no other segment of this process has or had.
    pub(crate) fn instance(&self) -> u64 {
        self.instance
    }

    /// Verifies the checksum of a segment file.
    pub(crate) fn verify(&self) -> Result<(), IndexError> {
        match self.storage {
            SegmentStorage::Mapped { .. } => sections::verify(&self.storage),
            SegmentStorage::Memory(_) | SegmentStorage::Words(..) => Ok(()),
        }
    }

    /// Verifies the checksum of a segment file, unless that was done before or it was written by this process.
    pub(crate) fn verify_once(&self) -> Result<(), IndexError> {
        if !self.is_verified() {
            self.verify()?;
            self.set_verified();
        }
        Ok(())
    }

    /// Returns whether the file is known to be as it was written.
    pub(crate) fn is_verified(&self) -> bool {
        self.is_verified.load(Ordering::Relaxed)
    }

    /// Says that the file is as it was written.
    pub(crate) fn set_verified(&self) {
        self.is_verified.store(true, Ordering::Relaxed);
    }

    /// Returns the bytes of a file for a segment in memory; nothing if it is in a file.
    pub(crate) fn memory_to_file(&self) -> Result<Option<Vec<u8>>, IndexError> {
        match self.storage {
            SegmentStorage::Mapped { .. } => Ok(None),
            SegmentStorage::Memory(_) | SegmentStorage::Words(..) => {
                sections::into_file(self.storage.to_vec(), &self.metadata).map(Some)
            }
        }
    }

    /// Returns its bytes in memory or in its file.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.storage
    }

    /// Returns the number of documents, deleted ones included.
    pub(crate) fn document_count(&self) -> usize {
        self.metadata.documents as usize
    }

    pub(crate) fn metadata(&self) -> &SegmentMetadata {
        &self.metadata
    }

    /// Returns the ids; their ordinals are the rows.
    pub(crate) fn ids(&self) -> Dictionary<'_> {
        self.metadata.ids.open(ValueClass::Keyword, &self.storage)
    }

    pub(crate) fn id(&self, row: usize) -> &str {
        self.ids().text(row as u32)
    }

    pub(crate) fn row_of(&self, id: &HashedId<'_>) -> Option<usize> {
        let filter: &[u64] = self.metadata.id_filter.map(|words| self.section(words)).unwrap_or_default();
        if !id.may_be_in(filter) {
            return None;
        }
        self.ids().find_bytes(id.id.as_bytes()).ok().map(|row| row as usize)
    }

    pub(crate) fn field(&self, path: &str) -> Option<SegmentField<'_>> {
        self.fields.get(path).map(|&index| self.field_at(index))
    }

    fn field_at(&self, index: usize) -> SegmentField<'_> {
        let entry = &self.metadata.fields[index];
        let dictionary = entry.dictionary.open(entry.class, &self.storage);
        SegmentField {
            class: entry.class,
            level: entry.level as usize,
            dictionary,
            column: entry.column.open(&self.storage),
            postings: entry.postings.open(&self.storage),
            document_postings: entry.document_postings.map(|postings| postings.open(&self.storage)),
            trigrams: entry.trigrams,
            words: entry.words,
            bytes: &self.storage,
        }
    }

    /// Returns the level of a nested path; the root has the empty path.
    pub(crate) fn level_of(&self, path: &str) -> Option<usize> {
        self.levels.get(path).copied()
    }

    pub(crate) fn level(&self, level: usize) -> NestingLevel<'_> {
        let entry = &self.metadata.levels[level];
        NestingLevel {
            parent: entry.parent as usize,
            rows: entry.rows as usize,
            starts: entry.starts.numbers(&self.storage),
            document_starts: entry.document_starts.numbers(&self.storage),
        }
    }

    /// Returns the rows of a level by document.
    pub(crate) fn rows_by_document(&self, level: usize) -> &ChildRows {
        self.document_rows[level].get_or_init(|| {
            let NestingLevel { rows, document_starts, .. } = self.level(level);
            ChildRows::new(document_starts, rows)
        })
    }

    /// Returns the rows of a nested level by the rows of its parent level.
    pub(crate) fn rows_by_parent(&self, level: usize) -> &ChildRows {
        let NestingLevel { parent, rows, starts, .. } = self.level(level);
        if parent == 0 {
            return self.rows_by_document(level);
        }
        self.parent_rows[level].get_or_init(|| ChildRows::new(starts, rows))
    }

    pub(crate) fn section<T: bytemuck::AnyBitPattern>(&self, section: Section) -> &[T] {
        section.numbers(&self.storage)
    }
}

impl<'a> SegmentField<'a> {
    /// Returns the rows of the field's level that have a value.
    pub(crate) fn rows_with_value(&self, rows: usize) -> Bitset {
        let mut missing = Bitset::empty(rows);
        self.postings.union_into(self.column.missing, &mut missing);
        missing.invert();
        missing
    }

    /// Opens the trigrams of the dictionary, if there are any.
    pub(crate) fn trigram_index(&self) -> Option<TrigramIndex<'a>> {
        self.trigrams.and_then(|trigrams| trigrams.open(self.bytes))
    }

    /// Opens the words of a text field, if there are any.
    pub(crate) fn word_index(&self) -> Option<WordIndex<'a>> {
        self.words.map(|words| words.open(self.dictionary.len(), self.bytes))
    }

    /// Returns the documents of each value, and last those that have a row without one, if they are stored.
    pub(crate) fn document_postings(&self) -> Option<Postings<'a>> {
        if self.level == 0 { Some(self.postings) } else { self.document_postings }
    }

    /// Returns a value as a number; 0 if the values are none.
    #[inline]
    pub(crate) fn number(&self, ordinal: u32) -> f64 {
        self.dictionary.numbers().get(ordinal as usize).map_or(0.0, |&number| self.class.as_f64(number))
    }
}
