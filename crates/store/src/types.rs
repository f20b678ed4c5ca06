//! Analysis types as they are written to and read from a store.

use cantata_core::{AnalysisType, AnalysisTypeId, PartialTypeOptions, Timestamp};
use serde_json::Value;

use crate::{PageRange, Result, StoreError};

/// A registration; the store assigns its version.
#[derive(Debug, Clone)]
pub struct NewAnalysisType {
    /// The type's name.
    pub name: String,
    /// The schema as given.
    pub schema: Value,
    /// The options as given.
    pub options: PartialTypeOptions,
    /// When it is registered.
    pub created_at: Timestamp,
}

impl NewAnalysisType {
    /// Returns the version that follows the latest one, with the options it leaves out inherited.
    pub fn into_version(self, latest: Option<&AnalysisType>) -> AnalysisType {
        AnalysisType {
            id: AnalysisTypeId { name: self.name, version: latest.map_or(0, |latest| latest.id.version) + 1 },
            created_at: self.created_at,
            options: self.options.inherit(latest.map(|latest| &latest.options)),
            schema: self.schema,
        }
    }
}

/// Decodes a registered version from its columns.
pub fn decode_type(id: AnalysisTypeId, created_at: i64, options: &str, schema: &str) -> Result<AnalysisType> {
    let corrupt = |error: serde_json::Error| StoreError::corrupt(format!("analysis type {id}"), error);
    let (options, schema) = (serde_json::from_str(options), serde_json::from_str(schema));
    let (options, schema) = (options.map_err(corrupt)?, schema.map_err(corrupt)?);
    Ok(AnalysisType { id, created_at: Timestamp::from_micros(created_at), options, schema })
}

/// What a listing of types can be sorted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TypeSortField {
    /// The order of registration.
    Version,
    /// The name.
    Name,
}

/// Which registered versions to list, and in which order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TypeQuery {
    /// Only these names, unless empty.
    pub names: Vec<String>,
    /// Only these versions, unless empty.
    pub versions: Vec<u32>,
    /// What to sort by; registration order breaks ties.
    pub sort: Vec<TypeSortField>,
    /// Whether the order is reversed.
    pub descending: bool,
    /// How many at most.
    pub limit: u64,
    /// How many to skip.
    pub offset: u64,
}

/// A registered version without its content, for [`TypeQuery::select`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TypeKey {
    /// The number of the registration.
    pub registration: i64,
    /// Name and version.
    pub id: AnalysisTypeId,
}

impl TypeQuery {
    /// Asks for every version of every type, in the order of registration.
    pub fn all() -> Self {
        Self { names: vec![], versions: vec![], sort: vec![], descending: false, limit: u64::MAX, offset: 0 }
    }

    /// Asks for every version of one type, newest first.
    pub fn versions_of(name: &str) -> Self {
        Self { names: vec![name.to_owned()], descending: true, ..Self::all() }
    }

    /// Returns how many keys match and the registrations of the page asked for, in order.
    ///
    /// Types are few, so every store lists all keys and selects here.
    pub fn select(&self, mut keys: Vec<TypeKey>) -> (u64, Vec<i64>) {
        keys.retain(|key| {
            (self.names.is_empty() || self.names.contains(&key.id.name))
                && (self.versions.is_empty() || self.versions.contains(&key.id.version))
        });
        keys.sort_by(|left, right| {
            let by_fields = self.sort.iter().fold(std::cmp::Ordering::Equal, |order, field| {
                order.then_with(|| match field {
                    TypeSortField::Version => left.registration.cmp(&right.registration),
                    TypeSortField::Name => left.id.name.cmp(&right.id.name),
                })
            });
            let order = by_fields.then(left.registration.cmp(&right.registration));
            if self.descending { order.reverse() } else { order }
        });
        let total = keys.len() as u64;
        let page = PageRange { offset: self.offset, limit: self.limit };
        (total, page.select(keys).map(|key| key.registration).collect())
    }
}
