//! `cantata completions`.

use std::process::ExitCode;

use clap::{Args, Command};
use clap_complete::{Shell, generate};

use crate::error::CliError;
use crate::terminal::Output;

/// The arguments of `cantata completions`.
#[derive(Debug, Args)]
pub(crate) struct CompletionsArguments {
    /// The shell
    #[arg(value_name = "SHELL", value_enum)]
    shell: Shell,
}

/// Writes the completion script of a shell.
pub(crate) fn completions(arguments: &CompletionsArguments, mut command: Command) -> Result<ExitCode, CliError> {
    let mut script = Vec::new();
    generate(arguments.shell, &mut command, "cantata", &mut script);
    let mut output = Output::standard(false);
    output.bytes(&script)?;
    output.finish()
}
