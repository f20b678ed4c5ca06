//! `/metrics`: what was counted, by route templates alone.

use cantata_server::MetricsAccess;
use cantata_testkit::TestServer;
use http::Method;

async fn read(server: &TestServer) -> String {
    let response = server.get("/metrics").await;
    response.assert_status(200);
    assert_eq!(response.header("content-type"), Some("text/plain; version=0.0.4; charset=utf-8"));
    response.text().to_owned()
}

/// Returns the value of a sample.
fn value(text: &str, sample: &str) -> Option<f64> {
    text.lines().find_map(|line| line.strip_prefix(sample)?.strip_prefix(' ')).map(|value| value.parse().unwrap())
}

#[tokio::test]
async fn every_line_is_a_sample_of_a_family_that_was_announced_once() {
    let server = TestServer::start().await;
    server.get("/studies/nothing").await.assert_status(404);
    let text = read(&server).await;
    assert!(text.ends_with('\n'));
    let mut families = Vec::new();
    for line in text.lines() {
        if let Some(announced) = line.strip_prefix("# TYPE ") {
            let (name, kind) = announced.split_once(' ').unwrap();
            assert!(["counter", "gauge", "histogram"].contains(&kind), "{line}");
            assert!(!families.contains(&name), "{name} was announced twice");
            assert!(kind != "counter" || name.ends_with("_total"), "{name}");
            families.push(name);
        } else if !line.starts_with("# HELP ") {
            let (series, value) = line.rsplit_once(' ').unwrap();
            value.parse::<f64>().unwrap();
            let name = series.split('{').next().unwrap();
            let family = families.last().unwrap();
            assert!(name == *family || name.strip_prefix(family).is_some_and(|rest| rest.starts_with('_')), "{line}");
        }
    }
    let mut series: Vec<_> =
        text.lines().filter(|line| !line.starts_with('#')).map(|line| line.rsplit_once(' ')).collect();
    let all = series.len();
    series.sort_unstable_by_key(|line| line.map(|(series, _)| series));
    series.dedup_by_key(|line| line.map(|(series, _)| series));
    assert_eq!(series.len(), all, "a series is there twice");
}

#[tokio::test]
async fn requests_are_counted_by_route_method_status_and_error() {
    let server = TestServer::start().await;
    server.create_study("ABC").await;
    for _ in 0..3 {
        server.get("/studies/ABC").await.assert_status(200);
    }
    for study in ["one", "two"] {
        server.get(&format!("/studies/{study}")).await.assert_status(404);
    }
    server.send(Method::HEAD, "/isAlive", &[], None).await.assert_status(200);
    let text = read(&server).await;
    let requests = |labels: &str| value(&text, &format!("cantata_http_requests_total{{{labels}}}"));
    assert_eq!(requests(r#"route="/studies/{studyId}",method="GET",status="2xx""#), Some(3.0), "{text}");
    assert_eq!(requests(r#"route="/studies/{studyId}",method="GET",status="4xx""#), Some(2.0));
    assert_eq!(requests(r#"route="/studies/{studyId}",method="POST",status="2xx""#), Some(1.0));
    assert_eq!(requests(r#"route="/isAlive",method="HEAD",status="2xx""#), Some(1.0));
    assert_eq!(value(&text, r#"cantata_errors_total{error="study.id.does.not.exist"}"#), Some(2.0));
    let took = r#"cantata_http_request_duration_seconds_count{route="/studies/{studyId}",method="GET"}"#;
    assert_eq!(value(&text, took), Some(5.0));
    // The request that asks is under way itself.
    assert_eq!(value(&text, "cantata_http_requests_in_flight"), Some(1.0));
    assert!(value(&text, "process_start_time_seconds").unwrap() > 1.7e9);
}

#[tokio::test]
async fn events_and_the_process_are_told_of() {
    let server = TestServer::start().await;
    server.create_study("ABC").await;
    assert_eq!(value(&read(&server).await, "cantata_events_total"), Some(0.0));
    server.submit(&cantata_testkit::Payload::new("ABC")).await;
    let text = read(&server).await;
    assert_eq!(value(&text, "cantata_events_total"), Some(1.0));
    if cfg!(target_os = "linux") {
        assert!(value(&text, "process_resident_memory_bytes").unwrap() > 1e6);
        assert!(value(&text, "process_open_fds").unwrap() <= value(&text, "process_max_fds").unwrap());
    }
}

/// Whatever clients send, the number of series is bounded by the routes there are.
#[tokio::test]
async fn clients_cannot_make_labels() {
    let server = TestServer::start().await;
    for number in 0..50 {
        server.get(&format!("/made/up/{number}")).await.assert_status(404);
        server.get(&format!("/studies/secret-{number}")).await.assert_status(404);
        let method = Method::from_bytes(format!("MADE{number}").as_bytes()).unwrap();
        server.send(method, "/studies/all", &[], None).await.assert_status(405);
    }
    let text = read(&server).await;
    for made in ["made", "MADE", "secret-"] {
        assert!(!text.contains(made), "{made} in {text}");
    }
    let unrouted = r#"cantata_http_requests_total{route="none",method="GET",status="4xx"}"#;
    assert_eq!(value(&text, unrouted), Some(50.0), "{text}");
}

#[tokio::test]
async fn refusals_are_counted_by_reason() {
    let server = TestServer::start().await;
    let headers = [("content-encoding", "gzip"), ("content-type", "application/json")];
    server.send(Method::POST, "/schemas", &headers, Some(vec![1])).await.assert_status(415);
    let text = read(&server).await;
    assert_eq!(value(&text, r#"cantata_http_requests_refused_total{reason="compressed"}"#), Some(1.0), "{text}");
    assert_eq!(value(&text, r#"cantata_http_requests_refused_total{reason="too_many_requests"}"#), Some(0.0));
}

#[tokio::test]
async fn it_can_be_switched_off() {
    let server = TestServer::builder().metrics(MetricsAccess::Off).start().await;
    server.get("/metrics").await.assert_error_id(404, "path.not.found");
}
