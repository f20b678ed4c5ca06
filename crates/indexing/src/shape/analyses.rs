//! One document for each analysis, as the metadata service shows it, with its files.

use std::borrow::Borrow;

use serde::ser::{Serialize, SerializeMap, Serializer};

use super::collect::Collector;
use super::members::{Members, Object, Place, Without};
use super::{FILES, HISTORY};

/// The members of a file that say what the document says already.
const REPEATED: [&str; 2] = ["analysisId", "studyId"];

struct AnalysisDocument<'a> {
    analysis: &'a Object<'a>,
    files: Vec<Without<'a>>,
}

pub(super) fn collect(analysis: &Members<'_>, collector: &mut Collector) -> Result<(), String> {
    let id = analysis.text("analysisId")?;
    let files = analysis.list(FILES)?.into_iter().enumerate();
    let files = files.map(|(place, file)| Members::of(file.get(), Place::File(place)));
    let files = files.collect::<Result<Vec<_>, String>>()?;
    let files = files.iter().map(|file| Without { object: &file.object, names: &REPEATED }).collect();
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
