//! Submissions: which type and study each position has, and what becomes of it.

mod donors;
mod expression;
mod long_reads;
mod reads;
mod variants;

use serde_json::Value;

use crate::random::Random;
use crate::studies::STUDY_IDS;

/// What becomes of an analysis after its submission.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Outcome {
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
    /// What becomes of it.
    pub outcome: Outcome,
}

/// What the payloads of one submission are made from.
struct Draft {
    position: u64,
    study_id: &'static str,
    access: &'static str,
    random: Random,
}

/// The kinds of payload, in the order in which submissions go through them.
const KINDS: [fn(&mut Draft) -> Value; 6] = [
    reads::sequencing_read,
    variants::somatic_variants,
    expression::first_version,
    variants::variant_call,
    expression::second_version,
    long_reads::long_read_genome,
];

/// Returns the first `count` submissions, made one by one as they are taken.
pub fn submissions(count: usize) -> impl Iterator<Item = Submission> {
    (0..).take(count).map(submission)
}

fn submission(position: u64) -> Submission {
    let mut random = Random::new(position);
    let study_id = *random.pick(&STUDY_IDS);
    let outcome = match random.between(1, 100) {
        1..=70 => Outcome::Published,
        71..=92 => Outcome::Unpublished,
        _ => Outcome::Suppressed,
    };
    let access = if study_id == "HEALTHY-REF" { "open" } else { "controlled" };
    let kind = KINDS[position as usize % KINDS.len()];
    let payload = kind(&mut Draft { position, study_id, access, random });
    Submission { study_id, payload, outcome }
}
