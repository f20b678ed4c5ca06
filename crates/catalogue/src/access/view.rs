//! The view of a catalogue that an identity has. Equal views show the same.

use std::fmt::Write;
use std::hash::{Hash, Hasher};

use cantata_mapping::RedactedFields;
use cantata_sqon::Sqon;
use sha2::{Digest, Sha256};

/// The view of a catalogue that an identity has.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CatalogueView {
    /// The visible records.
    pub records: VisibleRecords,
    /// The hidden and masked fields, as the rules name them.
    pub hidden_fields: RedactedFields,
    /// The smallest count that is shown, and no record is; `None`: records and every count.
    pub suppression_threshold: Option<u64>,
    has_rules: bool,
}

/// The records that are visible.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum VisibleRecords {
    /// All.
    All,
    /// The records that match one of these filters, whose names are dotted paths of the index.
    AnyOf(Vec<Sqon>),
}

impl VisibleRecords {
    /// Returns no records.
    pub(super) fn none() -> Self {
        Self::AnyOf(Vec::new())
    }

    /// Adds the records that match a filter.
    pub(super) fn add(&mut self, filter: Option<Sqon>) {
        if let Self::AnyOf(filters) = self {
            filters.extend(filter);
        }
    }
}

impl CatalogueView {
    pub(super) fn new(
        records: VisibleRecords,
        hidden_fields: RedactedFields,
        suppression_threshold: Option<u64>,
    ) -> Self {
        Self { records, hidden_fields, suppression_threshold, has_rules: true }
    }

    /// Returns the view of a catalogue without rules.
    pub fn without_rules() -> Self {
        Self {
            records: VisibleRecords::All,
            hidden_fields: RedactedFields::default(),
            suppression_threshold: None,
            has_rules: false,
        }
    }

    /// Returns whether the view hides nothing.
    pub fn is_unrestricted(&self) -> bool {
        self.records == VisibleRecords::All && self.hidden_fields.is_empty() && self.suppression_threshold.is_none()
    }

    /// Returns a digest of the view and the catalogue, which is stable across restarts; `None` in a catalogue without
    /// rules.
    pub fn fingerprint(&self, catalogue_id: &str) -> Option<String> {
        if !self.has_rules {
            return None;
        }
        let mut digest = DigestHasher(Sha256::new());
        (catalogue_id, self).hash(&mut digest);
        let mut fingerprint = String::new();
        for byte in digest.0.finalize() {
            // Writing to a string cannot fail.
            write!(fingerprint, "{byte:02x}").ok();
        }
        Some(fingerprint)
    }
}

/// Feeds what is hashed into a collision-resistant digest.
struct DigestHasher(Sha256);

impl Hasher for DigestHasher {
    fn write(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    fn finish(&self) -> u64 {
        0
    }
}
