//! The facts of the machine that a reader needs to judge the figures.

use std::path::Path;

use serde::Serialize;

use crate::Outcome;

/// The facts of the machine and of the folder that the data was in.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Machine {
    pub(crate) processor: String,
    pub(crate) cores: usize,
    pub(crate) memory_gib: f64,
    pub(crate) kernel: String,
    pub(crate) file_system: String,
}

impl Machine {
    pub(crate) fn inspect(folder: &Path) -> Outcome<Self> {
        let meminfo = fs_err::read_to_string("/proc/meminfo")?;
        let kibibytes: f64 = value_of(&meminfo, "MemTotal").trim_end_matches(" kB").parse()?;
        let mounts = fs_err::read_to_string("/proc/self/mountinfo")?;
        let file_system = file_system_of(&mounts, &fs_err::canonicalize(folder)?)
            .ok_or_else(|| format!("the file system of {} is not among the mounts", folder.display()))?;
        Ok(Self {
            processor: value_of(&fs_err::read_to_string("/proc/cpuinfo")?, "model name"),
            cores: std::thread::available_parallelism()?.get(),
            memory_gib: (kibibytes / 1_024.0 / 102.4).round() / 10.0,
            kernel: fs_err::read_to_string("/proc/sys/kernel/osrelease")?.trim().to_owned(),
            file_system,
        })
    }
}

/// Returns the first value with this name in a list of `name: value`.
fn value_of(list: &str, name: &str) -> String {
    let pairs = list.lines().filter_map(|line| line.split_once(':'));
    let value = pairs.filter(|(found, _)| found.trim() == name).map(|(_, value)| value.trim().to_owned()).next();
    value.unwrap_or_else(|| "unknown".to_owned())
}

/// Returns the type of the file system of a folder: the one mounted closest above it, and of several at the same mount
/// point the last.
fn file_system_of(mounts: &str, folder: &Path) -> Option<String> {
    let mounted = mounts.lines().filter_map(|line| {
        let (mount, kind) = line.split_once(" - ")?;
        Some((Path::new(mount.split(' ').nth(4)?), kind.split(' ').next()?))
    });
    let above = mounted.filter(|(mount_point, _)| folder.starts_with(mount_point));
    above.max_by_key(|(mount_point, _)| mount_point.components().count()).map(|(_, kind)| kind.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_closest_mount_above_a_folder_counts() {
        let mounts = "21 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw\n\
                      22 21 0:20 / /tmp rw - tmpfs tmpfs rw\n\
                      23 22 0:21 / /tmp/deep rw - xfs /dev/vdb rw";
        let kind = |folder| file_system_of(mounts, Path::new(folder)).unwrap();
        assert_eq!(kind("/data"), "ext4");
        assert_eq!(kind("/tmp/x"), "tmpfs");
        assert_eq!(kind("/tmp/deep/y"), "xfs");
        assert_eq!(kind("/tmpx"), "ext4");
    }
}
