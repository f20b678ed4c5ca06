//! Documents of the index `file_centric`.
//!
//! Typed rather than trees of JSON values, and with nearly all strings borrowed, because benchmarks make millions.

use std::fmt;
use std::net::Ipv4Addr;

use serde::{Serialize, Serializer};
use uuid::Uuid;

use super::accession::{Accession, Checksum, uuid};
use super::calendar::{Day, Moment};
use super::cohort::{donors_of_file, kind, owner, study_of_file};
use super::data_kind::{DATA_KINDS, DataKind};
use super::donor::{Donor, donor_id};
use super::maybe::{Maybe, maybe};
use super::vocabulary::{HOW_MANY, NETWORKS, PLATFORMS, REPOSITORIES, Repository, SEQUENCING_CENTRES, TAGS};
use crate::random::Random;

/// A file with everything that is known of it.
#[derive(Serialize)]
pub(crate) struct FileDocument {
    #[serde(rename = "_id")]
    id: Uuid,
    pub(crate) object_id: Uuid,
    pub(crate) file_id: Accession,
    pub(crate) file_name: FileName,
    pub(crate) file_type: &'static str,
    pub(crate) file_access: &'static str,
    pub(crate) data_type: &'static str,
    pub(crate) data_category: &'static str,
    pub(crate) size: u64,
    md5: Checksum,
    study_id: &'static str,
    study_name: &'static str,
    pub(crate) analysis: Analysis,
    repositories: Vec<Repository>,
    pub(crate) is_released: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    released_at: Maybe<Day>,
    #[serde(skip_serializing_if = "Option::is_none")]
    uploaded_from: Maybe<Ipv4Addr>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tags: Maybe<Vec<&'static str>>,
    donors: Vec<Donor>,
}

/// The analysis that made a file.
#[derive(Serialize)]
pub(crate) struct Analysis {
    analysis_id: Uuid,
    pub(crate) analysis_type: &'static str,
    analysis_version: u64,
    first_published_at: Moment,
    pub(crate) experiment: Experiment,
}

/// The experiment that an analysis worked on.
#[derive(Serialize)]
pub(crate) struct Experiment {
    #[serde(skip_serializing_if = "Option::is_none")]
    platform: Maybe<&'static str>,
    pub(crate) strategy: &'static str,
    sequencing_centre: &'static str,
    paired_end: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    coverage: Maybe<f64>,
}

/// The name of a file, such as `DO0000042-FL0000311-WGS-snv.vcf.gz`.
pub(crate) struct FileName {
    donor: Accession,
    file: Accession,
    strategy: &'static str,
    ending: &'static str,
}

impl fmt::Display for FileName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}-{}-{}", self.donor, self.file, self.strategy, self.ending)
    }
}

impl Serialize for FileName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl FileDocument {
    /// Makes the document of a file.
    pub(crate) fn new(seed: u64, number: u64) -> Self {
        let donors = donors_of_file(seed, number).map(|donor| Donor::new(seed, donor)).collect();
        Self { donors, ..Self::without_donors(seed, number) }
    }

    /// Makes the document of a file for a reader who has its donors.
    pub(crate) fn without_donors(seed: u64, number: u64) -> Self {
        let random = &mut Random::of(seed, kind::FILE, number);
        let study = study_of_file(seed, number);
        let data = random.skewed(&DATA_KINDS);
        let strategy = *random.skewed(data.strategies);
        let object_id = uuid(random);
        let file_id = Accession { prefix: "FL", number };
        let published = Day::of_years(random, 2018, 2024);
        let is_released = random.percent(88);
        Self {
            id: object_id,
            object_id,
            file_id,
            file_name: FileName { donor: donor_id(owner(number)), file: file_id, strategy, ending: data.ending },
            file_type: data.file_type,
            file_access: if random.percent(27) { "open" } else { "controlled" },
            data_type: data.data_type,
            data_category: data.category,
            size: random.magnitude(data.size_exponent),
            md5: Checksum(random.wide()),
            study_id: study.id,
            study_name: study.name,
            analysis: Analysis::new(random, data, strategy, published),
            repositories: repositories(random),
            is_released,
            released_at: if is_released {
                maybe(random, 1, 0, |random| published.plus(random.between(0, 400)))
            } else {
                Some(None)
            },
            uploaded_from: maybe(random, 5, 2, address),
            tags: maybe(random, 6, 2, tags),
            donors: Vec::new(),
        }
    }
}

impl Analysis {
    fn new(random: &mut Random, data: &DataKind, strategy: &'static str, published: Day) -> Self {
        Self {
            analysis_id: uuid(random),
            analysis_type: data.analysis_type,
            analysis_version: *random.skewed(&[3, 2, 4, 1]),
            first_published_at: published.moment(random),
            experiment: Experiment {
                platform: maybe(random, 3, 2, |random| *random.skewed(&PLATFORMS)),
                strategy,
                sequencing_centre: random.skewed::<&str>(&SEQUENCING_CENTRES),
                paired_end: random.percent(83),
                coverage: maybe(random, 18, 4, |random| random.decimal(4, 120)),
            },
        }
    }
}

/// Returns one to three different repositories.
fn repositories(random: &mut Random) -> Vec<Repository> {
    let count = *random.skewed(&HOW_MANY) as usize;
    let positions: [usize; REPOSITORIES.len()] = std::array::from_fn(|position| position);
    let first = *random.skewed(&positions);
    REPOSITORIES.iter().cycle().skip(first).take(count).copied().collect()
}

/// Returns an address that is reserved for examples.
pub(crate) fn address(random: &mut Random) -> Ipv4Addr {
    let [first, second, third] = *random.skewed(&NETWORKS);
    let last = *random.pick(&[7, 12, 31, 44, 58, 90, 113, 127, 150, 201, 222, 250]);
    Ipv4Addr::new(first, second, third, last)
}

/// Returns up to three different tags, or none.
pub(crate) fn tags(random: &mut Random) -> Vec<&'static str> {
    random.distinct(3, &TAGS)
}
