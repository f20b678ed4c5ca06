//! Why an index or one of its files cannot be used.

use std::error::Error;
use std::io;

use cantata_durable_file as durable_file;
use cantata_engine::EngineError;
use cantata_mapping::MappingError;

/// An error of the files of an index.
#[derive(Debug, thiserror::Error)]
pub(crate) enum IndexError {
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error("the {file} is not as expected")]
    Json {
        file: &'static str,
        #[source]
        source: serde_json::Error,
    },
    #[error("the files have format {found}, and this version reads {expected}; import the documents again")]
    Format { found: u32, expected: u32 },
    #[error("{file} is damaged: {found}")]
    Damaged { file: String, found: String },
    #[error("the file is truncated or not a segment")]
    NotASegment,
    #[error("the checksum of the {0} is wrong")]
    Checksum(&'static str),
    #[error("segment {file} cannot be read")]
    Segment {
        file: String,
        #[source]
        source: Box<IndexError>,
    },
    #[error("{0} does not hold the live documents of its segment")]
    LiveDocs(String),
    #[error("the documents have more than {max_offset} bytes of different values in one field; write fewer at once")]
    SegmentTooLarge { max_offset: u32 },
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    Mapping(Vec<MappingError>),
}

/// Returns the error of files of an index or of the folder of indexes that could not be written.
pub(crate) fn write_error(error: &io::Error) -> EngineError {
    match durable_file::is_not_writable(error) {
        true => EngineError::NotWritable(error.to_string()),
        false => EngineError::Failed(error.to_string()),
    }
}

impl IndexError {
    /// Returns whether the files are not as they were written; otherwise they could not be read now.
    pub(crate) fn is_damage(&self) -> bool {
        use io::ErrorKind::{InvalidData, NotFound, UnexpectedEof};
        match self {
            Self::Io(error) => matches!(error.kind(), NotFound | UnexpectedEof | InvalidData),
            Self::Segment { source, .. } => source.is_damage(),
            Self::SegmentTooLarge { .. } => false,
            _ => true,
        }
    }

    /// Returns the error of a change of an index that could not be written to its files.
    pub(crate) fn write_error(&self, index: &str) -> EngineError {
        let reason = format!("index `{index}` cannot be written: {}", self.chain());
        match self {
            Self::Io(cause) if durable_file::is_not_writable(cause) => EngineError::NotWritable(reason),
            _ => EngineError::Failed(reason),
        }
    }

    /// Returns the message with those of all sources.
    pub(crate) fn chain(&self) -> String {
        let causes = std::iter::successors(Some(self as &dyn Error), |&error| error.source());
        causes.map(ToString::to_string).collect::<Vec<_>>().join(": ")
    }
}
