//! `hits`: pages, order, cursors, totals, and what a record shows.

use cantata_testkit::{TestCatalogues, TestServer, put_documents};
use http::Method;
use serde_json::{Value, json};

use crate::support::{ask, base, documents, ids, leaf, refused, server, server_with};

#[tokio::test]
async fn a_record_shows_its_fields_on_every_level() {
    let server = server().await;
    let selection = "hits(filters: $f) { total edges { node { id score analysis name size quality released created tags \
        file { format } donors { hits { total edges { node { donor_id age gender specimens { hits { total edges { node { \
        kind samples { hits { total edges { node { code mass } } } } } } } } } } } } } } }";
    let filter = leaf("in", "name.keyword", json!("Alpha read"));
    let answer = ask(&server, selection, &json!({"f": filter})).await;
    let node = &answer["hits"]["edges"][0]["node"];
    let (_, source) = &documents()[0];
    for name in ["analysis", "name", "size", "quality", "released", "created", "tags", "file"] {
        assert_eq!(node[name], source[name], "{name}");
    }
    assert_eq!(node["id"], "f1");
    assert!(node["score"].is_number(), "{node}");
    assert_eq!(
        node["donors"]["hits"]["edges"],
        json!([{"node": {"donor_id": "D1", "age": 30, "gender": "Male", "specimens": {"hits": {"total": 1, "edges": [
            {"node": {"kind": "Tumour", "samples": {"hits": {"total": 2, "edges": [
                {"node": {"code": "S1", "mass": 1.5}}, {"node": {"code": "S2", "mass": null}}]}}}}]}}}}])
    );
}

#[tokio::test]
async fn flat_names_work_in_nodes_too() {
    let server = server().await;
    let selection =
        "hits(filters: $f) { edges { node { id file__format donors__age donors__specimens__samples__code } } }";
    let answer = ask(&server, selection, &json!({"f": leaf("in", "analysis", json!("A1"))})).await;
    assert_eq!(
        answer["hits"]["edges"],
        json!([
            {"node": {"id": "f1", "file__format": "bam", "donors__age": [30], "donors__specimens__samples__code": ["S1", "S2"]}},
            {"node": {"id": "f2", "file__format": "bam", "donors__age": [40, 50], "donors__specimens__samples__code": ["S3"]}}
        ])
    );
}

#[tokio::test]
async fn long_integers_keep_their_value() {
    let server = server().await;
    let selection = "hits(filters: $f) { edges { node { size } searchAfter } } aggregations(filters: $f, aggregations_filter_themselves: true) { size { buckets { key } } }";
    let answer = ask(&server, selection, &json!({"f": leaf("gt", "size", json!(4_294_967_296_i64))})).await;
    assert_eq!(answer["hits"]["edges"][0]["node"]["size"], json!(5_000_000_000_i64));
    assert_eq!(answer["aggregations"]["size"]["buckets"][0]["key"], "5000000000");
}

#[tokio::test]
async fn pages_have_ten_records_unless_asked_otherwise() {
    let many: Vec<(String, Value)> = (0..25).map(|n| (format!("r{n:02}"), json!({"analysis": "A"}))).collect();
    let documents: Vec<(&str, Value)> = many.iter().map(|(id, document)| (id.as_str(), document.clone())).collect();
    let catalogues = cantata_testkit::TestCatalogues::new().file("base.json", &crate::support::base(json!({}))).index(
        "files",
        &crate::support::mapping(),
        documents,
    );
    let server = cantata_testkit::TestServer::with_catalogues(catalogues).await;
    for (arguments, expected) in [
        ("", 0..10),
        ("(first: 3)", 0..3),
        ("(first: 0)", 0..0),
        ("(offset: 20)", 20..25),
        ("(first: 4, offset: 23)", 23..25),
        ("(first: 100)", 0..25),
        ("(offset: 25)", 0..0),
        ("(offset: 5000)", 0..0),
        ("(first: null, offset: null)", 0..10),
        ("(before: \"x\", after: \"y\", last: 2, score: \"z\")", 0..10),
    ] {
        let answer = ask(&server, &format!("hits{arguments} {{ total edges {{ node {{ id }} }} }}"), &json!({})).await;
        assert_eq!(answer["hits"]["total"], 25);
        let expected: Vec<String> = expected.map(|n| format!("r{n:02}")).collect();
        assert_eq!(ids(&answer["hits"]), expected, "{arguments}");
    }
    for arguments in ["first: -1", "offset: -1"] {
        let query = format!("{{ file {{ hits({arguments}) {{ total }} }} }}");
        let answer = server.graphql("/graphql", &query, &json!({})).await;
        let message = refused(&answer, 200, "BAD_USER_INPUT");
        assert!(message.contains("-1"), "{message}");
        assert_eq!(answer.json()["data"]["file"]["hits"], Value::Null);
    }
}

#[tokio::test]
async fn the_window_caps_pages_and_says_how_to_go_deeper() {
    let catalogues = crate::support::flat(json!({})).file("table.json", &json!({"table": {"maxResultsWindow": 2}}));
    let server = cantata_testkit::TestServer::with_catalogues(catalogues).await;
    let answer = ask(
        &server,
        "hits(first: 100) { total edges { node { id } } } configs { table { maxResultsWindow } }",
        &json!({}),
    )
    .await;
    assert_eq!((ids(&answer["hits"]).len(), &answer["hits"]["total"]), (2, &json!(5)));
    assert_eq!(answer["configs"]["table"]["maxResultsWindow"], 2);
    let query = "{ file { hits(offset: 10000) { total } aggregations { tags { bucket_count } } } }";
    let answer = server.graphql("/graphql", query, &json!({})).await;
    let message = refused(&answer, 200, "BAD_USER_INPUT");
    assert!(message.contains("searchAfter") && message.contains("10000"), "{message}");
    let body = answer.json();
    assert_eq!((&body["data"]["file"]["hits"], &body["errors"][0]["path"]), (&Value::Null, &json!(["file", "hits"])));
    assert_eq!(body["data"]["file"]["aggregations"]["tags"]["bucket_count"], 4);
}

#[tokio::test]
async fn records_are_sorted_by_any_field() {
    let server = server().await;
    let sorted = async |sort: Value| {
        let answer = ask(&server, "hits(sort: $sort) { edges { node { id } } }", &json!({"sort": sort})).await;
        ids(&answer["hits"]).join(" ")
    };
    for (sort, expected) in [
        (json!([{"fieldName": "size"}]), "f1 f3 f4 f2 f5"),
        (json!([{"fieldName": "size", "order": "asc"}]), "f5 f1 f3 f4 f2"),
        (json!([{"fieldName": "size", "order": "asc", "missing": "last"}]), "f1 f3 f4 f2 f5"),
        (json!([{"fieldName": "size", "order": "desc"}]), "f2 f4 f3 f1 f5"),
        (json!([{"fieldName": "size", "order": "desc", "missing": "first"}]), "f5 f2 f4 f3 f1"),
        (json!([{"fieldName": "analysis", "order": "desc"}, {"fieldName": "size", "order": "desc"}]), "f5 f4 f3 f2 f1"),
        (json!([{"fieldName": "created", "order": "desc"}]), "f4 f3 f2 f1 f5"),
        (json!([{"fieldName": "released", "missing": "last"}]), "f2 f4 f1 f3 f5"),
        (json!([{"fieldName": "file.format", "missing": "last"}]), "f1 f2 f3 f4 f5"),
        (json!([{"fieldName": "file__format", "order": "desc", "missing": "last"}]), "f3 f4 f1 f2 f5"),
        (json!([{"fieldName": "donors.age", "mode": "min", "missing": "last"}]), "f1 f3 f2 f4 f5"),
        (json!([{"fieldName": "donors.age", "order": "desc", "mode": "max"}]), "f2 f1 f3 f4 f5"),
        (json!([{"fieldName": "donors.age", "order": "desc", "mode": "sum"}]), "f2 f1 f3 f4 f5"),
        (json!([{"fieldName": "donors.age", "order": "asc", "mode": "avg", "missing": "last"}]), "f1 f3 f2 f4 f5"),
        (json!([{"fieldName": "donors.specimens.samples.code", "order": "desc", "mode": "max"}]), "f3 f2 f1 f4 f5"),
        (json!([{"fieldName": "tags", "order": "asc", "mode": "min", "missing": "last"}]), "f1 f2 f3 f4 f5"),
        (json!([{"fieldName": "tags", "order": "asc", "mode": "max", "missing": "last"}]), "f1 f2 f3 f4 f5"),
        (json!([{"fieldName": "name.keyword", "order": "desc", "missing": "last"}]), "f3 f4 f2 f1 f5"),
        (json!([{"fieldName": "_id", "order": "desc"}]), "f5 f4 f3 f2 f1"),
        (json!({"fieldName": "_id", "order": "desc"}), "f5 f4 f3 f2 f1"),
        (json!([]), "f1 f2 f3 f4 f5"),
        (json!(null), "f1 f2 f3 f4 f5"),
    ] {
        assert_eq!(sorted(sort.clone()).await, expected, "{sort}");
    }
}

#[tokio::test]
async fn an_order_that_cannot_be_is_refused() {
    let server = server().await;
    for (sort, place) in [
        (json!([{"fieldName": "nothing"}]), "sort[0].fieldName"),
        (json!([{"fieldName": "size"}, {"fieldName": "donors"}]), "sort[1].fieldName"),
        (json!([{"fieldName": "analysis", "mode": "sum"}]), "sort[0].mode"),
        (json!([{"fieldName": ""}]), "sort[0].fieldName"),
    ] {
        let query = "query($sort: [Sort]) { file { hits(sort: $sort) { total } } }";
        let answer = server.graphql("/graphql", query, &json!({"sort": sort})).await;
        let message = refused(&answer, 200, "BAD_USER_INPUT");
        assert!(message.contains(place), "{sort}: {message}");
        assert_eq!(answer.json()["data"], json!({"file": {"hits": null}}));
    }
}

#[tokio::test]
async fn cursors_lead_through_everything_with_and_without_an_order() {
    let server = server().await;
    for sort in [
        json!(null),
        json!([]),
        json!([{"fieldName": "size", "order": "desc"}]),
        json!([{"fieldName": "quality", "missing": "first"}]),
        json!([{"fieldName": "released"}, {"fieldName": "created", "order": "desc"}]),
        json!([{"fieldName": "donors.age", "order": "desc", "mode": "avg"}]),
        json!([{"fieldName": "analysis"}]),
    ] {
        let selection = "hits(first: 100, sort: $sort) { edges { node { id } } }";
        let whole = ids(&ask(&server, selection, &json!({"sort": sort})).await["hits"]);
        let selection = "hits(first: 2, sort: $sort, searchAfter: $after) { total edges { searchAfter node { id } } }";
        let (mut walked, mut after) = (Vec::new(), Value::Null);
        loop {
            let page = ask(&server, selection, &json!({"sort": sort, "after": after})).await["hits"].take();
            assert_eq!(page["total"], 5);
            let Some(last) = page["edges"].as_array().unwrap().last() else { break };
            after = last["searchAfter"].clone();
            walked.extend(ids(&page));
        }
        assert_eq!(walked, whole, "{sort}");
    }
}

#[tokio::test]
async fn clients_may_make_cursors_themselves() {
    let server = server().await;
    let selection = "hits(sort: $sort, searchAfter: $after) { edges { node { id } } }";
    let (size, id) = (json!({"fieldName": "size"}), json!({"fieldName": "_id"}));
    for (sort, after, expected) in [
        (json!([size]), json!([20]), "f4 f2 f5"),
        (json!([size]), json!(["20"]), "f4 f2 f5"),
        (json!([size, id]), json!([20, "f3"]), "f4 f2 f5"),
        (json!([size, id]), json!([20, "a"]), "f3 f4 f2 f5"),
        (json!([{"fieldName": "analysis"}, size]), json!(["A1", 10]), "f2 f3 f4 f5"),
    ] {
        let answer = ask(&server, selection, &json!({"sort": sort, "after": after})).await;
        assert_eq!(ids(&answer["hits"]).join(" "), expected, "{sort} {after}");
    }
}

#[tokio::test]
async fn a_cursor_that_does_not_fit_is_refused() {
    let server = server().await;
    let query = "query($after: JSON, $n: Int) { file { hits(offset: $n, sort: [{fieldName: \"size\"}], searchAfter: $after) \
        { total } } }";
    for variables in [
        json!({"after": []}),
        json!({"after": ["f1"]}),
        json!({"after": ["x", "f1"]}),
        json!({"after": [1, 2]}),
        json!({"after": [1, 2, "f1"]}),
        json!({"after": "f1"}),
        json!({"after": {"a": 1}}),
        json!({"after": [10, "f1"], "n": 1}),
    ] {
        let answer = server.graphql("/graphql", query, &variables).await;
        refused(&answer, 200, "BAD_USER_INPUT");
        assert_eq!(answer.json()["data"]["file"]["hits"], Value::Null, "{variables}");
    }
}

#[tokio::test]
async fn totals_need_not_be_counted() {
    let server = server().await;
    let answer = ask(&server, "hits(trackTotalHits: false, first: 2) { edges { node { id } } }", &json!({})).await;
    assert_eq!(ids(&answer["hits"]), ["f1", "f2"]);
    let answer = server
        .graphql(
            "/graphql",
            "{ file { hits(trackTotalHits: false, first: 2) { total edges { node { id } } } } }",
            &json!({}),
        )
        .await
        .ok();
    assert_eq!(answer.get("errors"), None, "{answer}");
    assert!(answer["data"]["file"]["hits"]["total"].is_number(), "{answer}");
    assert_eq!(ids(&answer["data"]["file"]["hits"]), ["f1", "f2"]);
    // Without records there is nothing else to know it from.
    for selection in [
        "hits(trackTotalHits: false) { total }",
        "hits(trackTotalHits: false, first: 0) { total edges { node { id } } }",
    ] {
        assert_eq!(ask(&server, selection, &json!({})).await["hits"]["total"], 5, "{selection}");
    }
}

#[tokio::test]
async fn one_request_may_ask_for_several_pages() {
    let server = server_with(json!({"maxAliases": 3})).await;
    let selection = "a: hits(first: 1) { edges { node { id } } } b: hits(first: 1, sort: [{fieldName: \"_id\", order: desc}]) \
        { edges { node { own: id } } } aggregations { tags { bucket_count } }";
    let answer = ask(&server, selection, &json!({})).await;
    assert_eq!(answer["a"]["edges"], json!([{"node": {"id": "f1"}}]));
    assert_eq!(answer["b"]["edges"], json!([{"node": {"own": "f5"}}]));
    assert_eq!(answer["aggregations"]["tags"]["bucket_count"], 4);
}

#[tokio::test]
async fn members_that_are_named_by_paths_are_shown() {
    let mapping = json!({"properties": {"donor.age": {"type": "integer"}, "donor.sex": {"type": "keyword"}}});
    let documents = [("a", json!({"donor.age": 61, "donor": {"sex": "f"}})), ("b", json!({"donor.sex": "m"}))];
    let catalogues = TestCatalogues::new().file("base.json", &base(json!({}))).index("files", &mapping, documents);
    let server = TestServer::with_catalogues(catalogues).await;
    let answer = ask(&server, "hits { edges { node { donor { age sex } donor__age donor__sex } } }", &json!({})).await;
    assert_eq!(
        answer["hits"]["edges"],
        json!([
            {"node": {"donor": {"age": 61, "sex": "f"}, "donor__age": 61, "donor__sex": "f"}},
            {"node": {"donor": {"age": null, "sex": "m"}, "donor__age": null, "donor__sex": "m"}},
        ])
    );
    let files = json!({"files": [{"columns": ["donor.age", "donor.sex"], "sqon": leaf("in", "donor.age", json!(61))}]});
    let file = server.post("/download", &json!({"params": files.to_string()})).await;
    assert!(file.text().ends_with("\n61\tf\n"), "{}", file.text());
}

const COLOURS: &str =
    "hits(sort: [{fieldName: \"_id\"}]) { edges { node { colour box__x box { x } } } } configs { extended }";

/// Returns a catalogue of two records, of which the second has lists.
fn colours(extended: &Value) -> TestCatalogues {
    let mapping = json!({"properties": {
        "colour": {"type": "keyword"}, "box": {"properties": {"x": {"type": "long"}}},
    }});
    let records = [
        ("1", json!({"colour": "red", "box": {"x": 1}})),
        ("2", json!({"colour": ["white", "yellow"], "box": {"x": [2, 3]}})),
    ];
    let catalogues = TestCatalogues::new().file("base.json", &base(json!({"extended": extended})));
    catalogues.index("files", &mapping, records)
}

#[tokio::test]
async fn a_field_with_lists_shows_all_values_unless_it_is_said_otherwise() {
    let server = TestServer::with_catalogues(colours(&json!([]))).await;
    let answer = ask(&server, COLOURS, &json!({})).await;
    let nodes = json!([
        {"node": {"colour": ["red"], "box__x": [1], "box": {"x": [1]}}},
        {"node": {"colour": ["white", "yellow"], "box__x": [2, 3], "box": {"x": [2, 3]}}},
    ]);
    assert_eq!(answer["hits"]["edges"], nodes);
    let is_array = |answer: &Value, name: &str| {
        let entries = answer["configs"]["extended"].as_array().unwrap();
        entries.iter().find(|entry| entry["fieldName"] == name).unwrap()["isArray"].clone()
    };
    assert_eq!((is_array(&answer, "colour"), is_array(&answer, "box")), (json!(true), json!(false)));

    let said = json!([{"fieldName": "colour", "isArray": false}, {"fieldName": "box.x", "displayName": "X"}]);
    let server = TestServer::with_catalogues(colours(&said)).await;
    let answer = ask(&server, COLOURS, &json!({})).await;
    assert_eq!(answer["hits"]["edges"][1]["node"], json!({"colour": "white", "box__x": [2, 3], "box": {"x": [2, 3]}}));
    assert_eq!((is_array(&answer, "colour"), is_array(&answer, "box.x")), (json!(false), json!(true)));
}

#[tokio::test]
async fn a_list_that_comes_later_is_noticed() {
    let catalogues = TestCatalogues::new().file("base.json", &base(json!({"catalogId": "mine"})));
    let mapping = json!({"properties": {"colour": {"type": "keyword"}}});
    let catalogues = catalogues.index("files", &mapping, [("1", json!({"colour": "red"}))]);
    let server = TestServer::with_catalogues(catalogues).await;
    let colours = "hits(sort: [{fieldName: \"_id\"}]) { edges { node { colour } } }";
    let shown = async || ask(&server, colours, &json!({})).await["hits"]["edges"].take();
    assert_eq!(shown().await, json!([{"node": {"colour": "red"}}]));
    put_documents(server.engine(), "files", [("2".to_owned(), json!({"colour": ["white", "yellow"]}))]).await;
    server.send(Method::POST, "/admin/catalogues/mine/reload", &[], None).await.ok();
    assert_eq!(shown().await, json!([{"node": {"colour": ["red"]}}, {"node": {"colour": ["white", "yellow"]}}]));
}
