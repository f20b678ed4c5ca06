//! Translates regular expressions of Java, which SONG uses, into those of ECMA-262, which JSON Schema prescribes.
//!
//! Only what keeps its meaning is translated: flags such as `(?i)`, possessive quantifiers and atomic groups, classes within
//! classes and their intersections, `\A`, `\z`, `\Z`, `\Q…\E`, braces and brackets that Java takes literally. All else is an
//! error with its reason. A pattern is untrusted input: the depth is bounded, and the result grows with the length alone.

use std::iter::Peekable;
use std::str::Chars;

/// How often flags may change within a group: each alternative repeats them.
const MAX_FLAG_CHANGES: usize = 8;

/// How deeply groups and classes may be nested.
const MAX_NESTING: usize = 50;

const SPACE: &str = r"\t-\r ";
const HORIZONTAL_SPACE: &str = r" \t\xA0\u1680\u180e\u2000-\u200a\u202f\u205f\u3000";
const VERTICAL_SPACE: &str = r"\n-\r\x85\u2028\u2029";
const WORD: &str = "A-Za-z0-9_";
const DIGIT: &str = "0-9";

/// Translates a pattern, or says what of it has no counterpart.
pub(crate) fn translate(pattern: &str) -> Result<String, String> {
    let mut translator =
        Translator { rest: pattern.chars().peekable(), atomic_groups: 0, has_numbered_reference: false };
    let translated = translator.alternatives(0)?;
    if translator.rest.next().is_some() {
        return Err("a parenthesis is closed that was not opened".to_owned());
    }
    if translator.has_numbered_reference && translator.atomic_groups > 0 {
        return Err("a possessive quantifier or atomic group beside a numbered back reference has no counterpart; \
                    name the group"
            .to_owned());
    }
    Ok(translated)
}

struct Translator<'a> {
    rest: Peekable<Chars<'a>>,
    /// How many groups were made of possessive quantifiers and atomic groups.
    atomic_groups: usize,
    has_numbered_reference: bool,
}

/// One character of a class, or a part of it that is a set already.
enum ClassPart {
    Character(char),
    /// Members without brackets.
    Members(String),
    /// An expression that matches one character.
    Expression(String),
}

/// What a class is.
enum ClassValue {
    Union(Union),
    /// An expression that matches one character.
    Expression(String),
}

/// A union of characters: members that fit between brackets, and expressions that match one character.
#[derive(Default)]
struct Union {
    members: String,
    expressions: Vec<String>,
}

impl Union {
    fn expression(self) -> Result<String, String> {
        let mut parts = self.expressions;
        if !self.members.is_empty() {
            parts.insert(0, format!("[{}]", self.members));
        }
        match parts.len() {
            0 => Err("a class has nothing in it, or nothing beside &&".to_owned()),
            1 => Ok(parts.swap_remove(0)),
            _ => Ok(format!("(?:{})", parts.join("|"))),
        }
    }
}

impl Translator<'_> {
    fn eat(&mut self, expected: char) -> bool {
        self.rest.next_if_eq(&expected).is_some()
    }

    fn next(&mut self) -> Result<char, String> {
        self.rest.next().ok_or_else(|| "it ends too early".to_owned())
    }

    /// Translates up to the parenthesis that closes the group, or the end.
    fn alternatives(&mut self, depth: usize) -> Result<String, String> {
        if depth > MAX_NESTING {
            return Err(format!("groups are nested deeper than {MAX_NESTING} levels"));
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
                        return Err(format!("the flags of a group change more than {MAX_FLAG_CHANGES} times"));
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
    fn quantifier(&mut self) -> Result<String, String> {
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
    fn group(&mut self, depth: usize) -> Result<Group, String> {
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

    fn close(&mut self) -> Result<(), String> {
        if self.eat(')') { Ok(()) } else { Err("a parenthesis is not closed".to_owned()) }
    }

    /// Reads flags up to the `)` or `:` behind them; says whether it was a `:`.
    fn flags(&mut self, first: char) -> Result<(String, bool), String> {
        let mut flags = String::new();
        let mut letter = first;
        loop {
            match letter {
                'i' | 'm' | 's' if flags.contains(letter) => {}
                'i' | 'm' | 's' | '-' => flags.push(letter),
                // Cases are those of Unicode anyway.
                'u' => {}
                ')' | ':' => return Ok((flags.trim_end_matches('-').to_owned(), letter == ':')),
                other => return Err(format!("the flag {other} has no counterpart")),
            }
            letter = self.next()?;
        }
    }

    /// Translates an escape outside of a class; its backslash is consumed.
    fn escape(&mut self) -> Result<String, String> {
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
        while let Some(letter) = self.rest.next() {
            if letter == '\\' && self.eat('E') {
                break;
            }
            quoted.push(letter);
        }
        quoted
    }

    /// Translates an escape that may be in a class; its backslash and its first letter are consumed.
    fn class_escape(&mut self, letter: char) -> Result<ClassPart, String> {
        let members = |members: &str| Ok(ClassPart::Members(members.to_owned()));
        let others = |members: &str| Ok(ClassPart::Expression(format!("[^{members}]")));
        match letter {
            'd' => members(DIGIT),
            'D' => others(DIGIT),
            'w' => members(WORD),
            'W' => others(WORD),
            's' => members(SPACE),
            'S' => others(SPACE),
            'h' => members(HORIZONTAL_SPACE),
            'H' => others(HORIZONTAL_SPACE),
            'v' => members(VERTICAL_SPACE),
            'V' => others(VERTICAL_SPACE),
            't' => Ok(ClassPart::Character('\t')),
            'n' => Ok(ClassPart::Character('\n')),
            'r' => Ok(ClassPart::Character('\r')),
            'f' => Ok(ClassPart::Character('\u{c}')),
            'a' => Ok(ClassPart::Character('\u{7}')),
            'e' => Ok(ClassPart::Character('\u{1b}')),
            'x' if self.eat('{') => self.code_point(None),
            'x' => self.code_point(Some(2)),
            'u' => self.code_point(Some(4)),
            'p' | 'P' if self.rest.peek() == Some(&'{') => {
                let mut property = format!("\\{letter}");
                while !property.ends_with('}') {
                    property.push(self.next()?);
                }
                Ok(ClassPart::Members(property))
            }
            'p' | 'P' => Ok(ClassPart::Members(format!("\\{letter}{{{}}}", self.next()?))),
            other if !other.is_alphanumeric() => Ok(ClassPart::Character(other)),
            other => Err(format!("\\{other} has no counterpart")),
        }
    }

    /// Reads hexadecimal digits: so many, or up to a brace.
    fn code_point(&mut self, digits: Option<usize>) -> Result<ClassPart, String> {
        let mut text = String::new();
        while digits.is_none_or(|digits| text.len() < digits) {
            match self.next()? {
                '}' if digits.is_none() => break,
                letter => text.push(letter),
            }
        }
        let character = u32::from_str_radix(&text, 16).ok().and_then(char::from_u32);
        character.map(ClassPart::Character).ok_or_else(|| format!("{text} is no character"))
    }

    /// Translates a class into an expression that matches one character; its opening bracket is consumed.
    fn class(&mut self, depth: usize) -> Result<String, String> {
        match self.class_value(depth)? {
            ClassValue::Union(union) => union.expression(),
            ClassValue::Expression(expression) => Ok(expression),
        }
    }

    /// Reads a class; its opening bracket is consumed.
    fn class_value(&mut self, depth: usize) -> Result<ClassValue, String> {
        let is_negated = self.eat('^');
        let (mut operands, has_classes) = self.class_operands(depth)?;
        let last = operands.pop().unwrap_or_default();
        if is_negated {
            if has_classes || !operands.is_empty() || !last.expressions.is_empty() {
                return Err(
                    "a negated class with another class in it means different things in different versions of \
                            Java"
                        .to_owned(),
                );
            }
            return Ok(ClassValue::Expression(format!("[^{}]", last.members)));
        }
        if operands.is_empty() {
            return Ok(ClassValue::Union(last));
        }
        let mut intersection = String::from("(?:");
        for operand in operands {
            intersection.push_str(&format!("(?={})", operand.expression()?));
        }
        Ok(ClassValue::Expression(format!("{intersection}{})", last.expression()?)))
    }

    /// Reads the operands of `&&` up to the closing bracket; says whether there are classes among them.
    fn class_operands(&mut self, depth: usize) -> Result<(Vec<Union>, bool), String> {
        if depth > MAX_NESTING {
            return Err(format!("classes are nested deeper than {MAX_NESTING} levels"));
        }
        let (mut operands, mut union, mut has_classes, mut is_first) = (Vec::new(), Union::default(), false, true);
        loop {
            let letter = self.next()?;
            let part = match letter {
                ']' if !is_first => break,
                '[' => {
                    (has_classes, is_first) = (true, false);
                    match self.class_value(depth + 1)? {
                        ClassValue::Union(inner) => {
                            union.members.push_str(&inner.members);
                            union.expressions.extend(inner.expressions);
                        }
                        ClassValue::Expression(expression) => union.expressions.push(expression),
                    }
                    continue;
                }
                '&' if self.eat('&') => {
                    operands.push(std::mem::take(&mut union));
                    continue;
                }
                '\\' if self.eat('Q') => {
                    let quoted = self.quoted().into_iter().map(member).collect();
                    ClassPart::Members(quoted)
                }
                '\\' => {
                    let escaped = self.next()?;
                    self.class_escape(escaped)?
                }
                letter => ClassPart::Character(letter),
            };
            is_first = false;
            match part {
                ClassPart::Members(members) => union.members.push_str(&members),
                ClassPart::Expression(expression) => union.expressions.push(expression),
                ClassPart::Character(first) => {
                    union.members.push_str(&member(first));
                    self.range_end(&mut union)?;
                }
            }
        }
        operands.push(union);
        Ok((operands, has_classes))
    }

    /// Adds the end of a range, if the character before begins one.
    fn range_end(&mut self, union: &mut Union) -> Result<(), String> {
        let mut ahead = self.rest.clone();
        if ahead.next() != Some('-') || matches!(ahead.peek(), None | Some(']' | '[')) {
            return Ok(());
        }
        self.rest = ahead;
        let last = match self.next()? {
            '\\' => {
                let escaped = self.next()?;
                self.class_escape(escaped)?
            }
            letter => ClassPart::Character(letter),
        };
        let ClassPart::Character(last) = last else {
            return Err("a range of a class ends with something else than a character".to_owned());
        };
        union.members.push('-');
        union.members.push_str(&member(last));
        Ok(())
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

/// Writes a character that means itself in a class.
fn member(character: char) -> String {
    match character {
        '^' | '\\' | '[' | ']' | '-' | '&' | '~' => format!("\\{character}"),
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
            let found = translate(java).unwrap_err();
            assert!(found.contains(reason), "{found}");
        }
    }
}
