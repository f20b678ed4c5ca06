//! Files as a store finds them: by object id, by checksum, or by a filter.

use std::collections::BTreeSet;

use cantata_core::{AnalysisId, File, FileAccess, ObjectId};
use regex::Regex;

use crate::{Result, StoreError};

/// The row of a file, by which a store finds it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileRow {
    /// The file's id.
    pub object_id: ObjectId,
    /// Its checksum.
    pub md5: [u8; 16],
    /// Its name.
    pub name: String,
    /// Who may download it.
    pub access: FileAccess,
}

impl FileRow {
    /// Makes the row of a file.
    pub fn of(file: &File) -> Result<Self> {
        let md5 = file.md5_bytes().ok_or_else(|| {
            StoreError::failed("reading a file's checksum", format!("'{}' is not an MD5 checksum", file.file_md5sum))
        })?;
        Ok(Self { object_id: file.object_id, md5, name: file.file_name.clone(), access: file.file_access })
    }

    /// Returns the location of the file in its analysis.
    pub fn into_location(self, analysis_id: AnalysisId, study_id: String) -> FileLocation {
        FileLocation { object_id: self.object_id, analysis_id, study_id, name: self.name, access: self.access }
    }
}

/// The analysis and the study of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileLocation {
    /// The file's id.
    pub object_id: ObjectId,
    /// The analysis it belongs to.
    pub analysis_id: AnalysisId,
    /// The study it belongs to.
    pub study_id: String,
    /// Its name.
    pub name: String,
    /// Who may download it.
    pub access: FileAccess,
}

impl FileLocation {
    /// Returns the location of a file.
    pub fn of(file: &File) -> Self {
        Self {
            object_id: file.object_id,
            analysis_id: file.analysis_id,
            study_id: file.study_id.clone(),
            name: file.file_name.clone(),
            access: file.file_access,
        }
    }
}

/// Conditions on files; all that are given must hold.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileFilter {
    /// The file's id.
    pub object_id: Option<ObjectId>,
    /// The analysis it belongs to.
    pub analysis_id: Option<AnalysisId>,
    /// Its name.
    pub name: Option<String>,
    /// The study it belongs to.
    pub study_id: Option<String>,
    /// Who may download it.
    pub access: Option<FileAccess>,
    /// The files that may be seen; all if nothing is said.
    pub visible: Option<VisibleFiles>,
}

/// The files that may be seen: all of some studies, and those of published analyses of others.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct VisibleFiles {
    /// The studies whose files may be seen.
    pub studies: BTreeSet<String>,
    /// The studies of which the files of published analyses may be seen.
    pub published: BTreeSet<String>,
}

impl FileFilter {
    /// Says whether a file meets every condition on itself; whether it may be seen depends on the state of its analysis.
    pub fn matches(&self, file: &FileLocation) -> bool {
        self.object_id.is_none_or(|id| id == file.object_id)
            && self.analysis_id.is_none_or(|id| id == file.analysis_id)
            && self.name.as_ref().is_none_or(|name| *name == file.name)
            && self.study_id.as_ref().is_none_or(|study| *study == file.study_id)
            && self.access.is_none_or(|access| access == file.access)
    }
}

/// The range of a page of a listing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageRange {
    /// How many rows to skip.
    pub offset: u64,
    /// How many rows at most.
    pub limit: u64,
}

impl PageRange {
    /// Returns the rows of the page.
    pub fn select<T>(self, rows: impl IntoIterator<Item = T>) -> impl Iterator<Item = T> {
        let count = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
        rows.into_iter().skip(count(self.offset)).take(count(self.limit))
    }
}

/// The object ids that a search matches.
#[derive(Debug, Clone)]
pub enum ObjectIdPattern {
    /// Every one.
    Any,
    /// This one.
    Exactly(ObjectId),
    /// Those whose text form matches.
    Matching(Regex),
}

impl ObjectIdPattern {
    /// Says whether an object id matches.
    pub fn matches(&self, id: ObjectId) -> bool {
        match self {
            Self::Any => true,
            Self::Exactly(wanted) => *wanted == id,
            Self::Matching(regex) => regex.is_match(&id.to_string()),
        }
    }
}
