//! The different scalars of one path, numbered as they come.

use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashTable};

use crate::scalar::Scalar;

/// A table of different scalars.
#[derive(Debug, Default)]
pub(crate) struct Interner {
    hasher: DefaultHashBuilder,
    slots: HashTable<Slot>,
    scalars: Vec<Stored>,
    texts: String,
}

/// The number of a scalar, and its hash, so that the table grows without a look at the scalars.
#[derive(Debug)]
struct Slot {
    hash: u32,
    number: u32,
}

impl Slot {
    /// Returns the hash as the table wants it, which looks at both ends of it.
    fn spread(hash: u32) -> u64 {
        u64::from(hash) << 32 | u64::from(hash)
    }
}

/// A scalar; of a string only where it stands among the texts.
#[derive(Debug, Clone, Copy)]
enum Stored {
    Plain(Scalar<'static>),
    Text { start: usize, end: usize },
}

/// A scalar that is not in the table yet.
#[derive(Clone, Copy)]
pub(crate) struct Vacancy(u32);

impl Interner {
    pub(crate) fn len(&self) -> usize {
        self.scalars.len()
    }

    pub(crate) fn get(&self, number: u32) -> Scalar<'_> {
        restore(self.scalars[number as usize], &self.texts)
    }

    /// Returns the number of a scalar, or where it may be added.
    #[inline]
    pub(crate) fn find(&self, scalar: Scalar<'_>) -> Result<u32, Vacancy> {
        let parts = scalar.parts();
        let hash = self.hasher.hash_one(parts) as u32;
        let is_it = |slot: &Slot| slot.hash == hash && self.get(slot.number).parts() == parts;
        self.slots.find(Slot::spread(hash), is_it).map(|slot| slot.number).ok_or(Vacancy(hash))
    }

    /// Adds a scalar and returns its number.
    pub(crate) fn add(&mut self, vacancy: Vacancy, scalar: Scalar<'_>) -> u32 {
        let number = self.scalars.len() as u32;
        self.scalars.push(match scalar {
            Scalar::String(text) => {
                let start = self.texts.len();
                self.texts.push_str(text);
                Stored::Text { start, end: self.texts.len() }
            }
            Scalar::Null => Stored::Plain(Scalar::Null),
            Scalar::Bool(flag) => Stored::Plain(Scalar::Bool(flag)),
            Scalar::Integer(number) => Stored::Plain(Scalar::Integer(number)),
            Scalar::Unsigned(number) => Stored::Plain(Scalar::Unsigned(number)),
            Scalar::Double(number) => Stored::Plain(Scalar::Double(number)),
        });
        let slot = Slot { hash: vacancy.0, number };
        self.slots.insert_unique(Slot::spread(slot.hash), slot, |slot| Slot::spread(slot.hash));
        number
    }
}

fn restore(stored: Stored, texts: &str) -> Scalar<'_> {
    match stored {
        Stored::Plain(scalar) => scalar,
        Stored::Text { start, end } => Scalar::String(&texts[start..end]),
    }
}
