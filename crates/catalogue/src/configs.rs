//! The configurations of all catalogues of a server: what the search router is given.
//!
//! Whether the server has one catalogue or several follows from the layout alone, so that a catalogue whose files
//! have problems reroutes no other. Such a catalogue is in the list, with its problems instead of a configuration.

mod folder;
mod ids;

use std::path::{Path, PathBuf};

use serde::Serialize;

pub(crate) use ids::id_problem;
pub use ids::is_own_address;

use crate::config::{ACCESS, CatalogueConfig, ReadConfig};
use crate::defaults::{Defaults, ENVIRONMENT};
use crate::error::{CatalogueError, ErrorCode};
use crate::problem::ConfigProblem;

/// The id of the catalogue that the environment variables describe.
const FROM_ENVIRONMENT: &str = "fromEnv";

/// How catalogues are addressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// There is one; its addresses do not name it.
    Single,
    /// There are several; every address starts with an id.
    Multiple,
}

/// The configurations of all catalogues.
#[derive(Debug, Clone, PartialEq)]
pub struct Configs {
    /// How catalogues are addressed.
    pub mode: Mode,
    /// The catalogues in their order; ids are unique.
    pub catalogues: Vec<ConfiguredCatalogue>,
}

/// One catalogue, whether its configuration can be used or not.
#[derive(Debug, Clone, PartialEq)]
pub struct ConfiguredCatalogue {
    /// The name in addresses.
    pub id: String,
    /// The document type; empty if none could be read.
    pub document_type: String,
    /// What it is, for people.
    pub description: Option<String>,
    /// Where its files are.
    pub folder: Option<PathBuf>,
    /// The configuration, or every problem of it, warnings included.
    pub config: Result<CatalogueConfig, Vec<ConfigProblem>>,
}

impl Configs {
    /// Reads a folder: with JSON files it is one catalogue; otherwise each folder in it is one. If there is no such
    /// folder, the defaults describe one catalogue. Names that start with a dot are passed over.
    ///
    /// # Errors
    ///
    /// If there is no catalogue at all, or the folder cannot be read. Problems of single catalogues are no errors
    /// here; they are with the catalogue.
    pub fn from_folder(path: impl AsRef<Path>, defaults: &Defaults) -> Result<Self, Vec<ConfigProblem>> {
        let path = path.as_ref();
        let folders = match folder::read(path).map_err(|problem| vec![problem])? {
            folder::Layout::Missing => return Self::from_defaults(path, defaults),
            folder::Layout::Flat(files) => vec![files],
            folder::Layout::Folders(folders) => folders,
        };
        let is_single = folders.len() == 1;
        let mut ids = ids::Ids::default();
        let catalogues = folders.into_iter().map(|folder| configured(folder, &mut ids, is_single, defaults)).collect();
        Ok(Self { mode: if is_single { Mode::Single } else { Mode::Multiple }, catalogues })
    }

    /// Returns one catalogue, whose addresses do not name it.
    pub fn single(config: CatalogueConfig) -> Self {
        Self { mode: Mode::Single, catalogues: vec![ConfiguredCatalogue::usable(config, None)] }
    }

    /// Returns several catalogues, whose addresses start with their ids.
    ///
    /// # Errors
    ///
    /// Every id that two of them have, or that is an address of the server.
    pub fn multiple(configs: Vec<CatalogueConfig>) -> Result<Self, Vec<ConfigProblem>> {
        let mut problems = Vec::new();
        for (place, config) in configs.iter().enumerate() {
            problems.extend(ids::address_problem(&config.id, "configuration"));
            if configs[..place].iter().any(|other| other.id == config.id) {
                let found = format!("{:?}, which another catalogue has too", config.id);
                problems.push(ConfigProblem::error("configuration", "catalogId", found, "an id for each catalogue"));
            }
        }
        if !problems.is_empty() {
            return Err(problems);
        }
        let catalogues = configs.into_iter().map(|config| ConfiguredCatalogue::usable(config, None)).collect();
        Ok(Self { mode: Mode::Multiple, catalogues })
    }

    fn from_defaults(path: &Path, defaults: &Defaults) -> Result<Self, Vec<ConfigProblem>> {
        if defaults.index.is_none() && defaults.document_type.is_none() {
            let expected = "a folder with configuration files, or ES_INDEX and DOCUMENT_TYPE in the environment";
            let shown = path.display().to_string();
            return Err(vec![ConfigProblem::error(
                shown,
                "",
                "no such folder; no catalogues are configured",
                expected,
            )]);
        }
        let ReadConfig { mut config, problems, .. } = CatalogueConfig::read(Vec::new(), true, ENVIRONMENT, defaults);
        FROM_ENVIRONMENT.clone_into(&mut config.id);
        Ok(Self { mode: Mode::Single, catalogues: vec![ConfiguredCatalogue::new(config, problems, None)] })
    }
}

impl ConfiguredCatalogue {
    fn usable(config: CatalogueConfig, folder: Option<PathBuf>) -> Self {
        Self {
            id: config.id.clone(),
            document_type: config.document_type.clone(),
            description: config.description.clone(),
            folder,
            config: Ok(config),
        }
    }

    fn new(mut config: CatalogueConfig, problems: Vec<ConfigProblem>, folder: Option<PathBuf>) -> Self {
        if problems.iter().any(ConfigProblem::is_error) {
            return Self { config: Err(problems), ..Self::usable(config, folder) };
        }
        config.warnings = problems;
        Self::usable(config, folder)
    }

    /// Returns every problem of the files, warnings included.
    pub fn problems(&self) -> &[ConfigProblem] {
        match &self.config {
            Ok(config) => &config.warnings,
            Err(problems) => problems,
        }
    }

    /// Returns why the catalogue cannot be served, if its files are the reason. Clients are shown it, who need not know
    /// whom the access rules speak of.
    pub fn error(&self) -> Option<CatalogueError> {
        let problems = self.config.as_ref().err()?;
        let errors = problems.iter().filter(|problem| problem.is_error()).map(|problem| match &problem.key {
            key if key.starts_with(ACCESS) => format!("{}, `{ACCESS}`: the log of the server says why", problem.file),
            _ => problem.to_string(),
        });
        let mut errors: Vec<String> = errors.collect();
        errors.dedup();
        let message = format!("The configuration has problems: {}.", errors.join("; "));
        Some(CatalogueError::new(ErrorCode::UnknownError, message))
    }
}

/// Reads the files of one folder and settles the id.
fn configured(folder: folder::Files, ids: &mut ids::Ids, is_single: bool, defaults: &Defaults) -> ConfiguredCatalogue {
    let folder::Files { path, shown, default_id, files, mut problems } = folder;
    let is_complete = problems.is_empty();
    let ReadConfig { mut config, given_id, problems: more } =
        CatalogueConfig::read(files, is_complete, &shown, defaults);
    problems.extend(more);
    let wanted = given_id.unwrap_or(default_id);
    let (id, duplicate) = ids.take(wanted, &path, &shown);
    problems.extend(duplicate);
    problems.extend(id_problem(&id, &shown));
    if !is_single {
        problems.extend(ids::address_problem(&id, &shown));
    }
    config.id = id;
    ConfiguredCatalogue::new(config, problems, Some(path))
}
