//! From what a request selects to plans, commands and the shape of the answer.
//!
//! Every `hits` and `aggregations` of a request, whatever their aliases, adds its pages and facets to the one plan of
//! its index. What is wrong in a field is noted with its path and the field is null; the rest is planned all the same.

mod aggregations;
mod arguments;
mod buckets;
mod configs;
mod filters;
mod hits;
mod mutation;
mod node;
mod prefix;
mod records;
mod sort;
mod suppression;

use std::collections::HashMap;
use std::sync::Arc;

use cantata_catalogue::View;
use cantata_engine::{Filter, Plan, Sets};
use cantata_mapping::Moment;

use crate::command::Command;
use crate::error::{Code, Error, PathStep};
use crate::output::{Index, Member, Output, Ready, name_bytes, null};
use crate::prepare::Prepared;
use crate::request::Selected;
use crate::schema::SchemaParts;
use filters::{Checked, Filters};
pub use records::RecordsQuery;

/// What a plan depends on beside the request.
#[derive(Clone, Copy)]
pub struct PlanContext<'a> {
    /// The moment that `now` in filters stands for.
    pub now: Moment,
    /// The saved sets that the request needs.
    pub sets: &'a dyn Sets,
    /// What the client may see; which records holds for everything, facets on the fields that it speaks of included.
    /// The fields that can be seen are those of the schema already.
    pub view: &'a View,
}

/// What is to be run, and how to write what comes of it.
#[derive(Debug)]
pub struct Planned {
    /// What is asked of the index of the records; nothing if it is not needed.
    pub records: Option<Plan>,
    /// What is asked of the index of the saved sets; nothing if it is not needed.
    pub sets: Option<Plan>,
    /// What is to be done, in order.
    pub commands: Vec<Command>,
    pub(crate) output: Vec<Member<Output>>,
    pub(crate) errors: Vec<Error>,
    /// The path of the object in the documents of records that holds everything.
    pub(crate) prefix: Vec<String>,
    /// How many bytes the answer may have.
    pub(crate) max_bytes: usize,
}

pub(crate) fn plan(prepared: &Prepared, context: &PlanContext<'_>) -> Planned {
    let mut planner = Planner {
        prepared,
        schema: &prepared.schema,
        view: context.view,
        records: Part::new(&prepared.schema, Index::Records, context),
        sets: Part::new(&prepared.schema, Index::Sets, context),
        commands: Vec::new(),
        errors: Vec::new(),
        path: Vec::new(),
    };
    let output = planner.members(&prepared.selected, Planner::root_field);
    let catalogue = &prepared.schema.side(Index::Records).catalogue;
    let prefix = &catalogue.source_prefix;
    let Planner { mut records, sets, mut commands, errors, .. } = planner;
    prefix::add(prefix, &mut records.plan, &mut commands);
    let used = |plan: Plan| (!plan.hits.is_empty() || !plan.facets.is_empty()).then_some(plan);
    Planned {
        records: used(records.plan),
        sets: used(sets.plan),
        commands,
        output,
        errors,
        prefix: prefix.split('.').filter(|name| !name.is_empty()).map(str::to_owned).collect(),
        max_bytes: usize::try_from(catalogue.limits.max_response_bytes).unwrap_or(usize::MAX),
    }
}

/// Why a field cannot be answered.
struct Refusal(String);

impl<T: Into<String>> From<T> for Refusal {
    fn from(message: T) -> Self {
        Self(message.into())
    }
}

/// The plan for one index, as far as it is made.
struct Part<'p> {
    plan: Plan,
    filters: Filters<'p>,
    /// The places of the filters that were asked for, by their places in memory, which `filters` keeps.
    places: HashMap<*const Checked, usize>,
}

impl<'p> Part<'p> {
    fn new(schema: &'p SchemaParts, index: Index, context: &PlanContext<'p>) -> Self {
        let filters = match index {
            Index::Records => Filters::of_records(&schema.side(index).catalogue, context),
            Index::Sets => Filters::of_sets(schema, context),
        };
        Self { plan: Plan::default(), filters, places: HashMap::new() }
    }

    /// Returns the place of a filter over records.
    fn records(&mut self, checked: &Arc<Checked>) -> Result<usize, Refusal> {
        if let Some(place) = self.places.get(&Arc::as_ptr(checked)) {
            return Ok(*place);
        }
        let place = self.plan.filter(self.filters.records(checked)?);
        self.places.insert(Arc::as_ptr(checked), place);
        Ok(place)
    }

    /// Returns the place of the filter over records of a facet, and its filter over elements.
    fn facet(&mut self, checked: &Arc<Checked>, field: &str, filters_itself: bool) -> Result<(usize, Filter), Refusal> {
        if filters_itself || !self.filters.tests(checked, field) {
            return Ok((self.records(checked)?, self.filters.elements(checked, field)?));
        }
        let (filter, elements) = self.filters.without(checked, field)?;
        Ok((self.plan.filter(filter), elements))
    }
}

struct Planner<'p> {
    prepared: &'p Prepared,
    view: &'p View,
    schema: &'p SchemaParts,
    records: Part<'p>,
    sets: Part<'p>,
    commands: Vec<Command>,
    errors: Vec<Error>,
    path: Vec<PathStep>,
}

impl<'p> Planner<'p> {
    /// Compiles the members of an object; what is wrong with one is noted and leaves it null.
    fn members(
        &mut self,
        selected: &'p [Selected],
        mut compile: impl FnMut(&mut Self, &'p Selected) -> Result<Output, Refusal>,
    ) -> Vec<Member<Output>> {
        let mut members = Vec::with_capacity(selected.len());
        for field in selected {
            self.path.push(PathStep::Key(field.key.to_string()));
            let output = match field.name.as_str() {
                "__typename" => Ok(Output::Ready(name_bytes(&field.on))),
                _ => compile(self, field),
            };
            let output = output.unwrap_or_else(|Refusal(message)| {
                self.fail(field, message);
                Output::Ready(null())
            });
            self.path.pop();
            members.push(Member::new(&field.key, output));
        }
        members
    }

    /// Notes what is wrong with the field at hand.
    fn fail(&mut self, field: &Selected, message: impl Into<String>) {
        let error = Error::new(Code::BadUserInput, message);
        self.errors.push(error.at(field.location, &self.prepared.sources).of_field(self.path.clone()));
    }

    /// Returns whether records are shown, not only counts.
    fn shows_records(&self, index: Index) -> bool {
        index == Index::Sets || self.view.below.is_none()
    }

    fn part(&mut self, index: Index) -> &mut Part<'p> {
        match index {
            Index::Records => &mut self.records,
            Index::Sets => &mut self.sets,
        }
    }

    fn root_field(&mut self, field: &'p Selected) -> Result<Output, Refusal> {
        let catalogue = &self.schema.side(Index::Records).catalogue;
        if self.prepared.is_mutation {
            return self.mutation(field);
        }
        match field.name.as_str() {
            "hasValidConfig" => self.has_valid_config(field),
            "viewer" => Ok(Output::Object(self.members(&field.children, Self::root_field))),
            "sets" if !catalogue.flags.enable_sets => Err(SETS_ARE_OFF.into()),
            "sets" if self.view.below.is_some() => Err(suppression::NO_SETS.into()),
            "sets" => Ok(Output::Object(
                self.members(&field.children, |planner, field| planner.catalogue_field(Index::Sets, field)),
            )),
            name if name == catalogue.document_type => Ok(Output::Object(
                self.members(&field.children, |planner, field| planner.catalogue_field(Index::Records, field)),
            )),
            // Introspection was answered when the request was prepared; `node` and `query` find nothing.
            _ => Ok(match self.prepared.introspection.get(field.key.as_str()) {
                Some(answer) => Output::Ready(answer.clone()),
                None => Output::Ready(null()),
            }),
        }
    }

    fn catalogue_field(&mut self, index: Index, field: &'p Selected) -> Result<Output, Refusal> {
        match field.name.as_str() {
            "hits" => self.hits(index, field),
            "aggregations" => self.aggregations(index, field),
            "configs" => Ok(configs::configs(self.schema.side(index), field)),
            _ => Ok(Output::Ready(self.schema.side(index).mapping.clone())),
        }
    }

    fn has_valid_config(&mut self, field: &Selected) -> Result<Output, Refusal> {
        let catalogue = &self.schema.side(Index::Records).catalogue;
        let document_type = arguments::text(field, "documentType").unwrap_or_default();
        let index = arguments::text(field, "index").unwrap_or_default();
        if document_type.is_empty() {
            return Err("This endpoint requires a \"Document Type\"".into());
        }
        if index.is_empty() {
            return Err("This endpoint requires an \"Index\"".into());
        }
        if document_type != catalogue.document_type {
            return Err(format!("No index was found by the name/alias {index:?}").into());
        }
        Ok(Output::Ready(json_bytes(&(index == catalogue.index).into())))
    }
}

/// What is said where saved sets are asked for and there are none.
const SETS_ARE_OFF: &str = "saved sets are switched off for this catalogue; `enableSets` in base.json switches them on";

/// Returns a value as bytes of JSON.
fn json_bytes(value: &serde_json::Value) -> Ready {
    value.to_string().into_bytes().into()
}

/// Returns the members that stand for `__typename` and those that `compile` knows.
fn with_type_names<T>(
    selected: &[Selected],
    ready: impl Fn(Ready) -> T,
    mut compile: impl FnMut(&Selected) -> T,
) -> Vec<Member<T>> {
    let member = |field: &Selected| {
        let value = match field.name.as_str() {
            "__typename" => ready(name_bytes(&field.on)),
            _ => compile(field),
        };
        Member::new(&field.key, value)
    };
    selected.iter().map(member).collect()
}
