//! The different scalars of one path, numbered as they come.

use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashTable};

use crate::scalar::Scalar;

/// A table of different scalars.
#[derive(Debug, Default)]
pub(crate) struct Interner {
    hasher: DefaultHashBuilder,
    numbers: HashTable<u32>,
    scalars: Vec<Stored>,
    texts: String,
}

/// A scalar; of a string only where it stands among the texts.
#[derive(Debug, Clone, Copy)]
enum Stored {
    Plain(Scalar<'static>),
    Text { start: usize, end: usize },
}

/// A scalar that is not in the table yet.
#[derive(Clone, Copy)]
pub(crate) struct Vacancy(u64);

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
        let hash = self.hasher.hash_one(parts);
        let found = self.numbers.find(hash, |&number| self.get(number).parts() == parts);
        found.copied().ok_or(Vacancy(hash))
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
        let Self { hasher, numbers, scalars, texts } = self;
        let rehash = |&number: &u32| hasher.hash_one(restore(scalars[number as usize], texts).parts());
        numbers.insert_unique(vacancy.0, number, rehash);
        number
    }
}

fn restore(stored: Stored, texts: &str) -> Scalar<'_> {
    match stored {
        Stored::Plain(scalar) => scalar,
        Stored::Text { start, end } => Scalar::String(&texts[start..end]),
    }
}
