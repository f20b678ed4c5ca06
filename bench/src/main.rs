//! Measures Cantata from the outside, each figure next to what the machine can do at best.
//!
//! Times of one machine say little about another. So everything that can be is measured as a ratio: the server, as a
//! process of its own and over real connections, against the least program that could do the same work, in the same
//! run and in turns.

mod bare_loop;
mod client;
mod fixed_server;
mod load;
mod machine;
mod metadata;
mod payloads;
mod report;
mod seeding;
mod server_process;
mod submissions;

use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};

/// The allocator of the server, so that the two sides of a comparison differ in what they do only.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// What can go wrong here stops the run; whoever started it reads the text.
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
    Metadata(MetadataArguments),
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
pub(crate) struct MetadataArguments {
    /// Measures for a moment only and with small stores: shows that everything works. No figure is required then and
    /// the results are kept only where --out says.
    #[arg(long)]
    pub(crate) quick: bool,
    /// Measures only these parts and keeps the results only where --out says.
    #[arg(long, value_delimiter = ',', value_enum)]
    pub(crate) only: Vec<metadata::Part>,
    /// Where the results go as JSON; bench/results/metadata.json unless --quick or --only is given.
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// The document that gets the table, between its two marker comments.
    #[arg(long, value_name = "FILE", default_value = "docs/benchmarks.md")]
    pub(crate) docs: PathBuf,
    /// The folder for data, on a real disk; `cantata-bench` beside the programs if not given. What takes long to make
    /// is kept there for the next run.
    #[arg(long, value_name = "FOLDER", env = "CANTATA_BENCH_DIR")]
    pub(crate) data: Option<PathBuf>,
}

fn main() -> ExitCode {
    let outcome = match Arguments::parse().command {
        Command::Metadata(arguments) => metadata::run(&arguments),
        Command::FixedServer { bytes } => fixed_server::run(bytes).map(|()| ExitCode::SUCCESS),
    };
    outcome.unwrap_or_else(|error| {
        report::complain(&format!("the measurement failed: {error}"));
        ExitCode::from(2)
    })
}
