//! Comparing an engine with the model on random indexes, documents and requests.

mod canonical;
mod properties;
mod report;
mod runner;
mod scores;
mod shrink;

use cantata_mapping::UtcDateTime;

use super::random::script;
use crate::SearchEngine;

/// The moment of every request: 2023-11-14T22:13:20Z.
const NOW_MILLIS: i64 = 1_700_000_000_000;

/// How many requests one random index gets.
const REQUESTS_PER_INDEX: usize = 25;

/// What an engine is tested for.
#[derive(Debug, Clone)]
pub struct Options {
    /// How many documents an index has at most.
    pub documents: usize,
    /// Whether documents may bring fields.
    pub dynamic_mapping: bool,
    /// Whether the number of different values is exact.
    pub exact_distinct: bool,
    /// Whether scores are those of [`crate::relevance`], and not of a formula of the engine's own.
    pub exact_scores: bool,
    /// What the engine cannot do, or does in a way of its own.
    pub exceptions: Exceptions,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            documents: 60,
            dynamic_mapping: true,
            exact_distinct: true,
            exact_scores: true,
            exceptions: Exceptions::default(),
        }
    }
}

/// Where an engine differs from the model, and nothing can be done about it. By default it differs nowhere.
///
/// Each exception is as narrow as it can be: what it names is kept out of the random cases, everything around it stays
/// in them. A crate that claims one shows by a test of its own that the engine really is like that.
#[derive(Debug, Clone, Copy, Default)]
pub struct Exceptions {
    /// Types that the engine does not have, or whose values it checks where the model does not look at them; no field
    /// is of one of them.
    pub absent_types: &'static [&'static str],
    /// The mapping is not given back word by word. It is to have the same fields of the same kinds.
    pub rewritten_mapping: bool,
    /// A text field knows its words only, and takes a number with a point for one word. Each text field has a keyword
    /// beside it that holds the whole texts, and no document gives such a number to a field of texts.
    pub words_only: bool,
    /// A negative zero is less than zero. No document has one.
    pub negative_zero: bool,
    /// Types whose values have no order, or not the right one where a record has several. No sort names one.
    pub unordered_types: &'static [&'static str],
}

/// Makes this many random requests, spread over random indexes, compares every answer with the model's, and checks what
/// must hold among the answers to a search.
///
/// # Panics
///
/// If an answer differs; the message has the seed and the smallest case that was found to differ.
pub async fn run_random(engine: &dyn SearchEngine, seed: u64, cases: usize, options: &Options) {
    let mut left = cases;
    let mut index_seed = seed;
    while left > 0 {
        let requests = left.min(REQUESTS_PER_INDEX);
        let script = script(index_seed, requests, options);
        if let Err(mismatch) = runner::run(engine, &script, options).await {
            let (small, mismatch) = shrink::shrink(engine, script, mismatch, options).await;
            panic!("{}", report::report(index_seed, &small, &mismatch));
        }
        left -= requests;
        // Seeds next to each other must not lead to the same indexes.
        index_seed = index_seed.wrapping_add(0x9E37_79B9_7F4A_7C15);
    }
}

/// Returns the moment of every request.
pub(super) fn now() -> UtcDateTime {
    UtcDateTime::from_millis(NOW_MILLIS).unwrap()
}
