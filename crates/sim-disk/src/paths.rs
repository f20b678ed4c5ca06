//! The absolute path that a call of the C library means.

use std::ffi::{CStr, OsStr};
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

use libc::{AT_FDCWD, c_char, c_int};

/// Returns the absolute path of a path argument; nothing if there is none.
///
/// # Safety
///
/// The path is null or a C string.
pub(crate) unsafe fn absolute(folder: c_int, path: *const c_char) -> Option<PathBuf> {
    if path.is_null() {
        return None;
    }
    // SAFETY: by the contract of this function.
    let path = Path::new(OsStr::from_bytes(unsafe { CStr::from_ptr(path) }.to_bytes()));
    let joined = if path.is_absolute() {
        path.to_owned()
    } else if folder == AT_FDCWD {
        std::env::current_dir().ok()?.join(path)
    } else {
        std::fs::read_link(format!("/proc/self/fd/{folder}")).ok()?.join(path)
    };
    Some(normalize(&joined))
}

fn normalize(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => drop(normal.pop()),
            other => normal.push(other),
        }
    }
    normal
}
