use cantata_mapping::{DateExpression, DateFormat, UtcDateTime};

/// The present moment of these tests, a Wednesday.
fn now() -> UtcDateTime {
    DateFormat::default().read("2024-05-15T10:20:30.456Z").unwrap()
}

/// Checks the first and the last moment that texts denote.
fn check(format: &str, cases: &[(&str, &str, &str)]) {
    let format = DateFormat::parse(format);
    for (text, start, end) in cases {
        let date = DateExpression::parse(text, &format).unwrap();
        assert_eq!(date.start(now()).to_string(), *start, "start of {text}");
        let last = UtcDateTime::from_millis(date.end(now()).millis()).unwrap();
        assert_eq!(last.to_string(), *end, "end of {text}");
        assert_eq!(date.is_relative(), text.starts_with("now"), "{text}");
    }
}

const DEFAULT: &str = "strict_date_optional_time||epoch_millis";

#[test]
fn a_date_denotes_all_that_it_leaves_open() {
    check(
        DEFAULT,
        &[
            ("2024", "2024-01-01T00:00:00.000Z", "2024-12-31T23:59:59.999Z"),
            ("2024-02", "2024-02-01T00:00:00.000Z", "2024-02-29T23:59:59.999Z"),
            ("2024-05-01", "2024-05-01T00:00:00.000Z", "2024-05-01T23:59:59.999Z"),
            ("2024-05-01T10", "2024-05-01T10:00:00.000Z", "2024-05-01T10:59:59.999Z"),
            ("2024-05-01T10:20", "2024-05-01T10:20:00.000Z", "2024-05-01T10:20:59.999Z"),
            ("2024-05-01T10:20+02:00", "2024-05-01T08:20:00.000Z", "2024-05-01T08:20:59.999Z"),
            ("2024-05-01T10:20:30", "2024-05-01T10:20:30.000Z", "2024-05-01T10:20:30.000Z"),
            ("2024-05-01T10:20:30.5Z", "2024-05-01T10:20:30.500Z", "2024-05-01T10:20:30.500Z"),
            ("1714556430123", "2024-05-01T09:40:30.123Z", "2024-05-01T09:40:30.123Z"),
            ("9999", "9999-01-01T00:00:00.000Z", "9999-12-31T23:59:59.999Z"),
        ],
    );
    check("dd.MM.yyyy", &[("01.05.2024", "2024-05-01T00:00:00.000Z", "2024-05-01T23:59:59.999Z")]);
}

#[test]
fn a_filter_may_always_write_iso() {
    check("epoch_second", &[("2024-05-01", "2024-05-01T00:00:00.000Z", "2024-05-01T23:59:59.999Z")]);
    check("epoch_second", &[("60", "1970-01-01T00:01:00.000Z", "1970-01-01T00:01:00.000Z")]);
}

#[test]
fn dates_relative_to_the_present() {
    check(
        DEFAULT,
        &[
            ("now", "2024-05-15T10:20:30.456Z", "2024-05-15T10:20:30.456Z"),
            ("now-30d", "2024-04-15T10:20:30.456Z", "2024-04-15T10:20:30.456Z"),
            ("now+1h", "2024-05-15T11:20:30.456Z", "2024-05-15T11:20:30.456Z"),
            ("now+H", "2024-05-15T11:20:30.456Z", "2024-05-15T11:20:30.456Z"),
            ("now-90m", "2024-05-15T08:50:30.456Z", "2024-05-15T08:50:30.456Z"),
            ("now-31s", "2024-05-15T10:19:59.456Z", "2024-05-15T10:19:59.456Z"),
            ("now-2w", "2024-05-01T10:20:30.456Z", "2024-05-01T10:20:30.456Z"),
            ("now-1y", "2023-05-15T10:20:30.456Z", "2023-05-15T10:20:30.456Z"),
            ("now/y", "2024-01-01T00:00:00.000Z", "2024-12-31T23:59:59.999Z"),
            ("now/M", "2024-05-01T00:00:00.000Z", "2024-05-31T23:59:59.999Z"),
            ("now/w", "2024-05-13T00:00:00.000Z", "2024-05-19T23:59:59.999Z"),
            ("now/d", "2024-05-15T00:00:00.000Z", "2024-05-15T23:59:59.999Z"),
            ("now/1d", "2024-05-15T00:00:00.000Z", "2024-05-15T23:59:59.999Z"),
            ("now/h", "2024-05-15T10:00:00.000Z", "2024-05-15T10:59:59.999Z"),
            ("now/H", "2024-05-15T10:00:00.000Z", "2024-05-15T10:59:59.999Z"),
            ("now/m", "2024-05-15T10:20:00.000Z", "2024-05-15T10:20:59.999Z"),
            ("now/s", "2024-05-15T10:20:30.000Z", "2024-05-15T10:20:30.999Z"),
            ("now+1h/d", "2024-05-15T00:00:00.000Z", "2024-05-15T23:59:59.999Z"),
            ("now-1M/M", "2024-04-01T00:00:00.000Z", "2024-04-30T23:59:59.999Z"),
            ("now/d+1d", "2024-05-16T00:00:00.000Z", "2024-05-16T23:59:59.999Z"),
            ("now-1d/d+2h", "2024-05-14T02:00:00.000Z", "2024-05-15T01:59:59.999Z"),
        ],
    );
}

#[test]
fn dates_with_arithmetic() {
    check(
        DEFAULT,
        &[
            ("2024-01-01||+1M/d", "2024-02-01T00:00:00.000Z", "2024-02-01T23:59:59.999Z"),
            ("2024-01-31||+1M", "2024-02-29T00:00:00.000Z", "2024-02-29T00:00:00.000Z"),
            ("2024-01-31||+1M+1M", "2024-03-29T00:00:00.000Z", "2024-03-29T00:00:00.000Z"),
            ("2024||-1d", "2023-12-31T00:00:00.000Z", "2023-12-31T00:00:00.000Z"),
            ("2024-05-19||/w", "2024-05-13T00:00:00.000Z", "2024-05-19T23:59:59.999Z"),
            ("2024-05-20||/w", "2024-05-20T00:00:00.000Z", "2024-05-26T23:59:59.999Z"),
            ("2024-05-01||", "2024-05-01T00:00:00.000Z", "2024-05-01T00:00:00.000Z"),
            ("2024-05-01T23:00:00-05:00||/d", "2024-05-02T00:00:00.000Z", "2024-05-02T23:59:59.999Z"),
            ("0||+1d", "1970-01-02T00:00:00.000Z", "1970-01-02T00:00:00.000Z"),
        ],
    );
}

#[test]
fn the_calendar_has_ends() {
    check(
        DEFAULT,
        &[
            ("now+2147483647y", "9999-12-31T23:59:59.999999999Z", "9999-12-31T23:59:59.999Z"),
            ("now+9999999d", "9999-12-31T23:59:59.999999999Z", "9999-12-31T23:59:59.999Z"),
            ("9999-12-31||/d", "9999-12-31T00:00:00.000Z", "9999-12-31T23:59:59.999Z"),
        ],
    );
    let date = DateExpression::parse("now-99999y", &DateFormat::default()).unwrap();
    assert_eq!(date.start(now()), UtcDateTime::MIN);
}

#[test]
fn the_last_moment_is_exact_to_the_nanosecond() {
    let date = DateExpression::parse("2024-05-01", &DateFormat::default()).unwrap();
    assert_eq!(date.end(now()).to_string(), "2024-05-01T23:59:59.999999999Z");
}

#[test]
fn what_is_no_date_is_told() {
    let cases = [
        ("", "found \"\", expected a date in the format"),
        ("yesterday", "found \"yesterday\", expected a date in the format"),
        ("2024-02-30", "found \"2024-02-30\", expected a date in the format"),
        ("||+1d", "found \"\", expected a date in the format"),
        ("nowhere", "found \"here\" in \"nowhere\", expected steps such as"),
        ("now-30", "found \"-30\" in \"now-30\", expected steps such as"),
        ("now-30x", "found \"-30x\" in \"now-30x\", expected steps such as"),
        ("now+1d ", "found \" \" in \"now+1d \", expected steps such as"),
        ("now - 1d", "found \" - 1d\" in \"now - 1d\", expected steps such as"),
        ("now/2d", "found \"/2d\" in \"now/2d\", expected steps such as"),
        ("now+-1d", "found \"+-1d\" in \"now+-1d\", expected steps such as"),
        ("now+99999999999d", "found \"+99999999999d\" in \"now+99999999999d\", expected steps such as"),
        ("now+é", "found \"+é\" in \"now+é\", expected steps such as"),
        ("2024-05-01||1d", "found \"1d\" in \"2024-05-01||1d\", expected steps such as"),
    ];
    for (text, message) in cases {
        let error = DateExpression::parse(text, &DateFormat::default()).unwrap_err().to_string();
        assert!(error.starts_with(message), "{text}: {error}");
    }
}
