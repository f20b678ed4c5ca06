//! How the dates of a field are written: one or more alternatives, tried in order.
//!
//! A text that leaves out the finer parts denotes the whole span of time: `2024-05` is a month. A full timestamp is
//! one moment. An alternative that is not known never matches; if none is known, the default takes their place.

use jiff::SignedDuration;
use jiff::civil::{Date, Time};

use super::named_formats::pattern_of;
use super::pattern::{DateParts, DatePattern};
use super::unit::DateUnit;
use super::utc::UtcDateTime;

/// The format of a date field without one.
const DEFAULT_FORMAT: &str = "strict_date_optional_time||epoch_millis";

/// The ways in which dates are written.
#[derive(Debug, Clone)]
pub struct DateFormat {
    text: String,
    alternatives: Vec<FormatAlternative>,
    unsupported: Vec<String>,
}

#[derive(Debug, Clone)]
enum FormatAlternative {
    EpochMillis,
    EpochSecond,
    Pattern(DatePattern),
}

impl DateFormat {
    /// Reads a format: names such as `epoch_millis` and patterns such as `uuuu-MM-dd HH:mm:ss`, divided by `||`.
    pub fn parse(text: &str) -> Self {
        let mut alternatives = Vec::new();
        let mut unsupported = Vec::new();
        for name in text.split("||") {
            match alternative(name) {
                Some(alternative) => alternatives.push(alternative),
                None => unsupported.push(name.to_owned()),
            }
        }
        if alternatives.is_empty() {
            alternatives.extend(DEFAULT_FORMAT.split("||").filter_map(alternative));
        }
        Self { text: text.to_owned(), alternatives, unsupported }
    }

    /// Returns the format as it was given.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the alternatives that are not known and never match.
    pub fn unsupported(&self) -> &[String] {
        &self.unsupported
    }

    /// Returns the first moment that a text denotes; nothing if it is not written in this format.
    pub fn read(&self, text: &str) -> Option<UtcDateTime> {
        self.read_span(text).map(|span| span.start)
    }

    /// Returns all that a text denotes.
    pub(super) fn read_span(&self, text: &str) -> Option<DateSpan> {
        self.alternatives.iter().find_map(|alternative| match alternative {
            FormatAlternative::EpochMillis => read_epoch(text, 1000).map(DateSpan::exact),
            FormatAlternative::EpochSecond => read_epoch(text, 1).map(DateSpan::exact),
            FormatAlternative::Pattern(pattern) => pattern.read(text).and_then(|parts| DateSpan::of(&parts)),
        })
    }
}

impl Default for DateFormat {
    fn default() -> Self {
        Self::parse(DEFAULT_FORMAT)
    }
}

impl PartialEq for DateFormat {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

fn alternative(name: &str) -> Option<FormatAlternative> {
    // Older indices mark patterns of the present kind with an 8 in front.
    let name = name.strip_prefix('8').unwrap_or(name).trim();
    let (pattern, is_lenient) = match name {
        "epoch_millis" => return Some(FormatAlternative::EpochMillis),
        "epoch_second" => return Some(FormatAlternative::EpochSecond),
        name => pattern_of(name).unwrap_or((name, false)),
    };
    DatePattern::parse(pattern, is_lenient).map(FormatAlternative::Pattern)
}

/// Reads a decimal number of units since 1970, of which `per_second` make a second.
fn read_epoch(text: &str, per_second: i64) -> Option<UtcDateTime> {
    let (is_negative, digits) = text.strip_prefix('-').map_or((false, text), |digits| (true, digits));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
    let is_number = |digits: &str| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number(whole) || !is_number(fraction) {
        return None;
    }
    let nanos_per_unit = i128::from(1_000_000_000 / per_second);
    let billionths =
        fraction.bytes().chain(std::iter::repeat(b'0')).take(9).fold(0, |n, digit| n * 10 + i128::from(digit - b'0'));
    let nanos = i128::from(whole.parse::<i64>().ok()?) * nanos_per_unit + billionths * nanos_per_unit / 1_000_000_000;
    UtcDateTime::from_nanos(if is_negative { -nanos } else { nanos })
}

/// The moments from the first to the last that a text denotes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct DateSpan {
    pub(super) start: UtcDateTime,
    pub(super) end: UtcDateTime,
}

impl DateSpan {
    pub(super) fn exact(moment: UtcDateTime) -> Self {
        Self { start: moment, end: moment }
    }

    /// Returns the span of what a text says; nothing if there is no such date.
    fn of(parts: &DateParts) -> Option<Self> {
        let date = Date::new(parts.year.unwrap_or(1970), parts.month.unwrap_or(1), parts.day.unwrap_or(1)).ok()?;
        // A leap second would be read as the second before it.
        let time = Time::new(
            parts.hour.unwrap_or(0),
            parts.minute.unwrap_or(0),
            parts.second.unwrap_or(0),
            parts.nanos.unwrap_or(0),
        )
        .ok()?;
        let east = SignedDuration::from_secs(i64::from(parts.offset.unwrap_or(0)));
        let local = date.to_datetime(time);
        let start = UtcDateTime::from_civil(local.checked_sub(east).ok()?);
        let unit = match parts {
            DateParts { second: Some(_), .. } | DateParts { nanos: Some(_), .. } => return Some(Self::exact(start)),
            DateParts { minute: Some(_), .. } => DateUnit::Minute,
            DateParts { hour: Some(_), .. } => DateUnit::Hour,
            DateParts { day: Some(_), .. } => DateUnit::Day,
            DateParts { month: Some(_), .. } => DateUnit::Month,
            _ => DateUnit::Year,
        };
        // The end is sought where the text was written: the month of an offset is not the month in UTC.
        let end = unit.last_of(UtcDateTime::from_civil(local)).civil();
        Some(Self { start, end: end.checked_sub(east).map_or(UtcDateTime::MAX, UtcDateTime::from_civil) })
    }
}
