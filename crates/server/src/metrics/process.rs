//! What the system says of this process; nothing where it does not tell.

use std::fs;

use super::exposition::{Exposition, Kind};

/// Writes what is known of the process.
pub(super) fn write(text: &mut Exposition) {
    if let Some(bytes) = resident_bytes() {
        let help = "Memory of the process that is not on disk, in bytes.";
        text.single("process_resident_memory_bytes", Kind::Gauge, help, bytes);
    }
    if let Ok(open) = fs::read_dir("/proc/self/fd") {
        text.single("process_open_fds", Kind::Gauge, "Files and connections that are open.", open.count());
    }
    if let Some(most) = most_files() {
        text.single("process_max_fds", Kind::Gauge, "Files and connections that may be open.", most);
    }
}

fn resident_bytes() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let kilobytes = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kilobytes: u64 = kilobytes.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}

fn most_files() -> Option<u64> {
    let limits = fs::read_to_string("/proc/self/limits").ok()?;
    let line = limits.lines().find_map(|line| line.strip_prefix("Max open files"))?;
    line.split_whitespace().next()?.parse().ok()
}
