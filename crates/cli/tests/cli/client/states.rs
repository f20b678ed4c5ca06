//! `cantata publish`, `unpublish` and `suppress`.

use cantata_testkit::Payload;
use serde_json::{Value, json};

use super::site::{Site, read_lines};

fn submitted(site: &Site, count: usize) -> Vec<String> {
    let lines: Vec<String> = (0..count).map(|_| Payload::new("S").build().to_string()).collect();
    let file = site.file("payloads.ndjson", lines.join("\n"));
    site.ok(&["submit", "-q", &file]).lines().map(str::to_owned).collect()
}

fn state(site: &Site, id: &str) -> Value {
    site.json(&["get", id])["analysisState"].take()
}

#[test]
fn states_are_changed_in_the_order_that_was_asked_for() {
    let site = Site::with_study();
    let ids = submitted(&site, 40);
    let named: Vec<&str> = ids.iter().map(String::as_str).collect();
    let told = site.ok(&[&["publish", "-s", "S"], named.as_slice()].concat());
    let expected: String = ids.iter().map(|id| format!("{id}: published\n")).collect();
    assert_eq!(told, expected);
    assert_eq!(site.ok(&["unpublish", &ids[0]]), format!("{}: unpublished\n", ids[0]));
    assert_eq!(site.ok(&["suppress", &ids[1]]), format!("{}: suppressed\n", ids[1]));
    assert_eq!(state(&site, &ids[0]), "UNPUBLISHED");
    assert_eq!(state(&site, &ids[1]), "SUPPRESSED");
    assert_eq!(state(&site, &ids[2]), "PUBLISHED");
}

#[test]
fn ids_come_from_standard_input_too() {
    let site = Site::with_study();
    let ids = submitted(&site, 3);
    let input = format!("{}\n\n  {}  \n", ids[1], ids[2]);
    let (code, stdout, stderr) =
        site.run_with_input(&["publish", "--json", &ids[0], "-", "--ignore-undefined-md5"], input.as_bytes());
    assert_eq!((code, stderr.as_str()), (0, ""));
    let expected: Vec<Value> =
        ids.iter().map(|id| json!({"analysisId": id, "status": "OK", "state": "PUBLISHED"})).collect();
    assert_eq!(read_lines(&stdout), expected);
}

#[test]
fn one_that_is_refused_does_not_stop_the_others() {
    let site = Site::with_study();
    let ids = submitted(&site, 2);
    let missing = "00000000-0000-4000-8000-000000000000";
    let (code, stdout, stderr) = site.run(&["publish", &ids[0], missing, &ids[1]]);
    assert_eq!((code, stdout.lines().count()), (1, 2), "{stdout}");
    assert!(stderr.starts_with(&format!("{missing}: analysis.id.not.found: ")), "{stderr}");
    site.ok(&["suppress", &ids[0]]);
    let (code, stdout, _) = site.run(&["publish", &ids[0], &ids[1], "--json", "-s", "S"]);
    assert_eq!(code, 1);
    let told = read_lines(&stdout);
    assert_eq!((&told[0]["status"], &told[0]["errorId"]), (&json!("ERROR"), &json!("suppressed.state.transition")));
    assert_eq!((&told[0]["httpStatusCode"], told[0]["message"].is_string()), (&json!(400), true));
    assert_eq!(told[1]["status"], "OK");
    site.refused(2, &["publish"], &["ANALYSES"]);
}
