//! Moments in time as the wire shows them: UTC without a zone, to the microsecond, trailing zeros left out.

use std::fmt;
use std::str::FromStr;

use jiff::tz::TimeZone;
use jiff::{Timestamp as Instant, civil::DateTime};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A moment, in microseconds since 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(i64);

impl Timestamp {
    /// Returns the current time.
    pub fn now() -> Self {
        Self(Instant::now().as_microsecond())
    }

    /// Creates a timestamp from microseconds since 1970.
    pub fn from_micros(micros: i64) -> Self {
        Self(micros)
    }

    /// Returns the microseconds since 1970.
    pub fn as_micros(self) -> i64 {
        self.0
    }

    /// Returns the milliseconds since 1970.
    pub fn as_millis(self) -> i64 {
        self.0.div_euclid(1000)
    }

    fn civil(self) -> DateTime {
        Instant::from_microsecond(self.0).unwrap_or(Instant::UNIX_EPOCH).to_zoned(TimeZone::UTC).datetime()
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.civil(), f)
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        std::borrow::Cow::<'de, str>::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

impl FromStr for Timestamp {
    type Err = jiff::Error;

    /// Reads the wire form, or a date alone, which is its first moment.
    fn from_str(text: &str) -> Result<Self, jiff::Error> {
        let civil: DateTime = text.parse()?;
        Ok(Self(civil.to_zoned(TimeZone::UTC)?.timestamp().as_microsecond()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wire_form_has_no_zone_and_no_trailing_zeros() {
        assert_eq!(Timestamp::from_micros(1_794_713_363_075_100).to_string(), "2026-11-15T03:29:23.0751");
        assert_eq!(Timestamp::from_micros(1_794_713_363_000_000).to_string(), "2026-11-15T03:29:23");
    }

    #[test]
    fn wire_form_reads_back() {
        let moment = Timestamp::now();
        let text = serde_json::to_string(&moment).unwrap();
        assert_eq!(serde_json::from_str::<Timestamp>(&text).unwrap(), moment);
    }
}
