//! A date as a filter writes it.
//!
//! Three forms: a date in the format of the field (`2024-05-01`, the whole day), a date relative to the present
//! (`now-30d`, `now/d`), and a date with arithmetic (`2024-01-01||+1M/d`). The steps `+2h`, `-1M` and `/d` follow one
//! another without spaces; a number that is left out is one. Rounding gives the whole unit, and arithmetic starts
//! from the first moment of the date before the `||`.
//!
//! A filter may always write ISO 8601 or milliseconds, whatever the format of the field is.

use super::format::{DateFormat, DateSpan};
use super::unit::DateUnit;
use super::utc::UtcDateTime;
use crate::error::quote;

/// What a date of a filter denotes: the moments from [`start`](Self::start) to [`end`](Self::end).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DateExpression {
    anchor: Anchor,
    steps: Vec<MathStep>,
}

/// A date that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("found {found}, expected {expected}")]
pub struct DateExpressionError {
    /// What was found.
    pub found: String,
    /// What was expected instead.
    pub expected: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Anchor {
    Now,
    Date(DateSpan),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MathStep {
    Add(i64, DateUnit),
    Round(DateUnit),
}

#[derive(Debug, Clone, Copy)]
enum SpanEnd {
    Start,
    End,
}

impl DateExpression {
    /// Reads the date of a filter on a field of that format.
    ///
    /// # Errors
    ///
    /// If the text has none of the three forms.
    pub fn parse(text: &str, format: &DateFormat) -> Result<Self, DateExpressionError> {
        if let Some(math) = text.strip_prefix("now") {
            return Ok(Self { anchor: Anchor::Now, steps: parse_steps(text, math)? });
        }
        let (date, math) = text.split_once("||").map_or((text, None), |(date, math)| (date, Some(math)));
        let span = format.read_span(date).or_else(|| DateFormat::default().read_span(date));
        let span = span.ok_or_else(|| DateExpressionError {
            found: quote(date),
            expected: format!(
                "a date in the format {}, in ISO 8601, or relative to the present, such as \"now-30d\"",
                quote(format.as_str())
            ),
        })?;
        Ok(match math {
            None => Self { anchor: Anchor::Date(span), steps: Vec::new() },
            Some(math) => Self { anchor: Anchor::Date(DateSpan::exact(span.start)), steps: parse_steps(text, math)? },
        })
    }

    /// Returns whether the date depends on the present moment.
    pub fn is_relative(&self) -> bool {
        self.anchor == Anchor::Now
    }

    /// Returns the first moment that the date denotes.
    pub fn start(&self, now: UtcDateTime) -> UtcDateTime {
        self.evaluate(now, SpanEnd::Start)
    }

    /// Returns the last moment that the date denotes; its millisecond is the last one.
    pub fn end(&self, now: UtcDateTime) -> UtcDateTime {
        self.evaluate(now, SpanEnd::End)
    }

    fn evaluate(&self, now: UtcDateTime, side: SpanEnd) -> UtcDateTime {
        let first = match (&self.anchor, side) {
            (Anchor::Now, _) => now,
            (Anchor::Date(span), SpanEnd::Start) => span.start,
            (Anchor::Date(span), SpanEnd::End) => span.end,
        };
        self.steps.iter().fold(first, |moment, step| match (step, side) {
            (MathStep::Add(count, unit), _) => unit.add(moment, *count),
            (MathStep::Round(unit), SpanEnd::Start) => unit.first_of(moment),
            (MathStep::Round(unit), SpanEnd::End) => unit.last_of(moment),
        })
    }
}

fn parse_steps(text: &str, math: &str) -> Result<Vec<MathStep>, DateExpressionError> {
    let mut steps = Vec::new();
    let mut rest = math;
    while !rest.is_empty() {
        let (step, after) = parse_step(rest).ok_or_else(|| DateExpressionError {
            found: format!("{} in {}", quote(rest), quote(text)),
            expected: "steps such as \"+1M\", \"-30d\" or \"/d\", with one of the units y M w d h H m s".to_owned(),
        })?;
        steps.push(step);
        rest = after;
    }
    Ok(steps)
}

/// Reads one step; the number is one of 32 bits, as the engines have it.
fn parse_step(text: &str) -> Option<(MathStep, &str)> {
    let mut letters = text.chars();
    let operator = letters.next()?;
    let after_sign = letters.as_str();
    let digits = after_sign.bytes().take_while(u8::is_ascii_digit).count();
    let count: i32 = if digits == 0 { 1 } else { after_sign[..digits].parse().ok()? };
    let mut letters = after_sign[digits..].chars();
    let unit = DateUnit::of_letter(letters.next()?)?;
    let step = match operator {
        '+' => MathStep::Add(i64::from(count), unit),
        '-' => MathStep::Add(-i64::from(count), unit),
        '/' if count == 1 => MathStep::Round(unit),
        _ => return None,
    };
    Some((step, letters.as_str()))
}
