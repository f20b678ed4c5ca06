//! The log: on standard error, as text for people or as JSON for machines.

mod line;

use std::io;

use tracing_subscriber::EnvFilter;

use self::line::{JsonLine, TextLine};
use crate::settings::{LogFormat, LoggingSettings};

/// What a library says of every message is only for those who ask for it.
const QUIET: &str = "rmcp=error";

/// Starts the log.
pub(crate) fn start(settings: &LoggingSettings) {
    let builder = tracing_subscriber::fmt()
        .with_env_filter(EnvFilter::new(format!("{QUIET},{}", settings.log)))
        .with_writer(io::stderr);
    match settings.log_format {
        LogFormat::Text => builder.event_format(TextLine::default()).init(),
        LogFormat::Json => builder.event_format(JsonLine).init(),
    }
}
