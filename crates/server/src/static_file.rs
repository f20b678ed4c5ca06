//! Pages, and the compressed files that the binary carries for them.
//!
//! Files are sent as they are kept: with Brotli, where it is kept and the client takes it, else with gzip. They are unpacked
//! only for clients that take neither. Each has a tag made of its content, so that a browser that has it is not sent it
//! again.

use std::borrow::Cow;
use std::io::{self, Read};

use axum::body::Body;
use axum::response::{IntoResponse, Response};
use cantata_core::ErrorId;
use flate2::read::GzDecoder;
use http::{HeaderMap, HeaderValue, StatusCode, header};

use crate::error_body::ApiError;
use crate::response::with_content_type;

pub(crate) const HTML: HeaderValue = HeaderValue::from_static("text/html; charset=utf-8");
/// For what has to be asked for again each time.
pub(crate) const NO_CACHE: HeaderValue = HeaderValue::from_static("no-cache");
/// For names whose content never changes.
pub(crate) const IMMUTABLE: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");

/// Answers with a page that may load no more than a policy allows.
pub(crate) fn page(html: impl Into<Body>, policy: HeaderValue) -> Response {
    let mut response = with_content_type(html, HTML);
    response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, policy);
    response.headers_mut().insert(header::CACHE_CONTROL, NO_CACHE);
    response
}

/// A file within the binary, compressed with gzip, and perhaps also with Brotli, which is smaller by a sixth.
pub(crate) struct StaticFile {
    content_type: HeaderValue,
    gzip: Cow<'static, [u8]>,
    brotli: Option<Cow<'static, [u8]>>,
}

impl StaticFile {
    /// Takes the compressed content of a file; the extension of its name tells the content type.
    pub(crate) fn new(name: &str, gzip: impl Into<Cow<'static, [u8]>>) -> Self {
        let content_type = HeaderValue::from_static(match name.rsplit('.').next() {
            Some("js") => "text/javascript; charset=utf-8",
            Some("css") => "text/css; charset=utf-8",
            Some("svg") => "image/svg+xml",
            _ => "text/plain; charset=utf-8",
        });
        Self { content_type, gzip: gzip.into(), brotli: None }
    }

    /// Adds the content compressed with Brotli.
    pub(crate) fn with_brotli(self, brotli: Option<Cow<'static, [u8]>>) -> Self {
        Self { brotli, ..self }
    }

    /// Tells contents apart by the checksum and the length with which every gzip file ends.
    pub(crate) fn version(&self) -> String {
        let trailer = self.gzip.last_chunk().copied().unwrap_or_default();
        format!("{:016x}", u64::from_le_bytes(trailer))
    }

    /// Answers a request for the file.
    pub(crate) fn answer(&self, request: &HeaderMap, caching: HeaderValue) -> Response {
        // Weak, because the compressed forms and the plain one share it.
        let tag = format!("W/\"{}\"", self.version());
        let mut response =
            if has_current(request, &tag) { StatusCode::NOT_MODIFIED.into_response() } else { self.full(request) };
        let headers = response.headers_mut();
        headers.extend(HeaderValue::from_str(&tag).ok().map(|tag| (header::ETAG, tag)));
        headers.insert(header::CACHE_CONTROL, caching);
        headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
        response
    }

    fn full(&self, request: &HeaderMap) -> Response {
        for (coding, packed) in [("br", self.brotli.as_ref()), ("gzip", Some(&self.gzip))] {
            if let Some(packed) = packed.filter(|_| takes(request, coding)) {
                let mut response = with_content_type(packed.clone(), self.content_type.clone());
                response.headers_mut().insert(header::CONTENT_ENCODING, HeaderValue::from_static(coding));
                return response;
            }
        }
        match self.unpacked() {
            Ok(bytes) => with_content_type(bytes, self.content_type.clone()),
            Err(error) => {
                tracing::error!(%error, version = self.version(), "a file within the binary could not be unpacked");
                let text = "The file could not be unpacked; a client that accepts gzip gets it as it is";
                ApiError::new(ErrorId::UnknownError, text).into_response()
            }
        }
    }

    fn unpacked(&self) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        GzDecoder::new(&*self.gzip).read_to_end(&mut bytes)?;
        Ok(bytes)
    }
}

/// Returns the items of a header that is a list.
pub(crate) fn items(headers: &HeaderMap, name: header::HeaderName) -> impl Iterator<Item = &str> {
    headers
        .get_all(name)
        .into_iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .map(str::trim)
}

/// Returns whether the client has the content of a tag already; a proxy may have changed the tag to a strong one.
fn has_current(request: &HeaderMap, tag: &str) -> bool {
    let opaque = |tag: &str| tag.strip_prefix("W/").unwrap_or(tag).to_owned();
    items(request, header::IF_NONE_MATCH).any(|item| item == "*" || opaque(item) == opaque(tag))
}

fn takes(request: &HeaderMap, wanted: &str) -> bool {
    items(request, header::ACCEPT_ENCODING).any(|item| {
        let (coding, parameters) = item.split_once(';').unwrap_or((item, ""));
        let quality = parameters.trim().strip_prefix("q=").map_or(Ok(1.0), str::parse::<f32>);
        coding.trim().eq_ignore_ascii_case(wanted) && quality.is_ok_and(|quality| quality > 0.0)
    })
}
