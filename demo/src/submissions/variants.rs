//! Variants: the built-in type `variantCall` and the more detailed `somaticVariants`.

use serde_json::{Value, json};

use super::Draft;
use crate::files::{FileKind, files};

const CALLS: [FileKind; 2] = [
    FileKind { ending: "somatic.vcf.gz", file_type: "vcf", data_type: "Raw SNV Calls", megabytes: (2, 90) },
    FileKind { ending: "somatic.vcf.gz.tbi", file_type: "tbi", data_type: "Variant Index", megabytes: (1, 2) },
];
const DETAILED_CALLS: [FileKind; 5] = [
    FileKind { ending: "snv.vcf.gz", file_type: "vcf", data_type: "Raw SNV Calls", megabytes: (2, 90) },
    FileKind { ending: "snv.vcf.gz.tbi", file_type: "tbi", data_type: "Variant Index", megabytes: (1, 2) },
    FileKind { ending: "indel.vcf.gz", file_type: "vcf", data_type: "Raw InDel Calls", megabytes: (1, 20) },
    FileKind { ending: "indel.vcf.gz.tbi", file_type: "tbi", data_type: "Variant Index", megabytes: (1, 2) },
    FileKind { ending: "annotated(v2).maf", file_type: "maf", data_type: "Annotated Calls", megabytes: (1, 40) },
];

/// Makes the payload of a `variantCall`.
pub(super) fn variant_call(draft: &mut Draft) -> Value {
    let (stem, normal_id) = (draft.file_stem("calls"), draft.normal_id());
    let random = &mut draft.random;
    json!({
        "studyId": draft.study_id,
        "analysisType": {"name": "variantCall", "version": 1},
        "experiment": {
            "matchedNormalSampleSubmitterId": normal_id,
            "variantCallingTool": random.pick(&["Mutect2", "Strelka2", "FreeBayes"]),
        },
        "files": files(random, draft.position, &stem, draft.access, &CALLS),
    })
}

/// Makes the payload of a `somaticVariants`.
pub(super) fn somatic_variants(draft: &mut Draft) -> Value {
    let (stem, normal_id, donor) = (draft.file_stem("somatic"), draft.normal_id(), draft.donor());
    let random = &mut draft.random;
    let tools = [("Mutect2", "4.6.1"), ("Strelka2", "2.9.10"), ("DeepSomatic", "1.8.0"), ("VarScan2", "2.4.6")];
    let (tool, version) = random.pick(&tools);
    let shown = random.between(2, DETAILED_CALLS.len() as u64) as usize;
    json!({
        "studyId": draft.study_id,
        "analysisType": {"name": "somaticVariants"},
        "experiment": {
            "callingTool": tool,
            "callingToolVersion": version,
            "referenceGenome": random.pick(&["GRCh37", "GRCh38", "GRCh38", "CHM13v2"]),
            "callingDate": random.date(),
            "matchedNormalSampleSubmitterId": normal_id,
            "tumourPurity": random.decimal(20, 98) / 100.0,
            "tumourMutationalBurden": random.decimal(0, 40),
        },
        "donors": [donor],
        "files": files(random, draft.position, &stem, draft.access, &DETAILED_CALLS[..shown]),
    })
}
