//! Which pages of other sites may use the server.
//!
//! Without a list, all may use the search service, and none the rest: a page that a user happens to open must not be
//! able to change metadata on a server that is only protected by the address it listens on. Browsers keep answers from
//! such a page, but send some requests without a preflight, so every request that may change something is rejected. With
//! a list, requests and preflights of pages of other origins are rejected; requests from the server's own pages and from
//! programs, which name no origin, are not concerned. A page is the server's own if its origin is the public address,
//! or if it asks for the server by a name that is its own (`origins.rs`). Where the public address is exclusive, every
//! request must do so, but for probes: what they read is no secret, and orchestrators choose their names.

use std::str::FromStr;
use std::sync::Arc;

use axum::extract::Request;
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header};
use serde_json::json;

use crate::HttpSettings;
use crate::access::is_reading;
use crate::intercept::Intercept;
use crate::origins::{InvalidOrigin, Origins, is_own_name};
use crate::response::json_with_status;
use crate::routes::{Dialect, RegisteredRoute, RouteSpec};

const METHODS: HeaderValue = HeaderValue::from_static("GET,HEAD,PUT,PATCH,POST,DELETE");
const ANY: HeaderValue = HeaderValue::from_static("*");
const ORIGIN: HeaderValue = HeaderValue::from_static("Origin");

const FOREIGN_ORIGIN: &str = "Requests from pages of this origin are not allowed; ALLOWED_CORS_ORIGINS lists those that are, and PUBLIC_URL \
     names the server's own.";
const FOREIGN_NAME: &str = "The server is not asked for by the name in the header Host; set PUBLIC_URL to the address by which browsers ask \
     for it, and ALLOWED_HOSTS to other names by which programs do.";

/// How long a browser may remember that it may make a request, in seconds.
const PREFLIGHT_MAX_AGE_SECONDS: HeaderValue = HeaderValue::from_static("600");

/// The origins whose pages may use the server.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum AllowedOrigins {
    /// All.
    #[default]
    All,
    /// These.
    Only(Origins),
}

impl FromStr for AllowedOrigins {
    type Err = InvalidOrigin;

    /// Reads origins that are separated by commas; `*` among them, or an empty text, means all.
    fn from_str(text: &str) -> Result<Self, InvalidOrigin> {
        if text.split(',').any(|item| item.trim() == "*") {
            return Ok(Self::All);
        }
        let list: Origins = text.parse()?;
        Ok(if list.is_empty() { Self::All } else { Self::Only(list) })
    }
}

/// What a response tells browsers about its origin.
pub(crate) struct OriginDecision {
    allowed: Option<HeaderValue>,
    varies: bool,
}

/// Rejects requests of pages that may not use the server, and tells browsers about those that may.
#[derive(Clone)]
pub(crate) struct CorsInterceptor(pub(crate) Arc<HttpSettings>);

impl Intercept for CorsInterceptor {
    type InFlight = OriginDecision;

    fn on_request(&self, request: &mut Request) -> Result<OriginDecision, Box<Response>> {
        check(&self.0, request, RegisteredRoute::of(request).map(|route| &route.spec))
    }

    fn on_response(decision: OriginDecision, mut response: Response) -> Response {
        decision.mark(&mut response);
        response
    }
}

impl AllowedOrigins {
    /// Returns the listed origins; none if all are allowed.
    fn listed(&self) -> &Origins {
        static NONE: Origins = Origins::NONE;
        match self {
            Self::All => &NONE,
            Self::Only(list) => list,
        }
    }
}

/// Checks the origin of a request, and by which name it asks for the server; an error is the response to it.
fn check(
    settings: &HttpSettings,
    request: &Request,
    spec: Option<&RouteSpec>,
) -> Result<OriginDecision, Box<Response>> {
    let is_search = spec.is_some_and(|spec| spec.dialect == Dialect::Search);
    let is_probe = is_reading(request.method()) && spec.is_some_and(|spec| spec.is_probe);
    let headers = request.headers();
    let origin = headers.get(header::ORIGIN);
    let (listed, public) = (settings.allowed_origins.listed(), &settings.public_address);
    let is_trusted = |origin: &HeaderValue| listed.contains(origin) || public.origins.contains(origin);
    let has_own_name = || is_own_name(headers, public, listed);
    if public.is_exclusive && !is_probe && !origin.is_some_and(is_trusted) && !has_own_name() {
        return Err(rejection(FOREIGN_NAME));
    }
    let is_own = |origin: &HeaderValue| public.origins.contains(origin) || is_same(origin, headers) && has_own_name();
    let decision = match (&settings.allowed_origins, origin) {
        (AllowedOrigins::All, _) if is_search => OriginDecision { allowed: Some(ANY), varies: false },
        (AllowedOrigins::All, Some(origin)) if may_change(request.method()) && !is_own(origin) => {
            return Err(rejection(FOREIGN_ORIGIN));
        }
        (AllowedOrigins::All, _) => return Ok(OriginDecision { allowed: None, varies: false }),
        (AllowedOrigins::Only(_), None) => OriginDecision { allowed: None, varies: true },
        (AllowedOrigins::Only(_), Some(origin)) => {
            if !listed.contains(origin) && !is_own(origin) {
                return Err(rejection(FOREIGN_ORIGIN));
            }
            OriginDecision { allowed: Some(origin.clone()), varies: true }
        }
    };
    let is_preflight = request.method() == Method::OPTIONS
        && origin.is_some()
        && headers.contains_key(header::ACCESS_CONTROL_REQUEST_METHOD);
    if !is_preflight {
        return Ok(decision);
    }
    let mut response = StatusCode::NO_CONTENT.into_response();
    let allowed = response.headers_mut();
    allowed.insert(header::ACCESS_CONTROL_ALLOW_METHODS, METHODS);
    allowed.insert(header::ACCESS_CONTROL_MAX_AGE, PREFLIGHT_MAX_AGE_SECONDS);
    if let Some(wanted) = headers.get(header::ACCESS_CONTROL_REQUEST_HEADERS) {
        allowed.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, wanted.clone());
    }
    decision.mark(&mut response);
    Err(Box::new(response))
}

/// Returns the response to a page that may not use the server. A cache must not give it to a page that may.
fn rejection(error: &str) -> Box<Response> {
    let mut response = json_with_status(StatusCode::FORBIDDEN, &json!({"error": error}));
    response.headers_mut().append(header::VARY, ORIGIN);
    Box::new(response)
}

impl OriginDecision {
    /// Adds the CORS headers to a response.
    fn mark(self, response: &mut Response) {
        if let Some(allowed) = self.allowed {
            response.headers_mut().insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, allowed);
        }
        if self.varies {
            response.headers_mut().append(header::VARY, ORIGIN);
        }
    }
}

/// Returns whether a request may change something; a preflight does not.
fn may_change(method: &Method) -> bool {
    !is_reading(method) && *method != Method::OPTIONS
}

/// Returns whether an origin is what was asked for, or a browser says so. Behind a proxy only the browser may know, and
/// no page can write that header.
fn is_same(origin: &HeaderValue, headers: &HeaderMap) -> bool {
    if headers.get("sec-fetch-site").is_some_and(|site| site == "same-origin") {
        return true;
    }
    let origin = origin.to_str().ok().and_then(|origin| origin.parse::<Uri>().ok());
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok());
    origin.as_ref().and_then(|origin| origin.authority()).is_some_and(|authority| host == Some(authority.as_str()))
}
