//! `GET /metrics`: the counters, and the present state of the services.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use axum::extract::State;
use axum::response::Response;
use cantata_access::Identity;
use cantata_core::ErrorId;
use cantata_indexing::{CatalogueIndexing, IndexingActivity, JobStatus};
use cantata_search::{Catalogues, NodeReport, SearchCounters};
use http::{Extensions, HeaderValue};
use utoipa_axum::routes;

use super::exposition::{Exposition, Kind};
use super::{LOST_LOG_LINES, Metrics, MetricsAccess, process};
use crate::access::RequiredScope;
use crate::limits::Rejection;
use crate::response::with_content_type;
use crate::routes::{RouteSpec, Routes};
use crate::{AccessControl, Services};

const CONTENT_TYPE: HeaderValue = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");

/// The label that has the id of a catalogue.
const CATALOGUE: &str = "catalogue";

/// The label that has the id of a node, or else its name.
const NODE: &str = "node";

/// Where metrics come from; clones share it.
#[derive(Clone)]
pub(crate) struct MetricSources {
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) services: Services,
}

/// Returns the route with its description, if there is to be one.
pub(crate) fn routes<S: Clone + Send + Sync + 'static>(allowed: MetricsAccess, sources: MetricSources) -> Routes<S> {
    let routes = Routes::new(&sources.services.access);
    let is_authenticated = sources.services.access.authenticator.is_enabled();
    let need = match allowed {
        MetricsAccess::System if is_authenticated => RouteSpec::from(RequiredScope::System).probe(),
        MetricsAccess::System => RouteSpec::from(RequiredScope::System),
        MetricsAccess::Open => RouteSpec::from(RequiredScope::None).probe(),
        MetricsAccess::Off => return routes.with_state(sources),
    };
    routes.add(need, routes!(metrics)).with_state(sources)
}

/// Returns how the server is doing, in the text form of Prometheus.
#[utoipa::path(
    get, path = "/metrics", tag = "Health",
    responses((status = 200, description = "Counters and gauges", body = String, content_type = "text/plain"))
)]
async fn metrics(State(sources): State<MetricSources>, extensions: Extensions) -> Response {
    let mut text = Exposition::default();
    process::write(&mut text);
    sources.metrics.write(&mut text);
    sources.write_events(&mut text);
    sources.write_audit(&mut text);
    sources.write_jobs(&mut text);
    if sources.shows_catalogues(&extensions) {
        sources.write_searches(&mut text);
        sources.write_indexing(&mut text);
        sources.write_indexes(&mut text).await;
    }
    with_content_type(text.into_text(), CONTENT_TYPE)
}

impl Metrics {
    fn write(&self, text: &mut Exposition) {
        let help = "When the server started, in seconds since 1970.";
        text.single("process_start_time_seconds", Kind::Gauge, help, self.started.as_micros() / 1_000_000);
        let version = [(env!("CARGO_PKG_VERSION"), 1)];
        let help = "The version of the server; the value is always 1.";
        text.labelled("cantata_build_info", Kind::Gauge, help, "version", version);
        let help = "Requests whose answer has not begun.";
        text.single("cantata_http_requests_in_flight", Kind::Gauge, help, self.in_flight.load(Ordering::Relaxed));
        let abandoned = self.abandoned.load(Ordering::Relaxed);
        let help = "Requests whose client went away before the answer began.";
        text.single("cantata_http_requests_abandoned_total", Kind::Counter, help, abandoned);
        let routes = || self.routes.get().into_iter().flat_map(|routes| routes.metrics());
        let name = "cantata_http_requests_total";
        text.family(name, Kind::Counter, "Answers, by route, method and class of status.");
        routes().for_each(|route| route.write_responses(name, text));
        let help = "How long it took until an answer began, by route and method.";
        text.family("cantata_http_request_duration_seconds", Kind::Histogram, help);
        routes().for_each(|route| route.write_durations(text));
        let rejections = self.rejections.iter().map(|count| count.load(Ordering::Relaxed));
        let rejections = Rejection::REASONS.into_iter().zip(rejections);
        let help = "Requests that a limit refused, by reason.";
        text.labelled("cantata_http_requests_refused_total", Kind::Counter, help, "reason", rejections);
        let errors = self.errors.iter().map(|count| count.load(Ordering::Relaxed));
        let errors = ErrorId::ALL.iter().map(|id| id.as_str()).zip(errors).filter(|(_, count)| *count > 0);
        let help = "Answers with an error of the error table, by its id.";
        text.labelled("cantata_errors_total", Kind::Counter, help, "error", errors);
        let help = "Log lines that could not be written.";
        text.single("cantata_log_lines_lost_total", Kind::Counter, help, LOST_LOG_LINES.load(Ordering::Relaxed));
    }
}

impl MetricSources {
    /// Returns whether the client may know the size of every catalogue.
    fn shows_catalogues(&self, extensions: &Extensions) -> bool {
        let AccessControl { authenticator, scopes, .. } = &*self.services.access;
        let identity = extensions.get::<Arc<Identity>>();
        !authenticator.is_enabled() || identity.is_some_and(|identity| scopes.is_administrator(identity))
    }

    fn write_events(&self, text: &mut Exposition) {
        let help = "Changes that are stored: the number of the latest event.";
        text.single("cantata_events_total", Kind::Counter, help, self.services.metadata.latest_event());
        // While another server sends, this one does not know how far that came.
        if let Some(relay) = &self.services.outbox
            && let Some(sent) = relay.state().sent
        {
            let help = "Events that Kafka has not acknowledged yet.";
            text.single("cantata_outbox_lag_events", Kind::Gauge, help, relay.latest().saturating_sub(sent));
        }
    }

    fn write_audit(&self, text: &mut Exposition) {
        if let Some(audit) = &self.services.access.audit {
            let help = "Entries that could not be written to the audit log.";
            text.single("cantata_audit_entries_lost_total", Kind::Counter, help, audit.lost_count());
        }
    }

    fn write_jobs(&self, text: &mut Exposition) {
        if let Some(indexing) = &self.services.indexing {
            let running = indexing.jobs().list().iter().filter(|job| job.status == JobStatus::Running).count();
            text.single("cantata_jobs_running", Kind::Gauge, "Reindexes that are under way.", running);
        }
    }

    fn write_searches(&self, text: &mut Exposition) {
        let Some(search) = &self.services.search else { return };
        let catalogues = search.catalogues();
        let mut write = |name, help, count: fn(&SearchCounters) -> u64| {
            let counts = catalogues.counters().map(|(catalogue, counters)| (catalogue, count(counters)));
            text.labelled(name, Kind::Counter, help, CATALOGUE, counts);
        };
        let help = "GraphQL requests that were run, by catalogue.";
        write("cantata_searches_total", help, SearchCounters::executed);
        let help = "GraphQL requests that cannot be run as they are written, by catalogue.";
        write("cantata_searches_refused_total", help, SearchCounters::rejected);
        let help = "Searches that the engine failed to answer, by catalogue.";
        write("cantata_searches_failed_total", help, SearchCounters::failed);
        write_networks(text, &catalogues);
    }

    fn write_indexing(&self, text: &mut Exposition) {
        let Some(indexing) = &self.services.indexing else { return };
        let status = indexing.status();
        let lags = status.iter().filter_map(|one| Some((one.catalogue.as_str(), one.lag?)));
        let help = "Changes that are not in the index of the catalogue yet.";
        text.labelled("cantata_indexing_lag_changes", Kind::Gauge, help, CATALOGUE, lags);
        let is_failing = |one: &CatalogueIndexing| u8::from(one.status == IndexingActivity::Failing);
        let failing = status.iter().map(|one| (one.catalogue.as_str(), is_failing(one)));
        let help = "1 while the index of the catalogue cannot follow its source.";
        text.labelled("cantata_indexing_failing", Kind::Gauge, help, CATALOGUE, failing);
        let rejected = |one: &CatalogueIndexing| one.rejected_dropped.saturating_add(one.rejected.len() as u64);
        let rejected = status.iter().map(|one| (one.catalogue.as_str(), rejected(one)));
        let help = "Documents that could not be indexed, by catalogue.";
        text.labelled("cantata_set_aside_documents", Kind::Gauge, help, CATALOGUE, rejected);
    }

    /// Writes the sizes of catalogues whose indexes this server keeps; a cluster has its own metrics.
    async fn write_indexes(&self, text: &mut Exposition) {
        let (Some(search), Some(indexes)) = (&self.services.search, &self.services.indexes) else { return };
        let catalogues = search.catalogues();
        let (mut sizes, mut failing) = (Vec::new(), Vec::new());
        for (config, engine) in catalogues.configured() {
            if !Arc::ptr_eq(engine, &indexes.engine) {
                continue;
            }
            failing.push((config.id.as_str(), u8::from(engine.maintenance_failure(&config.index).is_some())));
            if let Ok(stats) = indexes.administration.stats(&config.index).await {
                sizes.push((config.id.as_str(), stats));
            }
        }
        let documents = sizes.iter().map(|(catalogue, stats)| (*catalogue, stats.documents));
        let help = "Documents in the index of the catalogue.";
        text.labelled("cantata_index_documents", Kind::Gauge, help, CATALOGUE, documents);
        let bytes = sizes.iter().map(|(catalogue, stats)| (*catalogue, stats.bytes));
        let help = "Bytes on disk of the index of the catalogue.";
        text.labelled("cantata_index_bytes", Kind::Gauge, help, CATALOGUE, bytes);
        let help = "1 while the segments of the index of the catalogue cannot be flushed or merged.";
        text.labelled("cantata_index_maintenance_failing", Kind::Gauge, help, CATALOGUE, failing);
    }
}

/// Writes how the nodes of networks are doing; nothing on a server without networks.
fn write_networks(text: &mut Exposition, catalogues: &Catalogues) {
    let networks: Vec<(&str, Vec<NodeReport>)> = catalogues.networks().collect();
    if networks.is_empty() {
        return;
    }
    let mut write = |name: &str, kind, help: &str, value: fn(&NodeReport) -> u64| {
        text.family(name, kind, help);
        for (catalogue, nodes) in &networks {
            for node in nodes {
                let id = node.id.as_deref().unwrap_or(&node.name);
                text.sample(name, &[(CATALOGUE, *catalogue), (NODE, id)], value(node));
            }
        }
    };
    let help = "1 while the node of the network is asked.";
    write("cantata_network_node_up", Kind::Gauge, help, |node| u64::from(node.error.is_none()));
    let help = "Questions to the node of the network.";
    write("cantata_network_questions_total", Kind::Counter, help, |node| node.asked);
    let help = "Questions that the node of the network gave no usable answer to.";
    write("cantata_network_failures_total", Kind::Counter, help, |node| node.failed);
    let help = "How long the node of the network took for all questions together.";
    write("cantata_network_answer_milliseconds_total", Kind::Counter, help, |node| node.answer_millis);
}
