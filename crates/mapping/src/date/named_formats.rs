//! The names of date formats, as patterns.

/// The pattern of dates that may leave out their finer parts. It takes every full timestamp.
pub(super) const OPTIONAL_TIME: &str = "uuuu[-MM[-dd]]['T'[HH[:mm[:ss[.SSSSSSSSS][,SSSSSSSSS]]]][X]]";

/// Returns the pattern of a format name, and whether its numbers may have fewer digits than it shows.
pub(super) fn pattern_of(name: &str) -> Option<(&'static str, bool)> {
    let plain = name.strip_prefix("strict_").unwrap_or(name);
    let pattern = match plain {
        "date_optional_time" | "date_optional_time_nanos" | "iso8601" | "rfc3339_lenient" => OPTIONAL_TIME,
        "date" | "year_month_day" => "uuuu-MM-dd",
        "year_month" => "uuuu-MM",
        "year" => "uuuu",
        "date_hour" => "uuuu-MM-dd'T'HH",
        "date_hour_minute" => "uuuu-MM-dd'T'HH:mm",
        "date_hour_minute_second" => "uuuu-MM-dd'T'HH:mm:ss",
        "date_hour_minute_second_millis" | "date_hour_minute_second_fraction" => "uuuu-MM-dd'T'HH:mm:ss.SSSSSSSSS",
        "date_time" => "uuuu-MM-dd'T'HH:mm:ss.SSSSSSSSSX",
        "date_time_no_millis" => "uuuu-MM-dd'T'HH:mm:ssX",
        "basic_date" => "uuuuMMdd",
        "basic_date_time" => "uuuuMMdd'T'HHmmss.SSSX",
        "basic_date_time_no_millis" => "uuuuMMdd'T'HHmmssX",
        _ => return None,
    };
    let has_fixed_digits =
        name != plain || plain.starts_with("basic_") || matches!(plain, "iso8601" | "rfc3339_lenient");
    Some((pattern, !has_fixed_digits))
}
