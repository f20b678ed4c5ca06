//! The files of a submission.

use serde_json::{Value, json};

use crate::random::{Random, scramble};

/// More files than any submission has; it keeps the checksums of one submission apart from those of the next.
const MAX_FILES: u64 = 8;

/// Describes one file before its name, checksum and size are known.
pub(crate) struct FileKind {
    /// How the name ends, after the first point.
    pub(crate) ending: &'static str,
    /// The file type.
    pub(crate) file_type: &'static str,
    /// What the file holds.
    pub(crate) data_type: &'static str,
    /// The smallest and the largest size, in megabytes.
    pub(crate) megabytes: (u64, u64),
}

/// Makes the files of the submission at a position, all of whose names begin with `stem`.
pub(crate) fn files(random: &mut Random, position: u64, stem: &str, access: &str, kinds: &[FileKind]) -> Value {
    let made = (0..).zip(kinds).map(|(nth, kind)| {
        let (low, high) = kind.megabytes;
        json!({
            "fileName": format!("{stem}.{}", kind.ending),
            "fileSize": random.between(low * 1_000_000, high * 1_000_000),
            "fileType": kind.file_type,
            "fileAccess": access,
            "fileMd5sum": checksum(position * MAX_FILES + nth),
            "dataType": kind.data_type,
        })
    });
    made.collect()
}

/// Returns a checksum for each number, a different one for a different number.
fn checksum(number: u64) -> String {
    let first = scramble(number);
    format!("{first:016x}{:016x}", scramble(!first))
}
