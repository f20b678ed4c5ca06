//! The folder that a run works in, on a disk.

use std::path::PathBuf;

use clap::Args;
use tempfile::TempDir;

use crate::Outcome;
use crate::machine::Machine;

/// Which folder to work in.
#[derive(Args)]
pub(crate) struct DataFolder {
    /// The folder for data, on a real disk; one beside the programs if not given. What takes long to make is kept
    /// there for the next run.
    #[arg(long, value_name = "FOLDER", env = "CANTATA_BENCH_DIR")]
    data: Option<PathBuf>,
}

/// Where data lies, and on what machine.
pub(crate) struct Workspace {
    /// What is kept for the next run.
    pub(crate) cache: PathBuf,
    pub(crate) machine: Machine,
    /// Everything else; it goes when the run ends.
    scratch: TempDir,
}

impl Workspace {
    pub(crate) fn new(folder: &DataFolder) -> Outcome<Self> {
        let cache = match &folder.data {
            Some(folder) => folder.clone(),
            None => std::env::current_exe()?.with_file_name("cantata-bench-data"),
        };
        fs_err::create_dir_all(&cache)?;
        let scratch = tempfile::Builder::new().prefix("run-").tempdir_in(&cache)?;
        let machine = Machine::look(scratch.path())?;
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
