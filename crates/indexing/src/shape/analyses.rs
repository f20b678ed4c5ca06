//! One document for each analysis, as the metadata service shows it, with its files.

use serde::ser::{Serialize, SerializeMap, Serializer};

use super::collect::Collector;
use super::members::{Members, Place, Without};
use super::{FILES, HISTORY};

/// The members of a file that say what the document says already.
const REPEATED: [&str; 2] = ["analysisId", "studyId"];

struct AnalysisDocument<'a> {
    analysis: &'a Members<'a>,
    files: Vec<Without<'a>>,
}

pub(super) fn collect(analysis: &Members<'_>, collector: &mut Collector) -> Result<(), String> {
    let id = analysis.text("analysisId")?;
    let files = analysis.list(FILES)?.iter().enumerate();
    let files = files.map(|(place, file)| {
        let file = Members::of(file, Place::File(place))?;
        Ok(Without { object: file.object, names: &REPEATED })
    });
    let files = files.collect::<Result<_, String>>()?;
    collector.add(id, &AnalysisDocument { analysis, files })
}

impl Serialize for AnalysisDocument<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (name, value) in self.analysis.object.iter().filter(|(name, _)| *name != HISTORY) {
            match name.as_str() {
                FILES => map.serialize_entry(name, &self.files)?,
                _ => map.serialize_entry(name, value)?,
            }
        }
        map.end()
    }
}
