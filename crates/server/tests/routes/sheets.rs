//! `/schemas/{name}/template` and `/sheets/{studyId}`

use std::io::Cursor;

use cantata_tabular::{read_delimited_sheet, read_xlsx_sheets};
use cantata_testkit::{TestResponse, TestServer};
use http::Method;
use rust_xlsxwriter::Workbook;
use serde_json::{Value, json};

use crate::support::server_with_study;

const XLSX: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
const TSV: &str = "text/tab-separated-values";

const COLUMNS: &str = "#row\texperiment.libraryStrategy\texperiment.aligned\tfiles[].fileName\tfiles[].fileSize\t\
                       files[].fileType\tfiles[].fileAccess\tfiles[].dataType\tfiles[].fileMd5sum\n";

fn file_cells(number: u32, access: &str) -> String {
    format!("f{number}.bam\t12\tbam\t{access}\treads\t{number:032x}")
}

async fn send(server: &TestServer, query: &str, content_type: &str, body: impl Into<Vec<u8>>) -> TestResponse {
    let path = format!("/sheets/S?{query}");
    server.send(Method::POST, &path, &[("content-type", content_type)], Some(body.into())).await
}

async fn stored(server: &TestServer) -> usize {
    let analyses = server.get("/studies/S/analysis?analysisStates=UNPUBLISHED,PUBLISHED").await.ok();
    analyses.as_array().unwrap().len()
}

#[tokio::test]
async fn a_template_has_the_columns_of_the_type() {
    let server = server_with_study().await;
    let tsv = server.get("/schemas/sequencingRead/template?format=tsv&version=1").await;
    tsv.assert_status(200);
    assert_eq!(tsv.header("content-type"), Some(TSV));
    assert_eq!(tsv.header("content-disposition"), Some("attachment; filename=\"sequencingRead-v1.tsv\""));
    let table = read_delimited_sheet(Cursor::new(tsv.body.to_vec()), b'\t', 10).unwrap();
    for column in ["#row", "experiment.libraryStrategy *", "experiment.aligned", "files[]", "files[].fileAccess *"] {
        assert!(table[0].columns.iter().any(|name| name == column), "{column}: {:?}", table[0].columns);
    }
    assert!(!table[0].columns.iter().any(|name| name.contains("studyId") || name.contains("analysisType")));
    let xlsx = server.get("/schemas/sequencingRead/template").await;
    xlsx.assert_status(200);
    assert_eq!(xlsx.header("content-type"), Some(XLSX));
    let sheets = read_xlsx_sheets(&xlsx.body, 1 << 20, 1_000).unwrap();
    let names: Vec<&str> = sheets.iter().map(|sheet| sheet.name.as_str()).collect();
    assert_eq!(names, ["analyses", "files"]);
    assert_eq!(sheets[1].columns[0], "#parent");
    server.get("/schemas/sequencingRead/template?format=ods").await.assert_error_id(400, "malformed.parameter");
    server.get("/schemas/sequencingRead/template?version=9").await.assert_error_id(404, "analysis.type.not.found");
    server.get("/schemas/none/template").await.assert_error_id(404, "analysis.type.not.found");
}

#[tokio::test]
async fn a_table_becomes_analyses_and_nothing_is_stored_with_a_violation() {
    let server = server_with_study().await;
    let wrong = format!(
        "{COLUMNS}one\tWGS\ttrue\t{}\n\t\t\t{}\ntwo\tSanger\t\t{}\n",
        file_cells(1, "open"),
        file_cells(2, "secret"),
        file_cells(3, "open")
    );
    let answer = send(&server, "type=sequencingRead", TSV, wrong).await.ok();
    assert_eq!((&answer["status"], &answer["analyses"]), (&json!("INVALID"), &json!(2)));
    assert_eq!(answer["analysisType"], json!({"name": "sequencingRead", "version": 1}));
    assert_eq!(answer["violationCount"], 2);
    let first = &answer["violations"][0];
    assert_eq!(
        *first,
        json!({"sheet": "analyses", "row": 3, "column": "files[].fileAccess", "cell": "G3", "value": "secret",
               "message": "secret is not valid: one of open, controlled", "allowed": ["open", "controlled"]})
    );
    assert_eq!(answer["violations"][1]["cell"], "B4");
    assert_eq!(stored(&server).await, 0);

    let mut sheets = answer["sheets"].clone();
    sheets[0]["rows"][1]["cells"][6] = json!("controlled");
    sheets[0]["rows"][2]["cells"][1] = json!("WXS");
    let corrected = json!({"sheets": sheets}).to_string();
    let checked =
        send(&server, "type=sequencingRead&validateOnly=true", "application/json", corrected.clone()).await.ok();
    assert_eq!((&checked["status"], &checked["results"]), (&json!("VALID"), &json!([])));
    assert_eq!(stored(&server).await, 0);
    let submitted = send(&server, "type=sequencingRead", "application/json", corrected.clone()).await.ok();
    assert_eq!(submitted["status"], "SUBMITTED", "{submitted:#}");
    assert_eq!((&submitted["results"][1]["row"], &submitted["results"][1]["name"]), (&json!(4), &json!("two")));
    let id = submitted["results"][0]["analysisId"].as_str().unwrap();
    let analysis = server.analysis("S", id).await;
    assert_eq!(analysis["experiment"], json!({"libraryStrategy": "WGS", "aligned": true}));
    assert_eq!(analysis["files"].as_array().unwrap().len(), 2);
    assert_eq!(stored(&server).await, 2);

    let again = send(&server, "type=sequencingRead", "application/json", corrected).await.ok();
    assert_eq!((&again["status"], &again["violations"][0]["row"]), (&json!("INVALID"), &json!(2)), "{again:#}");
    assert_eq!(stored(&server).await, 2);
}

#[tokio::test]
async fn the_error_of_a_formula_is_a_violation_at_its_cell() {
    let server = server_with_study().await;
    let table = format!("{COLUMNS}one\tWGS\ttrue\t#N/A\t12\tbam\topen\treads\t{:032x}\n", 1);
    let answer = send(&server, "type=sequencingRead", TSV, table).await.ok();
    assert_eq!(answer["status"], "INVALID");
    let first = &answer["violations"][0];
    assert_eq!((&first["cell"], &first["value"]), (&json!("D2"), &json!("#N/A")));
    let message = "#N/A is not valid: it is the error of a formula; correct it, or leave the cell empty";
    assert_eq!(first["message"], message);
    assert_eq!(stored(&server).await, 0);
}

#[tokio::test]
async fn a_workbook_has_a_sheet_for_the_files() {
    let server = server_with_study().await;
    let mut workbook = Workbook::new();
    let rows: [(&str, Vec<Vec<&str>>); 2] = [
        ("analyses", vec![vec!["#row", "experiment.libraryStrategy *"], vec!["a", "WGS"], vec!["b", "Other"]]),
        (
            "files",
            vec![
                vec!["#parent", "fileName", "fileSize", "fileType", "fileAccess", "dataType", "fileMd5sum", "info"],
                vec!["b", "b.bam", "1", "bam", "open", "reads", "00000000000000000000000000000001", "{\"lane\": 3}"],
                vec!["a", "a.bam", "2", "bam", "open", "reads", "00000000000000000000000000000002", ""],
            ],
        ),
    ];
    for (name, rows) in rows {
        let sheet = workbook.add_worksheet();
        sheet.set_name(name).unwrap();
        for (row, cells) in (0..).zip(rows) {
            for (column, text) in (0..).zip(cells) {
                sheet.write_string(row, column, text).unwrap();
            }
        }
    }
    let file = workbook.save_to_buffer().unwrap();
    let answer = send(&server, "type=sequencingRead&publish=true", XLSX, file).await.ok();
    assert_eq!(answer["status"], "SUBMITTED", "{answer:#}");
    let id = answer["results"][1]["analysisId"].as_str().unwrap();
    let analysis = server.analysis("S", id).await;
    assert_eq!(analysis["files"][0]["fileName"], "b.bam");
    assert_eq!(analysis["files"][0]["info"], json!({"lane": 3}));
    assert_eq!(analysis["analysisState"], "PUBLISHED");
}

#[tokio::test]
async fn what_is_missing_is_at_the_cell_that_should_have_it() {
    let server = server_with_study().await;
    let table = format!("{COLUMNS}one\t\t\t{}\n", file_cells(1, "open").replace("f1.bam", "a b.bam"));
    let answer = send(&server, "type=sequencingRead", TSV, table).await.ok();
    let cells: Vec<(&Value, &Value)> = answer["violations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|violation| (&violation["cell"], &violation["message"]))
        .collect();
    assert!(cells.contains(&(&json!("B2"), &json!("experiment.libraryStrategy is missing"))), "{answer:#}");
    assert!(cells.iter().any(|(cell, _)| **cell == "D2"), "{answer:#}");
}

#[tokio::test]
async fn what_is_no_sheet_is_refused() {
    let server = server_with_study().await;
    send(&server, "", TSV, COLUMNS).await.assert_error_id(400, "malformed.parameter");
    send(&server, "type=none", TSV, COLUMNS).await.assert_error_id(404, "analysis.type.not.found");
    send(&server, "type=sequencingRead", "text/html", COLUMNS).await.assert_error_id(415, "unsupported.media.type");
    let no_study = server.send(Method::POST, "/sheets/X?type=sequencingRead", &[("content-type", TSV)], None).await;
    no_study.assert_error_id(404, "study.id.does.not.exist");
    for (content_type, body) in [
        (XLSX, "PK\u{3}\u{4}"),
        (XLSX, ""),
        (TSV, ""),
        (TSV, COLUMNS),
        (TSV, "a\tb\n1\t2\t3\n"),
        ("application/json", "{}"),
        ("application/json", "{\"sheets\": []}"),
        ("application/json", "{\"sheets\": [{\"name\": \"analyses\", \"columns\": [], \"rows\": [{\"row\": 1}]}]}"),
    ] {
        let refused = send(&server, "type=sequencingRead", content_type, body).await;
        refused.assert_error_id(400, "malformed.request.body");
    }
}
