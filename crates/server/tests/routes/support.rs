//! Small questions that many tests ask.

use cantata_testkit::{Payload, TestServer};
use serde_json::Value;

/// A server with the study `S`.
pub(crate) async fn server_with_study() -> TestServer {
    let server = TestServer::start().await;
    server.create_study("S").await;
    server
}

/// A server with the study `S` and one analysis in it.
pub(crate) async fn server_with_analysis() -> (TestServer, String) {
    let server = server_with_study().await;
    let analysis_id = server.submit(&Payload::new("S")).await;
    (server, analysis_id)
}

/// Returns the names of an object's members, in their order.
#[track_caller]
pub(crate) fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

/// Returns one text member of each element.
#[track_caller]
pub(crate) fn column<'a>(rows: &'a Value, name: &str) -> Vec<&'a str> {
    rows.as_array().unwrap().iter().map(|row| row[name].as_str().unwrap()).collect()
}

/// Returns the object id of a file of an analysis.
pub(crate) async fn object_id(server: &TestServer, analysis_id: &str, index: usize) -> String {
    server.analysis("S", analysis_id).await["files"][index]["objectId"].as_str().unwrap().to_owned()
}

/// Returns the violations of a message, in the order of the alphabet, since theirs has no meaning.
#[track_caller]
pub(crate) fn violations(message: &str) -> Vec<String> {
    let (_, text) = message.split_once("] - ").unwrap();
    let mut violations: Vec<String> = text
        .split(",#")
        .enumerate()
        .map(|(nth, part)| if nth == 0 { part.to_owned() } else { format!("#{part}") })
        .collect();
    violations.sort();
    violations
}

/// Requires a date and time without a zone, to the microsecond at most, without trailing zeros.
#[track_caller]
pub(crate) fn assert_local_time(value: &Value) {
    let text = value.as_str().unwrap_or_else(|| panic!("not a time: {value}"));
    let (moment, fraction) = text.split_once('.').unwrap_or((text, "1"));
    let shape: String = moment.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
    assert_eq!(shape, "0000-00-00T00:00:00", "{text}");
    assert!(fraction.len() <= 6 && fraction.chars().all(|c| c.is_ascii_digit()) && !fraction.ends_with('0'), "{text}");
}
