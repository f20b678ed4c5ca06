//! The example in the guide does what the guide says.

use cantata_access::Identity;
use serde_json::{Value, json};

use super::support::{Bed, identity_with};

#[tokio::test]
async fn the_example_does_what_is_said_of_it() {
    let guide = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/access.md");
    let guide = fs_err::read_to_string(guide).unwrap();
    let example = guide.split("```json\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let rules: Value = serde_json::from_str(example).unwrap();
    let properties = json!({
        "status": { "type": "keyword" }, "study": { "type": "keyword" },
        "contact": { "properties": { "phone": { "type": "keyword" } } },
        "donors": { "type": "nested", "properties": {
            "diagnosis": { "type": "keyword" }, "postcode": { "type": "keyword" },
        } },
    });
    let documents = (0..37).map(|number| {
        let (status, study) = if number < 25 { ("public", "A") } else { ("draft", "B") };
        let donors = json!([{ "diagnosis": "flu", "postcode": "12345" }]);
        let record = json!({ "status": status, "study": study, "contact": { "phone": "555" }, "donors": donors });
        (format!("f{number:02}"), record)
    });
    let bed = Bed::new(rules, properties, &documents.collect::<Vec<_>>()).await;
    let query =
        "{ file { hits(first: 1) { total edges { node { donors { hits { edges { node { postcode } } } } } } } } }";
    let (visitor, member) = (Identity::anonymous(), identity_with(&["portal.MEMBER"], json!({ "studies": ["B"] })));
    let counted = bed.ask(&visitor, query, json!({})).await["file"]["hits"].take();
    assert_eq!(counted, json!({ "total": 20, "edges": [] }));
    let seen = bed.ask(&member, query, json!({})).await["file"]["hits"].take();
    assert_eq!(seen["total"], 37);
    assert_eq!(seen["edges"][0]["node"]["donors"]["hits"]["edges"][0]["node"]["postcode"], "hidden");
    let staff = identity_with(&["portal.STAFF"], json!({}));
    let query = "{ file { hits { total edges { node { contact { phone } donors__diagnosis } } } } }";
    assert!(bed.body(&member, query, &json!({})).await.contains("GRAPHQL_VALIDATION_FAILED"));
    let all = bed.ask(&staff, query, json!({})).await["file"]["hits"].take();
    assert_eq!((&all["total"], &all["edges"][0]["node"]["contact"]["phone"]), (&json!(37), &json!("555")));
}
