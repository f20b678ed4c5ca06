//! Which texts are dates: ISO 8601 dates and times, cut off after any part, numbers of milliseconds, and dates
//! relative to the moment of the search (`now-30d`, `now/d`) or to another (`2024-05-31||+1M/d`). What moment they
//! stand for is the engine's business.

use jiff::civil::Date;

/// Returns whether a text is a date, absolute or relative, for a field without a format of its own.
pub fn is_date(text: &str) -> bool {
    if let Some(steps) = text.strip_prefix("now") {
        return are_steps(steps);
    }
    match text.split_once("||") {
        Some((start, steps)) => is_absolute_date(start) && are_steps(steps),
        None => is_absolute_date(text) || text.parse::<i64>().is_ok(),
    }
}

/// Returns whether a text is an ISO 8601 date, with or without a time.
pub(crate) fn is_absolute_date(text: &str) -> bool {
    match text.split_once(['T', ' ']) {
        Some((day, time)) => is_day(day, true) && is_time(time),
        None => is_day(text, false),
    }
}

/// Returns whether a text is a sequence of steps such as `-30d`, `+1M` and `/d`.
fn are_steps(mut steps: &str) -> bool {
    while !steps.is_empty() {
        let Some(rest) = steps.strip_prefix(['+', '-', '/']) else { return false };
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let rounds = steps.starts_with('/');
        // More digits than these are no number of units of anything.
        if rounds && digits > 0 || digits > 9 {
            return false;
        }
        let Some(rest) = rest[digits..].strip_prefix(['y', 'M', 'w', 'd', 'h', 'H', 'm', 's']) else { return false };
        steps = rest;
    }
    true
}

fn is_day(text: &str, complete: bool) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let (year, month, day) = match parts.as_slice() {
        [year] if !complete => (*year, "01", "01"),
        [year, month] if !complete => (*year, *month, "01"),
        [year, month, day] => (*year, *month, *day),
        _ => return false,
    };
    let (Some(year), Some(month), Some(day)) = (digits(year, 4), digits(month, 2), digits(day, 2)) else {
        return false;
    };
    let narrow = |number: u16| i8::try_from(number).ok();
    let (Ok(year), Some(month), Some(day)) = (i16::try_from(year), narrow(month), narrow(day)) else { return false };
    Date::new(year, month, day).is_ok()
}

fn is_time(text: &str) -> bool {
    let (clock, zone) = match text.find(['Z', '+', '-']) {
        Some(at) => text.split_at(at),
        None => (text, ""),
    };
    let (clock, fraction) = match clock.split_once(['.', ',']) {
        Some((clock, fraction)) => (clock, Some(fraction)),
        None => (clock, None),
    };
    let parts: Vec<&str> = clock.split(':').collect();
    let in_range = parts.iter().zip([23, 59, 59]).all(|(part, most)| digits(part, 2).is_some_and(|part| part <= most));
    let fraction_fits = fraction.is_none_or(|fraction| {
        parts.len() == 3 && (1..=9).contains(&fraction.len()) && fraction.bytes().all(|byte| byte.is_ascii_digit())
    });
    parts.len() <= 3 && in_range && fraction_fits && is_zone(zone)
}

fn is_zone(text: &str) -> bool {
    if text.is_empty() || text == "Z" {
        return true;
    }
    let Some(offset) = text.strip_prefix(['+', '-']) else { return false };
    let (hours, minutes) = match offset.split_once(':') {
        Some(parts) => parts,
        None if offset.len() == 4 && offset.is_ascii() => offset.split_at(2),
        None => (offset, "00"),
    };
    digits(hours, 2).is_some_and(|hours| hours <= 18) && digits(minutes, 2).is_some_and(|minutes| minutes <= 59)
}

/// Returns the number that exactly so many digits are.
fn digits(text: &str, count: usize) -> Option<u16> {
    if text.len() != count || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    text.parse().ok()
}
