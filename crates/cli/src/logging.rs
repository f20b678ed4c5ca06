//! The log on standard error, as text or JSON, and the export of spans.

mod format;
mod otlp;
mod output;

use tokio::runtime::Handle;
use tracing::{Level, Metadata};
use tracing_subscriber::filter::{FilterExt, filter_fn};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer, fmt};

use self::format::{JsonFormat, TextFormat};
pub(crate) use self::otlp::SpanExport;
use self::output::LogOutput;
use crate::error::CliError;
use crate::settings::{LogFormat, LoggingSettings, TracingSettings};

/// Directives that come before those of the operator: this library logs every message.
const QUIET_DIRECTIVES: &str = "rmcp=error";

/// Starts the log and, if an endpoint is set, the export of spans, which lasts as long as the returned value.
///
/// The log itself takes no part in spans, so without an endpoint they are disabled at their callsites.
pub(crate) fn start(
    settings: &LoggingSettings,
    tracing: Option<&TracingSettings>,
    runtime: &Handle,
) -> Result<Option<SpanExport>, CliError> {
    let endpoint = tracing.and_then(|tracing| tracing.otlp_endpoint.as_ref());
    let export = endpoint.map(|endpoint| SpanExport::start(endpoint, runtime.clone())).transpose()?;
    let spans = export
        .as_ref()
        .map(|export| tracing_opentelemetry::layer().with_tracer(export.tracer()).with_filter(filter_fn(is_exported)));
    let filter = EnvFilter::new(format!("{QUIET_DIRECTIVES},{}", settings.log)).and(filter_fn(is_logged));
    let lines = fmt::layer().with_writer(|| LogOutput).log_internal_errors(false);
    let lines = match settings.log_format {
        LogFormat::Text => lines.event_format(TextFormat::default()).with_filter(filter).boxed(),
        LogFormat::Json => lines.event_format(JsonFormat).with_filter(filter).boxed(),
    };
    tracing_subscriber::registry().with(lines).with(spans).init();
    Ok(export)
}

/// Returns whether something is a log line, or a question whether one would be written; spans are neither.
fn is_logged(metadata: &Metadata<'_>) -> bool {
    !metadata.is_span()
}

/// Returns whether a span, or a warning within one, is exported. Libraries are left out: the exporter uses some itself.
fn is_exported(metadata: &Metadata<'_>) -> bool {
    let (is_span, is_request) = (metadata.is_span(), metadata.target() == "request");
    let max_level = match (is_span, is_request) {
        (true, true) => Level::DEBUG,
        (true, false) => Level::INFO,
        (false, _) => Level::WARN,
    };
    (is_request || metadata.target().starts_with("cantata")) && *metadata.level() <= max_level
}
