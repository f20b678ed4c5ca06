//! One document for each file: the members of the file, the study, and in `analysis` the analysis without its files.

use std::borrow::Borrow;

use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::value::{RawValue, to_raw_value};

use super::collector::Collector;
use super::members::{JsonLocation, JsonObject, Members, OmittingMembers};
use super::{DocumentError, FILES, HISTORY};

/// The members that a document does not have in `analysis`.
const OMITTED_FROM_ANALYSIS: [&str; 3] = [FILES, HISTORY, "studyId"];

/// The members of a file that would repeat the analysis.
const OMITTED_FROM_FILE: [&str; 3] = ["analysis", "analysisId", "studyId"];

struct FileDocument<'a> {
    file: &'a JsonObject<'a>,
    study_id: &'a str,
    /// The same for all files, so it is serialised once.
    analysis: &'a RawValue,
}

pub(super) fn collect(analysis: &Members<'_>, collector: &mut Collector) -> Result<(), DocumentError> {
    analysis.text("analysisId")?;
    let study_id = analysis.text("studyId")?;
    let files = analysis.list(FILES)?;
    let written = to_raw_value(&OmittingMembers { object: &analysis.object, names: &OMITTED_FROM_ANALYSIS })?;
    collector.reserve(files.len());
    for (number, file) in files.iter().enumerate() {
        let file = Members::parse(file.get(), JsonLocation::File(number))?;
        let document = FileDocument { file: &file.object, study_id: &study_id, analysis: &written };
        collector.add(file.text("objectId")?, &document)?;
    }
    Ok(())
}

impl Serialize for FileDocument<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        let of_file = |name: &str| !OMITTED_FROM_FILE.contains(&name);
        for (name, value) in self.file.iter().filter(|(name, _)| of_file((*name).borrow())) {
            map.serialize_entry(name, value)?;
        }
        map.serialize_entry("studyId", self.study_id)?;
        map.serialize_entry("analysis", self.analysis)?;
        map.end()
    }
}
