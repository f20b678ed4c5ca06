//! The one error body, and how an error of the table becomes a response.

use axum::response::{IntoResponse, Response};
use cantata_core::{Error, Timestamp};
use http::{HeaderName, HeaderValue, StatusCode, Uri, header};
use percent_encoding::percent_decode_str;
use serde::Serialize;
use utoipa::ToSchema;

use crate::answer::json;

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

/// An error on its way to the client; [`render`] gives it its body once it has left the router.
#[derive(Debug)]
pub(crate) struct ApiError(pub(crate) Error);

/// The result of every handler.
pub(crate) type ApiResult<T> = Result<T, ApiError>;

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

/// What an error may say beside its body: the methods that are allowed, the codings of a body, when to try again, and how
/// to prove who asks.
const KEPT_HEADERS: [HeaderName; 4] =
    [header::ALLOW, header::ACCEPT_ENCODING, header::RETRY_AFTER, header::WWW_AUTHENTICATE];

/// Gives a response that carries an error its body.
pub(crate) fn render(mut response: Response, uri: &Uri, host: Option<&HeaderValue>) -> Response {
    let Some(error) = response.extensions_mut().remove::<Error>() else {
        return response;
    };
    let mut rendered = json(&ErrorBody::new(&error, status_of(&error), request_url(uri, host)));
    *rendered.status_mut() = status_of(&error);
    for name in KEPT_HEADERS {
        if let Some(value) = response.headers_mut().remove(&name) {
            rendered.headers_mut().insert(name, value);
        }
    }
    rendered
}

fn request_url(uri: &Uri, host: Option<&HeaderValue>) -> String {
    let host = host.and_then(|host| host.to_str().ok()).unwrap_or("localhost");
    let query = uri.query().map(|query| format!("?{}", percent_decode_str(query).decode_utf8_lossy()));
    format!("http://{host}{}{}", uri.path(), query.unwrap_or_default())
}
