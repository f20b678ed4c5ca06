//! The one error body, and how an error of the table becomes a response.

use std::sync::Arc;

use axum::extract::{OriginalUri, Request};
use axum::response::{IntoResponse, Response};
use cantata_core::{Error, ErrorId, ErrorOrigin, Timestamp};
use http::{HeaderName, HeaderValue, StatusCode, Uri, header};
use percent_encoding::percent_decode_str;
use serde::Serialize;
use utoipa::ToSchema;

use crate::es_compat;
use crate::intercept::Intercept;
use crate::limits::{BUSY_RETRY_SECONDS, Rejection};
use crate::response::json_with_status;
use crate::routes::{Dialect, RegisteredRoute};
use crate::state::AppState;

/// What every failed request is answered with.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ErrorBody {
    /// The error's id, such as `study.id.does.not.exist`.
    error_id: String,
    /// The status, as a number.
    http_status_code: u16,
    /// The status, as a name such as `NOT_FOUND`.
    http_status_name: String,
    /// The address that was asked for.
    request_url: String,
    /// When, to be read by people.
    datetime: String,
    /// When, in milliseconds since 1970.
    timestamp: i64,
    /// What was found, what was expected, what to do.
    message: String,
    /// Always `N/A`.
    debug_message: String,
    /// Always empty.
    stack_trace: Vec<String>,
}

impl ErrorBody {
    fn new(error: &Error, status: StatusCode, request_url: String) -> Self {
        let now = Timestamp::now().as_millis();
        let whole_second = Timestamp::from_micros(now.div_euclid(1000) * 1_000_000);
        Self {
            error_id: error.id.to_string(),
            http_status_code: status.as_u16(),
            http_status_name: status_name(status),
            request_url,
            datetime: format!("{whole_second}.{:03}Z[UTC]", now.rem_euclid(1000)),
            timestamp: now,
            message: error.to_string(),
            debug_message: "N/A".to_owned(),
            stack_trace: vec![],
        }
    }
}

fn status_name(status: StatusCode) -> String {
    status.canonical_reason().unwrap_or("UNKNOWN").to_uppercase().replace([' ', '-'], "_")
}

/// An error on its way to the client; [`ErrorRenderer`] gives it its body.
#[derive(Debug)]
pub(crate) struct ApiError(pub(crate) Error);

/// The result of every handler.
pub(crate) type ApiResult<T = Response> = Result<T, ApiError>;

impl ApiError {
    /// Makes an error of the HTTP server itself.
    pub(crate) fn new(id: ErrorId, text: impl Into<String>) -> Self {
        Self(Error::new(ErrorOrigin::HttpServer, id, text))
    }
}

impl From<Error> for ApiError {
    fn from(error: Error) -> Self {
        Self(error)
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let status = status_of(&self.0);
        let mut response = status.into_response();
        response.extensions_mut().insert(self.0);
        response
    }
}

fn status_of(error: &Error) -> StatusCode {
    StatusCode::from_u16(error.id.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
}

/// Gives responses that carry an error or a rejection the body of the API that their route belongs to, and counts them.
#[derive(Clone)]
pub(crate) struct ErrorRenderer(pub(crate) AppState);

/// The header in which a proxy says how its client reached it; it only changes the address in errors.
const FORWARDED_PROTO: &str = "x-forwarded-proto";

/// What the error body of a request needs.
pub(crate) struct RenderContext {
    state: AppState,
    dialect: Dialect,
    uri: Uri,
    host: Option<HeaderValue>,
    /// Whether the client spoke TLS with a proxy.
    is_secure: bool,
}

impl Intercept for ErrorRenderer {
    type InFlight = RenderContext;

    fn on_request(&self, request: &mut Request) -> Result<RenderContext, Box<Response>> {
        let original = request.extensions().get::<OriginalUri>().map(|OriginalUri(uri)| uri);
        Ok(RenderContext {
            state: Arc::clone(&self.0),
            dialect: RegisteredRoute::of(request).map_or(Dialect::Song, |route| route.spec.dialect),
            uri: original.unwrap_or(request.uri()).clone(),
            host: request.headers().get(header::HOST).cloned(),
            is_secure: request.headers().get(FORWARDED_PROTO).is_some_and(|scheme| scheme == "https"),
        })
    }

    fn on_response(context: RenderContext, mut response: Response) -> Response {
        if let Some(rejection) = response.extensions_mut().remove::<Rejection>() {
            context.state.metrics.count_rejection(rejection);
            response = rejection.render(context.dialect);
        }
        context.state.metrics.count_error(&response);
        if context.dialect == Dialect::Elasticsearch {
            response = es_compat::render(response);
        }
        let scheme = if context.is_secure { "https" } else { "http" };
        render(response, || {
            let host = context.host.as_ref();
            let base_path = context.state.settings.public_address.base_path(host);
            request_url(scheme, base_path, &context.uri, host)
        })
    }
}

/// Headers that an error response keeps beside its body.
const KEPT_HEADERS: [HeaderName; 4] =
    [header::ALLOW, header::ACCEPT_ENCODING, header::RETRY_AFTER, header::WWW_AUTHENTICATE];

/// Gives a response that carries an error the body of SONG.
fn render(mut response: Response, request_url: impl FnOnce() -> String) -> Response {
    let Some(error) = response.extensions_mut().remove::<Error>() else {
        return response;
    };
    let status = status_of(&error);
    let mut rendered = json_with_status(status, &ErrorBody::new(&error, status, request_url()));
    if status == StatusCode::SERVICE_UNAVAILABLE {
        rendered.headers_mut().insert(header::RETRY_AFTER, BUSY_RETRY_SECONDS.into());
    }
    for name in KEPT_HEADERS {
        if let Some(value) = response.headers_mut().remove(&name) {
            rendered.headers_mut().insert(name, value);
        }
    }
    rendered
}

fn request_url(scheme: &str, base_path: &str, uri: &Uri, host: Option<&HeaderValue>) -> String {
    let host = host.and_then(|host| host.to_str().ok()).unwrap_or("localhost");
    let query = uri.query().map(|query| format!("?{}", percent_decode_str(query).decode_utf8_lossy()));
    format!("{scheme}://{host}{base_path}{}{}", uri.path(), query.unwrap_or_default())
}
