//! The donors behind a submission, in the spelling of payloads.

use serde_json::{Map, Value};

use super::{SEED, SUBMISSIONS_PER_DONOR, SubmissionDraft};
use crate::catalogue::Donor;

/// How many submissions in a hundred have a second donor.
const SHARED_PERCENT: u64 = 12;

impl SubmissionDraft {
    /// Returns the number of the donor that the submission is named after.
    pub(super) fn donor_number(&self) -> u64 {
        self.position / SUBMISSIONS_PER_DONOR
    }

    pub(super) fn donors(&mut self) -> Value {
        let first = self.donor_number();
        let second = self.random.percent(SHARED_PERCENT).then_some(first + 1);
        [first].into_iter().chain(second).map(|number| self.donor(number)).collect()
    }

    fn donor(&self, number: u64) -> Value {
        let donor = Donor::of_study(SEED, number, self.study);
        camel_case(serde_json::to_value(donor).expect("a donor has string keys and finite numbers only"))
    }
}

/// Returns a value with keys such as `donorId` instead of `donor_id`.
fn camel_case(value: Value) -> Value {
    match value {
        Value::Object(members) => {
            let renamed = members.into_iter().map(|(key, member)| (camel_case_key(&key), camel_case(member)));
            Value::Object(renamed.collect::<Map<_, _>>())
        }
        Value::Array(elements) => elements.into_iter().map(camel_case).collect(),
        scalar => scalar,
    }
}

fn camel_case_key(key: &str) -> String {
    let mut parts = key.split('_');
    let mut renamed = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (first, rest) = part.split_at(1);
        renamed.push_str(&first.to_ascii_uppercase());
        renamed.push_str(rest);
    }
    renamed
}
