//! Which engine a catalogue is served from, and that one cluster keeps back no other.

use std::process::Command;
use std::time::Instant;

use cantata_testkit::engines;
use cantata_testkit::fault_proxy::{Fault, FaultProxy};
use serde_json::json;

use crate::cluster::{DOCUMENTS, Index};
use crate::server::{QUERY, Server, plants, until};

/// A look at a cluster that does not answer is given up after this many seconds.
const LOOK_SECONDS: u64 = 10;

/// Runs the binary, which must end by itself; returns its exit code and standard error.
fn run(arguments: &[&str], variables: &[(&str, &str)]) -> (i32, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cantata"));
    let output = command.args(arguments).env_clear().envs(variables.iter().copied()).output().unwrap();
    (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
}

/// Makes a data folder whose embedded engine has one plant.
fn one_plant() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("plants.ndjson");
    fs_err::write(&file, "{\"_id\": \"1\", \"name\": \"Oak\"}\n").unwrap();
    let data = folder.path().join("data");
    let arguments = ["import", "--index", "plants", file.to_str().unwrap(), "--data-dir", data.to_str().unwrap()];
    assert_eq!(run(&arguments, &[]), (0, String::new()));
    folder
}

async fn total(server: &Server, catalogue: &str) -> serde_json::Value {
    let answer = server.graphql(&format!("/{catalogue}/graphql"), QUERY, &json!({})).await;
    answer.json()["data"]["plant"]["hits"]["total"].clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn catalogues_of_one_server_are_served_from_several_engines() {
    let (two, three, elastic) = (engines::opensearch(), engines::opensearch3(), engines::elasticsearch());
    let indexes = [Index::small(&two), Index::small(&three), Index::small(&elastic)];
    let files = [
        ("embedded/base.json", plants("plants", &json!({ "searchEngine": "embedded" }))),
        ("server/base.json", plants(&indexes[0].name, &json!({}))),
        ("other/base.json", plants(&indexes[1].name, &json!({ "esHost": three, "searchEngine": "opensearch" }))),
        ("elastic/base.json", plants(&indexes[2].name, &json!({ "esHost": elastic }))),
        ("nowhere/base.json", plants("plants", &json!({ "esHost": "ftp://nowhere" }))),
    ];
    let server = Server::start_in(one_plant(), &files, &[("ES_HOST", &two)]).await;
    server.until_available(&["embedded", "server", "other", "elastic"]).await;
    assert_eq!(total(&server, "embedded").await, 1);
    for catalogue in ["server", "other", "elastic"] {
        assert_eq!(total(&server, catalogue).await, DOCUMENTS.len(), "{catalogue}");
    }
    let directory = server.directory().await;
    let error = &directory["catalogs"]["nowhere"]["error"];
    assert_eq!(error["code"], "unknown_error");
    assert!(!directory.to_string().contains("ftp"), "{directory}");
    assert!(server.log().contains("ftp"), "{}", server.log());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_embedded_server_can_have_a_catalogue_on_a_cluster() {
    let index = Index::small(&engines::elasticsearch());
    let cluster = json!({ "searchEngine": "elasticsearch", "esHost": engines::elasticsearch() });
    let files = [("here/base.json", plants("plants", &json!({}))), ("there/base.json", plants(&index.name, &cluster))];
    let server = Server::start_in(one_plant(), &files, &[("SEARCH_ENGINE", "embedded")]).await;
    server.until_available(&["here", "there"]).await;
    assert_eq!((total(&server, "here").await, total(&server, "there").await), (json!(1), json!(DOCUMENTS.len())));
    // The engine is a part of the configuration, so a change of it is followed.
    server.write_config("there/base.json", &plants("plants", &json!({ "searchEngine": "embedded" })));
    until("the other engine", || server.log(), async || total(&server, "there").await == 1).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_silent_cluster_keeps_back_no_other_catalogue_and_no_configuration() {
    let index = Index::small(&engines::opensearch());
    let proxy = FaultProxy::start(&engines::opensearch());
    let silent = json!({ "esHost": proxy.url() });
    let files =
        [("good/base.json", plants(&index.name, &json!({}))), ("silent/base.json", plants(&index.name, &silent))];
    let server = Server::start(&files, &[("ES_HOST", &engines::opensearch())]).await;
    server.until_available(&["good", "silent"]).await;
    assert_eq!(total(&server, "silent").await, DOCUMENTS.len());
    proxy.clear_requests();
    let began = Instant::now();
    proxy.set(Fault::NoResponse).await;
    let waits = async || proxy.requests().iter().any(|request| request.path().ends_with("_mapping"));
    until("a look that waits", || server.log(), waits).await;
    server.write_config("good/base.json", &plants(&index.name, &json!({ "description": "Changed" })));
    server.write_config(
        "silent/base.json",
        &plants(&index.name, &json!({ "esHost": proxy.url(), "description": "Changed" })),
    );
    let described = async |id: &str| server.directory().await["catalogs"][id]["description"] == "Changed";
    until("the new configurations", || server.log(), async || described("good").await && described("silent").await)
        .await;
    index.fill([("4".to_owned(), json!({ "name": "Oak", "height": 2000 }))]);
    let has_field = async || server.get("/introspection/good").await.ok()["fields"]["height"].is_object();
    until("the new field", || server.log(), has_field).await;
    // All of that while the look at the silent cluster still waits.
    let looks = proxy.requests().iter().filter(|request| request.path().ends_with("_mapping")).count() as u64;
    // Where everything took longer than a look, the next one has begun.
    assert!(looks <= 2 + began.elapsed().as_secs() / LOOK_SECONDS, "{looks} looks at once");
    assert_eq!(total(&server, "good").await, DOCUMENTS.len() + 1);
}

#[test]
fn settings_of_a_cluster_that_cannot_be_used_stop_the_start_without_showing_secrets() {
    for (variables, told) in [
        (&[("ES_HOST", "ftp://me:hunter2@one")][..], "ES_HOST"),
        (&[("ES_HOST", "http://one"), ("ES_PASS", "hunter2")], "ES_PASS is set and ES_USER is not"),
        (&[("ES_USER", "me"), ("ES_API_KEY", "hunter2")], "ES_API_KEY is set beside ES_USER"),
        (&[("ES_HOST", "https://one"), ("ES_CA_CERTIFICATE", "/none")], "ES_CA_CERTIFICATE"),
        (
            &[("SEARCH_ENGINE", "solr")],
            "environment variable SEARCH_ENGINE: found 'solr', expected embedded, opensearch or elasticsearch",
        ),
        (&[("ES_TIMEOUT", "0")], "environment variable ES_TIMEOUT: found '0', expected a whole number from 1 to 3600"),
    ] {
        let (code, stderr) = run(&["serve", "--server-port=0", "--data-dir=/dev/null/x"], variables);
        assert_eq!(code, 2, "{variables:?}: {stderr}");
        assert!(stderr.contains(told) && !stderr.contains("hunter2"), "{variables:?}: {stderr}");
    }
}

/// The mapping of a cluster does not say which fields have lists, and only the first value of an unmarked one is shown.
#[test]
fn a_check_says_which_fields_of_a_cluster_have_lists() {
    let index = Index::named(&engines::opensearch());
    let keyword = json!({ "type": "keyword" });
    let properties = json!({ "name": keyword, "colours": keyword, "marked": keyword, "first": keyword });
    index.create(&json!({ "mappings": { "properties": properties } }));
    let several = json!(["a", "b"]);
    let document = json!({ "name": "Daisy", "colours": several, "marked": several, "first": several });
    index.fill([("1".to_owned(), document)]);
    let folder = tempfile::tempdir().unwrap();
    let extended = json!([{ "fieldName": "marked", "isArray": true }, { "fieldName": "first", "isArray": false }]);
    let base = plants(&index.name, &json!({ "extended": extended }));
    fs_err::write(folder.path().join("base.json"), base.to_string()).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_cantata"));
    command.arg("check").arg(folder.path()).args(["--data-dir", "/none"]);
    let output = command.env_clear().env("ES_HOST", engines::opensearch()).output().unwrap();
    let stdout = String::from_utf8(output.stdout).unwrap();
    let warned: Vec<&str> = stdout.lines().filter(|line| line.contains("index documents")).collect();
    assert!(warned.len() == 1 && warned[0].contains("`colours`") && warned[0].contains("`isArray`"), "{stdout}");
}

#[test]
fn commands_on_the_embedded_engine_say_so_where_catalogues_are_elsewhere() {
    let folder = one_plant();
    let data = folder.path().join("data");
    let arguments = ["index", "list", "--data-dir", data.to_str().unwrap()];
    assert_eq!(run(&arguments, &[]), (0, String::new()));
    let (code, stderr) = run(&arguments, &[("ES_HOST", "http://me:hunter2@one:9200")]);
    assert_eq!(code, 0);
    assert!(stderr.contains("works on the indexes of the embedded engine"), "{stderr}");
    assert!(!stderr.contains("hunter2"), "{stderr}");
}
