//! `cantata index`: looking after the indexes.

use std::io::{self, BufRead, IsTerminal, Write};
use std::process::ExitCode;

use cantata_engine::{IndexStats, IndexSummary};
use clap::{Args, Subcommand};
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::indexes::{Indexes, IndexesArguments};

/// What `cantata index` is told.
#[derive(Debug, Args)]
pub(crate) struct IndexArguments {
    #[command(subcommand)]
    action: Action,
    /// Writes JSON instead of a table
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    pub(crate) indexes: IndexesArguments,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Lists the indexes
    List,
    /// Shows the figures of an index
    Stats {
        /// The index
        name: String,
    },
    /// Removes an index with everything in it
    Delete {
        /// The index
        name: String,
        /// Does not ask whether it should
        #[arg(long)]
        yes: bool,
    },
    /// Puts the files of an index together and drops what is deleted
    Compact {
        /// The index
        name: String,
    },
    /// Reads an index as a whole and tells what is wrong with it; the exit code is 1 if something is
    Verify {
        /// The index
        name: String,
    },
}

/// Does what was asked for.
pub(crate) async fn index(arguments: &IndexArguments) -> Result<ExitCode, Failure> {
    let indexes = Indexes::reach(&arguments.indexes, false)?;
    let administration = indexes.administration();
    let mut code = ExitCode::SUCCESS;
    let (shown, text) = match &arguments.action {
        Action::List => {
            let list = indexes.list().await?;
            (list.iter().map(in_short).collect(), table(&list))
        }
        Action::Stats { name } => figures(&administration.stats(name).await?),
        Action::Delete { name, yes } => {
            let documents = administration.stats(name).await?.documents;
            if !yes && !is_confirmed(name, documents)? {
                return Ok(ExitCode::FAILURE);
            }
            indexes.delete(name).await?;
            (json!({"deleted": name}), format!("{name} is deleted"))
        }
        Action::Compact { name } => {
            administration.compact(name).await?;
            figures(&administration.stats(name).await?)
        }
        Action::Verify { name } => {
            let problems = administration.verify(name).await?;
            let text = if problems.is_empty() { format!("{name} is as it should be") } else { problems.join("\n") };
            if !problems.is_empty() {
                code = ExitCode::FAILURE;
            }
            (json!({"problems": problems}), text)
        }
    };
    // A closed pipe is no failure of what was done.
    let mut stdout = io::stdout().lock();
    let _ = if arguments.json { writeln!(stdout, "{shown:#}") } else { writeln!(stdout, "{text}") };
    Ok(code)
}

fn in_short(index: &IndexSummary) -> Value {
    json!({"name": index.name, "documents": index.documents, "bytes": index.bytes})
}

fn table(indexes: &[IndexSummary]) -> String {
    let name_width = indexes.iter().map(|index| index.name.len()).max().unwrap_or_default().max("index".len());
    let mut text = format!("{:name_width$}  {:>12}  {:>10}", "index", "documents", "size");
    for index in indexes {
        text.push_str(&format!("\n{:name_width$}  {:>12}  {:>10}", index.name, index.documents, size(index.bytes)));
    }
    text
}

fn figures(stats: &IndexStats) -> (Value, String) {
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

/// Writes a number of bytes for people.
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

/// Asks whether an index should go.
fn is_confirmed(name: &str, documents: u64) -> Result<bool, Failure> {
    if !io::stdin().is_terminal() {
        return Err(Failure::setting(format!(
            "index `{name}` with {documents} documents would be deleted; add --yes if it should"
        )));
    }
    let mut answer = String::new();
    let asked = write!(io::stderr(), "Delete index `{name}` with {documents} documents? [y/N] ")
        .and_then(|()| io::stdin().lock().read_line(&mut answer));
    asked.map_err(|error| Failure::Start(format!("the answer cannot be read: {error}")))?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}
