//! GraphiQL, the page with which people try queries in a browser.
//!
//! Everything that the page needs is in the binary: nothing comes from another host, nor from a disk. Files are kept
//! as `make graphiql` writes them, compressed, and are unpacked only for clients that do not take gzip. The page names
//! a file by its content, so browsers may keep it for ever and still get the new one after an upgrade; the page itself
//! is always asked for. It sends queries to the path that it was loaded from, so every catalogue gets the same bytes.

use std::io::{self, Read};
use std::sync::LazyLock;

use axum::extract::Path;
use axum::response::{IntoResponse, Response};
use cantata_core::{Error, ErrorId, Origin};
use flate2::read::GzDecoder;
use http::{HeaderMap, HeaderValue, StatusCode, header};

use super::{Problem, with_status};
use crate::answer::typed;
use crate::error_body::ApiError;

/// What the page may load: its own script and style sheet, the pictures within the latter, and answers of this server.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
     connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
);
const HTML: HeaderValue = HeaderValue::from_static("text/html; charset=utf-8");
const ASK_AGAIN: HeaderValue = HeaderValue::from_static("no-cache");
const KEEP_FOR_EVER: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");

const SCRIPT: File = File {
    stem: "graphiql",
    extension: "js",
    content_type: HeaderValue::from_static("text/javascript; charset=utf-8"),
    gzip: include_bytes!("../../assets/graphiql/graphiql.js.gz"),
};
const STYLE: File = File {
    stem: "graphiql",
    extension: "css",
    content_type: HeaderValue::from_static("text/css; charset=utf-8"),
    gzip: include_bytes!("../../assets/graphiql/graphiql.css.gz"),
};
const LICENCES: File = File {
    stem: "LICENSES",
    extension: "txt",
    content_type: HeaderValue::from_static("text/plain; charset=utf-8"),
    gzip: include_bytes!("../../assets/graphiql/LICENSES.txt.gz"),
};

static PAGE: LazyLock<String> = LazyLock::new(|| {
    include_str!("../../assets/graphiql/index.html")
        .replace("{style}", &STYLE.name_by_content())
        .replace("{script}", &SCRIPT.name_by_content())
});

/// A file that belongs to the page.
struct File {
    stem: &'static str,
    extension: &'static str,
    content_type: HeaderValue,
    gzip: &'static [u8],
}

impl File {
    fn name(&self) -> String {
        format!("{}.{}", self.stem, self.extension)
    }

    fn name_by_content(&self) -> String {
        format!("{}.{}.{}", self.stem, self.version(), self.extension)
    }

    /// Tells contents apart by the checksum and the length with which every gzip file ends.
    fn version(&self) -> String {
        let trailer = self.gzip.last_chunk().copied().unwrap_or_default();
        format!("{:016x}", u64::from_le_bytes(trailer))
    }

    fn unpacked(&self) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        GzDecoder::new(self.gzip).read_to_end(&mut bytes)?;
        Ok(bytes)
    }
}

/// Answers with the page.
pub(super) fn page() -> Response {
    let mut response = typed(PAGE.as_str(), HTML);
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_SECURITY_POLICY, POLICY);
    headers.insert(header::CACHE_CONTROL, ASK_AGAIN);
    // The same address answers other clients in JSON.
    headers.insert(header::VARY, HeaderValue::from_static("accept"));
    response
}

/// Answers with a file of the page.
pub(super) async fn file(Path(name): Path<String>, headers: HeaderMap) -> Response {
    asset(&name, &headers).unwrap_or_else(|| {
        let error =
            format!("There is nothing at '/assets/graphiql/{name}'; the page at a GraphQL path names its files.");
        with_status(StatusCode::NOT_FOUND, &Problem { error: &error })
    })
}

/// Returns the answer to a request for a file, unless there is none of this name.
fn asset(name: &str, request: &HeaderMap) -> Option<Response> {
    let (file, caching) = [SCRIPT, STYLE, LICENCES].into_iter().find_map(|file| {
        if name == file.name_by_content() {
            Some((file, KEEP_FOR_EVER))
        } else {
            (name == file.name()).then_some((file, ASK_AGAIN))
        }
    })?;
    // Weak, because the compressed and the plain form share it.
    let tag = format!("W/\"{}\"", file.version());
    let mut response =
        if has_current(request, &tag) { StatusCode::NOT_MODIFIED.into_response() } else { full(&file, request) };
    let headers = response.headers_mut();
    headers.extend(HeaderValue::from_str(&tag).ok().map(|tag| (header::ETAG, tag)));
    headers.insert(header::CACHE_CONTROL, caching);
    headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    Some(response)
}

fn full(file: &File, request: &HeaderMap) -> Response {
    if takes_gzip(request) {
        let mut response = typed(file.gzip, file.content_type.clone());
        response.headers_mut().insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        return response;
    }
    match file.unpacked() {
        Ok(bytes) => typed(bytes, file.content_type.clone()),
        Err(error) => {
            tracing::error!(%error, file = file.name(), "a file within the binary could not be unpacked");
            let text = "The file could not be unpacked; a client that accepts gzip gets it as it is";
            ApiError(Error::new(Origin::HttpServer, ErrorId::UnknownError, text)).into_response()
        }
    }
}

/// Returns the items of a header that is a list.
fn items(headers: &HeaderMap, name: header::HeaderName) -> impl Iterator<Item = &str> {
    headers
        .get_all(name)
        .into_iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .map(str::trim)
}

/// Says whether the client has the content of a tag already; a proxy may have changed the tag to a strong one.
fn has_current(request: &HeaderMap, tag: &str) -> bool {
    let opaque = |tag: &str| tag.strip_prefix("W/").unwrap_or(tag).to_owned();
    items(request, header::IF_NONE_MATCH).any(|item| item == "*" || opaque(item) == opaque(tag))
}

fn takes_gzip(request: &HeaderMap) -> bool {
    items(request, header::ACCEPT_ENCODING).any(|item| {
        let (coding, parameters) = item.split_once(';').unwrap_or((item, ""));
        let quality = parameters.trim().strip_prefix("q=").map_or(Ok(1.0), str::parse::<f32>);
        coding.trim().eq_ignore_ascii_case("gzip") && quality.is_ok_and(|quality| quality > 0.0)
    })
}

#[cfg(test)]
mod tests;
