//! What a rule's path finds, and what that means for the submission.

use std::time::Duration;

use cantata_core::{ErrorId, ErrorOrigin, ExternalValidation};
use cantata_metadata::external::ExternalValidator;
use serde_json::{Value, json};

use crate::server::{Answer, TestServer};

fn document() -> Value {
    json!({
        "experiment": {"d": "x", "n": 5, "b": true, "big": 12_345_678_901_i64, "f": 1.5, "nul": null, "o": {}},
        "tags": ["a", "b"],
        "mix": ["a", 1],
        "withnull": ["a", null],
        "empty": [],
        "samples": [{"id": "s0"}, {"no": 1}, {"id": "s2", "sub": [{"c": "c1"}, {"c": "c2"}]}],
        "a.b": "dotted",
    })
}

/// Checks one path against a service that accepts everything; returns the values asked for, or the refusal's text.
async fn check(payload: &Value, json_path: &str) -> Result<Vec<String>, String> {
    let server = TestServer::start(|_| Answer::Status(204, String::new())).await;
    let rule = ExternalValidation { url: format!("{}/{{value}}", server.url), json_path: json_path.to_owned() };
    let validator = ExternalValidator::new(Duration::from_secs(60)).unwrap();
    match validator.check("S", payload, &[rule]).await {
        Ok(()) => Ok(server.targets().iter().map(|target| target[1..].to_owned()).collect()),
        Err(error) => {
            assert_eq!((error.id, error.origin), (ErrorId::SchemaViolation, ErrorOrigin::SubmitService));
            assert!(server.targets().is_empty(), "{json_path} was refused, yet calls were made");
            Err(error.text)
        }
    }
}

async fn assert_values(payload: &Value, json_path: &str, expected: &[&str]) {
    let found = check(payload, json_path).await;
    assert_eq!(
        found.as_deref(),
        Ok(expected.iter().map(ToString::to_string).collect::<Vec<_>>().as_slice()),
        "{json_path}"
    );
}

async fn assert_refused(payload: &Value, json_path: &str, found: &str) {
    let text = format!("#: Value at path '{json_path}' must be {found}.");
    assert_eq!(check(payload, json_path).await, Err(text));
}

#[tokio::test]
async fn one_string_is_one_call() {
    for (path, value) in [
        ("experiment.d", "x"),
        ("experiment['d']", "x"),
        (r#"experiment["d"]"#, "x"),
        ("experiment.['d']", "x"),
        ("['a.b']", "dotted"),
        ("tags[0]", "a"),
        ("tags[-1]", "b"),
        ("samples[2].sub[1].c", "c2"),
        ("experiment.d ", "x"),
        ("tags[0]  ", "a"),
        ("$.experiment.d", "x"),
        ("$['experiment']['d']", "x"),
        ("$.tags[-1] ", "b"),
    ] {
        assert_values(&document(), path, &[value]).await;
    }
}

#[tokio::test]
async fn what_is_missing_is_skipped() {
    for path in
        ["experiment.zz", "tags[9]", "tags[-9]", "samples[1].id", "samples.id", "nope[*].id", "a.b", "experiment.d.e"]
    {
        assert_values(&document(), path, &[]).await;
    }
}

#[tokio::test]
async fn paths_without_a_meaning_are_skipped() {
    let nested = format!("samples[?{}@.id{}]", "(".repeat(200_000), ")".repeat(200_000));
    let calls = format!("samples[?{}@.id{}==1]", "length(".repeat(100), ")".repeat(100));
    for path in [
        "",
        " ",
        ".",
        "$",
        "$.",
        "/experiment/d",
        " experiment.d",
        "..id",
        "experiment.",
        "samples[a]",
        "samples[]",
        "samples[0",
        "samples[0]]",
        "samples[0]id",
        "samples[?(@.id=='s2']",
        "sp ace",
        "experiment[",
        "experiment['d",
        "tags.concat()",
        "tags.length().x",
        "tags[99999999999999999999]",
        "*x",
        &nested,
        &calls,
        ".samples..*..sub..c",
    ] {
        assert_values(&document(), path, &[]).await;
    }
}

#[tokio::test]
async fn lists_are_one_call_per_element() {
    for path in ["tags[*]", "$.tags[*]", "tags.*", "tags[0,1]", "tags[0:2]", "tags[:]", "tags[-2:]"] {
        assert_values(&document(), path, &["a", "b"]).await;
    }
    assert_values(&document(), "tags[0:1]", &["a"]).await;
    assert_values(&document(), "samples[*].id", &["s0", "s2"]).await;
    assert_values(&document(), "samples[*]['id']", &["s0", "s2"]).await;
    assert_values(&document(), "samples[*].sub[*].c", &["c1", "c2"]).await;
    assert_values(&document(), "samples[?(@.id=='s2')].id", &["s2"]).await;
    assert_values(&document(), ".id", &["s0", "s2"]).await;
    assert_values(&document(), "$..id", &["s0", "s2"]).await;
    assert_values(&document(), "samples..c", &["c1", "c2"]).await;
    assert_values(&document(), ".samples..sub..c", &["c1", "c2"]).await;
}

#[tokio::test]
async fn empty_lists_pass_without_a_call() {
    for path in ["empty[*]", "samples[*].nope", "samples[?(@.id=='s9')].id", ".nope"] {
        assert_values(&document(), path, &[]).await;
    }
}

#[tokio::test]
async fn lists_with_something_else_in_them_are_refused() {
    for path in [
        "mix[*]",
        "mix[1:]",
        "mix[?(@==1)]",
        "samples[2:].sub",
        "withnull[*]",
        "experiment.*",
        "experiment[*]",
        "*",
        "samples[*].sub",
    ] {
        assert_refused(&document(), path, "a string or array of strings, but contains non-string elements").await;
    }
}

#[tokio::test]
async fn a_list_is_not_a_string() {
    for path in ["tags", "empty", "mix", "withnull", "samples", "samples[2].sub", "$.tags"] {
        assert_refused(&document(), path, "a string, but was: JSONArray; a path with [*] validates each element").await;
    }
}

#[tokio::test]
async fn single_values_that_are_no_strings_are_refused_by_type() {
    for (path, type_name) in [
        ("experiment.n", "Integer"),
        ("experiment.b", "Boolean"),
        ("experiment.big", "Long"),
        ("experiment.f", "Double"),
        ("experiment.o", "LinkedHashMap"),
        ("experiment.nul", "Null"),
        ("experiment", "LinkedHashMap"),
        ("samples.length()", "Integer"),
        ("samples.size()", "Integer"),
        ("length()", "Integer"),
        ("mix[1]", "Integer"),
        ("withnull[1]", "Null"),
    ] {
        assert_refused(&document(), path, &format!("a string or array of strings, but was: {type_name}")).await;
    }
    for (number, type_name) in
        [(json!(u64::MAX), "BigInteger"), (json!(i32::MIN), "Integer"), (json!(i64::from(i32::MAX) + 1), "Long")]
    {
        let text = format!("a string or array of strings, but was: {type_name}");
        assert_refused(&json!({"n": number}), "n", &text).await;
    }
}

#[tokio::test]
async fn length_of_what_has_none_is_skipped() {
    for path in ["experiment.d.length()", "nope.length()"] {
        assert_values(&document(), path, &[]).await;
    }
}

#[tokio::test]
async fn names_need_no_quotes_unless_they_hold_punctuation_of_the_notation() {
    let payload =
        json!({"sample-id": "h", "1st": "n", "$id": "m", "größe": "u", "a\"b\\": "q", "it's": "p", "x]y": "b"});
    for (path, value) in [
        ("sample-id", "h"),
        ("1st", "n"),
        ("$id", "m"),
        ("größe", "u"),
        (r#"a"b\"#, "q"),
        ("it's", "p"),
        (r"['it\'s']", "p"),
        ("['x]y']", "b"),
    ] {
        assert_values(&payload, path, &[value]).await;
    }
}
