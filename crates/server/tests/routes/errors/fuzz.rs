//! Valid requests with something broken at random: whatever it is, it is never the server's fault.

use cantata_testkit::{Payload, TestServer, minimal_type, raw};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use serde_json::json;

use crate::support::server_with_study;

const REQUESTS: usize = 2_000;

/// Pieces that have a meaning somewhere.
const PIECES: [&str; 24] = [
    "",
    "S",
    "all",
    "publish",
    "search",
    "id",
    "%00",
    "%ff",
    "..",
    "null",
    "-1",
    "0",
    "99999999999999999999",
    "1e400",
    "*",
    "(",
    "[a-",
    ",",
    "%2F",
    "{x}",
    "true",
    "registration",
    "é",
    "'%22%5C",
];

struct Request {
    method: &'static str,
    path: String,
    body: Vec<u8>,
}

/// Returns one valid request for each kind of route.
async fn valid_requests(server: &TestServer) -> Vec<Request> {
    let id = server.submit(&Payload::new("S").with_files(3)).await;
    let object_id = crate::support::object_id(server, &id, 0).await;
    let other = server.submit(&Payload::new("S").with_files(3)).await;
    let update = json!({"analysisType": {"name": "t", "version": 1}, "experiment": {"a": [1, {"b": null}]}});
    let payloads = json!([Payload::new("S").build(), Payload::new("S").build()]);
    let request = |method: &'static str, path: String, body: String| Request { method, path, body: body.into_bytes() };
    let nothing = String::new;
    vec![
        request("POST", "/schemas".into(), minimal_type("t").to_string()),
        request("GET", "/schemas?names=t&versions=1,2&limit=5&offset=1&sort=name&sortOrder=ASC".into(), nothing()),
        request("GET", "/schemas/t?version=1&unrenderedOnly=true".into(), nothing()),
        request("POST", "/studies/S2/".into(), json!({"studyId": "S2", "info": {"a": 1}}).to_string()),
        request("POST", "/submit/S?allowDuplicates=true".into(), Payload::new("S").with_files(2).build().to_string()),
        request("POST", "/submit/S/batch".into(), payloads.to_string()),
        request("GET", "/studies/S/analysis?analysisStates=PUBLISHED,UNPUBLISHED".into(), nothing()),
        request("GET", "/studies/S/analysis/paginated?limit=3&offset=1".into(), nothing()),
        request("GET", format!("/studies/S/analysis/{id}"), nothing()),
        request("PUT", format!("/studies/S/analysis/{id}"), update.to_string()),
        request("PATCH", format!("/studies/S/analysis/{id}"), json!({"experiment": {"x": null}}).to_string()),
        request("PUT", format!("/studies/S/analysis/publish/{other}?ignoreUndefinedMd5=true"), nothing()),
        request("PUT", format!("/studies/S/analysis/unpublish/{other}"), nothing()),
        request("GET", "/studies/S/analysis/search/id?fileId=%5Ba-f%5D%7B3%7D".into(), nothing()),
        request("POST", "/studies/S/analysis/search/id".into(), json!({"objectId": "^a.*b$"}).to_string()),
        request("GET", format!("/studies/S/files/{object_id}"), nothing()),
        request(
            "PUT",
            format!("/studies/S/files/{object_id}"),
            json!({"fileSize": 5, "fileAccess": "open", "info": {"a": 1}}).to_string(),
        ),
        request("DELETE", format!("/studies/S/files/{object_id},{object_id}"), nothing()),
        request("GET", format!("/export/analysis/{id},{other}"), nothing()),
        request("GET", "/export/studies/S".into(), nothing()),
        request("GET", format!("/entities?gnosId={id}&fields=id&page=0&size=2"), nothing()),
        request("GET", "/events?after=0&follow=false".into(), nothing()),
    ]
}

/// Breaks something in the body, the path or the query.
fn mutate(random: &mut StdRng, request: &Request) -> Request {
    let (mut path, mut body) = (request.path.clone(), request.body.clone());
    for _ in 0..random.random_range(1..=3) {
        let piece = *PIECES.choose(random).unwrap();
        match random.random_range(0..7) {
            0 | 1 if !body.is_empty() => {
                let at = random.random_range(0..body.len());
                body[at] = random.random();
            }
            2 if !body.is_empty() => {
                let from = random.random_range(0..body.len());
                let to = random.random_range(from..=body.len().min(from + 20));
                body.drain(from..to);
            }
            3 if !body.is_empty() => {
                let at = random.random_range(0..=body.len());
                body.splice(at..at, piece.bytes());
            }
            4 => {
                let mut segments: Vec<&str> = path.split('/').collect();
                let at = random.random_range(1..segments.len());
                segments[at] = piece;
                path = segments.join("/");
            }
            5 => {
                let values = path.matches('=').count();
                if values > 0 {
                    let nth = random.random_range(0..values);
                    let at = path.match_indices('=').nth(nth).unwrap().0 + 1;
                    let end = path[at..].find('&').map_or(path.len(), |length| at + length);
                    path.replace_range(at..end, piece);
                }
            }
            _ => {
                let separator = if path.contains('?') { '&' } else { '?' };
                let name = ["limit", "version", "fileId", "follow", "fields", "x"].choose(random).unwrap();
                path = format!("{path}{separator}{name}={piece}");
            }
        }
    }
    // An event stream without this never ends.
    if path.starts_with("/events") && !path.contains("follow=false") {
        path = "/events?follow=false".to_owned();
    }
    Request { method: request.method, path, body }
}

#[tokio::test(flavor = "multi_thread")]
async fn broken_requests_are_never_the_fault_of_the_server() {
    let server = server_with_study().await;
    server.register_minimal("t").await;
    let valid = valid_requests(&server).await;
    let mut random = StdRng::seed_from_u64(20_260_101);
    let mut answered_well = 0;
    for nth in 0..REQUESTS {
        let chosen = valid.choose(&mut random).unwrap();
        let request = mutate(&mut random, chosen);
        let bytes = raw::request(request.method, request.path.as_bytes(), &[], &request.body);
        let shown = || format!("{nth}: {} {} {}", request.method, request.path, String::from_utf8_lossy(&request.body));
        let response =
            raw::exchange(server.address(), &bytes).await.unwrap_or_else(|| panic!("no answer: {}", shown()));
        assert!(response.status < 500, "{}: {}", shown(), String::from_utf8_lossy(&response.body));
        if response.status >= 400 {
            assert_eq!(response.json()["httpStatusCode"], response.status, "{}", shown());
        } else {
            answered_well += 1;
        }
    }
    server.get("/isAlive").await.assert_text(200, "true");
    server.get("/studies/S/analysis?analysisStates=PUBLISHED,UNPUBLISHED,SUPPRESSED").await.ok();
    assert!(answered_well > REQUESTS / 20, "the requests are so broken that they try nothing: {answered_well}");
}
