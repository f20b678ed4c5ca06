//! Submissions: the type, study and final state of each position.
//!
//! The donors are those of the invented world of [`crate::catalogue`]; three analyses in a row are of the same donors.

mod data;
mod donors;
mod files;

use serde_json::{Map, Value, json};

use crate::catalogue::Study;
use crate::random::Random;
use crate::studies::sample_studies;

/// The final state of a submitted analysis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FinalState {
    /// It stays as submitted.
    Unpublished,
    /// It is published.
    Published,
    /// It is published, then withdrawn.
    Suppressed,
}

/// An analysis to submit.
#[derive(Debug, Clone, PartialEq)]
pub struct Submission {
    /// The study to submit to.
    pub study_id: &'static str,
    /// The payload.
    pub payload: Value,
    /// Its final state.
    pub final_state: FinalState,
}

/// The world that the donors are of.
const SEED: u64 = 1;

/// The kinds of objects that have a sequence of random numbers of their own; others are those of the world.
const STUDY: u64 = 11;
const SUBMISSION: u64 = 12;

/// How many submissions in a row have the same donors.
const SUBMISSIONS_PER_DONOR: u64 = 3;

/// How many donors in a row take part in the same study.
const DONORS_PER_STUDY: u64 = 2;

/// What the parts of one submission are made from.
struct SubmissionDraft {
    position: u64,
    study: &'static Study,
    random: Random,
}

/// Returns the first `count` submissions, made one by one as they are taken.
pub fn submissions(count: usize) -> impl Iterator<Item = Submission> {
    (0..).take(count).map(submission)
}

fn submission(position: u64) -> Submission {
    let cohort = position / SUBMISSIONS_PER_DONOR / DONORS_PER_STUDY;
    let study = Random::of(SEED, STUDY, cohort).skewed(sample_studies());
    let mut draft = SubmissionDraft { position, study, random: Random::of(SEED, SUBMISSION, position) };
    let final_state = match draft.random.between(1, 100) {
        1..=86 => FinalState::Published,
        87..=95 => FinalState::Unpublished,
        _ => FinalState::Suppressed,
    };
    Submission { study_id: study.id, payload: draft.payload(), final_state }
}

impl SubmissionDraft {
    fn payload(&mut self) -> Value {
        let kind = data::kind(self.position);
        let strategy = *self.random.skewed(kind.strategies);
        let mut payload = Map::from_iter([
            ("studyId".to_owned(), self.study.id.into()),
            ("analysisType".to_owned(), json!({"name": kind.name, "version": kind.version})),
            ("title".to_owned(), format!("{}: {}", kind.title, self.study.name).into()),
            ("experiment".to_owned(), self.experiment(strategy)),
            ("donors".to_owned(), self.donors()),
            ("workflow".to_owned(), self.workflow(kind.workflow)),
        ]);
        payload.extend(self.tags().map(|tags| ("tags".to_owned(), tags)));
        let (name, own) = (kind.own)(&mut self.random);
        payload.insert(name.to_owned(), own);
        payload.insert("files".to_owned(), self.files(kind, strategy));
        payload.into()
    }
}
