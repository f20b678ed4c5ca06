//! How much work it is to check a value against a schema that refers to itself.
//!
//! References let a short schema unfold into an enormous one: each level of a value may be looked at twice by two
//! alternatives that both refer to the whole. The count here visits each pair of schema and value once, so it is
//! always cheap, while checking and above all explaining visit them as often as the schema says. Schemas that stay
//! small when their references are written out need no count.

use std::collections::HashMap;

use serde_json::Value;

use crate::Violation;
use crate::outline::Outline;
use crate::subschemas::{self, Applies};
use crate::wording::escape;

/// How often schemas may be applied to a small payload.
const MOST_STEPS: u64 = 200_000;

/// How often, on average, each pair of schema and value may be visited in a large payload.
const MOST_VISITS: u64 = 20;

/// How many schemas may be open within each other while one value is checked; each costs room on the stack.
const MOST_OPEN: usize = 800;

/// How many pairs of schema and value are remembered at most.
const MOST_KNOWN: usize = 2_000_000;

/// What has to be known of a schema to count.
#[derive(Debug)]
pub(crate) struct EffortLimit {
    document: Value,
    targets: HashMap<String, String>,
    names: Vec<String>,
}

impl EffortLimit {
    /// Makes the limit for the members of a payload with these names; all other members are the base schema's.
    pub(crate) fn new(document: Value, outline: Outline, names: Vec<String>) -> Self {
        Self { document, targets: outline.targets, names }
    }

    /// Returns why a payload is too much work, if it is.
    pub(crate) fn exceeded_by(&self, payload: &Value) -> Option<Violation> {
        let mut count = Count { limit: self, known: HashMap::new(), pairs: 0 };
        for name in &self.names {
            let (Some(schema), Some(value)) = (self.document["properties"].get(name), payload.get(name)) else {
                continue;
            };
            if count.cost(schema, value, 1).is_none() {
                return Some(Violation::at(
                    &format!("/{}", escape(name)),
                    "the references of the schema unfold too far for this value; use fewer alternatives or less depth",
                ));
            }
        }
        None
    }
}

struct Count<'a> {
    limit: &'a EffortLimit,
    /// The cost of each pair of schema and value, by their addresses.
    known: HashMap<(usize, usize), Cost>,
    /// How many pairs were counted.
    pairs: u64,
}

/// What checking one value against one schema costs.
#[derive(Clone, Copy)]
struct Cost {
    /// How often schemas are applied.
    steps: u64,
    /// How many schemas are open within each other.
    open: usize,
}

impl<'a> Count<'a> {
    /// Returns the cost, or nothing when it is too high.
    fn cost(&mut self, schema: &'a Value, value: &'a Value, open: usize) -> Option<Cost> {
        let key = (std::ptr::from_ref(schema).addr(), std::ptr::from_ref(value).addr());
        if let Some(cost) = self.known.get(&key) {
            return (open + cost.open <= MOST_OPEN).then_some(*cost);
        }
        if open > MOST_OPEN || self.known.len() >= MOST_KNOWN {
            return None;
        }
        self.pairs += 1;
        let mut parts = Vec::new();
        if let Value::Object(keywords) = schema {
            if let Some(target) = subschemas::reference(keywords).and_then(|text| self.limit.targets.get(text)) {
                parts.extend(self.limit.document.pointer(target).map(|target| (target, value)));
            }
            subschemas::for_each(keywords, |applies, _, subschema| match applies {
                Applies::Itself => parts.push((subschema, value)),
                Applies::Member(name) => parts.extend(value.get(name).map(|member| (subschema, member))),
                Applies::Item(index) => parts.extend(value.get(index).map(|item| (subschema, item))),
                Applies::AnyMember => parts.extend(members(value).map(|member| (subschema, member))),
                Applies::MemberName => parts.extend(members(value).map(|_| (subschema, &Value::Null))),
                Applies::AnyItem => parts.extend(value.as_array().into_iter().flatten().map(|item| (subschema, item))),
                Applies::Nothing => {}
            });
        }
        let mut total = Cost { steps: 1, open: 1 };
        if parts.is_empty() {
            return Some(total);
        }
        for (subschema, part) in parts {
            let cost = self.cost(subschema, part, open + 1)?;
            total.steps = total.steps.saturating_add(cost.steps);
            total.open = total.open.max(cost.open + 1);
            if total.steps > MOST_STEPS + MOST_VISITS * self.pairs {
                return None;
            }
        }
        self.known.insert(key, total);
        Some(total)
    }
}

fn members(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_object().into_iter().flat_map(|members| members.values())
}
