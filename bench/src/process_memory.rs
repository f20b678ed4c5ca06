//! The memory of a process that is in RAM, as the kernel counts it.

use crate::Outcome;

/// Megabytes (of 1,000,000 bytes) of a process that are in RAM.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ProcessMemory {
    /// Everything.
    pub(crate) all: f64,
    /// The most there ever was of everything.
    pub(crate) peak: f64,
    /// What belongs to the process alone.
    pub(crate) own: f64,
    /// Pages of mapped files, which the kernel takes back when it needs them.
    pub(crate) files: f64,
}

impl ProcessMemory {
    pub(crate) fn of(process: u32) -> Outcome<Self> {
        Self::parse(&fs_err::read_to_string(format!("/proc/{process}/status"))?)
    }

    fn parse(status: &str) -> Outcome<Self> {
        let megabytes = |name: &str| -> Outcome<f64> {
            let found = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
            let kibibytes: f64 =
                found.ok_or_else(|| format!("the kernel shows no {name}"))?.trim().trim_end_matches(" kB").parse()?;
            Ok(kibibytes * 1_024.0 / 1_000_000.0)
        };
        Ok(Self {
            all: megabytes("VmRSS")?,
            peak: megabytes("VmHWM")?,
            own: megabytes("RssAnon")?,
            files: megabytes("RssFile")?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_lines_are_understood() {
        let status = "Name:\tx\nVmHWM:\t 4000 kB\nVmRSS:\t    2000 kB\nRssAnon:\t 1000 kB\nRssFile:\t  500 kB\n";
        let memory = ProcessMemory::parse(status).unwrap();
        assert_eq!((memory.all, memory.peak, memory.own, memory.files), (2.048, 4.096, 1.024, 0.512));
        assert!(ProcessMemory::parse("").unwrap_err().to_string().contains("VmRSS"));
    }
}
