//! The folder that a run works in, on a disk.

use std::path::PathBuf;

use tempfile::TempDir;

use crate::Outcome;
use crate::machine::Machine;
use crate::report::RunPaths;

/// Where data lies, and on what machine.
pub(crate) struct Workspace {
    /// What is kept for the next run.
    pub(crate) cache: PathBuf,
    pub(crate) machine: Machine,
    /// Everything else; it goes when the run ends.
    scratch: TempDir,
}

impl Workspace {
    pub(crate) fn new(paths: &RunPaths) -> Outcome<Self> {
        let cache = match &paths.data {
            Some(folder) => folder.clone(),
            None => std::env::current_exe()?.with_file_name("cantata-bench-data"),
        };
        fs_err::create_dir_all(&cache)?;
        let scratch = tempfile::Builder::new().prefix("run-").tempdir_in(&cache)?;
        let machine = Machine::inspect(scratch.path())?;
        if machine.file_system == "tmpfs" {
            return Err("the data folder is in memory, where nothing costs what it does on a disk; \
                        name one on a disk with CANTATA_BENCH_DIR"
                .into());
        }
        Ok(Self { cache, machine, scratch })
    }

    /// Returns an empty folder, which goes with the returned value: stores are large.
    pub(crate) fn new_folder(&self) -> Outcome<TempDir> {
        Ok(tempfile::tempdir_in(&self.scratch)?)
    }
}
