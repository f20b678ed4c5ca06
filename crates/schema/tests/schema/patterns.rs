//! Patterns that Java understands and ECMA-262 does not: translated where their meaning can be kept, else refused.

use std::collections::BTreeSet;

use cantata_core::ErrorId;
use cantata_schema::{PayloadValidator, check_registration, describe_foreign_schema};
use serde_json::{Value, json};

use crate::samples::{check, messages, payload, type_with};

fn with_pattern(pattern: &str) -> Value {
    json!({"type": "object", "properties": {"a": {"pattern": pattern}}})
}

#[test]
fn patterns_of_java_keep_their_meaning() {
    for (pattern, matching, others) in [
        ("(?i)^do[0-9]+$", &["DO1", "do22", "dO3"][..], &["DA1", "DO"][..]),
        ("^(a(?i)b|c)d$", &["abd", "aBd", "Cd"], &["ABd", "abD"]),
        ("^a++b$", &["ab", "aaab"], &["a", "b"]),
        // Nothing is given back, so the last letter is missing.
        ("^[a-z]++z$", &[], &["abz", "z"]),
        ("^(?>ab|a)c$", &["abc", "ac"], &["abb"]),
        ("^(?>a|ab)c$", &["ac"], &["abc"]),
        ("^[a-z&&[^b]]+$", &["acz"], &["abc", "A", ""]),
        ("^[a-d&&b-z&&[^c]]$", &["b", "d"], &["a", "c", "e"]),
        ("^[[:alpha:]]+$", &[":aph", "alpha"], &["bcd", "x"]),
        ("^[a-c[x-z0]]+$", &["abxz0"], &["d", "1"]),
        (r"\A\d+\z", &["123"], &["12a", "a12", "12\n"]),
        (r"\A\d+\Z", &["123", "123\n", "123\r\n"], &["123\n\n", "123 "]),
        (r"^\Qa.b\E$", &["a.b"], &["axb"]),
        (r"^\{a}$", &["{a}"], &["a"]),
        (r"(?i)^\p{L}++$", &["Äö"], &["a1"]),
    ] {
        check_registration(&type_with(with_pattern(pattern))).unwrap_or_else(|error| panic!("{pattern}: {error}"));
        for text in matching {
            assert_eq!(check(with_pattern(pattern), json!({"a": text})), BTreeSet::new(), "{pattern}: {text:?}");
        }
        for text in others {
            let expected = format!("#/experiment/a: string [{text}] does not match pattern {pattern}");
            assert_eq!(check(with_pattern(pattern), json!({"a": text})), [expected].into(), "{pattern}: {text:?}");
        }
    }
}

#[test]
fn names_of_members_have_patterns_too() {
    let schema = json!({
        "type": "object", "additionalProperties": false,
        "patternProperties": {"(?i)^donor": {"patternProperties": {"^a++$": {"type": "integer"}}}},
    });
    check_registration(&type_with(schema.clone())).unwrap();
    let validator = PayloadValidator::compile(&type_with(schema)).unwrap();
    assert_eq!(validator.validate_submission(&payload(json!({"DONOR_1": {"aa": 1, "b": "x"}}))), []);
    let found = messages(&validator.validate_submission(&payload(json!({"donor": {"aa": "x"}, "sample": 1}))));
    let expected = [
        "#/experiment/donor/aa: expected type: Integer, found: String",
        "#/experiment: extraneous key [sample] is not permitted",
    ];
    assert_eq!(found, expected.map(str::to_owned).into());
}

#[test]
fn what_has_no_counterpart_is_refused_with_the_reason() {
    for (pattern, reason) in [
        ("(?x) a b", "the flag x has no counterpart"),
        (r"\Ga", r"\G has no counterpart"),
        ("[^a-c[x]]", "a negated class with another class in it means different things in different versions of Java"),
        ("a)", "a parenthesis is closed that was not opened"),
    ] {
        let schema = type_with(with_pattern(pattern));
        let error = check_registration(&schema).unwrap_err();
        let text = format!(
            "#/properties/experiment/properties/a/pattern: [{pattern}] is not a valid regular expression: {reason}"
        );
        assert_eq!((error.id, error.text.as_str()), (ErrorId::MalformedJsonSchema, text.as_str()));
        let note = format!("nothing can be submitted under it or updated: {text}");
        assert_eq!(describe_foreign_schema(&schema), [note]);
    }
    assert_eq!(describe_foreign_schema(&type_with(with_pattern("(?i)a++"))), Vec::<String>::new());
}
