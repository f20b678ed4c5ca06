//! `cantata demo`: a server with sample data.
//!
//! An empty data folder is filled as clients would fill it: types and studies are registered, analyses are submitted and
//! published. The sample catalogues are configuration files; indexing builds their indexes, as for every `source.json`. A
//! folder that has studies is left unchanged. The embedded engine searches, unless a catalogue names another. With
//! `--network` further servers have the data, and this one asks them.

mod catalogues;
mod network;
mod reset;

use std::io::{self, Write};
use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::Arc;

use bytes::Bytes;
use cantata_catalogue::{EngineName, EngineSettings};
use cantata_core::PartialTypeOptions;
use cantata_demo::{FinalState, Submission, analysis_types, studies, submissions};
use cantata_metadata::external::{DEFAULT_TIMEOUT, ExternalValidator};
use cantata_metadata::{MetadataService, MetadataSettings, SubmitOptions, TypeRegistration};
use cantata_store::Store;
use clap::Args;
use futures_util::stream::{self, StreamExt};
use serde_json::Value;

use self::network::{DemoNodes, SampleShare};
use crate::commands::serve::{BoundServer, OpenedData};
use crate::error::CliError;
use crate::settings::Settings;
use crate::terminal::print_note;

/// The number of analyses per unit of `--scale`.
const ANALYSES_PER_SCALE: usize = 220;

/// The number of concurrent submissions; they share commits of the store.
const CONCURRENT_SUBMISSIONS: usize = 64;

/// How often progress is shown.
const PROGRESS_STEPS: usize = 10;

/// The arguments of `cantata demo` in addition to the settings.
#[derive(Debug, Args)]
pub(crate) struct SampleArguments {
    /// Deletes the data of the server in the data folder and starts over; other files there stay
    #[arg(long)]
    fresh: bool,
    /// The amount of sample data: about 220 analyses with 1,000 files per unit
    #[arg(long, value_name = "N", default_value_t = 1)]
    scale: usize,
    /// Starts this number of further servers that share out the sample data, and asks them as a network
    #[arg(long, value_name = "SERVERS", value_parser = clap::value_parser!(u8).range(1..=20))]
    network: Option<u8>,
    /// The part of the sample data for a server of a network, such as 1/3; it ends with its standard input
    #[arg(long, value_name = "PART", conflicts_with = "network")]
    share: Option<SampleShare>,
}

/// Fills the data folder if it is empty, then runs the server.
pub(crate) async fn demo(settings: &Settings, arguments: &SampleArguments) -> Result<ExitCode, CliError> {
    let mut server = BoundServer::bind(&settings.server).await?;
    if arguments.fresh && settings.database.address()?.is_some() {
        return Err(CliError::setting("--fresh empties the data folder, not the database that DATABASE_URL names"));
    }
    if arguments.fresh {
        reset::clear(&settings.store.data_dir)?;
    }
    let data = OpenedData::open(settings).await?;
    let configured = settings.search.source(embedded());
    if arguments.share.is_some() {
        network::end_with_standard_input();
    }
    let nodes = match arguments.network {
        Some(_) if configured.is_some() => {
            return Err(CliError::setting("--network needs the sample catalogues, but CONFIGS_PATH has others"));
        }
        Some(count) => Some(DemoNodes::start(settings, arguments, count)?),
        None => None,
    };
    let share = if nodes.is_some() { SampleShare::NONE } else { arguments.share.unwrap_or(SampleShare::ALL) };
    let filled = async {
        fill(Arc::clone(&data.store), arguments.scale.saturating_mul(ANALYSES_PER_SCALE), share).await?;
        configured.map_or_else(|| catalogues::configs(settings, arguments.fresh, nodes.as_ref()), Ok)
    };
    let source = tokio::select! {
        filled = filled => filled?,
        () = server.signals.next() => return Ok(ExitCode::SUCCESS),
    };
    server.serve(settings, data, source, suggest).await
}

/// Returns engine settings that select the embedded engine, regardless of those of the server.
fn embedded() -> EngineSettings {
    EngineSettings { name: Some(EngineName::Embedded), ..EngineSettings::default() }
}

async fn fill(store: Arc<dyn Store>, total: usize, share: SampleShare) -> Result<(), CliError> {
    // The sample data includes old type versions and published analyses without stored files, so it is submitted with
    // default settings; those of the operator apply afterwards.
    let external = ExternalValidator::new(DEFAULT_TIMEOUT).map_err(failed)?;
    let service = MetadataService::start(store, MetadataSettings::default(), external, None).await.map_err(failed)?;
    let present = service.study_ids().await.map_err(failed)?.len();
    if present > 0 {
        print_note(format_args!("keeping the {present} studies in the data folder; --fresh starts over"));
        return Ok(());
    }
    for body in analysis_types() {
        service.register_type(registration(body)?).await.map_err(failed)?;
    }
    for study in studies() {
        let Value::Object(body) = study else { return Err(failed("a study is no object")) };
        let study_id = body["studyId"].as_str().unwrap_or_default().to_owned();
        service.create_study(&study_id, body).await.map_err(failed)?;
    }
    print_note("registered the sample analysis types and studies");
    let count = (0..total).filter(|position| share.includes(*position)).count();
    let step = count.div_ceil(PROGRESS_STEPS).max(1);
    let own = submissions(total).enumerate().filter(|(position, _)| share.includes(*position)).map(|(_, one)| one);
    let mut submitted = stream::iter(own).map(|one| submit(&service, one)).buffer_unordered(CONCURRENT_SUBMISSIONS);
    let mut done = 0;
    while let Some(outcome) = submitted.next().await {
        outcome?;
        done += 1;
        if done % step == 0 || done == count {
            print_note(format_args!("submitted {done} of {count} analyses"));
        }
    }
    Ok(())
}

async fn submit(service: &MetadataService, submission: Submission) -> Result<(), CliError> {
    let study_id = submission.study_id;
    let payload = serde_json::to_vec(&submission.payload).map_err(failed)?;
    let options =
        SubmitOptions { publish: submission.final_state != FinalState::Unpublished, ..SubmitOptions::default() };
    let id = service.submit(study_id, Bytes::from(payload), options).await.map_err(failed)?.to_string();
    if submission.final_state == FinalState::Suppressed {
        service.suppress(study_id, &id).await.map_err(failed)?;
    }
    Ok(())
}

fn registration(mut body: Value) -> Result<TypeRegistration, CliError> {
    let options = match body["options"].take() {
        Value::Null => PartialTypeOptions::default(),
        given => serde_json::from_value(given).map_err(failed)?,
    };
    Ok(TypeRegistration {
        name: body["name"].as_str().map(str::to_owned),
        schema: Some(body["schema"].take()),
        options,
    })
}

fn failed(cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> CliError {
    CliError::caused("the sample data cannot be stored", cause)
}

/// Lists URLs to open.
fn suggest(address: SocketAddr) -> io::Result<()> {
    let study = studies().first().and_then(|study| study["studyId"].as_str().map(str::to_owned)).unwrap_or_default();
    let mut stdout = io::stdout().lock();
    writeln!(stdout, "Try:")?;
    for path in [
        "/".to_owned(),
        "/docs".to_owned(),
        "/studies/all".to_owned(),
        "/schemas?hideSchema=true".to_owned(),
        format!("/studies/{study}"),
        format!("/studies/{study}/analysis/paginated?analysisStates=PUBLISHED,UNPUBLISHED&limit=5"),
        format!("/export/studies/{study}"),
        "/introspection".to_owned(),
        "/files/graphql".to_owned(),
        "/analyses/graphql".to_owned(),
    ] {
        writeln!(stdout, "  http://{address}{path}")?;
    }
    stdout.flush()
}
