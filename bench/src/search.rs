//! The search service: which parts are measured, for how long, and what becomes of the figures.

mod arrays;
mod bare_page;
mod corpus;
mod engines;
mod export;
mod facet;
mod filters;
mod graphql;
mod import;
mod importing;
mod inside;
mod large;
mod page;
mod paging;
mod parsing;
mod portal;
mod portal_day;
mod rows;
mod search_server;
mod wildcard;
mod writing;

pub(crate) use engines::{EnginesPart, OpenSearchNode, load_opensearch, run as run_engines};
pub(crate) use portal_day::{PortalDayArguments, run as run_portal_day};

use std::path::PathBuf;
use std::process::{Command, ExitCode};
use std::time::Duration;

use clap::ValueEnum;

use self::corpus::Corpus;
use self::search_server::SearchServer;
use crate::report::{Extent, Figure, Report, chosen, measure_each};
use crate::workspace::Workspace;
use crate::{Outcome, SearchArguments, SearchLargeArguments};

/// The default number of documents, and the minimum for figures to be judged.
pub(crate) const DOCUMENTS: u64 = 1_000_000;

/// The same where there are many.
pub(crate) const MANY_DOCUMENTS: u64 = 10_000_000;

/// What the results are named after.
const SECTION: &str = "search";

/// The same for those with many documents.
const LARGE_SECTION: &str = "search-large";

/// The same with little memory, and how much that is, in bytes.
const LIMITED_SECTION: &str = "search-limited";
const SMALL_MEMORY_LIMIT: u64 = 512_000_000;

/// How many documents there are in turn, to show how everything grows.
const GROWTH: [u64; 4] = [DOCUMENTS, 3_000_000, MANY_DOCUMENTS, 30_000_000];

/// What the results of that are named after.
const GROWTH_SECTION: &str = "search-growth";

/// A part of the measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SearchPart {
    /// Import against parsing the same JSON, memory and disk for it, and the restart after it.
    Import,
    /// Portal pages against the same loops on bare arrays.
    Page,
    /// One facet against the same loop on a bare array.
    Facet,
    /// A page far behind the first one against the first one.
    Paging,
    /// Wildcards.
    Wildcard,
    /// An export of everything against reading everything back.
    Export,
    /// Writing an answer against serialising the same rows from structs.
    Writing,
    /// The memory of the server after the parts that were measured before.
    Memory,
}

/// How long and how often things are measured, and on what.
struct SearchBench {
    /// How long one measurement takes.
    duration: Duration,
    /// How long the same load runs before it.
    warm_up: Duration,
    /// How often the two sides of a ratio are measured in turn.
    rounds: usize,
    corpus: Corpus,
    /// The memory that imports and the server may use, in bytes; unset, what they choose.
    memory_limit: Option<u64>,
    workspace: Workspace,
}

impl SearchBench {
    fn new(workspace: Workspace, documents: u64) -> Outcome<Self> {
        let is_trial = documents < DOCUMENTS;
        let (duration, warm_up) = if is_trial { (500, 100) } else { (3_000, 700) };
        Ok(Self {
            duration: Duration::from_millis(duration),
            warm_up: Duration::from_millis(warm_up),
            rounds: if is_trial { 1 } else { 3 },
            corpus: Corpus::prepare(&workspace.cache, documents)?,
            memory_limit: None,
            workspace,
        })
    }

    /// Returns the data folder that the documents are imported into.
    fn data_folder(&self) -> PathBuf {
        let limit = self.memory_limit.map(|bytes| format!("-{bytes}")).unwrap_or_default();
        self.workspace.cache.join(format!("search-{}{limit}", self.corpus.documents))
    }

    /// Tells a command of the server how much memory it may use.
    fn limit_memory(&self, command: &mut Command) {
        if let Some(bytes) = self.memory_limit {
            command.env("MEMORY_LIMIT", bytes.to_string());
        }
    }
}

/// Measures what was asked for; the exit code says whether every required figure was reached.
pub(crate) fn run(arguments: &SearchArguments) -> Outcome<ExitCode> {
    let bench = SearchBench::new(Workspace::new(&arguments.paths)?, arguments.corpus.documents)?;
    let mut served = None;
    let figures = measure_each(chosen(&arguments.only), |part| measure(&bench, &mut served, *part))?;
    if let Some(served) = served {
        served.server.stop()?;
    }
    let is_whole = arguments.corpus.documents == DOCUMENTS && arguments.only.is_empty();
    let extent = Extent::new(arguments.corpus.documents < DOCUMENTS, is_whole);
    Report::new(SECTION, bench.workspace.machine, figures).publish(&arguments.paths, extent)
}

/// Measures one part; the parts share a server, which is started for the first that needs it.
fn measure<'b>(
    bench: &'b SearchBench,
    served: &mut Option<SearchServer<'b>>,
    part: SearchPart,
) -> Outcome<Vec<Figure>> {
    match part {
        SearchPart::Import => {
            // An import beside a running server would go through it.
            served.take().map_or(Ok(()), |served| served.server.stop())?;
            import::measure(bench)
        }
        SearchPart::Page => page::measure(bench, started(bench, served)?),
        SearchPart::Facet => facet::measure(bench, started(bench, served)?),
        SearchPart::Paging => paging::measure(bench, started(bench, served)?),
        SearchPart::Wildcard => wildcard::measure(bench, started(bench, served)?),
        SearchPart::Export => export::measure(bench, started(bench, served)?),
        SearchPart::Writing => writing::measure(bench),
        SearchPart::Memory => started(bench, served)?.memory_figures(),
    }
}

/// Returns the server that runs, or starts it.
fn started<'s, 'b>(bench: &'b SearchBench, served: &'s mut Option<SearchServer<'b>>) -> Outcome<&'s SearchServer<'b>> {
    Ok(match served {
        Some(served) => served,
        none => none.insert(SearchServer::start(bench)?),
    })
}

/// Measures with many documents; the exit code says whether every required figure was reached.
pub(crate) fn run_large(arguments: &SearchLargeArguments) -> Outcome<ExitCode> {
    let [documents] = arguments.documents[..] else { return run_growth(arguments) };
    let mut bench = SearchBench::new(Workspace::new(&arguments.paths)?, documents)?;
    bench.memory_limit = arguments.memory_limit;
    let figures = large::measure(&bench)?;
    let (section, is_usual) = match arguments.memory_limit {
        Some(limit) => (LIMITED_SECTION, limit == SMALL_MEMORY_LIMIT),
        None => (LARGE_SECTION, true),
    };
    let extent = Extent::new(documents < MANY_DOCUMENTS, documents == MANY_DOCUMENTS && is_usual);
    Report::new(section, bench.workspace.machine, figures).publish(&arguments.paths, extent)
}

/// Measures with more and more documents in one index.
fn run_growth(arguments: &SearchLargeArguments) -> Outcome<ExitCode> {
    let sizes = &arguments.documents;
    if !sizes.windows(2).all(|pair| pair[0] < pair[1]) {
        return Err(format!("--documents: found {sizes:?}; expected larger and larger numbers").into());
    }
    let mut bench = SearchBench::new(Workspace::new(&arguments.paths)?, sizes[0])?;
    bench.memory_limit = arguments.memory_limit;
    let figures = large::measure_growth(&bench, sizes)?;
    let is_whole = *sizes == GROWTH && arguments.memory_limit.is_none();
    let report = Report::new(GROWTH_SECTION, bench.workspace.machine, figures);
    report.publish(&arguments.paths, Extent::new(!is_whole, is_whole))
}
