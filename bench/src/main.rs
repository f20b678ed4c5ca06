//! Measures Cantata from the outside, each figure next to what the machine can do at best.
//!
//! Times of one machine say little about another. So everything that can be is measured as a ratio: the server, as a
//! process of its own and over real connections, against the least program that could do the same work, in the same
//! run and in turns.

mod bare_postgres;
mod bare_rows;
mod bare_sqlite;
mod client;
mod federation;
mod fixed_server;
mod fuzz;
mod indexing;
mod latency;
mod load;
mod machine;
mod metadata;
mod part_bench;
mod payloads;
mod process_memory;
mod report;
mod search;
mod seeding;
mod server_process;
mod servers;
mod submissions;
mod threads;
mod workspace;

use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand, ValueEnum};
use indexing::IndexingPart;
use metadata::MetadataPart;
use report::RunPaths;
use servers::ServersPart;

/// The allocator of the server, so that the two sides of a comparison differ in what they do only.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The result of a step; an error ends the run, and its text is printed.
pub(crate) type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// Measures Cantata against the least programs that could do the same work.
#[derive(Parser)]
#[command(name = "cantata-bench", version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Measures the metadata service: submitting, reading, listing, a full store, start-up and memory.
    Metadata(PartArguments<MetadataPart>),
    /// Measures the search service: import, portal pages, facets, paging, wildcards, export, writing JSON and memory.
    Search(SearchArguments),
    /// Measures the search service with ten million documents: import, portal pages and memory; or how it grows.
    SearchLarge(SearchLargeArguments),
    /// Measures the embedded engine, OpenSearch, and the server over OpenSearch with the same documents and requests.
    Engines(EnginesArguments),
    /// Measures what many people ask at once on a day at a portal, of a server started for it or of any other.
    PortalDay(search::PortalDayArguments),
    /// Measures the way from a submission to a search: its rate, how soon what is published is found, and reindexing.
    Indexing(PartArguments<IndexingPart>),
    /// Measures one, two and three servers on one PostgreSQL: submissions, and portal pages from copies of an index.
    Servers(PartArguments<ServersPart>),
    /// Measures what asking a network of five nodes costs over asking the slowest of them.
    Federation(federation::FederationArguments),
    /// Sends random requests to every route: none may end in a server error or a panic.
    Fuzz(fuzz::FuzzArguments),
    /// Answers every request for an analysis with the same JSON document.
    #[command(hide = true)]
    FixedServer {
        /// How many bytes the document has.
        #[arg(long)]
        bytes: usize,
    },
}

/// What to measure and where to put the results.
#[derive(Args)]
pub(crate) struct PartArguments<P: ValueEnum + Clone + Send + Sync + 'static> {
    /// Measures for a moment only and with little data: shows that everything works. No figure is required then and
    /// the results are kept only where --out says.
    #[arg(long)]
    pub(crate) quick: bool,
    /// Measures only these parts and keeps the results only where --out says.
    #[arg(long, value_delimiter = ',', value_enum)]
    pub(crate) only: Vec<P>,
    #[command(flatten)]
    pub(crate) paths: RunPaths,
}

/// What is searched.
#[derive(Args)]
pub(crate) struct CorpusArguments {
    /// How many documents there are. With fewer than a million no figure is required, and the results are kept only
    /// where --out says.
    #[arg(long, value_name = "N", default_value_t = search::DOCUMENTS)]
    pub(crate) documents: u64,
}

/// What to measure of the search service.
#[derive(Args)]
pub(crate) struct SearchArguments {
    #[command(flatten)]
    pub(crate) corpus: CorpusArguments,
    /// Measures only these parts and keeps the results only where --out says.
    #[arg(long, value_delimiter = ',', value_enum)]
    pub(crate) only: Vec<search::SearchPart>,
    #[command(flatten)]
    pub(crate) paths: RunPaths,
}

/// How to measure the search service with many documents.
#[derive(Args)]
pub(crate) struct SearchLargeArguments {
    /// How many documents there are. With fewer than ten million no figure is required, and the results are kept only
    /// where --out says. Several numbers, one after the other, show how it grows.
    #[arg(long, value_name = "N,N", value_delimiter = ',', default_values_t = [search::MANY_DOCUMENTS])]
    pub(crate) documents: Vec<u64>,
    /// The memory that imports and the server may use, in bytes (`MEMORY_LIMIT`), which is then the bound of what they have
    /// of their own; unset, what they choose. The results of another limit than 512000000 are kept only where --out says.
    #[arg(long, value_name = "BYTES")]
    pub(crate) memory_limit: Option<u64>,
    #[command(flatten)]
    pub(crate) paths: RunPaths,
}

/// How to measure the engines.
#[derive(Args)]
pub(crate) struct EnginesArguments {
    #[command(flatten)]
    pub(crate) corpus: CorpusArguments,
    /// The heap of OpenSearch.
    #[arg(long, value_name = "SIZE", default_value = "4g")]
    pub(crate) heap: String,
    /// Uses the indexes of an earlier run, and keeps the results only where --out says.
    #[arg(long)]
    pub(crate) keep: bool,
    /// Measures only these parts and keeps the results only where --out says.
    #[arg(long, value_delimiter = ',', value_enum)]
    pub(crate) only: Vec<search::EnginesPart>,
    /// The folder of the scripts that start and stop engines.
    #[arg(long, value_name = "FOLDER", default_value = "engines")]
    pub(crate) engines: PathBuf,
    #[command(flatten)]
    pub(crate) paths: RunPaths,
}

fn main() -> ExitCode {
    let outcome = match Arguments::parse().command {
        Command::Metadata(arguments) => metadata::run(&arguments),
        Command::Search(arguments) => search::run(&arguments),
        Command::SearchLarge(arguments) => search::run_large(&arguments),
        Command::Engines(arguments) => search::run_engines(&arguments),
        Command::PortalDay(arguments) => search::run_portal_day(&arguments),
        Command::Indexing(arguments) => indexing::run(&arguments),
        Command::Servers(arguments) => servers::run(&arguments),
        Command::Federation(arguments) => federation::run(&arguments),
        Command::Fuzz(arguments) => fuzz::run(&arguments),
        Command::FixedServer { bytes } => fixed_server::run(bytes).map(|()| ExitCode::SUCCESS),
    };
    outcome.unwrap_or_else(|error| {
        report::complain(&format!("the measurement failed: {error}"));
        ExitCode::from(2)
    })
}
