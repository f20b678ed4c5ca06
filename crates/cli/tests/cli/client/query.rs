//! `cantata query`.

use serde_json::{Value, json};

use super::site::{Site, cells, read_lines};

fn plants() -> Site {
    Site::with_plants(&json!({"documentType": "plant", "esIndex": "plants"}))
}

/// Returns the ids that conditions find, in their order.
#[track_caller]
fn found(site: &Site, arguments: &[&str]) -> Vec<String> {
    let records = site.json(&[&["query", "plants", "--columns=id"], arguments].concat());
    records.as_array().unwrap().iter().map(|record| record["id"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn conditions_of_every_kind_find_what_they_say() {
    let site = plants();
    for (conditions, expected) in [
        (&[][..], &["p1", "p2", "p3", "p4"][..]),
        (&["name=Daisy"], &["p1"]),
        (&["name=Daisy,Sunflower"], &["p1", "p2"]),
        (&["name=Moss\\, Irish"], &["p3"]),
        (&["name=Da*"], &["p1"]),
        (&["name!=Daisy"], &["p2", "p3", "p4"]),
        (&["height>=12.5"], &["p1", "p2"]),
        (&["height>12.5"], &["p2"]),
        (&["height<=12.5"], &["p1", "p4"]),
        (&["height<12.5"], &["p4"]),
        (&["seeds=9007199254740993"], &["p1"]),
        (&["seeds=9007199254740992"], &[]),
        (&["height=__missing__"], &["p3"]),
        (&["edible=true"], &["p1", "p2"]),
        (&["found>=2024"], &["p1", "p3"]),
        (&["colours=yellow", "height>100"], &["p2"]),
        (&["places.country=Norway"], &["p1", "p4"]),
    ] {
        assert_eq!(found(&site, conditions), expected, "{conditions:?}");
    }
}

#[test]
fn filters_in_sqon_stand_alone_or_beside_conditions() {
    let site = plants();
    let sqon = json!({"op": "not", "content": [{"op": "in", "content": {"fieldName": "edible", "value": [true]}}]});
    assert_eq!(found(&site, &["--sqon", &sqon.to_string()]), ["p3", "p4"]);
    let file = site.file("filter.json", sqon.to_string());
    assert_eq!(found(&site, &["--sqon", &format!("@{file}"), "height>0"]), ["p4"]);
    site.refused(2, &["query", "plants", "--sqon", "{"], &["--sqon", "JSON"]);
    site.refused(2, &["query", "plants", "--sqon", "@/none"], &["/none"]);
    site.refused(1, &["query", "plants", "--sqon", "{\"op\": \"in\"}"], &["Invalid filter"]);
}

#[test]
fn records_are_written_in_every_form() {
    let site = plants();
    let (code, table, stderr) = site.run(&["query", "plants", "--sort", "height:desc,name"]);
    assert_eq!((code, stderr.as_str()), (0, ""));
    let rows = cells(&table);
    assert_eq!(rows[0], ["name", "height", "places.country"], "those that a portal shows");
    assert_eq!(rows[1], ["Sunflower", "210", "Peru, Chile"]);
    assert!(!table.contains('\u{1b}') && !table.contains('\t'), "a terminal obeys nothing: {table:?}");

    let columns = ["--columns", "name,seeds,colours,found"];
    let arguments = [&["query", "plants", "--sort=name", "--limit=2"][..], &columns].concat();
    let (_, table, stderr) = site.run(&arguments);
    assert_eq!(table.lines().count(), 3);
    assert_eq!(stderr, "2 of 4 records; --limit 0 shows all\n");
    let daisy = json!({"name": "Daisy", "seeds": 9_007_199_254_740_993_u64, "colours": ["white", "yellow"], "found": "2024-05-31"});
    let moss = json!({"name": "Moss, Irish", "seeds": null, "colours": null, "found": "2024-11-15"});
    let records = site.json(&arguments);
    assert_eq!(records[0], daisy);
    assert_eq!((&records[1]["name"], &records[1]["seeds"]), (&moss["name"], &moss["seeds"]));
    let jsonl = site.ok(&[arguments.as_slice(), &["--format=jsonl"]].concat());
    assert_eq!(Value::Array(read_lines(&jsonl)), records);
    let tsv = site.ok(&[arguments.as_slice(), &["--format=tsv"]].concat());
    let lines: Vec<&str> = tsv.lines().collect();
    assert_eq!(lines[..2], ["name\tseeds\tcolours\tfound", "Daisy\t9007199254740993\twhite, yellow\t2024-05-31"]);
    let tab = site.ok(&["query", "plants", "height=1", "--columns=name,height", "--format=tsv"]);
    assert_eq!(tab.lines().nth(1).unwrap().split('\t').count(), 2, "{tab:?}");

    assert_eq!(site.ok(&["query", "plants", "name=none", "--format=tsv", "--columns=name"]), "name\n");
    assert_eq!(site.json(&["query", "plants", "name=none"]), json!([]));
    assert_eq!(site.ok(&["query", "plants", "edible=true", "--count"]), "2\n");
    assert_eq!(site.json(&["query", "plants", "--count"]), json!({"total": 4}));
    let fields = site.ok(&["query", "plants", "--fields"]);
    assert!(cells(&fields).contains(&vec!["places.country", "keyword", "Places Country"]), "{fields}");
    assert_eq!(site.json(&["query", "plants", "--fields"])["height"]["type"], "double");
}

#[test]
fn more_records_than_a_page_come_all_and_once() {
    let site = plants();
    let lines: String = (0..1300).map(|n| format!("{{\"_id\": \"n{n:04}\", \"height\": {}}}\n", n % 7)).collect();
    let (status, report) = site.server.request("POST", "/admin/indexes/plants/import?id=name", &lines);
    assert_eq!((status, &report["taken"]), (200, &json!(1300)));
    let all = found(&site, &["--limit=0", "--sort=height"]);
    let different: std::collections::BTreeSet<&String> = all.iter().collect();
    assert_eq!((all.len(), different.len()), (1304, 1304));
    assert_eq!(found(&site, &["--limit=777"]).len(), 777);
    let table = site.ok(&["query", "plants", "--limit=0"]);
    assert_eq!(table.lines().count(), 1305);
}

#[test]
fn facets_count_records() {
    let site = plants();
    let table = site.ok(&["query", "plants", "--facet", "colours", "--facet", "edible"]);
    assert_eq!(
        cells(&table),
        [
            vec!["colours", "records"],
            vec!["yellow", "2"],
            vec!["white", "1"],
            vec!["__missing__", "2"],
            vec![],
            vec!["edible", "records"],
            vec!["false", "2"],
            vec!["true", "2"]
        ]
    );
    let facets = site.json(&["query", "plants", "name!=Daisy", "--facet", "places.country", "--limit", "1"]);
    assert_eq!(facets["total"], 3);
    let country = &facets["facets"]["places.country"];
    assert_eq!((&country["distinct"], country["values"].as_array().unwrap().len()), (&json!(3), 1));
}

#[test]
fn what_cannot_be_asked_is_told() {
    let site = plants();
    site.refused(1, &["query", "none"], &["none"]);
    site.refused(1, &["query", "plants", "hight>5"], &["hight", "height"]);
    site.refused(1, &["query", "plants", "height>tall"], &["tall", "height"]);
    site.refused(1, &["query", "plants", "--columns", "places"], &["`places`", "--fields"]);
    site.refused(1, &["query", "plants", "--sort", "hight"], &["hight"]);
    site.refused(1, &["query", "plants", "--facet", "hight"], &["hight"]);
    site.refused(2, &["query", "plants", "height"], &["'height'", "field=value"]);
    site.refused(2, &["query", "plants", "--sort", "height:up"], &["asc or desc"]);
    site.refused(2, &["query"], &["CATALOGUE"]);
    site.refused(2, &["query", "plants", "--format", "xml"], &["xml", "tsv"]);
}

#[test]
fn a_network_is_asked_for_nodes_and_facets() {
    let network = json!({"localNode": {"displayName": "Here", "nodeId": "here"}, "remoteNodes": [{
        "displayName": "There", "documentType": "plant", "graphqlUrl": "http://127.0.0.1:1/graphql",
    }]});
    let site = Site::with_plants(&json!({"documentType": "plant", "esIndex": "plants", "network": network}));
    let (code, table, stderr) = site.run(&["query", "plants", "--network", "--facet=colours", "height>0"]);
    assert_eq!(code, 0, "{stderr}");
    assert_eq!(stderr, "the answer is not complete: a node failed, or does not have a field\n");
    let rows = cells(&table);
    assert_eq!((&rows[0][..], &rows[1][..2]), (&["node", "records", "state"][..], &["Here", "3"][..]));
    assert!(table.contains("There") && table.contains("yellow"), "{table}");
    let answer = site.json(&["query", "plants", "--network", "--facet=colours"]);
    assert_eq!((&answer["complete"], &answer["nodes"][0]["hits"]), (&json!(false), &json!(4)));
    assert_eq!(answer["facets"]["colours"]["values"][0], json!({"value": "yellow", "records": 2}));
    assert_eq!(answer["suppressedBelow"], Value::Null);
    site.refused(2, &["query", "plants", "--network", "--count"], &["--count"]);
}

#[test]
fn a_network_that_rounds_its_counts_says_so() {
    let network = json!({"localNodes": [
        {"displayName": "Here", "nodeId": "here", "catalogue": "plants", "suppressBelow": 3},
    ]});
    let site = Site::with_plants(&json!({"documentType": "plant", "esIndex": "plants", "network": network}));
    let (code, table, stderr) = site.run(&["query", "plants", "--network"]);
    assert_eq!((code, stderr.as_str()), (0, "counts are rounded down to multiples of 3\n"));
    assert_eq!(cells(&table)[1][..2], ["Here", "3"]);
    assert_eq!(site.json(&["query", "plants", "--network"])["suppressedBelow"], 3);
}
