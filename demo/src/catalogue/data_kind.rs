//! What files hold: the kinds of data that a file's type, name, size and experiment follow from.

/// One kind of data, produced by one type of analysis and kept in one type of file.
pub(crate) struct DataKind {
    /// The data type.
    pub(crate) data_type: &'static str,
    /// The category that the data type belongs to.
    pub(crate) category: &'static str,
    /// The type of the files.
    pub(crate) file_type: &'static str,
    /// How file names end, after the strategy.
    pub(crate) ending: &'static str,
    /// The type of the analysis that makes it.
    pub(crate) analysis_type: &'static str,
    /// The strategies of the experiments before it, the most common first.
    pub(crate) strategies: &'static [&'static str],
    /// The typical size, as a power of two.
    pub(crate) size_exponent: u64,
}

const DNA: &[&str] = &["WGS", "WXS", "Targeted-Seq", "Amplicon"];
const RNA: &[&str] = &["RNA-Seq", "miRNA-Seq", "scRNA-Seq"];
const METHYLATION: &[&str] = &["Bisulfite-Seq", "Methylation Array"];
const ANY: &[&str] = &["WGS", "WXS", "RNA-Seq", "Targeted-Seq", "ATAC-Seq", "Bisulfite-Seq"];

const READS: &str = "Sequencing Reads";
const SIMPLE: &str = "Simple Nucleotide Variation";
const COPY_NUMBER: &str = "Copy Number Variation";
const STRUCTURAL: &str = "Structural Variation";
const EXPRESSION: &str = "Transcriptome Profiling";
const QUALITY: &str = "Quality Control Metrics";
const EPIGENOME: &str = "DNA Methylation";

const EXPERIMENT: &str = "sequencing_experiment";
const ALIGNMENT: &str = "sequencing_alignment";
const CALLING: &str = "variant_calling";
const CONTROL: &str = "quality_control";
const QUANTIFICATION: &str = "rna_quantification";
const PROFILING: &str = "methylation_profiling";

/// The kinds of data, the most common first.
pub(crate) const DATA_KINDS: [DataKind; 20] = [
    kind("Aligned Reads", READS, "CRAM", "aligned.cram", ALIGNMENT, DNA, 34),
    kind("Somatic SNV Calls", SIMPLE, "VCF", "snv.vcf.gz", CALLING, DNA, 23),
    kind("Somatic InDel Calls", SIMPLE, "VCF", "indel.vcf.gz", CALLING, DNA, 21),
    kind("Alignment Metrics", QUALITY, "TGZ", "alignment-metrics.tgz", CONTROL, ANY, 17),
    kind("Gene Expression Counts", EXPRESSION, "TSV", "gene-counts.tsv.gz", QUANTIFICATION, RNA, 20),
    kind("Somatic SV Calls", STRUCTURAL, "VCF", "sv.vcf.gz", CALLING, &["WGS"], 20),
    kind("Raw Reads", READS, "FASTQ", "reads.fastq.gz", EXPERIMENT, ANY, 33),
    kind("Transcriptome Alignment", READS, "BAM", "transcriptome.bam", ALIGNMENT, RNA, 32),
    kind("Copy Number Segments", COPY_NUMBER, "TSV", "segments.tsv.gz", CALLING, DNA, 16),
    kind("Splice Junctions", EXPRESSION, "TSV", "junctions.tsv.gz", QUANTIFICATION, RNA, 21),
    kind("Masked Somatic Mutations", SIMPLE, "MAF", "masked.maf.gz", CALLING, DNA, 22),
    kind("Read Group Metrics", QUALITY, "JSON", "read-groups.json", CONTROL, ANY, 13),
    kind("Germline SNV Calls", SIMPLE, "VCF", "germline-snv.vcf.gz", CALLING, DNA, 28),
    kind("Methylation Beta Values", EPIGENOME, "TSV", "beta.tsv.gz", PROFILING, METHYLATION, 24),
    kind("Duplicate Metrics", QUALITY, "JSON", "duplicates.json", CONTROL, ANY, 12),
    kind("Annotated Somatic Mutations", SIMPLE, "MAF", "annotated.maf.gz", CALLING, DNA, 23),
    kind("Gene Fusions", STRUCTURAL, "TSV", "fusions.tsv.gz", QUANTIFICATION, RNA, 15),
    kind("Peak Calls", EPIGENOME, "TSV", "peaks.tsv.gz", PROFILING, &["ATAC-Seq", "ChIP-Seq"], 19),
    kind("Isoform Expression", EXPRESSION, "TSV", "isoforms.tsv.gz", QUANTIFICATION, RNA, 22),
    kind("Contamination Estimates", QUALITY, "JSON", "contamination.json", CONTROL, DNA, 11),
];

const fn kind(
    data_type: &'static str,
    category: &'static str,
    file_type: &'static str,
    ending: &'static str,
    analysis_type: &'static str,
    strategies: &'static [&'static str],
    size_exponent: u64,
) -> DataKind {
    DataKind { data_type, category, file_type, ending, analysis_type, strategies, size_exponent }
}
