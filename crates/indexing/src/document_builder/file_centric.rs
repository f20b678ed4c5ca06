//! One document for each file: the members of the file, the study, and in `analysis` the analysis without its files.

use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

use super::collector::Collector;
use super::members::{JsonLocation, Members, OmittingMembers};
use super::{DocumentError, FILES, HISTORY};

/// The members that a document does not have in `analysis`.
const OMITTED_FROM_ANALYSIS: [&str; 3] = [FILES, HISTORY, "studyId"];

/// The members of a file that would repeat the analysis.
const OMITTED_FROM_FILE: [&str; 3] = ["analysis", "analysisId", "studyId"];

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct FileDocument<'a> {
    #[serde(flatten)]
    file: OmittingMembers<'a>,
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
        let members = OmittingMembers { object: &file.object, names: &OMITTED_FROM_FILE };
        let document = FileDocument { file: members, study_id: &study_id, analysis: &written };
        collector.add(file.text("objectId")?, &document)?;
    }
    Ok(())
}
