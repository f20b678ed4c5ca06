//! The kinds of submissions, and the data of each.

use serde_json::{Value, json};

use super::SubmissionDraft;
use crate::catalogue::{PLATFORMS, SEQUENCING_CENTRES, address, maybe, tags};
use crate::random::Random;

/// One kind of submission.
pub(super) struct Kind {
    /// The analysis type.
    pub(super) name: &'static str,
    /// Its version.
    pub(super) version: u32,
    /// How titles begin.
    pub(super) title: &'static str,
    /// What makes it.
    pub(super) workflow: &'static str,
    /// The strategies of its experiments, the most common first.
    pub(super) strategies: &'static [&'static str],
    /// The analyses of the invented world whose data it has.
    pub(super) makes: &'static [&'static str],
    /// Makes what no other type has.
    pub(super) own: fn(&mut Random) -> (&'static str, Value),
}

const DNA: &[&str] = &["WGS", "WXS", "Targeted-Seq", "Amplicon"];
const RNA: &[&str] = &["RNA-Seq", "scRNA-Seq", "miRNA-Seq"];
const GENES: [&str; 12] =
    ["TP53", "BRCA1", "EGFR", "KRAS", "MYC", "GATA3", "ERBB2", "ALK", "PTEN", "HLA-A", "ACTB", "GAPDH"];

const ALIGNED_READS: Kind = Kind {
    name: "alignedReads",
    version: 1,
    title: "Aligned reads",
    workflow: "align-and-check",
    strategies: DNA,
    makes: &["sequencing_alignment", "quality_control"],
    own: alignment,
};

const RNA_EXPRESSION: Kind = Kind {
    name: "rnaExpression",
    version: 1,
    title: "Gene expression",
    workflow: "rna-quantification",
    strategies: RNA,
    makes: &["rna_quantification"],
    own: |random| ("expression", expression(random)),
};

/// The kinds in the order in which submissions go through them.
const KINDS: [Kind; 6] = [
    ALIGNED_READS,
    Kind {
        name: "somaticVariants",
        version: 1,
        title: "Somatic variants",
        workflow: "somatic-calling",
        strategies: DNA,
        makes: &["variant_calling"],
        own: calling,
    },
    RNA_EXPRESSION,
    Kind {
        strategies: RNA,
        makes: &["sequencing_experiment", "sequencing_alignment", "quality_control"],
        ..ALIGNED_READS
    },
    Kind { version: 2, own: second_expression, ..RNA_EXPRESSION },
    Kind {
        name: "methylationProfile",
        version: 1,
        title: "Methylation profile",
        workflow: "methylation",
        strategies: &["Bisulfite-Seq", "Methylation Array"],
        makes: &["methylation_profiling"],
        own: methylation,
    },
];

/// Returns the kind of the submission at a position.
pub(super) fn kind(position: u64) -> &'static Kind {
    &KINDS[position as usize % KINDS.len()]
}

impl SubmissionDraft {
    pub(super) fn experiment(&mut self, strategy: &str) -> Value {
        let random = &mut self.random;
        let mut experiment = json!({
            "strategy": strategy,
            "sequencingCentre": random.skewed(&SEQUENCING_CENTRES),
            "pairedEnd": random.percent(83),
            "sequencedOn": random.date(),
        });
        if let Some(platform) = maybe(random, 3, 2, |random| *random.skewed(&PLATFORMS)) {
            experiment["platform"] = json!(platform);
        }
        if let Some(coverage) = maybe(random, 18, 4, |random| random.decimal(4, 120)) {
            experiment["coverage"] = json!(coverage);
        }
        experiment
    }

    pub(super) fn workflow(&mut self, name: &str) -> Value {
        let random = &mut self.random;
        let (hour, minute) = (random.between(0, 23), random.between(0, 59));
        let mut workflow = json!({
            "name": name,
            "version": format!("{}.{}.0", random.between(1, 3), random.between(0, 9)),
            "finishedAt": format!("{}T{hour:02}:{minute:02}:00Z", random.date()),
        });
        if let Some(address) = maybe(random, 5, 2, address) {
            workflow["uploadedFrom"] = json!(address);
        }
        workflow
    }

    /// Returns the tags of the analysis; some have none, or no list of them.
    pub(super) fn tags(&mut self) -> Option<Value> {
        maybe(&mut self.random, 6, 2, tags).map(|tags| json!(tags))
    }
}

fn alignment(random: &mut Random) -> (&'static str, Value) {
    let alignment = json!({
        "aligner": random.skewed(&["BWA-MEM2", "minimap2", "STAR"]),
        "referenceGenome": random.skewed(&["GRCh38", "GRCh37", "CHM13v2"]),
        "totalReads": random.magnitude(29),
        "duplicates": random.decimal(2, 35) / 100.0,
    });
    ("alignment", alignment)
}

fn calling(random: &mut Random) -> (&'static str, Value) {
    let calling = json!({
        "tool": random.skewed(&["Mutect2", "Strelka2", "DeepSomatic", "VarScan2"]),
        "mutationalBurden": random.decimal(0, 40),
        "isFiltered": random.percent(70),
        "mutatedGenes": random.distinct(4, &GENES),
    });
    ("calling", calling)
}

fn expression(random: &mut Random) -> Value {
    json!({
        "libraryPreparation": random.skewed(&["poly-A selection", "rRNA depletion"]),
        "rnaIntegrityNumber": random.decimal(6, 10),
    })
}

fn second_expression(random: &mut Random) -> (&'static str, Value) {
    let mut expression = expression(random);
    expression["quantifier"] = json!(random.skewed(&["Salmon", "kallisto", "RSEM"]));
    let top_genes = random.distinct(3, &GENES).into_iter();
    expression["topGenes"] =
        top_genes.map(|symbol| json!({"symbol": symbol, "tpm": random.decimal(10, 4_000)})).collect();
    ("expression", expression)
}

fn methylation(random: &mut Random) -> (&'static str, Value) {
    let methylation = json!({
        "assay": random.skewed(&["EPIC v2", "Whole genome", "450K"]),
        "sites": random.magnitude(21),
        "meanBeta": random.decimal(20, 80) / 100.0,
    });
    ("methylation", methylation)
}
