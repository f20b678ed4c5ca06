//! The values that fields choose from, the most common first.

use serde::Serialize;

use crate::random::Random;

/// A study and the site of the cancer that it is about.
pub(crate) struct Study {
    /// The identifier.
    pub(crate) id: &'static str,
    /// The name.
    pub(crate) name: &'static str,
    /// Where the cancer began in most of its donors.
    pub(crate) primary_site: &'static str,
}

/// The studies.
pub(crate) const STUDIES: [Study; 30] = [
    study("BREAST-SE", "Breast cancer and hormone receptors", "Breast"),
    study("LUNG-PL", "Lung adenocarcinoma in never-smokers", "Lung"),
    study("COLON-CA", "Colorectal cancer screening cohort", "Colon"),
    study("PROST-UK", "Prostate cancer under active surveillance", "Prostate"),
    study("PANC-AU", "Resectable pancreatic ductal adenocarcinoma", "Pancreas"),
    study("LEUK-DE", "Acute myeloid leukaemia", "Blood"),
    study("LIVER-JP", "Liver cancer after viral hepatitis", "Liver"),
    study("OVARY-FR", "High-grade serous ovarian cancer", "Ovary"),
    study("BRAIN-US", "Glioblastoma at first recurrence", "Brain"),
    study("KIDNEY-IT", "Clear cell renal carcinoma", "Kidney"),
    study("SKIN-AU", "Melanoma of sun-exposed skin", "Skin"),
    study("STOM-KR", "Early gastric cancer", "Stomach"),
    study("SARC-NZ", "Soft tissue sarcoma subtypes", "Soft tissue"),
    study("ESOPH-UK", "Barrett's oesophagus and its progression", "Oesophagus"),
    study("BLADDER-ES", "Bladder cancer and response to immunotherapy", "Bladder"),
    study("THYR-CH", "Papillary thyroid carcinoma", "Thyroid"),
    study("LYMPH-DK", "Diffuse large B-cell lymphoma", "Lymph nodes"),
    study("HEAD-IN", "Oral cavity cancer and tobacco", "Head and neck"),
    study("UTER-BR", "Endometrial cancer subtypes", "Uterus"),
    study("BONE-MX", "Osteosarcoma and its relapse", "Bone"),
    study("CERV-ZA", "Cervical cancer and papillomavirus", "Cervix"),
    study("BILE-TH", "Cholangiocarcinoma and liver fluke", "Bile duct"),
    study("ADREN-NO", "Adrenocortical carcinoma", "Adrenal gland"),
    study("TESTIS-FI", "Testicular germ cell tumours", "Testis"),
    study("EYE-BE", "Uveal melanoma", "Eye"),
    study("MESO-GB", "Pleural mesothelioma after asbestos", "Pleura"),
    study("MYEL-AT", "Multiple myeloma before and after treatment", "Blood"),
    study("BREAST-NG", "Triple-negative breast cancer in West Africa", "Breast"),
    study("LUNG-CN", "Small cell lung cancer", "Lung"),
    study("THYMUS-IE", "Thymic epithelial tumours", "Thymus"),
];

const fn study(id: &'static str, name: &'static str, primary_site: &'static str) -> Study {
    Study { id, name, primary_site }
}

/// How many studies name every primary site; the later ones are about a site of an earlier one.
const SITE_STUDIES: usize = 26;

/// Returns a site where a cancer may begin.
pub(crate) fn primary_site(random: &mut Random) -> &'static str {
    random.skewed(&STUDIES[..SITE_STUDIES]).primary_site
}

/// Returns the genders of donors whose cancer began at a site.
pub(crate) fn genders(primary_site: &str) -> &'static [&'static str] {
    match primary_site {
        "Prostate" | "Testis" => &["Male"],
        "Ovary" | "Uterus" | "Cervix" => &["Female"],
        "Breast" => &["Female", "Male", "Other"],
        _ => &["Male", "Female", "Other"],
    }
}

/// How many specimens a donor, samples a specimen and copies a file has.
pub(crate) const HOW_MANY: [u64; 3] = [1, 2, 3];

/// A type of specimen.
#[derive(Clone, Copy)]
pub(crate) struct SpecimenType {
    /// The name.
    pub(crate) name: &'static str,
    /// Whether it is of the tumour, and so has a grade and a share of tumour cells.
    pub(crate) is_tumour: bool,
}

/// The types of specimens.
pub(crate) const SPECIMEN_TYPES: [SpecimenType; 8] = [
    SpecimenType { name: "Primary tumour", is_tumour: true },
    SpecimenType { name: "Normal blood", is_tumour: false },
    SpecimenType { name: "Normal adjacent tissue", is_tumour: false },
    SpecimenType { name: "Metastatic tumour", is_tumour: true },
    SpecimenType { name: "Recurrent tumour", is_tumour: true },
    SpecimenType { name: "Cell line", is_tumour: true },
    SpecimenType { name: "Xenograft", is_tumour: true },
    SpecimenType { name: "Normal saliva", is_tumour: false },
];

/// The grades of tumours.
pub(crate) const TUMOUR_GRADES: [&str; 5] = ["G2", "G3", "G1", "G4", "GX"];

/// The types of samples.
pub(crate) const SAMPLE_TYPES: [&str; 6] =
    ["Total DNA", "Total RNA", "Amplified DNA", "polyA+ RNA", "ctDNA", "Single-cell suspension"];

/// The machines that read.
pub(crate) const PLATFORMS: [&str; 5] = ["ILLUMINA", "OXFORD_NANOPORE", "PACBIO", "MGI", "ION_TORRENT"];

/// The centres where samples are sequenced.
pub(crate) const SEQUENCING_CENTRES: [&str; 12] = [
    "Northern Lakes",
    "Harbour Genomics",
    "Alpine Core",
    "Delta Sequencing",
    "Prairie Institute",
    "Fjord Genomics",
    "Sakura Centre",
    "Baobab Lab",
    "Cape Facility",
    "Andes Core",
    "Monsoon Genomics",
    "Coral Coast",
];

/// What files are tagged with.
pub(crate) const TAGS: [&str; 16] = [
    "reviewed",
    "pan-cancer",
    "flagship",
    "paired",
    "reprocessed",
    "pilot",
    "low-coverage",
    "ffpe",
    "fresh-frozen",
    "paediatric",
    "treatment-naive",
    "benchmark",
    "longitudinal",
    "immunotherapy",
    "rapid-autopsy",
    "training-set",
];

/// The first three numbers of the addresses that files were uploaded from; all of them reserved for examples.
pub(crate) const NETWORKS: [[u8; 3]; 3] = [[192, 0, 2], [198, 51, 100], [203, 0, 113]];

/// A repository that keeps copies of files.
#[derive(Clone, Copy, Serialize)]
pub(crate) struct Repository {
    code: &'static str,
    country: &'static str,
    name: &'static str,
}

/// The repositories that keep copies of files.
pub(crate) const REPOSITORIES: [Repository; 7] = [
    Repository { code: "tor-1", country: "Canada", name: "Great Lakes Data Commons" },
    Repository { code: "fra-1", country: "Germany", name: "Rhine Genome Archive" },
    Repository { code: "vir-1", country: "United States", name: "Atlantic Research Cloud" },
    Repository { code: "lon-1", country: "United Kingdom", name: "Thames Biobank" },
    Repository { code: "tok-1", country: "Japan", name: "Sakura Cancer Repository" },
    Repository { code: "syd-1", country: "Australia", name: "Southern Cross Store" },
    Repository { code: "cpt-1", country: "South Africa", name: "Cape Open Genomes" },
];
