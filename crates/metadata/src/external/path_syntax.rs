//! Translates the path notation of the rules into a query of RFC 9535.
//!
//! Rules are written in the older notation that the original server read with `$.` put in front. It differs from the
//! standard in what a name after a dot may contain (anything but a dot, a bracket, a parenthesis or a blank), in a dot
//! allowed before a bracket, and in functions at the end. Only these differences are handled here; what stands in
//! brackets is passed on as it is. Translation and evaluation are bounded, since a path comes from outside.

use serde_json_path::JsonPath;

/// The longest path that is read, in bytes.
const MAX_PATH_BYTES: usize = 1000;
/// How deeply brackets and parentheses may be nested; reading takes time that grows steeply with it.
const MAX_NESTING: usize = 6;
/// How often a path may search all descendants; each time may multiply the number of values found.
const MAX_DESCENTS: usize = 3;

/// A path that can be evaluated.
pub(super) struct PathQuery {
    /// What to look up.
    pub(super) query: JsonPath,
    /// Whether the path names one place, so that what it finds is a value and not a list of values.
    pub(super) single: bool,
    /// Whether the path asks for the number of elements at that place rather than for them.
    pub(super) counts: bool,
}

impl PathQuery {
    /// Reads a path; `None` if it has no meaning.
    pub(super) fn parse(path: &str) -> Option<Self> {
        if path.len() > MAX_PATH_BYTES {
            return None;
        }
        let dotted = format!(".{}", path.trim_end_matches(' '));
        let mut rest = dotted.as_str();
        let mut standard = String::from("$");
        let mut single = true;
        let mut counts = false;
        while !rest.is_empty() {
            if rest.starts_with('[') {
                let bracket = Bracket::read(rest)?;
                standard.push_str(bracket.text);
                single &= bracket.single;
                rest = &rest[bracket.text.len()..];
                continue;
            }
            rest = rest.strip_prefix('.')?;
            if let Some(below) = rest.strip_prefix('.') {
                standard.push_str("..");
                single = false;
                rest = below;
            }
            if rest.starts_with('[') {
                continue;
            }
            let name_end = rest.find(['.', '[', '(', ' ']).unwrap_or(rest.len());
            let (name, after) = rest.split_at(name_end);
            rest = after;
            match name {
                "length" | "size" if rest == "()" => {
                    counts = true;
                    break;
                }
                "" => return None,
                _ if rest.starts_with(['(', ' ']) => return None,
                "*" => {
                    standard.push_str("[*]");
                    single = false;
                }
                _ => {
                    standard.push('[');
                    standard.push_str(&serde_json::to_string(name).ok()?);
                    standard.push(']');
                }
            }
        }
        if standard.matches("..").count() > MAX_DESCENTS {
            return None;
        }
        Some(Self { query: JsonPath::parse(&standard).ok()?, single, counts })
    }
}

/// A selector in brackets.
struct Bracket<'a> {
    text: &'a str,
    single: bool,
}

impl<'a> Bracket<'a> {
    /// Reads from an opening bracket to the one that closes it; brackets within quotes do not count.
    fn read(text: &'a str) -> Option<Self> {
        let mut quote = None;
        let mut escaped = false;
        let mut nesting = 0;
        let mut single = true;
        for (position, character) in text.char_indices() {
            if let Some(closing) = quote {
                if !escaped && character == closing {
                    quote = None;
                }
                escaped = !escaped && character == '\\';
                continue;
            }
            match character {
                '\'' | '"' => quote = Some(character),
                '*' | ',' | ':' | '?' => single = false,
                '[' | '(' => nesting += 1,
                ')' => nesting -= 1,
                ']' if nesting == 1 => {
                    return Some(Self { text: &text[..=position], single });
                }
                ']' => nesting -= 1,
                _ => {}
            }
            if !(1..=MAX_NESTING).contains(&nesting) {
                return None;
            }
        }
        None
    }
}
