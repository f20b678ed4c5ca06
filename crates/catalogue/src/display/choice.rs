//! Which fields are worth a facet, a column or a place in quick search, where no file says so.
//!
//! The values of the index decide: a facet has few values or a range of them; a column is filled and differs from
//! record to record; quick search looks at identifiers, names and texts; a key has another value in every record.
//! Nothing is decided by an index of a few records, nor by one whose values were not counted.

use cantata_mapping::{Field, FieldKind, IndexMapping, join_path};

use super::extended::RECORD_ID;
use crate::config::CatalogueConfig;
use crate::profile::{FieldProfile, IndexProfile};

/// From how many records on their values decide.
const MIN_RECORDS: u64 = 20;

/// The share of records that must have the field of a facet, and of a column.
const MIN_FACET_SHARE: f64 = 0.05;
const MIN_COLUMN_SHARE: f64 = 0.2;

/// The most values of a facet that is read at a glance, of one that is read as a list, and of one with a search.
const MAX_SHORT_FACET_VALUES: u64 = 20;
const MAX_LISTED_FACET_VALUES: u64 = 60;
const MAX_FACET_VALUES: u64 = 500;

/// How many fields quick search looks at.
const MAX_QUICK_FIELDS: usize = 8;

/// From this maximum on a field called size has bytes.
const MIN_LARGEST_SIZE: f64 = 1_000_000.0;

/// Whole numbers that all lie between these are years.
const YEARS: (f64, f64) = (1900.0, 2100.0);

/// What is known of the values of the fields.
pub(super) struct FieldKnowledge<'a> {
    profile: &'a IndexProfile,
    prefix: &'a str,
    mapping: &'a IndexMapping,
}

struct KnownField<'a> {
    field: &'a Field,
    values: FieldProfile,
    /// The share of records that have it.
    share: f64,
}

impl<'a> FieldKnowledge<'a> {
    /// Returns what is known of the fields of a mapping that begins below the nesting prefix, if it is enough.
    pub(super) fn new(config: &'a CatalogueConfig, mapping: &'a IndexMapping) -> Option<Self> {
        let profile = config.profile();
        let prefix = config.nesting_prefix.as_deref().unwrap_or_default();
        (profile.records >= MIN_RECORDS).then_some(Self { profile, prefix, mapping })
    }

    /// Returns how much a facet of a field is worth; nothing if it would help nobody.
    pub(super) fn facet_worth(&self, path: &str) -> Option<f64> {
        let KnownField { field, values, share } = self.known(path)?;
        let distinct = values.distinct;
        if distinct < 2 || share < MIN_FACET_SHARE || is_identifier(&field.name) {
            return None;
        }
        let is_range = field.kind.is_numeric() || field.kind.is_date();
        let worth = match distinct {
            _ if is_range => 0.7,
            _ if distinct > self.profile.records / 2 => return None,
            _ if distinct <= MAX_SHORT_FACET_VALUES => 1.0,
            _ if distinct <= MAX_LISTED_FACET_VALUES => 0.8,
            _ if distinct <= MAX_FACET_VALUES && distinct <= self.profile.records / 5 => 0.4,
            _ => return None,
        };
        Some(worth * share)
    }

    /// Returns how much a column of a field is worth; nothing if it is nearly empty or the same in every record.
    pub(super) fn column_worth(&self, path: &str) -> Option<f64> {
        let field = self.mapping.field(path)?;
        let Some(KnownField { values, share, .. }) = self.known(path) else {
            return (field.kind == FieldKind::Text).then_some(if is_name(&field.name) { 1.0 } else { 0.3 });
        };
        if values.distinct < 2 || share < MIN_COLUMN_SHARE {
            return None;
        }
        let telling = (values.distinct as f64).ln() / (self.profile.records as f64).ln();
        let shown = 0.5 + 0.5 * telling.min(1.0) + if is_name(&field.name) { 0.5 } else { 0.0 };
        let weight = match (is_digest(&field.name), field.nested.is_empty()) {
            (true, _) => 0.2,
            (false, false) => 0.6,
            (false, true) => 1.0,
        };
        Some(shown * weight * share)
    }

    /// Returns the fields that quick search looks at: identifiers and names first, then texts and other strings of many
    /// values.
    pub(super) fn quick_fields(&self) -> Vec<&'a str> {
        let worth = |field: &Field| match field.kind {
            FieldKind::Keyword | FieldKind::Text | FieldKind::Wildcard if is_digest(&field.name) => None,
            FieldKind::Keyword | FieldKind::Text | FieldKind::Wildcard => {
                match self.known(&field.path).map(|known| known.values.distinct) {
                    Some(0 | 1) => None,
                    _ if is_identifier(&field.name) || is_name(&field.name) => Some(2.0),
                    Some(values) => (values > MAX_LISTED_FACET_VALUES).then_some(1.0),
                    // Texts that are only found by their words are not counted.
                    None => (field.kind == FieldKind::Text).then_some(1.0),
                }
            }
            _ => None,
        };
        let fields: Vec<&Field> = self.mapping.fields().collect();
        best_of(&fields, MAX_QUICK_FIELDS, |field| worth(field)).into_iter().map(|field| field.path.as_str()).collect()
    }

    /// Returns the field whose value names a record: one that differs in every record, an identifier before others.
    pub(super) fn key_field(&self) -> Option<&'a str> {
        let is_unique = |field: &&Field| {
            let is_exact = matches!(field.kind, FieldKind::Keyword | FieldKind::Text) || field.kind.is_integer();
            let known = self.known(&field.path).filter(|_| is_exact && field.nested.is_empty());
            known
                .is_some_and(|KnownField { values, .. }| values.missing == 0 && values.distinct == self.profile.records)
        };
        let fields = self.mapping.fields().filter(|field| field.path != RECORD_ID);
        let unique: Vec<&Field> = fields.filter(is_unique).filter(|field| !is_digest(&field.name)).collect();
        let identifier = unique.iter().find(|field| is_identifier(&field.name));
        let string = || unique.iter().find(|field| field.kind.is_string());
        identifier.or_else(string).map(|field| field.path.as_str())
    }

    /// Returns how a number reads best, if not as a plain number: as bytes, or as a year.
    pub(super) fn number_display(&self, path: &str) -> Option<&'static str> {
        let KnownField { field, values, .. } = self.known(path)?;
        let (least, greatest) = values.range.filter(|_| field.kind.is_integer() && values.distinct > 0)?;
        let name = field.name.to_lowercase();
        let is_size = name.contains("bytes") || (name.ends_with("size") && greatest >= MIN_LARGEST_SIZE);
        if is_size && least >= 0.0 {
            return Some("bytes");
        }
        (least >= YEARS.0 && greatest <= YEARS.1).then_some("year")
    }

    /// Returns what is known of a field; a text has the values of its keyword.
    fn known(&self, path: &str) -> Option<KnownField<'a>> {
        let field = self.mapping.field(path)?;
        let mut keywords = field.multi_fields.iter().filter_map(|path| self.mapping.entry(path));
        let counted = match field.kind {
            FieldKind::Text => keywords.find(|multi_field| multi_field.kind == FieldKind::Keyword)?,
            _ => field,
        };
        let values = *self.profile.fields.get(&join_path(self.prefix, &counted.path))?;
        let share = 1.0 - values.missing as f64 / self.profile.records as f64;
        Some(KnownField { field, values, share })
    }
}

/// Returns whether rows can be sorted by a field.
pub(crate) fn is_sortable(mapping: &IndexMapping, path: &str) -> bool {
    mapping.field(path).is_some_and(|field| {
        field.kind.has_values() && field.doc_values && !matches!(field.kind, FieldKind::Text | FieldKind::Flattened)
    })
}

/// Returns the entries that are worth most, in their order.
pub(super) fn best_of<T>(entries: &[T], limit: usize, worth: impl Fn(&T) -> Option<f64>) -> Vec<&T> {
    let mut ranked: Vec<(usize, f64)> =
        entries.iter().enumerate().filter_map(|(index, entry)| Some((index, worth(entry)?))).collect();
    ranked.sort_by(|one, other| other.1.total_cmp(&one.1));
    ranked.truncate(limit);
    ranked.sort_unstable_by_key(|(index, _)| *index);
    ranked.into_iter().map(|(index, _)| &entries[index]).collect()
}

/// Returns whether a name is that of an identifier, such as `donor_id`, `sampleId` or `accession`.
fn is_identifier(name: &str) -> bool {
    let lower = name.to_lowercase();
    let is_suffixed = lower.ends_with("_id") || lower.ends_with("-id") || name.ends_with("Id") || name.ends_with("ID");
    is_suffixed || ["id", "uuid", "guid", "accession", "barcode"].contains(&lower.as_str()) || is_digest(name)
}

/// Returns whether a name is that of a checksum, which nobody reads.
fn is_digest(name: &str) -> bool {
    let lower = name.to_lowercase();
    ["md5", "sha1", "sha256", "sha512", "checksum"].iter().any(|digest| lower.contains(digest))
}

/// Returns whether a name is that of a name, such as `file_name` or `title`.
fn is_name(name: &str) -> bool {
    let lower = name.to_lowercase();
    lower.ends_with("name") || ["title", "label", "symbol"].contains(&lower.as_str())
}
