//! Date arithmetic in UTC, as the engines do it: adding keeps to the last day of a shorter month, weeks begin on
//! Monday, and what leaves the calendar stays at its end.

use jiff::Span;
use jiff::civil::{Date, DateTime, Time};

use super::utc::UtcDateTime;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DateUnit {
    Year,
    Month,
    Week,
    Day,
    Hour,
    Minute,
    Second,
}

impl DateUnit {
    pub(super) fn of_letter(letter: char) -> Option<Self> {
        let unit = match letter {
            'y' => Self::Year,
            'M' => Self::Month,
            'w' => Self::Week,
            'd' => Self::Day,
            'h' | 'H' => Self::Hour,
            'm' => Self::Minute,
            's' => Self::Second,
            _ => return None,
        };
        Some(unit)
    }

    /// Returns the moment this many units later; earlier if the number is negative.
    pub(super) fn add(self, moment: UtcDateTime, count: i64) -> UtcDateTime {
        let farthest = if count < 0 { UtcDateTime::MIN } else { UtcDateTime::MAX };
        self.checked_add(moment.civil(), count).map_or(farthest, UtcDateTime::from_civil)
    }

    /// Returns the first moment of the unit that a moment lies in.
    pub(super) fn first_of(self, moment: UtcDateTime) -> UtcDateTime {
        let civil = moment.civil();
        let (date, time) = (civil.date(), civil.time());
        let midnight = |date: Date| date.to_datetime(Time::midnight());
        let first = match self {
            Self::Year => midnight(date.first_of_year()),
            Self::Month => midnight(date.first_of_month()),
            Self::Week => {
                let days = i64::from(date.weekday().to_monday_zero_offset());
                midnight(date.saturating_sub(Span::new().days(days)))
            }
            Self::Day => midnight(date),
            Self::Hour => date.at(time.hour(), 0, 0, 0),
            Self::Minute => date.at(time.hour(), time.minute(), 0, 0),
            Self::Second => date.at(time.hour(), time.minute(), time.second(), 0),
        };
        UtcDateTime::from_civil(first)
    }

    /// Returns the last moment of the unit that a moment lies in.
    pub(super) fn last_of(self, moment: UtcDateTime) -> UtcDateTime {
        let next = self.checked_add(self.first_of(moment).civil(), 1);
        let last = next.and_then(|next| next.checked_sub(Span::new().nanoseconds(1)).ok());
        last.map_or(UtcDateTime::MAX, UtcDateTime::from_civil)
    }

    fn checked_add(self, civil: DateTime, count: i64) -> Option<DateTime> {
        let none = Span::new();
        let span = match self {
            Self::Year => none.try_years(count),
            Self::Month => none.try_months(count),
            Self::Week => none.try_weeks(count),
            Self::Day => none.try_days(count),
            Self::Hour => none.try_hours(count),
            Self::Minute => none.try_minutes(count),
            Self::Second => none.try_seconds(count),
        };
        civil.checked_add(span.ok()?).ok()
    }
}
