//! Moments, how they are written, and the expressions by which filters name them.

mod expression;
mod format;
mod math;
mod moment;
mod names;
mod pattern;

pub use expression::{DateExpression, DateExpressionError};
pub use format::DateFormat;
pub use moment::Moment;
