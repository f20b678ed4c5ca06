//! Specimens of a donor and the samples prepared from them.

use serde::Serialize;

use super::accession::Accession;
use super::calendar::Day;
use super::maybe::{Maybe, maybe};
use super::vocabulary::{HOW_MANY, SAMPLE_TYPES, SPECIMEN_TYPES, SpecimenType, TUMOUR_GRADES};
use crate::random::Random;

/// More than a donor has specimens and a specimen has samples; it keeps the numbers of one apart from the next's.
const NUMBERS_PER_PARENT: u64 = 4;

/// What was taken from a donor at one time and place.
#[derive(Serialize)]
pub(crate) struct Specimen {
    specimen_id: Accession,
    specimen_type: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    tumour_grade: Maybe<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    collected_at: Maybe<Day>,
    pub(crate) samples: Vec<Sample>,
}

/// What was prepared from a specimen for an experiment.
#[derive(Serialize)]
pub(crate) struct Sample {
    sample_id: Accession,
    sample_type: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    percent_tumour: Maybe<f64>,
}

/// Makes the specimens of a donor; a few donors have none yet.
pub(crate) fn specimens(random: &mut Random, donor: u64) -> Vec<Specimen> {
    let count = if random.percent(1) { 0 } else { *random.skewed(&HOW_MANY) };
    let first = donor * NUMBERS_PER_PARENT;
    (first..first + count).map(|number| Specimen::new(random, number)).collect()
}

impl Specimen {
    fn new(random: &mut Random, number: u64) -> Self {
        let SpecimenType { name, is_tumour } = *random.skewed(&SPECIMEN_TYPES);
        let first = number * NUMBERS_PER_PARENT;
        let samples = first..first + random.skewed(&HOW_MANY);
        Self {
            specimen_id: Accession { prefix: "SP", number },
            specimen_type: name,
            tumour_grade: if is_tumour { maybe(random, 12, 8, |random| *random.skewed(&TUMOUR_GRADES)) } else { None },
            collected_at: maybe(random, 4, 2, |random| Day::of_years(random, 2012, 2021)),
            samples: samples.map(|number| Sample::new(random, number, is_tumour)).collect(),
        }
    }
}

impl Sample {
    fn new(random: &mut Random, number: u64, is_tumour: bool) -> Self {
        Self {
            sample_id: Accession { prefix: "SA", number },
            sample_type: random.skewed::<&str>(&SAMPLE_TYPES),
            percent_tumour: if is_tumour { maybe(random, 15, 5, |random| random.decimal(5, 100)) } else { None },
        }
    }
}
