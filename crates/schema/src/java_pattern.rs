//! Translates regular expressions of Java, which SONG uses, into those of ECMA-262, which JSON Schema prescribes.
//!
//! Only what keeps its meaning is translated: flags such as `(?i)`, possessive quantifiers and atomic groups, classes within
//! classes and their intersections, `\A`, `\z`, `\Z`, `\Q…\E`, braces and brackets that Java takes literally. All else is an
//! error with its reason. A pattern is untrusted input: the depth is bounded, and the result grows with the length alone.

mod class;

use std::iter::Peekable;
use std::str::Chars;

use self::class::ClassPart;

/// How often flags may change within a group: each alternative repeats them.
const MAX_FLAG_CHANGES: usize = 8;

/// How deeply groups and classes may be nested.
const MAX_NESTING: usize = 50;

const VERTICAL_SPACE: &str = r"\n-\r\x85\u2028\u2029";

/// What of a pattern has no counterpart, or is no pattern of Java.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum PatternError {
    #[error("it ends too early")]
    EndsEarly,
    #[error("a parenthesis is not closed")]
    NotClosed,
    #[error("a parenthesis is closed that was not opened")]
    NotOpened,
    #[error("{0} are nested deeper than {MAX_NESTING} levels")]
    TooDeep(&'static str),
    #[error("the flags of a group change more than {MAX_FLAG_CHANGES} times")]
    FlagChanges,
    #[error("the flag {0} has no counterpart")]
    Flag(char),
    #[error("\\{0} has no counterpart")]
    Escape(char),
    #[error("{0} is no character")]
    CodePoint(String),
    #[error("a class has nothing in it, or nothing beside &&")]
    EmptyClass,
    #[error("a negated class with another class in it means different things in different versions of Java")]
    NegatedClass,
    #[error("a range of a class ends with something else than a character")]
    RangeEnd,
    #[error("a possessive quantifier or atomic group beside a numbered back reference has no counterpart; use a name")]
    NumberedReference,
}

/// Translates a pattern, or says what of it has no counterpart.
pub(crate) fn translate(pattern: &str) -> Result<String, PatternError> {
    let mut translator =
        Translator { rest: pattern.chars().peekable(), atomic_groups: 0, has_numbered_reference: false };
    let translated = translator.alternatives(0)?;
    if translator.rest.next().is_some() {
        return Err(PatternError::NotOpened);
    }
    if translator.has_numbered_reference && translator.atomic_groups > 0 {
        return Err(PatternError::NumberedReference);
    }
    Ok(translated)
}

struct Translator<'a> {
    rest: Peekable<Chars<'a>>,
    /// How many groups were made of possessive quantifiers and atomic groups.
    atomic_groups: usize,
    has_numbered_reference: bool,
}

impl Translator<'_> {
    fn eat(&mut self, expected: char) -> bool {
        self.rest.next_if_eq(&expected).is_some()
    }

    fn next(&mut self) -> Result<char, PatternError> {
        self.rest.next().ok_or(PatternError::EndsEarly)
    }

    /// Translates up to the parenthesis that closes the group, or the end.
    fn alternatives(&mut self, depth: usize) -> Result<String, PatternError> {
        if depth > MAX_NESTING {
            return Err(PatternError::TooDeep("groups"));
        }
        let mut text = String::new();
        // Flags hold to the end of the group, through its alternatives.
        let mut flags: Vec<String> = Vec::new();
        while let Some(letter) = self.rest.next_if(|letter| *letter != ')') {
            if letter == '|' {
                text.push_str(&")".repeat(flags.len()));
                text.push('|');
                flags.iter().for_each(|flags| text.push_str(&format!("(?{flags}:")));
                continue;
            }
            let atom = match letter {
                '(' => match self.group(depth)? {
                    Group::Atom(atom) => atom,
                    Group::Flags(set) if set.is_empty() => continue,
                    Group::Flags(_) if flags.len() == MAX_FLAG_CHANGES => {
                        return Err(PatternError::FlagChanges);
                    }
                    Group::Flags(set) => {
                        text.push_str(&format!("(?{set}:"));
                        flags.push(set);
                        continue;
                    }
                },
                '[' => self.class(depth)?,
                '\\' => self.escape()?,
                '}' | ']' => format!("\\{letter}"),
                other => other.to_string(),
            };
            let quantifier = self.quantifier()?;
            text.push_str(&match quantifier.strip_suffix('+').filter(|greedy| !greedy.is_empty()) {
                Some(greedy) => self.atomic(&format!("{atom}{greedy}")),
                None => format!("{atom}{quantifier}"),
            });
        }
        text.push_str(&")".repeat(flags.len()));
        Ok(text)
    }

    /// Reads a quantifier with its mark; nothing if there is none.
    fn quantifier(&mut self) -> Result<String, PatternError> {
        let mut text = String::new();
        match self.rest.peek() {
            Some('*' | '+' | '?') => text.push(self.next()?),
            Some('{') => loop {
                let letter = self.next()?;
                text.push(letter);
                if letter == '}' {
                    break;
                }
            },
            _ => return Ok(text),
        }
        if let Some(mark) = self.rest.next_if(|letter| matches!(letter, '?' | '+')) {
            text.push(mark);
        }
        Ok(text)
    }

    /// Returns an expression that, once matched, is not matched in another way.
    fn atomic(&mut self, expression: &str) -> String {
        self.atomic_groups += 1;
        let name = format!("atomic{}", self.atomic_groups);
        format!(r"(?:(?=(?<{name}>{expression}))\k<{name}>)")
    }

    /// Translates a group; its opening parenthesis is consumed.
    fn group(&mut self, depth: usize) -> Result<Group, PatternError> {
        let mut kind = String::new();
        if self.eat('?') {
            kind.push('?');
            match self.next()? {
                '>' => {
                    let inner = self.alternatives(depth + 1)?;
                    self.close()?;
                    return Ok(Group::Atom(self.atomic(&format!("(?:{inner})"))));
                }
                '<' => {
                    kind.push('<');
                    let first = self.next()?;
                    kind.push(first);
                    if !matches!(first, '=' | '!') {
                        loop {
                            let letter = self.next()?;
                            kind.push(letter);
                            if letter == '>' {
                                break;
                            }
                        }
                    }
                }
                mark @ (':' | '=' | '!') => kind.push(mark),
                first => {
                    let (flags, is_group) = self.flags(first)?;
                    if !is_group {
                        return Ok(Group::Flags(flags));
                    }
                    kind.push_str(&flags);
                    kind.push(':');
                }
            }
        }
        let inner = self.alternatives(depth + 1)?;
        self.close()?;
        Ok(Group::Atom(format!("({kind}{inner})")))
    }

    fn close(&mut self) -> Result<(), PatternError> {
        if self.eat(')') { Ok(()) } else { Err(PatternError::NotClosed) }
    }

    /// Reads flags up to the `)` or `:` behind them; says whether it was a `:`.
    fn flags(&mut self, first: char) -> Result<(String, bool), PatternError> {
        let mut flags = String::new();
        let mut letter = first;
        loop {
            match letter {
                'i' | 'm' | 's' if flags.contains(letter) => {}
                'i' | 'm' | 's' | '-' => flags.push(letter),
                // Cases are those of Unicode anyway.
                'u' => {}
                ')' | ':' => return Ok((flags.trim_end_matches('-').to_owned(), letter == ':')),
                other => return Err(PatternError::Flag(other)),
            }
            letter = self.next()?;
        }
    }

    /// Translates an escape outside of a class; its backslash is consumed.
    fn escape(&mut self) -> Result<String, PatternError> {
        Ok(match self.next()? {
            'A' => "(?-m:^)".to_owned(),
            'z' => "(?-m:$)".to_owned(),
            'Z' => r"(?-m:(?=(?:\r\n|[\n\r\x85\u2028\u2029])?$))".to_owned(),
            'R' => format!(r"(?:\r\n|[{VERTICAL_SPACE}])"),
            'Q' => self.quoted().into_iter().map(literal).collect(),
            mark @ ('b' | 'B') => format!("\\{mark}"),
            'k' => {
                let mut reference = String::from(r"\k");
                while !reference.ends_with('>') {
                    reference.push(self.next()?);
                }
                reference
            }
            digit @ '1'..='9' => {
                self.has_numbered_reference = true;
                format!("\\{digit}")
            }
            letter => match self.class_escape(letter)? {
                ClassPart::Character(character) => literal(character),
                ClassPart::Members(members) => format!("[{members}]"),
                ClassPart::Expression(expression) => expression,
            },
        })
    }

    /// Returns the characters up to `\E`, or the end.
    fn quoted(&mut self) -> Vec<char> {
        let mut quoted = Vec::new();
        while let Ok(letter) = self.next() {
            if letter == '\\' && self.eat('E') {
                break;
            }
            quoted.push(letter);
        }
        quoted
    }
}

/// A group, or flags for what follows.
enum Group {
    Atom(String),
    Flags(String),
}

/// Writes a character that means itself outside of a class.
fn literal(character: char) -> String {
    match character {
        '^' | '$' | '\\' | '.' | '*' | '+' | '?' | '(' | ')' | '[' | ']' | '{' | '}' | '|' | '/' => {
            format!("\\{character}")
        }
        other => written(other),
    }
}

fn written(character: char) -> String {
    if character.is_control() { format!("\\u{:04x}", u32::from(character)) } else { character.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_keeps_its_meaning_is_translated() {
        for (java, expected) in [
            ("(?i)ab|c", "(?i:ab)|(?i:c)"),
            ("a(b(?i)c)d", "a(b(?i:c))d"),
            ("(?iu)a(?-i)b", "(?i:a(?-i:b))"),
            ("a++b", r"(?:(?=(?<atomic1>a+))\k<atomic1>)b"),
            ("(?>a|b){2}+", r"(?:(?=(?<atomic2>(?:(?=(?<atomic1>(?:a|b)))\k<atomic1>){2}))\k<atomic2>)"),
            ("[a-z&&[^b]]", "(?:(?=[a-z])[^b])"),
            ("[[:alpha:]]", "[:alpha:]"),
            (r"[a-c[x\d]-]", r"[a-cx0-9\-]"),
            (r"[\w\W]", "(?:[A-Za-z0-9_]|[^A-Za-z0-9_])"),
            (r"\A\d\z", "(?-m:^)[0-9](?-m:$)"),
            (r"\Qa.b\E{2}", r"a\.b{2}"),
            (r"^\{a}]$", r"^\{a\}\]$"),
            (r"\pL\x{1F600}\e", "[\\p{L}]\u{1F600}\\u001b"),
            ("[]a]", r"[\]a]"),
        ] {
            assert_eq!(translate(java).as_deref(), Ok(expected), "{java}");
        }
    }

    #[test]
    fn what_has_no_counterpart_is_refused_with_the_reason() {
        let (parentheses, brackets) = ("(".repeat(100_000), "[".repeat(100_000));
        for (java, reason) in [
            ("(?x)a b", "the flag x"),
            (r"\Ga", r"\G has no counterpart"),
            (r"(a)\1b++", "numbered back reference"),
            ("[^a[b]]", "negated class"),
            ("[^a&&b]", "negated class"),
            ("[a&&]", "nothing in it"),
            ("(?i)(?m)(?s)(?i)(?m)(?s)(?i)(?m)(?s)a", "change more than 8 times"),
            ("(a", "not closed"),
            ("a)", "not opened"),
            ("[a", "ends too early"),
            (parentheses.as_str(), "nested deeper"),
            (brackets.as_str(), "nested deeper"),
        ] {
            let found = translate(java).unwrap_err().to_string();
            assert!(found.contains(reason), "{found}");
        }
    }
}
