//! `cantata check`: checks the configuration of catalogues, also against their indexes.
//!
//! The files are read as a server would read them. Mappings come from the given server, else from the data folder and the
//! clusters of the configuration; without these only the files are checked. Some documents of a cluster are read, too, and
//! the nodes of networks are asked for their fields.

mod list_sample;
mod mappings;
mod networks;
mod plan;
mod report;

use std::collections::HashMap;
use std::path::PathBuf;
use std::process::ExitCode;

use cantata_catalogue::check::{CatalogueReport, CheckReport, check};
use cantata_catalogue::{CatalogueConfig, CatalogueConfigs, ConfigProblem, SourceOrigin};
use cantata_core::AnalysisState;
use clap::Args;
use serde_json::{Value, json};

use self::mappings::MappingSource;
use self::plan::IndexPlan;
use crate::client::arguments::ServerArguments;
use crate::error::CliError;
use crate::settings::{ConfigArgument, EngineSection, LoggingSettings, ReadSettings, SearchSettings, StoreSettings};

/// The planned changes of indexes, by catalogue id.
type Plans = HashMap<String, IndexPlan>;

/// The arguments of `cantata check`.
#[derive(Debug, Args)]
#[command(
    after_help = "Exit codes: 0 if every catalogue can be served, 1 if one cannot or, with --strict, if there is any \
    warning; 2, 3 and 4 as for the other commands."
)]
pub(crate) struct CheckArguments {
    /// The configuration folder; unset, CONFIGS_PATH
    #[arg(value_name = "FOLDER")]
    folder: Option<PathBuf>,
    /// Checks the files only, not the indexes
    #[arg(long)]
    files_only: bool,
    /// Fails on warnings
    #[arg(long)]
    strict: bool,
    #[command(flatten)]
    server: ServerArguments,
    #[command(flatten)]
    config: ConfigArgument,
    #[command(flatten)]
    store: StoreSettings,
    #[command(flatten)]
    search: SearchSettings,
    #[command(flatten)]
    engine: EngineSection,
    #[command(flatten)]
    reads: ReadSettings,
    #[command(flatten)]
    pub(super) logging: LoggingSettings,
}

/// Checks the configuration.
pub(super) async fn run(arguments: &CheckArguments) -> Result<ExitCode, CliError> {
    let folder = arguments.folder.as_ref().unwrap_or(&arguments.search.configs_path);
    let defaults = arguments.search.defaults(arguments.engine.settings()?);
    let mut output = arguments.server.output();
    let configs = match CatalogueConfigs::from_folder(folder, &defaults) {
        Ok(configs) => configs,
        Err(problems) => {
            report::unreadable(&mut output, &problems)?;
            output.finish()?;
            return Ok(ExitCode::FAILURE);
        }
    };
    let mappings = MappingSource::open(arguments)?;
    let mut found = match &mappings {
        Some(mappings) => Some(mappings.fetch(&configs).await?),
        None => None,
    };
    let mut report = match &mut found {
        Some(found) => check(&configs, |config| found.take(&config.id)),
        None => check_files(&configs),
    };
    if let Some(found) = &mut found {
        for catalogue in &mut report.catalogues {
            catalogue.misfits.extend(found.list_warnings.remove(&catalogue.id).unwrap_or_default());
        }
    }
    for catalogue in &mut report.catalogues {
        let configured = configs.catalogues.iter().find(|configured| configured.id == catalogue.id);
        let config = configured.and_then(|configured| configured.config.as_ref().ok());
        catalogue.problems.extend(config.and_then(|config| access_conflict(config, &arguments.reads)));
    }
    if !arguments.files_only {
        networks::probe(&configs, &mut report).await;
    }
    let plans = found.map(|found| found.plans);
    if output.is_json {
        output.json(&in_json(&report, plans.as_ref()))?;
    } else {
        report::report(&mut output, &report, plans.as_ref())?;
    }
    output.finish()?;
    let plan_of = |id: &str| plans.as_ref().and_then(|plans| plans.get(id));
    let has_findings = |catalogue: &CatalogueReport| {
        let needs_reindex = plan_of(&catalogue.id).is_some_and(|plan| !plan.needs_reindex.is_empty());
        needs_reindex || !catalogue.problems.is_empty() || !catalogue.misfits.is_empty()
    };
    let is_fine = report.is_usable() && !(arguments.strict && report.catalogues.iter().any(has_findings));
    Ok(if is_fine { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Returns where the catalogue and the metadata service do not hide the same: one opens what the other closes.
fn access_conflict(config: &CatalogueConfig, reads: &ReadSettings) -> Option<ConfigProblem> {
    let source = config.source.as_ref().filter(|source| source.origin == SourceOrigin::Local)?;
    let is_open = reads.require_auth_for_reads == Some(false);
    let shows_unpublished = source.states.iter().any(|state| *state != AnalysisState::Published);
    match &config.access {
        Some(_) if is_open => Some(ConfigProblem::warning(
            "environment",
            "REQUIRE_AUTH_FOR_READS",
            "false, so that everybody reads under /studies what the access rules hide",
            "true, or nothing",
        )),
        None if shows_unpublished && !is_open => Some(ConfigProblem::warning(
            "source.json",
            "source.states",
            "states of analyses that are not published, and no access rules: everybody who may search sees them",
            "PUBLISHED alone, or rules in access.json",
        )),
        _ => None,
    }
}

fn in_json(report: &CheckReport, plans: Option<&Plans>) -> Value {
    let mut body = json!(report);
    body["indexes"] = json!(plans.is_some());
    for catalogue in body["catalogues"].as_array_mut().into_iter().flatten() {
        let plan = catalogue["id"].as_str().and_then(|id| plans?.get(id));
        if let Some(plan) = plan {
            catalogue["plan"] = json!(plan);
        }
    }
    body
}

/// Reports on the files alone.
fn check_files(configs: &CatalogueConfigs) -> CheckReport {
    let catalogues = configs.catalogues.iter().map(|configured| CatalogueReport {
        id: configured.id.clone(),
        index: configured.config.as_ref().map(|config| config.index.clone()).unwrap_or_default(),
        problems: configured.problems().to_vec(),
        misfits: Vec::new(),
        generated: Vec::new(),
        field_count: 0,
        error: configured.problems().iter().any(ConfigProblem::is_error).then(|| configured.error()).flatten(),
    });
    CheckReport { mode: configs.mode, catalogues: catalogues.collect() }
}
