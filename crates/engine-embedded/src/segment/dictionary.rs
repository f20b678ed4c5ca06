//! The values of a field in one segment: sorted, each once. The place of a value is its code.
//!
//! A plain sorted table rather than an automaton: every code must be turned back into its value when documents and
//! buckets are written, which a table does in one step.

use cantata_engine::is_plain;
use cantata_mapping::TypedValue;
use serde::{Deserialize, Serialize};

use super::sections::{Section, SectionWriter};
use crate::key::{Class, Key, key_of};

/// Where a dictionary is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum DictionaryEntry {
    /// Numbers of 64 bits.
    Numbers(Section),
    /// Strings of bytes.
    Bytes {
        /// Where each begins, with one more for the end.
        starts: Section,
        bytes: Section,
        /// Whether all of them are texts that may stand in JSON as they are.
        are_plain: bool,
    },
}

impl DictionaryEntry {
    pub(crate) fn of_numbers(numbers: &[u64], out: &mut SectionWriter) -> Self {
        Self::Numbers(out.numbers(numbers))
    }

    pub(crate) fn of_bytes<'a>(values: impl IntoIterator<Item = &'a [u8]>, out: &mut SectionWriter) -> Self {
        let mut starts = vec![0_u32];
        let mut bytes = Vec::new();
        for value in values {
            bytes.extend_from_slice(value);
            starts.push(bytes.len() as u32);
        }
        Self::Bytes { starts: out.numbers(&starts), bytes: out.bytes(&bytes), are_plain: is_plain(&bytes) }
    }

    pub(crate) fn open(self, class: Class, all: &[u8]) -> Dictionary<'_> {
        let form = match self {
            Self::Numbers(numbers) => Form::Numbers(numbers.numbers(all)),
            Self::Bytes { starts, bytes, .. } => Form::Bytes { starts: starts.numbers(all), bytes: bytes.bytes(all) },
        };
        Dictionary { class, form }
    }
}

/// The values of a field.
#[derive(Clone, Copy)]
pub(crate) struct Dictionary<'a> {
    class: Class,
    form: Form<'a>,
}

#[derive(Clone, Copy)]
enum Form<'a> {
    Numbers(&'a [u64]),
    Bytes { starts: &'a [u32], bytes: &'a [u8] },
}

impl<'a> Dictionary<'a> {
    pub(crate) fn len(&self) -> usize {
        match self.form {
            Form::Numbers(numbers) => numbers.len(),
            Form::Bytes { starts, .. } => starts.len().saturating_sub(1),
        }
    }

    /// Returns the numbers, if the values are kept as such.
    pub(crate) fn numbers(&self) -> &'a [u64] {
        match self.form {
            Form::Numbers(numbers) => numbers,
            Form::Bytes { .. } => &[],
        }
    }

    /// Returns the bytes of a value that is kept as such.
    #[inline]
    pub(crate) fn bytes(&self, code: u32) -> &'a [u8] {
        match self.form {
            Form::Bytes { starts, bytes } => {
                let code = code as usize;
                let range = starts.get(code).zip(starts.get(code + 1));
                range.and_then(|(&start, &end)| bytes.get(start as usize..end as usize)).unwrap_or_default()
            }
            Form::Numbers(_) => &[],
        }
    }

    /// Returns a value that is a string.
    #[inline]
    pub(crate) fn text(&self, code: u32) -> &'a str {
        std::str::from_utf8(self.bytes(code)).unwrap_or_default()
    }

    pub(crate) fn value(&self, code: u32) -> TypedValue {
        match self.form {
            Form::Numbers(numbers) => self.class.number(numbers.get(code as usize).copied().unwrap_or_default()),
            Form::Bytes { .. } => self.class.bytes(self.bytes(code)),
        }
    }

    /// Returns a value in the form it is kept in.
    pub(crate) fn key(&self, code: u32) -> Key<'a> {
        match self.form {
            Form::Numbers(numbers) => Key::Number(numbers.get(code as usize).copied().unwrap_or_default()),
            Form::Bytes { .. } => Key::Bytes(self.bytes(code).into()),
        }
    }

    /// Returns the code of a value, or as an error the code of the least greater one.
    pub(crate) fn find(&self, value: &TypedValue) -> Result<u32, u32> {
        let found = match (self.form, key_of(value)) {
            (Form::Numbers(numbers), Key::Number(number)) => numbers.binary_search(&number),
            (Form::Bytes { .. }, Key::Bytes(bytes)) => return self.find_bytes(&bytes),
            _ => Err(0),
        };
        found.map(|code| code as u32).map_err(|code| code as u32)
    }

    /// Returns the code of a value of bytes, or as an error the code of the least greater one.
    pub(crate) fn find_bytes(&self, bytes: &[u8]) -> Result<u32, u32> {
        let (mut low, mut high) = (0, self.len() as u32);
        while low < high {
            let middle = low + (high - low) / 2;
            match self.bytes(middle).cmp(bytes) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => return Ok(middle),
            }
        }
        Err(low)
    }
}
