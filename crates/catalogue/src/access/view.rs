//! What one identity sees of a catalogue. Equal views show the same, whoever has them.

use std::fmt::Write;
use std::hash::{Hash, Hasher};

use cantata_mapping::Covers;
use cantata_sqon::Sqon;
use sha2::{Digest, Sha256};

/// What one identity sees of a catalogue.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct View {
    /// Which records.
    pub records: Records,
    /// Which fields, as the rules name them.
    pub covers: Covers,
    /// The least count that is shown; then no records are shown, only counts. Nothing: records and every count.
    pub below: Option<u64>,
    is_ruled: bool,
}

/// Which records can be seen.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Records {
    /// All.
    All,
    /// Those that pass one of these filters, whose names are dotted paths of the index.
    AnyOf(Vec<Sqon>),
}

impl Records {
    /// Returns no records.
    pub(super) fn none() -> Self {
        Self::AnyOf(Vec::new())
    }

    /// Adds those that pass a filter, if there is one.
    pub(super) fn add(&mut self, filter: Option<Sqon>) {
        if let Self::AnyOf(filters) = self {
            filters.extend(filter);
        }
    }
}

impl View {
    pub(super) fn new(records: Records, covers: Covers, below: Option<u64>) -> Self {
        Self { records, covers, below, is_ruled: true }
    }

    /// Returns the view of a catalogue without rules.
    pub fn unruled() -> Self {
        Self { records: Records::All, covers: Covers::default(), below: None, is_ruled: false }
    }

    /// Returns whether the view leaves nothing out.
    pub fn is_everything(&self) -> bool {
        self.records == Records::All && self.covers.is_empty() && self.below.is_none()
    }

    /// Returns a name for the view of a catalogue, the same at every start of the server; nothing where the catalogue
    /// has no rules.
    pub fn label(&self, catalogue_id: &str) -> Option<String> {
        if !self.is_ruled {
            return None;
        }
        let mut digest = Digesting(Sha256::new());
        (catalogue_id, self).hash(&mut digest);
        let mut label = String::new();
        for byte in digest.0.finalize() {
            // Writing to a string cannot fail.
            write!(label, "{byte:02x}").ok();
        }
        Some(label)
    }
}

/// Takes what is hashed into a digest that nobody can find another view for.
struct Digesting(Sha256);

impl Hasher for Digesting {
    fn write(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    fn finish(&self) -> u64 {
        0
    }
}
