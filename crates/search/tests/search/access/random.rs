//! Random records, rules and requests: who may see some of the records is answered as if there were no others.

use cantata_access::Identity;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use serde_json::{Value, json};

use super::support::{Bed, identity_with, leaf};

const ROUNDS: u64 = 25;
const REQUESTS: usize = 12;

fn properties() -> Value {
    json!({
        "study": { "type": "keyword" }, "tags": { "type": "keyword" }, "size": { "type": "long" },
        "title": { "type": "text" }, "made": { "type": "date" },
        "donors": { "type": "nested", "properties": {
            "sex": { "type": "keyword" }, "age": { "type": "integer" },
            "samples": { "type": "nested", "properties": { "code": { "type": "keyword" } } },
        } },
    })
}

struct Dice(StdRng);

impl Dice {
    fn one<T: Clone>(&mut self, of: &[T]) -> T {
        of.choose(&mut self.0).unwrap().clone()
    }

    fn some<T>(&mut self, most: usize, mut make: impl FnMut(&mut Self) -> T) -> Vec<T> {
        (0..self.0.random_range(0..=most)).map(|_| make(self)).collect()
    }

    fn document(&mut self) -> Value {
        let donors = self.some(3, |dice| {
            let samples = dice.some(2, |dice| json!({ "code": dice.one(&["S1", "S2", "S3"]) }));
            json!({ "sex": dice.one(&["f", "m"]), "age": dice.0.random_range(20..24), "samples": samples })
        });
        let mut document = json!({
            "study": self.one(&["A", "B", "C"]), "tags": self.some(3, |dice| dice.one(&["x", "y", "z"])),
            "title": self.one(&["red fish", "blue fish", "old man"]), "donors": donors,
            "made": format!("202{}-01-01", self.0.random_range(0..4)),
        });
        if self.0.random_bool(0.8) {
            document["size"] = self.0.random_range(0..50).into();
        }
        document
    }

    fn filter(&mut self, depth: usize) -> Value {
        if depth > 0 && self.0.random_bool(0.4) {
            let content: Vec<Value> = (0..self.0.random_range(1..3)).map(|_| self.filter(depth - 1)).collect();
            let mut group = json!({ "op": self.one(&["and", "or", "not"]), "content": content });
            if self.0.random_bool(0.3) {
                group["pivot"] = "donors".into();
            }
            return group;
        }
        let op = self.one(&["in", "not-in", "some-not-in", "all"]);
        match self.0.random_range(0..8) {
            0 => leaf(op, "study", json!([self.one(&["A", "B", "C", "A*", "__missing__"])])),
            1 => leaf(op, "tags", json!([self.one(&["x", "y"]), self.one(&["z", "__missing__"])])),
            2 => leaf(self.one(&["gt", "gte", "lt", "lte"]), "size", json!(self.0.random_range(0..50))),
            3 => leaf(op, "donors.sex", json!([self.one(&["f", "m"])])),
            4 => leaf("between", "donors.age", json!([21, self.0.random_range(20..24)])),
            5 => leaf(op, "donors.samples.code", json!([self.one(&["S1", "S2"])])),
            6 => {
                json!({ "op": "wildcard", "content": { "fieldNames": ["title", "study"], "value": self.one(&["*fish*", "?", "a"]) } })
            }
            _ => leaf("gte", "made", json!(self.one(&["2021-01-01", "2022"]))),
        }
    }

    fn request(&mut self) -> (String, Value) {
        let filter = if self.0.random_bool(0.2) { json!(null) } else { self.filter(2) };
        let sort = self.some(2, |dice| {
            let field = dice.one(&["study", "size", "made", "donors.age", "_id", "tags"]);
            json!({ "fieldName": field, "order": dice.one(&["asc", "desc"]), "missing": dice.one(&["first", "last"]) })
        });
        let (first, offset) = (self.0.random_range(0..12), self.0.random_range(0..4));
        let flags = format!(
            "aggregations_filter_themselves: {}, include_missing: {}",
            self.0.random_bool(0.5),
            self.0.random_bool(0.5)
        );
        let numbers = "bucket_count cardinality stats { min max avg sum count } histogram(interval: 7) { bucket_count \
            buckets { key doc_count } } range(ranges: [{to: 10}, {from: 10, to: 22}]) { buckets { key doc_count } } \
            buckets(max: 3) { key doc_count }";
        let buckets = "bucket_count cardinality buckets(max: 4) { key key_as_string doc_count top_hits filter_by_term(filter: $g) }";
        let query = format!(
            "query($f: JSON, $g: JSON, $s: [Sort]) {{ file {{ a: hits(filters: $f, first: {first}, offset: {offset}, sort: $s) {{ \
             total edges {{ searchAfter node {{ ...N }} }} }} best: hits(filters: $f, first: 5, sort: [{{fieldName: \"_score\"}}]) \
             {{ edges {{ searchAfter node {{ id }} }} }} aggregations(filters: $f, {flags}) {{ study {{ {buckets} }} \
             tags {{ {buckets} }} title {{ bucket_count buckets {{ key doc_count }} }} size {{ {numbers} }} made {{ {numbers} }} \
             donors__sex {{ {buckets} }} donors__age {{ {numbers} }} donors__samples__code {{ {buckets} }} }} }} }} fragment N on \
             fileNode {{ id score study tags size title made donors {{ hits {{ total edges {{ node {{ id sex age }} }} }} }} }}"
        );
        (query, json!({ "f": filter, "g": self.filter(1), "s": sort }))
    }
}

#[tokio::test]
async fn a_record_that_cannot_be_seen_is_as_good_as_none() {
    let (mut seen, mut unseen) = (0, 0);
    for seed in 0..ROUNDS {
        let mut dice = Dice(StdRng::seed_from_u64(seed));
        let documents: Vec<(String, Value)> =
            (0..dice.0.random_range(1..40)).map(|number| (format!("r{number:02}"), dice.document())).collect();
        let rules = [dice.filter(2), dice.filter(2)];
        let records = json!([{ "scope": "one", "filter": rules[0] }, { "scope": "two", "filter": rules[1] }]);
        // Which fields have lists is as much of the index as their types, whatever an identity may see of it.
        let extended = json!([{ "fieldName": "tags", "isArray": true }]);
        let restricted = json!({ "access": { "records": records }, "extended": extended });
        let restricted = Bed::new(restricted, properties(), &documents).await;
        let open = Bed::new(json!({}), properties(), &documents).await;
        for scopes in [&["one"][..], &["two", "one"]] {
            let identity = identity_with(scopes, json!({}));
            let union = json!({ "op": "or", "content": if scopes.len() == 1 { &rules[..1] } else { &rules[..] } });
            let allowed = open.ids(&Identity::anonymous(), union).await;
            let kept: Vec<(String, Value)> = documents.iter().filter(|(id, _)| allowed.contains(id)).cloned().collect();
            seen += kept.len();
            unseen += documents.len() - kept.len();
            let alone = Bed::new(json!({ "extended": extended }), properties(), &kept).await;
            for _ in 0..REQUESTS {
                let (query, variables) = dice.request();
                let expected = alone.body(&Identity::anonymous(), &query, &variables).await;
                let found = restricted.body(&identity, &query, &variables).await;
                assert_eq!(found, expected, "seed {seed}, rules {rules:?}, {scopes:?}\n{query}\n{variables}");
                let columns = ["study", "donors.sex", "size", "id"];
                let files = json!({ "files": [{
                    "sqon": variables["f"], "sort": variables["s"], "columns": columns,
                    "fileType": dice.one(&["tsv", "csv", "json", "jsonl"]),
                    "uniqueBy": dice.one(&[json!(null), json!("donors.sex")]),
                }] });
                assert_eq!(
                    restricted.download(&identity, &files).await.unwrap(),
                    alone.download(&Identity::anonymous(), &files).await.unwrap(),
                    "seed {seed}, {files}"
                );
            }
        }
    }
    assert!(seen > 100 && unseen > 100, "the rules decide nothing: {seen} seen, {unseen} not");
}
