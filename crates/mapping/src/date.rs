//! Dates: the formats in which they are written and displayed, and the expressions by which filters name them.

mod display_pattern;
mod expression;
mod format;
mod named_formats;
mod pattern;
mod pattern_syntax;
mod unit;
mod utc;

pub use display_pattern::{DateDisplayPattern, DatePatternError};
pub use expression::{DateExpression, DateExpressionError};
pub use format::DateFormat;
pub use utc::UtcDateTime;
