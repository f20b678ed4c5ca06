//! The least server that could answer for an analysis: the same framework, the same path, always the same document.

use axum::Router;
use axum::http::header::CONTENT_TYPE;
use axum::routing::get;
use axum::serve::ListenerExt;
use serde_json::json;
use tokio::net::TcpListener;

use crate::{Outcome, report};

/// Serves on a free port, which it prints, until it is killed.
pub(crate) fn run(bytes: usize) -> Outcome<()> {
    let document: &'static str = document_of(bytes).leak();
    let answer = move || async move { ([(CONTENT_TYPE, "application/json")], document) };
    let routes = Router::new().route("/studies/{study_id}/analysis/{analysis_id}", get(answer));
    tokio::runtime::Builder::new_multi_thread().enable_all().build()?.block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        report::progress(&format!("the fixed server is ready on http://{}", listener.local_addr()?));
        // A connection that cannot be set to send at once answers late, which only this server would suffer from.
        let listener = listener.tap_io(|stream| {
            let _ = stream.set_nodelay(true);
        });
        axum::serve(listener, routes).await?;
        Ok(())
    })
}

/// Returns a JSON document of exactly this many bytes, or the shortest one when that is too few.
fn document_of(bytes: usize) -> String {
    let empty = json!({ "text": "" }).to_string();
    json!({ "text": "x".repeat(bytes.saturating_sub(empty.len())) }).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_document_has_the_size_asked_for() {
        assert_eq!(document_of(1_000).len(), 1_000);
    }
}
