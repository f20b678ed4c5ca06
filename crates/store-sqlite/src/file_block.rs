//! File blocks: the files of a submission encoded as one value, so that a hundred files cost one row and not a hundred.
//!
//! A file is encoded as its object id, its checksum, one byte of access, the length of its name in four bytes, and the
//! name.

use cantata_core::ObjectId;
use cantata_store::codes::{access_code, access_from_code};
use cantata_store::{FileRow, Result, StoreError};

use crate::lookup::{LookupKey, LookupScreen, ScreenedHashes};

/// The files of a block, encoded and hashed before the writer needs them.
pub(crate) struct FileBlock {
    pub(crate) files: Vec<FileRow>,
    pub(crate) encoded: Vec<u8>,
    /// The hashes of each file's object id and checksum, one after the other.
    pub(crate) hashes: Vec<i64>,
    /// The hashes of the checksums, if they were screened.
    pub(crate) screened_md5s: Option<ScreenedHashes>,
}

impl FileBlock {
    /// Encodes and hashes files.
    pub(crate) fn new(files: Vec<FileRow>, key: LookupKey) -> Self {
        let encoded = encode(&files);
        let hashes = files.iter().flat_map(|file| key.hashes_of(file)).collect();
        Self { files, encoded, hashes, screened_md5s: None }
    }

    /// Screens the checksums, which are about to be searched for.
    pub(crate) fn screened(self, screen: &LookupScreen) -> Self {
        Self { screened_md5s: Some(screen.screen(&self.md5_hashes())), ..self }
    }

    /// Returns the hash of the checksum of each file.
    pub(crate) fn md5_hashes(&self) -> Vec<i64> {
        self.hashes.iter().skip(1).step_by(2).copied().collect()
    }
}

/// Encodes files as one value.
pub(crate) fn encode(files: &[FileRow]) -> Vec<u8> {
    let mut encoded = Vec::with_capacity(files.iter().map(|file| 37 + file.name.len()).sum());
    for file in files {
        encoded.extend_from_slice(file.object_id.as_bytes());
        encoded.extend_from_slice(&file.md5);
        encoded.push(u8::try_from(access_code(file.access)).unwrap_or(u8::MAX));
        let length = u32::try_from(file.name.len()).unwrap_or(u32::MAX);
        encoded.extend_from_slice(&length.to_le_bytes());
        encoded.extend_from_slice(file.name.as_bytes());
    }
    encoded
}

/// Decodes the files of a value.
pub(crate) fn decode(encoded: &[u8]) -> Result<Vec<FileRow>> {
    let (files, outcome) = decode_readable(encoded);
    outcome.map(|()| files)
}

/// Decodes the files of a value up to the first that is damaged, and returns how that one is.
pub(crate) fn decode_readable(mut encoded: &[u8]) -> (Vec<FileRow>, Result<()>) {
    let mut files = Vec::new();
    while !encoded.is_empty() {
        match decode_file(&mut encoded) {
            Some(Ok(file)) => files.push(file),
            Some(Err(error)) => return (files, Err(error)),
            None => return (files, Err(StoreError::corrupt("a block of files", "it is cut off"))),
        }
    }
    (files, Ok(()))
}

fn decode_file(encoded: &mut &[u8]) -> Option<Result<FileRow>> {
    let object_id = ObjectId::from_bytes(*take(encoded)?);
    let md5 = *take(encoded)?;
    let [access] = *take(encoded)?;
    let length = usize::try_from(u32::from_le_bytes(*take(encoded)?)).ok()?;
    let (name, rest) = encoded.split_at_checked(length)?;
    *encoded = rest;
    let name = String::from_utf8(name.to_vec()).map_err(|error| StoreError::corrupt("the name of a file", error));
    Some(name.and_then(|name| Ok(FileRow { object_id, md5, name, access: access_from_code(access.into())? })))
}

fn take<'a, const N: usize>(encoded: &mut &'a [u8]) -> Option<&'a [u8; N]> {
    let (taken, rest) = encoded.split_first_chunk()?;
    *encoded = rest;
    Some(taken)
}

#[cfg(test)]
mod tests {
    use cantata_core::{AnalysisId, FileAccess};

    use super::*;

    #[test]
    fn what_is_packed_comes_out_again() {
        let analysis_id = AnalysisId::generate();
        let file = |name: &str, access| FileRow {
            object_id: ObjectId::of(analysis_id, name),
            md5: [7; 16],
            name: name.to_owned(),
            access,
        };
        let files =
            vec![file("a.bam", FileAccess::Open), file("", FileAccess::Controlled), file("ü", FileAccess::Open)];
        assert_eq!(decode(&encode(&files)).unwrap(), files);
        assert_eq!(decode(&[]).unwrap(), vec![]);
    }

    #[test]
    fn what_is_cut_off_is_refused() {
        let files = [FileRow {
            object_id: ObjectId::from_bytes([1; 16]),
            md5: [2; 16],
            name: "n".into(),
            access: FileAccess::Open,
        }];
        let encoded = encode(&files);
        for length in 1..encoded.len() {
            assert!(decode(&encoded[..length]).is_err(), "{length}");
            let (readable, outcome) = decode_readable(&[&encoded, &encoded[..length]].concat());
            assert_eq!(readable, files);
            assert!(outcome.is_err(), "{length}");
        }
    }
}
