//! Which texts are dates: ISO 8601 dates and times, truncated after any part, numbers of milliseconds, and dates
//! relative to the moment of the search (`now-30d`, `now/d`) or to another (`2024-05-31||+1M/d`). The engine computes
//! the moment.

use std::sync::LazyLock;

use cantata_mapping::{DateExpression, DateFormat};

/// ISO 8601 dates, and dates with a time after a `T` or a space.
static ISO_8601: LazyLock<DateFormat> = LazyLock::new(|| {
    let time = "HH[:mm[:ss[.SSSSSSSSS][,SSSSSSSSS]]][X]";
    DateFormat::parse(&format!("uuuu[-MM[-dd]]||uuuu-MM-dd'T'{time}||uuuu-MM-dd {time}"))
});

/// Returns whether a text is a date, absolute or relative, for a field without a format of its own.
pub fn is_date(text: &str) -> bool {
    if text.starts_with("now") || text.contains("||") {
        return DateExpression::parse(text, &ISO_8601).is_ok();
    }
    is_absolute_date(text) || text.parse::<i64>().is_ok()
}

/// Returns whether a text is an ISO 8601 date, with or without a time.
pub(crate) fn is_absolute_date(text: &str) -> bool {
    ISO_8601.read(text).is_some()
}
