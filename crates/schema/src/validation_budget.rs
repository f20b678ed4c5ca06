//! The validation budget: a bound on the work of validating a value against a schema that refers to itself.
//!
//! References let a short schema expand into an enormous one: each level of a value may be validated twice by two
//! alternatives that both refer to the whole. The estimate here visits each pair of schema and value once, so it is
//! always cheap, while validation, and error messages even more, visit them as often as the schema says. Schemas that
//! stay small with all references expanded need no budget.

use std::collections::HashMap;

use serde_json::Value;

use crate::SchemaViolation;
use crate::messages::escape;
use crate::schema_graph::SchemaGraph;
use crate::subschemas::{self, InstanceTarget};

/// How many times schemas may be applied to a small payload.
const BASE_STEPS: u64 = 200_000;

/// How many more times they may be applied for each pair of schema and value.
const STEPS_PER_PAIR: u64 = 20;

/// How many schemas may be nested during validation; each takes space on the stack.
const MAX_NESTED_SCHEMAS: usize = 800;

/// For how many pairs of schema and value the cost is kept.
const MAX_MEMOIZED_PAIRS: usize = 2_000_000;

/// A schema whose payloads have a validation budget.
#[derive(Debug)]
pub(crate) struct ValidationBudget {
    document: Value,
    targets: HashMap<String, String>,
    names: Vec<String>,
}

impl ValidationBudget {
    /// Makes the budget for the members of a payload with these names; all other members belong to the base schema.
    pub(crate) fn new(document: Value, graph: SchemaGraph, names: Vec<String>) -> Self {
        Self { document, targets: graph.targets, names }
    }

    /// Returns the violation of a payload that exceeds the budget.
    pub(crate) fn exceeded_by(&self, payload: &Value) -> Option<SchemaViolation> {
        let mut estimator = CostEstimator { budget: self, memo: HashMap::new(), pairs: 0 };
        for name in &self.names {
            let (Some(schema), Some(value)) = (self.document["properties"].get(name), payload.get(name)) else {
                continue;
            };
            if estimator.cost(schema, value, 1).is_none() {
                let text =
                    "the references of the schema unfold too far for this value; use fewer alternatives or less depth";
                return Some(SchemaViolation::at(&format!("/{}", escape(name)), text));
            }
        }
        None
    }
}

/// Estimates the cost of validating a value.
struct CostEstimator<'a> {
    budget: &'a ValidationBudget,
    /// The cost of each pair of schema and value, by their addresses.
    memo: HashMap<(usize, usize), ValidationCost>,
    /// How many pairs were visited.
    pairs: u64,
}

/// The cost of validating one value against one schema.
#[derive(Clone, Copy)]
struct ValidationCost {
    /// How many times schemas are applied.
    steps: u64,
    /// How many schemas are nested.
    depth: usize,
}

impl<'a> CostEstimator<'a> {
    /// Returns the cost, or nothing if it exceeds the budget.
    fn cost(&mut self, schema: &'a Value, value: &'a Value, depth: usize) -> Option<ValidationCost> {
        let key = (std::ptr::from_ref(schema).addr(), std::ptr::from_ref(value).addr());
        if let Some(cost) = self.memo.get(&key) {
            return (depth + cost.depth <= MAX_NESTED_SCHEMAS).then_some(*cost);
        }
        if depth > MAX_NESTED_SCHEMAS || self.memo.len() >= MAX_MEMOIZED_PAIRS {
            return None;
        }
        self.pairs += 1;
        let mut parts = Vec::new();
        if let Value::Object(keywords) = schema {
            if let Some(target) = subschemas::reference(keywords).and_then(|text| self.budget.targets.get(text)) {
                parts.extend(self.budget.document.pointer(target).map(|target| (target, value)));
            }
            subschemas::for_each(keywords, |applies, _, subschema| match applies {
                InstanceTarget::Itself => parts.push((subschema, value)),
                InstanceTarget::Member(name) => parts.extend(value.get(name).map(|member| (subschema, member))),
                InstanceTarget::Item(index) => parts.extend(value.get(index).map(|item| (subschema, item))),
                InstanceTarget::AnyMember => parts.extend(members(value).map(|member| (subschema, member))),
                InstanceTarget::MemberName => parts.extend(members(value).map(|_| (subschema, &Value::Null))),
                InstanceTarget::AnyItem => {
                    parts.extend(value.as_array().into_iter().flatten().map(|item| (subschema, item)))
                }
                InstanceTarget::Nothing => {}
            });
        }
        let mut total = ValidationCost { steps: 1, depth: 1 };
        if parts.is_empty() {
            return Some(total);
        }
        for (subschema, part) in parts {
            let cost = self.cost(subschema, part, depth + 1)?;
            total.steps = total.steps.saturating_add(cost.steps);
            total.depth = total.depth.max(cost.depth + 1);
            if total.steps > BASE_STEPS + STEPS_PER_PAIR * self.pairs {
                return None;
            }
        }
        self.memo.insert(key, total);
        Some(total)
    }
}

fn members(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_object().into_iter().flat_map(|members| members.values())
}
