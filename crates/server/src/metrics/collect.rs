//! `GET /metrics`: the counters, and the present state of the services.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use axum::extract::State;
use axum::response::Response;
use cantata_access::Identity;
use cantata_core::ErrorId;
use cantata_indexing::{Indexing, IndexingActivity, JobStatus};
use cantata_metadata::MetadataService;
use cantata_outbox::RelayWatch;
use cantata_search::{SearchCounters, SearchService};
use http::{Extensions, HeaderValue};
use utoipa_axum::routes;

use super::exposition::{Exposition, Kind};
use super::{Metrics, MetricsAccess, process};
use crate::access::RequiredScope;
use crate::error_body::ErrorBody;
use crate::limits::Rejection;
use crate::response::with_content_type;
use crate::routes::Routes;
use crate::{AccessControl, Indexes};

const CONTENT_TYPE: HeaderValue = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");

/// Takes one number from what was counted of a catalogue.
type Count = fn(&SearchCounters) -> u64;

/// What can be asked how it is doing; clones ask the same.
#[derive(Clone)]
pub(crate) struct MetricSources {
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) access: Arc<AccessControl>,
    pub(crate) metadata: Arc<MetadataService>,
    pub(crate) search: Option<Arc<SearchService>>,
    pub(crate) indexes: Option<Indexes>,
    pub(crate) outbox: Option<RelayWatch>,
    pub(crate) indexing: Option<Arc<Indexing>>,
}

/// Returns the route with its description, if there is to be one.
pub(crate) fn routes<S: Clone + Send + Sync + 'static>(allowed: MetricsAccess, sources: MetricSources) -> Routes<S> {
    let routes = Routes::new(&sources.access);
    let need = match allowed {
        MetricsAccess::System => RequiredScope::System,
        MetricsAccess::Open => RequiredScope::None,
        MetricsAccess::Off => return routes.with_state(sources),
    };
    routes.add(need, routes!(metrics)).with_state(sources)
}

/// Returns how the server is doing, in the text form of Prometheus.
#[utoipa::path(
    get, path = "/metrics", tag = "Health",
    responses(
        (status = 200, description = "Counters and gauges", body = String, content_type = "text/plain"),
        (status = "default", description = "An error", body = ErrorBody),
    )
)]
async fn metrics(State(sources): State<MetricSources>, extensions: Extensions) -> Response {
    let mut text = Exposition::default();
    process::write(&mut text);
    sources.metrics.write(&mut text);
    sources.write_events(&mut text);
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
        let seconds = self.started.as_micros() / 1_000_000;
        text.single(
            "process_start_time_seconds",
            Kind::Gauge,
            "When the server started, in seconds since 1970.",
            seconds,
        );
        text.family("cantata_build_info", Kind::Gauge, "The version of the server; the value is always 1.");
        text.sample("cantata_build_info", &[("version", env!("CARGO_PKG_VERSION"))], 1);
        let (in_flight, abandoned) = (self.in_flight.load(Ordering::Relaxed), self.abandoned.load(Ordering::Relaxed));
        let help = "Requests whose answer has not begun.";
        text.single("cantata_http_requests_in_flight", Kind::Gauge, help, in_flight);
        let help = "Requests whose client went away before the answer began.";
        text.single("cantata_http_requests_abandoned_total", Kind::Counter, help, abandoned);
        let routes = || self.routes.get().into_iter().flat_map(|routes| routes.metrics());
        let name = "cantata_http_requests_total";
        text.family(name, Kind::Counter, "Answers, by route, method and class of status.");
        routes().for_each(|route| route.write_responses(name, text));
        let help = "How long it took until an answer began, by route and method.";
        text.family("cantata_http_request_duration_seconds", Kind::Histogram, help);
        routes().for_each(|route| route.write_durations(text));
        let name = "cantata_http_requests_refused_total";
        text.family(name, Kind::Counter, "Requests that a limit refused, by reason.");
        for (reason, count) in Rejection::REASONS.iter().zip(&self.rejections) {
            text.sample(name, &[("reason", reason)], count.load(Ordering::Relaxed));
        }
        let name = "cantata_errors_total";
        text.family(name, Kind::Counter, "Answers with an error of the error table, by its id.");
        for (id, count) in ErrorId::ALL.iter().zip(&self.errors) {
            let count = count.load(Ordering::Relaxed);
            if count > 0 {
                text.sample(name, &[("error", id.as_str())], count);
            }
        }
    }
}

impl MetricSources {
    /// Says whether whoever asks may know of every catalogue how large it is.
    fn shows_catalogues(&self, extensions: &Extensions) -> bool {
        let AccessControl { authenticator, scopes, .. } = &*self.access;
        let identity = extensions.get::<Arc<Identity>>();
        !authenticator.is_enabled() || identity.is_some_and(|identity| scopes.is_administrator(identity))
    }

    fn write_events(&self, text: &mut Exposition) {
        let help = "Changes that are stored: the number of the latest event.";
        text.single("cantata_events_total", Kind::Counter, help, self.metadata.latest_event());
        // While another server sends, this one does not know how far that came.
        if let Some(relay) = &self.outbox
            && let Some(sent) = relay.state().sent
        {
            let help = "Events that Kafka has not acknowledged yet.";
            text.single("cantata_outbox_lag_events", Kind::Gauge, help, relay.latest().saturating_sub(sent));
        }
    }

    fn write_jobs(&self, text: &mut Exposition) {
        if let Some(indexing) = &self.indexing {
            let running = indexing.jobs().list().iter().filter(|job| job.status == JobStatus::Running).count();
            text.single("cantata_jobs_running", Kind::Gauge, "Reindexes that are under way.", running);
        }
    }

    fn write_searches(&self, text: &mut Exposition) {
        let Some(search) = &self.search else { return };
        let catalogues = search.catalogues();
        let families: [(_, _, Count); 3] = [
            ("cantata_searches_total", "GraphQL requests that were run, by catalogue.", SearchCounters::executed),
            (
                "cantata_searches_refused_total",
                "GraphQL requests that cannot be run as they are written, by catalogue.",
                SearchCounters::rejected,
            ),
            (
                "cantata_searches_failed_total",
                "Searches that the engine failed to answer, by catalogue.",
                SearchCounters::failed,
            ),
        ];
        for (name, help, count) in families {
            text.family(name, Kind::Counter, help);
            for (catalogue, counters) in catalogues.counters() {
                text.sample(name, &[("catalogue", catalogue)], count(counters));
            }
        }
    }

    fn write_indexing(&self, text: &mut Exposition) {
        let Some(indexing) = &self.indexing else { return };
        let status = indexing.status();
        let name = "cantata_indexing_lag_changes";
        text.family(name, Kind::Gauge, "Changes that are not in the index of the catalogue yet.");
        for one in &status {
            if let Some(behind) = one.lag {
                text.sample(name, &[("catalogue", &one.catalogue)], behind);
            }
        }
        let name = "cantata_indexing_failing";
        text.family(name, Kind::Gauge, "1 while the index of the catalogue cannot follow its source.");
        for one in &status {
            let is_failing = one.status == IndexingActivity::Failing;
            text.sample(name, &[("catalogue", &one.catalogue)], u8::from(is_failing));
        }
        let name = "cantata_set_aside_documents";
        text.family(name, Kind::Gauge, "Documents that could not be indexed, by catalogue.");
        for one in &status {
            let listed = u64::try_from(one.rejected.len()).unwrap_or(u64::MAX);
            text.sample(name, &[("catalogue", &one.catalogue)], listed.saturating_add(one.rejected_dropped));
        }
    }

    /// Writes the sizes of catalogues whose indexes this server keeps; a cluster has its own ways to tell.
    async fn write_indexes(&self, text: &mut Exposition) {
        let (Some(search), Some(indexes)) = (&self.search, &self.indexes) else { return };
        let catalogues = search.catalogues();
        let mut sizes = Vec::new();
        for (config, engine) in catalogues.configured() {
            if !Arc::ptr_eq(engine, &indexes.engine) {
                continue;
            }
            if let Ok(stats) = indexes.administration.stats(&config.index).await {
                sizes.push((config.id.as_str(), stats.documents, stats.bytes));
            }
        }
        let name = "cantata_index_documents";
        text.family(name, Kind::Gauge, "Documents in the index of the catalogue.");
        for (catalogue, documents, _) in &sizes {
            text.sample(name, &[("catalogue", catalogue)], documents);
        }
        let name = "cantata_index_bytes";
        text.family(name, Kind::Gauge, "Bytes on disk of the index of the catalogue.");
        for (catalogue, _, bytes) in &sizes {
            text.sample(name, &[("catalogue", catalogue)], bytes);
        }
    }
}
