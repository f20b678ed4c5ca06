use axum::body::Bytes;
use http_body_util::BodyExt;

use super::*;
use crate::static_file::HTML;

async fn body_of(response: Response) -> Bytes {
    response.into_body().collect().await.unwrap().to_bytes()
}

async fn page_text(base_path: &str) -> String {
    String::from_utf8(body_of(page_below(base_path)).await.to_vec()).unwrap()
}

async fn asked_for(name: &str, headers: HeaderMap) -> Response {
    file(Path(name.to_owned()), headers, Uri::from_static("/assets/portal/x")).await
}

#[tokio::test]
async fn every_file_that_the_page_names_is_there_and_kept_for_ever() {
    let page = page_text("").await;
    let names: Vec<_> =
        page.split("\"/assets/portal/").skip(1).map(|rest| rest.split('"').next().unwrap().to_owned()).collect();
    assert!(names.len() >= 3, "{names:?}");
    for name in names {
        let response = asked_for(&name, HeaderMap::new()).await;
        assert_eq!(response.status(), http::StatusCode::OK, "{name}");
        assert_eq!(response.headers()[header::CACHE_CONTROL], IMMUTABLE, "{name}");
    }
}

#[tokio::test]
async fn the_page_has_no_script_or_style_within_it() {
    assert!(!PAGE.contains("<style") && !PAGE.contains(" style=") && !PAGE.contains("://"), "{PAGE}");
    for base_path in ["", "/data/catalogue"] {
        let (page, source) = (page_text(base_path).await, format!("src=\"{base_path}/assets/portal/"));
        for script in page.split("<script").skip(1) {
            assert!(script.contains(&source) && script.contains("></script>"), "{script}");
        }
    }
    let response = page_below("");
    let policy = response.headers()[header::CONTENT_SECURITY_POLICY].to_str().unwrap();
    assert!(!policy.contains("unsafe") && policy.contains("script-src 'self'"), "{policy}");
}

#[tokio::test]
async fn every_file_has_both_compressed_forms_and_a_plain_one() {
    let files = PortalFiles::iter().filter_map(|packed| packed.strip_suffix(".gz").map(str::to_owned));
    for name in files {
        for (accepted, coding, extension) in [("gzip, br", "br", "br"), ("gzip, br;q=0", "gzip", "gz")] {
            let kept = PortalFiles::get(&format!("{name}.{extension}")).unwrap().data;
            let accepts = HeaderMap::from_iter([(header::ACCEPT_ENCODING, HeaderValue::from_static(accepted))]);
            let packed = asked_for(&name, accepts).await;
            assert_eq!(packed.headers()[header::CONTENT_ENCODING], coding, "{name}");
            assert_eq!(body_of(packed).await, *kept, "{name}");
            let plain = asked_for(&name, HeaderMap::new()).await;
            assert!(body_of(plain).await.len() > kept.len() / 2, "{name}");
        }
    }
}

#[tokio::test]
async fn browsers_get_the_portal_and_others_the_documentation() {
    let browser = HeaderMap::from_iter([(
        header::ACCEPT,
        HeaderValue::from_static("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"),
    )]);
    assert_eq!(home_below("", &browser).headers()[header::CONTENT_TYPE], HTML);
    for accept in ["*/*", "application/json"] {
        let headers = HeaderMap::from_iter([(header::ACCEPT, HeaderValue::from_static(accept))]);
        assert_eq!(home_below("", &headers).headers()[header::LOCATION], "/docs/index.html", "{accept}");
    }
}
