//! Who may read `/metrics`, and what of it.

use crate::support::{Guarded, assert_forbidden, assert_unauthorized};

const OF_CATALOGUES: &str = "catalogue=";

#[tokio::test]
async fn who_looks_after_the_server_sees_catalogues_too() {
    let guarded = Guarded::open().await;
    let weak = guarded.key("weak", &["STUDY.ABC.WRITE", "song.READ"]).await;
    assert_unauthorized(&guarded.get("/metrics", "").await);
    assert_forbidden(&guarded.get("/metrics", &weak).await);
    let response = guarded.get("/metrics", &guarded.administrator).await;
    response.assert_status(200);
    let is_size = |line: &str| line.starts_with("cantata_index_documents{catalogue=") && line.ends_with("} 1");
    assert!(response.text().lines().any(is_size), "{}", response.text());
}

#[tokio::test]
async fn where_everybody_may_read_metrics_nobody_learns_of_catalogues_by_them() {
    let guarded = Guarded::with_open_metrics().await;
    let weak = guarded.key("weak", &["STUDY.ABC.WRITE"]).await;
    for credential in ["", "nonsense", &weak] {
        let response = guarded.get("/metrics", credential).await;
        response.assert_status(200);
        assert!(response.text().contains("cantata_http_requests_total"));
        assert!(!response.text().contains(OF_CATALOGUES), "{credential}: {}", response.text());
    }
    assert!(guarded.get("/metrics", &guarded.administrator).await.text().contains(OF_CATALOGUES));
}
