//! The people behind the samples, and what they are called in payloads and file names.

use serde_json::{Value, json};

use super::Draft;

const GENDERS: [&str; 3] = ["Female", "Male", "Other"];
const VITAL_STATES: [&str; 3] = ["Alive", "Deceased", "Unknown"];
const SAMPLE_TYPES: [&str; 3] = ["Total DNA", "Amplified DNA", "ctDNA"];

/// How many submissions there are of one person: the reads, the variants and the expression of the same donor.
const SUBMISSIONS_PER_DONOR: u64 = 3;

impl Draft {
    fn donor_number(&self) -> u64 {
        10_001 + (self.position / SUBMISSIONS_PER_DONOR) % 89_999
    }

    /// Returns the donor's id.
    pub(super) fn donor_id(&self) -> String {
        format!("DO-{}", self.donor_number())
    }

    /// Returns the id of the donor's tumour sample.
    pub(super) fn tumour_id(&self) -> String {
        format!("SA-{}T", self.donor_number())
    }

    /// Returns the id of the donor's normal sample.
    pub(super) fn normal_id(&self) -> String {
        format!("SA-{}N", self.donor_number())
    }

    /// Returns the beginning of the submission's file names.
    pub(super) fn file_stem(&self, what: &str) -> String {
        format!("{}_{what}_{:05}", self.tumour_id(), self.position)
    }

    /// Returns the donor with a tumour and a normal sample.
    pub(super) fn donor(&mut self) -> Value {
        let (donor_id, tumour_id, normal_id) = (self.donor_id(), self.tumour_id(), self.normal_id());
        let random = &mut self.random;
        let age = if random.percent(90) { json!(random.between(4, 88)) } else { Value::Null };
        json!({
            "submitterDonorId": donor_id,
            "gender": random.pick(&GENDERS),
            "ageAtDiagnosis": age,
            "vitalStatus": random.pick(&VITAL_STATES),
            "samples": [
                {
                    "submitterSampleId": tumour_id,
                    "sampleType": random.pick(&SAMPLE_TYPES),
                    "specimen": {
                        "tissueSource": "Solid tissue",
                        "tumourNormalDesignation": "Tumour",
                        "collectionDate": random.date(),
                    },
                },
                {
                    "submitterSampleId": normal_id,
                    "sampleType": "Total DNA",
                    "specimen": {
                        "tissueSource": random.pick(&["Blood", "Saliva"]),
                        "tumourNormalDesignation": "Normal",
                        "collectionDate": random.date(),
                    },
                },
            ],
        })
    }
}
