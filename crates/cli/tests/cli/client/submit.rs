//! `cantata submit`: every form of input, what is reported for each payload, and what is stored.

use std::io::Read;
use std::net::TcpListener;
use std::process::Stdio;

use cantata_testkit::Payload;
use serde_json::{Value, json};

use super::site::{Site, read_lines};
use crate::catalogue::gzipped;

fn payloads(count: usize) -> Vec<Value> {
    (0..count).map(|_| Payload::new("S").build()).collect()
}

fn stored(site: &Site, study: &str) -> usize {
    site.json(&["export", "-s", study]).as_array().unwrap().len()
}

fn lines(values: &[Value]) -> String {
    values.iter().map(|value| format!("{value}\n")).collect()
}

#[test]
fn every_form_of_input_is_taken() {
    let site = Site::with_study();
    let pretty: Vec<String> = payloads(3).iter().map(|payload| format!("{payload:#}")).collect();
    let forms: [(&str, Vec<u8>); 6] = [
        ("one.json", payloads(1)[0].to_string().into_bytes()),
        ("several.json", pretty.concat().into_bytes()),
        ("list.json", serde_json::to_vec_pretty(&payloads(5)).unwrap()),
        ("lines.ndjson", lines(&payloads(4)).into_bytes()),
        ("zipped.gz", gzipped(lines(&payloads(2)).as_bytes())),
        ("empty.json", b"[]".to_vec()),
    ];
    let files: Vec<String> = forms.iter().map(|(name, content)| site.file(name, content)).collect();
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    let (code, stdout, stderr) = site.run(&[&["submit"], files.as_slice()].concat());
    assert_eq!((code, stderr.as_str()), (0, "15 submitted, 0 refused\n"));
    assert_eq!(stdout.lines().count(), 15);
    assert!(stdout.contains(&format!("{}, line 3: ", files[3])), "{stdout}");
    assert_eq!(stored(&site, "S"), 15);

    let (code, stdout, _) = site.run_with_input(&["submit", "-q", "-"], lines(&payloads(2)).as_bytes());
    assert_eq!((code, stdout.lines().count()), (0, 2));
    assert_eq!(stored(&site, "S"), 17);
}

#[test]
fn each_payload_is_told_of_with_its_place() {
    let site = Site::with_study();
    site.ok(&["study", "create", "T"]);
    let wrong = Payload::new("S").with_file_member(0, "fileSize", "large").with_file_member(0, "fileMd5sum", "x");
    let content = format!(
        "{}\n\n{{\"studyId\": \"S\", }}\n{}\n{}\n{{}}\n{}\n7\n",
        Payload::new("S").build(),
        wrong.build(),
        Payload::new("T").build(),
        Payload::new("NONE").build(),
    );
    let file = site.file("mixed.ndjson", content);
    let (code, stdout, stderr) = site.run(&["submit", &file]);
    assert_eq!(code, 1);
    let place = |line: u32| format!("{file}, line {line}: ");
    let taken: Vec<&str> = stdout.lines().collect();
    assert_eq!(taken.len(), 2, "{stdout}");
    assert!(taken[0].starts_with(&place(1)) && taken[1].starts_with(&place(5)), "{stdout}");
    for (line, text) in [
        (3, "not JSON: "),
        (4, "schema.violation:\n  #/files/0/"),
        (6, "the payload has no studyId; add it, or name the study with --study"),
        (7, "study.id.does.not.exist: "),
        (8, "no payload: "),
    ] {
        assert!(stderr.contains(&format!("{}{text}", place(line))), "'{}{text}' is not in: {stderr}", place(line));
    }
    assert!(stderr.ends_with("2 submitted, 5 refused\n"), "{stderr}");
    assert_eq!((stored(&site, "S"), stored(&site, "T")), (1, 1));

    let (code, stdout, stderr) = site.run(&["submit", "--json", "--allow-duplicates", &file]);
    assert_eq!((code, stderr.as_str()), (1, ""));
    let told = read_lines(&stdout);
    let shown: Vec<(&Value, &Value)> = told.iter().map(|line| (&line["line"], &line["status"])).collect();
    let (ok, error) = (json!("OK"), json!("ERROR"));
    let expected = [1, 3, 4, 5, 6, 7, 8].map(|line| (json!(line), if line == 1 || line == 5 { &ok } else { &error }));
    assert_eq!(shown, expected.iter().map(|(line, status)| (line, *status)).collect::<Vec<_>>());
    assert_eq!((&told[0]["file"], &told[0]["studyId"]), (&json!(file), &json!("S")));
    assert!(told[0]["analysisId"].is_string() && told[0].get("message").is_none());
    assert_eq!((&told[2]["errorId"], &told[2]["httpStatusCode"]), (&json!("schema.violation"), &json!(400)));
}

#[test]
fn a_named_study_is_where_everything_goes() {
    let site = Site::with_study();
    let file = site.file("other.ndjson", format!("{}\n{{\"studyId\"\n", Payload::new("T").build()));
    let (code, _, stderr) = site.run(&["submit", "--study", "S", &file]);
    assert_eq!(code, 1);
    for error in ["study.id.mismatch", "payload.parsing"] {
        assert!(stderr.contains(error), "{stderr}");
    }
    let file = site.file("right.json", Payload::new("S").build().to_string());
    let (code, _, stderr) = crate::process::outcome(site.command(&["submit", &file]).env("CANTATA_STUDY", "S"));
    assert_eq!(code, 0, "{stderr}");
}

#[test]
fn a_dry_run_tells_what_would_happen_and_stores_nothing() {
    let site = Site::with_study();
    let twin = Payload::new("S").build();
    let file =
        site.file("some.ndjson", lines(&[Payload::new("S").build(), json!({"studyId": "S"}), twin.clone(), twin]));
    let (code, stdout, stderr) = site.run(&["submit", "--dry-run", &file]);
    assert_eq!(code, 1);
    assert_eq!(stdout, format!("{file}, line 1: valid\n{file}, line 3: valid\n"));
    assert!(stderr.contains("line 4: info.already.exists: ") && stderr.ends_with("2 valid, 2 refused\n"), "{stderr}");
    assert_eq!(stored(&site, "S"), 0);
    let (code, stdout, _) = site.run(&["submit", "--dry-run", "--json", &file]);
    assert_eq!((code, read_lines(&stdout).len()), (1, 4));
    let expected = json!({"file": file, "line": 1, "status": "OK", "studyId": "S"});
    assert_eq!(read_lines(&stdout)[0], expected);
    site.refused(2, &["submit", "--dry-run", "--publish", &file], &["--publish"]);
}

#[test]
fn what_is_stored_may_be_published_at_once() {
    let site = Site::with_study();
    let file =
        site.file("some.ndjson", lines(&[payloads(1).remove(0), json!({"studyId": "S"}), payloads(1).remove(0)]));
    let (code, stdout, stderr) = site.run(&["submit", "--publish", &file]);
    assert_eq!((code, stdout.matches(" published\n").count()), (1, 2), "{stdout}");
    assert!(stderr.ends_with("2 submitted and published, 1 refused\n"), "{stderr}");
    let (_, listed) = site.server.get("/studies/S/analysis");
    assert_eq!(listed.as_array().unwrap().len(), 2);
    let more = site.file("more.ndjson", lines(&payloads(1)));
    let (_, stdout, _) = site.run(&["submit", "--publish", "--json", &more]);
    assert_eq!(read_lines(&stdout)[0]["published"], true);
}

#[test]
fn many_payloads_are_taken_in_several_requests_in_their_order() {
    let site = Site::with_study();
    let filler = "x".repeat(20_000);
    let many: Vec<Value> =
        (0..600).map(|n| Payload::new("S").with("n", n).with("filler", filler.clone()).build()).collect();
    let content = lines(&many);
    assert!(content.len() > 2 * (4 << 20));
    let file = site.file("many.ndjson", content);
    let ids: Vec<String> = site.ok(&["submit", "-q", &file]).lines().map(str::to_owned).collect();
    assert_eq!(ids.len(), 600);
    for n in [0, 1, 299, 599] {
        assert_eq!(site.json(&["get", &ids[n]])["n"], n);
    }
}

#[test]
fn files_that_cannot_be_read_are_told() {
    let site = Site::with_study();
    site.refused(2, &["submit", "/none/a.json", "/none/b.json"], &["/none/a.json", "/none/b.json"]);
    let broken = site.file("broken.json", format!("[{}, {{\"a\": ]", Payload::new("S").build()));
    let (code, stdout, stderr) = site.run(&["submit", &broken]);
    assert_eq!((code, stdout.lines().count()), (1, 1), "{stderr}");
    assert!(stderr.contains("broken.json, line 1") && stderr.contains("files not read to their end: 1"), "{stderr}");
    site.refused(2, &["submit"], &["FILES"]);
}

#[test]
fn a_server_that_goes_away_leaves_word_from_where_on_nothing_is_known() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let site = Site::with_study();
    let file = site.file("payloads.ndjson", lines(&payloads(3)));
    let mut command = site.command(&["submit", &file, "--server", &address]);
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let (mut stream, _) = listener.accept().unwrap();
    let _ = stream.read(&mut [0; 10]).unwrap();
    drop(stream);
    let output = child.wait_with_output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(3), "{stderr}");
    assert!(stderr.contains("stopped answering") && stderr.contains(&format!("from {file}, line 1 on")), "{stderr}");
}

#[test]
fn filled_sheets_are_submitted_together_or_not_at_all() {
    let site = Site::with_study();
    let table = |access: &str| {
        format!(
            "#row\texperiment.libraryStrategy\tfiles[].fileName\tfiles[].fileSize\tfiles[].fileType\tfiles[].fileAccess\t\
             files[].dataType\tfiles[].fileMd5sum\n\
             one\tWGS\ta.bam\t12\tbam\t{access}\treads\t595f44fec1e92a71d3e9e77456ba80d1\n\
             two\tWXS\tb.bam\t12\tbam\topen\treads\t595f44fec1e92a71d3e9e77456ba80d2\n"
        )
    };
    let template = site.path().join("template.xlsx");
    site.ok(&["type", "template", "sequencingRead", template.to_str().unwrap()]);
    assert!(fs_err::read(&template).unwrap().starts_with(b"PK"));
    site.refused(2, &["type", "template", "sequencingRead", "template.ods"], &["template.ods", ".xlsx or .tsv"]);
    let wrong = site.file("wrong.tsv", table("secret"));
    let sheet = ["--type=sequencingRead", "--study=S"];
    let (code, stdout, stderr) = site.run(&[&["submit", &wrong][..], &sheet].concat());
    assert_eq!((code, stdout.as_str()), (1, ""), "{stderr}");
    assert!(stderr.contains("wrong.tsv, analyses!F2: secret is not valid: one of open, controlled"), "{stderr}");
    assert!(stderr.contains("1 violations, nothing submitted"), "{stderr}");
    let right = site.file("right.tsv", table("controlled"));
    let (code, _, stderr) = site.run(&[&["submit", &right, "--dry-run"][..], &sheet].concat());
    assert!(code == 0 && stderr.contains("right.tsv: 2 valid"), "{code} {stderr}");
    let ids = site.ok(&[&["submit", &right, "--quiet"][..], &sheet].concat());
    assert_eq!(ids.lines().count(), 2, "{ids}");
    site.refused(2, &["submit", &right, "--type=sequencingRead"], &["--study"]);
    site.refused(2, &["submit", "payload.json", "--type=sequencingRead", "--study=S"], &["payload.json", ".xlsx"]);
}
