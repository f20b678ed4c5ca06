//! The studies of the sample data.

use serde_json::{Value, json};

/// The ids of the studies, in the order of [`studies()`].
pub(crate) const STUDY_IDS: [&str; 4] = ["BREAST-NL", "LUNG-EU", "RARE-KIDS", "HEALTHY-REF"];

/// Returns the studies as they are registered, one body each.
pub fn studies() -> Vec<Value> {
    let [breast, lung, rare, healthy] = STUDY_IDS;
    vec![
        json!({
            "studyId": breast,
            "name": "Breast cancer in women under 50",
            "organization": "Northern Lakes Cancer Institute",
            "description": "Tumour and matched normal genomes of women diagnosed before the age of 50.",
            "info": {"principalInvestigator": "Ada Lindqvist", "disease": "Breast cancer", "startYear": 2019, "consent": "controlled"},
        }),
        json!({
            "studyId": lung,
            "name": "Lung adenocarcinoma in never-smokers",
            "organization": "European Thoracic Genomics Network",
            "description": "Genomes and transcriptomes of lung tumours in people who never smoked.",
            "info": {"principalInvestigator": "Marek Horvat", "disease": "Lung adenocarcinoma", "startYear": 2020, "consent": "controlled"},
        }),
        json!({
            "studyId": rare,
            "name": "Undiagnosed rare disease in children",
            "organization": "Harbour Children's Hospital",
            "description": "Trio exomes and long-read genomes of children without a diagnosis.",
            "info": {"principalInvestigator": "Imani Okafor", "disease": "Rare disease", "startYear": 2021, "consent": "controlled"},
        }),
        json!({
            "studyId": healthy,
            "name": "Reference cohort of healthy volunteers",
            "organization": "Open Genome Commons",
            "description": "Openly shared genomes of healthy volunteers, for calibrating methods.",
            "info": {"principalInvestigator": "Yuki Tanabe", "startYear": 2018, "consent": "open"},
        }),
    ]
}
