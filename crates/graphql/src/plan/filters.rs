//! Compiles the filters of a request: validated against the fields, translated, and restricted to visible records.
//!
//! Portals give the same filter to every field of a request, so its validated form is cached.

use std::collections::HashMap;
use std::slice;
use std::sync::Arc;

use cantata_catalogue::{Catalogue, VisibleRecords};
use cantata_engine::{AncestorFilter, FacetFilter, Filter, FilterTranslator, TranslationError};
use cantata_mapping::{Field, TypedValue};
use cantata_sqon::{Sqon, SqonError};

use super::{PlanContext, PlanError, suppression};
use crate::output::TargetIndex;
use crate::request::FilterArgument;
use crate::saved_sets::SAVED_SET_VIEW;
use crate::schema::CompiledSchema;

/// How many errors of one filter are reported.
const MAX_REPORTED_ERRORS: usize = 5;

/// Compiles filters over one index.
pub(super) struct FilterCompiler<'p> {
    catalogue: &'p Catalogue,
    translation: FilterTranslator<'p>,
    /// The filter over visible records. Unlike the client's filter it holds for facets on its own fields too, and for
    /// records as a whole, not for their nested elements.
    visible: Filter,
    shows_counts_only: bool,
    /// By the address of the argument, which the request keeps alive.
    validated: HashMap<*const FilterArgument, Result<Arc<ValidatedFilter>, PlanError>>,
    unfiltered: Arc<ValidatedFilter>,
}

/// A filter that was validated against the fields of the catalogue.
#[derive(Default)]
pub(super) struct ValidatedFilter {
    sqon: Option<Sqon>,
}

impl<'p> FilterCompiler<'p> {
    /// Compiles filters over records.
    pub(super) fn for_records(catalogue: &'p Catalogue, context: &PlanContext<'p>) -> Self {
        let visible = match &context.view.records {
            VisibleRecords::All => Filter::All,
            VisibleRecords::AnyOf(filters) => {
                // The rules may name fields that are hidden from the client.
                let translation = FilterTranslator::new(&catalogue.full_mapping, context.now, context.sets);
                // A rule that cannot be translated with the claims of an identity grants nothing.
                Filter::or(filters.iter().map(|sqon| translation.filter(Some(sqon)).unwrap_or(Filter::None)))
            }
        };
        Self {
            shows_counts_only: context.view.suppression_threshold.is_some(),
            ..Self::new(catalogue, context, visible)
        }
    }

    /// Compiles filters over saved sets.
    pub(super) fn for_sets(schema: &'p CompiledSchema, context: &PlanContext<'p>) -> Self {
        let fingerprint = context.view.fingerprint(&schema.index_schema(TargetIndex::Records).catalogue.id);
        let field = || SAVED_SET_VIEW.to_owned();
        let without_fingerprint = || Filter::Exists { field: field() }.negated();
        let visible = match fingerprint {
            None => without_fingerprint(),
            Some(fingerprint) => {
                let own = Filter::Terms { field: field(), values: vec![TypedValue::Text(fingerprint)] };
                // Sets without a fingerprint were saved before there were rules.
                if context.view.is_unrestricted() { Filter::or([own, without_fingerprint()]) } else { own }
            }
        };
        Self::new(&schema.index_schema(TargetIndex::Sets).catalogue, context, visible)
    }

    fn new(catalogue: &'p Catalogue, context: &PlanContext<'p>, visible: Filter) -> Self {
        Self {
            catalogue,
            translation: FilterTranslator::new(&catalogue.mapping, context.now, context.sets),
            visible,
            shows_counts_only: false,
            validated: HashMap::new(),
            unfiltered: Arc::default(),
        }
    }

    /// Validates the filter argument of a field.
    pub(super) fn validate(
        &mut self,
        argument: Option<&Arc<FilterArgument>>,
    ) -> Result<Arc<ValidatedFilter>, PlanError> {
        let Some(argument) = argument else { return Ok(self.unfiltered.clone()) };
        let (catalogue, unfiltered) = (self.catalogue, &self.unfiltered);
        let shows_counts_only = self.shows_counts_only;
        let validated = self.validated.entry(Arc::as_ptr(argument)).or_insert_with(|| match &argument.parsed {
            Err(error) => Err(invalid_filter(slice::from_ref(error))),
            Ok(None) => Ok(unfiltered.clone()),
            Ok(Some(sqon)) => {
                let validated = ValidatedFilter::new(sqon, catalogue)?;
                if let Some(sqon) = validated.sqon.as_ref().filter(|_| shows_counts_only) {
                    suppression::check(sqon)?;
                }
                Ok(Arc::new(validated))
            }
        });
        validated.clone()
    }

    /// Compiles the filter over records.
    pub(super) fn compile(&self, validated: &ValidatedFilter) -> Result<Filter, PlanError> {
        Ok(Filter::and([self.visible.clone(), self.compile_wanted(validated)?]))
    }

    /// Compiles the filter that the client gave, whether it may see the records or not.
    pub(super) fn compile_wanted(&self, validated: &ValidatedFilter) -> Result<Filter, PlanError> {
        let wanted = self.translation.filter(validated.sqon.as_ref()).map_err(untranslatable)?;
        self.check_patterns(&wanted)?;
        Ok(wanted)
    }

    /// Returns the filter over the records that the client may see.
    pub(super) fn visible(&self) -> &Filter {
        &self.visible
    }

    /// Rejects a filter with more patterns than the catalogue allows.
    fn check_patterns(&self, wanted: &Filter) -> Result<(), PlanError> {
        let (found, most) = (count_patterns(wanted), self.catalogue.limits.max_patterns);
        if found > most {
            return Err(PlanError(format!(
                "Invalid filter: found {found} patterns (values with `*`, wildcards and fuzzy texts, for each field); at \
                 most {most} are allowed (maxPatterns)"
            )));
        }
        Ok(())
    }

    /// Compiles a filter over the elements of a nested container alone.
    pub(super) fn compile_within(&self, argument: &FilterArgument, path: &str) -> Result<Filter, PlanError> {
        match &argument.parsed {
            Err(error) => Err(invalid_filter(slice::from_ref(error))),
            Ok(None) => Ok(Filter::All),
            Ok(Some(sqon)) => {
                let validated = ValidatedFilter::new(sqon, self.catalogue)?;
                let wanted = self.translation.within(validated.sqon.as_ref(), path).map_err(untranslatable)?;
                self.check_patterns(&wanted)?;
                Ok(wanted)
            }
        }
    }

    /// Compiles the filters over the nested elements at the level of a field, and over those around them.
    pub(super) fn compile_elements(
        &self,
        validated: &ValidatedFilter,
        field: &str,
    ) -> Result<(Filter, Vec<AncestorFilter>), PlanError> {
        let row_path = self.catalogue.mapping.field(field).map_or("", Field::row_path);
        let sqon = validated.sqon.as_ref();
        let elements = self.translation.elements(sqon, row_path).map_err(untranslatable)?;
        let ancestors = self.translation.ancestors(sqon, row_path).map_err(untranslatable)?;
        Ok((elements, ancestors))
    }

    /// Compiles the filter over the records that a facet counts as missing its field.
    pub(super) fn compile_missing(
        &self,
        validated: &ValidatedFilter,
        field: &str,
        filters_itself: bool,
    ) -> Result<Filter, PlanError> {
        let filter = self.compile_facet(validated, field, filters_itself)?;
        Ok(self.translation.missing(&filter, field))
    }

    /// Returns whether a filter tests a field, under any of its names.
    pub(super) fn is_tested(&self, validated: &ValidatedFilter, field: &str) -> bool {
        let path = |name| self.catalogue.mapping.field(name).map(|field| field.path.as_str());
        let used = validated.sqon.as_ref().map(Sqon::fields_used).unwrap_or_default();
        used.into_iter().any(|name| name == field || path(name) == Some(field))
    }

    /// Compiles the filters of a facet; unless it filters itself, without the conditions on its own field.
    pub(super) fn compile_facet(
        &self,
        validated: &ValidatedFilter,
        field: &str,
        filters_itself: bool,
    ) -> Result<FacetFilter, PlanError> {
        let sqon = validated.sqon.as_ref();
        let mut filter = self.translation.facet_filter(sqon, field, filters_itself).map_err(untranslatable)?;
        filter.records = Filter::and([self.visible.clone(), filter.records]);
        Ok(filter)
    }
}

impl ValidatedFilter {
    /// Resolves the names of a filter and validates it against the fields.
    pub(super) fn new(sqon: &Sqon, catalogue: &Catalogue) -> Result<Self, PlanError> {
        let sqon = sqon.clone().resolve_names(catalogue);
        sqon.validate(catalogue).map_err(|errors| invalid_filter(&errors))?;
        Ok(Self { sqon: Some(sqon.normalise()) })
    }
}

/// Counts the conditions that are tested against every value of a field.
fn count_patterns(filter: &Filter) -> usize {
    match filter {
        Filter::And(parts) | Filter::Or(parts) => parts.iter().map(count_patterns).sum(),
        Filter::Not(inner) | Filter::Nested { inner, .. } => count_patterns(inner),
        Filter::Pattern { .. } | Filter::Wildcard { .. } | Filter::Fuzzy { .. } => 1,
        Filter::All | Filter::None | Filter::Terms { .. } | Filter::Range { .. } | Filter::Exists { .. } => 0,
    }
}

#[expect(clippy::needless_pass_by_value, reason = "it maps errors")]
fn untranslatable(error: TranslationError) -> PlanError {
    PlanError(format!("Invalid filter: {error}"))
}

/// Returns the error of an invalid filter.
pub(super) fn invalid_filter(errors: &[SqonError]) -> PlanError {
    let messages: Vec<String> = errors.iter().take(MAX_REPORTED_ERRORS).map(ToString::to_string).collect();
    let more = errors.len().saturating_sub(MAX_REPORTED_ERRORS);
    let more = if more == 0 { String::new() } else { format!("; and {more} more") };
    PlanError(format!("Invalid filter: {}{more}", messages.join("; ")))
}
