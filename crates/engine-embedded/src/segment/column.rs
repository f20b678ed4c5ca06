//! Columns (doc values): for each row of the field's level the ordinals of its values.
//!
//! Most fields have at most one value in a row, and then a column is one ordinal for each row; the ordinal after the last
//! one means "no value". Otherwise a second list says where the ordinals of each row begin. Ordinals take one, two or
//! four whole bytes, because a facet reads millions of them and unpacking bits would cost more than it saves.

use serde::{Deserialize, Serialize};

use super::sections::{Section, SectionWriter};

/// The sections of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ColumnMetadata {
    /// Where the ordinals of each row begin, with one more for the end; nothing if each row has one ordinal.
    starts: Option<Section>,
    #[serde(rename = "codes")]
    ordinals: Section,
    /// The bytes of an ordinal.
    width: u8,
    /// The ordinal that means no value: the number of values in the dictionary.
    missing: u32,
}

/// The ordinals of a field.
#[derive(Clone, Copy)]
pub(crate) struct Column<'a> {
    pub(crate) starts: Option<&'a [u32]>,
    pub(crate) ordinals: Ordinals<'a>,
    pub(crate) missing: u32,
}

/// A list of ordinals.
#[derive(Clone, Copy)]
pub(crate) enum Ordinals<'a> {
    One(&'a [u8]),
    Two(&'a [u16]),
    Four(&'a [u32]),
}

/// An ordinal of any width.
pub(crate) trait Ordinal: Copy + Into<u32> {
    #[inline]
    fn to_u32(self) -> u32 {
        self.into()
    }
}

impl Ordinal for u8 {}
impl Ordinal for u16 {}
impl Ordinal for u32 {}

/// Runs an expression with the ordinals as a slice of their width.
macro_rules! with_ordinals {
    ($ordinals:expr, $slice:ident => $body:expr) => {
        match $ordinals {
            $crate::segment::Ordinals::One($slice) => $body,
            $crate::segment::Ordinals::Two($slice) => $body,
            $crate::segment::Ordinals::Four($slice) => $body,
        }
    };
}
pub(crate) use with_ordinals;

impl ColumnMetadata {
    /// Writes a column.
    pub(crate) fn write(starts: Option<&[u32]>, ordinals: &[u32], missing: u32, out: &mut SectionWriter) -> Self {
        let starts = starts.map(|starts| out.numbers(starts));
        let (ordinals, width) = if let Ok(narrow) = narrow::<u8>(ordinals, missing) {
            (out.numbers(&narrow), 1)
        } else if let Ok(narrow) = narrow::<u16>(ordinals, missing) {
            (out.numbers(&narrow), 2)
        } else {
            (out.numbers(ordinals), 4)
        };
        Self { starts, ordinals, width, missing }
    }

    /// Returns whether a row has several values.
    pub(crate) fn has_lists(&self) -> bool {
        self.starts.is_some()
    }

    pub(crate) fn open(self, all: &[u8]) -> Column<'_> {
        let ordinals = match self.width {
            1 => Ordinals::One(self.ordinals.numbers(all)),
            2 => Ordinals::Two(self.ordinals.numbers(all)),
            _ => Ordinals::Four(self.ordinals.numbers(all)),
        };
        Column { starts: self.starts.map(|starts| starts.numbers(all)), ordinals, missing: self.missing }
    }
}

/// Returns the ordinals in a narrower type, if the greatest of them fits.
fn narrow<T: TryFrom<u32>>(ordinals: &[u32], greatest: u32) -> Result<Vec<T>, T::Error> {
    T::try_from(greatest)?;
    ordinals.iter().map(|&ordinal| T::try_from(ordinal)).collect()
}

impl Ordinals<'_> {
    #[inline]
    pub(crate) fn get(&self, index: usize) -> u32 {
        match self {
            Self::One(ordinals) => u32::from(ordinals[index]),
            Self::Two(ordinals) => u32::from(ordinals[index]),
            Self::Four(ordinals) => ordinals[index],
        }
    }
}

impl Column<'_> {
    /// Visits the ordinals of a row.
    #[inline]
    pub(crate) fn for_each(&self, row: usize, mut visit: impl FnMut(u32)) {
        match self.starts {
            None => {
                let ordinal = self.ordinals.get(row);
                if ordinal != self.missing {
                    visit(ordinal);
                }
            }
            Some(starts) => (starts[row]..starts[row + 1]).for_each(|index| visit(self.ordinals.get(index as usize))),
        }
    }
}
