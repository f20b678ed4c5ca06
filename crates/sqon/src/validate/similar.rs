//! Names that look like one the catalogue does not have. The last part of a dotted name counts alone too, since it is
//! what people remember: `gender` is like `donors.gender`.

use strsim::jaro_winkler;

/// How many names a hint offers.
const MOST: usize = 3;

/// How long a name may be to be looked at, in bytes; comparing takes time by the product of the lengths.
const LONGEST: usize = 200;

/// How alike two names must be, from 0 to 1.
const ALIKE: f64 = 0.85;

/// How much less an equal last part says than an equal name.
const LAST_PART_WEIGHT: f64 = 0.97;

/// Returns the names most like `name`, the closest first.
pub(super) fn similar_names<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> Vec<String> {
    if name.len() > LONGEST {
        return Vec::new();
    }
    let wanted = name.replace("__", ".").to_lowercase();
    let mut scored: Vec<(f64, &str)> =
        names.map(|candidate| (likeness(&wanted, candidate), candidate)).filter(|(score, _)| *score >= ALIKE).collect();
    scored.sort_by(|(left_score, left), (right_score, right)| right_score.total_cmp(left_score).then(left.cmp(right)));
    scored.into_iter().take(MOST).map(|(_, candidate)| candidate.to_owned()).collect()
}

fn likeness(wanted: &str, candidate: &str) -> f64 {
    let candidate = candidate.to_lowercase();
    let whole = jaro_winkler(wanted, &candidate);
    let last = jaro_winkler(last_part(wanted), last_part(&candidate));
    whole.max(last * LAST_PART_WEIGHT)
}

fn last_part(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}
