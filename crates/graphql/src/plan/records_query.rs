//! The records of a request outside of GraphQL, such as a download: the same filters and sort keys, by the same rules.

use std::slice;

use cantata_catalogue::Catalogue;
use cantata_engine::{Filter, SortKey, saved_set_ids};
use cantata_sqon::Sqon;
use serde_json::Value;

use super::filters::{FilterCompiler, ValidatedFilter, invalid_filter};
use super::{PlanContext, PlanError, prefix, sort};

/// A filter and sort keys, validated against a catalogue.
pub struct RecordsQuery {
    filter: ValidatedFilter,
    sets_needed: Vec<String>,
    sort: Vec<SortKey>,
}

impl RecordsQuery {
    /// Parses a filter, and sort keys as in the GraphQL argument `sort`.
    ///
    /// # Errors
    ///
    /// If the filter or a sort key is invalid.
    pub fn parse(catalogue: &Catalogue, sqon: &Value, keys: &[Value]) -> Result<Self, PlanError> {
        let sqon = Sqon::parse(sqon).map_err(|error| invalid_filter(slice::from_ref(&error)))?;
        let sort = keys.iter().enumerate().map(|(index, key)| sort::parse_key(index, key, catalogue));
        let sort = sort.collect::<Result<Vec<_>, _>>()?;
        sort::reject_score(&sort)?;
        Ok(Self {
            filter: sqon.as_ref().map(|sqon| ValidatedFilter::new(sqon, catalogue)).transpose()?.unwrap_or_default(),
            sets_needed: sqon.as_ref().map(saved_set_ids).unwrap_or_default(),
            sort,
        })
    }

    /// Returns the ids of the saved sets that must be loaded before it is planned.
    pub fn sets_needed(&self) -> &[String] {
        &self.sets_needed
    }

    /// Compiles the filter and the sort keys for the index of the records.
    ///
    /// # Errors
    ///
    /// If a set is unknown or a value cannot be read as one of its field.
    pub fn plan(&self, catalogue: &Catalogue, context: &PlanContext<'_>) -> Result<(Filter, Vec<SortKey>), PlanError> {
        let mut filter = FilterCompiler::for_records(catalogue, context).compile(&self.filter)?;
        let mut sort = self.sort.clone();
        prefix::add_to_records(&catalogue.source_prefix, &mut filter, &mut sort);
        Ok((filter, sort))
    }
}
