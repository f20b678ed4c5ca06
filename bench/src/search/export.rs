//! An export of everything as a table, against reading the same documents back from the engine.

use std::time::Instant;

use cantata_demo::catalogue::FILE_INDEX;
use cantata_engine::{ExportRequest, Filter, IndexReader, ValueRef};
use serde_json::json;

use super::SearchBench;
use super::inside::Inside;
use super::search_server::SearchServer;
use crate::Outcome;
use crate::client::post_json;
use crate::report::{self, Figure, Limit};

/// Where the catalogue of files gives downloads.
const PATH: &str = "/files/download";

pub(super) fn measure(bench: &SearchBench, served: &SearchServer<'_>) -> Outcome<Vec<Figure>> {
    let inside = Inside::open(bench)?;
    let documents = bench.corpus.documents;
    let mut rows = Figure::compared("Export of all rows as TSV", "rows/s").required(Limit::AtLeast(0.3));
    let mut speed = Figure::alone("Export of all rows as TSV", "MB/s");
    for round in 1..=bench.rounds {
        let begun = Instant::now();
        read_back(&inside, documents)?;
        let theirs = documents as f64 / begun.elapsed().as_secs_f64();
        let begun = Instant::now();
        let bytes = download(served, documents)?;
        let seconds = begun.elapsed().as_secs_f64();
        let ours = documents as f64 / seconds;
        report::progress(&format!("export, round {round}: {ours:.0} rows/s, reading back {theirs:.0}/s"));
        rows.add_compared(ours, theirs);
        speed.add(bytes as f64 / 1e6 / seconds);
    }
    Ok(vec![rows, speed])
}

/// Downloads the columns of the table for every document; returns how many bytes there were.
fn download(served: &SearchServer<'_>, documents: u64) -> Outcome<usize> {
    let file = json!({ "fileType": "tsv", "fileName": "all", "maxRows": documents });
    let request = post_json(PATH, &json!({ "files": [file] }));
    let downloaded = served.server.connect()?.download(&request)?;
    // One line is the header.
    if downloaded.lines as u64 != documents + 1 {
        return Err(format!("the export has {} lines for {documents} documents", downloaded.lines).into());
    }
    Ok(downloaded.bytes)
}

/// Reads every value of every document.
fn read_back(inside: &Inside, documents: u64) -> Outcome<()> {
    let page_size = usize::try_from(inside.catalogue.catalogue.downloads.chunk_size)?;
    let request = ExportRequest { filter: Filter::All, sort: Vec::new(), limit: None, page_size };
    let (mut read, mut values) = (0, 0);
    inside.runtime.block_on(async {
        let mut export = inside.engine.export(FILE_INDEX, request).await?;
        while let Some(page) = export.next().await? {
            read += page.hits.len() as u64;
            for document in page.hits.iter().filter_map(|hit| hit.document.as_ref()) {
                values += count_values(document.root());
            }
        }
        Outcome::Ok(())
    })?;
    if read == documents && values > documents {
        Ok(())
    } else {
        Err(format!("read {read} of {documents} documents back, with {values} values").into())
    }
}

fn count_values(node: ValueRef<'_>) -> u64 {
    let mut values = 0;
    match node {
        ValueRef::Array(elements) => elements.for_each(|element| values += count_values(element)),
        ValueRef::Object(members) => members.for_each(|_, member| values += count_values(member)),
        ValueRef::String(text) => values += u64::from(!text.is_empty()),
        _ => values += 1,
    }
    values
}
