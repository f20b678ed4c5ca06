//! Export of spans.

use clap::Args;
use reqwest::Url;

use super::values::http_url;

#[derive(Debug, Args)]
#[command(next_help_heading = "Log")]
pub(crate) struct TracingSettings {
    /// The OpenTelemetry collector that spans are exported to (OTLP over HTTP), such as http://127.0.0.1:4318; unset, none
    /// are exported
    #[arg(long, value_name = "URL", value_parser = http_url)]
    pub(crate) otlp_endpoint: Option<Url>,
}
