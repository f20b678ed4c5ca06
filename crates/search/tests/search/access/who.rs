//! Which records an identity sees: scopes, claims, and what nobody should get by them.

use cantata_access::Identity;
use serde_json::{Value, json};

use super::support::{Bed, identity_with, leaf};

async fn bed(records: Value) -> Bed {
    let properties = json!({
        "study": { "type": "keyword" }, "owner": { "type": "keyword" }, "level": { "type": "integer" },
    });
    let documents = [
        ("f1", json!({ "study": "A", "owner": "ada", "level": 1 })),
        ("f2", json!({ "study": "B", "owner": "bob", "level": 2 })),
        ("f3", json!({ "study": "*", "level": 3 })),
        ("f4", json!({ "study": "set_id:x" })),
        ("f5", json!({ "study": "__missing__" })),
        ("f6", json!({ "owner": "anonymous" })),
    ];
    let documents = documents.map(|(id, document)| (id.to_owned(), document));
    Bed::new(json!({ "access": { "records": records } }), properties, &documents).await
}

#[tokio::test]
async fn scopes_add_up_and_without_one_there_is_nothing() {
    let bed = bed(json!([
        { "scope": "a.READ", "filter": leaf("in", "study", json!("A")) },
        { "scope": "b.READ", "filter": leaf("in", "study", json!("B")) },
        { "scope": "all.READ", "filter": null },
    ]))
    .await;
    for (scopes, seen) in [
        (&["a.READ"][..], &["f1"][..]),
        (&["b.READ", "a.READ", "c.READ"], &["f1", "f2"]),
        (&["a.READ", "all.READ"], &["f1", "f2", "f3", "f4", "f5", "f6"]),
        (&["A.READ", "a.READ.x", "a", "*", "all"], &[]),
        (&[], &[]),
    ] {
        assert_eq!(bed.ids(&identity_with(scopes, json!({})), json!(null)).await, seen, "{scopes:?}");
    }
    for nobody in [Identity::anonymous(), Identity::unchecked()] {
        // Scopes without a credential count for nothing.
        let claims_scopes = Identity { scopes: ["all.READ".to_owned()].into(), ..nobody.clone() };
        for identity in [nobody, claims_scopes] {
            assert_eq!(bed.ids(&identity, json!(null)).await, Vec::<String>::new());
            assert_eq!(bed.ids(&identity, json!({ "op": "not", "content": [] })).await, Vec::<String>::new());
        }
    }
}

#[tokio::test]
async fn claims_are_values_and_nothing_else() {
    let bed = bed(json!([{ "scope": "*", "filter": leaf("in", "study", json!(["{studies}"])) }])).await;
    for (claim, seen) in [
        (json!("A"), &["f1"][..]),
        (json!(["A", "B"]), &["f1", "f2"]),
        // What is special in a filter of a client is a text here.
        (json!("*"), &["f3"]),
        (json!(["A*", "?"]), &[]),
        (json!("set_id:x"), &["f4"]),
        (json!("__missing__"), &["f5"]),
        (json!("{studies}"), &[]),
        (json!([]), &[]),
        (json!(null), &[]),
        (json!({ "op": "not", "content": [] }), &[]),
        (json!(["A", null]), &[]),
        (json!(["A", ["B"]]), &[]),
    ] {
        let identity = identity_with(&[], json!({ "studies": claim }));
        assert_eq!(bed.ids(&identity, json!(null)).await, seen, "{claim}");
    }
    assert_eq!(bed.ids(&identity_with(&[], json!({ "other": "A" })), json!(null)).await, Vec::<String>::new());
}

#[tokio::test]
async fn a_claim_that_is_missing_closes_the_rule_wherever_it_stands() {
    for filter in [
        leaf("not-in", "study", json!("{studies}")),
        json!({ "op": "not", "content": [leaf("in", "study", json!("{studies}"))] }),
        json!({ "op": "or", "content": [leaf("in", "study", json!("A")), leaf("in", "study", json!("{studies}"))] }),
        leaf("lte", "level", json!("{studies}")),
        leaf("some-not-in", "study", json!(["B", "{studies}"])),
    ] {
        let bed = bed(json!([{ "scope": "*", "filter": filter }])).await;
        for claims in
            [json!({}), json!({ "studies": [] }), json!({ "studies": { "a": 1 } }), json!({ "studies": null })]
        {
            assert_eq!(bed.ids(&identity_with(&[], claims), json!(null)).await, Vec::<String>::new(), "{filter}");
        }
    }
}

#[tokio::test]
async fn claims_have_paths_numbers_and_a_name() {
    let paths = bed(json!([{ "scope": "*", "filter": leaf("in", "study", json!("{context.user.study}")) }])).await;
    for claims in [
        json!({ "context": { "user": { "study": "A" } } }),
        json!({ "context.user": { "study": ["A"] } }),
        json!({ "context.user.study": "A" }),
    ] {
        assert_eq!(paths.ids(&identity_with(&[], claims), json!(null)).await, ["f1"]);
    }
    let level = bed(json!([{ "scope": "*", "filter": leaf("lte", "level", json!("{clearance}")) }])).await;
    assert_eq!(level.ids(&identity_with(&[], json!({ "clearance": 2 })), json!(null)).await, ["f1", "f2"]);
    // A claim that the field cannot be compared with opens nothing, and is no error that discloses the rule.
    assert_eq!(level.ids(&identity_with(&[], json!({ "clearance": "high" })), json!(null)).await, Vec::<String>::new());
    let own = bed(json!([{ "scope": "*", "filter": leaf("in", "owner", json!("{name}")) }])).await;
    assert_eq!(own.ids(&identity_with(&[], json!({ "name": "bob" })), json!(null)).await, ["f1"]);
    assert_eq!(own.ids(&Identity::anonymous(), json!(null)).await, Vec::<String>::new());
}

#[tokio::test]
async fn one_text_of_a_request_is_answered_to_each_as_each_sees() {
    let bed = bed(json!([
        { "scope": "*", "filter": leaf("in", "study", json!("{studies}")) },
        { "scope": "all.READ", "filter": null },
    ]))
    .await;
    let query = "{ file { hits { total } aggregations { study { buckets { key doc_count } } } } }";
    for _ in 0..2 {
        for (identity, total) in [
            (identity_with(&[], json!({ "studies": "A" })), 1),
            (identity_with(&["all.READ"], json!({})), 6),
            (identity_with(&[], json!({ "studies": ["A", "B"] })), 2),
            (Identity::anonymous(), 0),
        ] {
            assert_eq!(bed.ask(&identity, query, json!({})).await["file"]["hits"]["total"], total);
        }
    }
}
