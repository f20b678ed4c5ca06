//! Texts compared in the simplest way.

/// Returns the forms by which a text is found: as a whole and, for a field of words, by each of its words.
pub(crate) fn forms(text: &str, has_words: bool) -> Vec<String> {
    let words = text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| has_words && !word.is_empty());
    std::iter::once(text.to_owned()).chain(words.map(str::to_lowercase)).collect()
}

/// Returns whether a text is like a pattern, in which `*` matches any characters. Where case is ignored, `?` matches
/// any one.
pub(crate) fn like(pattern: &str, text: &str, ignores_case: bool) -> bool {
    let letters = |text: &str| -> Vec<char> { text.chars().map(|l| if ignores_case { fold(l) } else { l }).collect() };
    let (pattern, text) = (letters(pattern), letters(text));
    // Entry `t` says whether what was read of the pattern can match the first `t` letters.
    let mut reaches = vec![false; text.len() + 1];
    reaches[0] = true;
    for wanted in pattern {
        let before = reaches.clone();
        for end in 0..=text.len() {
            reaches[end] = match wanted {
                '*' => before[..=end].contains(&true),
                '?' if ignores_case => end > 0 && before[end - 1],
                letter => end > 0 && before[end - 1] && text[end - 1] == letter,
            };
        }
    }
    reaches[text.len()]
}

/// Returns the lower case letter, where that is one letter.
fn fold(letter: char) -> char {
    let mut lower = letter.to_lowercase();
    match (lower.next(), lower.next()) {
        (Some(only), None) => only,
        _ => letter,
    }
}

/// Returns whether one text becomes the other by at most this many letters added, left out, replaced or swapped with
/// their neighbour, none of them changed twice.
pub(crate) fn fuzzy(one: &str, other: &str, distance: u8) -> bool {
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    let mut changes = vec![vec![0; other.len() + 1]; one.len() + 1];
    for i in 0..=one.len() {
        for j in 0..=other.len() {
            changes[i][j] = if i == 0 || j == 0 {
                i + j
            } else {
                let replaced = changes[i - 1][j - 1] + usize::from(one[i - 1] != other[j - 1]);
                let least = replaced.min(changes[i - 1][j] + 1).min(changes[i][j - 1] + 1);
                let swaps = i > 1 && j > 1 && one[i - 1] == other[j - 2] && one[i - 2] == other[j - 1];
                if swaps { least.min(changes[i - 2][j - 2] + 1) } else { least }
            };
        }
    }
    changes[one.len()][other.len()] <= usize::from(distance)
}
