//! Suggestions for a name that the catalogue does not have. The last part of a dotted name is compared alone too, since
//! it is what people remember: `gender` is similar to `donors.gender`.

use strsim::jaro_winkler;

/// How many names are suggested.
const MAX_SUGGESTIONS: usize = 3;

/// The length above which a name gets no suggestions; comparing takes time by the product of the lengths.
const MAX_NAME_BYTES: usize = 200;

/// The least similarity of a suggestion, from 0 to 1.
const MIN_SIMILARITY: f64 = 0.85;

/// The weight of the similarity of the last parts.
const LAST_PART_WEIGHT: f64 = 0.97;

/// Returns the names most similar to `name`, the closest first.
pub(super) fn similar_names<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> Vec<String> {
    if name.len() > MAX_NAME_BYTES {
        return Vec::new();
    }
    let wanted = name.replace("__", ".").to_lowercase();
    let mut scored: Vec<(f64, &str)> = names
        .map(|candidate| (similarity(&wanted, candidate), candidate))
        .filter(|(score, _)| *score >= MIN_SIMILARITY)
        .collect();
    scored.sort_by(|(left_score, left), (right_score, right)| right_score.total_cmp(left_score).then(left.cmp(right)));
    scored.into_iter().take(MAX_SUGGESTIONS).map(|(_, candidate)| candidate.to_owned()).collect()
}

fn similarity(wanted: &str, candidate: &str) -> f64 {
    let candidate = candidate.to_lowercase();
    let whole = jaro_winkler(wanted, &candidate);
    let last = jaro_winkler(last_part(wanted), last_part(&candidate));
    whole.max(last * LAST_PART_WEIGHT)
}

fn last_part(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}
