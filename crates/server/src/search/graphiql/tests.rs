use std::io::Read;

use axum::body::Bytes;
use flate2::read::GzDecoder;
use http::{HeaderName, StatusCode};
use http_body_util::BodyExt;

use super::*;

fn with(name: HeaderName, value: &'static str) -> HeaderMap {
    HeaderMap::from_iter([(name, HeaderValue::from_static(value))])
}

fn header_of(response: &Response, name: HeaderName) -> &str {
    response.headers().get(name).unwrap().to_str().unwrap()
}

async fn body_of(response: Response) -> Bytes {
    response.into_body().collect().await.unwrap().to_bytes()
}

async fn page_text() -> String {
    String::from_utf8(body_of(page("")).await.to_vec()).unwrap()
}

/// Returns the files that the page names.
async fn linked() -> Vec<String> {
    let page = page_text().await;
    page.split("/assets/graphiql/").skip(1).map(|rest| rest.split('"').next().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn the_page_loads_only_files_that_are_there() {
    let names = linked().await;
    assert_eq!(names.len(), 2, "{names:?}");
    for name in names {
        let response = asset(&name, &HeaderMap::new()).unwrap();
        assert_eq!(response.status(), StatusCode::OK, "{name}");
        assert!(header_of(&response, header::CACHE_CONTROL).contains("immutable"), "{name}");
    }
}

#[tokio::test]
async fn the_page_runs_no_script_but_its_own() {
    let page = page_text().await;
    assert!(page.contains("<title>Cantata GraphiQL</title>"));
    assert_eq!(page.matches("<script").count(), 1);
    assert!(page.contains("<script src=\"/assets/graphiql/graphiql."));
    assert!(!page.contains("http"), "{page}");
    let response = super::page("");
    assert!(header_of(&response, header::CONTENT_SECURITY_POLICY).contains("script-src 'self';"));
}

#[tokio::test]
async fn below_a_path_the_page_names_its_files_there() {
    let page = body_of(page("/data/catalogue")).await;
    let page = String::from_utf8_lossy(&page);
    assert_eq!(page.matches("=\"/data/catalogue/assets/graphiql/graphiql.").count(), 2, "{page}");
    assert!(!page.contains("\"/assets/"), "{page}");
}

#[tokio::test]
async fn both_forms_of_a_file_have_the_same_content() {
    for (name, start) in
        [("graphiql.js", "/* Licences"), ("graphiql.css", "/* Licences"), ("LICENSES.txt", "The GraphiQL")]
    {
        let packed = asset(name, &with(header::ACCEPT_ENCODING, "br;q=1.0, gzip;q=0.8")).unwrap();
        assert_eq!(header_of(&packed, header::CONTENT_ENCODING), "gzip");
        let plain = asset(name, &with(header::ACCEPT_ENCODING, "br, gzip;q=0")).unwrap();
        assert!(!plain.headers().contains_key(header::CONTENT_ENCODING));
        assert_eq!(packed.headers()[header::CONTENT_TYPE], plain.headers()[header::CONTENT_TYPE]);
        let mut unpacked = Vec::new();
        GzDecoder::new(&*body_of(packed).await).read_to_end(&mut unpacked).unwrap();
        let plain = body_of(plain).await;
        assert!(plain.starts_with(start.as_bytes()), "{name}");
        assert_eq!(plain, unpacked, "{name}");
    }
}

#[tokio::test]
async fn licences_in_the_repository_are_those_that_are_served() {
    let served = body_of(asset("LICENSES.txt", &HeaderMap::new()).unwrap()).await;
    assert_eq!(served, include_bytes!("../../../assets/graphiql/LICENSES.txt").as_slice());
}

#[test]
fn a_client_that_has_the_file_gets_no_body() {
    let first = asset("graphiql.js", &HeaderMap::new()).unwrap();
    let tag = first.headers()[header::ETAG].clone();
    let strong = HeaderValue::from_str(tag.to_str().unwrap().trim_start_matches("W/")).unwrap();
    for known in [tag, strong, HeaderValue::from_static("*")] {
        let request = HeaderMap::from_iter([(header::IF_NONE_MATCH, known.clone())]);
        assert_eq!(asset("graphiql.js", &request).unwrap().status(), StatusCode::NOT_MODIFIED, "{known:?}");
    }
    let other = asset("graphiql.js", &with(header::IF_NONE_MATCH, "W/\"0\", \"1\"")).unwrap();
    assert_eq!(other.status(), StatusCode::OK);
}

#[tokio::test]
async fn other_names_have_no_file() {
    for name in ["", "index.html", "graphiql.0000000000000000.js", "graphiql.js.gz", "../Cargo.toml"] {
        assert!(asset(name, &HeaderMap::new()).is_none(), "{name}");
    }
    assert_eq!(file(Path("none.js".to_owned()), HeaderMap::new()).await.status(), StatusCode::NOT_FOUND);
}
