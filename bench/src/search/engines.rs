//! The embedded engine, a real OpenSearch node, and the server over that node: the same documents and requests.
//!
//! What OpenSearch is asked directly is what the server asks it for the same request, word for word. A filter that was
//! asked before may be answered from a cache on either side, so every request of a measurement has a filter of its own,
//! unless the repetition is what is measured.

mod bulk;
mod finding;
mod node;
mod pages;
mod recorder;

pub(crate) use self::bulk::load as load_opensearch;
pub(crate) use self::node::Node as OpenSearchNode;

use std::process::ExitCode;

use clap::ValueEnum;

use self::node::Node;
use self::pages::Sides;
use super::importing::{compact, import, imported, megabytes_on_disk};
use super::{DOCUMENTS, SearchBench};
use crate::report::{self, Extent, Figure, Limit, Report, chosen, measure_each};
use crate::workspace::Workspace;
use crate::{EnginesArguments, Outcome};

/// What the results are named after.
const SECTION: &str = "engines";

/// A part of the measurement, besides import, disk and memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum EnginesPart {
    /// Portal pages, from either engine and through the server.
    Pages,
    /// Parts of names, words, lists and exports.
    Finding,
}

/// Measures the engines; the exit code says whether every required figure was reached.
pub(crate) fn run(arguments: &EnginesArguments) -> Outcome<ExitCode> {
    let documents = arguments.corpus.documents;
    let bench = SearchBench::new(Workspace::new(&arguments.paths)?, documents)?;
    let folder = bench.workspace.cache.join(format!("opensearch-{documents}"));
    let is_kept = arguments.keep && Node::is_filled(&folder)?;
    if !is_kept && folder.try_exists()? {
        fs_err::remove_dir_all(&folder)?;
    }
    let node = Node::start(&arguments.engines, &folder, &arguments.heap)?;
    let mut figures = Vec::new();
    if is_kept {
        imported(&bench)?;
    } else {
        figures.push(import_figure(&bench, &node)?);
    }
    // Those of OpenSearch are one already.
    report::progress("merging the segments of the embedded engine");
    compact(&bench)?;
    figures.push(disk(&bench, &node)?);
    let sides = Sides::start(&bench, &node)?;
    figures.extend(measure_each(chosen(&arguments.only), |part| match part {
        EnginesPart::Pages => pages::measure(&bench, &sides),
        EnginesPart::Finding => finding::measure(&bench, &sides),
    })?);
    figures.extend(memory(&sides, &node)?);
    sides.stop()?;
    let is_whole = documents == DOCUMENTS && !is_kept && arguments.only.is_empty();
    let extent = Extent::new(documents < DOCUMENTS, is_whole);
    Report::new(SECTION, bench.workspace.machine, figures).publish(&arguments.paths, extent)
}

/// Imports the documents into both.
fn import_figure(bench: &SearchBench, node: &Node) -> Outcome<Figure> {
    let documents = bench.corpus.documents as f64;
    let theirs = bulk::load(&bench.corpus.path, node)?.as_secs_f64();
    node.mark_filled()?;
    let ours = import(bench)?.elapsed.as_secs_f64();
    report::progress(&format!("import: {ours:.1} s, OpenSearch {theirs:.1} s"));
    let speed = Figure::compared(format!("Import {documents} documents"), "documents/s");
    Ok(speed.required(Limit::AtLeast(4.0)).with_compared(documents / ours, documents / theirs))
}

fn disk(bench: &SearchBench, node: &Node) -> Outcome<Figure> {
    let disk = Figure::compared("Index on disk", "MB").required(Limit::AtMost(1.0));
    Ok(disk.with_compared(megabytes_on_disk(bench)?, node.megabytes_on_disk()?))
}

/// Compares what the processes have in memory after everything else.
fn memory(sides: &Sides<'_>, node: &Node) -> Outcome<[Figure; 2]> {
    let (ours, theirs) = (sides.embedded.memory_parts()?, node.memory()?);
    let all = Figure::compared("Memory of the process", "MB").required(Limit::AtMost(0.25));
    let own = Figure::compared("Memory of the process without mapped files", "MB");
    Ok([all.with_compared(ours.all, theirs.all), own.with_compared(ours.own, theirs.own)])
}
