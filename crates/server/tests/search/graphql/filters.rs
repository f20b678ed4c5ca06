//! Every operator of the filter language, on the record and on elements one, two and three levels below it.

use serde_json::{Value, json};

use crate::support::{leaf, matching, server};

const CODE: &str = "donors.specimens.samples.code";

fn group(op: &str, content: Vec<Value>) -> Value {
    json!({"op": op, "content": content})
}

#[tokio::test]
async fn every_operator_finds_what_it_should() {
    let server = server().await;
    for (op, field, value, expected) in [
        ("in", "analysis", json!(["A1"]), "f1 f2"),
        ("in", "analysis", json!("A1"), "f1 f2"),
        ("in", "tags", json!(["x", "z"]), "f1 f3"),
        ("in", "size", json!([10, 20]), "f1 f3"),
        ("in", "size", json!([5_000_000_000_i64]), "f2"),
        ("in", "size", json!(["30"]), "f4"),
        ("in", "released", json!([false]), "f2 f4"),
        ("in", "released", json!(["true"]), "f1 f3"),
        ("in", "quality", json!([0.25]), "f2"),
        ("in", "file.format", json!(["vcf"]), "f3 f4"),
        ("in", "file__format", json!(["vcf"]), "f3 f4"),
        ("in", "name.keyword", json!(["Gamma"]), "f3"),
        ("in", "donors.gender", json!(["Female"]), "f2"),
        ("in", "donors.age", json!([30]), "f1 f3"),
        ("in", "donors.specimens.kind", json!(["Normal"]), "f2 f3"),
        ("in", CODE, json!(["S1", "S3"]), "f1 f2 f3"),
        ("in", "analysis", json!([]), ""),
        ("in", "analysis", json!(["nothing"]), ""),
        ("=", "analysis", json!("A2"), "f3 f4"),
        ("==", "analysis", json!("A2"), "f3 f4"),
        ("===", "analysis", json!("A2"), "f3 f4"),
        ("not-in", "analysis", json!(["A1", "A3"]), "f3 f4"),
        ("not-in", "tags", json!(["y"]), "f3 f4 f5"),
        ("!=", "tags", json!("y"), "f3 f4 f5"),
        ("!==", "tags", json!("y"), "f3 f4 f5"),
        // Some element differs.
        ("not-in", "donors.gender", json!(["Male"]), "f2"),
        ("not-in", CODE, json!(["S1"]), "f1 f2 f3"),
        // No element has it.
        ("some-not-in", "donors.gender", json!(["Female"]), "f1 f3 f4 f5"),
        ("some-not-in", CODE, json!(["S1"]), "f2 f4 f5"),
        ("some-not-in", "tags", json!(["y"]), "f3 f4 f5"),
        ("all", "tags", json!(["x", "y"]), "f1"),
        ("all", "donors.gender", json!(["Male", "Female"]), "f2"),
        ("all", CODE, json!(["S1", "S4"]), "f3"),
        ("gt", "size", json!(20), "f2 f4"),
        ("gte", "size", json!(20), "f2 f3 f4"),
        ("lt", "size", json!(20), "f1"),
        ("lte", "size", json!([20]), "f1 f3"),
        (">", "donors.age", json!(40), "f2"),
        (">=", "donors.age", json!([40]), "f2"),
        ("<", "donors.age", json!(40), "f1 f3"),
        ("<=", "donors.specimens.samples.mass", json!(1.5), "f1 f3"),
        ("gt", "donors.specimens.samples.mass", json!(2), "f2"),
        ("between", "size", json!([20, 30]), "f3 f4"),
        ("between", "donors.age", json!([35, 45]), "f2"),
        ("between", "donors.specimens.samples.mass", json!([1, 2]), "f1 f3"),
        ("between", "created", json!(["2021-01-01", "2022-12-31"]), "f2 f3"),
        ("gt", "created", json!("2020-01-01"), "f2 f3 f4"),
        ("gte", "created", json!("2020-01-01"), "f1 f2 f3 f4"),
        ("lt", "created", json!("2020-01-01"), ""),
        ("lte", "created", json!("2020-01-01"), "f1"),
        ("lt", "created", json!("now-1d"), "f1 f2 f3 f4"),
        ("gt", "created", json!("now-1d"), ""),
        ("in", "tags", json!(["__missing__"]), "f4 f5"),
        ("in", "tags", json!(["x", "__missing__"]), "f1 f4 f5"),
        ("not-in", "tags", json!(["__missing__"]), "f1 f2 f3"),
        ("in", "donors.specimens.samples.mass", json!(["__missing__"]), "f1 f3"),
        ("in", "analysis", json!(["A*"]), "f1 f2 f3 f4 f5"),
        ("in", "name.keyword", json!(["*read", "Delta"]), "f1 f2 f4"),
        ("in", CODE, json!(["*3"]), "f2"),
        ("not-in", "name.keyword", json!(["*read"]), "f3 f4 f5"),
    ] {
        let filter = leaf(op, field, value);
        for filter in [group("and", vec![filter.clone()]), group("or", vec![filter.clone()]), filter] {
            assert_eq!(matching(&server, &filter).await.join(" "), expected, "{filter}");
        }
    }
}

#[tokio::test]
async fn wildcards_and_fuzzy_words_look_into_several_fields() {
    let server = server().await;
    let search =
        |op: &str, names: Value, value: &str| json!({"op": op, "content": {"fieldNames": names, "value": value}});
    for (filter, expected) in [
        (search("wildcard", json!(["name.keyword"]), "*READ"), "f1 f2"),
        (search("filter", json!(["name.keyword", "analysis"]), "a3*"), "f5"),
        (search("wildcard", json!(["donors.donor_id", CODE]), "*3"), "f2"),
        (search("wildcard", json!(["donors.gender"]), "fem?le"), "f2"),
        (search("wildcard", json!(["tags"]), "nothing*"), ""),
        (search("fuzzy", json!(["donors.gender"]), "Femole"), "f2"),
        (search("fuzzy", json!(["name"]), "gamna"), "f3"),
    ] {
        assert_eq!(matching(&server, &filter).await.join(" "), expected, "{filter}");
        let quick = group("or", vec![filter.clone()]);
        assert_eq!(matching(&server, &quick).await.join(" "), expected, "{quick}");
    }
}

#[tokio::test]
async fn groups_combine_and_pivots_bind_to_one_element() {
    let server = server().await;
    let (first, bam) = (leaf("in", "analysis", json!("A1")), leaf("in", "tags", json!("x")));
    let (male, forty) = (leaf("in", "donors.gender", json!("Male")), leaf("in", "donors.age", json!(40)));
    let pivoted = |op: &str, pivot: &str, content: Vec<Value>| json!({"op": op, "pivot": pivot, "content": content});
    for (filter, expected) in [
        (group("and", vec![first.clone(), bam.clone()]), "f1"),
        (group("or", vec![leaf("in", "tags", json!("z")), bam.clone()]), "f1 f3"),
        (group("not", vec![first.clone()]), "f3 f4 f5"),
        (group("not", vec![leaf("in", "analysis", json!("A2")), bam]), "f2 f5"),
        (group("and", vec![]), "f1 f2 f3 f4 f5"),
        (group("or", vec![]), "f1 f2 f3 f4 f5"),
        (group("not", vec![]), "f1 f2 f3 f4 f5"),
        (group("and", vec![first, group("not", vec![male.clone()])]), ""),
        // Without a pivot two donors may satisfy the two conditions; with one it must be the same.
        (group("and", vec![male.clone(), forty.clone()]), "f2"),
        (pivoted("and", "donors", vec![male.clone(), forty.clone()]), ""),
        (pivoted("and", "donors", vec![male.clone(), leaf("in", "donors.age", json!(50))]), "f2"),
        (pivoted("and", ".", vec![male, forty]), "f2"),
        (
            pivoted(
                "and",
                "donors.specimens",
                vec![leaf("in", "donors.specimens.kind", json!("Normal")), leaf("in", CODE, json!("S1"))],
            ),
            "",
        ),
        (json!(null), "f1 f2 f3 f4 f5"),
        (json!({}), "f1 f2 f3 f4 f5"),
        (json!({"op": "in", "content": {"field": "analysis", "value": ["A3"]}}), "f5"),
    ] {
        assert_eq!(matching(&server, &filter).await.join(" "), expected, "{filter}");
    }
}
