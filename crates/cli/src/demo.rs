//! `cantata demo`: a server with sample data.
//!
//! A data folder without studies is filled as clients would fill it: types and studies are registered, analyses are
//! submitted and published. The sample catalogues have nothing but configuration files; that their indexes come to be
//! is what every server does with a `source.json`. A folder that has studies is left as it is. Catalogues are searched by
//! the embedded engine unless their own files name another.

mod catalogues;
mod fresh;

use std::fmt::Display;
use std::io::{self, Write};
use std::net::SocketAddr;
use std::sync::Arc;

use bytes::Bytes;
use cantata_catalogue::{EngineName, EngineSettings};
use cantata_core::PartialTypeOptions;
use cantata_demo::{Outcome, Submission, analysis_types, studies, submissions};
use cantata_metadata::external::{DEFAULT_TIMEOUT, ExternalValidator};
use cantata_metadata::{MetadataService, MetadataSettings, Registration, SubmitOptions};
use cantata_store::Store;
use futures_util::stream::{self, StreamExt};
use serde_json::Value;

use crate::command::SampleArguments;
use crate::failure::Failure;
use crate::serve::{Listening, Opened};
use crate::settings::Settings;

/// How many analyses there are for each step of the scale.
const ANALYSES: usize = 220;

/// How many analyses are under way at once; they share the commits of the store.
const AT_ONCE: usize = 64;

/// How many times progress is shown.
const PROGRESS_STEPS: usize = 10;

/// Fills the data folder where it is empty, then runs the server until it is told to stop.
pub(crate) async fn demo(settings: &Settings, arguments: &SampleArguments) -> Result<(), Failure> {
    let mut listening = Listening::start(&settings.server).await?;
    if arguments.fresh && settings.database.address()?.is_some() {
        return Err(Failure::setting("--fresh empties the data folder, not the database that DATABASE_URL names"));
    }
    if arguments.fresh {
        fresh::clear(&settings.store.data_dir)?;
    }
    let opened = Opened::open(settings).await?;
    let configured = settings.search.source(embedded());
    let filled = async {
        fill(Arc::clone(&opened.store), arguments.scale.saturating_mul(ANALYSES)).await?;
        configured.map_or_else(|| catalogues::configs(settings, arguments.fresh), Ok)
    };
    let source = tokio::select! {
        filled = filled => filled?,
        () = listening.signals.next() => return Ok(()),
    };
    listening.serve(settings, opened, Some(source), suggest).await
}

/// Says that catalogues are searched by the embedded engine, whatever the server is set to.
fn embedded() -> EngineSettings {
    EngineSettings { name: Some(EngineName::Embedded), ..EngineSettings::default() }
}

async fn fill(store: Arc<dyn Store>, count: usize) -> Result<(), Failure> {
    // The sample data shows what a server can hold, old type versions and published analyses without stored files
    // included; how strict the operator wants the server to be counts from then on.
    let external = ExternalValidator::new(DEFAULT_TIMEOUT).map_err(failed)?;
    let service = MetadataService::start(store, MetadataSettings::default(), external, None).await.map_err(failed)?;
    let present = service.study_ids().await.map_err(failed)?.len();
    if present > 0 {
        progress(format_args!("keeping the {present} studies in the data folder; --fresh starts over"));
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
    progress("registered the sample analysis types and studies");
    let step = count.div_ceil(PROGRESS_STEPS).max(1);
    let mut submitted = stream::iter(submissions(count)).map(|one| submit(&service, one)).buffer_unordered(AT_ONCE);
    let mut done = 0;
    while let Some(outcome) = submitted.next().await {
        outcome?;
        done += 1;
        if done % step == 0 || done == count {
            progress(format_args!("submitted {done} of {count} analyses"));
        }
    }
    Ok(())
}

async fn submit(service: &MetadataService, submission: Submission) -> Result<(), Failure> {
    let study_id = submission.study_id;
    let payload = serde_json::to_vec(&submission.payload).map_err(failed)?;
    let options = SubmitOptions { publish: submission.outcome != Outcome::Unpublished, ..SubmitOptions::default() };
    let id = service.submit(study_id, Bytes::from(payload), options).await.map_err(failed)?.to_string();
    if submission.outcome == Outcome::Suppressed {
        service.suppress(study_id, &id).await.map_err(failed)?;
    }
    Ok(())
}

fn registration(mut body: Value) -> Result<Registration, Failure> {
    let options = match body["options"].take() {
        Value::Null => PartialTypeOptions::default(),
        given => serde_json::from_value(given).map_err(failed)?,
    };
    Ok(Registration { name: body["name"].as_str().map(str::to_owned), schema: Some(body["schema"].take()), options })
}

fn failed(reason: impl Display) -> Failure {
    Failure::Start(format!("the sample data cannot be stored: {reason}"))
}

/// Tells how far the filling has come. Nobody needs to read it, so a closed pipe does not matter.
fn progress(line: impl Display) {
    let _ = writeln!(io::stderr(), "{line}");
}

/// Shows addresses worth opening.
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
