//! One document for each analysis, as the metadata service shows it, with its files.

use std::borrow::Borrow;

use serde::ser::{Serialize, SerializeMap, Serializer};

use super::collector::Collector;
use super::members::{JsonLocation, JsonObject, Members, OmittingMembers};
use super::{DocumentError, FILES, HISTORY};

/// The members of a file that would repeat the analysis.
const OMITTED_FROM_FILE: [&str; 2] = ["analysisId", "studyId"];

struct AnalysisDocument<'a> {
    analysis: &'a JsonObject<'a>,
    files: Vec<OmittingMembers<'a>>,
}

pub(super) fn collect(analysis: &Members<'_>, collector: &mut Collector) -> Result<(), DocumentError> {
    let id = analysis.text("analysisId")?;
    let files = analysis.list(FILES)?.into_iter().enumerate();
    let files = files.map(|(number, file)| Members::parse(file.get(), JsonLocation::File(number)));
    let files = files.collect::<Result<Vec<_>, DocumentError>>()?;
    let files = files.iter().map(|file| OmittingMembers { object: &file.object, names: &OMITTED_FROM_FILE }).collect();
    collector.add(id, &AnalysisDocument { analysis: &analysis.object, files })
}

impl Serialize for AnalysisDocument<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (name, value) in self.analysis {
            match name.borrow() {
                HISTORY => {}
                FILES => map.serialize_entry(name, &self.files)?,
                _ => map.serialize_entry(name, value)?,
            }
        }
        map.end()
    }
}
