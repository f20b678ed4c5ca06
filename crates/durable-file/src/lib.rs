//! Durable files: a change survives a crash once the function that made it returns, and is never seen half done.
//!
//! A file is replaced by writing `<name>.new` beside it, syncing that, renaming it and syncing the folder. A crash leaves
//! the old file or the new one, and at most a `.new` file that the next replacement overwrites. Callers serialise the
//! replacements of one file; readers need no lock.

use std::ffi::OsString;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use fs_err::File;
use serde::de::DeserializeOwned;

/// Writes a file and syncs it. Its name is durable after [`sync_folder`] only.
pub fn write_synced(path: &Path, bytes: &[u8]) -> io::Result<()> {
    write_and_sync(File::create(path)?, bytes)
}

/// Writes a new file that only its owner can read and write, and syncs it; fails if the name is taken. The name is durable
/// after [`sync_folder`] only.
pub fn write_new_synced(path: &Path, bytes: &[u8]) -> io::Result<()> {
    write_and_sync(create_new_private(path)?, bytes)
}

/// Replaces a file atomically.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let new = new_file_path(path);
    write_synced(&new, bytes)?;
    rename(&new, path)
}

/// Replaces a file atomically; only its owner can read and write the new one.
pub fn replace_private(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let new = new_file_path(path);
    write_and_sync(create_private(&new)?, bytes)?;
    rename(&new, path)
}

/// Replaces a file atomically; the new one has the permissions of the old one, if there is one.
pub fn replace_alike(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let permissions = match fs_err::metadata(path) {
        Ok(metadata) => metadata.permissions(),
        Err(error) if error.kind() == ErrorKind::NotFound => return replace(path, bytes),
        Err(error) => return Err(error),
    };
    let new = new_file_path(path);
    // Private at first: what is in it may be for few to read.
    write_and_sync(create_private(&new)?, bytes)?;
    fs_err::set_permissions(&new, permissions)?;
    rename(&new, path)
}

/// Creates an empty file that only its owner can read and write, in place of any file of this name.
pub fn create_private(path: &Path) -> io::Result<File> {
    // Truncated, it would keep its permissions, or be what a link leads to.
    match fs_err::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => create_new_private(path),
    }
}

/// Creates an empty file that only its owner can read and write; fails if the name is taken.
pub fn create_new_private(path: &Path) -> io::Result<File> {
    let mut options = fs_err::OpenOptions::new();
    #[cfg(unix)]
    fs_err::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.write(true).create_new(true).open(path)
}

/// Renames a file or folder and syncs the folder of the new name.
pub fn rename(from: &Path, to: &Path) -> io::Result<()> {
    fs_err::rename(from, to)?;
    sync_folder(parent(to))
}

/// Creates a folder, with those that it is in, unless it exists. Its name is durable when this returns: files in a folder
/// whose name a crash takes away are lost, however often they were synced.
pub fn create_folder(folder: &Path) -> io::Result<()> {
    match fs_err::create_dir(folder) {
        Ok(()) => sync_folder(parent(folder)),
        Err(error) if error.kind() == ErrorKind::NotFound && parent(folder) != folder => {
            create_folder(parent(folder))?;
            create_folder(folder)
        }
        Err(_) if folder.is_dir() => {
            // A process that was killed may have created it. The folder around it need not be ours to open.
            let _ = sync_folder(parent(folder));
            Ok(())
        }
        Err(error) => Err(error),
    }
}

/// Makes the names of a folder's files durable.
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

/// Returns whether the error of a write means that the disk cannot be written at the moment: it is full, over its quota, or
/// read-only, as a whole or by the permissions of a folder.
pub fn is_not_writable(error: &io::Error) -> bool {
    use ErrorKind::{PermissionDenied, QuotaExceeded, ReadOnlyFilesystem, StorageFull};
    matches!(error.kind(), StorageFull | QuotaExceeded | ReadOnlyFilesystem | PermissionDenied)
}

/// Returns the folder of a file; the current one for a bare name.
pub fn parent(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Reads a file; one that does not exist is empty.
pub fn read_or_default(path: &Path) -> io::Result<Vec<u8>> {
    match fs_err::read(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
        read => read,
    }
}

/// Reads a JSON file; one that does not exist has the default value.
pub fn read_json_or_default<T: DeserializeOwned + Default>(path: &Path) -> io::Result<T> {
    let bytes = match fs_err::read(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(T::default()),
        read => read?,
    };
    serde_json::from_slice(&bytes).map_err(|error| {
        let name = path.file_name().unwrap_or_default().display();
        io::Error::new(ErrorKind::InvalidData, format!("{name} is not as expected: {error}"))
    })
}

fn write_and_sync(mut file: File, bytes: &[u8]) -> io::Result<()> {
    file.write_all(bytes)?;
    file.sync_all()
}

fn new_file_path(path: &Path) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(".new");
    name.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_replaced_file_has_the_new_content_and_leaves_nothing_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.json");
        assert_eq!(read_json_or_default::<Vec<u32>>(&path).unwrap(), Vec::<u32>::new());
        replace(&path, b"[1]").unwrap();
        // A crash may have left an unfinished file.
        fs_err::write(folder.path().join("a.json.new"), "[1, 2, 3, 4").unwrap();
        replace(&path, b"[2]").unwrap();
        assert_eq!(read_json_or_default::<Vec<u32>>(&path).unwrap(), [2]);
        assert_eq!(fs_err::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_is_told_from_other_errors() {
        let full = write_synced(Path::new("/dev/full"), b"x").unwrap_err();
        assert!(is_not_writable(&full), "{full}");
        let missing = write_synced(Path::new("/nowhere/x"), b"x").unwrap_err();
        assert!(!is_not_writable(&missing), "{missing}");
        // The user of the tests may be root, to which permissions do not apply.
        assert!(is_not_writable(&ErrorKind::PermissionDenied.into()));
    }

    #[test]
    fn a_new_file_takes_the_place_of_no_other() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("1.segment");
        write_new_synced(&path, b"first").unwrap();
        assert_eq!(write_new_synced(&path, b"second").unwrap_err().kind(), ErrorKind::AlreadyExists);
        assert_eq!(read_or_default(&path).unwrap(), b"first");
    }

    #[test]
    fn a_file_that_is_no_json_is_an_error_that_names_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.json");
        replace(&path, b"{").unwrap();
        let error = read_json_or_default::<Vec<u32>>(&path).unwrap_err();
        assert!(error.to_string().starts_with("a.json is not as expected"), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn a_file_that_is_replaced_alike_keeps_its_permissions() {
        use std::os::unix::fs::PermissionsExt;

        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("base.json");
        replace_alike(&path, b"{}").unwrap();
        for mode in [0o600, 0o640] {
            fs_err::set_permissions(&path, PermissionsExt::from_mode(mode)).unwrap();
            replace_alike(&path, b"[]").unwrap();
            assert_eq!(fs_err::metadata(&path).unwrap().permissions().mode() & 0o777, mode);
        }
        assert_eq!(read_or_default(&path).unwrap(), b"[]");
        assert_eq!(fs_err::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn a_private_file_is_for_its_owner_alone_whatever_was_there() {
        use std::os::unix::fs::PermissionsExt;

        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("keys.json");
        for leftover in [&path, &folder.path().join("keys.json.new")] {
            fs_err::write(leftover, "x").unwrap();
            fs_err::set_permissions(leftover, PermissionsExt::from_mode(0o666)).unwrap();
        }
        replace_private(&path, b"secret").unwrap();
        assert_eq!(fs_err::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(read_or_default(&path).unwrap(), b"secret");
    }
}
