//! GraphQL names of fields, types and aggregations, and display names.
//!
//! A GraphQL name consists of letters, digits and underscores and does not start with a digit; names that start with two
//! underscores are reserved. Every name made here follows these rules.

/// The prefix of a name that is reserved by GraphQL or by every node.
const RESERVED_PREFIX: &str = "field";

/// Returns whether a text can be a name in GraphQL.
pub fn is_graphql_name(text: &str) -> bool {
    let mut characters = text.chars();
    characters.next().is_some_and(|first| first == '_' || first.is_ascii_alphabetic())
        && characters.all(|next| next == '_' || next.is_ascii_alphanumeric())
}

/// Returns the GraphQL name of a mapping property: other characters become underscores, and one precedes a leading digit.
pub fn graphql_name(property: &str) -> String {
    let mut name = String::with_capacity(property.len() + 1);
    if property.starts_with(|first: char| first.is_ascii_digit()) || property.is_empty() {
        name.push('_');
    }
    name.extend(property.chars().map(|next| if next.is_ascii_alphanumeric() { next } else { '_' }));
    if name.starts_with("__") {
        name.insert_str(0, RESERVED_PREFIX);
    }
    name
}

/// Returns the flat name of a dotted path, such as `donors__gender`.
pub fn flat_name(path: &str) -> String {
    graphql_name(&path.replace('.', "__"))
}

/// Returns the GraphQL name of a property whose own name every node reserves, such as `field_score`.
pub(crate) fn alternative_name(name: &str) -> String {
    format!("{RESERVED_PREFIX}_{name}")
}

/// Returns the type name of a container: the enclosing type and the property, with the first letter in upper case and all
/// others in lower case.
pub(crate) fn container_type_name(enclosing: &str, property: &str) -> String {
    let name: String = property.chars().map(|next| if next.is_ascii_alphanumeric() { next } else { '_' }).collect();
    let mut characters = name.chars();
    let first = characters.next().map(|first| first.to_ascii_uppercase());
    let rest = characters.map(|next| next.to_ascii_lowercase());
    enclosing.chars().chain(first).chain(rest).collect()
}

/// Returns a path as words with capitals, such as "Analysis Analysis Id" for `analysis.analysis_id`.
pub fn start_case(path: &str) -> String {
    let characters: Vec<char> = path.chars().collect();
    let mut words = String::with_capacity(path.len() + 8);
    let mut in_word = false;
    for (index, &next) in characters.iter().enumerate() {
        if !next.is_alphanumeric() {
            in_word = false;
            continue;
        }
        let starts = !in_word || starts_word(characters[index - 1], next, characters.get(index + 1).copied());
        if starts {
            if !words.is_empty() {
                words.push(' ');
            }
            words.extend(next.to_uppercase());
        } else {
            words.push(next);
        }
        in_word = true;
    }
    words
}

/// Returns whether a new word starts between two characters: `fileName`, `XMLFile`, `md5`, `2nd`.
fn starts_word(before: char, next: char, after: Option<char>) -> bool {
    let is_letter_then_digit = before.is_numeric() != next.is_numeric();
    let is_hump = before.is_lowercase() && next.is_uppercase();
    let ends_acronym = before.is_uppercase() && next.is_uppercase() && after.is_some_and(char::is_lowercase);
    is_letter_then_digit || is_hump || ends_acronym
}
