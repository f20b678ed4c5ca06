//! `cantata index`: administers search indexes.

use std::io::{self, BufRead, IsTerminal, Write};
use std::process::ExitCode;

use cantata_engine::{IndexStats, IndexSummary};
use clap::{Args, Subcommand};
use serde_json::{Value, json};

use crate::backends::{IndexAccess, IndexAccessArguments};
use crate::error::CliError;
use crate::terminal::print_line;

/// The arguments of `cantata index`.
#[derive(Debug, Args)]
pub(crate) struct IndexArguments {
    #[command(subcommand)]
    command: IndexCommand,
    /// Writes JSON instead of a table
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    pub(crate) indexes: IndexAccessArguments,
}

#[derive(Debug, Subcommand)]
enum IndexCommand {
    /// Lists the indexes
    List,
    /// Shows the statistics of an index
    Stats {
        /// The index
        name: String,
    },
    /// Deletes an index
    Delete {
        /// The index
        name: String,
        /// Skips the confirmation
        #[arg(long)]
        yes: bool,
    },
    /// Merges the segments of an index and drops deleted documents
    Compact {
        /// The index
        name: String,
    },
    /// Verifies an index completely; the exit code is 1 if it has problems
    Verify {
        /// The index
        name: String,
    },
}

/// Runs the command.
pub(crate) async fn index(arguments: &IndexArguments) -> Result<ExitCode, CliError> {
    let indexes = IndexAccess::open(&arguments.indexes, false)?;
    let administration = indexes.administration();
    let mut code = ExitCode::SUCCESS;
    let (json, text) = match &arguments.command {
        IndexCommand::List => {
            let list = indexes.list().await?;
            (list.iter().map(summary).collect(), table(&list))
        }
        IndexCommand::Stats { name } => statistics(&administration.stats(name).await?),
        IndexCommand::Delete { name, yes } => {
            let documents = match indexes.list().await?.iter().find(|index| index.name == *name) {
                // One that is damaged has no statistics.
                Some(index) => index.documents,
                None => administration.stats(name).await?.documents,
            };
            if !yes && !is_confirmed(name, documents)? {
                return Ok(ExitCode::FAILURE);
            }
            indexes.delete(name).await?;
            (json!({"deleted": name}), format!("{name} is deleted"))
        }
        IndexCommand::Compact { name } => {
            administration.compact(name).await?;
            statistics(&administration.stats(name).await?)
        }
        IndexCommand::Verify { name } => {
            let problems = administration.verify(name).await?;
            let text = if problems.is_empty() { format!("{name} is as it should be") } else { problems.join("\n") };
            if !problems.is_empty() {
                code = ExitCode::FAILURE;
            }
            (json!({"problems": problems}), text)
        }
    };
    print_line(&if arguments.json { format!("{json:#}") } else { text });
    Ok(code)
}

fn summary(index: &IndexSummary) -> Value {
    let mut summary = json!({"name": index.name, "documents": index.documents, "bytes": index.bytes});
    if let Some(problem) = &index.problem {
        summary["problem"] = json!(problem);
    }
    summary
}

fn table(indexes: &[IndexSummary]) -> String {
    let name_width = indexes.iter().map(|index| index.name.len()).max().unwrap_or_default().max("index".len());
    let mut text = format!("{:name_width$}  {:>12}  {:>10}", "index", "documents", "size");
    for index in indexes {
        text.push_str(&format!("\n{:name_width$}  {:>12}  {:>10}", index.name, index.documents, size(index.bytes)));
    }
    for problem in indexes.iter().filter_map(|index| index.problem.as_ref()) {
        text.push_str(&format!("\n{problem}"));
    }
    text
}

fn statistics(stats: &IndexStats) -> (Value, String) {
    let text = format!(
        "index      {}\ndocuments  {}\ndeleted    {}\nsegments   {}\nsize       {}\nfields     {}",
        stats.name,
        stats.documents,
        stats.deleted,
        stats.segments,
        size(stats.bytes),
        stats.fields
    );
    (json!(stats), text)
}

/// Formats a number of bytes.
fn size(bytes: u64) -> String {
    let mut value = bytes as f64;
    for unit in ["B", "kB", "MB", "GB"] {
        if value < 1000.0 {
            return if unit == "B" { format!("{bytes} B") } else { format!("{value:.1} {unit}") };
        }
        value /= 1000.0;
    }
    format!("{value:.1} TB")
}

/// Asks for confirmation.
fn is_confirmed(name: &str, documents: u64) -> Result<bool, CliError> {
    if !io::stdin().is_terminal() {
        return Err(CliError::setting(format!(
            "index `{name}` with {documents} documents would be deleted; add --yes if it should"
        )));
    }
    let mut answer = String::new();
    let asked = write!(io::stderr(), "Delete index `{name}` with {documents} documents? [y/N] ")
        .and_then(|()| io::stdin().lock().read_line(&mut answer));
    asked.map_err(|error| CliError::caused("the answer cannot be read", error))?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}
