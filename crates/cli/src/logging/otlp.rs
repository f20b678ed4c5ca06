//! Export of spans to an OpenTelemetry collector (OTLP over HTTP with protobuf).
//!
//! Spans are queued, and a thread of the SDK sends them in batches; a full queue drops spans, so a slow or absent
//! collector never delays a request.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use cantata_core::error_chain;
use opentelemetry::trace::TracerProvider as _;
use opentelemetry_http::{Bytes, HttpClient, HttpError, Request, Response};
use opentelemetry_otlp::{Protocol, SpanExporter, WithExportConfig, WithHttpConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::{SdkTracerProvider, Tracer};
use reqwest::Url;
use tokio::runtime::Handle;

use crate::error::CliError;
use crate::http;

/// How long one export may take.
const EXPORT_TIMEOUT: Duration = Duration::from_secs(10);

/// How long the last export may delay the end of the process.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(5);

/// The path that the protocol appends to the endpoint.
const TRACES_PATH: &str = "v1/traces";

/// Exports spans until it is dropped, which flushes the queue.
pub(crate) struct SpanExport(SdkTracerProvider);

impl SpanExport {
    /// Starts the export; calls are driven by a runtime that must outlive it.
    pub(super) fn start(endpoint: &Url, runtime: Handle) -> Result<Self, CliError> {
        let invalid =
            |error: Box<dyn std::error::Error + Send + Sync>| CliError::setting(format!("OTLP_ENDPOINT: {error}"));
        let client = OtlpClient {
            http: http::builder(endpoint).timeout(EXPORT_TIMEOUT).build().map_err(|error| invalid(error.into()))?,
            runtime,
            is_failing: AtomicBool::new(false),
        };
        let mut url = endpoint.clone();
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.pop_if_empty().extend(TRACES_PATH.split('/'));
        }
        let exporter = SpanExporter::builder()
            .with_http()
            .with_http_client(client)
            .with_protocol(Protocol::HttpBinary)
            .with_endpoint(url)
            .with_timeout(EXPORT_TIMEOUT)
            .build()
            .map_err(|error| invalid(error.into()))?;
        let resource = Resource::builder().with_service_name("cantata").build();
        Ok(Self(SdkTracerProvider::builder().with_batch_exporter(exporter).with_resource(resource).build()))
    }

    /// Returns the tracer that records spans.
    pub(super) fn tracer(&self) -> Tracer {
        self.0.tracer("cantata")
    }
}

impl Drop for SpanExport {
    fn drop(&mut self) {
        if let Err(error) = self.0.shutdown_with_timeout(FLUSH_TIMEOUT) {
            tracing::debug!(error = error_chain(&error), "the last spans were not exported");
        }
    }
}

/// Sends batches with the HTTP client of this program; the thread of the SDK has no runtime of its own.
#[derive(Debug)]
struct OtlpClient {
    http: reqwest::Client,
    runtime: Handle,
    is_failing: AtomicBool,
}

impl OtlpClient {
    async fn send(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let request = reqwest::Request::try_from(request)?;
        let http = self.http.clone();
        let sent = self.runtime.spawn(async move {
            let response = http.execute(request).await?.error_for_status()?;
            let status = response.status();
            Ok::<_, reqwest::Error>((status, response.bytes().await?))
        });
        let (status, body) = sent.await??;
        Ok(Response::builder().status(status).body(body)?)
    }
}

#[async_trait]
impl HttpClient for OtlpClient {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let sent = self.send(request).await;
        // A collector that is down for long is reported once.
        let was_failing = self.is_failing.swap(sent.is_err(), Ordering::Relaxed);
        match &sent {
            Err(error) if !was_failing => {
                tracing::warn!(error = error_chain(&**error), "spans cannot be exported to OTLP_ENDPOINT");
            }
            Ok(_) if was_failing => tracing::info!("spans are exported to OTLP_ENDPOINT again"),
            _ => {}
        }
        sent
    }
}
