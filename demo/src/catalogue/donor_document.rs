//! Documents of the index `donor_centric`.

use serde::Serialize;
use uuid::Uuid;

use super::accession::Accession;
use super::cohort::{files_of_donor, study_of_donor};
use super::donor::Donor;
use super::file_document::{FileDocument, FileName};

/// A donor with everything that is known of it.
#[derive(Serialize)]
pub(crate) struct DonorDocument {
    #[serde(rename = "_id")]
    id: Accession,
    #[serde(flatten)]
    donor: Donor,
    study_id: &'static str,
    study_name: &'static str,
    summary: Summary,
    files: Vec<DonorFile>,
}

/// What a donor has brought in numbers.
#[derive(Serialize)]
struct Summary {
    specimen_count: usize,
    sample_count: usize,
    file_count: usize,
    total_size: u64,
}

/// A file of a donor.
#[derive(Serialize)]
struct DonorFile {
    object_id: Uuid,
    file_id: Accession,
    file_name: FileName,
    file_type: &'static str,
    file_access: &'static str,
    data_type: &'static str,
    data_category: &'static str,
    size: u64,
    analysis_type: &'static str,
    strategy: &'static str,
    is_released: bool,
}

impl DonorDocument {
    /// Makes the document of a donor.
    pub(crate) fn new(seed: u64, number: u64) -> Self {
        let donor = Donor::new(seed, number);
        let study = study_of_donor(seed, number);
        let files: Vec<DonorFile> =
            files_of_donor(seed, number).map(|file| FileDocument::without_donors(seed, file).into()).collect();
        Self {
            id: donor.donor_id,
            study_id: study.id,
            study_name: study.name,
            summary: Summary {
                specimen_count: donor.specimens.len(),
                sample_count: donor.specimens.iter().map(|specimen| specimen.samples.len()).sum(),
                file_count: files.len(),
                total_size: files.iter().map(|file| file.size).sum(),
            },
            donor,
            files,
        }
    }
}

impl From<FileDocument> for DonorFile {
    fn from(file: FileDocument) -> Self {
        Self {
            object_id: file.object_id,
            file_id: file.file_id,
            file_name: file.file_name,
            file_type: file.file_type,
            file_access: file.file_access,
            data_type: file.data_type,
            data_category: file.data_category,
            size: file.size,
            analysis_type: file.analysis.analysis_type,
            strategy: file.analysis.experiment.strategy,
            is_released: file.is_released,
        }
    }
}
