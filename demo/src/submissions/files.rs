//! The files of a submission.

use serde_json::{Value, json};

use super::SubmissionDraft;
use super::data::Kind;
use crate::catalogue::{DATA_KINDS, DataKind, donor_id};
use crate::random::scramble;

/// More files than any submission has; it keeps the checksums of one submission apart from those of the next.
const MAX_FILES: u64 = 16;

impl SubmissionDraft {
    /// Makes the files of a kind of submission: always the first, mostly the others.
    pub(super) fn files(&mut self, kind: &Kind, strategy: &str) -> Value {
        let access = if self.random.percent(27) { "open" } else { "controlled" };
        let of_kind = |data: &&DataKind| kind.makes.contains(&data.analysis_type);
        let mut files = Vec::new();
        for (nth, data) in (0..).zip(DATA_KINDS.iter().filter(of_kind)) {
            if nth > 0 && self.random.percent(8) {
                continue;
            }
            let donor = donor_id(self.donor_number());
            files.push(json!({
                "fileName": format!("{donor}-{:05}-{strategy}-{}", self.position, data.ending).replace(' ', "-"),
                "fileSize": self.random.magnitude(data.size_exponent),
                "fileType": data.file_type,
                "fileAccess": access,
                "fileMd5sum": checksum(self.position * MAX_FILES + nth),
                "dataType": data.data_type,
                "info": {"dataCategory": data.category},
            }));
        }
        files.into()
    }
}

/// Returns a checksum for each number, a different one for a different number.
fn checksum(number: u64) -> String {
    let first = scramble(number);
    format!("{first:016x}{:016x}", scramble(!first))
}
