//! Patterns by which dates are displayed, in the notation of Unicode that `displayFormat` uses: `yyyy-MM-dd HH:mm`.
//!
//! Everything is in UTC. `YYYY` and `DD`, which other libraries use, mean the same as `yyyy` and `dd`.

use std::fmt;
use std::io::Write;

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::Offset;
use thiserror::Error;

use super::pattern_syntax::{PatternToken, UnclosedQuote, tokens};
use super::utc::UtcDateTime;
use crate::error::quote;

const EXPECTED: &str = "a pattern such as \"yyyy-MM-dd HH:mm:ss.SSS\", with other letters in single quotes";

/// Why a display pattern cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum DatePatternError {
    /// A quote is not closed; the pattern from the quote on.
    #[error("found {} without a closing quote; expected {EXPECTED}", quote(.0))]
    UnclosedQuote(String),
    /// Letters that have no meaning in a pattern.
    #[error("found {} in {}; expected {EXPECTED}", quote(.found), quote(.pattern))]
    UnknownLetters {
        /// The letters.
        found: String,
        /// The whole pattern.
        pattern: String,
    },
}

/// A pattern by which dates are displayed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DateDisplayPattern(Vec<DisplayPiece>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum DisplayPiece {
    Text(String),
    Number(DateComponent, usize),
    /// The last two digits of the year.
    ShortYear,
    /// An English ordinal, such as `1st`.
    Ordinal(DateComponent),
    /// A name, by its conversion of `strftime`.
    Name(&'static str),
    /// The fraction of a second with this many digits.
    Fraction(usize),
    /// The offset of UTC.
    Zulu(&'static str),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DateComponent {
    Year,
    Quarter,
    Month,
    Day,
    DayOfYear,
    Hour,
    ClockHour,
    Minute,
    Second,
    UnixSeconds,
    UnixMillis,
}

impl DateDisplayPattern {
    /// Parses a pattern.
    ///
    /// # Errors
    ///
    /// If a quote is not closed, or letters have no meaning.
    pub fn parse(pattern: &str) -> Result<Self, DatePatternError> {
        let unclosed = |UnclosedQuote(rest): UnclosedQuote<'_>| DatePatternError::UnclosedQuote(rest.to_owned());
        let mut tokens = tokens(pattern).map_err(unclosed)?.into_iter().peekable();
        let mut pieces = Vec::new();
        while let Some(token) = tokens.next() {
            let piece = match token {
                PatternToken::Other(other) => DisplayPiece::Text(other.to_string()),
                PatternToken::Quoted(text) => DisplayPiece::Text(text),
                PatternToken::Letters { letter, count } => {
                    let is_ordinal =
                        count == 1 && tokens.next_if_eq(&PatternToken::Letters { letter: 'o', count: 1 }).is_some();
                    let piece = if is_ordinal { ordinal(letter) } else { piece(letter, count) };
                    piece.ok_or_else(|| {
                        let letters = letter.to_string().repeat(count);
                        let found = if is_ordinal { format!("{letters}o") } else { letters };
                        DatePatternError::UnknownLetters { found, pattern: pattern.to_owned() }
                    })?
                }
            };
            match (pieces.last_mut(), piece) {
                (Some(DisplayPiece::Text(before)), DisplayPiece::Text(text)) => before.push_str(&text),
                (_, piece) => pieces.push(piece),
            }
        }
        Ok(Self(pieces))
    }

    /// Writes a date; returns false if it lies outside of the calendar.
    pub fn write(&self, moment: UtcDateTime, out: &mut Vec<u8>) -> bool {
        let Ok(timestamp) = Timestamp::from_nanosecond(moment.nanos()) else { return false };
        let civil = Offset::UTC.to_datetime(timestamp);
        for piece in &self.0 {
            match piece {
                DisplayPiece::Text(text) => out.extend_from_slice(text.as_bytes()),
                DisplayPiece::Number(part, digits) => number(out, part.of(civil, timestamp), *digits),
                DisplayPiece::ShortYear => number(out, DateComponent::Year.of(civil, timestamp).rem_euclid(100), 2),
                DisplayPiece::Ordinal(part) => {
                    let value = part.of(civil, timestamp);
                    number(out, value, 1);
                    out.extend_from_slice(ordinal_suffix(value).as_bytes());
                }
                DisplayPiece::Name(conversion) => print(out, format_args!("{}", civil.strftime(conversion))),
                DisplayPiece::Fraction(digits) => {
                    let nanos = i64::from(civil.subsec_nanosecond());
                    number(out, nanos / 10_i64.pow(9 - *digits as u32), *digits);
                }
                DisplayPiece::Zulu(text) => out.extend_from_slice(text.as_bytes()),
            }
        }
        true
    }
}

fn piece(letter: char, run: usize) -> Option<DisplayPiece> {
    Some(match (letter, run) {
        ('y' | 'u' | 'Y', 2) => DisplayPiece::ShortYear,
        ('y' | 'u' | 'Y', 1 | 3 | 4) => DisplayPiece::Number(DateComponent::Year, run),
        ('Q', 1 | 2) => DisplayPiece::Number(DateComponent::Quarter, run),
        ('M' | 'L', 1 | 2) => DisplayPiece::Number(DateComponent::Month, run),
        ('M' | 'L', 3) => DisplayPiece::Name("%b"),
        ('M' | 'L', 4) => DisplayPiece::Name("%B"),
        ('d', 1 | 2) => DisplayPiece::Number(DateComponent::Day, run),
        ('D', 2) => DisplayPiece::Number(DateComponent::Day, 2),
        ('D', 1 | 3) => DisplayPiece::Number(DateComponent::DayOfYear, run),
        ('E', 1..=3) => DisplayPiece::Name("%a"),
        ('E', 4) => DisplayPiece::Name("%A"),
        ('a', 1..=3) => DisplayPiece::Name("%p"),
        ('H', 1 | 2) => DisplayPiece::Number(DateComponent::Hour, run),
        ('h', 1 | 2) => DisplayPiece::Number(DateComponent::ClockHour, run),
        ('m', 1 | 2) => DisplayPiece::Number(DateComponent::Minute, run),
        ('s', 1 | 2) => DisplayPiece::Number(DateComponent::Second, run),
        ('S', 1..=9) => DisplayPiece::Fraction(run),
        ('X', 1..=3) => DisplayPiece::Zulu("Z"),
        ('x', 1) => DisplayPiece::Zulu("+00"),
        ('x', 2) => DisplayPiece::Zulu("+0000"),
        ('x', 3) => DisplayPiece::Zulu("+00:00"),
        ('z' | 'O', 1..=3) => DisplayPiece::Zulu("UTC"),
        ('t', 1) => DisplayPiece::Number(DateComponent::UnixSeconds, 1),
        ('T', 1) => DisplayPiece::Number(DateComponent::UnixMillis, 1),
        _ => return None,
    })
}

fn ordinal(letter: char) -> Option<DisplayPiece> {
    Some(DisplayPiece::Ordinal(match letter {
        'Q' => DateComponent::Quarter,
        'M' => DateComponent::Month,
        'd' => DateComponent::Day,
        'D' => DateComponent::DayOfYear,
        _ => return None,
    }))
}

impl DateComponent {
    fn of(self, civil: DateTime, timestamp: Timestamp) -> i64 {
        match self {
            Self::Year => i64::from(civil.year()),
            Self::Quarter => i64::from((civil.month() - 1) / 3 + 1),
            Self::Month => i64::from(civil.month()),
            Self::Day => i64::from(civil.day()),
            Self::DayOfYear => i64::from(civil.day_of_year()),
            Self::Hour => i64::from(civil.hour()),
            Self::ClockHour => i64::from((civil.hour() + 11) % 12 + 1),
            Self::Minute => i64::from(civil.minute()),
            Self::Second => i64::from(civil.second()),
            Self::UnixSeconds => timestamp.as_second(),
            Self::UnixMillis => timestamp.as_millisecond(),
        }
    }
}

/// Writes a number with at least `digits` digits.
fn number(out: &mut Vec<u8>, value: i64, digits: usize) {
    if value < 0 {
        out.push(b'-');
    }
    let value = value.unsigned_abs();
    if digits == 2 && value < 100 {
        out.extend_from_slice(&[b'0' + (value / 10) as u8, b'0' + (value % 10) as u8]);
    } else {
        print(out, format_args!("{value:0digits$}"));
    }
}

fn print(out: &mut Vec<u8>, text: fmt::Arguments<'_>) {
    let written = out.write_fmt(text);
    debug_assert!(written.is_ok(), "a buffer takes everything");
}

fn ordinal_suffix(value: i64) -> &'static str {
    match (value % 10, value % 100) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    }
}
