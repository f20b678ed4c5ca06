//! Registration of routes, each with everything that cross-cutting code needs to know about it.
//!
//! A route can only be registered together with its [`RouteSpec`]. The layers in [`crate::layers`] read the spec of the
//! matched route; none of them looks at a path. The required scope becomes part of the OpenAPI description, too.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use axum::Router;
use axum::extract::{MatchedPath, Request};
use axum::middleware::from_fn;
use axum::routing::MethodRouter;
use cantata_access::AuditLog;
use utoipa::openapi::path::{Operation, PathItem};
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme};
use utoipa::openapi::{Content, OpenApi, Ref, RefOr, ResponseBuilder};
use utoipa_axum::router::{OpenApiRouter, UtoipaMethodRouter};

use crate::AccessControl;
use crate::access::{AccessGuard, RequiredScope, write_begun};
use crate::intercept::InterceptLayer;
use crate::metrics::RouteMetrics;

/// The name of the security scheme in descriptions.
const SCHEME: &str = "credential";

/// The API that a route belongs to: it decides the form of errors and which pages of other sites may call the route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// The metadata service and everything else; errors have the body of SONG.
    Song,
    /// The search service; errors are those of a GraphQL server.
    Search,
    /// The compatibility layer for clients of Elasticsearch.
    Elasticsearch,
}

/// Everything that cross-cutting code knows about a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RouteSpec {
    pub(crate) scope: RequiredScope,
    pub(crate) dialect: Dialect,
    /// Whether responses have any length, so that a request needs an export permit.
    pub(crate) is_export: bool,
    /// Whether it is work for operators, to which the request timeout does not apply.
    pub(crate) is_administration: bool,
    /// Whether requests of any method read, so that an answer for which there is no memory can be asked for again.
    pub(crate) is_reading: bool,
    /// Whether it is a health probe, which every client may call, under every host name.
    pub(crate) is_probe: bool,
}

impl RouteSpec {
    pub(crate) const fn new(scope: RequiredScope, dialect: Dialect) -> Self {
        let is_reading = matches!(dialect, Dialect::Search);
        Self { scope, dialect, is_export: false, is_administration: false, is_reading, is_probe: false }
    }

    /// Makes requests take an export permit.
    pub(crate) const fn export(self) -> Self {
        Self { is_export: true, ..self }
    }

    /// Exempts requests from the request timeout.
    pub(crate) const fn administration(self) -> Self {
        Self { is_administration: true, ..self }
    }

    /// Says that requests of any method read.
    pub(crate) const fn reading(self) -> Self {
        Self { is_reading: true, ..self }
    }

    /// Lets requests ask for the server by any name.
    pub(crate) const fn probe(self) -> Self {
        Self { is_probe: true, ..self }
    }

    /// Returns whether requests that change something are written to the audit log.
    pub(crate) fn is_audited(&self) -> bool {
        matches!(self.scope, RequiredScope::WriteStudy | RequiredScope::System | RequiredScope::Person)
    }
}

impl From<RequiredScope> for RouteSpec {
    fn from(scope: RequiredScope) -> Self {
        Self::new(scope, Dialect::Song)
    }
}

/// A path with its spec and its counters.
pub(crate) struct RegisteredRoute {
    pub(crate) spec: RouteSpec,
    pub(crate) metrics: RouteMetrics,
}

impl RegisteredRoute {
    fn new(path: &str, spec: RouteSpec) -> Arc<Self> {
        Arc::new(Self { spec, metrics: RouteMetrics::new(path) })
    }

    /// Returns the route that a request matched, which [`RouteTable::annotate`] left in it.
    pub(crate) fn of(request: &Request) -> Option<&Arc<Self>> {
        request.extensions().get()
    }
}

/// All registered routes, by path.
pub(crate) struct RouteTable {
    by_path: HashMap<String, Arc<RegisteredRoute>>,
    /// The route of every path that no other route has.
    unmatched: Arc<RegisteredRoute>,
}

impl RouteTable {
    /// Collects the specs of routes. Methods of one path may be registered separately and differ in their scopes alone.
    pub(crate) fn new(registered: impl IntoIterator<Item = (String, RouteSpec)>) -> Self {
        let mut by_path: HashMap<String, Arc<RegisteredRoute>> = HashMap::new();
        for (path, spec) in registered {
            let route = by_path.entry(path).or_insert_with_key(|path| RegisteredRoute::new(path, spec));
            let same_scope = RouteSpec { scope: route.spec.scope, ..spec };
            assert!(route.spec == same_scope, "{} is registered with different specs", route.metrics.template());
        }
        Self { by_path, unmatched: RegisteredRoute::new("none", RequiredScope::None.into()) }
    }

    /// Leaves the matched route in the extensions of a request.
    pub(crate) fn annotate(&self, mut request: Request) -> Request {
        let matched = request.extensions().get::<MatchedPath>().and_then(|path| self.by_path.get(path.as_str()));
        let route = Arc::clone(matched.unwrap_or(&self.unmatched));
        request.extensions_mut().insert(route);
        request
    }

    /// Returns the counters of all routes, by path.
    pub(crate) fn metrics(&self) -> Vec<&RouteMetrics> {
        let mut routes: Vec<_> = self.by_path.values().chain([&self.unmatched]).map(|route| &route.metrics).collect();
        routes.sort_by_key(|route| route.template());
        routes
    }

    /// Returns the fixed first segments of all paths: names that no catalogue can have.
    pub(crate) fn first_segments(&self) -> BTreeSet<String> {
        let first = self.by_path.keys().filter_map(|path| path.split('/').nth(1));
        first.filter(|segment| !segment.is_empty() && !segment.starts_with('{')).map(str::to_owned).collect()
    }
}

/// Routes with their descriptions, behind their guards.
pub(crate) struct Routes<S = ()> {
    described: OpenApiRouter<S>,
    access: Arc<AccessControl>,
    registered: Vec<(String, RouteSpec)>,
}

impl<S: Clone + Send + Sync + 'static> Routes<S> {
    pub(crate) fn new(access: &Arc<AccessControl>) -> Self {
        Self { described: OpenApiRouter::new(), access: Arc::clone(access), registered: Vec::new() }
    }

    /// Adds methods of one path that have the same spec. Methods of the metadata service that do not describe how they
    /// fail do so with an [`ErrorBody`](crate::ErrorBody).
    pub(crate) fn add(self, spec: impl Into<RouteSpec>, mut routes: UtoipaMethodRouter<S>) -> Self {
        let spec = spec.into();
        if spec.dialect == Dialect::Song {
            let items = routes.1.paths.values_mut();
            items.flat_map(operations).for_each(|operation| add_error(operation, "default", "An error"));
        }
        self.add_complete(spec, routes)
    }

    /// Adds methods of one path that describe every response themselves.
    pub(crate) fn add_complete(
        mut self,
        spec: impl Into<RouteSpec>,
        (schemas, mut paths, methods): UtoipaMethodRouter<S>,
    ) -> Self {
        let spec = spec.into();
        for operation in paths.paths.values_mut().flat_map(operations) {
            describe_access(spec.scope, operation);
        }
        let path = paths.paths.keys().next().cloned().unwrap_or_default();
        let methods = self.register(spec, path, methods);
        self.described = self.described.routes((schemas, paths, methods));
        self
    }

    /// Adds a route that has no description.
    pub(crate) fn add_undescribed(mut self, spec: impl Into<RouteSpec>, path: &str, methods: MethodRouter<S>) -> Self {
        let methods = self.register(spec.into(), path.to_owned(), methods);
        self.described = self.described.route(path, methods);
        self
    }

    fn register(&mut self, spec: RouteSpec, path: String, methods: MethodRouter<S>) -> MethodRouter<S> {
        // The guard takes the study from the first parameter of the path.
        let first = path.split('/').find(|segment| segment.starts_with('{'));
        assert!(!spec.scope.is_of_study() || first == Some("{studyId}"), "{path} needs a study, but names none");
        self.registered.push((path, spec));
        if spec.scope == RequiredScope::None {
            return methods;
        }
        let is_audit_required = self.access.audit.as_ref().is_some_and(AuditLog::is_required);
        let methods = match is_audit_required && spec.is_audited() {
            true => methods.route_layer(from_fn(write_begun)),
            false => methods,
        };
        methods.route_layer(InterceptLayer(AccessGuard { spec, access: Arc::clone(&self.access) }))
    }

    /// Returns the path and spec of each route.
    pub(crate) fn registered(&self) -> Vec<(String, RouteSpec)> {
        self.registered.clone()
    }

    /// Adds the routes of another part.
    pub(crate) fn merge(mut self, other: Self) -> Self {
        self.described = self.described.merge(other.described);
        self.registered.extend(other.registered);
        self
    }

    /// Gives the handlers their state.
    pub(crate) fn with_state<S2>(self, state: S) -> Routes<S2> {
        Routes { described: self.described.with_state(state), access: self.access, registered: self.registered }
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

/// Returns the described methods of a path.
fn operations(item: &mut PathItem) -> impl Iterator<Item = &mut Operation> {
    let PathItem { get, put, post, delete, patch, .. } = item;
    [get, put, post, delete, patch].into_iter().flatten()
}

/// Adds to the description of a method that a credential may be needed, and the responses without one.
fn describe_access(scope: RequiredScope, operation: &mut Operation) {
    if scope == RequiredScope::None {
        return;
    }
    let mut ways = vec![SecurityRequirement::new(SCHEME, Vec::<String>::new())];
    // Reading may be open, which depends on the settings of the server.
    if !matches!(scope, RequiredScope::WriteStudy | RequiredScope::System | RequiredScope::Person) {
        ways.push(SecurityRequirement::default());
    }
    operation.security = Some(ways);
    add_error(operation, "401", "A credential is missing or not accepted");
    add_error(operation, "403", "A credential does not allow this");
}

/// Adds a response with the error body, unless the status is described already.
fn add_error(operation: &mut Operation, status: &str, meaning: &str) {
    let body = Content::new(Some(Ref::from_schema_name("ErrorBody")));
    let response = ResponseBuilder::new().description(meaning).content("application/json", body).build();
    operation.responses.responses.entry(status.to_owned()).or_insert(RefOr::T(response));
}

/// Adds to a document how credentials are sent.
pub(crate) fn describe_credentials(document: &mut OpenApi) {
    let scheme =
        HttpBuilder::new().scheme(HttpAuthScheme::Bearer).description(Some("An API key or a signed token")).build();
    let components = document.components.get_or_insert_default();
    components.add_security_scheme(SCHEME, SecurityScheme::Http(scheme));
}
