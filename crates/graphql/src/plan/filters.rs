//! The filters of a request: checked against the fields, translated, and restricted to what the client may see.
//!
//! Portals give the same filter to every field of a request, so what was made of it is kept.

use std::collections::HashMap;
use std::sync::Arc;

use cantata_catalogue::Catalogue;
use cantata_engine::{Filter, Translation, TranslationError};
use cantata_mapping::Field;
use cantata_sqon::{Sqon, SqonError};

use super::{PlanContext, Refusal};
use crate::request;

/// How many mistakes of one filter are reported.
const REPORTED_MISTAKES: usize = 5;

/// The filters over one index.
pub(super) struct Filters<'p> {
    catalogue: &'p Catalogue,
    translation: Translation<'p>,
    restriction: Option<Sqon>,
    /// What was checked, by the place of the filter in memory, which the request keeps.
    checked: HashMap<*const request::GivenFilter, Result<Arc<Checked>, String>>,
    /// No filter.
    none: Arc<Checked>,
}

/// A filter that fits the fields.
#[derive(Default)]
pub(super) struct Checked {
    sqon: Option<Sqon>,
}

impl<'p> Filters<'p> {
    pub(super) fn new(catalogue: &'p Catalogue, context: &PlanContext<'p>, restriction: Option<&Sqon>) -> Self {
        Self {
            catalogue,
            translation: Translation::new(&catalogue.mapping, context.now, context.sets),
            restriction: restriction.map(|sqon| sqon.clone().resolve_names(catalogue).normalise()),
            checked: HashMap::new(),
            none: Arc::default(),
        }
    }

    /// Returns a filter as it was given, if it can be used.
    pub(super) fn check(&mut self, filter: Option<&request::Filter>) -> Result<Arc<Checked>, Refusal> {
        let Some(given) = filter else { return Ok(self.none.clone()) };
        let (catalogue, none) = (self.catalogue, &self.none);
        let checked = self.checked.entry(Arc::as_ptr(given)).or_insert_with(|| match &given.parsed {
            Err(error) => Err(mistakes(std::slice::from_ref(error))),
            Ok(None) => Ok(none.clone()),
            Ok(Some(sqon)) => check(sqon, catalogue).map(Arc::new),
        });
        checked.clone().map_err(Refusal)
    }

    /// Returns the filter over records.
    pub(super) fn records(&self, checked: &Checked) -> Result<Filter, Refusal> {
        let wanted = self.translation.filter(checked.sqon.as_ref()).map_err(refusal)?;
        let allowed = self.translation.filter(self.restriction.as_ref()).map_err(refusal)?;
        Ok(Filter::and([allowed, wanted]))
    }

    /// Returns the filter over the elements at the level of a field.
    pub(super) fn elements(&self, checked: &Checked, field: &str) -> Result<Filter, Refusal> {
        let row_path = self.catalogue.mapping.field(field).map_or("", Field::row_path);
        let wanted = self.translation.elements(checked.sqon.as_ref(), row_path).map_err(refusal)?;
        let allowed = self.translation.elements(self.restriction.as_ref(), row_path).map_err(refusal)?;
        Ok(Filter::and([allowed, wanted]))
    }

    /// Returns whether a filter tests a field, under whatever name.
    pub(super) fn tests(&self, checked: &Checked, field: &str) -> bool {
        let path = |name| self.catalogue.mapping.field(name).map(|field| field.path.as_str());
        let used = checked.sqon.as_ref().map(Sqon::fields_used).unwrap_or_default();
        used.into_iter().any(|name| name == field || path(name) == Some(field))
    }

    /// Returns the filters over records and over the elements at the level of a field, without what is said of the
    /// field itself. The restriction is not the client's filter: it holds for its own fields too.
    pub(super) fn without(&self, checked: &Checked, field: &str) -> Result<(Filter, Filter), Refusal> {
        let sqon = checked.sqon.as_ref();
        let (wanted, wanted_elements) = self.translation.facet_filter(sqon, field, false).map_err(refusal)?;
        let restriction = self.restriction.as_ref();
        let (allowed, allowed_elements) = self.translation.facet_filter(restriction, field, true).map_err(refusal)?;
        Ok((Filter::and([allowed, wanted]), Filter::and([allowed_elements, wanted_elements])))
    }
}

#[expect(clippy::needless_pass_by_value, reason = "it maps errors")]
fn refusal(error: TranslationError) -> Refusal {
    Refusal(format!("Invalid filter: {error}"))
}

/// Returns a filter with its names resolved, if it fits the fields.
pub(super) fn check(sqon: &Sqon, catalogue: &Catalogue) -> Result<Checked, String> {
    let sqon = sqon.clone().resolve_names(catalogue);
    sqon.validate(catalogue).map_err(|errors| mistakes(&errors))?;
    Ok(Checked { sqon: Some(sqon.normalise()) })
}

/// Tells what is wrong with a filter.
pub(super) fn mistakes(errors: &[SqonError]) -> String {
    let told: Vec<String> = errors.iter().take(REPORTED_MISTAKES).map(ToString::to_string).collect();
    let more = errors.len().saturating_sub(REPORTED_MISTAKES);
    let more = if more == 0 { String::new() } else { format!("; and {more} more") };
    format!("Invalid filter: {}{more}", told.join("; "))
}
