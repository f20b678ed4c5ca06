//! Submissions for the bare loops: documents like one that the server has stored, and the rows of their files.

use serde_json::Value;
use uuid::Uuid;

use crate::Outcome;
use crate::payloads::{unique, unique_file};

/// A file of a submission.
pub(crate) struct FileRow {
    pub(crate) object_id: Uuid,
    pub(crate) checksum: u128,
    pub(crate) name: String,
}

/// Makes the rows of this many submissions after the document of one that the server has stored; `rows` has the form
/// that a store needs of an analysis, its document and its files.
pub(crate) fn rows_like<R>(
    document: &str,
    count: usize,
    rows: impl Fn(Uuid, String, Vec<FileRow>) -> Outcome<R>,
) -> Outcome<Vec<R>> {
    let mut document: Value = serde_json::from_str(document)?;
    let next = |_| {
        let analysis_id = Uuid::from_u128(unique());
        document["analysisId"] = analysis_id.to_string().into();
        let mut files = Vec::new();
        for file in document["files"].as_array_mut().ok_or("the stored document has no files")? {
            let (name, checksum) = unique_file();
            let object_id = Uuid::from_u128(unique());
            file["analysisId"] = analysis_id.to_string().into();
            file["objectId"] = object_id.to_string().into();
            file["fileName"] = name.clone().into();
            file["fileMd5sum"] = format!("{checksum:032x}").into();
            files.push(FileRow { object_id, checksum, name });
        }
        rows(analysis_id, document.to_string(), files)
    };
    (0..count).map(next).collect()
}
