//! Conditions on texts: values, patterns and fuzzy matches.
//!
//! A text field is queried twice: for its words, which are indexed in lower case, and for its whole values, which only
//! a sibling keyword field has. Without such a keyword, a text of several words is matched as a phrase, that is also
//! inside of longer texts and ignoring case, and patterns and fuzzy texts only match words.

use cantata_engine::matching::words;
use cantata_mapping::{FieldKind, IndexMapping, TypedValue};
use serde_json::{Value, json};

use super::script;
use super::{QueryField, any, terms};
use crate::keyword_field::keyword_field;

/// The rewrite by which all terms that match a pattern or a fuzzy text count, and none scores.
pub(super) const UNSCORED: &str = "constant_score";

/// Returns the query for values of a text field.
pub(super) fn one_of(tested: &QueryField<'_>, values: &[TypedValue], mapping: &IndexMapping) -> Value {
    let keyword = tested.field.and_then(|field| keyword_field(field, mapping));
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

/// Returns the query for a case-sensitive pattern in which only `*` is special.
pub(super) fn pattern(tested: &QueryField<'_>, pattern: &str, mapping: &IndexMapping, rewrite: &str) -> Value {
    if tested.is_elasticsearch_flattened_key() {
        return script::wildcard(tested.path, pattern, false);
    }
    let like = |path: &str| {
        let escaped = pattern.replace('\\', "\\\\").replace('?', "\\?");
        json!({"wildcard": {path: {"value": escaped, "rewrite": rewrite}}})
    };
    // Clusters lowercase a pattern on words, but a case-sensitive one with upper case matches no word.
    let may_be_word = !pattern.chars().any(char::is_uppercase);
    on_text_and_keyword(tested, mapping, |path, is_word| if is_word && !may_be_word { None } else { Some(like(path)) })
}

/// Returns the query for a case-insensitive pattern with `*` and `?`.
pub(super) fn wildcard(tested: &QueryField<'_>, pattern: &str, mapping: &IndexMapping, rewrite: &str) -> Value {
    if tested.is_elasticsearch_flattened_key() {
        return script::wildcard(tested.path, pattern, true);
    }
    on_text_and_keyword(tested, mapping, |path, _| {
        if pattern.is_empty() {
            return Some(regexp(path, ""));
        }
        if pattern.chars().any(|letter| !letter.is_ascii() && letter.is_alphabetic()) {
            // `case_insensitive` only covers ASCII.
            return Some(regexp(path, &regular_expression(pattern)));
        }
        let escaped = pattern.replace('\\', "\\\\");
        Some(json!({"wildcard": {path: {"value": escaped, "case_insensitive": true, "rewrite": rewrite}}}))
    })
}

/// Returns the query for texts within an edit distance.
pub(super) fn fuzzy(tested: &QueryField<'_>, text: &str, distance: u8, mapping: &IndexMapping, rewrite: &str) -> Value {
    // On a wildcard, OpenSearch 2 finds parts of texts and OpenSearch 3 nothing.
    let is_wildcard = tested.field.is_some_and(|field| field.kind == FieldKind::Wildcard);
    let exact_only = tested.is_elasticsearch_flattened_key();
    if distance > 0 && (is_wildcard || exact_only) {
        return script::fuzzy(tested.path, text, distance);
    }
    on_text_and_keyword(tested, mapping, |path, _| {
        if text.is_empty() && !exact_only {
            // A fuzzy query with an empty text matches nothing.
            return Some(regexp(path, &".?".repeat(usize::from(distance))));
        }
        if distance == 0 {
            return Some(json!({"term": {path: text}}));
        }
        // Without a rewrite only the first fifty terms that match would count.
        Some(json!({"fuzzy": {path: {
            "value": text,
            "fuzziness": distance,
            // OpenSearch compares a key with its value, `path=value`: an edit of the path would find other keys.
            "prefix_length": if tested.is_key { path.chars().count() + 1 } else { 0 },
            "transpositions": true,
            "rewrite": rewrite,
        }}}))
    })
}

/// Returns the query on a field, and for a text field also on its keyword. `query` gets the path and whether it has
/// words.
fn on_text_and_keyword(
    tested: &QueryField<'_>,
    mapping: &IndexMapping,
    query: impl Fn(&str, bool) -> Option<Value>,
) -> Value {
    let text = tested.field.filter(|field| field.kind == FieldKind::Text);
    let mut queries = Vec::from_iter(query(tested.path, text.is_some()));
    if let Some(keyword) = text.and_then(|field| keyword_field(field, mapping)) {
        queries.extend(query(&keyword.path, false));
    }
    any(queries)
}

/// Returns a regexp query. An empty expression matches empty texts, also those of a wildcard field, which no other
/// query finds.
pub(super) fn regexp(path: &str, expression: &str) -> Value {
    json!({"regexp": {path: {"value": expression, "flags": "NONE", "rewrite": UNSCORED}}})
}

/// Returns the case-insensitive regular expression of a pattern with `*` and `?`.
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
