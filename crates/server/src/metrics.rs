//! `/metrics`, in the text format of Prometheus.
//!
//! Requests are counted in atomics of their route: no lock, no allocation, no look-up of labels. All other values are
//! read from the services on each scrape. Labels are route templates, methods, error ids and ids of catalogues, so a
//! client cannot make new ones. Without the scope of the system nothing is shown of single catalogues, since rules may
//! hide their sizes.
//!
//! The crate `prometheus-client` would lock a histogram for each request, and writes OpenMetrics only.

mod collect;
mod exposition;
mod process;
mod route;

pub(crate) use collect::{MetricSources, routes};
pub(crate) use route::RouteMetrics;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use axum::extract::Request;
use axum::response::Response;
use cantata_core::{Error, ErrorId, Timestamp};
use http::{Method, Uri};
use tracing::Level;

use crate::intercept::Intercept;
use crate::limits::Rejection;
use crate::routes::{RegisteredRoute, RouteTable};

/// Who may read `/metrics`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MetricsAccess {
    /// Administrators; everybody, where authentication is off.
    #[default]
    System,
    /// Everybody; only administrators see single catalogues.
    Open,
    /// Nobody.
    Off,
}

/// Log lines of the process that could not be written.
static LOST_LOG_LINES: AtomicU64 = AtomicU64::new(0);

/// Counts a log line that could not be written; there is one log for all servers of a process.
pub fn count_lost_log_line() {
    LOST_LOG_LINES.fetch_add(1, Ordering::Relaxed);
}

/// The counters of the server.
pub(crate) struct Metrics {
    started: Timestamp,
    in_flight: AtomicU64,
    abandoned: AtomicU64,
    rejections: [AtomicU64; Rejection::REASONS.len()],
    errors: Vec<AtomicU64>,
    /// Known once all routes are registered.
    routes: OnceLock<Arc<RouteTable>>,
}

impl Metrics {
    pub(crate) fn new() -> Self {
        Self {
            started: Timestamp::now(),
            in_flight: AtomicU64::new(0),
            abandoned: AtomicU64::new(0),
            rejections: Default::default(),
            errors: ErrorId::ALL.iter().map(|_| AtomicU64::new(0)).collect(),
            routes: OnceLock::new(),
        }
    }

    /// Sets the routes whose requests are counted.
    pub(crate) fn set_routes(&self, routes: Arc<RouteTable>) {
        // An application is built once.
        let _ = self.routes.set(routes);
    }

    /// Counts a rejected request.
    pub(crate) fn count_rejection(&self, rejection: Rejection) {
        if let Some(count) = self.rejections.get(rejection.index()) {
            count.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Counts the error that a response carries, if it does.
    pub(crate) fn count_error(&self, response: &Response) {
        if let Some(error) = response.extensions().get::<Error>()
            && let Some(count) = self.errors.get(error.id as usize)
        {
            count.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// Counts requests by route, and how long their responses took to begin.
#[derive(Clone)]
pub(crate) struct MetricsInterceptor(pub(crate) Arc<Metrics>);

/// A request that is being processed; dropped without a response, it was abandoned.
pub(crate) struct InFlightRequest {
    metrics: Arc<Metrics>,
    route: Option<Arc<RegisteredRoute>>,
    method: usize,
    /// What the log shows of the request, if it is enabled.
    logged: Option<(Method, Uri)>,
    since: Instant,
    is_answered: bool,
}

impl Intercept for MetricsInterceptor {
    type InFlight = InFlightRequest;

    fn on_request(&self, request: &mut Request) -> Result<InFlightRequest, Box<Response>> {
        self.0.in_flight.fetch_add(1, Ordering::Relaxed);
        let is_logged = tracing::enabled!(target: "request", Level::DEBUG);
        Ok(InFlightRequest {
            metrics: Arc::clone(&self.0),
            route: RegisteredRoute::of(request).cloned(),
            method: route::method_index(request.method()),
            logged: is_logged.then(|| (request.method().clone(), request.uri().clone())),
            since: Instant::now(),
            is_answered: false,
        })
    }

    fn on_response(mut in_flight: InFlightRequest, response: Response) -> Response {
        in_flight.is_answered = true;
        let Some(route) = &in_flight.route else { return response };
        let (status, taken) = (response.status(), in_flight.since.elapsed());
        if let Some((method, uri)) = &in_flight.logged {
            let (path, route, status) = (uri.path(), route.metrics.template(), status.as_u16());
            let milliseconds = taken.as_secs_f64() * 1000.0;
            tracing::debug!(target: "request", %method, path, route, status, milliseconds, "answered");
        }
        route.metrics.count(in_flight.method, status, taken);
        response
    }
}

impl Drop for InFlightRequest {
    fn drop(&mut self) {
        self.metrics.in_flight.fetch_sub(1, Ordering::Relaxed);
        if !self.is_answered {
            self.metrics.abandoned.fetch_add(1, Ordering::Relaxed);
        }
    }
}
