//! One document for each file: the members of the file, the study, and in `analysis` the analysis without its files.

use std::borrow::Borrow;

use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::value::{RawValue, to_raw_value};

use super::collect::Collector;
use super::members::{Members, Object, Place, Without};
use super::{FILES, HISTORY};

/// The members of the analysis that a document has elsewhere, or not at all.
const ELSEWHERE: [&str; 3] = [FILES, HISTORY, "studyId"];

/// The members of a file that the document has from the analysis.
const OF_ANALYSIS: [&str; 3] = ["analysis", "analysisId", "studyId"];

struct FileDocument<'a> {
    file: &'a Object<'a>,
    study_id: &'a str,
    /// The same for all files, so it is written once.
    analysis: &'a RawValue,
}

pub(super) fn collect(analysis: &Members<'_>, collector: &mut Collector) -> Result<(), String> {
    analysis.text("analysisId")?;
    let study_id = analysis.text("studyId")?;
    let files = analysis.list(FILES)?;
    let written = to_raw_value(&Without { object: &analysis.object, names: &ELSEWHERE })
        .map_err(|error| format!("the analysis cannot be written: {error}"))?;
    collector.expect(files.len());
    for (place, file) in files.iter().enumerate() {
        let file = Members::of(file.get(), Place::File(place))?;
        let document = FileDocument { file: &file.object, study_id: &study_id, analysis: &written };
        collector.add(file.text("objectId")?, &document)?;
    }
    Ok(())
}

impl Serialize for FileDocument<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        let of_file = |name: &str| !OF_ANALYSIS.contains(&name);
        for (name, value) in self.file.iter().filter(|(name, _)| of_file((*name).borrow())) {
            map.serialize_entry(name, value)?;
        }
        map.serialize_entry("studyId", self.study_id)?;
        map.serialize_entry("analysis", self.analysis)?;
        map.end()
    }
}
