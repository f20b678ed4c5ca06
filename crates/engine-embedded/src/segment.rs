//! A segment: documents, and everything to search them by, that never change.
//!
//! Rows of documents are in the order of their ids, so the row is the tie-break of every order, an id is found by
//! bisection, and segments are merged by walking their ids side by side. What has been deleted is not the segment's
//! affair; see [`crate::snapshot`].

mod column;
mod dictionary;
mod directory;
mod documents;
mod fetched;
mod id_filter;
mod postings;
mod sections;

pub(crate) use column::{Code, Codes, Column, ColumnEntry, with_codes};
pub(crate) use dictionary::{Dictionary, DictionaryEntry};
pub(crate) use directory::{Directory, FieldEntry, LevelEntry, PathEntry};
pub(crate) use fetched::fetch;
pub(crate) use id_filter::{SoughtId, write_id_filter};
pub(crate) use postings::{Postings, PostingsEntry, Rows};
pub(crate) use sections::{Section, SectionWriter};

use std::collections::HashMap;
use std::path::Path;
use std::sync::OnceLock;

use crate::bitset::Bitset;
use crate::key::Class;
use crate::machine::Storage;

/// A segment.
pub(crate) struct Segment {
    storage: Storage,
    directory: Directory,
    fields: HashMap<String, usize>,
    levels: HashMap<String, usize>,
    readers: Vec<documents::PathReader>,
    /// For each level the rows that are the first of their document, made when they are first asked for.
    first_rows: Vec<OnceLock<Bitset>>,
}

/// A segment that was put together and is not in a file.
pub(crate) struct Assembled {
    pub(crate) sections: SectionWriter,
    pub(crate) directory: Directory,
}

impl Assembled {
    /// Returns the bytes of its file.
    ///
    /// # Errors
    ///
    /// If the directory cannot be written, which no document can bring about.
    pub(crate) fn into_file(self) -> Result<Vec<u8>, String> {
        file_of(self.sections.into_bytes(), &self.directory)
    }
}

fn file_of(sections: Vec<u8>, directory: &Directory) -> Result<Vec<u8>, String> {
    let failed = |error| format!("the directory of a segment cannot be written: {error}");
    sections::into_file(sections, directory).map_err(failed)
}

/// A field of a segment.
#[derive(Clone, Copy)]
pub(crate) struct SegmentField<'a> {
    pub(crate) class: Class,
    pub(crate) level: usize,
    pub(crate) dictionary: Dictionary<'a>,
    pub(crate) column: Column<'a>,
    /// The rows of each value.
    pub(crate) postings: Postings<'a>,
    /// The documents of each value, where they are not the rows and there are few values.
    by_document: Option<Postings<'a>>,
}

/// A nesting level of a segment.
#[derive(Clone, Copy)]
pub(crate) struct Level<'a> {
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
    /// If it cannot be read or is no segment.
    pub(crate) fn open(path: &Path) -> Result<Self, String> {
        let storage = Storage::map(path).map_err(|error| error.to_string())?;
        let directory = sections::read_directory(&storage)?;
        Ok(Self::new(storage, directory))
    }

    /// Takes a segment that is not in a file.
    pub(crate) fn in_memory(assembled: Assembled) -> Self {
        let Assembled { sections, directory } = assembled;
        Self::new(Storage::memory(sections.into_bytes()), directory)
    }

    fn new(storage: Storage, directory: Directory) -> Self {
        let fields = directory.fields.iter().enumerate().map(|(place, field)| (field.path.clone(), place)).collect();
        let levels = directory.levels.iter().enumerate().map(|(place, level)| (level.path.clone(), place)).collect();
        let readers = documents::path_readers(&directory);
        let first_rows = directory.levels.iter().map(|_| OnceLock::new()).collect();
        Self { storage, directory, fields, levels, readers, first_rows }
    }

    /// Reads the whole segment and compares it with its checksum, if it is in a file.
    pub(crate) fn verify(&self) -> Result<(), String> {
        match self.storage {
            Storage::Mapped { .. } => sections::verify(&self.storage),
            Storage::Memory(_) | Storage::Words(..) => Ok(()),
        }
    }

    /// Returns the bytes of the file that it would have; nothing if it has one.
    pub(crate) fn new_file(&self) -> Option<Result<Vec<u8>, String>> {
        match self.storage {
            Storage::Mapped { .. } => None,
            Storage::Memory(_) | Storage::Words(..) => Some(file_of(self.storage.to_vec(), &self.directory)),
        }
    }

    /// Returns what it has in memory or in its file.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.storage
    }

    /// Returns the number of documents, deleted ones included.
    pub(crate) fn documents(&self) -> usize {
        self.directory.documents as usize
    }

    pub(crate) fn directory(&self) -> &Directory {
        &self.directory
    }

    /// Returns the ids, whose places are the rows.
    pub(crate) fn ids(&self) -> Dictionary<'_> {
        self.directory.ids.open(Class::Exact, &self.storage)
    }

    pub(crate) fn id(&self, row: usize) -> &str {
        self.ids().text(row as u32)
    }

    pub(crate) fn row_of(&self, sought: &SoughtId<'_>) -> Option<usize> {
        let filter: &[u64] = self.directory.id_filter.map(|words| self.section(words)).unwrap_or_default();
        if !sought.may_be_among(filter) {
            return None;
        }
        self.ids().find_bytes(sought.id.as_bytes()).ok().map(|row| row as usize)
    }

    pub(crate) fn field(&self, path: &str) -> Option<SegmentField<'_>> {
        self.fields.get(path).map(|&place| self.field_at(place))
    }

    pub(crate) fn field_at(&self, place: usize) -> SegmentField<'_> {
        let entry = &self.directory.fields[place];
        SegmentField {
            class: entry.class,
            level: entry.level as usize,
            dictionary: entry.dictionary.open(entry.class, &self.storage),
            column: entry.column.open(&self.storage),
            postings: entry.postings.open(&self.storage),
            by_document: entry.by_document.map(|postings| postings.open(&self.storage)),
        }
    }

    /// Returns the level of a nested path; the root has the empty path.
    pub(crate) fn level_of(&self, path: &str) -> Option<usize> {
        self.levels.get(path).copied()
    }

    pub(crate) fn level(&self, level: usize) -> Level<'_> {
        let entry = &self.directory.levels[level];
        Level {
            parent: entry.parent as usize,
            rows: entry.rows as usize,
            starts: entry.starts.numbers(&self.storage),
            document_starts: entry.document_starts.numbers(&self.storage),
        }
    }

    /// Returns the rows of a level that are the first of their document.
    pub(crate) fn first_rows(&self, level: usize) -> &Bitset {
        self.first_rows[level].get_or_init(|| {
            let Level { rows, document_starts, .. } = self.level(level);
            let mut first = Bitset::empty(rows);
            let with_rows = document_starts.windows(2).filter(|ends| ends[0] < ends[1]);
            with_rows.for_each(|ends| first.insert(ends[0] as usize));
            first
        })
    }

    pub(crate) fn section<T: bytemuck::AnyBitPattern>(&self, section: Section) -> &[T] {
        section.numbers(&self.storage)
    }
}

impl<'a> SegmentField<'a> {
    /// Returns the rows of the field's level that have a value.
    pub(crate) fn present(&self, rows: usize) -> Bitset {
        let mut missing = Bitset::empty(rows);
        self.postings.unite_into(self.column.missing, &mut missing);
        missing.invert();
        missing
    }

    /// Returns the documents of each value, and last those that have a row without one, if they are kept.
    pub(crate) fn document_postings(&self) -> Option<Postings<'a>> {
        if self.level == 0 { Some(self.postings) } else { self.by_document }
    }
}
