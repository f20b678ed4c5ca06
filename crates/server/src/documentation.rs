//! The documentation, which the portal shows under *Learn*: the texts and pictures of `docs/`, as they are.

use axum::extract::Path;
use axum::response::{IntoResponse, Response};
use http::{HeaderValue, Uri, header};
use rust_embed::RustEmbed;

use crate::app::unknown_path;
use crate::response::with_content_type;
use crate::static_file::NO_CACHE;

#[derive(RustEmbed)]
#[folder = "../../docs"]
struct Documents;

/// Answers with a text or a picture.
pub(crate) async fn document(Path(name): Path<String>, uri: Uri) -> Response {
    let content_type = match name.rsplit('.').next() {
        Some("md") => "text/markdown; charset=utf-8",
        Some("png") => "image/png",
        _ => return unknown_path(uri).await.into_response(),
    };
    let Some(file) = Documents::get(&name) else { return unknown_path(uri).await.into_response() };
    let mut response = with_content_type(file.data, HeaderValue::from_static(content_type));
    response.headers_mut().insert(header::CACHE_CONTROL, NO_CACHE);
    response
}

#[cfg(test)]
mod tests {
    use http::StatusCode;
    use http_body_util::BodyExt;

    use super::*;

    async fn asked_for(name: &str) -> Response {
        document(Path(name.to_owned()), Uri::from_static("/portal/documents/x")).await
    }

    #[tokio::test]
    async fn every_guide_and_picture_is_served() {
        for (name, content_type, start) in [
            ("guide/researcher.md", "text/markdown; charset=utf-8", b"# For".as_slice()),
            ("README.md", "text/markdown; charset=utf-8", b"# Documentation".as_slice()),
            ("images/explore.png", "image/png", b"\x89PNG".as_slice()),
        ] {
            let response = asked_for(name).await;
            assert_eq!(response.status(), StatusCode::OK, "{name}");
            assert_eq!(response.headers()[header::CONTENT_TYPE], content_type, "{name}");
            assert!(response.into_body().collect().await.unwrap().to_bytes().starts_with(start), "{name}");
        }
    }

    #[tokio::test]
    async fn nothing_else_is() {
        for name in ["guide/nobody.md", "../README.md", "../Cargo.toml", "guide", ""] {
            assert_eq!(asked_for(name).await.status(), StatusCode::NOT_FOUND, "{name}");
        }
    }
}
