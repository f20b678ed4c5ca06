//! Hidden and masked fields: what is left of them, by whatever name or way they are asked for.

use cantata_access::Identity;
use serde_json::{Value, json};

use super::support::{Bed, identity_with, leaf, open};

/// The hidden field has a name that is like no other, as has one that is not there.
const HIDDEN: &str = "zzqx";
const UNKNOWN: &str = "zzqy";

fn properties() -> Value {
    json!({
        "name": { "type": "keyword" },
        HIDDEN: { "type": "keyword", "copy_to": "everything", "fields": { "words": { "type": "text" } } },
        "nickname": { "type": "alias", "path": HIDDEN },
        "everything": { "type": "text" },
        "postcode": { "type": "integer", "copy_to": "places" },
        "places": { "type": "keyword" },
        "zip": { "type": "alias", "path": "postcode" },
        "whole": { "type": "object", "enabled": false },
        "doctor": { "properties": { "phone": { "type": "keyword" } } },
        "donors": { "type": "nested", "properties": {
            "sex": { "type": "keyword" }, "born": { "type": "date" }, HIDDEN: { "type": "long" },
        } },
    })
}

fn document(secret: &str, number: i64) -> Value {
    json!({
        "name": "one", HIDDEN: secret, "postcode": number, "everything": "seen",
        "whole": { "open": 1, "closed": { "deep": secret } }, "doctor": { "phone": secret },
        "donors": [{ "sex": "f", "born": "1980-01-01", HIDDEN: number }, { HIDDEN: 5 }],
    })
}

fn access() -> Value {
    json!({
        "records": open(),
        "fields": [
            { "hide": [HIDDEN, "whole.closed", "doctor.phone", format!("donors.{HIDDEN}")], "unless": ["secrets"] },
            { "mask": ["postcode"], "unless": ["secrets"] },
            { "mask": ["donors.born"], "as": "***", "unless": ["secrets"] },
        ],
    })
}

async fn bed(documents: &[(String, Value)]) -> Bed {
    let column = |name: &str, query: Option<&str>| json!({ "fieldName": name, "show": true, "query": query });
    let keys = json!({
        "access": access(),
        "extended": [
            { "fieldName": HIDDEN, "displayName": "Secret", "quickSearchEnabled": true },
            { "fieldName": "postcode", "displayName": "Post code", "quickSearchEnabled": true, "displayType": "number",
              "description": "Five digits" },
        ],
        "facets": { "aggregations": [{ "fieldName": HIDDEN }, { "fieldName": "postcode" }, { "fieldName": "name" }] },
        "table": {
            "columns": [
                column("name", None), column(HIDDEN, Some(HIDDEN)), column("postcode", None),
                column("donors", Some("donors { hits { edges { node { sex zzqx } } } }")),
            ],
            "defaultSorting": [{ "fieldName": HIDDEN }, { "fieldName": "postcode" }, { "fieldName": "name" }],
            "rowIdFieldName": HIDDEN,
        },
        "matchbox": [{ "fieldName": "", "keyFieldName": HIDDEN, "searchFields": [HIDDEN] },
            { "fieldName": "", "keyFieldName": "name", "searchFields": ["name", HIDDEN] }],
        "charts": { "query": "zzqx { buckets { key } }" },
    });
    Bed::new(keys, properties(), documents).await
}

async fn sample() -> Bed {
    bed(&[("f1".to_owned(), document("secret", 12345))]).await
}

#[tokio::test]
async fn nothing_tells_of_a_hidden_field() {
    let bed = sample().await;
    let everybody = Identity::anonymous();
    let query = "{ file { configs { extended charts table { columns { fieldName query jsonPath accessor } rowIdFieldName \
        defaultSorting { fieldName } } facets { aggregations { fieldName } } matchbox { keyFieldName searchFieldNames } } \
        mapping hits { edges { node { whole donors { hits { edges { node { sex born } } } } } } } aggregations { name { \
        buckets { top_hits } } } } __schema { types { name fields { name type { name } } } } }";
    let introspection = serde_json::to_string(&*bed.seen_by(&everybody).introspection).unwrap();
    let answers = [bed.body(&everybody, query, &json!({})).await, introspection];
    for answer in &answers {
        for word in [HIDDEN, "nickname", "everything", "secret", "12345", "closed", "doctor", "phone", "1980"] {
            assert!(!answer.contains(word), "{word} is in {answer}");
        }
    }
    // Who has the scope is told all of it.
    let doctor = identity_with(&["secrets"], json!({}));
    let all = bed.body(&doctor, query, &json!({})).await;
    for word in [HIDDEN, "nickname", "everything", "secret", "12345", "closed", "doctor", "phone", "1980"] {
        assert!(all.contains(word), "{word} is not in {all}");
    }
}

#[tokio::test]
async fn asking_for_a_hidden_field_is_asking_for_one_that_is_not_there() {
    let bed = sample().await;
    let everybody = Identity::anonymous();
    let leaves = |name: &str| {
        let mut filters: Vec<Value> = ["in", "not-in", "some-not-in", "all", "gt", "lte"]
            .iter()
            .map(|op| leaf(op, name, json!(["secret"])))
            .collect();
        filters.push(leaf("between", name, json!(["a", "z"])));
        filters.push(leaf("in", name, json!(["s*", "__missing__"])));
        filters.push(leaf("in", &format!("{name}.words"), json!(["secret"])));
        filters.push(leaf("in", &format!("donors.{name}"), json!([1])));
        filters.push(leaf("in", &format!("donors__{name}"), json!([1])));
        filters.push(json!({ "op": "wildcard", "content": { "fieldNames": ["name", name], "value": "s*" } }));
        filters.push(json!({ "op": "fuzzy", "content": { "fieldNames": [name], "value": "secret" } }));
        let within = filters.clone().into_iter().map(|filter| json!({ "op": "not", "content": [filter] }));
        filters.extend(within.collect::<Vec<_>>());
        filters
    };
    let texts = |name: &str| {
        [
            format!("{{ file {{ hits {{ edges {{ node {{ {name} }} }} }} }} }}"),
            format!("{{ file {{ hits {{ edges {{ node {{ shown: {name} }} }} }} }} }}"),
            format!("{{ file {{ hits {{ edges {{ node {{ ...F }} }} }} }} }} fragment F on fileNode {{ {name} }}"),
            format!("{{ file {{ hits {{ edges {{ node {{ donors__{name} }} }} }} }} }}"),
            format!(
                "{{ file {{ hits {{ edges {{ node {{ donors {{ hits {{ edges {{ node {{ {name} }} }} }} }} }} }} }} }} }}"
            ),
            format!("{{ file {{ aggregations {{ {name} {{ buckets {{ key }} }} }} }} }}"),
            format!("{{ file {{ aggregations {{ {name}__words {{ bucket_count }} }} }} }}"),
            format!("{{ file {{ aggregations {{ donors__{name} {{ stats {{ max }} }} }} }} }}"),
            format!("{{ file {{ hits(sort: [{{fieldName: \"{name}\"}}]) {{ edges {{ node {{ id }} }} }} }} }}"),
            format!(
                "{{ file {{ hits(sort: [{{fieldName: \"donors.{name}\", mode: sum}}]) {{ edges {{ node {{ id }} }} }} }} }}"
            ),
            format!(
                "{{ file {{ hits(sort: [{{fieldName: \"{name}\"}}], searchAfter: [\"r\", \"f0\"]) {{ total }} }} }}"
            ),
            format!(
                "{{ file {{ aggregations {{ name {{ buckets {{ top_hits(_source: [\"{name}\", \"doctor\"]) }} }} }} }} }}"
            ),
            format!("{{ file {{ configs {{ extended(fieldNames: [\"{name}\"]) }} }} }}"),
            format!(
                "{{ __type(name: \"fileDonorsNode\") {{ fields {{ name }} }} a: __typename {} }}",
                " ".repeat(name.len())
            ),
        ]
    };
    let mut count = 0;
    for (hidden, unknown) in texts(HIDDEN).into_iter().zip(texts(UNKNOWN)) {
        let (hidden, unknown) =
            (bed.body(&everybody, &hidden, &json!({})).await, bed.body(&everybody, &unknown, &json!({})).await);
        assert_eq!(hidden.replace(HIDDEN, UNKNOWN), unknown);
        count += 1;
    }
    let query = "query($f: JSON) { file { hits(filters: $f) { total } aggregations(filters: $f) { name { buckets { \
        filter_by_term(filter: $f) } } } } }";
    let by_bucket = "query($f: JSON) { file { aggregations { name { buckets { key filter_by_term(filter: $f) } } } } }";
    let save = "mutation($f: JSON!) { saveSet(type: file, sqon: $f, path: \"name\") { ids } }";
    for (hidden, unknown) in leaves(HIDDEN).into_iter().zip(leaves(UNKNOWN)) {
        for query in [query, by_bucket, save] {
            let refused = bed.body(&everybody, query, &json!({ "f": hidden })).await;
            assert!(refused.contains("errors"), "{refused}");
            assert_eq!(
                refused.replace(HIDDEN, UNKNOWN),
                bed.body(&everybody, query, &json!({ "f": unknown })).await,
                "{hidden}"
            );
            count += 1;
        }
        let files = |filter: &Value| json!({ "files": [{ "sqon": filter }] });
        let refused = bed.download(&everybody, &files(&hidden)).await.unwrap_err().to_string();
        assert_eq!(
            refused.replace(HIDDEN, UNKNOWN),
            bed.download(&everybody, &files(&unknown)).await.unwrap_err().to_string()
        );
    }
    assert!(count > 80, "{count}");
}

#[tokio::test]
async fn a_download_has_no_way_to_what_is_hidden() {
    let bed = sample().await;
    let names = [
        HIDDEN,
        "nickname",
        "everything",
        "doctor",
        "doctor.phone",
        "whole.closed",
        "whole.closed.deep",
        "whole",
        "donors.zzqx",
        "donors__zzqx",
        "donors",
        "postcode",
        "zip",
        "places",
        "donors.born",
    ];
    for file_type in ["tsv", "csv", "json", "jsonl"] {
        let columns = names.iter().flat_map(|name| {
            [json!(name), json!({ "accessor": name }), json!({ "fieldName": "x", "jsonPath": format!("$.{name}") })]
        });
        let mut all = String::new();
        for column in columns {
            let params = json!({ "files": [{ "fileType": file_type, "columns": [column] }] });
            match bed.download(&Identity::anonymous(), &params).await {
                Ok(file) => all.push_str(&String::from_utf8(file).unwrap()),
                Err(error) => assert!(error.to_string().contains("expected a field of the catalogue"), "{error}"),
            }
        }
        for word in ["secret", "12345", "1980"] {
            assert!(!all.contains(word), "{word} is in {all}");
        }
        assert!(all.contains("***") && all.contains("open"), "{all}");
        let sorted =
            json!({ "files": [{ "fileType": file_type, "columns": ["name"], "sort": [{ "fieldName": HIDDEN }] }] });
        assert!(bed.download(&Identity::anonymous(), &sorted).await.is_err());
        for unique_by in ["doctor.phone", "donors.zzqx"] {
            let rows = json!({ "files": [{ "columns": ["name"], "uniqueBy": unique_by }] });
            assert!(bed.download(&Identity::anonymous(), &rows).await.is_err());
        }
    }
}

#[tokio::test]
async fn a_masked_field_is_shown_and_of_no_use() {
    let bed = sample().await;
    let everybody = Identity::anonymous();
    let query = "{ file { hits { edges { node { postcode zip places donors__born donors { hits { edges { node { born sex } \
        } } } } } } aggregations { name { buckets { top_hits } } } } }";
    let answer = bed.ask(&everybody, query, json!({})).await["file"].take();
    assert_eq!(
        answer["hits"]["edges"][0]["node"],
        json!({
            "postcode": null, "zip": null, "places": null, "donors__born": ["***", "***"],
            "donors": { "hits": { "edges": [
                { "node": { "born": "***", "sex": "f" } }, { "node": { "born": "***", "sex": null } },
            ] } },
        })
    );
    let top = &answer["aggregations"]["name"]["buckets"][0]["top_hits"];
    assert_eq!(
        *top,
        json!({
            "name": "one", "whole": { "open": 1 }, "donors": [{ "sex": "f", "born": "***" }, { "born": "***" }],
        })
    );
    for name in ["postcode", "zip", "places", "donors.born"] {
        let flat = name.replace('.', "__");
        for query in [
            format!("{{ file {{ aggregations {{ {flat} {{ bucket_count }} }} }} }}"),
            format!("{{ file {{ hits(sort: [{{fieldName: \"{name}\"}}]) {{ total }} }} }}"),
        ] {
            assert!(bed.body(&everybody, &query, &json!({})).await.contains("errors"), "{query}");
        }
        let query = "query($f: JSON) { file { hits(filters: $f) { total } } }";
        for filter in [
            leaf("in", name, json!(["12345"])),
            leaf("not-in", name, json!(["__missing__"])),
            leaf("gte", name, json!("1")),
            json!({ "op": "wildcard", "content": { "fieldNames": [name], "value": "*" } }),
        ] {
            let answer = bed.body(&everybody, query, &json!({ "f": filter })).await;
            assert!(answer.contains("the catalogue has no field"), "{answer}");
        }
    }
    let introspection = serde_json::to_value(&*bed.seen_by(&everybody).introspection).unwrap();
    assert_eq!(
        introspection["fields"]["postcode"],
        json!({ "displayName": "Post code", "type": "masked", "unit": null })
    );
    assert_eq!(introspection["operators"]["masked"], json!([]));
    let extended =
        bed.ask(&everybody, "{ file { configs { extended(fieldNames: [\"postcode\"]) } } }", json!({})).await;
    let postcode = &extended["file"]["configs"]["extended"][0];
    assert_eq!((&postcode["quickSearchEnabled"], &postcode["description"]), (&json!(false), &Value::Null));
}

#[tokio::test]
async fn whether_there_is_a_hidden_value_changes_nothing() {
    let without =
        json!({ "name": "one", "everything": "other", "whole": { "open": 1 }, "donors": [{ "sex": "f" }, {}] });
    // What has nothing but hidden values is not there.
    let only_hidden = |whole: Value| ("f2".to_owned(), json!({ "name": "two", "whole": whole }));
    let nothing = ("f2".to_owned(), json!({ "name": "two" }));
    let secret = json!({ "closed": "secret" });
    for whole in [secret.clone(), json!([secret, secret])] {
        let with = bed(&[("f1".to_owned(), document("secret", 12345)), only_hidden(whole)]).await;
        let without = bed(&[("f1".to_owned(), without.clone()), nothing.clone()]).await;
        assert_same(&with, &without).await;
    }
}

/// Asks both in many ways, as everybody.
async fn assert_same(with: &Bed, without: &Bed) {
    let query = "{ file { hits(sort: [{fieldName: \"name\"}]) { edges { searchAfter node { name whole postcode donors__born } } } \
        aggregations { name { buckets { key top_hits } } donors__sex { buckets { key doc_count } } whole { buckets { key \
        doc_count } } } } }";
    let everybody = Identity::anonymous();
    assert_eq!(with.body(&everybody, query, &json!({})).await, without.body(&everybody, query, &json!({})).await);
}

#[tokio::test]
async fn a_mask_within_something_hidden_does_not_tell_of_it() {
    let fields = json!([{ "mask": ["whole.open"], "as": "***" }, { "hide": ["whole"] }]);
    let keys = json!({ "access": { "records": open(), "fields": fields } });
    let bed = Bed::new(keys, properties(), &[("f1".to_owned(), document("secret", 5))]).await;
    let ask = "{ file { aggregations { name { buckets { top_hits } } } } }";
    let shown = bed.body(&Identity::anonymous(), ask, &json!({})).await;
    assert!(shown.contains("donors") && !shown.contains("whole") && !shown.contains("***"), "{shown}");
}

#[tokio::test]
async fn what_is_kept_of_one_set_of_fields_is_not_shown_to_those_who_see_others() {
    let fields = json!([{ "hide": ["name"], "unless": ["names"] }, { "hide": ["postcode"], "unless": ["places"] }]);
    let keys = json!({ "access": { "records": open(), "fields": fields } });
    let bed = Bed::new(keys, properties(), &[("f1".to_owned(), document("secret", 5))]).await;
    let (names, places) = (identity_with(&["names"], json!({})), identity_with(&["places"], json!({})));
    let ask = "{ file { hits { edges { node { name } } } aggregations { name { bucket_count } } mapping } }";
    for _ in 0..2 {
        assert!(bed.body(&names, ask, &json!({})).await.contains("one"));
        assert!(bed.body(&places, ask, &json!({})).await.contains("GRAPHQL_VALIDATION_FAILED"));
        let mapping = bed.body(&places, "{ file { mapping } }", &json!({})).await;
        assert!(mapping.contains("postcode") && !mapping.contains("\"name\""), "{mapping}");
    }
}
