//! Donors, the same wherever they appear.

use serde::Serialize;

use super::accession::Accession;
use super::cohort::{kind, study_of_donor};
use super::maybe::{Maybe, maybe};
use super::specimen::{Specimen, specimens};
use super::vocabulary::{Study, genders, primary_site};
use crate::random::Random;

/// A person that took part in a study.
#[derive(Serialize)]
pub(crate) struct Donor {
    pub(crate) donor_id: Accession,
    #[serde(skip_serializing_if = "Option::is_none")]
    gender: Maybe<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    age_at_diagnosis: Maybe<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    vital_status: Maybe<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    is_deceased: Maybe<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    survival_days: Maybe<u64>,
    primary_site: &'static str,
    pub(crate) specimens: Vec<Specimen>,
}

/// Returns the identifier of a donor.
pub(crate) fn donor_id(number: u64) -> Accession {
    Accession { prefix: "DO", number }
}

impl Donor {
    /// Makes the donor of a number.
    pub(crate) fn new(seed: u64, number: u64) -> Self {
        Self::of_study(seed, number, study_of_donor(seed, number))
    }

    /// Makes the donor of a number, who takes part in a study.
    pub(crate) fn of_study(seed: u64, number: u64, study: &Study) -> Self {
        let random = &mut Random::of(seed, kind::DONOR, number);
        let primary_site = if random.percent(85) { study.primary_site } else { primary_site(random) };
        let is_deceased = maybe(random, 5, 3, |random| random.percent(32));
        Self {
            donor_id: donor_id(number),
            gender: maybe(random, 2, 1, |random| *random.skewed(genders(primary_site))),
            age_at_diagnosis: maybe(random, 7, 3, age),
            vital_status: is_deceased.map(|known| known.map(|dead| if dead { "Deceased" } else { "Alive" })),
            is_deceased,
            // Only the dead have survived a known number of days.
            survival_days: match is_deceased {
                Some(Some(true)) => maybe(random, 4, 6, |random| random.magnitude(9)),
                _ => None,
            },
            primary_site,
            specimens: specimens(random, number),
        }
    }
}

/// Returns an age in years, most often between 40 and 65.
fn age(random: &mut Random) -> u64 {
    (0..4).map(|_| random.between(2, 22)).sum::<u64>() + random.between(0, 10)
}
