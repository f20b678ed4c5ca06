//! GraphiQL, the page with which people try queries in a browser.
//!
//! Everything that the page needs is in the binary: nothing comes from another host, nor from a disk. Files are kept
//! as `make graphiql` writes them. The page names a file by its content, so browsers may keep it for ever and still get
//! the new one after an upgrade; the page itself is always asked for. It sends queries to the path that it was loaded
//! from, so every catalogue gets the same bytes.

use std::sync::LazyLock;

use axum::extract::Path;
use axum::response::Response;
use http::{HeaderMap, HeaderValue, header};

use super::problem;
use crate::static_file::{self, IMMUTABLE, NO_CACHE, StaticFile};

/// What the page may load: its own script and style sheet, the pictures within the latter, and answers of this server.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
     connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
);

const SCRIPT: Asset = Asset { name: "graphiql.js", gzip: include_bytes!("../../assets/graphiql/graphiql.js.gz") };
const STYLE: Asset = Asset { name: "graphiql.css", gzip: include_bytes!("../../assets/graphiql/graphiql.css.gz") };
const LICENCES: Asset = Asset { name: "LICENSES.txt", gzip: include_bytes!("../../assets/graphiql/LICENSES.txt.gz") };

static PAGE: LazyLock<String> = LazyLock::new(|| {
    include_str!("../../assets/graphiql/index.html")
        .replace("{style}", &STYLE.name_by_content())
        .replace("{script}", &SCRIPT.name_by_content())
});

/// A file that belongs to the page.
struct Asset {
    name: &'static str,
    gzip: &'static [u8],
}

impl Asset {
    fn packed(&self) -> StaticFile {
        StaticFile::new(self.name, self.gzip)
    }

    fn name_by_content(&self) -> String {
        let (stem, extension) = self.name.split_once('.').unwrap_or((self.name, ""));
        format!("{stem}.{}.{extension}", self.packed().version())
    }
}

/// Answers with the page, which is below a path of the host.
pub(super) fn page(base_path: &str) -> Response {
    let html = PAGE.replace("\"/assets/", &format!("\"{base_path}/assets/"));
    let mut response = static_file::page(html, POLICY);
    // The same address answers other clients in JSON.
    response.headers_mut().insert(header::VARY, HeaderValue::from_static("accept"));
    response
}

/// Answers with a file of the page.
pub(super) async fn file(Path(name): Path<String>, headers: HeaderMap) -> Response {
    asset(&name, &headers).unwrap_or_else(|| {
        problem(&format!("There is nothing at '/assets/graphiql/{name}'; the page at a GraphQL path names its files."))
    })
}

/// Returns the answer to a request for a file, unless there is none of this name.
fn asset(name: &str, request: &HeaderMap) -> Option<Response> {
    [SCRIPT, STYLE, LICENCES].into_iter().find_map(|file| {
        let is_versioned = name == file.name_by_content();
        let caching = if is_versioned { IMMUTABLE } else { NO_CACHE };
        (is_versioned || name == file.name).then(|| file.packed().answer(request, caching))
    })
}

#[cfg(test)]
mod tests;
