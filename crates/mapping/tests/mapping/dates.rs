use cantata_mapping::{DateFormat, UtcDateTime};

/// Checks what texts are read as in a format; the moments are in ISO 8601.
fn check(format: &str, cases: &[(&str, &str)]) {
    let read = DateFormat::parse(format);
    assert!(read.unsupported().is_empty(), "{format}");
    for (text, expected) in cases {
        let moment = read.read(text).map(|moment| moment.to_string());
        assert_eq!(moment.as_deref(), Some(*expected), "{format} {text}");
    }
}

/// Checks that texts are not of a format.
fn refuses(format: &str, texts: &[&str]) {
    for text in texts {
        assert_eq!(DateFormat::parse(format).read(text), None, "{format} {text}");
    }
}

const DEFAULT: &str = "strict_date_optional_time||epoch_millis";

#[test]
fn the_default_is_iso_or_millis() {
    assert_eq!(DateFormat::default().as_str(), DEFAULT);
    check(
        DEFAULT,
        &[
            ("2024", "2024-01-01T00:00:00.000Z"),
            ("2024-05", "2024-05-01T00:00:00.000Z"),
            ("2024-02-29", "2024-02-29T00:00:00.000Z"),
            ("2024-05-01T", "2024-05-01T00:00:00.000Z"),
            ("2024-05T10", "2024-05-01T10:00:00.000Z"),
            ("2024-05-01T10", "2024-05-01T10:00:00.000Z"),
            ("2024-05-01T10:20", "2024-05-01T10:20:00.000Z"),
            ("2024-05-01T10:20:30", "2024-05-01T10:20:30.000Z"),
            ("2024-05-01T10:20:30Z", "2024-05-01T10:20:30.000Z"),
            ("2024-05-01T10:20:30.1Z", "2024-05-01T10:20:30.100Z"),
            ("2024-05-01T10:20:30,25Z", "2024-05-01T10:20:30.250Z"),
            ("2024-05-01T10:20:30.123456789", "2024-05-01T10:20:30.123456789Z"),
            ("2024-05-01T00:30+02:00", "2024-04-30T22:30:00.000Z"),
            ("2024-05-01T10:20:30-0530", "2024-05-01T15:50:30.000Z"),
            ("2024-05-01T10:20:30+02", "2024-05-01T08:20:30.000Z"),
            ("9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"),
            ("0", "1970-01-01T00:00:00.000Z"),
            ("-1", "1969-12-31T23:59:59.999Z"),
            ("1714556430000", "2024-05-01T09:40:30.000Z"),
            ("1714556430000.5", "2024-05-01T09:40:30.000500000Z"),
        ],
    );
    refuses(
        DEFAULT,
        &[
            "",
            " ",
            "abc",
            "2024-",
            "2024-5-1",
            "2024-13",
            "2024-00-01",
            "2023-02-29",
            "2024-05-01 10:00:00",
            "2024-05-01T24:00:00",
            "2024-05-01T10:60",
            "2024-05-01T10:20:60",
            "2024-05-01T10:20:30.",
            "2024-05-01T10:20:30.1234567890",
            "2024-05-01T10:20:30+19:00",
            "2024-05-01T10:20:30X",
            "2024-05-01Z",
            "1.",
            ".5",
            "--1",
            "1e5",
            "9223372036854775807",
            "99999999999999999999999",
            "2024-05-01T10:20:30é",
        ],
    );
}

#[test]
fn named_formats() {
    check("epoch_second", &[("1714556430", "2024-05-01T09:40:30.000Z"), ("-0.5", "1969-12-31T23:59:59.500Z")]);
    check("epoch_millis", &[("2024", "1970-01-01T00:00:02.024Z")]);
    check("date", &[("2024-05-01", "2024-05-01T00:00:00.000Z"), ("2024-5-1", "2024-05-01T00:00:00.000Z")]);
    check("date_optional_time", &[("2024-5-1T9:5", "2024-05-01T09:05:00.000Z")]);
    check("basic_date", &[("20240501", "2024-05-01T00:00:00.000Z")]);
    check("basic_date_time", &[("20240501T102030.123Z", "2024-05-01T10:20:30.123Z")]);
    check("basic_date_time_no_millis", &[("20240501T102030+0200", "2024-05-01T08:20:30.000Z")]);
    check("strict_date_time", &[("2024-05-01T10:20:30.5Z", "2024-05-01T10:20:30.500Z")]);
    check("year_month", &[("2024-05", "2024-05-01T00:00:00.000Z")]);
    refuses("strict_date", &["2024-5-1", "2024-05", "2024-05-01T00"]);
    refuses("epoch_second", &["2024-05-01"]);
    refuses("basic_date", &["2024-05-01", "2024051", "202405011"]);
}

#[test]
fn patterns_of_letters() {
    check("yyyy-MM-dd", &[("2024-05-01", "2024-05-01T00:00:00.000Z")]);
    check("yyyy-MM-dd HH:mm:ss", &[("2024-05-01 10:20:30", "2024-05-01T10:20:30.000Z")]);
    check("uuuu-MM-dd HH:mm:ss.SSSSSS", &[("2024-05-01 10:20:30.123456", "2024-05-01T10:20:30.123456000Z")]);
    check("dd.MM.yyyy", &[("01.05.2024", "2024-05-01T00:00:00.000Z")]);
    check(
        "d/M/yyyy[ H:mm]",
        &[("1/5/2024", "2024-05-01T00:00:00.000Z"), ("1/5/2024 9:05", "2024-05-01T09:05:00.000Z")],
    );
    check("yyyy'年'MM''dd", &[("2024年05'01", "2024-05-01T00:00:00.000Z")]);
    check("8uuuu/MM/dd Z", &[("2024/05/01 +0200", "2024-04-30T22:00:00.000Z")]);
    check("HH:mm", &[("10:20", "1970-01-01T10:20:00.000Z")]);
    check("yyyyMMddHHmmss", &[("20240501102030", "2024-05-01T10:20:30.000Z")]);
    refuses("yyyy-MM-dd HH:mm:ss", &["2024-05-01", "2024-05-01T10:20:30", "2024-05-01 10:20", "2024-05-01 10:20:30.1"]);
}

#[test]
fn alternatives_are_tried_in_order() {
    let format = "dd/MM/yyyy||epoch_second||yyyy";
    check(format, &[("01/05/2024", "2024-05-01T00:00:00.000Z"), ("2024", "1970-01-01T00:33:44.000Z")]);
    refuses(format, &["2024-05-01"]);
}

#[test]
fn unknown_formats_are_told_and_passed_over() {
    for format in
        ["EEE, dd MMM yyyy", "week_date", "", "[yyyy", "yyyy]", "yyyy'", "yy-MM-dd", "[[[[[[[[[[[[[[[[[[[[[[[[["]
    {
        let read = DateFormat::parse(format);
        assert_eq!(read.unsupported(), [format]);
        assert!(read.read("2024-05-01").is_some(), "{format}");
    }
    let read = DateFormat::parse("week_date||epoch_second");
    assert_eq!(read.unsupported(), ["week_date"]);
    assert!(read.read("2024-05-01").is_none() && read.read("5").is_some());
}

#[test]
fn moments_count_from_1970() {
    for millis in [0, 1, -1, 1_714_556_430_123, -62_135_596_800_000, 253_402_300_799_999] {
        let moment = UtcDateTime::from_millis(millis).unwrap();
        assert_eq!(moment.millis(), millis);
        assert_eq!(moment.nanos(), i128::from(millis) * 1_000_000);
        assert_eq!(UtcDateTime::from_nanos(moment.nanos()), Some(moment));
    }
    assert_eq!(UtcDateTime::from_nanos(-1).unwrap().millis(), -1);
    assert_eq!(UtcDateTime::from_millis(i64::MAX), None);
    assert_eq!(UtcDateTime::from_nanos(i128::MIN), None);
}
