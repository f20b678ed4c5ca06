//! Patterns by which dates are written, in the notation of Unicode that `displayFormat` uses: `yyyy-MM-dd HH:mm`.
//!
//! Everything is in UTC. `YYYY` and `DD`, which other libraries use, mean the same as `yyyy` and `dd`.

use std::io::Write;

use cantata_mapping::Moment;
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::Offset;

use super::request_reader::quote;

const EXPECTED: &str = "a pattern such as \"yyyy-MM-dd HH:mm:ss.SSS\", with other letters in single quotes";

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

const DAYS: [&str; 7] = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

/// A pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DatePattern(Vec<Piece>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    Text(String),
    Number(Part, usize),
    /// The last two digits of the year.
    ShortYear,
    /// A number with the end that it has in English.
    Ordinal(Part),
    MonthName(Length),
    DayName(Length),
    Half,
    /// So many digits of the fraction of a second.
    Fraction(usize),
    /// The offset, which is none.
    Zulu(&'static str),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Year,
    Quarter,
    Month,
    Day,
    DayOfYear,
    Hour,
    HourOfHalf,
    Minute,
    Second,
    UnixSeconds,
    UnixMillis,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Length {
    Short,
    Long,
}

impl DatePattern {
    /// Reads a pattern.
    pub(super) fn parse(pattern: &str) -> Result<Self, String> {
        let mut pieces = Vec::new();
        let mut rest = pattern;
        while let Some(first) = rest.chars().next() {
            let (piece, length) = match first {
                '\'' => quoted(rest)
                    .ok_or_else(|| format!("found {} without a closing quote; expected {EXPECTED}", quote(rest)))?,
                letter if letter.is_ascii_alphabetic() => {
                    let run = rest.len() - rest.trim_start_matches(letter).len();
                    let is_ordinal = run == 1 && rest[1..].starts_with('o');
                    let piece = if is_ordinal { ordinal(letter) } else { piece(letter, run) };
                    let length = run + usize::from(is_ordinal);
                    let piece = piece.ok_or_else(|| {
                        format!("found {} in {}; expected {EXPECTED}", quote(&rest[..length]), quote(pattern))
                    })?;
                    (piece, length)
                }
                other => (Piece::Text(other.to_string()), other.len_utf8()),
            };
            match (pieces.last_mut(), piece) {
                (Some(Piece::Text(before)), Piece::Text(text)) => before.push_str(&text),
                (_, piece) => pieces.push(piece),
            }
            rest = &rest[length..];
        }
        Ok(Self(pieces))
    }

    /// Writes a moment; false if it lies outside of the calendar.
    pub(super) fn write(&self, moment: Moment, out: &mut Vec<u8>) -> bool {
        let Ok(timestamp) = Timestamp::from_nanosecond(moment.nanos()) else { return false };
        let civil = Offset::UTC.to_datetime(timestamp);
        for piece in &self.0 {
            match piece {
                Piece::Text(text) => out.extend_from_slice(text.as_bytes()),
                Piece::Number(part, digits) => number(out, part.of(civil, timestamp), *digits),
                Piece::ShortYear => number(out, Part::Year.of(civil, timestamp).rem_euclid(100), 2),
                Piece::Ordinal(part) => {
                    let value = part.of(civil, timestamp);
                    number(out, value, 1);
                    out.extend_from_slice(ordinal_end(value).as_bytes());
                }
                Piece::MonthName(length) => name(out, &MONTHS, civil.month(), *length),
                Piece::DayName(length) => name(out, &DAYS, civil.weekday().to_monday_one_offset(), *length),
                Piece::Half => out.extend_from_slice(if civil.hour() < 12 { b"AM" } else { b"PM" }),
                Piece::Fraction(digits) => {
                    let nanos = i64::from(civil.subsec_nanosecond());
                    number(out, nanos / 10_i64.pow(9 - *digits as u32), *digits);
                }
                Piece::Zulu(text) => out.extend_from_slice(text.as_bytes()),
            }
        }
        true
    }
}

/// Returns a piece in quotes, and its length with them; two quotes stand for one.
fn quoted(rest: &str) -> Option<(Piece, usize)> {
    if rest.starts_with("''") {
        return Some((Piece::Text("'".to_owned()), 2));
    }
    let mut text = String::new();
    let mut letters = rest.char_indices().skip(1).peekable();
    while let Some((place, letter)) = letters.next() {
        let is_quote = letter == '\'';
        if is_quote && letters.next_if(|(_, next)| *next == '\'').is_none() {
            return Some((Piece::Text(text), place + 1));
        }
        text.push(letter);
    }
    None
}

fn piece(letter: char, run: usize) -> Option<Piece> {
    let length = if run == 4 { Length::Long } else { Length::Short };
    Some(match (letter, run) {
        ('y' | 'u' | 'Y', 2) => Piece::ShortYear,
        ('y' | 'u' | 'Y', 1 | 3 | 4) => Piece::Number(Part::Year, run),
        ('Q', 1 | 2) => Piece::Number(Part::Quarter, run),
        ('M' | 'L', 1 | 2) => Piece::Number(Part::Month, run),
        ('M' | 'L', 3 | 4) => Piece::MonthName(length),
        ('d', 1 | 2) => Piece::Number(Part::Day, run),
        ('D', 2) => Piece::Number(Part::Day, 2),
        ('D', 1 | 3) => Piece::Number(Part::DayOfYear, run),
        ('E', 1..=4) => Piece::DayName(length),
        ('a', 1..=3) => Piece::Half,
        ('H', 1 | 2) => Piece::Number(Part::Hour, run),
        ('h', 1 | 2) => Piece::Number(Part::HourOfHalf, run),
        ('m', 1 | 2) => Piece::Number(Part::Minute, run),
        ('s', 1 | 2) => Piece::Number(Part::Second, run),
        ('S', 1..=9) => Piece::Fraction(run),
        ('X', 1..=3) => Piece::Zulu("Z"),
        ('x', 1) => Piece::Zulu("+00"),
        ('x', 2) => Piece::Zulu("+0000"),
        ('x', 3) => Piece::Zulu("+00:00"),
        ('z' | 'O', 1..=3) => Piece::Zulu("UTC"),
        ('t', 1) => Piece::Number(Part::UnixSeconds, 1),
        ('T', 1) => Piece::Number(Part::UnixMillis, 1),
        _ => return None,
    })
}

fn ordinal(letter: char) -> Option<Piece> {
    Some(Piece::Ordinal(match letter {
        'Q' => Part::Quarter,
        'M' => Part::Month,
        'd' => Part::Day,
        'D' => Part::DayOfYear,
        _ => return None,
    }))
}

impl Part {
    fn of(self, civil: DateTime, timestamp: Timestamp) -> i64 {
        match self {
            Self::Year => i64::from(civil.year()),
            Self::Quarter => i64::from((civil.month() - 1) / 3 + 1),
            Self::Month => i64::from(civil.month()),
            Self::Day => i64::from(civil.day()),
            Self::DayOfYear => i64::from(civil.day_of_year()),
            Self::Hour => i64::from(civil.hour()),
            Self::HourOfHalf => i64::from((civil.hour() + 11) % 12 + 1),
            Self::Minute => i64::from(civil.minute()),
            Self::Second => i64::from(civil.second()),
            Self::UnixSeconds => timestamp.as_second(),
            Self::UnixMillis => timestamp.as_millisecond(),
        }
    }
}

/// Writes a number with at least so many digits.
fn number(out: &mut Vec<u8>, value: i64, digits: usize) {
    if value < 0 {
        out.push(b'-');
    }
    let value = value.unsigned_abs();
    if digits == 2 && value < 100 {
        out.extend_from_slice(&[b'0' + (value / 10) as u8, b'0' + (value % 10) as u8]);
    } else {
        let written = write!(out, "{value:0digits$}");
        debug_assert!(written.is_ok(), "a buffer takes everything");
    }
}

fn name(out: &mut Vec<u8>, names: &[&str], one_based: i8, length: Length) {
    let name = usize::try_from(one_based - 1).ok().and_then(|place| names.get(place)).copied().unwrap_or_default();
    let shown = match length {
        Length::Short => &name[..name.len().min(3)],
        Length::Long => name,
    };
    out.extend_from_slice(shown.as_bytes());
}

fn ordinal_end(value: i64) -> &'static str {
    match (value % 10, value % 100) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    }
}
