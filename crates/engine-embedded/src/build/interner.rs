//! Interning the scalars of one path: each different one gets a number, in the order of arrival.

use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashTable};

use crate::scalar::Scalar;

/// A table of different scalars.
#[derive(Debug, Default)]
pub(crate) struct ScalarInterner {
    hasher: DefaultHashBuilder,
    slots: HashTable<InternerSlot>,
    scalars: Vec<InternedScalar>,
    texts: String,
}

/// The number of a scalar, and its hash, so that the table grows without reading the scalars.
#[derive(Debug)]
struct InternerSlot {
    hash: u32,
    number: u32,
}

impl InternerSlot {
    /// Returns the hash for the table, which uses both ends of it.
    fn widen(hash: u32) -> u64 {
        u64::from(hash) << 32 | u64::from(hash)
    }
}

/// A scalar; of a string the range in the texts.
#[derive(Debug, Clone, Copy)]
enum InternedScalar {
    Inline(Scalar<'static>),
    Text { start: usize, end: usize },
}

/// The entry of a scalar that is not in the table yet.
#[derive(Clone, Copy)]
pub(crate) struct VacantEntry(u32);

impl ScalarInterner {
    pub(crate) fn len(&self) -> usize {
        self.scalars.len()
    }

    pub(crate) fn get(&self, number: u32) -> Scalar<'_> {
        match self.scalars[number as usize] {
            InternedScalar::Inline(scalar) => scalar,
            InternedScalar::Text { start, end } => Scalar::String(&self.texts[start..end]),
        }
    }

    /// Returns the number of a scalar, or where it may be added.
    #[inline]
    pub(crate) fn find(&self, scalar: Scalar<'_>) -> Result<u32, VacantEntry> {
        let parts = scalar.parts();
        let hash = self.hasher.hash_one(parts) as u32;
        let is_equal = |slot: &InternerSlot| slot.hash == hash && self.get(slot.number).parts() == parts;
        self.slots.find(InternerSlot::widen(hash), is_equal).map(|slot| slot.number).ok_or(VacantEntry(hash))
    }

    /// Adds a scalar and returns its number.
    pub(crate) fn add(&mut self, vacant: VacantEntry, scalar: Scalar<'_>) -> u32 {
        let number = self.scalars.len() as u32;
        self.scalars.push(match scalar {
            Scalar::String(text) => {
                let start = self.texts.len();
                self.texts.push_str(text);
                InternedScalar::Text { start, end: self.texts.len() }
            }
            Scalar::Null => InternedScalar::Inline(Scalar::Null),
            Scalar::Bool(flag) => InternedScalar::Inline(Scalar::Bool(flag)),
            Scalar::Integer(number) => InternedScalar::Inline(Scalar::Integer(number)),
            Scalar::Unsigned(number) => InternedScalar::Inline(Scalar::Unsigned(number)),
            Scalar::Double(number) => InternedScalar::Inline(Scalar::Double(number)),
        });
        let slot = InternerSlot { hash: vacant.0, number };
        self.slots.insert_unique(InternerSlot::widen(slot.hash), slot, |slot| InternerSlot::widen(slot.hash));
        number
    }
}
