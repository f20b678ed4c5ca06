//! The functions of the C library that change files, in place of its own.
//!
//! The linker takes a definition in the program before that of a shared library. Each function carries its call out by a
//! system call, and records it if it concerns a mounted disk. Within the bookkeeping, and in [`unhooked`], calls pass.
//!
//! Functions with optional arguments (`open`) are defined with all of them: the calling conventions of Linux on x86-64
//! and AArch64 pass the same registers, and an argument that the caller left out is not used by the kernel either.

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use libc::{
    AT_FDCWD, AT_REMOVEDIR, EINVAL, ENOSYS, c_char, c_int, c_long, c_uint, iovec, mode_t, off64_t, size_t, ssize_t,
};

use crate::faults::{Operation, Outcome};
use crate::model::{FileChange, FileNode, FolderNode, Inode, Node, NodeId};
use crate::paths::absolute;
use crate::{Mounted, sync_sites};

static DISKS: Mutex<Vec<(PathBuf, Mounted)>> = Mutex::new(Vec::new());
static DISK_COUNT: AtomicUsize = AtomicUsize::new(0);
/// Whether a disk wants to know where syncs come from.
static RECORDS_SITES: AtomicBool = AtomicBool::new(false);

thread_local! {
    static IS_UNHOOKED: Cell<bool> = const { Cell::new(false) };
}

/// Carries out calls without recording them.
pub(crate) fn unhooked<R>(act: impl FnOnce() -> R) -> R {
    let before = IS_UNHOOKED.replace(true);
    let result = act();
    IS_UNHOOKED.set(before);
    result
}

pub(crate) fn mount(folder: PathBuf, disk: Mounted) {
    // Read here, so that the linker takes the functions into every program that mounts a disk.
    std::hint::black_box(&FUNCTIONS);
    let mut disks = DISKS.lock().unwrap_or_else(PoisonError::into_inner);
    assert!(!disks.iter().any(|(other, _)| folder.starts_with(other)), "{} is mounted", folder.display());
    disks.push((folder, disk));
    DISK_COUNT.store(disks.len(), Ordering::Relaxed);
}

pub(crate) fn unmount(folder: &Path) {
    let mut disks = DISKS.lock().unwrap_or_else(PoisonError::into_inner);
    disks.retain(|(other, _)| other != folder);
    DISK_COUNT.store(disks.len(), Ordering::Relaxed);
}

pub(crate) fn with_disk<R>(folder: &Path, act: impl FnOnce(&mut Mounted) -> R) -> R {
    let mut disks = DISKS.lock().unwrap_or_else(PoisonError::into_inner);
    let (_, disk) = disks.iter_mut().find(|(other, _)| other == folder).expect("the disk is mounted");
    let result = unhooked(|| act(disk));
    if disk.sites.is_some() {
        RECORDS_SITES.store(true, Ordering::Relaxed);
    }
    result
}

/// How a call ends: what it returns, or the error number.
type CallResult = Result<c_long, c_int>;

/// A call on the mounted disks; nothing if it concerns none of them.
type Simulation<'a> = dyn FnMut(&mut [(PathBuf, Mounted)]) -> Option<CallResult> + 'a;

/// Carries out a call: on a mounted disk if it concerns one, else really.
fn call(simulate: &mut Simulation<'_>, real: impl FnOnce() -> c_long) -> c_long {
    if DISK_COUNT.load(Ordering::Relaxed) == 0 || IS_UNHOOKED.get() {
        return real();
    }
    let simulated = unhooked(|| simulate(&mut DISKS.lock().unwrap_or_else(PoisonError::into_inner)));
    match simulated {
        None => real(),
        Some(Ok(result)) => result,
        Some(Err(error)) => {
            // SAFETY: the address of this thread's `errno` is always valid.
            unsafe { *libc::__errno_location() = error };
            -1
        }
    }
}

/// Makes a system call.
macro_rules! syscall {
    ($number:ident $(, $argument:expr)*) => {
        // SAFETY: the arguments are those of the caller of a function with the same contract.
        unsafe { libc::syscall(libc::$number $(, $argument)*) }
    };
}

fn checked(result: c_long) -> CallResult {
    if result < 0 { Err(std::io::Error::last_os_error().raw_os_error().unwrap_or(EINVAL)) } else { Ok(result) }
}

impl Mounted {
    /// Counts an operation; returns whether it is to be cut short.
    fn begin(&mut self, operation: Operation) -> Result<bool, c_int> {
        if self.image.is_some() {
            return Err(libc::EIO);
        }
        match self.faults.next(operation) {
            Outcome::Success => Ok(false),
            Outcome::Short => Ok(true),
            Outcome::Failure(error) => Err(error),
            Outcome::PowerLoss(seed) => {
                self.lose_power(seed);
                Err(libc::EIO)
            }
        }
    }
}

fn by_path<'a>(disks: &'a mut [(PathBuf, Mounted)], path: &Path) -> Option<(&'a mut Mounted, PathBuf)> {
    disks.iter_mut().find_map(|(root, disk)| Some((disk, path.strip_prefix(root).ok()?.to_owned())))
}

/// Returns the disk of the first path, and both paths on their disks.
///
/// # Safety
///
/// Each path is null or a C string.
unsafe fn by_paths(
    disks: &mut [(PathBuf, Mounted)],
    (from_folder, from): (c_int, *const c_char),
    (to_folder, to): (c_int, *const c_char),
) -> Option<(&mut Mounted, PathBuf, PathBuf)> {
    // SAFETY: the paths are those of the caller.
    let (from, to) = unsafe { (absolute(from_folder, from)?, absolute(to_folder, to)?) };
    let to = by_path(disks, &to)?.1;
    let (disk, from) = by_path(disks, &from)?;
    Some((disk, from, to))
}

fn by_descriptor(disks: &mut [(PathBuf, Mounted)], descriptor: c_int) -> Option<(&mut Mounted, NodeId)> {
    let inode = inode_of(descriptor)?.0;
    disks.iter_mut().find_map(|(_, disk)| disk.model.node_of(inode).map(|node| (disk, node)))
}

/// Returns the inode and the length of an open file.
fn inode_of(descriptor: c_int) -> Option<(Inode, i64)> {
    let mut stat = std::mem::MaybeUninit::<libc::stat64>::uninit();
    // SAFETY: the structure is filled in if the call succeeds.
    let stat = unsafe { (libc::fstat64(descriptor, stat.as_mut_ptr()) == 0).then(|| stat.assume_init()) }?;
    Some(((stat.st_dev, stat.st_ino), stat.st_size))
}

fn open_at(folder: c_int, path: *const c_char, flags: c_int, mode: mode_t) -> c_int {
    let real = || syscall!(SYS_openat, folder, path, flags, mode);
    if flags & (libc::O_CREAT | libc::O_TRUNC) == 0 || flags & libc::O_TMPFILE == libc::O_TMPFILE {
        return real() as c_int;
    }
    let mut simulate = |disks: &mut [(PathBuf, Mounted)]| {
        // SAFETY: the path is that of a caller of `open`.
        let (disk, path) = by_path(disks, &unsafe { absolute(folder, path) }?)?;
        let existing = disk.model.find(&path);
        let operation = if existing.is_some() { Operation::Change } else { Operation::AddName };
        let changes = existing.is_none() || flags & libc::O_TRUNC != 0;
        Some((|| -> CallResult {
            if changes {
                disk.begin(operation)?;
            }
            let opened = checked(real())?;
            match existing {
                Some(node) if changes => disk.model.change_file(node, FileChange::Truncate { length: 0 }),
                Some(_) => {}
                None => {
                    let (inode, _) = inode_of(opened as c_int).ok_or(libc::EIO)?;
                    let node = disk.model.add_node(inode, Node::File(FileNode::default()));
                    let (parent, name) = disk.model.find_parent(&path).ok_or(libc::EIO)?;
                    disk.model.change_names(vec![(parent, name.to_owned(), Some(node))]);
                }
            }
            Ok(opened)
        })())
    };
    call(&mut simulate, real) as c_int
}

/// Writes at an offset, or where the descriptor stands.
fn write_at(descriptor: c_int, bytes: *const u8, count: size_t, offset: Option<off64_t>) -> ssize_t {
    let real = |count: size_t| match offset {
        Some(offset) => syscall!(SYS_pwrite64, descriptor, bytes, count, offset),
        None => syscall!(SYS_write, descriptor, bytes, count),
    };
    let mut simulate = |disks: &mut [(PathBuf, Mounted)]| {
        let (disk, node) = by_descriptor(disks, descriptor)?;
        Some((|| -> CallResult {
            let is_short = disk.begin(Operation::Grow)?;
            let start = offset.unwrap_or_else(|| current_offset(descriptor));
            let written = checked(real(if is_short { count.div_ceil(2) } else { count }))?;
            // SAFETY: the caller of `write` passed at least this many bytes.
            let bytes = unsafe { std::slice::from_raw_parts(bytes, written as usize) }.to_vec();
            disk.model.change_file(node, FileChange::Write { offset: start as usize, bytes });
            Ok(written)
        })())
    };
    call(&mut simulate, || real(count)) as ssize_t
}

/// Returns where the next write goes.
fn current_offset(descriptor: c_int) -> off64_t {
    // SAFETY: neither call has arguments that could be wrong.
    let (flags, offset) =
        unsafe { (libc::fcntl(descriptor, libc::F_GETFL), libc::lseek64(descriptor, 0, libc::SEEK_CUR)) };
    if flags & libc::O_APPEND != 0 { inode_of(descriptor).map_or(0, |(_, length)| length) } else { offset.max(0) }
}

/// Writes the first buffer that has bytes: a short write is allowed.
fn write_vectored(
    descriptor: c_int,
    buffers: *const iovec,
    count: c_int,
    offset: Option<off64_t>,
    real: impl FnOnce() -> c_long,
) -> ssize_t {
    let is_simulated = DISK_COUNT.load(Ordering::Relaxed) > 0
        && !IS_UNHOOKED.get()
        && unhooked(|| by_descriptor(&mut DISKS.lock().unwrap_or_else(PoisonError::into_inner), descriptor).is_some());
    if !is_simulated {
        return real() as ssize_t;
    }
    // SAFETY: the caller of `writev` passed this many buffers.
    let buffers = unsafe { std::slice::from_raw_parts(buffers, count.max(0) as usize) };
    match buffers.iter().find(|buffer| buffer.iov_len > 0) {
        Some(buffer) => write_at(descriptor, buffer.iov_base.cast(), buffer.iov_len, offset),
        None => 0,
    }
}

fn truncate(descriptor: c_int, length: off64_t) -> c_int {
    let real = || syscall!(SYS_ftruncate, descriptor, length);
    let mut simulate = |disks: &mut [(PathBuf, Mounted)]| {
        let (disk, node) = by_descriptor(disks, descriptor)?;
        let grows = inode_of(descriptor).is_some_and(|(_, before)| length > before);
        Some((|| -> CallResult {
            disk.begin(if grows { Operation::Grow } else { Operation::Change })?;
            let result = checked(real())?;
            disk.model.change_file(node, FileChange::Truncate { length: length.max(0) as usize });
            Ok(result)
        })())
    };
    call(&mut simulate, real) as c_int
}

fn sync(descriptor: c_int, real: impl FnOnce() -> c_long) -> c_int {
    let mut caller = None;
    if RECORDS_SITES.load(Ordering::Relaxed) && !IS_UNHOOKED.get() {
        caller = unhooked(|| {
            // Other disks need not wait for a backtrace.
            let is_wanted = by_descriptor(&mut DISKS.lock().unwrap_or_else(PoisonError::into_inner), descriptor)
                .is_some_and(|(disk, _)| disk.sites.is_some());
            if is_wanted { sync_sites::current() } else { None }
        });
    }
    let mut simulate = |disks: &mut [(PathBuf, Mounted)]| {
        let (disk, node) = by_descriptor(disks, descriptor)?;
        Some((|| -> CallResult {
            if let (Some(sites), Some(caller)) = (&mut disk.sites, caller.take())
                && sites.is_ignored(caller.site(&disk.model, node))
            {
                return Ok(0);
            }
            match disk.begin(Operation::Sync) {
                // The real disk need not sync: nothing is read after the end of this process.
                Ok(_) => disk.model.sync(node),
                Err(error) => {
                    disk.model.lose_writes(node);
                    return Err(error);
                }
            }
            Ok(0)
        })())
    };
    call(&mut simulate, real) as c_int
}

fn rename_at(from_folder: c_int, from: *const c_char, to_folder: c_int, to: *const c_char, flags: c_uint) -> c_int {
    let real = || syscall!(SYS_renameat2, from_folder, from, to_folder, to, flags);
    let mut simulate = |disks: &mut [(PathBuf, Mounted)]| {
        // SAFETY: the paths are those of a caller of `rename`.
        let (disk, from, to) = unsafe { by_paths(disks, (from_folder, from), (to_folder, to)) }?;
        Some((|| -> CallResult {
            disk.begin(Operation::Change)?;
            let result = checked(real())?;
            let node = disk.model.find(&from).ok_or(libc::EIO)?;
            let (from_parent, from_name) = disk.model.find_parent(&from).ok_or(libc::EIO)?;
            let (to_parent, to_name) = disk.model.find_parent(&to).ok_or(libc::EIO)?;
            disk.model.change_names(vec![
                (from_parent, from_name.to_owned(), None),
                (to_parent, to_name.to_owned(), Some(node)),
            ]);
            Ok(result)
        })())
    };
    call(&mut simulate, real) as c_int
}

fn unlink_at(folder: c_int, path: *const c_char, flags: c_int) -> c_int {
    let real = || syscall!(SYS_unlinkat, folder, path, flags);
    let mut simulate = |disks: &mut [(PathBuf, Mounted)]| {
        // SAFETY: the path is that of a caller of `unlink`.
        let (disk, path) = by_path(disks, &unsafe { absolute(folder, path) }?)?;
        // The name is looked for by the real call, which knows the right error.
        disk.model.find(&path)?;
        Some((|| -> CallResult {
            disk.begin(Operation::Remove)?;
            let result = checked(real())?;
            let (parent, name) = disk.model.find_parent(&path).ok_or(libc::EIO)?;
            disk.model.change_names(vec![(parent, name.to_owned(), None)]);
            Ok(result)
        })())
    };
    call(&mut simulate, real) as c_int
}

fn make_folder_at(folder: c_int, path: *const c_char, mode: mode_t) -> c_int {
    let real = || syscall!(SYS_mkdirat, folder, path, mode);
    let mut simulate = |disks: &mut [(PathBuf, Mounted)]| {
        // SAFETY: the path is that of a caller of `mkdir`.
        let absolute = unsafe { absolute(folder, path) }?;
        let (disk, path) = by_path(disks, &absolute)?;
        if disk.model.find(&path).is_some() {
            return None;
        }
        Some((|| -> CallResult {
            disk.begin(Operation::AddName)?;
            let result = checked(real())?;
            let metadata = std::fs::metadata(&absolute).map_err(|_| libc::EIO)?;
            let inode =
                (std::os::unix::fs::MetadataExt::dev(&metadata), std::os::unix::fs::MetadataExt::ino(&metadata));
            let node = disk.model.add_node(inode, Node::Folder(FolderNode::default()));
            let (parent, name) = disk.model.find_parent(&path).ok_or(libc::EIO)?;
            disk.model.change_names(vec![(parent, name.to_owned(), Some(node))]);
            Ok(result)
        })())
    };
    call(&mut simulate, real) as c_int
}

fn link_at(from_folder: c_int, from: *const c_char, to_folder: c_int, to: *const c_char, flags: c_int) -> c_int {
    let real = || syscall!(SYS_linkat, from_folder, from, to_folder, to, flags);
    let mut simulate = |disks: &mut [(PathBuf, Mounted)]| {
        // SAFETY: the paths are those of a caller of `link`.
        let (disk, from, to) = unsafe { by_paths(disks, (from_folder, from), (to_folder, to)) }?;
        let node = disk.model.find(&from)?;
        Some((|| -> CallResult {
            disk.begin(Operation::AddName)?;
            let result = checked(real())?;
            let (parent, name) = disk.model.find_parent(&to).ok_or(libc::EIO)?;
            disk.model.change_names(vec![(parent, name.to_owned(), Some(node))]);
            Ok(result)
        })())
    };
    call(&mut simulate, real) as c_int
}

/// Refuses to copy within the kernel on a mounted disk, whereupon callers read and write.
fn copy(to: c_int, error: c_int, real: impl FnOnce() -> c_long) -> c_long {
    call(&mut |disks: &mut [(PathBuf, Mounted)]| by_descriptor(disks, to).map(|_| Err(error)), real)
}

/// Defines functions of the C library, and a table that refers to all of them.
macro_rules! define {
    ($(fn $name:ident($($argument:ident: $type:ty),*) -> $result:ty { $body:expr })*) => {
        $(
            #[unsafe(no_mangle)]
            extern "C" fn $name($($argument: $type),*) -> $result {
                $body
            }
        )*

        /// All functions that are defined here.
        static FUNCTIONS: Functions = Functions { $($name: $name),* };

        #[expect(dead_code, reason = "the linker alone reads them")]
        struct Functions {
            $($name: extern "C" fn($($type),*) -> $result),*
        }
    };
}

define! {
    fn open(path: *const c_char, flags: c_int, mode: mode_t) -> c_int { open_at(AT_FDCWD, path, flags, mode) }
    fn open64(path: *const c_char, flags: c_int, mode: mode_t) -> c_int { open_at(AT_FDCWD, path, flags, mode) }
    fn openat(folder: c_int, path: *const c_char, flags: c_int, mode: mode_t) -> c_int { open_at(folder, path, flags, mode) }
    fn openat64(folder: c_int, path: *const c_char, flags: c_int, mode: mode_t) -> c_int { open_at(folder, path, flags, mode) }
    fn write(file: c_int, bytes: *const u8, count: size_t) -> ssize_t { write_at(file, bytes, count, None) }
    fn pwrite(file: c_int, bytes: *const u8, count: size_t, offset: off64_t) -> ssize_t { write_at(file, bytes, count, Some(offset)) }
    fn pwrite64(file: c_int, bytes: *const u8, count: size_t, offset: off64_t) -> ssize_t { write_at(file, bytes, count, Some(offset)) }
    fn writev(file: c_int, buffers: *const iovec, count: c_int) -> ssize_t {
        write_vectored(file, buffers, count, None, || syscall!(SYS_writev, file, buffers, count))
    }
    fn ftruncate(file: c_int, length: off64_t) -> c_int { truncate(file, length) }
    fn ftruncate64(file: c_int, length: off64_t) -> c_int { truncate(file, length) }
    fn fsync(file: c_int) -> c_int { sync(file, || syscall!(SYS_fsync, file)) }
    fn fdatasync(file: c_int) -> c_int { sync(file, || syscall!(SYS_fdatasync, file)) }
    fn rename(from: *const c_char, to: *const c_char) -> c_int { rename_at(AT_FDCWD, from, AT_FDCWD, to, 0) }
    fn renameat(from_folder: c_int, from: *const c_char, to_folder: c_int, to: *const c_char) -> c_int {
        rename_at(from_folder, from, to_folder, to, 0)
    }
    fn renameat2(from_folder: c_int, from: *const c_char, to_folder: c_int, to: *const c_char, flags: c_uint) -> c_int {
        rename_at(from_folder, from, to_folder, to, flags)
    }
    fn unlink(path: *const c_char) -> c_int { unlink_at(AT_FDCWD, path, 0) }
    fn unlinkat(folder: c_int, path: *const c_char, flags: c_int) -> c_int { unlink_at(folder, path, flags) }
    fn rmdir(path: *const c_char) -> c_int { unlink_at(AT_FDCWD, path, AT_REMOVEDIR) }
    fn mkdir(path: *const c_char, mode: mode_t) -> c_int { make_folder_at(AT_FDCWD, path, mode) }
    fn mkdirat(folder: c_int, path: *const c_char, mode: mode_t) -> c_int { make_folder_at(folder, path, mode) }
    fn link(from: *const c_char, to: *const c_char) -> c_int { link_at(AT_FDCWD, from, AT_FDCWD, to, 0) }
    fn linkat(from_folder: c_int, from: *const c_char, to_folder: c_int, to: *const c_char, flags: c_int) -> c_int {
        link_at(from_folder, from, to_folder, to, flags)
    }
    fn copy_file_range(from: c_int, from_offset: *mut off64_t, to: c_int, to_offset: *mut off64_t, count: size_t, flags: c_uint) -> ssize_t {
        copy(to, ENOSYS, || syscall!(SYS_copy_file_range, from, from_offset, to, to_offset, count, flags)) as ssize_t
    }
    fn sendfile64(to: c_int, from: c_int, offset: *mut off64_t, count: size_t) -> ssize_t {
        copy(to, EINVAL, || syscall!(SYS_sendfile, to, from, offset, count)) as ssize_t
    }
}
