//! The server under measurement: the program that users start, on the imported documents, with the sample catalogues.

use std::cell::OnceCell;
use std::path::Path;

use cantata_demo::catalogue::catalogue_files;
use tempfile::TempDir;

use super::SearchBench;
use super::arrays::Arrays;
use super::importing::imported;
use crate::Outcome;
use crate::report::{self, Figure};
use crate::server_process::{ServerProcess, serve_command};

/// A running server, and the same documents as bare arrays.
pub(super) struct SearchServer<'b> {
    bench: &'b SearchBench,
    pub(super) server: ServerProcess,
    arrays: OnceCell<Arrays>,
    _configs: TempDir,
}

impl<'b> SearchServer<'b> {
    /// Starts the server; the documents are imported first if they are not.
    pub(super) fn start(bench: &'b SearchBench) -> Outcome<Self> {
        let folder = imported(bench)?;
        let (configs, server) = start_server(bench, &folder)?;
        Ok(Self { bench, server, arrays: OnceCell::new(), _configs: configs })
    }

    /// Returns the documents as bare arrays.
    pub(super) fn arrays(&self) -> Outcome<&Arrays> {
        if let Some(arrays) = self.arrays.get() {
            return Ok(arrays);
        }
        report::progress("reading the documents into bare arrays");
        let arrays = Arrays::read(&self.bench.corpus)?;
        Ok(self.arrays.get_or_init(|| arrays))
    }

    /// Returns what the server has in memory now.
    pub(super) fn memory_figures(&self) -> Outcome<Vec<Figure>> {
        let memory = self.server.memory_parts()?;
        let figure = |what| Figure::alone(format!("Server memory after everything above, {what}"), "MB");
        Ok(vec![figure("its own").with(memory.own), figure("mapped files").with(memory.files)])
    }
}

/// Starts the server on a data folder, with the sample catalogues from a folder that must live as long.
pub(super) fn start_server(bench: &SearchBench, folder: &Path) -> Outcome<(TempDir, ServerProcess)> {
    let configs = write_configs(bench)?;
    let mut command = serve_command(folder, &[("CONFIGS_PATH", &configs.path())])?;
    bench.limit_memory(&mut command);
    Ok((configs, ServerProcess::start(command)?))
}

/// Writes the config files of the sample catalogue of files into a new folder.
pub(super) fn write_configs(bench: &SearchBench) -> Outcome<TempDir> {
    let configs = bench.workspace.new_folder()?;
    // The other catalogue has no documents here and could not be served.
    for (path, text) in catalogue_files().iter().filter(|(path, _)| path.starts_with("files/")) {
        let path = configs.path().join(path);
        if let Some(folder) = path.parent() {
            fs_err::create_dir_all(folder)?;
        }
        fs_err::write(path, text)?;
    }
    Ok(configs)
}
