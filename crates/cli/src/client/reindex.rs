//! `cantata reindex`.

use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use reqwest::Method;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::server::Server;
use super::{CallError, ServerArguments, tell};
use crate::failure::Failure;

/// How often is asked how far a job is.
const LOOK: Duration = Duration::from_millis(500);

/// What `cantata reindex` is told.
#[derive(Debug, Args)]
pub(crate) struct ReindexArguments {
    /// The catalogue; all that have a source if not given
    #[arg(value_name = "CATALOGUE")]
    catalogue: Option<String>,
    /// Waits until it is done; the exit code is 1 if it fails
    #[arg(long)]
    wait: bool,
    #[command(flatten)]
    server: ServerArguments,
}

/// A job, as far as it is shown.
#[derive(Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
struct Job {
    id: u64,
    catalogue: String,
    status: String,
    index: Option<String>,
    done: u64,
    total: u64,
    set_aside: u64,
    problem: Option<String>,
}

/// A catalogue that is indexed.
#[derive(Deserialize)]
struct Indexed {
    catalogue: String,
}

impl Job {
    fn is_over(&self) -> bool {
        self.status != "running"
    }

    fn in_words(&self) -> String {
        let Self { id, catalogue, status, done, total, set_aside, .. } = self;
        let mut words = format!("{catalogue}: job {id} {status}, {done} of {total} analyses");
        if *set_aside > 0 {
            words.push_str(&format!(", {set_aside} documents set aside; GET /admin/indexing has the reasons"));
        }
        if let Some(problem) = &self.problem {
            words.push_str(&format!(": {problem}"));
        }
        words
    }
}

/// Does what was asked for.
pub(super) async fn run(arguments: &ReindexArguments) -> Result<ExitCode, Failure> {
    let server = arguments.server.connect()?;
    let mut output = arguments.server.output();
    let catalogues = match &arguments.catalogue {
        Some(catalogue) => vec![catalogue.clone()],
        None => {
            let indexed: Vec<Indexed> = server.get(&["admin", "indexing"], &[]).await?;
            indexed.into_iter().map(|one| one.catalogue).collect()
        }
    };
    let mut jobs = Vec::new();
    for catalogue in &catalogues {
        let path = ["admin", "catalogues", catalogue, "reindex"];
        jobs.push(server.send::<Job>(Method::POST, &path, &json!({})).await?);
    }
    if arguments.wait {
        for job in &mut jobs {
            wait(&server, job).await?;
        }
    }
    if output.is_json {
        output.json(&json!(jobs))?;
    } else {
        for job in &jobs {
            output.line(&job.in_words())?;
        }
    }
    output.finish()?;
    let failed = arguments.wait && jobs.iter().any(|job| job.status != "succeeded");
    Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// Waits until a job is over, and tells how far it is.
async fn wait(server: &Server, job: &mut Job) -> Result<(), CallError> {
    let mut told = 0;
    while !job.is_over() {
        tokio::time::sleep(LOOK).await;
        *job = server.get(&["admin", "jobs", &job.id.to_string()], &[]).await?;
        let percent = (job.done * 100).checked_div(job.total).unwrap_or(100);
        if !job.is_over() && percent >= told + 10 {
            told = percent;
            tell(&format!("{}: {percent} %", job.catalogue));
        }
    }
    Ok(())
}
