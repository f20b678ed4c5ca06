//! Blocks: the files of a submission packed into one value, so that a hundred files cost one row and not a hundred.
//!
//! Each file is its object id, its checksum, one byte of access, the length of its name in four bytes, and the name.

use cantata_core::ObjectId;
use cantata_store::codes::{access_code, access_of};
use cantata_store::{FileRow, Result, StoreError};

use crate::lookup::LookupKey;

/// The files of a block with everything that the writer needs of them.
pub(crate) struct Block {
    pub(crate) files: Vec<FileRow>,
    pub(crate) packed: Vec<u8>,
    /// The hashes of each file's object id and checksum, one after the other.
    pub(crate) hashes: Vec<i64>,
}

impl Block {
    /// Packs files.
    pub(crate) fn new(files: Vec<FileRow>, key: LookupKey) -> Self {
        let packed = pack(&files);
        let hashes = files.iter().flat_map(|file| key.hashes_of(file)).collect();
        Self { files, packed, hashes }
    }

    /// Returns the hash of the checksum of the file at an index.
    pub(crate) fn md5_hash(&self, index: usize) -> i64 {
        self.hashes[2 * index + 1]
    }
}

/// Packs files into one value.
pub(crate) fn pack(files: &[FileRow]) -> Vec<u8> {
    let mut packed = Vec::with_capacity(files.iter().map(|file| 37 + file.name.len()).sum());
    for file in files {
        packed.extend_from_slice(file.object_id.as_bytes());
        packed.extend_from_slice(&file.md5);
        packed.push(u8::try_from(access_code(file.access)).unwrap_or(u8::MAX));
        let length = u32::try_from(file.name.len()).unwrap_or(u32::MAX);
        packed.extend_from_slice(&length.to_le_bytes());
        packed.extend_from_slice(file.name.as_bytes());
    }
    packed
}

/// Takes a value apart into its files.
pub(crate) fn unpack(mut packed: &[u8]) -> Result<Vec<FileRow>> {
    let mut files = Vec::new();
    while !packed.is_empty() {
        files.push(unpack_one(&mut packed).ok_or_else(|| StoreError::corrupt("a block of files", "it is cut off"))??);
    }
    Ok(files)
}

fn unpack_one(packed: &mut &[u8]) -> Option<Result<FileRow>> {
    let object_id = ObjectId::from_bytes(*take(packed)?);
    let md5 = *take(packed)?;
    let [access] = *take(packed)?;
    let length = usize::try_from(u32::from_le_bytes(*take(packed)?)).ok()?;
    let (name, rest) = packed.split_at_checked(length)?;
    *packed = rest;
    let name = String::from_utf8(name.to_vec()).map_err(|error| StoreError::corrupt("the name of a file", error));
    Some(name.and_then(|name| Ok(FileRow { object_id, md5, name, access: access_of(access.into())? })))
}

fn take<'a, const N: usize>(packed: &mut &'a [u8]) -> Option<&'a [u8; N]> {
    let (taken, rest) = packed.split_first_chunk()?;
    *packed = rest;
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
        assert_eq!(unpack(&pack(&files)).unwrap(), files);
        assert_eq!(unpack(&[]).unwrap(), vec![]);
    }

    #[test]
    fn what_is_cut_off_is_refused() {
        let files = [FileRow {
            object_id: ObjectId::from_bytes([1; 16]),
            md5: [2; 16],
            name: "n".into(),
            access: FileAccess::Open,
        }];
        let packed = pack(&files);
        for length in 1..packed.len() {
            assert!(unpack(&packed[..length]).is_err(), "{length}");
        }
    }
}
