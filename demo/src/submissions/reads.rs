//! Short reads, of the built-in type `sequencingRead`.

use serde_json::{Value, json};

use super::Draft;
use crate::files::{FileKind, files};

const ALIGNED: [FileKind; 2] = [
    FileKind { ending: "GRCh38.cram", file_type: "cram", data_type: "Aligned Reads", megabytes: (9_000, 48_000) },
    FileKind { ending: "GRCh38.cram.crai", file_type: "crai", data_type: "Aligned Reads Index", megabytes: (1, 3) },
];
const UNALIGNED: [FileKind; 2] = [
    FileKind { ending: "R1.fastq.gz", file_type: "fastq", data_type: "Sequencing Reads", megabytes: (4_000, 30_000) },
    FileKind { ending: "R2.fastq.gz", file_type: "fastq", data_type: "Sequencing Reads", megabytes: (4_000, 30_000) },
];

/// Makes the payload of a `sequencingRead`.
pub(super) fn sequencing_read(draft: &mut Draft) -> Value {
    let stem = draft.file_stem("reads");
    let random = &mut draft.random;
    let aligned = random.percent(70);
    let (alignment_tool, reference_genome) =
        if aligned { (json!("BWA-MEM2"), json!("GRCh38")) } else { Default::default() };
    json!({
        "studyId": draft.study_id,
        "analysisType": {"name": "sequencingRead"},
        "experiment": {
            "libraryStrategy": random.pick(&["WGS", "WXS", "RNA-Seq", "Amplicon"]),
            "aligned": aligned,
            "pairedEnd": true,
            "insertSize": random.between(250, 650),
            "alignmentTool": alignment_tool,
            "referenceGenome": reference_genome,
        },
        "files": files(random, draft.position, &stem, draft.access, if aligned { &ALIGNED } else { &UNALIGNED }),
    })
}
