//! Classes of characters: those of Java may have others in them, and intersections.

use super::{MAX_NESTING, PatternError, Translator, VERTICAL_SPACE, written};

const SPACE: &str = r"\t-\r ";
const HORIZONTAL_SPACE: &str = r" \t\xA0\u1680\u180e\u2000-\u200a\u202f\u205f\u3000";
const WORD: &str = "A-Za-z0-9_";
const DIGIT: &str = "0-9";

/// One character of a class, or a part of it that is a set already.
pub(super) enum ClassPart {
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
    fn expression(self) -> Result<String, PatternError> {
        let mut parts = self.expressions;
        if !self.members.is_empty() {
            parts.insert(0, format!("[{}]", self.members));
        }
        match parts.len() {
            0 => Err(PatternError::EmptyClass),
            1 => Ok(parts.swap_remove(0)),
            _ => Ok(format!("(?:{})", parts.join("|"))),
        }
    }
}

impl Translator<'_> {
    /// Translates an escape that may be in a class; its backslash and its first letter are consumed.
    pub(super) fn class_escape(&mut self, letter: char) -> Result<ClassPart, PatternError> {
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
            other => Err(PatternError::Escape(other)),
        }
    }

    /// Reads hexadecimal digits: this many, or up to a brace.
    fn code_point(&mut self, digits: Option<usize>) -> Result<ClassPart, PatternError> {
        let mut text = String::new();
        while digits.is_none_or(|digits| text.len() < digits) {
            match self.next()? {
                '}' if digits.is_none() => break,
                letter => text.push(letter),
            }
        }
        let character = u32::from_str_radix(&text, 16).ok().and_then(char::from_u32);
        character.map(ClassPart::Character).ok_or(PatternError::CodePoint(text))
    }

    /// Translates a class into an expression that matches one character; its opening bracket is consumed.
    pub(super) fn class(&mut self, depth: usize) -> Result<String, PatternError> {
        match self.class_value(depth)? {
            ClassValue::Union(union) => union.expression(),
            ClassValue::Expression(expression) => Ok(expression),
        }
    }

    /// Reads a class; its opening bracket is consumed.
    fn class_value(&mut self, depth: usize) -> Result<ClassValue, PatternError> {
        let is_negated = self.eat('^');
        let (mut operands, has_classes) = self.class_operands(depth)?;
        let last = operands.pop().unwrap_or_default();
        if is_negated {
            if has_classes || !operands.is_empty() || !last.expressions.is_empty() {
                return Err(PatternError::NegatedClass);
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
    fn class_operands(&mut self, depth: usize) -> Result<(Vec<Union>, bool), PatternError> {
        if depth > MAX_NESTING {
            return Err(PatternError::TooDeep("classes"));
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
    fn range_end(&mut self, union: &mut Union) -> Result<(), PatternError> {
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
            return Err(PatternError::RangeEnd);
        };
        union.members.push('-');
        union.members.push_str(&member(last));
        Ok(())
    }
}

/// Writes a character that means itself in a class.
fn member(character: char) -> String {
    match character {
        '^' | '\\' | '[' | ']' | '-' | '&' | '~' => format!("\\{character}"),
        other => written(other),
    }
}
