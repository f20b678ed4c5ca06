//! Which pages of other sites may use the server.
//!
//! Without a list, all may use the search service, and none the rest: a page that somebody happens to open must not be
//! able to change metadata on a server that is only protected by the address it listens on. Browsers keep answers from
//! such a page, but send some requests without asking first, so whatever may change something is refused. With a list, a
//! request that comes from a page of an origin outside of it is refused, also when a browser only asks whether it may be
//! made; requests from the server's own pages and from programs, which name no origin, are not concerned.

use axum::body::Body;
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, HeaderValue, Method, Request, StatusCode, Uri, header};
use serde::Serialize;

use crate::access::is_reading;
use crate::answer::json;

const METHODS: HeaderValue = HeaderValue::from_static("GET,HEAD,PUT,PATCH,POST,DELETE");
const ANY: HeaderValue = HeaderValue::from_static("*");

/// How long a browser may remember that it may make a request, in seconds.
const REMEMBERED: HeaderValue = HeaderValue::from_static("600");

/// The origins whose pages may use the server.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum AllowedOrigins {
    /// All.
    #[default]
    All,
    /// These.
    Only(Vec<String>),
}

/// What is known of the origin of a request.
pub(crate) struct Origin {
    allowed: Option<HeaderValue>,
    varies: bool,
}

#[derive(Serialize)]
struct Refused<'a> {
    error: &'a str,
}

impl AllowedOrigins {
    /// Judges the origin of a request: an answer if it need not go further, else what its answer must carry.
    pub(crate) fn judge(&self, request: &Request<Body>, is_search: bool) -> Result<Origin, Box<Response>> {
        let headers = request.headers();
        let origin = headers.get(header::ORIGIN);
        let judged = match (self, origin) {
            (Self::All, _) if is_search => Origin { allowed: Some(ANY), varies: false },
            (Self::All, Some(origin)) if may_change(request.method()) && !is_own(origin, headers) => {
                return Err(Box::new(Self::refusal()));
            }
            (Self::All, _) => return Ok(Origin { allowed: None, varies: false }),
            (Self::Only(_), None) => Origin { allowed: None, varies: true },
            (Self::Only(list), Some(origin)) => {
                let is_listed = list.iter().any(|allowed| allowed.as_bytes() == origin.as_bytes());
                if !is_listed && !is_own(origin, headers) {
                    return Err(Box::new(Self::refusal()));
                }
                Origin { allowed: Some(origin.clone()), varies: true }
            }
        };
        let is_question = request.method() == Method::OPTIONS
            && origin.is_some()
            && headers.contains_key(header::ACCESS_CONTROL_REQUEST_METHOD);
        if !is_question {
            return Ok(judged);
        }
        let mut response = StatusCode::NO_CONTENT.into_response();
        let answers = response.headers_mut();
        answers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, METHODS);
        answers.insert(header::ACCESS_CONTROL_MAX_AGE, REMEMBERED);
        if let Some(wanted) = headers.get(header::ACCESS_CONTROL_REQUEST_HEADERS) {
            answers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, wanted.clone());
        }
        judged.mark(&mut response);
        Err(Box::new(response))
    }

    /// Answers a page of an origin that may not use the server.
    fn refusal() -> Response {
        let error = "Requests from pages of this origin are not allowed; ALLOWED_CORS_ORIGINS lists those that are.";
        (StatusCode::FORBIDDEN, json(&Refused { error })).into_response()
    }
}

impl Origin {
    /// Adds to an answer what browsers look for.
    pub(crate) fn mark(self, response: &mut Response) {
        if let Some(allowed) = self.allowed {
            response.headers_mut().insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, allowed);
        }
        if self.varies {
            response.headers_mut().append(header::VARY, HeaderValue::from_static("Origin"));
        }
    }
}

/// Says whether a request may change something; one that only asks whether it may be made does not.
fn may_change(method: &Method) -> bool {
    !is_reading(method) && *method != Method::OPTIONS
}

/// Returns whether an origin is this server itself: it is what was asked for, or a browser says so. Behind a proxy only
/// the browser may know, and no page can write that header.
fn is_own(origin: &HeaderValue, headers: &HeaderMap) -> bool {
    if headers.get("sec-fetch-site").is_some_and(|site| site == "same-origin") {
        return true;
    }
    let origin = origin.to_str().ok().and_then(|origin| origin.parse::<Uri>().ok());
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok());
    origin.as_ref().and_then(|origin| origin.authority()).is_some_and(|authority| host == Some(authority.as_str()))
}
