//! The binary `cantata`: reads the command line and its settings, then runs what was asked for.
//!
//! It ends with 0 when all went well, with 2 when the command line or a setting cannot be used, and with 1 when the
//! machine stood in the way: a port that is taken, a folder that cannot be written. `import`, `import song-db`, `index
//! verify` and the commands that ask a server also end with 1 when they did their work and something was refused or
//! wrong; the latter with 3 when the server cannot be reached or cannot answer now, and with 4 when it does not let them in.

mod access;
mod backup;
mod client;
mod command;
mod connection;
mod demo;
mod engines;
mod failure;
mod import;
mod index;
mod indexes;
mod indexing;
mod key;
mod logging;
mod open_files;
mod restore;
mod serve;
mod settings;
mod signals;
mod song_db;
mod stores;

use std::process::ExitCode;

use crate::command::{Cli, Command};
use crate::failure::Failure;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    match run() {
        Ok(code) => code,
        Err(failure) => failure.report(),
    }
}

fn run() -> Result<ExitCode, Failure> {
    let cli = Cli::read(std::env::args_os().collect())?;
    cli.command.check()?;
    if let Some(settings) = cli.command.logging() {
        logging::start(settings);
        settings::warn_of_renamed_variables();
    }
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::Start(format!("the threads of the server could not be started: {error}")))?;
    match &cli.command {
        Command::Serve(arguments) => runtime.block_on(serve::serve(&arguments.settings))?,
        Command::Demo(arguments) => runtime.block_on(demo::demo(&arguments.settings, &arguments.sample))?,
        Command::Import(arguments) => return runtime.block_on(import::import(arguments)),
        Command::ImportSongDb(arguments) => return runtime.block_on(song_db::import(arguments)),
        Command::Backup(arguments) => return runtime.block_on(backup::backup(arguments)),
        Command::Restore(arguments) => return runtime.block_on(restore::restore(arguments)),
        Command::Key(arguments) => return key::key(arguments),
        Command::Client(command) => return runtime.block_on(command.run()),
        Command::Index(arguments) => return runtime.block_on(index::index(arguments)),
    }
    Ok(ExitCode::SUCCESS)
}
