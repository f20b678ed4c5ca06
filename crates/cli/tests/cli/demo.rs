//! `cantata demo`: sample data in an empty folder, kept data in any other.

use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::process::Server;

/// Returns the ids of all analyses, whatever their state.
fn analysis_ids(server: &Server) -> Vec<Value> {
    let (status, studies) = server.get("/studies/all");
    assert_eq!(status, 200);
    let listed = studies.as_array().unwrap().iter().flat_map(|study| {
        let path =
            format!("/studies/{}/analysis?analysisStates=PUBLISHED,UNPUBLISHED,SUPPRESSED", study.as_str().unwrap());
        let (status, analyses) = server.get(&path);
        assert_eq!(status, 200);
        analyses.as_array().unwrap().clone()
    });
    listed.map(|analysis| analysis["analysisId"].clone()).collect()
}

/// How many analyses there are at the smallest scale.
const ANALYSES: usize = 220;

fn start(folder: &Path, more: &[&str]) -> Server {
    Server::start("demo", folder, more)
}

/// Waits until both catalogues have everything that was published.
pub(crate) fn ready(server: &Server) {
    let deadline = Instant::now() + Duration::from_secs(180);
    loop {
        let (_, indexing) = server.get("/admin/indexing");
        let followed = indexing.as_array().map_or(0, |catalogues| {
            catalogues.iter().filter(|one| one["status"] == "following" && one["behind"] == 0).count()
        });
        if followed == 2 && server.get("/ready").1["status"] == "healthy" {
            return;
        }
        assert!(Instant::now() < deadline, "the catalogues are not ready: {indexing}");
        thread::sleep(Duration::from_millis(50));
    }
}

/// Returns the answer to a question about a catalogue.
fn ask(server: &Server, catalogue: &str, query: &str) -> Value {
    let (status, body) =
        server.request("POST", &format!("/{catalogue}/graphql"), &json!({ "query": query }).to_string());
    assert_eq!((status, body.get("errors")), (200, None), "{body}");
    body["data"].clone()
}

#[test]
fn sample_data_is_there_and_stays() {
    let folder = tempfile::tempdir().unwrap();
    let server = start(folder.path(), &[]);
    assert_eq!(server.get("/studies/all").1.as_array().unwrap().len(), 8);
    let (_, types) = server.get("/schemas?hideSchema=true");
    assert_eq!(types["count"], 7);
    let first = analysis_ids(&server);
    assert_eq!(first.len(), ANALYSES);
    let (hints, status) = server.stop("TERM");
    assert_eq!(status.code(), Some(0));
    assert!(hints.contains("/studies/all"), "{hints}");
    let top = hints.lines().find(|line| line.contains("http://")).unwrap();
    assert!(top.ends_with('/'), "the portal comes first: {hints}");

    let server = start(folder.path(), &[]);
    assert_eq!(analysis_ids(&server), first);
}

/// The whole loop: what was published, and that alone, is found in both catalogues.
#[test]
fn both_catalogues_have_what_was_published() {
    let folder = tempfile::tempdir().unwrap();
    let server = start(folder.path(), &[]);
    ready(&server);
    let (_, studies) = server.get("/studies/all");
    let (mut analyses, mut files) = (0, 0);
    for study in studies.as_array().unwrap() {
        let (_, published) = server.get(&format!("/studies/{}/analysis", study.as_str().unwrap()));
        for analysis in published.as_array().unwrap() {
            analyses += 1;
            files += analysis["files"].as_array().unwrap().len();
        }
    }
    assert!((150..ANALYSES).contains(&analyses), "{analyses}");
    let total = |catalogue, name| {
        ask(&server, catalogue, &format!("{{ {name} {{ hits {{ total }} }} }}"))[name]["hits"]["total"].clone()
    };
    assert_eq!((total("analyses", "analysis"), total("files", "file")), (json!(analyses), json!(files)));
    let facets = "{ analysis { aggregations { donors__gender { buckets { key } } analysisType__name { bucket_count }
        experiment__sequencedOn { stats { min max } } workflow__uploadedFrom { bucket_count } tags { bucket_count } } } }";
    let facets = &ask(&server, "analyses", facets)["analysis"]["aggregations"];
    assert_eq!(facets["analysisType__name"]["bucket_count"], 4);
    assert!(facets["donors__gender"]["buckets"].as_array().unwrap().len() >= 3, "{facets}");
    assert!(facets["tags"]["bucket_count"].as_u64().unwrap() > 5, "{facets}");
    assert_eq!(server.get("/admin/indexing").1[0]["setAside"], json!([]));
}

#[test]
fn the_addresses_it_suggests_work() {
    let folder = tempfile::tempdir().unwrap();
    let server = start(folder.path(), &[]);
    let address = server.address.clone();
    let (hints, _) = server.stop("TERM");
    let paths: Vec<_> =
        hints.lines().filter_map(|line| line.trim().strip_prefix(&format!("http://{address}"))).collect();
    assert!(paths.len() >= 3, "{hints}");
    let server = start(folder.path(), &[]);
    ready(&server);
    // These lead browsers to their pages.
    for path in paths.into_iter().filter(|path| !["/", "/docs"].contains(path)) {
        // The pages of GraphQL are for browsers; others ask something.
        let question = if path.ends_with("/graphql") { "?query=%7B__typename%7D" } else { "" };
        assert_eq!(server.get(&format!("{path}{question}")).0, 200, "{path}");
    }
}

#[test]
fn fresh_deletes_the_stores_own_files_only() {
    let folder = tempfile::tempdir().unwrap();
    let server = start(folder.path(), &[]);
    let first = analysis_ids(&server);
    server.stop("TERM");
    let foreign = ["metadata.db.backup", "notes.txt", "lookup.db-old"].map(|name| folder.path().join(name));
    foreign.iter().for_each(|path| fs_err::write(path, "mine").unwrap());

    let server = start(folder.path(), &["--fresh"]);
    let second = analysis_ids(&server);
    assert_eq!(second.len(), ANALYSES);
    assert!(first.iter().all(|id| !second.contains(id)));
    for path in foreign {
        assert_eq!(fs_err::read_to_string(path).unwrap(), "mine");
    }
}

#[test]
fn strict_settings_hold_for_clients_but_not_for_the_sample_data() {
    let folder = tempfile::tempdir().unwrap();
    let server = start(folder.path(), &["--schemas-enforce-latest", "--score-url=http://127.0.0.1:9"]);
    assert_eq!(analysis_ids(&server).len(), ANALYSES);
    let payload = json!({"studyId": "LUNG-PL", "analysisType": {"name": "rnaExpression", "version": 1}});
    let (status, error) = server.request("POST", "/submit/LUNG-PL", &payload.to_string());
    assert_eq!((status, &error["errorId"]), (409, &json!("analysis.type.incorrect.version")));
}

/// The sample data, shared out over two servers, is all there for the one that asks them.
#[test]
fn a_network_shares_out_the_sample_data() {
    let (folder, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let whole = start(other.path(), &[]);
    ready(&whole);
    let expected = ask(&whole, "files", "{ file { hits { total } } }")["file"]["hits"]["total"].as_u64().unwrap();
    let server = start(folder.path(), &["--network=2"]);
    ready(&server);
    let deadline = Instant::now() + Duration::from_secs(180);
    loop {
        let answer = ask(&server, "files", "{ network { complete nodes { nodeId hits link } } }");
        let nodes = answer["network"]["nodes"].as_array().unwrap();
        let hits: Vec<u64> = nodes.iter().map(|node| node["hits"].as_u64().unwrap()).collect();
        if answer["network"]["complete"] == true && hits.iter().sum::<u64>() == expected {
            assert_eq!(hits.len(), 2);
            assert!(hits.iter().all(|hits| *hits > 0), "{answer}");
            let mut links = nodes.iter().map(|node| node["link"].as_str().unwrap());
            assert!(links.all(|link| link.ends_with("/portal/explore/files?filter=")), "{answer}");
            break;
        }
        assert!(Instant::now() < deadline, "the nodes have not everything: {answer}");
        thread::sleep(Duration::from_millis(100));
    }
    let (_, status) = server.stop("TERM");
    assert_eq!(status.code(), Some(0));
}
