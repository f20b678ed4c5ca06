//! The scores of records, computed from all rows: what [`crate::relevance`] says, and none of its code.

use std::collections::BTreeSet;

use cantata_mapping::{FieldKind, IndexMapping, TypedValue};

use super::super::model::{Model, Row, Scores, forms, fuzzy, like, read_path};
use super::matching::passes;
use crate::Filter;

/// Returns the scores of all records for a filter; statistics are those of the records that pass another one.
pub(in crate::contract) fn scores(model: &Model, query: &Filter, within: &Filter) -> Scores {
    let rows: Vec<&Row> = model.records().values().map(|record| &record.row).collect();
    let counted = rows.iter().copied().filter(|row| passes(model.mapping(), within, row)).collect();
    let scores = Scoring { mapping: model.mapping(), counted }.scores(query, &rows);
    model.records().keys().cloned().zip(scores.into_iter().map(|score| score as f32)).collect()
}

struct Scoring<'m> {
    mapping: &'m IndexMapping,
    /// The records that statistics are made of.
    counted: Vec<&'m Row>,
}

impl Scoring<'_> {
    /// Returns the score of each of the rows.
    fn scores(&self, filter: &Filter, rows: &[&Row]) -> Vec<f64> {
        match filter {
            Filter::And(parts) => {
                let sums = rows.iter().zip(self.sums(parts, rows));
                sums.map(|(row, sum)| if passes(self.mapping, filter, row) { sum } else { 0.0 }).collect()
            }
            Filter::Or(parts) => self.sums(parts, rows),
            Filter::Nested { path, inner } => {
                let elements: Vec<Vec<&Row>> = rows.iter().map(|row| row.elements_below(path)).collect();
                let mut scores = self.scores(inner, &elements.concat()).into_iter();
                elements.iter().map(|own| scores.by_ref().take(own.len()).fold(0.0, f64::max)).collect()
            }
            Filter::Terms { field, values } if self.is_text(field) => {
                self.condition(field, rows, &|form| values.contains(&TypedValue::Text(form.to_owned())))
            }
            Filter::Pattern { field, pattern } => self.condition(field, rows, &|form| like(pattern, form, false)),
            Filter::Wildcard { field, pattern } => self.condition(field, rows, &|form| like(pattern, form, true)),
            Filter::Fuzzy { field, text, distance } => {
                self.condition(field, rows, &|form| fuzzy(text, form, *distance))
            }
            _ => vec![0.0; rows.len()],
        }
    }

    fn sums(&self, parts: &[Filter], rows: &[&Row]) -> Vec<f64> {
        let mut sums = vec![0.0; rows.len()];
        for part in parts {
            sums.iter_mut().zip(self.scores(part, rows)).for_each(|(sum, score)| *sum += score);
        }
        sums
    }

    /// Returns the scores for one condition, which a text passes or not.
    fn condition(&self, field: &str, rows: &[&Row], test: &dyn Fn(&str) -> bool) -> Vec<f64> {
        let (path, level) = read_path(self.mapping, field);
        let has_words = self.is_text(field);
        let (mut count, mut matching, mut length) = (0.0, 0.0, 0.0);
        for row in self.counted.iter().flat_map(|record| record.elements_at(&level)) {
            let texts = texts(row, &path);
            if !texts.is_empty() {
                count += 1.0;
                length += bytes(&texts);
            }
            if frequency(&texts, has_words, test) > 0.0 {
                matching += 1.0;
            }
        }
        let rarity = f64::ln(1.0 + (count - matching + 0.5) / (matching + 0.5));
        let score = |row: &&Row| {
            let texts = texts(row, &path);
            let frequency = frequency(&texts, has_words, test);
            let relative_length = if length == 0.0 { 0.0 } else { bytes(&texts) / (length / count) };
            rarity * 2.2 * frequency / (frequency + 1.2 * (0.25 + 0.75 * relative_length))
        };
        rows.iter().map(score).collect()
    }

    fn is_text(&self, field: &str) -> bool {
        self.mapping.field(field).is_some_and(|field| field.kind == FieldKind::Text)
    }
}

/// Returns the different texts of a row in a field.
fn texts<'r>(row: &'r Row, path: &str) -> BTreeSet<&'r str> {
    let texts = row.values(path).iter().filter_map(|value| match value {
        TypedValue::Text(text) => Some(text.as_str()),
        _ => None,
    });
    texts.collect()
}

fn bytes(texts: &BTreeSet<&str>) -> f64 {
    texts.iter().map(|text| text.len()).sum::<usize>() as f64
}

/// Returns how often a condition matches in texts: by each word, or else by the whole text.
fn frequency(texts: &BTreeSet<&str>, has_words: bool, test: &dyn Fn(&str) -> bool) -> f64 {
    let in_text = |text: &&str| {
        let words = forms(text, has_words).iter().skip(1).filter(|word| test(word)).count();
        words.max(usize::from(test(text)))
    };
    texts.iter().map(in_text).sum::<usize>() as f64
}
