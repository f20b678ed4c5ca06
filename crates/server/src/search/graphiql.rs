//! GraphiQL, the page with which people try queries in a browser.
//!
//! Everything that the page needs is in the binary: nothing comes from another host, nor from a disk. Files are kept
//! as `make graphiql` writes them. The page names a file by its content, so browsers may keep it for ever and still get the new one after an upgrade; the page itself
//! is always asked for. It sends queries to the path that it was loaded from, so every catalogue gets the same bytes.

use std::sync::LazyLock;

use axum::extract::Path;
use axum::response::Response;
use http::{HeaderMap, HeaderValue, StatusCode, header};

use super::{Problem, with_status};
use crate::response::with_content_type;
use crate::static_file::{IMMUTABLE, NO_CACHE, StaticFile};

/// What the page may load: its own script and style sheet, the pictures within the latter, and answers of this server.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
     connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
);
const HTML: HeaderValue = HeaderValue::from_static("text/html; charset=utf-8");

const SCRIPT: File = File {
    stem: "graphiql",
    extension: "js",
    packed: StaticFile {
        content_type: HeaderValue::from_static("text/javascript; charset=utf-8"),
        gzip: include_bytes!("../../assets/graphiql/graphiql.js.gz"),
    },
};
const STYLE: File = File {
    stem: "graphiql",
    extension: "css",
    packed: StaticFile {
        content_type: HeaderValue::from_static("text/css; charset=utf-8"),
        gzip: include_bytes!("../../assets/graphiql/graphiql.css.gz"),
    },
};
const LICENCES: File = File {
    stem: "LICENSES",
    extension: "txt",
    packed: StaticFile {
        content_type: HeaderValue::from_static("text/plain; charset=utf-8"),
        gzip: include_bytes!("../../assets/graphiql/LICENSES.txt.gz"),
    },
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
    packed: StaticFile,
}

impl File {
    fn name(&self) -> String {
        format!("{}.{}", self.stem, self.extension)
    }

    fn name_by_content(&self) -> String {
        format!("{}.{}.{}", self.stem, self.packed.version(), self.extension)
    }
}

/// Answers with the page.
pub(super) fn page() -> Response {
    let mut response = with_content_type(PAGE.as_str(), HTML);
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_SECURITY_POLICY, POLICY);
    headers.insert(header::CACHE_CONTROL, NO_CACHE);
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
            Some((file, IMMUTABLE))
        } else {
            (name == file.name()).then_some((file, NO_CACHE))
        }
    })?;
    Some(file.packed.answer(request, caching))
}

#[cfg(test)]
mod tests;
