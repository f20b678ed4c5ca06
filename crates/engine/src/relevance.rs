//! Relevance: how well a record matches the texts that a filter seeks.
//!
//! A filter finds records; a score only orders them, and never changes which are found. It is computed where a request
//! asks for it ([`crate::HitsRequest::score`]), and nowhere else.
//!
//! # What scores
//!
//! Conditions that seek texts: wildcards, fuzzy texts, values with `*`, and values of a text field
//! ([`ScoringCondition::new`]). Chosen values of other fields, ranges and sets select records, and do not say which of
//! them are better; these conditions score zero. So do negations, which have nothing that matches. Without a condition
//! that scores, all records have the score zero, and an order by relevance is the order of what follows in the sort,
//! then of ids.
//!
//! * `And` and `Or` add up the scores of their parts; an `And` that does not hold scores zero, also within an `Or`.
//! * `Nested` has the score of its best element: a record is not better because it has more elements that are as good.
//!   What a pivot holds together is an `And` within an element, and scores there.
//!
//! # How a condition scores
//!
//! By BM25 ([`Bm25`]), with one term: the condition. All values that match a pattern count as that term.
//! Statistics of each value would put misspelt and rare values first, which is the opposite of what a pattern seeks.
//!
//! * A *row* is a record, or an element of the nested container of the field.
//! * The *frequency* in a row is the number of its different values that match; in a value of a text field each word
//!   that matches counts, and a value that matches only as a whole counts once.
//! * The *length* of a row is the number of bytes of its different values in the field. Bytes, because they are known
//!   without cutting a text into words, and relate one text to another as words do. Keyword fields have lengths too, so
//!   that `fox` comes before a long name that contains it.
//! * The rows with a value in the field, those that match, and the mean length are counted in the records of
//!   [`crate::ScoreRequest::within`], deleted ones never. A score is therefore the same before and after a merge, and
//!   tells a client nothing about records that it may not see.
//!
//! Sums are computed in double precision and rounded to single precision once. The order of additions does not show in
//! a score, and equal records are equal in it.
//!
//! # What engines promise
//!
//! On every engine: the score of a condition that matches is above zero where statistics allow it, an order by
//! [`crate::RECORD_SCORE`] is total (further keys, then the id), and two pages of one state of an index fit together.
//! The embedded engine and the brute-force model compute what is written here, to the last bit of single precision.
//! Clusters compute scores themselves, by their BM25 with their statistics: their scores are other numbers, and may
//! order records that are nearly equal in another way.

use cantata_mapping::{FieldKind, IndexMapping, TypedValue};

use crate::Filter;
use crate::matching::{FuzzyMatcher, Matcher, WildcardPattern, words};

/// The saturation of the term frequency: how soon further occurrences of a term stop to matter.
const BM25_K1: f64 = 1.2;

/// The length normalization: how much the length of a row matters.
const BM25_B: f64 = 0.75;

/// A condition that scores.
#[derive(Debug)]
pub struct ScoringCondition<'f> {
    /// The path of its field.
    pub field: &'f str,
    /// Whether the field has words.
    is_text: bool,
    sought: SoughtText<'f>,
}

#[derive(Debug)]
enum SoughtText<'f> {
    OneOf(&'f [TypedValue]),
    Pattern(Box<WildcardPattern>),
    Fuzzy(FuzzyMatcher),
}

impl<'f> ScoringCondition<'f> {
    /// Returns the condition of a filter that is a single test; nothing if it does not score.
    pub fn new(filter: &'f Filter, mapping: &IndexMapping) -> Option<Self> {
        let is_text = |field: &str| mapping.field(field).is_some_and(|field| field.kind == FieldKind::Text);
        let (field, sought) = match filter {
            Filter::Terms { field, values } if is_text(field) => (field, SoughtText::OneOf(values)),
            Filter::Pattern { field, pattern } => {
                (field, SoughtText::Pattern(Box::new(WildcardPattern::case_sensitive(pattern))))
            }
            Filter::Wildcard { field, pattern } => {
                (field, SoughtText::Pattern(Box::new(WildcardPattern::wildcard(pattern))))
            }
            Filter::Fuzzy { field, text, distance } => (field, SoughtText::Fuzzy(FuzzyMatcher::new(text, *distance))),
            _ => return None,
        };
        Some(Self { field, is_text: is_text(field), sought })
    }

    /// Returns how often the condition matches in a value that it matches.
    pub fn frequency_in(&self, value: &str) -> u64 {
        match self.is_text {
            true => words(value).filter(|word| self.matches(word)).count().max(1) as u64,
            false => 1,
        }
    }

    fn matches(&self, word: &str) -> bool {
        match &self.sought {
            SoughtText::OneOf(values) => {
                values.iter().any(|value| matches!(value, TypedValue::Text(text) if text == word))
            }
            SoughtText::Pattern(pattern) => pattern.matches(word),
            SoughtText::Fuzzy(text) => text.matches(word),
        }
    }
}

/// The statistics of a condition over the rows of its field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TermStatistics {
    /// How many rows have a value in the field.
    pub rows: u64,
    /// How many of them match.
    pub matching: u64,
    /// The length of all rows together.
    pub length: u64,
}

/// The scores of a condition, by BM25.
#[derive(Debug, Clone, Copy)]
pub struct Bm25 {
    /// The inverse document frequency: how rare it is that a row matches.
    idf: f64,
    /// The mean length of a row.
    mean_length: f64,
}

impl Bm25 {
    /// Returns the scores of a condition with these statistics.
    pub fn new(statistics: TermStatistics) -> Self {
        let TermStatistics { rows, matching, length } = statistics;
        let (rows, matching) = (rows as f64, matching as f64);
        Self {
            idf: (1.0 + (rows - matching + 0.5) / (matching + 0.5)).ln(),
            mean_length: if length == 0 { 0.0 } else { length as f64 / rows },
        }
    }

    /// Returns the score of a row by the frequency of the condition in it and its length.
    pub fn score(&self, frequency: u64, length: u64) -> f64 {
        let frequency = frequency as f64;
        let relative_length = if self.mean_length == 0.0 { 0.0 } else { length as f64 / self.mean_length };
        let norm = BM25_K1 * (1.0 - BM25_B + BM25_B * relative_length);
        self.idf * (BM25_K1 + 1.0) * frequency / (frequency + norm)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scores(rows: u64, matching: u64) -> Bm25 {
        Bm25::new(TermStatistics { rows, matching, length: 10 * rows })
    }

    #[test]
    fn rare_frequent_and_short_is_better() {
        let usual = scores(100, 10).score(1, 10);
        assert!(scores(100, 1).score(1, 10) > usual, "a rare condition");
        assert!(scores(100, 10).score(2, 10) > usual, "a row that has it twice");
        assert!(scores(100, 10).score(1, 5) > usual, "a short row");
        assert!(scores(100, 100).score(1, 1000) > 0.0, "a condition that matches everywhere");
        assert_eq!(scores(100, 10).score(0, 10), 0.0);
        // idf = ln(1 + 90.5 / 10.5), and a row of the mean length.
        assert!((usual - (1.0_f64 + 90.5 / 10.5).ln()).abs() < 1e-12, "{usual}");
    }

    #[test]
    fn rows_without_a_letter_have_a_score() {
        let empty = Bm25::new(TermStatistics { rows: 3, matching: 3, length: 0 });
        assert!(empty.score(1, 0) > 0.0);
    }

    #[test]
    fn texts_score_and_choices_do_not() {
        let mapping = serde_json::json!({"properties": {
            "note": {"type": "text"}, "name": {"type": "keyword"}, "size": {"type": "long"}
        }});
        let mapping = IndexMapping::parse(&mapping).unwrap();
        let terms = |field: &str| Filter::Terms {
            field: field.to_owned(),
            values: vec![TypedValue::Text("dog".to_owned()), TypedValue::Text("fox".to_owned())],
        };
        assert!(ScoringCondition::new(&terms("name"), &mapping).is_none());
        assert!(ScoringCondition::new(&Filter::Exists { field: "note".to_owned() }, &mapping).is_none());
        let filter = terms("note");
        let words = ScoringCondition::new(&filter, &mapping).unwrap();
        assert_eq!(words.frequency_in("Fox, fox and dog"), 3);
        assert_eq!(words.frequency_in("a whole text"), 1);
        let filter = Filter::Wildcard { field: "note".to_owned(), pattern: "*FO*".to_owned() };
        assert_eq!(ScoringCondition::new(&filter, &mapping).unwrap().frequency_in("fox food cat"), 2);
        let filter = Filter::Wildcard { field: "name".to_owned(), pattern: "*FO*".to_owned() };
        let pattern = ScoringCondition::new(&filter, &mapping).unwrap();
        assert_eq!((pattern.field, pattern.frequency_in("fox food cat")), ("name", 1));
    }
}
