//! The error of a command, and its exit code.

use std::error::Error;
use std::process::ExitCode;

use cantata_core::error_chain;

use crate::terminal::print_note;

/// The exit code for a failure.
const FAILED_CODE: u8 = 1;

/// The exit code for an invalid command line or setting.
const INVALID_SETTINGS_CODE: u8 = 2;

/// The exit code for a server that cannot be reached or cannot answer now.
const UNREACHABLE_CODE: u8 = 3;

/// The exit code for a missing or insufficient key.
pub(crate) const NOT_ALLOWED_CODE: u8 = 4;

/// Why a command ended without doing what it was asked for.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CliError {
    /// The command line is invalid, or asks for help.
    #[error(transparent)]
    Usage(#[from] clap::Error),
    /// Settings are invalid, one problem each.
    #[error("{}", .0.join("; "))]
    Settings(Vec<String>),
    /// The command failed.
    #[error("{message}")]
    Failed {
        /// What failed.
        message: String,
        source: Option<Box<dyn Error + Send + Sync>>,
        /// What the user can do about it.
        hint: Option<&'static str>,
    },
    /// The server cannot be reached, or cannot answer now.
    #[error("{0}")]
    Unreachable(String),
    /// The server requires a key, or one with more scopes.
    #[error("{0}")]
    NotAllowed(String),
}

impl CliError {
    /// Creates the error of one invalid setting.
    pub(crate) fn setting(problem: impl Into<String>) -> Self {
        Self::Settings(vec![problem.into()])
    }

    /// Creates the error of a failed command.
    pub(crate) fn failed(message: impl Into<String>) -> Self {
        Self::Failed { message: message.into(), source: None, hint: None }
    }

    /// Creates the error of a failed command, with its cause.
    pub(crate) fn caused(message: impl Into<String>, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::Failed { message: message.into(), source: Some(source.into()), hint: None }
    }

    /// Adds what the user can do about a failure.
    pub(crate) fn with_hint(mut self, text: &'static str) -> Self {
        if let Self::Failed { hint, .. } = &mut self {
            *hint = Some(text);
        }
        self
    }

    /// Writes the error with its causes to standard error, and returns the exit code. A closed pipe is ignored.
    pub(crate) fn report(self) -> ExitCode {
        let (problems, code) = match &self {
            Self::Usage(error) => {
                let _ = error.print();
                return u8::try_from(error.exit_code()).unwrap_or(INVALID_SETTINGS_CODE).into();
            }
            Self::Settings(problems) => (problems.clone(), INVALID_SETTINGS_CODE),
            Self::Failed { hint, .. } => {
                let hint = hint.map(|hint| format!("; {hint}")).unwrap_or_default();
                (vec![format!("{}{hint}", error_chain(&self))], FAILED_CODE)
            }
            Self::Unreachable(problem) => (vec![problem.clone()], UNREACHABLE_CODE),
            Self::NotAllowed(problem) => (vec![problem.clone()], NOT_ALLOWED_CODE),
        };
        problems.iter().for_each(|problem| print_note(format_args!("error: {problem}")));
        ExitCode::from(code)
    }
}
