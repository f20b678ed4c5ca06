//! Translates the path notation of the rules into a query of RFC 9535.
//!
//! Rules use the older notation of the original server, which prepended `$.` to them. It differs from the standard in
//! the characters of a name after a dot (any but a dot, a bracket, a parenthesis or a space), in a dot that is allowed
//! before a bracket, and in functions at the end. The `$` of the standard may be written, too; a JSON pointer is no path. Only these differences are translated; the content of brackets is
//! passed on unchanged. Translation and evaluation are bounded, since a path is untrusted input.

use serde_json_path::JsonPath;

/// The longest path that is parsed, in bytes.
const MAX_PATH_BYTES: usize = 1000;
/// How deeply brackets and parentheses may be nested; the time of parsing grows steeply with it.
const MAX_NESTING: usize = 6;
/// How often a path may search all descendants; each search may multiply the number of matches.
const MAX_DESCENTS: usize = 3;

/// A path that can be evaluated.
pub(super) struct PathQuery {
    /// The query of RFC 9535.
    pub(super) query: JsonPath,
    /// Whether the path has a single location, so that it matches a value and not a list of values.
    pub(super) single: bool,
    /// Whether the path asks for the number of elements at that location rather than for the elements.
    pub(super) counts: bool,
}

impl PathQuery {
    /// Parses a path; `None` if it is invalid.
    pub(super) fn parse(path: &str) -> Option<Self> {
        if path.len() > MAX_PATH_BYTES {
            return None;
        }
        let dotted = match path.trim_end_matches(' ') {
            "$" => return None,
            pointer if pointer.starts_with('/') => return None,
            standard if standard.starts_with("$.") || standard.starts_with("$[") => standard[1..].to_owned(),
            path => format!(".{path}"),
        };
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
                _ => standard.push_str(&format!("[{}]", serde_json::to_string(name).ok()?)),
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
    /// Parses up to the bracket that closes the first one; brackets within quotes do not count.
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
                ']' if nesting == 1 => return Some(Self { text: &text[..=position], single }),
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
