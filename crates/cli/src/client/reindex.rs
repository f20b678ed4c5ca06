//! `cantata reindex`.

use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use reqwest::Method;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::client::api_error::CallError;
use crate::client::arguments::ServerArguments;
use crate::client::server::ServerClient;
use crate::error::CliError;
use crate::terminal::print_note;

/// The interval at which a job is polled.
const POLL_INTERVAL: Duration = Duration::from_millis(500);

/// The arguments of `cantata reindex`.
#[derive(Debug, Args)]
pub(crate) struct ReindexArguments {
    /// The catalogue; unset, all with a source
    #[arg(value_name = "CATALOGUE")]
    catalogue: Option<String>,
    /// Waits for completion; the exit code is 1 on failure
    #[arg(long)]
    wait: bool,
    #[command(flatten)]
    server: ServerArguments,
}

/// A reindex job.
#[derive(Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
struct ReindexJob {
    id: u64,
    catalogue: String,
    status: String,
    index: Option<String>,
    done: u64,
    total: u64,
    set_aside: u64,
    problem: Option<String>,
}

/// An indexed catalogue.
#[derive(Deserialize)]
struct IndexedCatalogue {
    catalogue: String,
}

impl ReindexJob {
    fn is_over(&self) -> bool {
        self.status != "running"
    }

    fn description(&self) -> String {
        let Self { id, catalogue, status, done, total, set_aside, .. } = self;
        let mut words = format!("{catalogue}: job {id} {status}, {done} of {total} analyses");
        if *set_aside > 0 {
            words.push_str(&format!(", {set_aside} documents rejected; GET /admin/indexing has the reasons"));
        }
        if let Some(problem) = &self.problem {
            words.push_str(&format!(": {problem}"));
        }
        words
    }
}

/// Runs the command.
pub(super) async fn run(arguments: &ReindexArguments) -> Result<ExitCode, CliError> {
    let server = arguments.server.connect()?;
    let mut output = arguments.server.output();
    let catalogues = match &arguments.catalogue {
        Some(catalogue) => vec![catalogue.clone()],
        None => {
            let indexed: Vec<IndexedCatalogue> = server.get(&["admin", "indexing"], &[]).await?;
            indexed.into_iter().map(|one| one.catalogue).collect()
        }
    };
    let mut jobs = Vec::new();
    for catalogue in &catalogues {
        let path = ["admin", "catalogues", catalogue, "reindex"];
        jobs.push(server.send::<ReindexJob>(Method::POST, &path, &json!({})).await?);
    }
    if arguments.wait {
        for job in &mut jobs {
            wait(&server, job).await?;
        }
    }
    output.result(&json!(jobs), jobs.iter().map(ReindexJob::description))?;
    output.finish()?;
    let failed = arguments.wait && jobs.iter().any(|job| job.status != "succeeded");
    Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// Waits until a job is over, and reports its progress.
async fn wait(server: &ServerClient, job: &mut ReindexJob) -> Result<(), CallError> {
    let mut reported = 0;
    while !job.is_over() {
        tokio::time::sleep(POLL_INTERVAL).await;
        *job = server.get(&["admin", "jobs", &job.id.to_string()], &[]).await?;
        let percent = (job.done * 100).checked_div(job.total).unwrap_or(100);
        if !job.is_over() && percent >= reported + 10 {
            reported = percent;
            print_note(format_args!("{}: {percent} %", job.catalogue));
        }
    }
    Ok(())
}
