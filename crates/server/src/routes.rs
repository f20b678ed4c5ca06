//! Routes, each with what it needs.
//!
//! A route can only be registered together with its [`Need`]; there is no other way to add one. What is needed is part
//! of its description, too.

use std::sync::Arc;

use axum::Router;
use axum::routing::MethodRouter;
use utoipa::openapi::path::PathItem;
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme};
use utoipa::openapi::{Content, OpenApi, Ref, RefOr, ResponseBuilder};
use utoipa_axum::router::{OpenApiRouter, UtoipaMethodRouter};

use crate::AccessControl;
use crate::access::{Guard, Need};
use crate::metrics::{Noting, RouteMetrics};

/// What credentials are called in descriptions.
const SCHEME: &str = "credential";

/// Routes with their descriptions, behind their guards.
pub(crate) struct Routes<S = ()> {
    described: OpenApiRouter<S>,
    access: Arc<AccessControl>,
    measured: Vec<Arc<RouteMetrics>>,
}

impl<S: Clone + Send + Sync + 'static> Routes<S> {
    pub(crate) fn new(access: &Arc<AccessControl>) -> Self {
        Self { described: OpenApiRouter::new(), access: Arc::clone(access), measured: Vec::new() }
    }

    /// Adds routes that need the same.
    pub(crate) fn add(mut self, need: Need, (schemas, mut paths, methods): UtoipaMethodRouter<S>) -> Self {
        for (path, item) in &mut paths.paths {
            check_path(need, path);
            describe(need, item);
        }
        // The methods of one path are registered together.
        let path = paths.paths.keys().next().cloned().unwrap_or_default();
        let methods = self.guarded(need, &path, methods);
        self.described = self.described.routes((schemas, paths, methods));
        self
    }

    /// Adds a route that has no description.
    pub(crate) fn add_undescribed(mut self, need: Need, path: &str, methods: MethodRouter<S>) -> Self {
        check_path(need, path);
        let methods = self.guarded(need, path, methods);
        self.described = self.described.route(path, methods);
        self
    }

    fn guarded(&mut self, need: Need, path: &str, methods: MethodRouter<S>) -> MethodRouter<S> {
        let route = Arc::new(RouteMetrics::new(path));
        self.measured.push(Arc::clone(&route));
        match need {
            Need::Nothing => methods.route_layer(Noting(route)),
            need => methods.route_layer(Guard { need, access: Arc::clone(&self.access), route }),
        }
    }

    /// Returns what is counted of each route.
    pub(crate) fn measured(&self) -> Vec<Arc<RouteMetrics>> {
        self.measured.clone()
    }

    /// Adds the routes of another part.
    pub(crate) fn merge(mut self, other: Self) -> Self {
        self.described = self.described.merge(other.described);
        self.measured.extend(other.measured);
        self
    }

    /// Gives the handlers what they work with.
    pub(crate) fn with_state<S2>(self, state: S) -> Routes<S2> {
        Routes { described: self.described.with_state(state), access: self.access, measured: self.measured }
    }

    /// Returns the routes without what describes them.
    pub(crate) fn into_router(self) -> Router<S> {
        self.described.split_for_parts().0
    }

    /// Returns the routes, with the document that describes them.
    pub(crate) fn into_described(self) -> OpenApiRouter<S> {
        self.described
    }
}

/// Makes sure that a route about a study has one in its path, where the guard looks for it.
fn check_path(need: Need, path: &str) {
    let first = path.split('/').find(|segment| segment.starts_with('{'));
    assert!(!need.is_of_study() || first == Some("{studyId}"), "{path} needs a study, but names none");
}

/// Adds to the description of routes that a credential may be needed, and what is answered without one.
fn describe(need: Need, item: &mut PathItem) {
    if need == Need::Nothing {
        return;
    }
    let PathItem { get, put, post, delete, patch, .. } = item;
    for operation in [get, put, post, delete, patch].into_iter().flatten() {
        let mut ways = vec![SecurityRequirement::new(SCHEME, Vec::<String>::new())];
        // Reading may be open, which depends on the settings of the server.
        if !matches!(need, Need::WriteStudy | Need::System) {
            ways.push(SecurityRequirement::default());
        }
        operation.security = Some(ways);
        for (status, meaning) in
            [("401", "A credential is missing or not accepted"), ("403", "A credential does not allow this")]
        {
            let body = Content::new(Some(Ref::from_schema_name("ErrorBody")));
            let response = ResponseBuilder::new().description(meaning).content("application/json", body).build();
            operation.responses.responses.entry(status.to_owned()).or_insert(RefOr::T(response));
        }
    }
}

/// Adds to a document how credentials are sent.
pub(crate) fn describe_credentials(document: &mut OpenApi) {
    let scheme =
        HttpBuilder::new().scheme(HttpAuthScheme::Bearer).description(Some("An API key or a signed token")).build();
    let components = document.components.get_or_insert_default();
    components.add_security_scheme(SCHEME, SecurityScheme::Http(scheme));
}
