//! Dates that may be added to and compared without a calendar: every month has 28 days, all of which exist.

use std::fmt;

use serde::{Serialize, Serializer};

use crate::random::Random;

/// The year of day 0.
const FIRST_YEAR: u64 = 2008;
const DAYS_OF_MONTH: u64 = 28;
const DAYS_OF_YEAR: u64 = 12 * DAYS_OF_MONTH;
const MILLISECONDS_OF_DAY: u64 = 24 * 60 * 60 * 1_000;

/// A day, counted from the first of January 2008.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Day(u64);

impl Day {
    /// Returns a day of some years, both included; none may be before 2008.
    pub(crate) fn of_years(random: &mut Random, first: u64, last: u64) -> Self {
        Self(random.between((first - FIRST_YEAR) * DAYS_OF_YEAR, (last + 1 - FIRST_YEAR) * DAYS_OF_YEAR - 1))
    }

    /// Returns the day this many days later.
    pub(crate) fn plus(self, days: u64) -> Self {
        Self(self.0 + days)
    }

    /// Returns a moment of the day.
    pub(crate) fn moment(self, random: &mut Random) -> Moment {
        Moment { day: self, millisecond: random.between(0, MILLISECONDS_OF_DAY - 1) }
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let year = FIRST_YEAR + self.0 / DAYS_OF_YEAR;
        let month = self.0 % DAYS_OF_YEAR / DAYS_OF_MONTH + 1;
        write!(f, "{year}-{month:02}-{:02}", self.0 % DAYS_OF_MONTH + 1)
    }
}

impl Serialize for Day {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// A moment to the millisecond, in UTC.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Moment {
    day: Day,
    millisecond: u64,
}

impl Serialize for Moment {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { day, millisecond } = self;
        let seconds = millisecond / 1_000;
        let (hour, minute, second) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
        serializer.collect_str(&format_args!("{day}T{hour:02}:{minute:02}:{second:02}.{:03}Z", millisecond % 1_000))
    }
}
