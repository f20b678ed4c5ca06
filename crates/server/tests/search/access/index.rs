//! Two indexes that differ only in what nobody may see.

use cantata_testkit::TestCatalogues;
use serde_json::{Value, json};

/// Which of the two.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Variant {
    Plain,
    /// With a record more, and other values in what is hidden or masked.
    WithSecrets,
}

/// What no answer may have: values of what is hidden, in either index.
pub(crate) const HIDDEN_WORDS: [&str; 6] = ["hidden-", "ghost", "secret-", "87654", "77777", "1901"];

fn mapping() -> Value {
    json!({ "properties": {
        "name": { "type": "keyword" }, "status": { "type": "keyword" }, "size": { "type": "long" },
        "zzqx": { "type": "keyword", "copy_to": "everything", "fields": { "words": { "type": "text" } } },
        "nickname": { "type": "alias", "path": "zzqx" },
        "everything": { "type": "text" },
        "postcode": { "type": "integer" },
        "box": { "properties": { "key": { "type": "keyword" } } },
        "open": { "type": "object", "enabled": false },
        "made": { "type": "date" },
        "donors": { "type": "nested", "properties": {
            "sex": { "type": "keyword" }, "age": { "type": "integer" }, "zzqx": { "type": "keyword" },
        } },
    } })
}

fn document(number: usize, variant: Variant) -> Value {
    let sex = if number.is_multiple_of(2) { "f" } else { "m" };
    let mut document = json!({
        "name": format!("name {number}"), "status": "open", "size": number * 500, "made": format!("2020-05-01T00:00:0{number}Z"),
        "open": { "shown": number },
        "donors": [{ "sex": sex }, { "sex": "f" }],
    });
    if variant == Variant::WithSecrets {
        document["zzqx"] = format!("secret-{}", 9 - number).into();
        document["postcode"] = 87654.into();
        document["box"] = json!({ "key": "secret-key" });
        document["open"]["closed"] = json!({ "deep": ["secret-deep"] });
        document["donors"][0]["age"] = 77777.into();
        document["donors"][1]["zzqx"] = "secret-donor".into();
    }
    document
}

/// A catalogue that shows open records without their secrets to everybody.
pub(crate) fn catalogues(variant: Variant) -> TestCatalogues {
    let mut documents: Vec<(String, Value)> =
        (0..4).map(|number| (format!("f{number}"), document(number, variant))).collect();
    if variant == Variant::WithSecrets {
        let hidden = json!({
            "name": "ghost", "status": "closed", "size": 77777, "made": "1901-01-01", "zzqx": "hidden-record",
            "open": { "shown": "ghost" }, "donors": [{ "sex": "ghost", "age": 3 }],
        });
        documents.push(("f1-ghost".to_owned(), hidden));
    }
    let access = json!({ "access": {
        "records": [{ "scope": "*", "filter": { "op": "in", "content": { "fieldName": "status", "value": ["open"] } } }],
        "fields": [
            { "hide": ["zzqx", "box.key", "open.closed", "donors.zzqx"], "unless": ["secrets"] },
            { "mask": ["postcode"], "unless": ["secrets"] },
            { "mask": ["donors.age"], "as": "***", "unless": ["secrets"] },
        ],
    } });
    let base = json!({
        "catalogId": "files", "documentType": "file", "esIndex": "files", "maxDepth": 60, "maxAliases": 5000, "maxCost": 2_000_000_000,
        "enableSets": true, "enableGraphQLBatching": true, "downloads": { "maxRows": 0 },
    });
    TestCatalogues::new().file("base.json", &base).file("access.json", &access).index(
        "files",
        &mapping(),
        documents.iter().map(|(id, document)| (id.as_str(), document.clone())),
    )
}
