//! The configurations of all catalogues of a server.
//!
//! Whether the server has one catalogue or several follows from the folder layout alone, so that a catalogue whose files
//! have problems does not change the paths of others. Such a catalogue is listed with its problems.

mod folder;
mod ids;

use std::path::{Path, PathBuf};

use serde::Serialize;

pub(crate) use folder::{json_files, name_of};
pub(crate) use ids::id_problem;
pub use ids::is_own_address;

use crate::config::{ACCESS, CatalogueConfig, ParsedConfig};
use crate::defaults::{ConfigDefaults, ENVIRONMENT};
use crate::error::{CatalogueError, CatalogueErrorCode};
use crate::problem::ConfigProblem;

/// The id of a catalogue that only environment variables configure.
const ENVIRONMENT_CATALOGUE_ID: &str = "fromEnv";

/// Whether paths name the catalogue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CatalogueMode {
    /// There is one catalogue; paths do not name it.
    Single,
    /// There are several catalogues; every path starts with an id.
    Multiple,
}

/// The configurations of all catalogues.
#[derive(Debug, Clone, PartialEq)]
pub struct CatalogueConfigs {
    /// Whether paths name the catalogue.
    pub mode: CatalogueMode,
    /// The catalogues in their order; ids are unique.
    pub catalogues: Vec<ConfiguredCatalogue>,
}

/// One catalogue, whether its configuration is valid or not.
#[derive(Debug, Clone, PartialEq)]
pub struct ConfiguredCatalogue {
    /// The name in paths.
    pub id: String,
    /// The document type; empty if none could be read.
    pub document_type: String,
    /// A description for users.
    pub description: Option<String>,
    /// The folder of its files.
    pub folder: Option<PathBuf>,
    /// The configuration, or every problem of it, warnings included.
    pub config: Result<CatalogueConfig, Vec<ConfigProblem>>,
}

impl CatalogueConfigs {
    /// Reads a folder: with JSON files it is one catalogue; otherwise each folder in it is one. If there is no such
    /// folder, or nothing in it, the defaults describe one catalogue. Names that start with a dot are ignored.
    ///
    /// # Errors
    ///
    /// If there is no catalogue at all, or the folder cannot be read. Problems of single catalogues are
    /// listed with them.
    pub fn from_folder(path: impl AsRef<Path>, defaults: &ConfigDefaults) -> Result<Self, Vec<ConfigProblem>> {
        let path = path.as_ref();
        let configs = Self::from_pending_folder(path, defaults)?;
        if !configs.catalogues.is_empty() {
            return Ok(configs);
        }
        let found = match path.is_dir() {
            true => "neither JSON files nor folders; no catalogues are configured",
            false => "no such folder; no catalogues are configured",
        };
        let expected = "configuration files such as base.json, a folder with them for each catalogue, or ES_INDEX and \
                        DOCUMENT_TYPE in the environment";
        Err(vec![ConfigProblem::error(path.display().to_string(), "", found, expected)])
    }

    /// Reads a folder that may get its files later: without any, and without defaults that describe a catalogue, there
    /// are no catalogues.
    ///
    /// # Errors
    ///
    /// If the folder cannot be read.
    pub fn from_pending_folder(path: impl AsRef<Path>, defaults: &ConfigDefaults) -> Result<Self, Vec<ConfigProblem>> {
        let folders = match folder::read(path.as_ref()).map_err(|problem| vec![problem])? {
            folder::FolderLayout::Empty => return Ok(Self::from_defaults(defaults)),
            folder::FolderLayout::Flat(files) => vec![files],
            folder::FolderLayout::Folders(folders) => folders,
        };
        let is_single = folders.len() == 1;
        let mut ids = ids::CatalogueIds::default();
        let catalogues =
            folders.into_iter().map(|folder| read_catalogue(folder, &mut ids, is_single, defaults)).collect();
        Ok(Self { mode: if is_single { CatalogueMode::Single } else { CatalogueMode::Multiple }, catalogues })
    }

    /// Returns one catalogue, whose paths do not name it.
    pub fn single(config: CatalogueConfig) -> Self {
        Self { mode: CatalogueMode::Single, catalogues: vec![ConfiguredCatalogue::valid(config, None)] }
    }

    /// Returns several catalogues, whose paths start with their ids.
    ///
    /// # Errors
    ///
    /// Every duplicate or reserved id.
    pub fn multiple(configs: Vec<CatalogueConfig>) -> Result<Self, Vec<ConfigProblem>> {
        let mut problems = Vec::new();
        for (index, config) in configs.iter().enumerate() {
            problems.extend(ids::address_problem(&config.id, "configuration"));
            if configs[..index].iter().any(|other| other.id == config.id) {
                let found = format!("{:?}, which another catalogue has too", config.id);
                problems.push(ConfigProblem::error("configuration", "catalogId", found, "an id for each catalogue"));
            }
        }
        if !problems.is_empty() {
            return Err(problems);
        }
        let catalogues = configs.into_iter().map(|config| ConfiguredCatalogue::valid(config, None)).collect();
        Ok(Self { mode: CatalogueMode::Multiple, catalogues })
    }

    fn from_defaults(defaults: &ConfigDefaults) -> Self {
        if defaults.index.is_none() && defaults.document_type.is_none() {
            return Self { mode: CatalogueMode::Multiple, catalogues: Vec::new() };
        }
        let ParsedConfig { mut config, problems, .. } = CatalogueConfig::read(Vec::new(), true, ENVIRONMENT, defaults);
        ENVIRONMENT_CATALOGUE_ID.clone_into(&mut config.id);
        Self { mode: CatalogueMode::Single, catalogues: vec![ConfiguredCatalogue::new(config, problems, None)] }
    }
}

impl ConfiguredCatalogue {
    fn valid(config: CatalogueConfig, folder: Option<PathBuf>) -> Self {
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
            return Self { config: Err(problems), ..Self::valid(config, folder) };
        }
        config.warnings = problems;
        Self::valid(config, folder)
    }

    /// Returns every problem of the files, warnings included.
    pub fn problems(&self) -> &[ConfigProblem] {
        match &self.config {
            Ok(config) => &config.warnings,
            Err(problems) => problems,
        }
    }

    /// Returns the error of an invalid configuration. Clients see it, so it does not show access rules.
    pub fn error(&self) -> Option<CatalogueError> {
        let problems = self.config.as_ref().err()?;
        let errors = problems.iter().filter(|problem| problem.is_error()).map(|problem| match &problem.key {
            key if key.starts_with(ACCESS) => format!("{}, `{ACCESS}`: the log of the server says why", problem.file),
            _ => problem.to_string(),
        });
        let mut errors: Vec<String> = errors.collect();
        errors.dedup();
        let message = format!("The configuration has problems: {}.", errors.join("; "));
        Some(CatalogueError::new(CatalogueErrorCode::UnknownError, message))
    }
}

/// Reads the files of one folder and assigns the id.
fn read_catalogue(
    folder: folder::CatalogueFiles,
    ids: &mut ids::CatalogueIds,
    is_single: bool,
    defaults: &ConfigDefaults,
) -> ConfiguredCatalogue {
    let folder::CatalogueFiles { path, display_name, default_id, files, mut problems } = folder;
    let is_complete = !problems.iter().any(ConfigProblem::is_error);
    let ParsedConfig { mut config, given_id, problems: more } =
        CatalogueConfig::read(files, is_complete, &display_name, defaults);
    problems.extend(more);
    let wanted = given_id.unwrap_or(default_id);
    let (id, duplicate) = ids.take(wanted, &path, &display_name);
    problems.extend(duplicate);
    problems.extend(id_problem(&id, &display_name));
    if !is_single {
        problems.extend(ids::address_problem(&id, &display_name));
    }
    config.id = id;
    ConfiguredCatalogue::new(config, problems, Some(path))
}
