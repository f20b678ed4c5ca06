//! Why the program ends without having done what it was asked, in words for the person who asked.

use std::io::{self, Write};
use std::process::ExitCode;

/// The exit code for a command line or a setting that cannot be used.
const UNUSABLE: u8 = 2;

/// The exit code for a server that cannot be reached or cannot answer now.
const UNREACHABLE: u8 = 3;

/// The exit code for something that the key does not allow, or that needs one.
pub(crate) const NOT_ALLOWED: u8 = 4;

/// A reason to end.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The command line cannot be read, or asked for help.
    Usage(clap::Error),
    /// Settings cannot be used: everything that is wrong with them, a line each.
    Settings(Vec<String>),
    /// The machine stands in the way, or a server refuses.
    Start(String),
    /// The server cannot be reached, or cannot answer now.
    Unreachable(String),
    /// The server asks for a key, or for one that allows more.
    NotAllowed(String),
}

impl From<clap::Error> for Failure {
    fn from(error: clap::Error) -> Self {
        Self::Usage(error)
    }
}

impl Failure {
    /// Makes the failure for one setting.
    pub(crate) fn setting(problem: impl Into<String>) -> Self {
        Self::Settings(vec![problem.into()])
    }

    /// Tells the person and returns the exit code. What cannot be written, to a closed pipe for instance, is let go.
    pub(crate) fn report(self) -> ExitCode {
        let mut stderr = io::stderr().lock();
        match self {
            Self::Usage(error) => {
                let _ = error.print();
                u8::try_from(error.exit_code()).map_or(ExitCode::from(UNUSABLE), ExitCode::from)
            }
            Self::Settings(problems) => {
                for problem in problems {
                    let _ = writeln!(stderr, "error: {problem}");
                }
                ExitCode::from(UNUSABLE)
            }
            Self::Start(problem) => {
                let _ = writeln!(stderr, "error: {problem}");
                ExitCode::FAILURE
            }
            Self::Unreachable(problem) => {
                let _ = writeln!(stderr, "error: {problem}");
                ExitCode::from(UNREACHABLE)
            }
            Self::NotAllowed(problem) => {
                let _ = writeln!(stderr, "error: {problem}");
                ExitCode::from(NOT_ALLOWED)
            }
        }
    }
}
