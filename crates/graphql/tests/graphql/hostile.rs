//! Requests made to hurt: each must be answered soon, by a refusal or in order.

use std::fmt::Write;

use serde_json::{Value, json};

use crate::sample::{refused, request, schema, schema_with};

#[test]
fn deep_nesting_is_refused() {
    let schema = schema_with(json!({ "maxDepth": 1_000_000 }));
    for query in [
        format!("{}__typename{}", "{viewer".repeat(100_000), "}".repeat(100_000)),
        format!("{{file{{hits(filters:{}{}){{total}}}}}}", "[".repeat(100_000), "]".repeat(100_000)),
        format!("{{file{{hits(filters:{}1{}){{total}}}}}}", "{a:".repeat(100_000), "}".repeat(100_000)),
        format!("query($a:{}Int{}){{__typename}}", "[".repeat(100_000), "]".repeat(100_000)),
        format!("{{{}__typename{}}}", "...{".repeat(100_000), "}".repeat(100_000)),
        format!("{}__typename{}", "{viewer".repeat(250), "}".repeat(250)),
        "{".repeat(1_000_000),
    ] {
        refused(&schema, &query, Value::Null);
    }
}

#[test]
fn fragments_that_contain_themselves_are_refused() {
    for query in [
        "{ ...A } fragment A on Root { ...A }",
        "{ ...A } fragment A on Root { viewer { ...B } } fragment B on Root { viewer { ...A } }",
        "{ file { ...A } } fragment A on file { hits { edges { node { donors { hits { edges { node { ...B } } } } } } } } \
         fragment B on fileDonorsNode { specimens { ...C } } fragment C on fileDonorsSpecimens { hits { ...C } }",
    ] {
        let (status, _) = refused(&schema(), query, Value::Null);
        assert_eq!(status, 400);
    }
    let mut ring = "{ ...F0 }".to_owned();
    for number in 0..20_000 {
        write!(ring, " fragment F{number} on Root {{ ...F{} }}", (number + 1) % 20_000).unwrap();
    }
    refused(&schema(), &ring, Value::Null);
}

#[test]
fn fragments_that_multiply_are_refused() {
    // Each fragment selects the next one twice, so that the last one is there 2 to the power of 60 times.
    let schema = schema_with(json!({ "maxDepth": 1_000, "maxAliases": 1_000_000 }));
    let mut by_alias = "{ ...F0 }".to_owned();
    let mut by_spread = "{ ...F0 }".to_owned();
    for number in 0..60 {
        let next = number + 1;
        write!(by_alias, " fragment F{number} on Root {{ a: viewer {{ ...F{next} }} b: viewer {{ ...F{next} }} }}")
            .unwrap();
        write!(by_spread, " fragment F{number} on Root {{ ...F{next} ...F{next} }}").unwrap();
    }
    by_alias.push_str(" fragment F60 on Root { __typename }");
    by_spread.push_str(" fragment F60 on Root { __typename }");
    let (_, body) = refused(&schema, &by_alias, Value::Null);
    assert_eq!(body["errors"][0]["message"], "Query selects more than 50000 fields, its fragments spread out.");
    refused(&schema, &by_spread, Value::Null);
}

#[test]
fn long_chains_of_fragments_are_refused_from_either_end() {
    let schema = schema_with(json!({ "maxDepth": 1_000 }));
    let mut chain = String::new();
    for number in 0..5_000 {
        write!(chain, " fragment F{number} on Root {{ ...F{} }}", number + 1).unwrap();
    }
    chain.push_str(" fragment F5000 on Root { __typename }");
    let mut backwards = "{".to_owned();
    for number in (0..5_000).rev().step_by(40) {
        write!(backwards, " ...F{number}").unwrap();
    }
    for operation in ["{ ...F0 }", &format!("{backwards} }}")] {
        refused(&schema, &format!("{operation}{chain}"), Value::Null);
    }
}

#[test]
fn large_documents_are_refused_or_answered() {
    let schema = schema();
    let many_fields = format!("{{ file {{ {} }} }}", "mapping ".repeat(60_000));
    refused(&schema, &many_fields, Value::Null);
    let many_words = format!("{{ file {{ hits(filters: [{}]) {{ total }} }} }}", "1 ".repeat(300_000));
    refused(&schema, &many_words, Value::Null);
    let mut many_aliases = "{".to_owned();
    for number in 0..20_000 {
        write!(many_aliases, " a{number}: __typename").unwrap();
    }
    let (_, body) = refused(&schema, &format!("{many_aliases} }}"), Value::Null);
    assert_eq!(body["errors"][0]["message"], "Query alias limit exceeded: found 20000 aliases, maximum allowed is 15.");
    let repeated = format!("{{ file {{ {} }} }}", "hits { total } ".repeat(5_000));
    assert!(schema.prepare(&request(&repeated, Value::Null)).is_ok());
    let mut many_conflicts = "{ file {".to_owned();
    for number in 0..3_000 {
        write!(many_conflicts, " hits(first: {number}) {{ total }}").unwrap();
    }
    let (_, body) = refused(&schema, &format!("{many_conflicts} }} }}"), Value::Null);
    assert!(body["errors"].as_array().unwrap().len() <= 20);
}

#[test]
fn schema_questions_that_grow_without_end_are_refused() {
    let query = "{ __schema { types { fields { type { fields { type { fields { type { fields { type { name } } } } } } \
                 } } } } }";
    refused(&schema(), query, Value::Null);
}

#[test]
fn odd_bytes_are_refused() {
    for query in
        ["\u{0}", "{ file { \u{feff}hits } }", "{ \"a\" }", "\"\"\"", "{ file @x { mapping } }", "🦀", "{ a: }"]
    {
        refused(&schema(), query, Value::Null);
    }
}
