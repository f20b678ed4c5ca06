//! The log.

use clap::{Args, ValueEnum};

use super::values::log_filter;

/// The format of the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogFormat {
    /// Text lines
    Text,
    /// One JSON object per line
    Json,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Log")]
pub(crate) struct LoggingSettings {
    /// The log filter: off, error, warn, info, debug or trace, also per module, such as warn,cantata_metadata=debug
    #[arg(long, value_name = "FILTER", default_value = "info", value_parser = log_filter)]
    pub(crate) log: String,
    /// The format of the log on standard error
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = LogFormat::Text)]
    pub(crate) log_format: LogFormat,
}
