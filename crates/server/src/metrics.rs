//! `/metrics`: how the server is doing, in the text form of Prometheus.
//!
//! What is counted for every request is counted in atomics that its route was given when it was registered: no lock, no
//! allocation, no look-up of a name. All else is read from the services when somebody asks. Labels are route templates,
//! methods, error ids and ids of catalogues: a client cannot make new ones. Who may not look after the server learns
//! nothing about single catalogues here, since their sizes may be hidden by rules.

mod exposition;
mod process;
mod reading;
mod route;

pub(crate) use reading::{Sources, routes};
pub(crate) use route::{Noting, RouteMetrics};

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use axum::extract::Request;
use axum::response::Response;
use cantata_core::{Error, ErrorId, Timestamp};
use http::{Method, Uri};
use tracing::Level;

use crate::limits::Refused;
use crate::request_id::taken_route;

/// Who may ask how the server is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MetricsAccess {
    /// Who looks after the server; everybody, where nobody is asked who they are.
    #[default]
    System,
    /// Everybody; others than above see nothing about single catalogues.
    Open,
    /// Nobody.
    Off,
}

/// What is counted while the server runs.
pub(crate) struct Metrics {
    started: Timestamp,
    in_flight: AtomicU64,
    abandoned: AtomicU64,
    refused: [AtomicU64; Refused::REASONS.len()],
    errors: Vec<AtomicU64>,
    /// Every route; known once all are registered.
    routes: OnceLock<Vec<Arc<RouteMetrics>>>,
    /// Requests that no route took.
    unrouted: RouteMetrics,
}

impl Metrics {
    pub(crate) fn new() -> Self {
        Self {
            started: Timestamp::now(),
            in_flight: AtomicU64::new(0),
            abandoned: AtomicU64::new(0),
            refused: Default::default(),
            errors: ErrorId::ALL.iter().map(|_| AtomicU64::new(0)).collect(),
            routes: OnceLock::new(),
            unrouted: RouteMetrics::new("none"),
        }
    }

    /// Takes the routes that are counted.
    pub(crate) fn follow(&self, routes: Vec<Arc<RouteMetrics>>) {
        // An application is put together once.
        let _ = self.routes.set(routes);
    }

    /// Begins to measure a request.
    pub(crate) fn begin(&self, request: &Request) -> Measured<'_> {
        self.in_flight.fetch_add(1, Ordering::Relaxed);
        let is_told = tracing::enabled!(target: "request", Level::DEBUG);
        Measured {
            metrics: self,
            method: route::place_of(request.method()),
            told: is_told.then(|| (request.method().clone(), request.uri().clone())),
            since: Instant::now(),
            is_answered: false,
        }
    }

    /// Counts a request that went no further.
    pub(crate) fn refuse(&self, refused: Refused) {
        if let Some(count) = self.refused.get(refused.place()) {
            count.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Counts the error that an answer carries, if it does.
    pub(crate) fn note_error(&self, response: &Response) {
        if let Some(error) = response.extensions().get::<Error>()
            && let Some(count) = self.errors.get(error.id as usize)
        {
            count.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// A request that is under way; dropped without an answer, it was given up.
pub(crate) struct Measured<'a> {
    metrics: &'a Metrics,
    method: usize,
    /// What the log is to tell of it, if it is.
    told: Option<(Method, Uri)>,
    since: Instant,
    is_answered: bool,
}

impl Measured<'_> {
    /// Counts the request by its route, and how long the answer took.
    pub(crate) fn answered(mut self, response: &Response) {
        self.is_answered = true;
        let (status, taken) = (response.status(), self.since.elapsed());
        let taken_route = taken_route();
        let route = taken_route.as_deref().unwrap_or(&self.metrics.unrouted);
        if let Some((method, uri)) = &self.told {
            let (path, route, status) = (uri.path(), route.template(), status.as_u16());
            let milliseconds = taken.as_secs_f64() * 1000.0;
            tracing::debug!(target: "request", %method, path, route, status, milliseconds, "answered");
        }
        route.count(self.method, status, taken);
    }
}

impl Drop for Measured<'_> {
    fn drop(&mut self) {
        self.metrics.in_flight.fetch_sub(1, Ordering::Relaxed);
        if !self.is_answered {
            self.metrics.abandoned.fetch_add(1, Ordering::Relaxed);
        }
    }
}
