//! Texts that are one of some values, like a pattern, or near a text.
//!
//! A text field is asked twice: for its words, which a cluster has in lower case, and for its texts as a whole, which
//! only a keyword beside it has. Without such a keyword a text of several words is found as a phrase, that is also
//! inside of longer texts and in any case, and patterns and near texts are held against words alone.

use cantata_engine::matching::words;
use cantata_mapping::{FieldKind, IndexMapping, TypedValue};
use serde_json::{Value, json};

use super::script;
use super::{Tested, any, terms};
use crate::whole::keyword_of;

/// Returns the query for values of a text field.
pub(super) fn one_of(tested: &Tested<'_>, values: &[TypedValue], mapping: &IndexMapping) -> Value {
    let keyword = tested.field.and_then(|field| keyword_of(field, mapping));
    let longest = keyword.map_or(0, |keyword| keyword.ignore_above.unwrap_or(u64::MAX));
    let texts = || {
        values.iter().filter_map(|value| match value {
            TypedValue::Text(text) => Some(text.as_str()),
            _ => None,
        })
    };
    let is_held = |text: &&str| text.encode_utf16().count() as u64 <= longest;
    let mut queries = vec![terms::one_of(tested.path, texts().map(Value::from))];
    if let Some(keyword) = keyword {
        queries.push(terms::one_of(&keyword.path, texts().filter(is_held).map(Value::from)));
    }
    let phrases = texts().filter(|text| !is_held(text) && words(text).nth(1).is_some());
    queries.extend(phrases.map(|text| json!({"match_phrase": {tested.path: text}})));
    any(queries)
}

/// Returns the query for texts like a pattern that minds case and in which only `*` is special.
pub(super) fn pattern(tested: &Tested<'_>, pattern: &str, mapping: &IndexMapping) -> Value {
    if tested.is_key_of_elasticsearch() {
        return script::like(tested.path, pattern, false);
    }
    let like = |path: &str| {
        let escaped = pattern.replace('\\', "\\\\").replace('?', "\\?");
        json!({"wildcard": {path: {"value": escaped, "rewrite": "constant_score"}}})
    };
    // Clusters put a pattern for words into lower case, which no word is in that it asks for.
    let may_be_word = !pattern.chars().any(char::is_uppercase);
    on_words_and_whole(tested, mapping, |path, is_word| if is_word && !may_be_word { None } else { Some(like(path)) })
}

/// Returns the query for texts like a pattern with `*` and `?` that does not mind case.
pub(super) fn wildcard(tested: &Tested<'_>, pattern: &str, mapping: &IndexMapping) -> Value {
    if tested.is_key_of_elasticsearch() {
        return script::like(tested.path, pattern, true);
    }
    on_words_and_whole(tested, mapping, |path, _| {
        if pattern.is_empty() {
            return Some(expression(path, ""));
        }
        if pattern.chars().any(|letter| !letter.is_ascii() && letter.is_alphabetic()) {
            // Clusters know upper and lower case of ASCII only.
            let expression = regular_expression(pattern);
            return Some(
                json!({"regexp": {path: {"value": expression, "flags": "NONE", "rewrite": "constant_score"}}}),
            );
        }
        let escaped = pattern.replace('\\', "\\\\");
        Some(json!({"wildcard": {path: {"value": escaped, "case_insensitive": true, "rewrite": "constant_score"}}}))
    })
}

/// Returns the query for texts at most so many changes away.
pub(super) fn fuzzy(tested: &Tested<'_>, text: &str, distance: u8, mapping: &IndexMapping) -> Value {
    // On a wildcard, OpenSearch 2 finds parts of texts and OpenSearch 3 nothing.
    let is_wildcard = tested.field.is_some_and(|field| field.kind == FieldKind::Wildcard);
    if distance > 0 && (is_wildcard || tested.is_key_of_elasticsearch()) {
        return script::near(tested.path, text, distance);
    }
    on_words_and_whole(tested, mapping, |path, _| {
        if distance == 0 {
            return Some(json!({"term": {path: text}}));
        }
        if text.is_empty() {
            // Clusters take nothing to be near an empty text.
            let expression = ".?".repeat(usize::from(distance));
            return Some(
                json!({"regexp": {path: {"value": expression, "flags": "NONE", "rewrite": "constant_score"}}}),
            );
        }
        // Rewritten like this, every text that is near enough is found, not only the first fifty.
        Some(json!({"fuzzy": {path: {
            "value": text,
            "fuzziness": distance,
            "prefix_length": 0,
            "transpositions": true,
            "rewrite": "constant_score",
        }}}))
    })
}

/// Returns the query at a field, and for a text field also at the keyword beside it. What makes the query is told
/// whether it is for words.
fn on_words_and_whole(
    tested: &Tested<'_>,
    mapping: &IndexMapping,
    query: impl Fn(&str, bool) -> Option<Value>,
) -> Value {
    let text = tested.field.filter(|field| field.kind == FieldKind::Text);
    let mut queries = Vec::from_iter(query(tested.path, text.is_some()));
    if let Some(keyword) = text.and_then(|field| keyword_of(field, mapping)) {
        queries.extend(query(&keyword.path, false));
    }
    any(queries)
}

/// Returns the query for texts of a regular expression. An empty one finds empty texts, also those of a wildcard, which
/// no other query finds.
pub(super) fn expression(path: &str, expression: &str) -> Value {
    json!({"regexp": {path: {"value": expression, "flags": "NONE", "rewrite": "constant_score"}}})
}

/// Returns the regular expression of a pattern with `*` and `?` in which the case of letters does not matter.
fn regular_expression(pattern: &str) -> String {
    let mut expression = String::new();
    for letter in pattern.chars() {
        match letter {
            '*' => expression.push_str(".*"),
            '?' => expression.push('.'),
            letter if letter.is_alphabetic() => {
                expression.push('[');
                expression.push(letter);
                expression.extend(letter.to_lowercase().take(1));
                let mut upper = letter.to_uppercase();
                if let (Some(upper), None) = (upper.next(), upper.next()) {
                    expression.push(upper);
                }
                expression.push(']');
            }
            letter if letter.is_alphanumeric() => expression.push(letter),
            letter => expression.extend(['\\', letter]),
        }
    }
    expression
}
