//! The binary `cantata`: reads the command line and its settings, then runs a command.
//!
//! The exit code is 0 on success, 2 for an invalid command line or setting, and 1 for a failure such as a port in use or a
//! folder that cannot be written. `import`, `import song-db`, `index verify`, `verify` and the client commands also end with
//! 1 when they completed and something was rejected or wrong; client commands end with 3 when the server cannot be reached
//! or cannot answer now, and with 4 when it denies access.

mod backends;
mod client;
mod command_line;
mod commands;
mod data_dir;
mod error;
mod http;
mod logging;
mod settings;
mod terminal;

use std::process::ExitCode;

use rustix::fs::Mode;
use rustix::process::umask;

use crate::command_line::{Cli, Command};
use crate::commands::serve::small_pages::SmallPages;
use crate::commands::{backup, completions, demo, import, import_song_db, index, key, restore, serve, verify};
use crate::error::CliError;
use crate::settings::Settings;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    match run() {
        Ok(code) => code,
        Err(error) => error.report(),
    }
}

fn run() -> Result<ExitCode, CliError> {
    let small_pages = SmallPages::begin();
    let cli = Cli::read(std::env::args_os().collect())?;
    let server = cli.command.server_settings();
    server.map_or(Ok(()), Settings::check)?;
    if cli.command.writes_data() {
        umask(Mode::RWXG | Mode::RWXO);
    }
    let small_pages = Some(small_pages).filter(|_| matches!(cli.command, Command::Serve(_)));
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    // The allocator keeps memory for each thread, so their number bounds what is kept.
    if let Some(server) = server {
        runtime.max_blocking_threads(server.limits.blocking_threads());
    }
    let runtime = runtime
        .enable_all()
        .build()
        .map_err(|error| CliError::caused("the threads of the server cannot be started", error))?;
    // Dropped before the runtime, which sends the last spans.
    let _span_export = match cli.command.logging() {
        Some(settings) => {
            let export = logging::start(settings, server.map(|server| &server.tracing), runtime.handle())?;
            settings::warn_of_unused_variables();
            export
        }
        None => None,
    };
    match &cli.command {
        Command::Serve(arguments) => runtime.block_on(serve::serve(&arguments.settings, small_pages)),
        Command::Demo(arguments) => runtime.block_on(demo::demo(&arguments.settings, &arguments.sample)),
        Command::Import(arguments) => runtime.block_on(import::import(arguments)),
        Command::ImportSongDb(arguments) => runtime.block_on(import_song_db::import_song_db(arguments)),
        Command::Backup(arguments) => runtime.block_on(backup::backup(arguments)),
        Command::Restore(arguments) => runtime.block_on(restore::restore(arguments)),
        Command::Verify(arguments) => runtime.block_on(verify::verify(arguments)),
        Command::Key(arguments) => runtime.block_on(key::key(arguments)),
        Command::Completions(arguments) => completions::completions(arguments, Cli::for_shells()),
        Command::Client(command) => runtime.block_on(command.run()),
        Command::Index(arguments) => runtime.block_on(index::index(arguments)),
    }
}
