//! The memory that this process may use: what is set, else the least of what its control groups and the machine have.

use std::path::Path;

use clap::Args;

use super::values::whole_number;

/// One part in this many of the memory is for imports and merges.
const BUILD_DIVISOR: u64 = 3;

/// More would make segments too large to be of use.
const MAX_BUILD_BYTES: u64 = 4 << 30;

/// What is assumed where the system says nothing.
const UNKNOWN_MEMORY_BYTES: u64 = 4 << 30;

/// Where version 2 of control groups has its files, and version 1 those about memory.
const CGROUP_FOLDERS: [(&str, &str); 2] =
    [("/sys/fs/cgroup", "memory.max"), ("/sys/fs/cgroup/memory", "memory.limit_in_bytes")];

#[derive(Debug, Args)]
#[command(next_help_heading = "Limits")]
pub(crate) struct MemorySettings {
    /// The memory that the server may use, in bytes, from which other limits follow; unset, the limit of the container, else
    /// the memory of the machine
    #[arg(long, value_name = "BYTES", value_parser = whole_number(1 << 20, u64::MAX))]
    memory_limit: Option<u64>,
}

impl MemorySettings {
    pub(super) fn limit(&self) -> u64 {
        self.memory_limit.unwrap_or_else(available_memory)
    }

    /// Returns how many bytes imports and merges may take.
    pub(crate) fn build_memory(&self) -> usize {
        usize::try_from((self.limit() / BUILD_DIVISOR).min(MAX_BUILD_BYTES)).unwrap_or(usize::MAX)
    }
}

/// Returns the memory that this process may use, in bytes.
fn available_memory() -> u64 {
    let groups = fs_err::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let limits = CGROUP_FOLDERS.into_iter().flat_map(|(folder, file)| {
        let own = groups.lines().filter_map(group_of_line);
        // In a container its own group is the root, whatever the kernel calls it.
        own.chain(["/"]).map(move |group| Path::new(folder).join(group.trim_start_matches('/')).join(file))
    });
    let limits = limits.filter_map(|path| limit_in(&fs_err::read_to_string(path).ok()?));
    let machine = fs_err::read_to_string("/proc/meminfo").ok().and_then(|info| total_in(&info));
    limits.chain(machine).min().unwrap_or(UNKNOWN_MEMORY_BYTES)
}

/// Returns the group that a line of `/proc/self/cgroup` names, if it is about memory.
fn group_of_line(line: &str) -> Option<&str> {
    let mut parts = line.splitn(3, ':');
    let (_, controllers, group) = (parts.next()?, parts.next()?, parts.next()?);
    (controllers.is_empty() || controllers.split(',').any(|name| name == "memory")).then_some(group)
}

/// Returns the limit in a file of a control group; nothing for `max`.
fn limit_in(text: &str) -> Option<u64> {
    text.trim().parse::<u64>().ok().filter(|bytes| *bytes > 0)
}

/// Returns the memory of the machine from `/proc/meminfo`.
fn total_in(info: &str) -> Option<u64> {
    let line = info.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kibibytes| kibibytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_system_says_is_read() {
        assert_eq!(group_of_line("0::/system.slice/cantata.service"), Some("/system.slice/cantata.service"));
        assert_eq!(group_of_line("5:cpu,memory:/docker/1"), Some("/docker/1"));
        assert_eq!(group_of_line("4:cpu,cpuacct:/docker/1"), None);
        assert_eq!((limit_in("1073741824\n"), limit_in("max\n")), (Some(1 << 30), None));
        assert_eq!(total_in("MemTotal:       16384 kB\nMemFree: 1 kB\n"), Some(16 << 20));
        assert!(available_memory() > 1 << 20);
    }
}
