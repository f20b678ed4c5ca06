//! A date and time in UTC to the nanosecond, from the year -9999 to the year 9999.

use std::fmt;

use jiff::civil::{DateTime, date};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

const EPOCH: DateTime = date(1970, 1, 1).at(0, 0, 0, 0);

/// A date and time in UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UtcDateTime(DateTime);

impl UtcDateTime {
    /// The earliest moment.
    pub const MIN: UtcDateTime = UtcDateTime(DateTime::MIN);
    /// The latest moment.
    pub const MAX: UtcDateTime = UtcDateTime(DateTime::MAX);

    /// Returns the moment that many milliseconds after 1970; nothing outside of the calendar.
    pub fn from_millis(millis: i64) -> Option<Self> {
        EPOCH.checked_add(SignedDuration::from_millis(millis)).ok().map(Self)
    }

    /// Returns the moment that many nanoseconds after 1970; nothing outside of the calendar.
    pub fn from_nanos(nanos: i128) -> Option<Self> {
        let seconds = i64::try_from(nanos.div_euclid(1_000_000_000)).ok()?;
        let rest = i64::try_from(nanos.rem_euclid(1_000_000_000)).ok()?;
        // In two steps, since the sum might pass the ends of a duration, which lie far outside of the calendar.
        let whole = EPOCH.checked_add(SignedDuration::from_secs(seconds)).ok()?;
        whole.checked_add(SignedDuration::from_nanos(rest)).ok().map(Self)
    }

    /// Returns the moment of a date and time in UTC.
    pub(super) fn from_civil(civil: DateTime) -> Self {
        Self(civil)
    }

    /// Returns the date and time in UTC.
    pub(super) fn civil(self) -> DateTime {
        self.0
    }

    /// Returns the milliseconds since 1970; what is finer is cut off towards the past.
    pub fn millis(self) -> i64 {
        let since = self.0.duration_since(EPOCH);
        since.as_secs() * 1000 + i64::from(since.subsec_nanos().div_euclid(1_000_000))
    }

    /// Returns the nanoseconds since 1970.
    pub fn nanos(self) -> i128 {
        self.0.duration_since(EPOCH).as_nanos()
    }
}

impl From<Timestamp> for UtcDateTime {
    fn from(timestamp: Timestamp) -> Self {
        Self(timestamp.to_zoned(TimeZone::UTC).datetime())
    }
}

/// Writes a moment as `2024-05-01T00:00:00.000Z`, with nanoseconds where there are any.
impl fmt::Display for UtcDateTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = if self.0.subsec_nanosecond() % 1_000_000 == 0 { 3 } else { 9 };
        write!(f, "{:.digits$}Z", self.0)
    }
}
