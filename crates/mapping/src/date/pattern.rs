//! A date pattern of letters, such as `uuuu-MM-dd HH:mm:ss`, and matching a text against it.
//!
//! Known are years, months, days, hours of 24, minutes, seconds, fractions and offsets, all as digits, quoted texts
//! and optional parts in brackets. Matching goes through the text once, without going back.

use std::iter::Peekable;

use super::named_formats::OPTIONAL_TIME;
use super::pattern_syntax::{PatternToken, tokens};

/// What a text says about a moment.
#[derive(Debug, Default, PartialEq)]
pub(super) struct DateParts {
    pub(super) year: Option<i16>,
    pub(super) month: Option<i8>,
    pub(super) day: Option<i8>,
    pub(super) hour: Option<i8>,
    pub(super) minute: Option<i8>,
    pub(super) second: Option<i8>,
    pub(super) nanos: Option<i32>,
    /// Seconds east of Greenwich.
    pub(super) offset: Option<i32>,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct DatePattern {
    elements: Vec<PatternElement>,
    /// Whether it takes what [`read_timestamp`] reads.
    accepts_timestamps: bool,
}

#[derive(Debug, Clone, PartialEq)]
enum PatternElement {
    Number { letter: char, least: usize, most: usize },
    Fraction { least: usize, most: usize },
    Offset,
    Literal(char),
    Optional(Vec<PatternElement>),
}

impl DatePattern {
    /// Reads a pattern; nothing if it has letters that are not known. If `is_lenient`, numbers may have fewer digits.
    pub(super) fn parse(text: &str, is_lenient: bool) -> Option<Self> {
        let mut tokens = tokens(text).ok()?.into_iter().peekable();
        let elements = parse_elements(&mut tokens, is_lenient, 0)?;
        (!elements.is_empty()).then_some(Self { elements, accepts_timestamps: text == OPTIONAL_TIME })
    }

    /// Returns what a text says, if it matches as a whole.
    pub(super) fn read(&self, text: &str) -> Option<DateParts> {
        if self.accepts_timestamps
            && let Some(parts) = read_timestamp(text.as_bytes())
        {
            return Some(parts);
        }
        self.read_by_elements(text.as_bytes())
    }

    fn read_by_elements(&self, text: &[u8]) -> Option<DateParts> {
        let mut parts = DateParts::default();
        let rest = read_elements(&self.elements, text, &mut parts)?;
        rest.is_empty().then_some(parts)
    }
}

fn parse_elements(
    tokens: &mut Peekable<impl Iterator<Item = PatternToken>>,
    is_lenient: bool,
    depth: usize,
) -> Option<Vec<PatternElement>> {
    const MAX_DEPTH: usize = 20;
    let mut elements = Vec::new();
    while let Some(token) = tokens.next_if(|token| depth == 0 || *token != PatternToken::Other(']')) {
        match token {
            PatternToken::Other('[') if depth < MAX_DEPTH => {
                elements.push(PatternElement::Optional(parse_elements(tokens, is_lenient, depth + 1)?));
                tokens.next_if_eq(&PatternToken::Other(']'))?;
            }
            PatternToken::Other('[' | ']' | '{' | '}' | '#') => return None,
            PatternToken::Other(other) => elements.push(PatternElement::Literal(other)),
            PatternToken::Quoted(text) => elements.extend(text.chars().map(PatternElement::Literal)),
            PatternToken::Letters { letter, count } => elements.push(element_of(letter, count, is_lenient)?),
        }
    }
    Some(elements)
}

fn element_of(letter: char, count: usize, is_lenient: bool) -> Option<PatternElement> {
    let element = match (letter, count) {
        ('y' | 'u', 4) => PatternElement::Number { letter: 'y', least: 4, most: 4 },
        ('y' | 'u', 1) => PatternElement::Number { letter: 'y', least: 1, most: 4 },
        ('M' | 'd' | 'H' | 'm' | 's', 2) => {
            PatternElement::Number { letter, least: if is_lenient { 1 } else { 2 }, most: 2 }
        }
        ('M' | 'd' | 'H' | 'm' | 's', 1) => PatternElement::Number { letter, least: 1, most: 2 },
        // Nine digits are all that there are, so that fewer of them are meant too.
        ('S', 9) => PatternElement::Fraction { least: 1, most: 9 },
        ('S', 1..=8) => PatternElement::Fraction { least: count, most: count },
        ('X' | 'x', 1..=5) | ('Z', 1..=3 | 5) => PatternElement::Offset,
        _ => return None,
    };
    Some(element)
}

/// Returns what is left of a text after the elements.
fn read_elements<'t>(elements: &[PatternElement], mut text: &'t [u8], parts: &mut DateParts) -> Option<&'t [u8]> {
    for element in elements {
        text = match element {
            PatternElement::Literal(letter) => {
                let mut encoded = [0; 4];
                text.strip_prefix(letter.encode_utf8(&mut encoded).as_bytes())?
            }
            PatternElement::Number { letter: 'y', least, most } => {
                let (sign, digits) = text.strip_prefix(b"-").map_or((1, text), |digits| (-1, digits));
                let (year, rest) = read_digits(digits, *least, *most)?;
                parts.year = Some(sign * i16::try_from(year).ok()?);
                rest
            }
            PatternElement::Number { letter, least, most } => {
                let (number, rest) = read_digits(text, *least, *most)?;
                let number = Some(i8::try_from(number).ok()?);
                match letter {
                    'M' => parts.month = number,
                    'd' => parts.day = number,
                    'H' => parts.hour = number,
                    'm' => parts.minute = number,
                    _ => parts.second = number,
                }
                rest
            }
            PatternElement::Fraction { least, most } => {
                let (nanos, rest) = read_fraction(text, *least, *most)?;
                parts.nanos = Some(nanos);
                rest
            }
            PatternElement::Offset => read_offset(text, parts)?,
            PatternElement::Optional(inner) => {
                let mut tried = DateParts { ..*parts };
                match read_elements(inner, text, &mut tried) {
                    Some(rest) => {
                        *parts = tried;
                        rest
                    }
                    None => text,
                }
            }
        };
    }
    Some(text)
}

/// Reads a timestamp of date and time, with or without a fraction and a `Z` at its end. Most dates are written like this,
/// and here they are read much sooner than element by element.
fn read_timestamp(text: &[u8]) -> Option<DateParts> {
    let (start, mut rest) = text.split_first_chunk::<19>()?;
    if [start[4], start[7], start[10], start[13], start[16]] != *b"--T::" {
        return None;
    }
    let two_digits = |index: usize| {
        let [tens, ones] = [start[index], start[index + 1]].map(|byte| byte.wrapping_sub(b'0'));
        (tens < 10 && ones < 10).then(|| (tens * 10 + ones) as i8)
    };
    let mut parts = DateParts {
        year: Some(i16::from(two_digits(0)?) * 100 + i16::from(two_digits(2)?)),
        month: Some(two_digits(5)?),
        day: Some(two_digits(8)?),
        hour: Some(two_digits(11)?),
        minute: Some(two_digits(14)?),
        second: Some(two_digits(17)?),
        ..DateParts::default()
    };
    if let Some(fraction) = rest.strip_prefix(b".") {
        let (nanos, after) = read_fraction(fraction, 1, 9)?;
        parts.nanos = Some(nanos);
        rest = after;
    }
    parts.offset = match rest {
        b"" => None,
        b"Z" => Some(0),
        _ => return None,
    };
    Some(parts)
}

/// Reads the digits of a part of a second, as nanoseconds.
fn read_fraction(text: &[u8], least: usize, most: usize) -> Option<(i32, &[u8])> {
    let (number, rest) = read_digits(text, least, most)?;
    let missing = 9 - (text.len() - rest.len());
    Some((i32::try_from(number * 10_u32.pow(u32::try_from(missing).ok()?)).ok()?, rest))
}

fn read_digits(text: &[u8], least: usize, most: usize) -> Option<(u32, &[u8])> {
    let length = text.iter().take(most).take_while(|byte| byte.is_ascii_digit()).count();
    let (digits, rest) = text.split_at(length);
    let number = digits.iter().fold(0, |number, digit| number * 10 + u32::from(digit - b'0'));
    (length >= least).then_some((number, rest))
}

/// Reads `Z`, `+02`, `+0200`, `+02:00` or `+02:00:00`.
fn read_offset<'t>(text: &'t [u8], parts: &mut DateParts) -> Option<&'t [u8]> {
    if let Some(rest) = text.strip_prefix(b"Z") {
        parts.offset = Some(0);
        return Some(rest);
    }
    let (sign, text) = match text.split_first()? {
        (b'+', rest) => (1, rest),
        (b'-', rest) => (-1, rest),
        _ => return None,
    };
    let (hours, mut text) = read_digits(text, 2, 2)?;
    let mut seconds = hours * 3600;
    for unit in [60, 1] {
        let digits = text.strip_prefix(b":").unwrap_or(text);
        let Some((number, rest)) = read_digits(digits, 2, 2) else { break };
        if number > 59 {
            return None;
        }
        seconds += number * unit;
        text = rest;
    }
    const MAX_OFFSET_SECONDS: u32 = 18 * 3600;
    if seconds > MAX_OFFSET_SECONDS {
        return None;
    }
    parts.offset = Some(sign * i32::try_from(seconds).ok()?);
    Some(text)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_timestamp_is_read_as_its_elements_are(
            text in "[0-9]{4}[-+][0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}:[0-9]{1,3}([.,][0-9]{0,10})?(Z|[+]02:00|x)?"
        ) {
            let pattern = DatePattern::parse(OPTIONAL_TIME, false).unwrap();
            if let Some(parts) = read_timestamp(text.as_bytes()) {
                prop_assert_eq!(pattern.read_by_elements(text.as_bytes()), Some(parts));
            }
        }

        #[test]
        fn full_timestamps_are_read_without_elements(
            text in "[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]{1,9})?Z?"
        ) {
            prop_assert!(read_timestamp(text.as_bytes()).is_some());
        }
    }
}
