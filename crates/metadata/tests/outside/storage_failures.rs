//! A storage server that cannot be asked, or whose answers have no meaning.

use std::time::Duration;

use cantata_core::{Analysis, Error, ErrorId, ErrorOrigin, ObjectId};
use cantata_http_client::ClientSettingsError;
use cantata_metadata::storage::StorageClient;
use serde_json::{Value, json};

use crate::server::{Answer, TestServer, nobody};
use crate::storage_checks::{MD5, SIZE, analysis, asked};

const SHORT_TIMEOUT: Duration = Duration::from_millis(200);
const LONG_TIMEOUT: Duration = Duration::from_secs(20);
const TOKEN: &str = "t0p-secret";

async fn publish_at(url: &str, analysis: &Analysis, timeout: Duration) -> Result<(), Error> {
    StorageClient::new(url, Some(TOKEN.into()), timeout).unwrap().check_publishable(analysis, false).await
}

/// Publishes one file, of which the storage server says what the arguments say.
async fn publish(upload: Answer, download: Answer) -> (Error, ObjectId) {
    let waits = [&upload, &download].into_iter().any(|answer| matches!(answer, Answer::Hang | Answer::HalfBody));
    let timeout = if waits { SHORT_TIMEOUT } else { LONG_TIMEOUT };
    let server = TestServer::start(move |target| if asked(target).1 { upload.clone() } else { download.clone() }).await;
    let analysis = analysis(1);
    let error = publish_at(&server.url, &analysis, timeout).await.unwrap_err();
    (error, analysis.files[0].object_id)
}

fn described(object_id: &str) -> Value {
    json!({"objectId": object_id, "objectSize": SIZE, "objectMd5": MD5})
}

#[tokio::test]
async fn nothing_usable_from_either_question_is_a_storage_error() {
    for answer in [
        Answer::Hang,
        Answer::HalfBody,
        Answer::Close,
        Answer::Garbage,
        Answer::Redirect("/elsewhere".into()),
        Answer::Status(401, TOKEN.into()),
        Answer::Status(500, TOKEN.into()),
        Answer::Status(503, "busy".into()),
    ] {
        for (upload, download) in [(answer.clone(), Answer::ok("{}")), (Answer::ok(&true), answer.clone())] {
            let (error, object_id) = publish(upload, download).await;
            assert_eq!(
                (error.id, error.origin),
                (ErrorId::StorageServiceError, ErrorOrigin::ScoreService),
                "{answer:?}"
            );
            assert!(error.text.contains(&object_id.to_string()), "{}", error.text);
            assert!(!error.text.contains(TOKEN) && !error.text.contains("127.0.0.1"), "{}", error.text);
        }
    }
}

#[tokio::test]
async fn a_storage_server_that_is_not_there_is_a_storage_error() {
    let analysis = analysis(1);
    let error = publish_at(&nobody(), &analysis, LONG_TIMEOUT).await.unwrap_err();
    assert_eq!(error.id, ErrorId::StorageServiceError);
    assert!(error.text.contains(&analysis.files[0].object_id.to_string()), "{}", error.text);
    assert!(error.text.contains("no connection"), "{}", error.text);
}

#[tokio::test]
async fn the_status_or_the_delay_is_named() {
    let (error, _) = publish(Answer::Status(418, String::new()), Answer::Close).await;
    assert!(error.text.ends_with("it answered with HTTP status 418"), "{}", error.text);
    let (error, _) = publish(Answer::Hang, Answer::Hang).await;
    assert!(error.text.ends_with("no complete answer came within 0.2 s"), "{}", error.text);
}

#[tokio::test]
async fn upload_answers_other_than_true_and_false_are_storage_errors() {
    for body in ["", "yes", "TRUE", "1", "null", "\"true\"", "{}", "true false"] {
        let (error, object_id) = publish(Answer::ok(&body), Answer::Close).await;
        assert_eq!(error.id, ErrorId::StorageServiceError, "{body}");
        assert_eq!(
            error.text,
            format!(
                "The storage server could not be asked about objectId '{object_id}': it answered '{body}' instead of \
                 true or false"
            )
        );
    }
    let (error, _) = publish(Answer::Status(404, String::new()), Answer::Close).await;
    assert_eq!(error.id, ErrorId::StorageServiceError);
}

#[tokio::test]
async fn blanks_around_true_do_not_matter() {
    let server = TestServer::start(|target| match asked(target) {
        (_, true) => Answer::ok(" true\n"),
        (object_id, false) => Answer::ok(&described(&object_id.to_string())),
    })
    .await;
    assert_eq!(publish_at(&server.url, &analysis(1), LONG_TIMEOUT).await, Ok(()));
}

#[tokio::test]
async fn error_texts_show_little_of_an_answer_and_never_the_token() {
    let (error, _) = publish(Answer::ok(&format!("denied: Bearer {TOKEN}")), Answer::Close).await;
    assert!(error.text.contains("'denied: Bearer ***'"), "{}", error.text);
    let (error, _) = publish(Answer::ok(&"x".repeat(5_000)), Answer::Close).await;
    assert!(error.text.contains(&"x".repeat(200)) && !error.text.contains(&"x".repeat(201)), "{}", error.text);
    let (error, _) = publish(Answer::ok(&"x".repeat(65 * 1024)), Answer::Close).await;
    assert_eq!(error.id, ErrorId::StorageServiceError);
    assert!(error.text.len() < 500, "{}", error.text);
    let echo = json!({"objectId": "abc", "objectSize": TOKEN, "filler": "x".repeat(5_000)});
    let (error, _) = publish(Answer::ok(&true), Answer::ok(&echo)).await;
    assert!(!error.text.contains(TOKEN) && error.text.contains("***"), "{}", error.text);
}

#[tokio::test]
async fn an_object_lost_between_the_questions_is_not_found() {
    let (error, object_id) = publish(Answer::ok(&true), Answer::Status(404, String::new())).await;
    assert_eq!((error.id, error.origin), (ErrorId::StorageObjectNotFound, ErrorOrigin::ScoreService));
    assert!(error.text.contains(&object_id.to_string()), "{}", error.text);
}

#[tokio::test]
async fn descriptions_that_cannot_be_used_name_what_is_wrong() {
    let with = |member: &str, value: Value| {
        let mut description = described("abc");
        description[member] = value;
        description.to_string()
    };
    for (body, named) in [
        (String::new(), "JSON"),
        ("true".into(), "JSON"),
        ("<html>".into(), "JSON"),
        ("{}".into(), "objectId"),
        (with("objectId", json!("-")), "objectId"),
        (with("objectSize", json!(-1)), "objectSize"),
        (with("objectSize", json!("1000")), "objectSize"),
        (with("objectMd5", json!("xyz")), "objectMd5"),
    ] {
        let (error, object_id) = publish(Answer::ok(&true), Answer::ok(&body)).await;
        let found = (error.id, error.origin);
        assert_eq!(found, (ErrorId::InvalidStorageDownloadResponse, ErrorOrigin::ScoreService), "{body}");
        assert!(error.text.contains(named) && error.text.contains(&object_id.to_string()), "{}", error.text);
    }
}

#[tokio::test]
async fn descriptions_of_objects_with_many_parts_are_read_and_endless_ones_are_not() {
    let part = json!({"partNumber": 10_000, "partSize": 1_073_741_824, "offset": 0, "url": null, "md5": MD5, "sourceMd5": MD5});
    let describe = move |parts: usize| {
        TestServer::start({
            let part = part.clone();
            move |target| match asked(target) {
                (_, true) => Answer::ok(&true),
                (object_id, false) => {
                    let mut description = described(&object_id.to_string());
                    description["parts"] = Value::Array(vec![part.clone(); parts]);
                    Answer::ok(&description)
                }
            }
        })
    };
    let patient = |url: &str| StorageClient::new(url, None, LONG_TIMEOUT).unwrap();
    let server = describe(10_000).await;
    assert_eq!(patient(&server.url).check_publishable(&analysis(1), false).await, Ok(()));
    let server = describe(50_000).await;
    let error = patient(&server.url).check_publishable(&analysis(1), false).await.unwrap_err();
    assert_eq!(error.id, ErrorId::InvalidStorageDownloadResponse);
}

#[tokio::test]
async fn the_address_may_have_a_path_and_the_token_may_be_absent() {
    for suffix in ["/score", "/score/"] {
        let server = TestServer::start(|_| Answer::ok(&false)).await;
        let client = StorageClient::new(&format!("{}{suffix}", server.url), None, LONG_TIMEOUT).unwrap();
        let analysis = analysis(1);
        assert!(client.check_publishable(&analysis, false).await.is_err());
        assert_eq!(server.targets(), [format!("/score/upload/{}", analysis.files[0].object_id)]);
        assert_eq!(server.received()[0].header("authorization"), None);
    }
}

#[test]
fn settings_that_cannot_work_are_refused() {
    let refuse = |url: &str, token: Option<&str>, timeout| {
        StorageClient::new(url, token.map(str::to_owned), timeout).unwrap_err()
    };
    for url in ["", "score:8087", "localhost", "ftp://h", "http://h/?a=b", "http://h/#a"] {
        assert!(matches!(refuse(url, None, SHORT_TIMEOUT), ClientSettingsError::Address { .. }), "{url}");
    }
    assert_eq!(refuse("http://h", None, Duration::ZERO), ClientSettingsError::ZeroTimeout);
    let error = refuse("http://h", Some("line\nbreak"), SHORT_TIMEOUT);
    assert_eq!(error, ClientSettingsError::Token);
    assert!(!error.to_string().contains("line\nbreak"));
}
