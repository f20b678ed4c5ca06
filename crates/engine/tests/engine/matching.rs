//! Patterns and distances, held against the simplest implementations there are.

use cantata_engine::matching::{FuzzyMatcher, Matcher, WildcardPattern, fold_into, text_matches, words};
use proptest::prelude::*;

/// Tries every way to spend the stars.
fn is_like(pattern: &[char], text: &[char], has_question_mark: bool) -> bool {
    match (pattern.split_first(), text.split_first()) {
        (None, None) => true,
        (Some(('*', rest)), None) => is_like(rest, text, has_question_mark),
        (Some(('*', rest)), Some((_, later))) => {
            is_like(rest, text, has_question_mark) || is_like(pattern, later, has_question_mark)
        }
        (Some(('?', rest)), Some((_, later))) if has_question_mark => is_like(rest, later, has_question_mark),
        (Some((wanted, rest)), Some((found, later))) => wanted == found && is_like(rest, later, has_question_mark),
        _ => false,
    }
}

fn letters(text: &str) -> Vec<char> {
    text.chars().collect()
}

/// Few different letters, so that much matches: some long in UTF-8, some that change their length with their case.
fn texts(alphabet: &'static [char]) -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(alphabet), 0..12).prop_map(String::from_iter)
}

const TEXT: &[char] = &['a', 'b', 'A', 'ä', 'Ä', '\u{212a}', 'k', '?', '🦀', '-', ' '];
const PATTERN: &[char] = &['a', 'b', 'A', 'ä', 'Ä', '\u{212a}', 'k', '?', '*', '*', '🦀'];

/// Letters whose lower case has two letters, or depends on what is around it.
const FOLDED: &[char] = &['İ', 'i', '\u{307}', 'Σ', 'σ', 'ς', 'a', 'A', '-'];
const FOLDED_PATTERN: &[char] = &['İ', 'i', '\u{307}', 'Σ', 'σ', 'ς', 'a', 'A', '*', '*', '?'];

proptest! {
    #[test]
    fn patterns_match_as_they_should(pattern in texts(PATTERN), text in texts(TEXT)) {
        let expected = is_like(&letters(&pattern), &letters(&text), false);
        let compiled = WildcardPattern::case_sensitive(&pattern);
        prop_assert_eq!(compiled.matches(&text), expected);
        prop_assert!(!expected || text.starts_with(compiled.literal_prefix()));

        // None of these letters becomes several when its case changes.
        let expected = is_like(&letters(&pattern.to_lowercase()), &letters(&text.to_lowercase()), true);
        prop_assert_eq!(WildcardPattern::wildcard(&pattern).matches(&text), expected);
    }

    #[test]
    fn a_text_that_matches_contains_the_folded_literals(pattern in texts(FOLDED_PATTERN), text in texts(FOLDED)) {
        let within = folded(&text);
        for pattern in [WildcardPattern::case_sensitive(&pattern), WildcardPattern::wildcard(&pattern)] {
            if text_matches(&text, &pattern) {
                for literal in pattern.literals() {
                    let literal = folded(&literal);
                    let is_there = literal.is_empty() || within.windows(literal.len()).any(|part| part == literal);
                    prop_assert!(is_there, "{:?} in {:?}", pattern, text);
                }
            }
        }
    }

    #[test]
    fn a_pattern_made_of_a_text_matches_it(
        text in texts(TEXT),
        stars in prop::collection::vec((0_usize..12, 0_usize..4), 0..4),
    ) {
        let mut pattern = letters(&text);
        for (at, length) in stars {
            let at = at.min(pattern.len());
            let end = (at + length).min(pattern.len());
            pattern.splice(at..end, ['*']);
        }
        let pattern = String::from_iter(pattern);
        prop_assert!(WildcardPattern::case_sensitive(&pattern).matches(&text));
        prop_assert!(WildcardPattern::wildcard(&pattern).matches(&text));
        prop_assert!(WildcardPattern::wildcard(&pattern).matches(&text.to_uppercase()));
    }

    #[test]
    fn distances_are_right(one in texts(TEXT), two in texts(TEXT), distance in 0_u8..6) {
        let expected = strsim::osa_distance(&one, &two) <= usize::from(distance);
        prop_assert_eq!(FuzzyMatcher::new(&one, distance).matches(&two), expected);
    }

    #[test]
    fn a_few_changes_are_within_reach(
        text in texts(TEXT),
        changes in prop::collection::vec((0_usize..12, 0_u8..3), 0..3),
    ) {
        let mut changed = letters(&text);
        for (at, change) in &changes {
            let at = *at % (changed.len() + 1);
            match change {
                0 => changed.insert(at, 'x'),
                1 if at < changed.len() => { changed.remove(at); }
                _ if at < changed.len() => changed[at] = 'x',
                _ => {}
            }
        }
        let changed = String::from_iter(changed);
        prop_assert!(FuzzyMatcher::new(&text, changes.len() as u8).matches(&changed));
        let expected = strsim::osa_distance(&text, &changed) <= 1;
        prop_assert_eq!(FuzzyMatcher::new(&text, 1).matches(&changed), expected);
    }

    #[test]
    fn swapped_neighbours_are_one_change(text in texts(TEXT), swaps in prop::collection::vec(0_usize..11, 1..4)) {
        let mut changed = letters(&text);
        for at in swaps {
            if at + 1 < changed.len() {
                changed.swap(at, at + 1);
            }
        }
        let changed = String::from_iter(changed);
        for distance in 0..4 {
            let expected = strsim::osa_distance(&text, &changed) <= usize::from(distance);
            prop_assert_eq!(FuzzyMatcher::new(&text, distance).matches(&changed), expected);
        }
    }

    #[test]
    fn words_are_what_stands_between_other_characters(text in texts(TEXT)) {
        let mut expected = vec![String::new()];
        for letter in text.chars() {
            match (letter.is_alphanumeric(), expected.last_mut()) {
                (true, Some(word)) => word.extend(letter.to_lowercase()),
                _ => expected.push(String::new()),
            }
        }
        expected.retain(|word| !word.is_empty());
        prop_assert_eq!(words(&text).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn patterns_know_which_words_they_match(pattern in texts(PATTERN), text in texts(TEXT)) {
        for compiled in [WildcardPattern::case_sensitive(&pattern), WildcardPattern::wildcard(&pattern)] {
            for word in words(&text).filter(|word| compiled.matches(word)) {
                prop_assert!(word.starts_with(compiled.word_prefix()));
                prop_assert!(compiled.matches(&text) || !compiled.passes_with_ascii_words() || !word.is_ascii());
            }
        }
    }
}

#[test]
fn patterns_by_example() {
    let cases = [
        ("", "", true, true),
        ("", "a", false, false),
        ("*", "", true, true),
        ("***", "abc", true, true),
        ("abc", "ABC", false, true),
        ("a*", "abc", true, true),
        ("*c", "abc", true, true),
        ("*b*", "abc", true, true),
        ("ab*bc", "abc", false, false),
        ("a?c", "abc", false, true),
        ("a?c", "a?c", true, true),
        ("?", "🦀", false, true),
        ("*?", "", false, false),
        ("a.c", "abc", false, false),
        ("İ*", "ix", false, true),
        ("STRASSE", "straße", false, false),
    ];
    for (pattern, text, sensitive, insensitive) in cases {
        assert_eq!(WildcardPattern::case_sensitive(pattern).matches(text), sensitive, "{pattern} {text}");
        assert_eq!(WildcardPattern::wildcard(pattern).matches(text), insensitive, "{pattern} {text}");
    }
    assert_eq!(WildcardPattern::case_sensitive("DO2*x*").literal_prefix(), "DO2");
    assert_eq!(WildcardPattern::case_sensitive("*x").literal_prefix(), "");
    assert_eq!(WildcardPattern::wildcard("DO2*").literal_prefix(), "do2");
    assert_eq!(WildcardPattern::wildcard("D?2*").literal_prefix(), "");
    for (pattern, is_prefix) in [("DO2*", true), ("*", true), ("DO2", false), ("D*2", false), ("D*2*", false)] {
        assert_eq!(WildcardPattern::wildcard(pattern).is_prefix(), is_prefix, "{pattern}");
    }
    assert!(!WildcardPattern::wildcard("D?*").is_prefix());
    for (pattern, is_substring) in [("*a*", true), ("**ab**", true), ("*", false), ("*a?*", false), ("*a*b*", false)] {
        assert_eq!(WildcardPattern::wildcard(pattern).is_substring(), is_substring, "{pattern}");
    }
    assert!(!WildcardPattern::wildcard("a*").is_substring() && !WildcardPattern::wildcard("*a").is_substring());
    assert_eq!(WildcardPattern::wildcard("A?bc**d?").literals(), ["a", "bc", "d"]);
    assert_eq!(WildcardPattern::case_sensitive("A?bc*").literals(), ["A?bc"]);
}

/// What an index of folded texts relies on: it forgets whatever one way of matching ignores.
#[test]
fn every_letter_is_folded_as_the_letters_of_its_lower_case() {
    for letter in '\0'..=char::MAX {
        let own = folded(&letter.to_string());
        assert_eq!(folded(&letter.to_lowercase().to_string()), own, "{letter:?}");
        let first: String = letter.to_lowercase().take(1).collect();
        assert_eq!(folded(&first), own, "{letter:?}");
    }
    assert_eq!(folded("ΑΣ'ΑΣ"), folded("ας'ας"));
}

fn folded(text: &str) -> Vec<u8> {
    let mut folded = Vec::new();
    fold_into(text, &mut folded);
    folded
}

#[test]
fn long_texts_and_many_stars_are_no_trouble() {
    let text = "a".repeat(20_000);
    let stars = "*a".repeat(2_000);
    assert!(WildcardPattern::case_sensitive(&stars).matches(&text));
    assert!(!WildcardPattern::case_sensitive(&format!("{stars}b*")).matches(&text));
    assert!(WildcardPattern::wildcard(&stars).matches(&text.to_uppercase()));
    assert!(!WildcardPattern::wildcard(&format!("{}b*", "*a?".repeat(2_000))).matches(&text));
    assert!(!WildcardPattern::wildcard(&format!("*{}*", "?".repeat(20_001))).matches(&text));
    assert!(FuzzyMatcher::new(&text, 2).matches(&format!("b{text}b")));
}

#[test]
fn a_text_is_found_whole_and_by_its_words() {
    let value = "Primary Tumour, grade-2";
    for found in ["Primary*", "primary", "tumour", "grade", "2", "*grade-2"] {
        assert!(text_matches(value, &WildcardPattern::case_sensitive(found)), "{found}");
    }
    for missed in ["Tumour", "primary tumour", "grade-2"] {
        assert!(!text_matches(value, &WildcardPattern::case_sensitive(missed)), "{missed}");
    }
    assert!(text_matches(value, &WildcardPattern::wildcard("TUM?UR")));
    assert!(text_matches(value, &FuzzyMatcher::new("tumor", 1)));
    assert!(text_matches(value, "tumour"));
    assert!(!text_matches(value, "Tumour"));
    // A capital that has no lower case, and one that becomes two characters.
    assert!(text_matches("grade 𝐀2", &WildcardPattern::case_sensitive("𝐀*")));
    assert!(text_matches("near İzmir", &WildcardPattern::case_sensitive("i\u{307}*")));
}
