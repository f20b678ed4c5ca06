//! Painless scripts for tests that have no query: over the values of a wildcard field, or of a key of a flattened field
//! of Elasticsearch.

use cantata_engine::ValueRange;
use cantata_mapping::TypedValue;
use serde_json::{Value, json};

/// Matches each value against a wildcard pattern with backtracking to the last `*`.
const WILDCARD_SCRIPT: &str = "
    String pattern = params.pattern;
    int end = pattern.length();
    for (def value : doc[params.field]) {
        String text = params.ignores_case ? value.toLowerCase() : value;
        int length = text.length();
        int at = 0; int sign = 0; int star = -1; int mark = 0; boolean fits = true;
        while (at < length) {
            if (sign < end && pattern.charAt(sign) == (char)'*') { star = sign; sign += 1; mark = at; }
            else if (sign < end && (pattern.charAt(sign) == text.charAt(at)
                || (params.ignores_case && pattern.charAt(sign) == (char)'?'))) { sign += 1; at += 1; }
            else if (star >= 0) { sign = star + 1; mark += 1; at = mark; }
            else { fits = false; break; }
        }
        while (sign < end && pattern.charAt(sign) == (char)'*') { sign += 1; }
        if (fits && sign == end) { return true; }
    }
    return false;";

/// Computes the edit distance (optimal string alignment) of each value to a text.
const FUZZY_SCRIPT: &str = "
    String text = params.text;
    int width = text.length();
    for (def value : doc[params.field]) {
        int height = value.length();
        int[][] changes = new int[height + 1][width + 1];
        for (int i = 0; i <= height; i++) {
            for (int j = 0; j <= width; j++) {
                if (i == 0 || j == 0) { changes[i][j] = i + j; continue; }
                int least = changes[i - 1][j - 1] + (value.charAt(i - 1) == text.charAt(j - 1) ? 0 : 1);
                least = (int)Math.min(least, Math.min(changes[i - 1][j], changes[i][j - 1]) + 1);
                if (i > 1 && j > 1 && value.charAt(i - 1) == text.charAt(j - 2)
                    && value.charAt(i - 2) == text.charAt(j - 1)) {
                    least = (int)Math.min(least, changes[i - 2][j - 2] + 1);
                }
                changes[i][j] = least;
            }
        }
        if (changes[height][width] <= params.distance) { return true; }
    }
    return false;";

/// Compares each value with the bounds that are given.
const RANGE_SCRIPT: &str = "
    for (def value : doc[params.field]) {
        if (params.from != null) {
            int order = value.compareTo(params.from);
            if (order < 0 || (order == 0 && !params.from_is_in)) { continue; }
        }
        if (params.to != null) {
            int order = value.compareTo(params.to);
            if (order > 0 || (order == 0 && !params.to_is_in)) { continue; }
        }
        return true;
    }
    return false;";

/// Returns the query for values within a range of texts.
pub(super) fn range(path: &str, range: &ValueRange) -> Value {
    let bound = |end: &Option<(TypedValue, bool)>| match end {
        Some((value, is_in)) => (Value::from(value), *is_in),
        None => (Value::Null, false),
    };
    let ((from, from_is_in), (to, to_is_in)) = (bound(&range.from), bound(&range.to));
    let params = json!({"field": path, "from": from, "from_is_in": from_is_in, "to": to, "to_is_in": to_is_in});
    json!({"script": {"script": {"source": RANGE_SCRIPT, "params": params}}})
}

/// Returns the query for values that match a pattern: with `*` and case-sensitive, or with `*` and `?` and
/// case-insensitive.
pub(super) fn wildcard(path: &str, pattern: &str, ignores_case: bool) -> Value {
    let pattern = if ignores_case { pattern.to_lowercase() } else { pattern.to_owned() };
    let params = json!({"field": path, "pattern": pattern, "ignores_case": ignores_case});
    json!({"script": {"script": {"source": WILDCARD_SCRIPT, "params": params}}})
}

/// Returns the query for values within an edit distance of a text.
pub(super) fn fuzzy(path: &str, text: &str, distance: u8) -> Value {
    let params = json!({"field": path, "text": text, "distance": distance});
    json!({"script": {"script": {"source": FUZZY_SCRIPT, "params": params}}})
}
