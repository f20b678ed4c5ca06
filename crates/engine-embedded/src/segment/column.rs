//! Which values the rows have: for each row of the field's level the codes of its values.
//!
//! Most fields have at most one value in a row, and then a column is one code for each row; the code after the last
//! one stands for "no value". Otherwise a second list says where the codes of each row begin. Codes take one, two or
//! four bytes: whole bytes, because a facet reads millions of them and unpacking bits would cost more than it saves.

use serde::{Deserialize, Serialize};

use super::sections::{Section, SectionWriter};

/// Where a column is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ColumnEntry {
    /// Where the codes of each row begin, with one more for the end; nothing if each row has one code.
    starts: Option<Section>,
    codes: Section,
    /// How many bytes a code takes.
    width: u8,
    /// The code that stands for no value: the number of values in the dictionary.
    missing: u32,
}

/// The codes of a field.
#[derive(Clone, Copy)]
pub(crate) struct Column<'a> {
    pub(crate) starts: Option<&'a [u32]>,
    pub(crate) codes: Codes<'a>,
    pub(crate) missing: u32,
}

/// A list of codes.
#[derive(Clone, Copy)]
pub(crate) enum Codes<'a> {
    One(&'a [u8]),
    Two(&'a [u16]),
    Four(&'a [u32]),
}

/// A code of whatever width.
pub(crate) trait Code: Copy {
    /// Returns the code as a number of 32 bits.
    fn wide(self) -> u32;
}

impl Code for u8 {
    fn wide(self) -> u32 {
        u32::from(self)
    }
}

impl Code for u16 {
    fn wide(self) -> u32 {
        u32::from(self)
    }
}

impl Code for u32 {
    fn wide(self) -> u32 {
        self
    }
}

/// Runs an expression with the codes as a slice of whatever width they have.
macro_rules! with_codes {
    ($codes:expr, $slice:ident => $body:expr) => {
        match $codes {
            $crate::segment::Codes::One($slice) => $body,
            $crate::segment::Codes::Two($slice) => $body,
            $crate::segment::Codes::Four($slice) => $body,
        }
    };
}
pub(crate) use with_codes;

impl ColumnEntry {
    /// Writes a column.
    pub(crate) fn write(starts: Option<&[u32]>, codes: &[u32], missing: u32, out: &mut SectionWriter) -> Self {
        let starts = starts.map(|starts| out.numbers(starts));
        let (codes, width) = if let Ok(narrow) = narrowed::<u8>(codes, missing) {
            (out.numbers(&narrow), 1)
        } else if let Ok(narrow) = narrowed::<u16>(codes, missing) {
            (out.numbers(&narrow), 2)
        } else {
            (out.numbers(codes), 4)
        };
        Self { starts, codes, width, missing }
    }

    pub(crate) fn open(self, all: &[u8]) -> Column<'_> {
        let codes = match self.width {
            1 => Codes::One(self.codes.numbers(all)),
            2 => Codes::Two(self.codes.numbers(all)),
            _ => Codes::Four(self.codes.numbers(all)),
        };
        Column { starts: self.starts.map(|starts| starts.numbers(all)), codes, missing: self.missing }
    }
}

/// Returns the codes in a narrower form, if the greatest of them fits.
fn narrowed<T: TryFrom<u32>>(codes: &[u32], greatest: u32) -> Result<Vec<T>, T::Error> {
    T::try_from(greatest)?;
    codes.iter().map(|&code| T::try_from(code)).collect()
}

impl Codes<'_> {
    #[inline]
    pub(crate) fn get(&self, place: usize) -> u32 {
        match self {
            Self::One(codes) => u32::from(codes[place]),
            Self::Two(codes) => u32::from(codes[place]),
            Self::Four(codes) => codes[place],
        }
    }
}

impl Column<'_> {
    /// Shows the codes of a row.
    #[inline]
    pub(crate) fn for_each(&self, row: usize, mut visit: impl FnMut(u32)) {
        match self.starts {
            None => {
                let code = self.codes.get(row);
                if code != self.missing {
                    visit(code);
                }
            }
            Some(starts) => (starts[row]..starts[row + 1]).for_each(|place| visit(self.codes.get(place as usize))),
        }
    }
}
