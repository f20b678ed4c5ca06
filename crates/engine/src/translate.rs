//! Translation of the filter language to the filter that an engine evaluates, typed by the mapping.
//!
//! A SQON speaks of names and of values as they were written; a [`Filter`] of rows at a nesting level and of typed
//! values. What is decided here is decided for every engine: which rows a condition tests, what a fraction means on a
//! field of whole numbers, how far a date reaches, what belongs together in one nested element.
//!
//! The filter given is read, its names are resolved, it is validated and normalised ([`cantata_sqon`]). A field that
//! the mapping does not have is a field without values. Whatever cannot be understood is an error, since under a `not`
//! a condition that matches nothing would show every record.

mod condition;
mod domain;
mod error;
mod group;
mod range;
mod target;

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};

use cantata_mapping::{IndexMapping, UtcDateTime};
use cantata_sqon::{Condition, Sqon, ValueTest};

pub use self::error::TranslationError;

use self::group::ClauseScope;
use crate::{AncestorFilter, Filter};

/// The members of the saved sets that a filter may name, by the id of the set.
pub type SavedSets = HashMap<String, Vec<String>>;

/// Returns the ids of the sets that a filter names, each once, in order.
pub fn saved_set_ids(sqon: &Sqon) -> Vec<String> {
    let mut ids = BTreeSet::new();
    sqon.for_each_leaf(&mut |leaf| {
        let Condition::Values { values, .. } = &leaf.condition else { return };
        ids.extend(values.iter().filter_map(|value| match value {
            ValueTest::Set(id) => Some(id.clone()),
            _ => None,
        }));
    });
    ids.into_iter().collect()
}

/// The filters of a facet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FacetFilter {
    /// Which records.
    pub records: Filter,
    /// Which elements, read at the level of the facet's field.
    pub elements: Filter,
    /// Which elements may be around them, outermost first.
    pub ancestors: Vec<AncestorFilter>,
}

impl FacetFilter {
    /// Returns the filter over the records that have an element which the facet counts and which passes a test, read at
    /// the level of the facet's field.
    #[must_use]
    pub fn having(&self, test: Filter, row_path: &str) -> Filter {
        let counted = Filter::and([self.elements.clone(), test]).nested_in(row_path);
        let counted = self.ancestors.iter().rfold(counted, |inner, AncestorFilter { path, filter }| {
            Filter::and([filter.clone(), inner]).nested_in(path)
        });
        Filter::and([self.records.clone(), counted])
    }
}

/// Translates the filters of one request.
#[derive(Clone, Copy)]
pub struct FilterTranslator<'a> {
    mapping: &'a IndexMapping,
    now: UtcDateTime,
    sets: &'a SavedSets,
}

impl<'a> FilterTranslator<'a> {
    /// Returns the translation for an index, with the moment of `now` and the sets that
    /// [`saved_set_ids`] names.
    pub fn new(mapping: &'a IndexMapping, now: UtcDateTime, sets: &'a SavedSets) -> Self {
        Self { mapping, now, sets }
    }

    /// Returns the filter over records; no SQON means all of them.
    ///
    /// # Errors
    ///
    /// If a set is unknown or a value cannot be read as one of its field.
    pub fn filter(&self, sqon: Option<&Sqon>) -> Result<Filter, TranslationError> {
        sqon.map_or(Ok(Filter::All), |sqon| self.node(sqon, ""))
    }

    /// Returns a filter over the elements of a nested container alone, read at their level; no SQON means all of them.
    ///
    /// # Errors
    ///
    /// As for [`FilterTranslator::filter`], and if a field lies outside of the container.
    pub fn within(&self, sqon: Option<&Sqon>, path: &str) -> Result<Filter, TranslationError> {
        let Some(sqon) = sqon else { return Ok(Filter::All) };
        let outside = sqon.fields_used().into_iter().find(|field| {
            let row_path = self.target(field).row_path;
            row_path != path && !target::is_below(row_path, path)
        });
        match outside {
            Some(field) => {
                Err(TranslationError::OutsideContainer { field: field.to_owned(), container: path.to_owned() })
            }
            None => self.node(sqon, path),
        }
    }

    /// Returns the filter over the elements of a nested container that a facet of its fields counts, read at that
    /// level: every clause of the root-level `and` whose fields all lie at or below the path.
    ///
    /// Clauses under `or` and `not`, `some-not-in`, and `all` of several values speak of records, not of elements. At
    /// the root, where the path is empty, the element is the record itself and nothing is left to say.
    ///
    /// # Errors
    ///
    /// As for [`FilterTranslator::filter`].
    pub fn elements(&self, sqon: Option<&Sqon>, row_path: &str) -> Result<Filter, TranslationError> {
        let mut filters = Vec::new();
        if let Some(sqon) = sqon.filter(|_| !row_path.is_empty()) {
            self.element_clauses(sqon, row_path, ClauseScope::AllFields, &mut filters)?;
        }
        Ok(Filter::and(filters))
    }

    /// Returns the filters over the elements around those that a facet counts: for each nested container above the
    /// path, the clauses of the root-level `and` on its own fields, and what a pivot on it holds together. Containers
    /// without such a clause are left out.
    ///
    /// # Errors
    ///
    /// As for [`FilterTranslator::filter`].
    pub fn ancestors(&self, sqon: Option<&Sqon>, row_path: &str) -> Result<Vec<AncestorFilter>, TranslationError> {
        let mut paths: Vec<&str> =
            self.mapping.nested_paths().filter(|path| target::is_below(row_path, path)).collect();
        paths.sort_unstable_by_key(|path| path.len());
        let mut ancestors = Vec::new();
        for path in paths {
            let mut filters = Vec::new();
            if let Some(sqon) = sqon {
                self.element_clauses(sqon, path, ClauseScope::OwnFields, &mut filters)?;
            }
            if !filters.is_empty() {
                ancestors.push(AncestorFilter { path: path.to_owned(), filter: Filter::and(filters) });
            }
        }
        Ok(ancestors)
    }

    /// Returns the filters of a facet, over records, over elements at the level of its field and over those around
    /// them. Unless the facet filters itself, the clauses on its own field, under whatever name, are left out of all.
    ///
    /// # Errors
    ///
    /// As for [`FilterTranslator::filter`].
    pub fn facet_filter(
        &self,
        sqon: Option<&Sqon>,
        field: &str,
        filter_themselves: bool,
    ) -> Result<FacetFilter, TranslationError> {
        let target = self.target(field);
        let mut kept = sqon.map(Cow::Borrowed);
        if !filter_themselves && let Some(sqon) = sqon {
            for name in sqon.fields_used() {
                if self.target(name).path == target.path {
                    kept = kept.and_then(|kept| kept.without_field(name)).map(Cow::Owned);
                }
            }
        }
        let kept = kept.as_deref();
        Ok(FacetFilter {
            records: self.filter(kept)?,
            elements: self.elements(kept, target.row_path)?,
            ancestors: self.ancestors(kept, target.row_path)?,
        })
    }

    /// Returns the filter over the records that a facet counts as missing its field, which may be a container.
    pub fn missing(&self, filter: &FacetFilter, field: &str) -> Filter {
        let target = self.target(field);
        filter.having(self.existence(&target).negated(), target.row_path)
    }
}
