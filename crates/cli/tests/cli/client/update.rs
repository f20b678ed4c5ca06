//! `cantata update`.

use cantata_testkit::Payload;
use serde_json::{Value, json};

use super::site::{Site, read_lines};

const MISSING: &str = "00000000-0000-4000-8000-000000000000";

fn submitted(site: &Site, count: usize) -> Vec<String> {
    let payload = |number: usize| Payload::new("S").with("note", json!({"number": number, "tags": ["a", "b"]})).build();
    let lines: Vec<String> = (0..count).map(|number| payload(number).to_string()).collect();
    let file = site.file("payloads.ndjson", lines.join("\n"));
    site.ok(&["submit", "-q", &file]).lines().map(str::to_owned).collect()
}

fn note(site: &Site, id: &str) -> Value {
    site.json(&["get", id])["note"].take()
}

#[test]
fn one_analysis_is_patched() {
    let site = Site::with_study();
    let ids = submitted(&site, 2);
    let id = ids[0].as_str();
    let patch = r#"{"note": {"number": null, "tags": ["b"], "more": {"x": 1}}}"#;
    let dry = site.ok(&["update", id, "--patch", patch, "--dry-run"]);
    let expected = format!(
        "{id}: would change\n  - /note/number: 0\n  ~ /note/tags: [\"a\",\"b\"] -> [\"b\"]\n  + /note/more: {{\"x\":1}}\n"
    );
    assert_eq!(dry, expected);
    assert_eq!(note(&site, id), json!({"number": 0, "tags": ["a", "b"]}), "a dry run changes nothing");
    let file = site.file("patch.json", patch);
    assert_eq!(site.ok(&["update", id, "--patch", &format!("@{file}"), "-s", "S"]), format!("{id}: updated\n"));
    assert_eq!(note(&site, id), json!({"tags": ["b"], "more": {"x": 1}}));
    assert_eq!(site.ok(&["update", id, "--patch", patch, "--dry-run"]), format!("{id}: nothing would change\n"));
    assert_eq!(note(&site, &ids[1])["number"], 1);
    for dry in [&[][..], &["--dry-run"]] {
        let refused = [&["update", id, "--patch", r#"{"experiment": {"variantCallingTool": 5}}"#][..], dry].concat();
        site.refused(1, &refused, &[id, "schema.violation", "#/experiment/variantCallingTool: expected type: String"]);
        site.refused(1, &[&["update", MISSING, "--patch", "{}"][..], dry].concat(), &["analysis.id.not.found"]);
    }
    site.refused(2, &["update", id], &["--patch"]);
    site.refused(2, &["update", "--patch", "{}"], &["ANALYSIS"]);
    site.refused(2, &["update", id, "--patch", "[]"], &["--patch: expected a JSON object"]);
    site.refused(2, &["update", id, "--patch", "{}", "--from", "x.json"], &["--from"]);
}

#[test]
fn many_are_patched_from_files_in_their_order() {
    let site = Site::with_study();
    let ids = submitted(&site, 3);
    let update = |id: &str, patch: Value| json!({"analysisId": id, "patch": {"note": patch}});
    let mut named = update(&ids[1], json!({"number": 10}));
    named["studyId"] = json!("S");
    let array = json!([update(&ids[0], json!({"number": 9})), named, update(&ids[0], json!({"number": 11}))]);
    let array = site.file("updates.json", array.to_string());
    let lines = [
        update(&ids[2], json!({"tags": null})).to_string(),
        update(MISSING, json!({})).to_string(),
        "{}".to_owned(),
        "nonsense".to_owned(),
        update(&ids[2], json!("text")).to_string(),
    ];
    let lines = site.file("updates.ndjson", lines.join("\n"));
    let arguments = ["update", "--from", &array, "--from", &lines];
    let (code, dry, _) = site.run(&[&arguments[..], &["--dry-run", "--json"]].concat());
    assert_eq!(code, 1);
    let dry = read_lines(&dry);
    assert_eq!(dry.len(), 8);
    let change = json!([{"path": "/note/number", "before": 0, "after": 9}]);
    assert_eq!(dry[0], json!({"file": array, "line": 1, "analysisId": ids[0], "status": "OK", "changes": change}));
    assert_eq!(note(&site, &ids[0])["number"], 0);

    let (code, stdout, stderr) = site.run(&arguments);
    assert_eq!(code, 1, "{stdout}{stderr}");
    let expected: String =
        [&ids[0], &ids[1], &ids[0], &ids[2], &ids[2]].iter().map(|id| format!("{id}: updated\n")).collect();
    assert_eq!(stdout, expected);
    for part in ["line 2: ", "analysis.id.not.found", "line 3: no update: ", "line 4: not JSON: "] {
        assert!(stderr.contains(part), "'{part}' is not in: {stderr}");
    }
    assert_eq!(note(&site, &ids[0])["number"], 11, "the last one counts");
    assert_eq!((note(&site, &ids[1])["number"].clone(), note(&site, &ids[2])), (json!(10), json!("text")));
    let input = update(&ids[1], json!({"number": 12})).to_string();
    let (code, ..) = site.run_with_input(&["update", "--from", "-"], input.as_bytes());
    assert_eq!((code, note(&site, &ids[1])["number"].clone()), (0, json!(12)));
}
