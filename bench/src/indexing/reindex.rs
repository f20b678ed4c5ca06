//! A reindex against importing the same documents, both while the catalogue is searched.

use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use cantata_engine::{ExportRequest, Filter, IndexReader};
use cantata_engine_embedded::EmbeddedEngine;
use serde_json::{Map, Value, json};
use tempfile::TempDir;

use super::CLIENTS;
use super::catalogue::{IndexedServer, publish, request};
use super::pace::Pace;
use crate::Outcome;
use crate::client::{get, post_json};
use crate::latency::Latencies;
use crate::part_bench::PartBench;
use crate::payloads::submit_requests;
use crate::report::{self, Figure, Limit};
use crate::server_process::{ServerProcess, cantata};
use crate::submissions::submit;
use crate::threads::{run_beside, run_threads};

/// How many files each analysis has.
const FILES: usize = 10;

/// The rate of searches.
const SEARCHES_PER_SECOND: f64 = 100.0;

/// How many clients send them.
const SEARCHERS: usize = 4;

/// How often the status of a job is polled.
const POLL_INTERVAL: Duration = Duration::from_millis(10);

/// A page of a portal.
const PAGE: &str = "query ($filters: JSON, $offset: Int) { file {
    hits(filters: $filters, first: 20, offset: $offset, sort: [{fieldName: \"fileName\"}]) {
        total edges { node { objectId fileName fileSize fileType analysis { analysisId publishedAt } } } }
    aggregations(filters: $filters, aggregations_filter_themselves: false) {
        fileType { buckets { key doc_count } }
        fileAccess { buckets { key doc_count } }
        dataType { buckets { key doc_count } }
        analysis__analysisType { buckets { key doc_count } }
        fileSize { stats { min max } } } } }";

pub(super) fn measure(bench: &PartBench) -> Outcome<Vec<Figure>> {
    let documents = bench.size.analyses * FILES;
    let mut speed = Figure::compared(format!("Reindex {documents} documents while searching"), "documents/s")
        .required(Limit::AtLeast(0.5));
    let mut searches = Figure::compared("Portal page during a reindex, p99", "ms").required(Limit::AtMost(2.0));
    let corpus = ReindexCorpus::make(bench)?;
    for round in 1..=bench.size.rounds {
        let server = ServerProcess::with_catalogues(corpus.data.path(), corpus.configs.path())?;
        searched(&server, || waited(bench.size.warm_up))?;
        let ((), before) = searched(&server, || waited(bench.size.duration))?;
        let (imported, _) = searched(&server, || corpus.import(&server, round))?;
        let (reindexed, during) = searched(&server, || reindex(&server))?;
        let rate = |time: Duration| documents as f64 / time.as_secs_f64();
        report::progress(&format!(
            "reindex, round {round}: {:.0}/s, import {:.0}/s; pages {:.1} ms, before {:.1} ms",
            rate(reindexed),
            rate(imported),
            during.p99(),
            before.p99()
        ));
        speed.add_compared(rate(reindexed), rate(imported));
        searches.add_compared(during.p99(), before.p99());
        server.stop()?;
    }
    Ok(vec![speed, searches])
}

fn waited(time: Duration) -> Outcome<()> {
    std::thread::sleep(time);
    Ok(())
}

/// Searches at a steady rate while something is done, and returns how long the searches took.
fn searched<T>(server: &ServerProcess, work: impl FnOnce() -> Outcome<T>) -> Outcome<(T, Latencies)> {
    let (pace, is_over) = (Pace::begin(SEARCHES_PER_SECOND, usize::MAX), AtomicBool::new(false));
    let search = || -> Outcome<Vec<Duration>> {
        let (mut connection, mut times) = (server.connect()?, Vec::new());
        while !is_over.load(Ordering::Relaxed)
            && let Some(nth) = pace.next()
        {
            // No two in a row are alike, and none was asked for lately.
            let at_least = json!({ "op": ">=", "content": { "fieldName": "fileSize", "value": 17_000 + nth * 10 } });
            let filters = json!({ "op": "and", "content": [at_least] });
            let page = request(PAGE, &json!({ "filters": filters, "offset": nth % 7 * 20 }));
            times.push(connection.time(&page)?);
        }
        Ok(times)
    };
    let (done, times) = run_beside(
        SEARCHERS,
        |_| search(),
        || {
            let done = work();
            is_over.store(true, Ordering::Relaxed);
            done
        },
    )?;
    Ok((done, Latencies::of(times.concat())))
}

/// Reindexes and returns how long that took.
fn reindex(server: &ServerProcess) -> Outcome<Duration> {
    let mut connection = server.connect()?;
    let begun = Instant::now();
    let job: Value = connection.fetch(&post_json("/admin/catalogues/files/reindex", &json!({})))?;
    loop {
        let job: Value = connection.fetch(&get(&format!("/admin/jobs/{}", job["id"])))?;
        match job["status"].as_str() {
            Some("running") => std::thread::sleep(POLL_INTERVAL),
            Some("succeeded") => return Ok(begun.elapsed()),
            _ => return Err(format!("the reindex did not succeed: {job}").into()),
        }
    }
}

/// The documents of a catalogue, and where they come from.
struct ReindexCorpus {
    /// The data folder of a server that has made them.
    data: TempDir,
    configs: TempDir,
    /// The same documents and their mapping, as files.
    files: TempDir,
}

const DOCUMENTS: &str = "documents.ndjson";
const MAPPING: &str = "mapping.json";

impl ReindexCorpus {
    /// Publishes analyses, and writes down the documents that they become.
    fn make(bench: &PartBench) -> Outcome<Self> {
        let IndexedServer { server, folder: data, configs } = filled(bench)?;
        server.stop()?;
        let files = bench.workspace.new_folder()?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(write_down(&data.path().join("search"), files.path()))?;
        Ok(Self { data, configs, files })
    }

    /// Imports the documents into an index of its own, through the server, and returns how long that took.
    fn import(&self, server: &ServerProcess, round: usize) -> Outcome<Duration> {
        let mut command = cantata(self.data.path())?;
        let (index, address) = (format!("imported-{round}"), format!("http://{}", server.address));
        command.args(["import", "--index", &index, "--server", &address, "--mapping"]);
        command.arg(self.files.path().join(MAPPING)).arg(self.files.path().join(DOCUMENTS));
        let begun = Instant::now();
        let ended = command.stdout(Stdio::null()).stderr(Stdio::null()).status()?;
        if ended.success() { Ok(begun.elapsed()) } else { Err(format!("the import ended with {ended}").into()) }
    }
}

/// Writes the documents of the catalogue and their mapping into a folder.
async fn write_down(search: &Path, files: &Path) -> Outcome<()> {
    let engine = EmbeddedEngine::open(search)?;
    let mapping = json!({ "properties": engine.mapping("files").await?.raw() });
    fs_err::write(files.join(MAPPING), mapping.to_string())?;
    let mut lines = BufWriter::new(fs_err::File::create(files.join(DOCUMENTS))?);
    let all = ExportRequest { filter: Filter::All, sort: Vec::new(), limit: None, page_size: 1_000 };
    let mut export = engine.export("files", all).await?;
    while let Some(page) = export.next().await? {
        for hit in page.hits {
            let document = hit.document.ok_or("a record has no document")?;
            let mut line = Map::from_iter([("_id".to_owned(), Value::String(hit.cursor.id))]);
            if let Value::Object(members) = serde_json::to_value(document.root())? {
                line.extend(members);
            }
            serde_json::to_writer(&mut lines, &line)?;
            lines.write_all(b"\n")?;
        }
    }
    Ok(lines.flush()?)
}

/// Fills a server with analyses.
fn filled(bench: &PartBench) -> Outcome<IndexedServer> {
    report::progress(&format!("publishing {} analyses", bench.size.analyses));
    let served = IndexedServer::start(bench)?;
    let requests = submit_requests(bench.size.analyses, FILES)?;
    let parts: Vec<&[Vec<u8>]> = requests.chunks(requests.len().div_ceil(CLIENTS)).collect();
    run_threads(parts.len(), |number| {
        let mut connection = served.server.connect()?;
        for request in parts[number] {
            let analysis_id = submit(&mut connection, request)?;
            publish(&mut connection, &analysis_id)?;
        }
        Ok(())
    })?;
    served.until_found((bench.size.analyses * FILES) as u64)?;
    Ok(served)
}
