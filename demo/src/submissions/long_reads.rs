//! Long-read genomes of families, of the type `longReadGenome`.

use serde_json::{Value, json};

use super::Draft;
use crate::files::{FileKind, files};

const FILES: [FileKind; 4] = [
    FileKind { ending: "hifi.bam", file_type: "bam", data_type: "Aligned Reads", megabytes: (30_000, 110_000) },
    FileKind { ending: "hifi.bam.bai", file_type: "bai", data_type: "Aligned Reads Index", megabytes: (5, 12) },
    FileKind { ending: "sv.vcf.gz", file_type: "vcf", data_type: "Structural Variants", megabytes: (1, 9) },
    FileKind { ending: "methylation.bed.gz", file_type: "bed", data_type: "Methylation", megabytes: (80, 400) },
];
const PLATFORMS: [(&str, &str); 3] = [("Revio", "SPRQ"), ("Sequel IIe", "Sequel II 3.2"), ("PromethION", "R10.4.1")];
const PHENOTYPES: [&str; 6] = ["HP:0001250", "HP:0001263", "HP:0001252", "HP:0000252", "HP:0000365", "HP:0001631"];

/// Makes the payload of a `longReadGenome`.
pub(super) fn long_read_genome(draft: &mut Draft) -> Value {
    let (stem, donor_id) = (draft.file_stem("longread"), draft.donor_id());
    let random = &mut draft.random;
    let (platform, chemistry) = random.pick(&PLATFORMS);
    let mut family = vec![json!({
        "submitterDonorId": donor_id,
        "relationship": "Proband",
        "affected": true,
        "phenotypes": [random.pick(&PHENOTYPES[..3]), random.pick(&PHENOTYPES[3..])],
    })];
    for relationship in ["Mother", "Father"] {
        if random.percent(60) {
            family.push(json!({
                "submitterDonorId": format!("DO-{}", random.between(10_000, 99_999)),
                "relationship": relationship,
                "affected": random.percent(10),
                "phenotypes": [],
            }));
        }
    }
    let shown = random.between(1, FILES.len() as u64) as usize;
    json!({
        "studyId": draft.study_id,
        "analysisType": {"name": "longReadGenome"},
        "experiment": {
            "platform": platform,
            "chemistry": chemistry,
            "sequencingDate": random.date(),
            "meanCoverage": random.decimal(12, 60),
            "readLengthN50": random.between(11_000, 32_000),
            "phased": random.percent(80),
        },
        "family": family,
        "workflow": {
            "name": "long-read-germline",
            "version": format!("{}.{}.0", random.between(1, 3), random.between(0, 9)),
            "container": if random.percent(80) { json!("long-read-germline:stable") } else { Value::Null },
        },
        "files": files(random, draft.position, &stem, draft.access, &FILES[..shown]),
    })
}
