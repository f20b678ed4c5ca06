//! Which files belong to which donors.
//!
//! Files and donors come in cohorts of one study: the files 0 to 23 are of the donors 0 to 3, the next 24 of the next
//! four, and so on. Within a cohort the files are spread unevenly, and a few belong to two donors. The relation can be
//! followed both ways without knowing how many files there are.

use super::vocabulary::{STUDIES, Study};
use crate::random::Random;

/// How many files a cohort has.
const FILES_PER_COHORT: u64 = 24;
/// How many donors a cohort has.
const DONORS_PER_COHORT: u64 = 4;
/// How many files in a hundred belong to a second donor.
const SHARED_PERCENT: u64 = 6;

/// The donor, within its cohort, of each file of a cohort: twelve, six, four and two files.
const OWNERS: [u64; FILES_PER_COHORT as usize] =
    [0, 1, 0, 2, 0, 1, 0, 3, 0, 1, 0, 2, 0, 1, 0, 2, 0, 1, 0, 3, 0, 1, 0, 2];

/// The kinds of objects that have a sequence of random numbers of their own.
pub(crate) mod kind {
    pub(crate) const COHORT: u64 = 1;
    pub(crate) const SHARING: u64 = 2;
    pub(crate) const DONOR: u64 = 3;
    pub(crate) const FILE: u64 = 4;
}

/// Returns the study of a file.
pub(crate) fn study_of_file(seed: u64, file: u64) -> &'static Study {
    study(seed, file / FILES_PER_COHORT)
}

/// Returns the study of a donor.
pub(crate) fn study_of_donor(seed: u64, donor: u64) -> &'static Study {
    study(seed, donor / DONORS_PER_COHORT)
}

fn study(seed: u64, cohort: u64) -> &'static Study {
    Random::of(seed, kind::COHORT, cohort).skewed(&STUDIES)
}

/// Returns the donor that a file is named after.
pub(crate) fn owner(file: u64) -> u64 {
    file / FILES_PER_COHORT * DONORS_PER_COHORT + OWNERS[(file % FILES_PER_COHORT) as usize]
}

/// Returns the donors of a file, its owner first.
pub(crate) fn donors_of_file(seed: u64, file: u64) -> impl Iterator<Item = u64> {
    let owner = owner(file);
    let neighbour = owner / DONORS_PER_COHORT * DONORS_PER_COHORT + (owner + 1) % DONORS_PER_COHORT;
    let is_shared = Random::of(seed, kind::SHARING, file).percent(SHARED_PERCENT);
    [owner].into_iter().chain(is_shared.then_some(neighbour))
}

/// Returns the files of a donor.
pub(crate) fn files_of_donor(seed: u64, donor: u64) -> impl Iterator<Item = u64> {
    let first = donor / DONORS_PER_COHORT * FILES_PER_COHORT;
    (first..first + FILES_PER_COHORT).filter(move |file| donors_of_file(seed, *file).any(|of| of == donor))
}
