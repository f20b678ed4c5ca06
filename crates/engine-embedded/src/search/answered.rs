//! Answers that a snapshot has given, so that what is asked again costs nothing.
//!
//! A portal asks for the same facets whenever a person sorts the table or turns a page, and everybody who opens it asks
//! for the same first page. Pages and facets are kept one by one, each under the plan that asks for it alone. They go
//! with the snapshot, so that they never tell of another state of the index. Documents are not kept: they may be large.

use std::sync::{Mutex, PoisonError};

use cantata_engine::{Bucket, FacetAnswer, Filter, Plan};
use hashbrown::HashMap;

use super::hits::Page;

/// How much is kept, in about so many bytes.
const MOST_BYTES: usize = 32 << 20;

/// About how many bytes a part of a question or of an answer takes.
const PART: usize = 128;

/// Of how many parts a question or an answer may consist to be kept.
const MOST_PARTS: usize = 4096;

/// The answers of a snapshot.
#[derive(Default)]
pub(crate) struct Answered {
    pub(super) pages: Kept<Page>,
    pub(super) facets: Kept<FacetAnswer>,
}

/// Answers of one kind.
#[derive(Default)]
pub(super) struct Kept<A>(Mutex<Shelf<A>>);

struct Shelf<A> {
    answers: HashMap<Plan, A>,
    bytes: usize,
}

impl<A> Default for Shelf<A> {
    fn default() -> Self {
        Self { answers: HashMap::new(), bytes: 0 }
    }
}

impl<A: Parts + Clone> Kept<A> {
    pub(super) fn get(&self, question: &Plan) -> Option<A> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).answers.get(question).cloned()
    }

    /// Keeps an answer, unless it is too large. When there are too many, all others go: what is still asked for comes
    /// back soon.
    pub(super) fn keep(&self, question: Plan, answer: &A) {
        let parts = question.filters.iter().map(parts_of_filter).sum::<usize>() + answer.parts();
        if parts > MOST_PARTS {
            return;
        }
        let bytes = parts * PART;
        let mut shelf = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if shelf.bytes + bytes > MOST_BYTES {
            *shelf = Shelf::default();
        }
        if shelf.answers.insert(question, answer.clone()).is_none() {
            shelf.bytes += bytes;
        }
    }
}

/// An answer of which can be told how large it is.
pub(super) trait Parts {
    /// Returns of how many parts of about the same size it consists.
    fn parts(&self) -> usize;
}

impl Parts for Page {
    fn parts(&self) -> usize {
        1 + self.records.iter().map(|(cursor, _)| 1 + cursor.values.len()).sum::<usize>()
    }
}

impl Parts for FacetAnswer {
    fn parts(&self) -> usize {
        let of_bucket = |bucket: &Bucket| 1 + bucket.filtered.len();
        let counts = self.histograms.iter().map(Vec::len).chain(self.ranges.iter().map(Vec::len));
        1 + self.buckets.iter().map(of_bucket).sum::<usize>() + counts.sum::<usize>()
    }
}

fn parts_of_filter(filter: &Filter) -> usize {
    match filter {
        Filter::And(parts) | Filter::Or(parts) => 1 + parts.iter().map(parts_of_filter).sum::<usize>(),
        Filter::Not(inner) | Filter::Nested { inner, .. } => 1 + parts_of_filter(inner),
        Filter::Terms { values, .. } => 1 + values.len(),
        _ => 1,
    }
}
