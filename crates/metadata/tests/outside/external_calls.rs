//! Which calls a submission causes, and what their answers mean.

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::SeqCst;
use std::time::Duration;

use cantata_core::{Error, ErrorId, ErrorOrigin, ExternalValidation};
use cantata_http_client::ClientSettingsError;
use cantata_metadata::external::ExternalValidator;
use serde_json::{Value, json};
use tokio::sync::Semaphore;

use crate::server::{Answer, TestServer, nobody};

const SHORT_TIMEOUT: Duration = Duration::from_millis(200);

fn rule(url: impl Into<String>, json_path: &str) -> ExternalValidation {
    ExternalValidation { url: url.into(), json_path: json_path.to_owned() }
}

async fn check(payload: &Value, rules: &[ExternalValidation]) -> Result<(), Error> {
    ExternalValidator::new(Duration::from_secs(60)).unwrap().check("STUDY-1", payload, rules).await
}

fn not_permitted(value: &str, path: &str) -> Error {
    Error::new(
        ErrorOrigin::SubmitService,
        ErrorId::SchemaViolation,
        format!(
            "#: Value '{value}' from path '{path}' is not permitted as it failed to validate with external validation source."
        ),
    )
}

#[tokio::test]
async fn every_token_is_filled_at_every_place() {
    let server = TestServer::start(|_| Answer::ok("")).await;
    let url = format!("{}/{{study}}/{{value}}/x?v={{value}}&s={{study}}&again={{value}}", server.url);
    check(&json!({"a": "v1"}), &[rule(url, "a")]).await.unwrap();
    assert_eq!(server.targets(), ["/STUDY-1/v1/x?v=v1&s=STUDY-1&again=v1"]);
}

#[tokio::test]
async fn values_arrive_as_one_component_byte_for_byte() {
    for (value, encoded) in [
        ("a/b", "a%2Fb"),
        ("a?b", "a%3Fb"),
        ("a#b", "a%23b"),
        ("a b", "a%20b"),
        ("a$1b", "a%241b"),
        (r"a\b", "a%5Cb"),
        ("100%", "100%25"),
        ("%2F", "%252F"),
        ("{value}{x}", "%7Bvalue%7D%7Bx%7D"),
        ("é漢😀", "%C3%A9%E6%BC%A2%F0%9F%98%80"),
        ("a+b&c=d", "a%2Bb%26c%3Dd"),
        ("line\nbreak\u{0}", "line%0Abreak%00"),
        ("a-._~Z9", "a-._~Z9"),
        ("", ""),
    ] {
        let server = TestServer::start(|_| Answer::ok("")).await;
        let rules = [rule(format!("{}/p/{{value}}/end?q={{value}}", server.url), "a")];
        check(&json!({ "a": value }), &rules).await.unwrap();
        assert_eq!(server.targets(), [format!("/p/{encoded}/end?q={encoded}")]);
    }
}

#[tokio::test]
async fn values_that_would_mean_another_path_are_not_permitted() {
    let server = TestServer::start(|_| Answer::ok("")).await;
    for value in [".", ".."] {
        let rules = [rule(format!("{}/p/{{value}}", server.url), "a")];
        assert_eq!(check(&json!({ "a": value }), &rules).await, Err(not_permitted(value, "a")));
    }
    assert_eq!(server.targets(), [""; 0]);
}

#[tokio::test]
async fn the_request_is_a_get_without_credentials() {
    let server = TestServer::start(|_| Answer::ok("")).await;
    check(&json!({"a": "v"}), &[rule(format!("{}/{{value}}", server.url), "a")]).await.unwrap();
    let request = &server.received()[0];
    assert!(request.head.starts_with("GET /v HTTP/1.1\r\n"), "{}", request.head);
    assert_eq!(request.header("authorization"), None);
}

#[tokio::test]
async fn only_2xx_is_valid_and_redirects_are_not_followed() {
    for status in [200, 201, 202, 204, 299] {
        let server = TestServer::start(move |_| Answer::Status(status, String::new())).await;
        assert_eq!(check(&json!({"a": "v"}), &[rule(format!("{}/{{value}}", server.url), "a")]).await, Ok(()));
    }
    for status in [300, 304, 400, 401, 403, 404, 429, 500, 503] {
        let server = TestServer::start(move |_| Answer::Status(status, String::new())).await;
        let checked = check(&json!({"a": "v"}), &[rule(format!("{}/{{value}}", server.url), "a")]).await;
        assert_eq!(checked, Err(not_permitted("v", "a")), "{status}");
    }
    let server = TestServer::start(|target| match target {
        "/v" => Answer::Redirect("/fine".into()),
        _ => Answer::ok(""),
    })
    .await;
    let checked = check(&json!({"a": "v"}), &[rule(format!("{}/{{value}}", server.url), "a")]).await;
    assert_eq!(checked, Err(not_permitted("v", "a")));
    assert_eq!(server.targets(), ["/v"]);
}

#[tokio::test]
async fn no_answer_is_a_failure() {
    let validator = ExternalValidator::new(SHORT_TIMEOUT).unwrap();
    for answer in [Answer::Hang, Answer::Close, Answer::Garbage] {
        let shown = format!("{answer:?}");
        let server = TestServer::start(move |_| answer.clone()).await;
        let rules = [rule(format!("{}/{{value}}", server.url), "a")];
        let checked = validator.check("S", &json!({"a": "v"}), &rules).await;
        assert_eq!(checked, Err(not_permitted("v", "a")), "{shown}");
    }
    for url in [nobody(), "http://no-such-host.invalid".into(), nobody().replace("http:", "https:")] {
        let checked = validator.check("S", &json!({"a": "v"}), &[rule(format!("{url}/{{value}}"), "a")]).await;
        assert_eq!(checked, Err(not_permitted("v", "a")), "{url}");
    }
}

#[tokio::test]
async fn the_body_of_an_answer_is_not_waited_for() {
    let server = TestServer::start(|_| Answer::HalfBody).await;
    check(&json!({"a": "v"}), &[rule(format!("{}/{{value}}", server.url), "a")]).await.unwrap();
}

#[tokio::test]
async fn a_value_too_long_for_any_url_is_not_permitted() {
    let server = TestServer::start(|_| Answer::ok("")).await;
    let value = "x".repeat(1_000_000);
    let checked = check(&json!({ "a": value }), &[rule(format!("{}/{{value}}", server.url), "a")]).await;
    assert_eq!(checked, Err(not_permitted(&value, "a")));
}

#[tokio::test]
async fn unknown_words_are_refused_by_name_before_any_call() {
    let server = TestServer::start(|_| Answer::ok("")).await;
    let good = rule(format!("{}/{{value}}", server.url), "a");
    let bad = rule(format!("{}/{{value}}/{{donor}}", server.url), "b");
    let error = check(&json!({"a": "v", "b": "w"}), &[good, bad.clone()]).await.unwrap_err();
    assert_eq!((error.id, error.origin), (ErrorId::SchemaViolation, ErrorOrigin::SubmitService));
    assert!(error.text.contains("'{donor}'") && error.text.contains(&bad.url), "{}", error.text);
    assert_eq!(server.targets(), [""; 0]);
}

#[tokio::test]
async fn urls_that_cannot_be_called_are_refused() {
    for url in
        ["", "nonsense", "/relative/{value}", "http://", "http://h:99999/", "ftp://h/{value}", "file:///etc/{value}"]
    {
        let error = check(&json!({"a": "v"}), &[rule(url, "a")]).await.unwrap_err();
        assert_eq!(error.id, ErrorId::SchemaViolation);
        assert!(
            error.text.starts_with(&format!("#: The url '{url}'")) && error.text.contains("cannot be used"),
            "{}",
            error.text
        );
    }
}

#[tokio::test]
async fn a_rule_that_finds_nothing_is_not_looked_at_further() {
    for payload in [json!({}), json!({"a": []})] {
        check(&payload, &[rule("nonsense {word}", "a[*]")]).await.unwrap();
    }
}

#[tokio::test]
async fn equal_urls_are_called_once_per_submission() {
    let server = TestServer::start(|_| Answer::ok("")).await;
    let rules = [rule(format!("{}/{{value}}", server.url), "a[*]"), rule(format!("{}/{{value}}", server.url), "b")];
    let payload = json!({"a": ["x", "y", "x"], "b": "y"});
    check(&payload, &rules).await.unwrap();
    assert_eq!(server.targets(), ["/x", "/y"]);
    check(&payload, &rules).await.unwrap();
    assert_eq!(server.targets(), ["/x", "/x", "/y", "/y"]);
}

#[tokio::test]
async fn the_first_failure_in_order_is_reported_even_if_a_later_one_is_known_earlier() {
    let gate = Arc::new(Semaphore::new(0));
    let opened = gate.clone();
    let server = TestServer::start(move |target| match target {
        "/slow-bad" => Answer::AfterGate(gate.clone(), 404),
        "/fast-bad" => {
            opened.add_permits(1);
            Answer::Status(404, String::new())
        }
        _ => Answer::ok(""),
    })
    .await;
    let url = format!("{}/{{value}}", server.url);
    let within = json!({"a": ["ok", "slow-bad", "fast-bad"]});
    assert_eq!(check(&within, &[rule(&url, "a[*]")]).await, Err(not_permitted("slow-bad", "a[*]")));
    let across = json!({"a": "slow-bad", "b": "fast-bad"});
    assert_eq!(check(&across, &[rule(&url, "a"), rule(&url, "b")]).await, Err(not_permitted("slow-bad", "a")));
    assert_eq!(check(&across, &[rule(&url, "b"), rule(&url, "a")]).await, Err(not_permitted("fast-bad", "b")));
}

#[tokio::test]
async fn failed_calls_of_earlier_rules_win_over_wrong_types_of_later_ones() {
    let server =
        TestServer::start(|target| Answer::Status(if target == "/bad" { 404 } else { 200 }, String::new())).await;
    let url = format!("{}/{{value}}", server.url);
    let rules = [rule(&url, "a"), rule(&url, "n")];
    assert_eq!(check(&json!({"a": "bad", "n": 1}), &rules).await, Err(not_permitted("bad", "a")));
    let error = check(&json!({"a": "good", "n": 1}), &rules).await.unwrap_err();
    assert_eq!(error.text, "#: Value at path 'n' must be a string or array of strings, but was: Integer.");
}

#[tokio::test]
async fn at_most_eight_calls_are_under_way() {
    let gate = Arc::new(Semaphore::new(0));
    let (arrived, released, peak) = <(Arc<AtomicUsize>, Arc<AtomicUsize>, Arc<AtomicUsize>)>::default();
    let server = TestServer::start({
        let (gate, arrived, released, peak) = (gate.clone(), arrived.clone(), released.clone(), peak.clone());
        move |_| {
            let under_way = arrived.fetch_add(1, SeqCst) + 1 - released.load(SeqCst);
            peak.fetch_max(under_way, SeqCst);
            Answer::AfterGate(gate.clone(), 200)
        }
    })
    .await;
    let values: Vec<String> = (0..40).map(|n| format!("v{n}")).collect();
    let rules = [rule(format!("{}/{{value}}", server.url), "a[*]")];
    let checking = tokio::spawn(async move { check(&json!({ "a": values }), &rules).await });
    for answered in 0..40 {
        while arrived.load(SeqCst) < (answered + 8).min(40) {
            tokio::task::yield_now().await;
        }
        released.fetch_add(1, SeqCst);
        gate.add_permits(1);
    }
    checking.await.unwrap().unwrap();
    assert_eq!(peak.load(SeqCst), 8);
}

#[tokio::test]
async fn no_rules_need_no_network() {
    check(&json!({"a": "v"}), &[]).await.unwrap();
}

#[test]
fn a_timeout_of_zero_is_refused() {
    assert_eq!(ExternalValidator::new(Duration::ZERO).unwrap_err(), ClientSettingsError::ZeroTimeout);
}
