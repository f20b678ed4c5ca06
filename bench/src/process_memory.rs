//! The memory of a process that is in RAM, as the kernel counts it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::Outcome;

/// The interval at which the memory of a process is sampled.
const SAMPLE_INTERVAL: Duration = Duration::from_millis(20);

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

/// The most megabytes of a process that were in RAM.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PeakMemory {
    /// Everything, since the process was started.
    pub(crate) all: f64,
    /// What belonged to the process alone, while it was sampled.
    pub(crate) own: f64,
}

impl PeakMemory {
    /// Does some work, and samples the memory of a process meanwhile.
    pub(crate) fn during<T>(process: u32, work: impl FnOnce() -> T) -> (T, Self) {
        let is_over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let sampler = scope.spawn(|| Self::sample(process, &is_over));
            let done = work();
            is_over.store(true, Ordering::Relaxed);
            (done, sampler.join().unwrap_or_default())
        })
    }

    fn sample(process: u32, is_over: &AtomicBool) -> Self {
        let mut peak = Self::default();
        while !is_over.load(Ordering::Relaxed) {
            // Right before its end the kernel shows nothing of a process any more.
            if let Ok(memory) = ProcessMemory::of(process) {
                peak = Self { all: peak.all.max(memory.peak), own: peak.own.max(memory.own) };
            }
            std::thread::sleep(SAMPLE_INTERVAL);
        }
        peak
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
