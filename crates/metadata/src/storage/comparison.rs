//! Compares the objects in storage with the metadata; there is one object per file, in the order of the files.

use cantata_core::{Analysis, Error, ErrorId, ErrorOrigin, ObjectId, Result};

use super::response::StoredObject;

/// Fails if a file has not been uploaded.
pub(super) fn check_uploaded(analysis: &Analysis, uploaded: &[bool]) -> Result<()> {
    let missing = ids(analysis, uploaded.iter().map(|uploaded| !uploaded));
    if missing.is_empty() {
        return Ok(());
    }
    let text = format!(
        "The following storage objectIds must be uploaded to the storage server before the analysisId {} can be \
         published: {}",
        analysis.analysis_id,
        listed(&missing)
    );
    Err(Error::new(ErrorOrigin::AnalysisService, ErrorId::MissingStorageObjects, text))
}

/// Fails if a file has another size in storage.
pub(super) fn check_sizes(analysis: &Analysis, stored: &[StoredObject]) -> Result<()> {
    let differs = analysis.files.iter().zip(stored).map(|(file, object)| file.file_size != object.size);
    let mismatching = ids(analysis, differs);
    if mismatching.is_empty() {
        return Ok(());
    }
    let text = format!(
        "The following file objectIds have mismatching object sizes in the storage server: [{}]. The analysisId \
         '{}' cannot be published until they all match.",
        listed(&mismatching),
        analysis.analysis_id
    );
    Err(Error::new(ErrorOrigin::AnalysisService, ErrorId::MismatchingStorageObjectSizes, text))
}

/// Fails if a file has another checksum in storage, or none and `ignore_undefined` is not set.
pub(super) fn check_checksums(analysis: &Analysis, stored: &[StoredObject], ignore_undefined: bool) -> Result<()> {
    let undefined = ids(analysis, stored.iter().map(|object| object.md5.is_none()));
    let pairs = analysis.files.iter().zip(stored);
    let differs = pairs.map(|(file, object)| object.md5.is_some() && object.md5 != file.md5_bytes());
    let mismatching = ids(analysis, differs);
    if mismatching.is_empty() && (undefined.is_empty() || ignore_undefined) {
        return Ok(());
    }
    let mut text = String::new();
    if ignore_undefined {
        text.push_str("[WARNING]: Ignoring objectIds with an undefined MD5 checksum. ");
    }
    text.push_str("Found files with a mismatching md5 checksum in the storage server. ");
    let undefined_subject = if ignore_undefined { "IGNORED objectIds" } else { "ObjectIds" };
    for (subject, problem, ids) in
        [("ObjectIds", "a defined and mismatching", mismatching), (undefined_subject, "an undefined", undefined)]
    {
        if !ids.is_empty() {
            text.push_str(&format!("{subject} with {problem} md5 checksum({}): [{}]. ", ids.len(), listed(&ids)));
        }
    }
    text.push_str(&format!(
        "The analysisId '{}' cannot be published until all files with an undefined checksum are ignored and ones with \
         a defined checksum are matching",
        analysis.analysis_id
    ));
    Err(Error::new(ErrorOrigin::AnalysisService, ErrorId::MismatchingStorageObjectChecksums, text))
}

/// Returns the object ids of the files for which the condition holds.
fn ids(analysis: &Analysis, condition: impl Iterator<Item = bool>) -> Vec<ObjectId> {
    let files = analysis.files.iter().zip(condition);
    files.filter(|(_, holds)| *holds).map(|(file, _)| file.object_id).collect()
}

fn listed(object_ids: &[ObjectId]) -> String {
    object_ids.iter().map(ObjectId::to_string).collect::<Vec<_>>().join(",")
}
