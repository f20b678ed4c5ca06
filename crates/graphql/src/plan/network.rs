//! `network`: a question to the nodes of the network of the catalogue.
//!
//! A filter can only name fields that the client sees here or in the network, so that no node tells what the rules of
//! this catalogue hide. The filters of these rules are part of the question.

use std::collections::HashSet;
use std::slice;
use std::time::Duration;

use apollo_compiler::Name;
use cantata_catalogue::{VisibleRecords, flat_name};
use cantata_engine::{NumberRange, saved_set_ids};
use cantata_sqon::{FieldLookup, GroupOp, Sqon};
use serde_json::Value;

use super::aggregations::{interval, ranges};
use super::filters::invalid_filter;
use super::{PlanError, Planner, arguments, suppression};
use crate::network_question::{NamedRange, NetworkFacet, NetworkQuestion, histogram_member, range_member};
use crate::output::{JsonSelection, Output, TargetIndex};
use crate::request::SelectedField;

/// The error for an identity that sees no record.
const NOTHING_VISIBLE: &str =
    "the access rules of this catalogue show no record to you, so that its network cannot be asked";

const NO_SETS: &str = "Invalid filter: a saved set belongs to one server and cannot be used over a network";

impl<'p> Planner<'p> {
    pub(super) fn network(&mut self, field: &'p SelectedField) -> Result<Output, PlanError> {
        let visible = match &self.view.records {
            VisibleRecords::All => None,
            VisibleRecords::AnyOf(filters) => match filters.as_slice() {
                [] => return Err(NOTHING_VISIBLE.into()),
                // Nodes that show counts only accept no `or`.
                [only] => Some(only.clone()),
                several => Some(Sqon::Group { op: GroupOp::Or, content: several.to_vec(), pivot: None }),
            },
        };
        let filter = self.network_filter(field)?;
        let is_plain = filter.as_ref().map_or(Ok(()), suppression::check);
        if self.view.suppression_threshold.is_some() {
            is_plain.clone()?;
        }
        let flag = |name: &str| arguments::given(field, name).and_then(Value::as_bool);
        let nodes = arguments::list(field, "nodesFilter").filter(|nodes| !nodes.is_empty());
        let mut question = NetworkQuestion {
            filter,
            visible,
            has_plain_filter: is_plain.is_ok(),
            suppression_threshold: self.view.suppression_threshold,
            filters_themselves: flag("aggregations_filter_themselves"),
            includes_missing: flag("include_missing"),
            max_age: arguments::count(field, "maxAge")?.map(|seconds| Duration::from_secs(seconds as u64)),
            nodes: nodes.map(|nodes| nodes.into_iter().filter_map(Value::as_str).map(str::to_owned).collect()),
            facets: Vec::new(),
            by_node: false,
        };
        let mut selection = Vec::with_capacity(field.children.len());
        for child in field.children.iter() {
            let children = match child.name.as_str() {
                "aggregations" => network_facets(&mut question, child)?,
                "nodes" => node_members(&mut question, child)?,
                _ => JsonSelection::of(&child.children),
            };
            selection.push(JsonSelection::new(child, child.name.clone(), children));
        }
        self.network.push(question);
        Ok(Output::Network { index: self.network.len() - 1, selection, path: self.path.clone() })
    }

    /// Returns the filter of the client.
    fn network_filter(&self, field: &SelectedField) -> Result<Option<Sqon>, PlanError> {
        let catalogue = &*self.schema.index_schema(TargetIndex::Records).catalogue;
        let sqon = match field.filter.as_ref().map(|argument| &argument.parsed) {
            None | Some(Ok(None)) => return Ok(None),
            Some(Err(error)) => return Err(invalid_filter(slice::from_ref(error))),
            Some(Ok(Some(sqon))) => sqon.clone().resolve_names(catalogue),
        };
        if !saved_set_ids(&sqon).is_empty() {
            return Err(NO_SETS.into());
        }
        let in_network = |name: &str| {
            let name = flat_name(name);
            self.schema.network.as_deref().unwrap_or_default().iter().any(|field| field.name == name)
        };
        let unknown = sqon.fields_used().into_iter().find(|&name| catalogue.field(name).is_none() && !in_network(name));
        if let Some(name) = unknown {
            return Err(format!("Invalid filter: no node of the network has a field {name:?}").into());
        }
        Ok(Some(sqon))
    }
}

/// Returns the selection of the members of a node, and adds the facets among them to the question.
fn node_members(question: &mut NetworkQuestion, nodes: &SelectedField) -> Result<Vec<JsonSelection>, PlanError> {
    let member = |member: &SelectedField| {
        let children = match member.name.as_str() {
            "aggregations" => {
                question.by_node = true;
                network_facets(question, member)?
            }
            _ => JsonSelection::of(&member.children),
        };
        Ok(JsonSelection::new(member, member.name.clone(), children))
    };
    nodes.children.iter().map(member).collect()
}

/// Adds the selected facets to the question, and returns the selection of their answers.
fn network_facets(question: &mut NetworkQuestion, selected: &SelectedField) -> Result<Vec<JsonSelection>, PlanError> {
    selected.children.iter().map(|facet| network_facet(question, facet)).collect()
}

/// Adds what is selected of a facet to the question, and returns the selection of its answer.
fn network_facet(question: &mut NetworkQuestion, selected: &SelectedField) -> Result<JsonSelection, PlanError> {
    if selected.name.as_str() == "__typename" {
        return Ok(JsonSelection::new(selected, selected.name.clone(), Vec::new()));
    }
    let position = question.facets.iter().position(|facet| facet.field == selected.name.as_str());
    let position = position.unwrap_or_else(|| {
        question.facets.push(NetworkFacet { field: selected.name.to_string(), ..NetworkFacet::default() });
        question.facets.len() - 1
    });
    let facet = &mut question.facets[position];
    let mut members = Vec::with_capacity(selected.children.len());
    for member in selected.children.iter() {
        let max = arguments::count(member, "max")?;
        let source = match member.name.as_str() {
            "stats" => {
                facet.stats = true;
                member.name.clone()
            }
            "histogram" => {
                let index = position_or_push(&mut facet.histograms, interval(member)?);
                member_name(&histogram_member(index))?
            }
            "range" => {
                let (bounds, keys) = ranges(member, false)?;
                let named = bounds.into_iter().zip(keys);
                let named: Vec<NamedRange> =
                    named.map(|(NumberRange { from, to }, key)| NamedRange { key, from, to }).collect();
                let mut seen = HashSet::new();
                if let Some(twice) = named.iter().find(|range| !seen.insert(range.key.as_str())) {
                    let key = &twice.key;
                    return Err(format!("two ranges have the key {key:?}; counts of nodes are added up by key").into());
                }
                let index = position_or_push(&mut facet.ranges, named);
                member_name(&range_member(index))?
            }
            "__typename" => member.name.clone(),
            name => {
                let shown = if name == "buckets" { max } else { Some(0) };
                // All of them, if one selection shows all.
                facet.max_buckets = match facet.buckets {
                    true => facet.max_buckets.zip(shown).map(|(known, shown)| known.max(shown)),
                    false => shown,
                };
                facet.buckets = true;
                facet.key_texts |= member.children.iter().any(|child| child.name.as_str() == "key_as_string");
                member.name.clone()
            }
        };
        let children = buckets(&member.children)?;
        members.push(JsonSelection::new(member, source, children).limited(max));
    }
    Ok(JsonSelection::new(selected, selected.name.clone(), members))
}

/// Returns the position of an element, which is added to the list if it is not there: a node is asked once for it.
fn position_or_push<T: PartialEq>(list: &mut Vec<T>, element: T) -> usize {
    list.iter().position(|known| *known == element).unwrap_or_else(|| {
        list.push(element);
        list.len() - 1
    })
}

/// Returns the selection of the members of an aggregation, of which `buckets` may have a limit.
fn buckets(selected: &[SelectedField]) -> Result<Vec<JsonSelection>, PlanError> {
    let member = |field: &SelectedField| {
        let selection = JsonSelection::new(field, field.name.clone(), JsonSelection::of(&field.children));
        Ok(selection.limited(arguments::count(field, "max")?))
    };
    selected.iter().map(member).collect()
}

/// Returns the name of a member of an answer, which consists of letters, digits and underscores.
fn member_name(name: &str) -> Result<Name, PlanError> {
    Name::new(name).map_err(|_| PlanError::from("the answer of the network has no such member"))
}
