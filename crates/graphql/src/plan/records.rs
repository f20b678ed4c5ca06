//! Which records a request wants that is no GraphQL one: the same filters and orders, by the same rules.

use std::slice;

use cantata_catalogue::Catalogue;
use cantata_engine::{Filter, SortKey, sets_used};
use cantata_sqon::Sqon;
use serde_json::Value;

use super::filters::{self, Checked, Filters};
use super::{PlanContext, Refusal, prefix, sort};

/// Which records, in which order.
pub struct RecordsQuery {
    checked: Checked,
    sets_needed: Vec<String>,
    sort: Vec<SortKey>,
}

impl RecordsQuery {
    /// Reads a filter and the keys of an order, which are objects as in the GraphQL argument `sort`.
    ///
    /// # Errors
    ///
    /// What is wrong, with its place.
    pub fn read(catalogue: &Catalogue, sqon: &Value, keys: &[Value]) -> Result<Self, String> {
        let parsed = Sqon::parse(sqon).map_err(|error| filters::mistakes(slice::from_ref(&error)))?;
        let checked = match &parsed {
            Some(sqon) => filters::check(sqon, catalogue)?,
            None => Checked::default(),
        };
        let sort = keys.iter().enumerate().map(|(place, key)| sort::read(place, key, catalogue));
        Ok(Self {
            checked,
            sets_needed: parsed.as_ref().map(sets_used).unwrap_or_default(),
            sort: sort.collect::<Result<_, Refusal>>().map_err(|Refusal(message)| message)?,
        })
    }

    /// Returns the ids of the saved sets that must be loaded before it is planned.
    pub fn sets_needed(&self) -> &[String] {
        &self.sets_needed
    }

    /// Returns the filter and the order for the index of the records.
    ///
    /// # Errors
    ///
    /// If a set is unknown or a value cannot be read as one of its field.
    pub fn plan(&self, catalogue: &Catalogue, context: &PlanContext<'_>) -> Result<(Filter, Vec<SortKey>), String> {
        let filters = Filters::of_records(catalogue, context);
        let mut filter = filters.records(&self.checked).map_err(|Refusal(message)| message)?;
        let mut sort = self.sort.clone();
        prefix::add_to_records(&catalogue.source_prefix, &mut filter, &mut sort);
        Ok((filter, sort))
    }
}
