//! Gene expression, in both versions of the type `rnaExpression`.

use serde_json::{Value, json};

use super::Draft;
use crate::files::{FileKind, files};
use crate::random::Random;

const TISSUES: [&str; 5] = ["Breast", "Lung", "Blood", "Skin", "Muscle"];
const TREATMENTS: [&str; 4] = ["Tamoxifen", "Osimertinib", "Carboplatin", "Pembrolizumab"];
const GENES: [&str; 12] =
    ["TP53", "BRCA1", "EGFR", "KRAS", "MYC", "GATA3", "ERBB2", "ALK", "PTEN", "HLA-A", "ACTB", "GAPDH"];
const COUNTS: [FileKind; 1] =
    [FileKind { ending: "gene_counts.tsv.gz", file_type: "tsv", data_type: "Gene Expression", megabytes: (1, 4) }];
const COUNTS_AND_TRANSCRIPTS: [FileKind; 3] = [
    FileKind { ending: "gene_tpm.tsv.gz", file_type: "tsv", data_type: "Gene Expression", megabytes: (1, 4) },
    FileKind {
        ending: "transcript_tpm.tsv.gz",
        file_type: "tsv",
        data_type: "Transcript Expression",
        megabytes: (4, 9),
    },
    FileKind { ending: "fusions[star].json", file_type: "json", data_type: "Gene Fusions", megabytes: (1, 2) },
];

/// Makes the payload of an `rnaExpression` of version 1.
pub(super) fn first_version(draft: &mut Draft) -> Value {
    let (stem, sample_id) = (draft.file_stem("rna"), draft.tumour_id());
    let random = &mut draft.random;
    json!({
        "studyId": draft.study_id,
        "analysisType": {"name": "rnaExpression", "version": 1},
        "experiment": experiment(random),
        "samples": [{"submitterSampleId": sample_id, "tissue": random.pick(&TISSUES)}],
        "files": files(random, draft.position, &stem, draft.access, &COUNTS),
    })
}

/// Makes the payload of an `rnaExpression` of version 2.
pub(super) fn second_version(draft: &mut Draft) -> Value {
    let (stem, sample_ids) = (draft.file_stem("rna"), [draft.tumour_id(), draft.normal_id()]);
    let random = &mut draft.random;
    let mut experiment = experiment(random);
    experiment["quantification"] = json!({
        "tool": random.pick(&["Salmon", "kallisto", "RSEM"]),
        "annotation": format!("GENCODE v{}", random.between(38, 47)),
    });
    let samples: Vec<Value> = sample_ids.iter().map(|sample_id| sample(random, sample_id)).collect();
    json!({
        "studyId": draft.study_id,
        "analysisType": {"name": "rnaExpression", "version": 2},
        "experiment": experiment,
        "samples": samples,
        "quality": {
            "totalReads": random.between(20_000_000, 160_000_000),
            "uniquelyMapped": random.decimal(75, 97) / 100.0,
            "duplicates": random.decimal(5, 35) / 100.0,
        },
        "files": files(random, draft.position, &stem, draft.access, &COUNTS_AND_TRANSCRIPTS),
    })
}

fn experiment(random: &mut Random) -> Value {
    json!({
        "libraryPreparation": random.pick(&["poly-A selection", "rRNA depletion"]),
        "platform": random.pick(&["NovaSeq 6000", "NextSeq 2000", "DNBSEQ-T7"]),
        "sequencingDate": random.date(),
        "rnaIntegrityNumber": random.decimal(6, 10),
    })
}

fn sample(random: &mut Random, sample_id: &str) -> Value {
    let treatment = if random.percent(40) { json!(random.pick(&TREATMENTS)) } else { Value::Null };
    let first_gene = random.between(0, GENES.len() as u64 - 3) as usize;
    let top_genes: Vec<Value> = GENES[first_gene..first_gene + 3]
        .iter()
        .map(|symbol| json!({"symbol": symbol, "tpm": random.decimal(10, 4_000)}))
        .collect();
    json!({
        "submitterSampleId": sample_id,
        "tissue": random.pick(&TISSUES),
        "treatment": treatment,
        "topGenes": top_genes,
    })
}
