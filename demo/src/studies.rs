//! The studies of the sample data.

use serde_json::{Value, json};

use crate::catalogue::{STUDIES, Study};

/// Who is behind each study, in the order of the studies.
const ORGANIZATIONS: [&str; STUDY_COUNT] = [
    "Northern Lakes Cancer Institute",
    "European Thoracic Genomics Network",
    "Prairie Screening Programme",
    "Thames Urology Consortium",
    "Southern Cross Genomics",
    "Rhine Leukaemia Group",
    "Sakura Hepatology Centre",
    "Atlantic Gynaecology Network",
];

/// How many studies there are.
pub(crate) const STUDY_COUNT: usize = 8;

/// The studies that analyses are submitted to, the largest first.
pub(crate) fn sample_studies() -> &'static [Study] {
    &STUDIES[..STUDY_COUNT]
}

/// Returns the studies as they are registered, one body each.
pub fn studies() -> Vec<Value> {
    let bodies = sample_studies().iter().zip(ORGANIZATIONS).map(|(study, organization)| {
        json!({
            "studyId": study.id,
            "name": study.name,
            "organization": organization,
            "description": format!("Genomes and transcriptomes of donors with cancer of one site: {}.", study.primary_site),
            "info": {"primarySite": study.primary_site, "consent": "controlled"},
        })
    });
    bodies.collect()
}
