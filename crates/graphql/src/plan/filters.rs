//! The filters of a request: checked against the fields, translated, and restricted to what the client may see.
//!
//! Portals give the same filter to every field of a request, so what was made of it is kept.

use std::collections::HashMap;
use std::sync::Arc;

use cantata_catalogue::{Catalogue, Records};
use cantata_engine::{Filter, Translation, TranslationError};
use cantata_mapping::{Field, TypedValue};
use cantata_sqon::{Sqon, SqonError};

use super::{PlanContext, Refusal, suppression};
use crate::output::Index;
use crate::schema::SchemaParts;
use crate::{request, sets};

/// How many mistakes of one filter are reported.
const REPORTED_MISTAKES: usize = 5;

/// The filters over one index.
pub(super) struct Filters<'p> {
    catalogue: &'p Catalogue,
    translation: Translation<'p>,
    /// Which records the client may see at all. It is not the client's filter: it holds for facets on its own fields
    /// too, and it is about records as a whole, not about their elements.
    allowed: Filter,
    /// Whether only counts are shown.
    shows_counts_only: bool,
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
    /// Returns the filters over records.
    pub(super) fn of_records(catalogue: &'p Catalogue, context: &PlanContext<'p>) -> Self {
        let allowed = match &context.view.records {
            Records::All => Filter::All,
            Records::AnyOf(filters) => {
                // The rules may speak of fields that the client does not see.
                let whole = Translation::new(&catalogue.whole_mapping, context.now, context.sets);
                // A rule that the claims of somebody make unreadable opens nothing.
                Filter::or(filters.iter().map(|sqon| whole.filter(Some(sqon)).unwrap_or(Filter::None)))
            }
        };
        Self { shows_counts_only: context.view.below.is_some(), ..Self::new(catalogue, context, allowed) }
    }

    /// Returns the filters over saved sets.
    pub(super) fn of_sets(schema: &'p SchemaParts, context: &PlanContext<'p>) -> Self {
        let label = context.view.label(&schema.side(Index::Records).catalogue.id);
        let unlabelled = || Filter::Exists { field: sets::VIEW.to_owned() }.negated();
        let allowed = match label {
            None => unlabelled(),
            Some(label) => {
                let own = Filter::Terms { field: sets::VIEW.to_owned(), values: vec![TypedValue::Text(label)] };
                // Sets without a label are from before there were rules.
                if context.view.is_everything() { Filter::or([own, unlabelled()]) } else { own }
            }
        };
        Self::new(&schema.side(Index::Sets).catalogue, context, allowed)
    }

    fn new(catalogue: &'p Catalogue, context: &PlanContext<'p>, allowed: Filter) -> Self {
        Self {
            catalogue,
            translation: Translation::new(&catalogue.mapping, context.now, context.sets),
            allowed,
            shows_counts_only: false,
            checked: HashMap::new(),
            none: Arc::default(),
        }
    }

    /// Returns a filter as it was given, if it can be used.
    pub(super) fn check(&mut self, filter: Option<&request::Filter>) -> Result<Arc<Checked>, Refusal> {
        let Some(given) = filter else { return Ok(self.none.clone()) };
        let (catalogue, none) = (self.catalogue, &self.none);
        let shows_counts_only = self.shows_counts_only;
        let checked = self.checked.entry(Arc::as_ptr(given)).or_insert_with(|| match &given.parsed {
            Err(error) => Err(mistakes(std::slice::from_ref(error))),
            Ok(None) => Ok(none.clone()),
            Ok(Some(sqon)) => {
                let checked = check(sqon, catalogue)?;
                if let Some(sqon) = checked.sqon.as_ref().filter(|_| shows_counts_only) {
                    suppression::check(sqon)?;
                }
                Ok(Arc::new(checked))
            }
        });
        checked.clone().map_err(Refusal)
    }

    /// Returns the filter over records.
    pub(super) fn records(&self, checked: &Checked) -> Result<Filter, Refusal> {
        let wanted = self.translation.filter(checked.sqon.as_ref()).map_err(refusal)?;
        Ok(Filter::and([self.allowed.clone(), wanted]))
    }

    /// Returns the filter over the elements at the level of a field.
    pub(super) fn elements(&self, checked: &Checked, field: &str) -> Result<Filter, Refusal> {
        let row_path = self.catalogue.mapping.field(field).map_or("", Field::row_path);
        self.translation.elements(checked.sqon.as_ref(), row_path).map_err(refusal)
    }

    /// Returns whether a filter tests a field, under whatever name.
    pub(super) fn tests(&self, checked: &Checked, field: &str) -> bool {
        let path = |name| self.catalogue.mapping.field(name).map(|field| field.path.as_str());
        let used = checked.sqon.as_ref().map(Sqon::fields_used).unwrap_or_default();
        used.into_iter().any(|name| name == field || path(name) == Some(field))
    }

    /// Returns the filters over records and over the elements at the level of a field, without what is said of the
    /// field itself.
    pub(super) fn without(&self, checked: &Checked, field: &str) -> Result<(Filter, Filter), Refusal> {
        let sqon = checked.sqon.as_ref();
        let (wanted, elements) = self.translation.facet_filter(sqon, field, false).map_err(refusal)?;
        Ok((Filter::and([self.allowed.clone(), wanted]), elements))
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
