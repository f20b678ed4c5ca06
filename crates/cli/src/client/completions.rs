//! `cantata completions`.

use std::process::ExitCode;

use clap::Args;
use clap_complete::{Shell, generate};

use super::Output;
use crate::command::Cli;
use crate::failure::Failure;

/// What `cantata completions` is told.
#[derive(Debug, Args)]
pub(crate) struct CompletionsArguments {
    /// The shell
    #[arg(value_name = "SHELL", value_enum)]
    shell: Shell,
}

/// Writes the script of a shell.
pub(super) fn run(arguments: &CompletionsArguments) -> Result<ExitCode, Failure> {
    let mut command = Cli::for_shells();
    let mut script = Vec::new();
    generate(arguments.shell, &mut command, "cantata", &mut script);
    let mut output = Output::standard(false);
    output.bytes(&script)?;
    output.finish()?;
    Ok(ExitCode::SUCCESS)
}
