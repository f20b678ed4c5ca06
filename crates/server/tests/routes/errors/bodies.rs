//! Bodies that are missing, unreadable, too large or of the wrong kind.

use cantata_testkit::{Payload, TestServer, raw};
use http::Method;
use serde_json::json;

use crate::support::server_with_analysis;

const ORIGIN: &str = "HttpServer";

/// Every route that takes a JSON object.
fn routes(analysis_id: &str, object_id: &str) -> Vec<(Method, String)> {
    vec![
        (Method::POST, "/schemas".to_owned()),
        (Method::POST, "/studies/NEW".to_owned()),
        (Method::POST, "/studies/S/analysis/search/id".to_owned()),
        (Method::PUT, format!("/studies/S/analysis/{analysis_id}")),
        (Method::PATCH, format!("/studies/S/analysis/{analysis_id}")),
        (Method::PUT, format!("/studies/S/files/{object_id}")),
    ]
}

#[tokio::test]
async fn every_route_refuses_what_it_cannot_read() {
    let (server, analysis_id) = server_with_analysis().await;
    let object_id = crate::support::object_id(&server, &analysis_id, 0).await;
    let before = server.analysis("S", &analysis_id).await;
    let deep = format!("{{\"a\":{}{}}}", "[".repeat(10_000), "]".repeat(10_000));
    for (method, path) in routes(&analysis_id, &object_id) {
        let send = async |body: &[u8]| server.send(method.clone(), &path, &[], Some(body.to_vec())).await;
        let text = "The body is missing; send a JSON object";
        send(b"").await.assert_error(400, ORIGIN, "malformed.request.body", text);
        for (body, found) in [
            ("[]", "JSONArray"),
            ("\"x\"", "String"),
            ("5", "Integer"),
            ("null", "Null"),
            ("true", "Boolean"),
            ("1.5", "Double"),
        ] {
            let text = format!("#: expected type: JSONObject, found: {found}");
            send(body.as_bytes()).await.assert_error(400, ORIGIN, "malformed.request.body", &text);
        }
        for body in [
            b"{".as_slice(),
            b"{\"a\":}",
            b"{} x",
            b"nope",
            b"\xff\xfe",
            b"{\"a\":\"\xff\"}",
            b"\x00",
            deep.as_bytes(),
            b"{\"a\":1e400}",
            b"{\"a\":-1e400}",
            b"{\"a\":\"\\ud800\"}",
            b"{\"a\":01}",
            b"{'a':1}",
            b"{\"a\":NaN}",
            b"{\"a\":1,}",
            b" ",
        ] {
            let message = send(body).await.assert_error_id(400, "malformed.request.body");
            assert!(message.contains("The body is not JSON: "), "{path}: {message}");
        }
    }
    let text = "The body is not JSON: EOF while parsing an object at line 1 column 1";
    let refused = server.send(Method::POST, "/schemas", &[], Some(b"{".to_vec())).await;
    refused.assert_error(400, ORIGIN, "malformed.request.body", text);
    assert_eq!(server.analysis("S", &analysis_id).await, before);
}

#[tokio::test]
async fn every_route_refuses_other_content_types() {
    let (server, analysis_id) = server_with_analysis().await;
    let object_id = crate::support::object_id(&server, &analysis_id, 0).await;
    let mut routes = routes(&analysis_id, &object_id);
    routes.push((Method::POST, "/submit/S".to_owned()));
    for (method, path) in routes {
        for (given, shown) in [
            ("text/plain", "text/plain"),
            ("application/xml; charset=utf-8", "application/xml"),
            ("application/json; charset=utf-16", "application/json;charset=utf-16"),
            ("", ""),
            ("application/json, text/plain", "application/json, text/plain"),
        ] {
            let response = server.send(method.clone(), &path, &[("content-type", given)], Some(b"{}".to_vec())).await;
            let text = format!("The Content-Type is '{shown}', but must be application/json, in UTF-8");
            response.assert_error(415, ORIGIN, "unsupported.media.type", &text);
        }
    }
}

#[tokio::test]
async fn bodies_over_the_limit_are_refused_whether_their_length_is_told_or_not() {
    let server = TestServer::builder().body_limit(1_000).start().await;
    server.create_study("S").await;
    server.submit(&Payload::new("S")).await;
    let large = Payload::new("S").with("text", "x".repeat(1_000_000)).build();
    let text = "The body is larger than the limit of 1000 bytes; send less, or in several requests";
    for path in ["/submit/S", "/schemas", "/studies/T"] {
        server.post(path, &large).await.assert_error(413, ORIGIN, "payload.too.large", text);
    }
    let mut chunked =
        b"POST /submit/S HTTP/1.1\r\nhost: x\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n".to_vec();
    for _ in 0..20 {
        chunked.extend_from_slice(format!("64\r\n{}\r\n", "x".repeat(100)).as_bytes());
    }
    chunked.extend_from_slice(b"0\r\n\r\n");
    let response = raw::exchange(server.address(), &chunked).await.unwrap();
    assert_eq!((response.status, &response.json()["errorId"]), (413, &json!("payload.too.large")));
    let exactly = format!("\"{}\"", "x".repeat(998));
    let response = server.send(Method::POST, "/submit/S", &[], Some(exactly.into_bytes())).await;
    response.assert_error_id(400, "malformed.parameter");
    server.get("/isAlive").await.assert_text(200, "true");
}

#[tokio::test]
async fn bodies_that_end_early_store_nothing() {
    let (server, _) = server_with_analysis().await;
    let body = Payload::new("S").build().to_string();
    let mut request = raw::request("POST", b"/submit/S", &["content-type: application/json"], body.as_bytes());
    request.truncate(request.len() - 1);
    let response = raw::exchange_half_closed(server.address(), &request).await;
    if let Some(response) = response {
        assert_eq!((response.status, &response.json()["errorId"]), (400, &json!("malformed.request.body")));
    }
    let bad_chunk =
        b"POST /submit/S HTTP/1.1\r\nhost: x\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\nZZ\r\n";
    let response = raw::exchange(server.address(), bad_chunk).await.unwrap();
    assert_eq!((response.status, &response.json()["errorId"]), (400, &json!("malformed.request.body")));
    server.get("/isAlive").await.assert_text(200, "true");
    assert_eq!(server.get("/entities").await.ok()["totalElements"], 1);
}

#[tokio::test]
async fn numbers_and_texts_of_any_size_are_read_or_refused() {
    let (server, _) = server_with_analysis().await;
    let with = |value: &str| Payload::new("S").with("x", "REPLACE").build().to_string().replace("\"REPLACE\"", value);
    let long = format!("\"{}\"", "é".repeat(1_000_000));
    let fraction = format!("0.{}", "1".repeat(10_000));
    for value in ["1000000000000000000000000000000", &"9".repeat(300)] {
        let refused = server.send(Method::POST, "/submit/S", &[], Some(with(value).into_bytes())).await;
        let message = refused.assert_error_id(422, "payload.parsing");
        assert!(message.contains("#/x: the integer"), "{message}");
    }
    for value in ["1e300", "-0", "1e-400", &fraction, &long, "\"\\u0000\""] {
        let body = with(value).into_bytes();
        let submitted = server.send(Method::POST, "/submit/S", &[], Some(body)).await.ok();
        let id = submitted["analysisId"].as_str().unwrap().to_owned();
        let stored = server.analysis("S", &id).await;
        let expected: serde_json::Value = serde_json::from_str(value).unwrap();
        assert_eq!(stored["x"], expected, "{}", &value[..value.len().min(50)]);
        server.patch(&format!("/studies/S/analysis/{id}"), &json!({})).await.assert_status(200);
        assert_eq!(server.analysis("S", &id).await["x"], expected);
    }
    for value in ["1e400", "-1e400", &"9".repeat(400)] {
        let response = server.send(Method::POST, "/submit/S", &[], Some(with(value).into_bytes())).await;
        response.assert_error_id(422, "payload.parsing");
    }
    for nesting in [99, 100, 10_000] {
        let value = format!("{}{}", "[".repeat(nesting), "]".repeat(nesting));
        let response = server.send(Method::POST, "/submit/S", &[], Some(with(&value).into_bytes())).await;
        assert_eq!(response.status, if nesting == 99 { 200 } else { 422 }, "{nesting}");
    }
}
