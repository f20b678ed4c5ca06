//! The selected fields of an operation: fragments spread out, conditions applied, fields of the same key merged.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use apollo_compiler::ast;
use apollo_compiler::executable::{DirectiveList, ExecutableDocument, Field, Operation, Selection, SelectionSet};
use apollo_compiler::parser::SourceSpan;
use apollo_compiler::request::{RequestError, coerce_variable_values};
use apollo_compiler::response::JsonMap;
use apollo_compiler::validation::Valid;
use apollo_compiler::{Name, Schema};
use cantata_sqon::{Sqon, SqonError};
use serde_json::{Map, Value};

use super::argument_values::{argument_value, library_map};
use super::selection::{SelectedFields, SharedSelections};

/// The arguments that are filters.
const FILTER_ARGUMENTS: [&str; 3] = ["filters", "filter", "sqon"];

/// A filter as it was given and as it was parsed; `None` is no filter. Fields with the same variable share it.
#[derive(Debug)]
pub(crate) struct FilterArgument {
    pub(crate) given: Value,
    pub(crate) parsed: Result<Option<Sqon>, SqonError>,
}

/// One field of the response.
#[derive(Debug)]
pub(crate) struct SelectedField {
    /// Its key in the response.
    pub(crate) key: Name,
    /// The name of the field.
    pub(crate) name: Name,
    /// The name of the type that has the field.
    pub(crate) on: Name,
    /// The arguments that were given.
    pub(crate) arguments: Map<String, Value>,
    /// The filter among them.
    pub(crate) filter: Option<Arc<FilterArgument>>,
    /// Its location in the document.
    pub(crate) location: Option<SourceSpan>,
    /// The selected fields of its value.
    pub(crate) children: SelectedFields,
}

/// Collects the fields of one operation.
pub(crate) struct FieldCollector<'d> {
    document: &'d ExecutableDocument,
    shared: &'d SharedSelections,
    pub(crate) variables: Valid<JsonMap>,
    filters: HashMap<&'d Name, Arc<FilterArgument>>,
}

impl<'d> FieldCollector<'d> {
    /// Coerces the values of the variables.
    ///
    /// # Errors
    ///
    /// If a value does not fit the type of its variable.
    pub(crate) fn new(
        schema: &Valid<Schema>,
        document: &'d ExecutableDocument,
        shared: &'d SharedSelections,
        operation: &Operation,
        variables: Option<&Map<String, Value>>,
    ) -> Result<Self, RequestError> {
        let variables = coerce_variable_values(schema, operation, &library_map(operation, variables))?;
        Ok(Self { document, shared, variables, filters: HashMap::new() })
    }

    /// Returns the selected fields of an object, in order.
    pub(crate) fn collect(&mut self, selections: &'d SelectionSet) -> Vec<SelectedField> {
        self.merge(&[selections])
    }

    /// Merges several selections of one object.
    fn merge(&mut self, selections: &[&'d SelectionSet]) -> Vec<SelectedField> {
        // Every selected value is an object in the end, whatever interface a fragment names.
        let Some(on) = selections.first().map(|set| &set.ty) else { return Vec::new() };
        let mut groups = FieldGroups::default();
        for selection in selections {
            self.group(selection, &mut groups, &mut HashSet::new());
        }
        let mut fields = Vec::with_capacity(groups.fields.len());
        for group in groups.fields {
            let Some(first) = group.first().copied() else { continue };
            let inner: Vec<&SelectionSet> = group.iter().map(|field| &field.selection_set).collect();
            let (arguments, filter) = self.arguments(first);
            fields.push(SelectedField {
                key: first.response_key().clone(),
                name: first.name.clone(),
                on: on.clone(),
                arguments,
                filter,
                location: first.name.location(),
                children: self.children(&inner),
            });
        }
        fields
    }

    /// Returns the selected fields of the value of one field, which may have been selected several times.
    fn children(&mut self, selections: &[&'d SelectionSet]) -> SelectedFields {
        let shared = self.shared;
        match selections {
            [set] if set.is_empty() => SelectedFields::default(),
            [set] => shared.get_or_collect(set, || self.merge(selections)),
            _ => self.merge(selections).into(),
        }
    }

    fn group(&self, set: &'d SelectionSet, groups: &mut FieldGroups<'d>, spread: &mut HashSet<&'d Name>) {
        for selection in &set.selections {
            if !self.is_included(selection.directives()) {
                continue;
            }
            match selection {
                Selection::Field(field) => groups.add(field),
                Selection::InlineFragment(fragment) => self.group(&fragment.selection_set, groups, spread),
                Selection::FragmentSpread(named) => {
                    if let Some(fragment) = self.document.fragments.get(&named.fragment_name)
                        && spread.insert(&named.fragment_name)
                    {
                        self.group(&fragment.selection_set, groups, spread);
                    }
                }
            }
        }
    }

    /// Returns whether `@skip` and `@include` keep a selection.
    fn is_included(&self, directives: &DirectiveList) -> bool {
        let condition = |directive: &str| {
            let value = directives.get(directive)?.specified_argument_by_name("if")?;
            match &**value {
                ast::Value::Boolean(flag) => Some(*flag),
                ast::Value::Variable(name) => self.variables.get(name.as_str())?.as_bool(),
                _ => None,
            }
        };
        condition("skip") != Some(true) && condition("include") != Some(false)
    }

    fn arguments(&mut self, field: &'d Field) -> (Map<String, Value>, Option<Arc<FilterArgument>>) {
        let mut arguments = Map::new();
        let mut filter = None;
        for argument in &field.arguments {
            if FILTER_ARGUMENTS.contains(&argument.name.as_str()) {
                filter = self.filter(&argument.value);
            } else if let Some(value) = argument_value(&argument.value, &self.variables) {
                arguments.insert(argument.name.to_string(), value);
            }
        }
        (arguments, filter)
    }

    fn filter(&mut self, value: &'d ast::Value) -> Option<Arc<FilterArgument>> {
        let ast::Value::Variable(name) = value else { return self.parse_filter(value) };
        if let Some(known) = self.filters.get(name) {
            return Some(known.clone());
        }
        let parsed = self.parse_filter(value)?;
        self.filters.insert(name, parsed.clone());
        Some(parsed)
    }

    fn parse_filter(&self, value: &ast::Value) -> Option<Arc<FilterArgument>> {
        let given = argument_value(value, &self.variables)?;
        let parsed = Sqon::parse(&given);
        Some(Arc::new(FilterArgument { given, parsed }))
    }
}

/// Fields by key, in the order of their first appearance.
#[derive(Default)]
struct FieldGroups<'d> {
    by_key: HashMap<&'d Name, usize>,
    fields: Vec<Vec<&'d Field>>,
}

impl<'d> FieldGroups<'d> {
    fn add(&mut self, field: &'d Field) {
        let index = *self.by_key.entry(field.response_key()).or_insert(self.fields.len());
        if index == self.fields.len() {
            self.fields.push(Vec::new());
        }
        self.fields[index].push(field);
    }
}
