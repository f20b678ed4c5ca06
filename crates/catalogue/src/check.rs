//! The report of `cantata check`: for every catalogue its problems, its mismatches with the index, and generated sections.

use cantata_mapping::IndexMapping;
use serde::Serialize;

use crate::catalogue::Catalogue;
use crate::config::CatalogueConfig;
use crate::configs::{CatalogueConfigs, CatalogueMode, ConfiguredCatalogue};
use crate::error::CatalogueError;
use crate::problem::ConfigProblem;

/// The report of all catalogues.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CheckReport {
    /// Whether paths name the catalogue.
    pub mode: CatalogueMode,
    /// Each catalogue in its order.
    pub catalogues: Vec<CatalogueReport>,
}

/// The report of one catalogue.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CatalogueReport {
    /// The name in paths.
    pub id: String,
    /// The index that is searched; empty if none could be read.
    pub index: String,
    /// The problems of the files, warnings included.
    pub problems: Vec<ConfigProblem>,
    /// What in the files or in the mapping does not fit the other.
    pub misfits: Vec<ConfigProblem>,
    /// The sections that the files lack and that were generated.
    pub generated: Vec<&'static str>,
    /// How many fields there are, containers included.
    pub field_count: usize,
    /// Why it cannot be served.
    pub error: Option<CatalogueError>,
}

impl CheckReport {
    /// Returns whether every catalogue can be served.
    pub fn is_usable(&self) -> bool {
        self.catalogues.iter().all(|catalogue| catalogue.error.is_none())
    }
}

/// Checks configurations against the mappings of their indices, which the caller fetches.
pub fn check(
    configs: &CatalogueConfigs,
    mut mapping_of: impl FnMut(&CatalogueConfig) -> Result<IndexMapping, CatalogueError>,
) -> CheckReport {
    let catalogues = configs.catalogues.iter().map(|configured| check_one(configured, &mut mapping_of)).collect();
    CheckReport { mode: configs.mode, catalogues }
}

fn check_one(
    configured: &ConfiguredCatalogue,
    mapping_of: &mut impl FnMut(&CatalogueConfig) -> Result<IndexMapping, CatalogueError>,
) -> CatalogueReport {
    let mut report = CatalogueReport {
        id: configured.id.clone(),
        index: String::new(),
        problems: configured.problems().to_vec(),
        misfits: Vec::new(),
        generated: Vec::new(),
        field_count: 0,
        error: configured.error(),
    };
    let Ok(config) = &configured.config else { return report };
    report.index.clone_from(&config.index);
    let mapping = match mapping_of(config) {
        Ok(mapping) => mapping,
        Err(error) => return CatalogueReport { error: Some(error), ..report },
    };
    match Catalogue::build(config, &mapping) {
        Ok(catalogue) => {
            report.misfits = catalogue.warnings;
            report.generated = catalogue.display.generated;
            report.field_count = catalogue.mapping.fields().count();
        }
        Err(error) => {
            report.misfits = Catalogue::access_rule_problems(config, &mapping);
            report.error = Some(error);
        }
    }
    report
}
