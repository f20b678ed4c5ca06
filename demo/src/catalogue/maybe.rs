//! Values that real records lack.

use crate::random::Random;

/// A value that may be left out (the outer `None`) or null (the inner one). Fields of this type need
/// `#[serde(skip_serializing_if = "Option::is_none")]`.
pub(crate) type Maybe<T> = Option<Option<T>>;

/// Leaves a value out `missing` times out of a hundred and makes it null `null` times.
pub(crate) fn maybe<T>(random: &mut Random, missing: u64, null: u64, make: impl FnOnce(&mut Random) -> T) -> Maybe<T> {
    let drawn = random.between(1, 100);
    if drawn <= missing {
        None
    } else if drawn <= missing + null {
        Some(None)
    } else {
        Some(Some(make(random)))
    }
}
