//! The one request that a node gets for a question: its hits, and the facets that it has.
//!
//! A node leaves the conditions on a facet's own field out of its facet unless `aggregations_filter_themselves` is
//! true. That is right for the client's conditions, but the conditions of access rules must hold everywhere. Facets on
//! fields that the rules test are therefore asked apart: with the client's conditions on the field taken out here, and
//! everything else in force.
//!
//! Only names that were validated become part of the text of the request; all values are variables.

use std::fmt::Write;

use cantata_catalogue::AggregationKind;
use cantata_graphql::{GraphqlRequest, NamedRange, NetworkFacet, NetworkQuestion};
use cantata_sqon::{GroupOp, Sqon};
use serde_json::{Map, Value, json};

use crate::names::NameTranslation;

/// A field of a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NodeField {
    /// The flat name in the network.
    pub(crate) network: String,
    /// The flat name at the node.
    pub(crate) node: String,
    pub(crate) kind: AggregationKind,
    /// What it offers there.
    pub(crate) members: FieldMembers,
}

/// What the fields of a node offer. Of numbers and dates Arranger has no buckets of values, some of its versions no
/// ranges, and bounds of ranges are integers of 32 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FieldMembers {
    /// Whether buckets have the texts of their keys.
    pub(crate) key_texts: bool,
    /// Whether numbers and dates have buckets of values.
    pub(crate) buckets: bool,
    pub(crate) histogram: bool,
    pub(crate) range: bool,
    /// Whether the bounds of ranges can be any numbers.
    pub(crate) any_bounds: bool,
}

impl FieldMembers {
    /// What Cantata offers.
    pub(crate) const ALL: Self =
        Self { key_texts: true, buckets: true, histogram: true, range: true, any_bounds: true };

    fn can_count(self, ranges: &[NamedRange]) -> bool {
        let is_integer = |bound: f64| bound.fract() == 0.0 && bound.abs() <= f64::from(i32::MAX);
        let mut bounds = ranges.iter().flat_map(|range| [range.from, range.to]).flatten();
        self.range && (self.any_bounds || bounds.all(is_integer))
    }
}

/// What a node is asked, and where in its answer each facet is.
#[derive(Debug, PartialEq)]
pub(crate) struct NodeQuery {
    pub(crate) request: GraphqlRequest,
    /// The facets that the node has.
    pub(crate) facets: Vec<ExpectedFacet>,
    /// The flat names in the network of the fields that it lacks.
    pub(crate) missing_fields: Vec<String>,
}

/// A facet in the answer of a node.
#[derive(Debug, PartialEq)]
pub(crate) struct ExpectedFacet {
    /// The position in the question.
    pub(crate) facet: usize,
    /// The key of the aggregations that it is part of.
    pub(crate) group: String,
    /// The flat name at the node.
    pub(crate) field: String,
    /// Whether its values can be counted.
    pub(crate) has_buckets: bool,
    /// Whether statistics, histograms and ranges are shown, if the question has them.
    pub(crate) has_numbers: bool,
}

/// What is asked of all nodes alike.
#[derive(Debug, Clone, Copy)]
pub(crate) struct QueryOptions<'q> {
    pub(crate) question: &'q NetworkQuestion,
    /// Whether only counts of values are shown.
    pub(crate) counts_only: bool,
}

/// Builds the request for a node.
///
/// `rules` are the conditions of access rules that the node must apply; a catalogue applies its own by itself.
pub(crate) fn node_query(
    options: QueryOptions<'_>,
    rules: Option<&Sqon>,
    document_type: &str,
    fields: &[NodeField],
    names: &NameTranslation,
) -> NodeQuery {
    let question = options.question;
    let filters_themselves = question.filters_themselves == Some(true);
    let mut writer = QueryWriter { options, declared: String::from("$filters: JSON"), variables: Map::new() };
    writer.set_filter("filters", names, combine(question.filter.clone(), rules));
    let (mut common, mut apart) = (String::new(), String::new());
    let (mut facets, mut missing_fields) = (Vec::new(), Vec::new());
    for (index, facet) in question.facets.iter().enumerate() {
        let Some(field) = fields.iter().find(|field| field.network == facet.field) else {
            missing_fields.push(facet.field.clone());
            continue;
        };
        let is_ruled = !filters_themselves && rules.is_some_and(|rules| tests(rules, &facet.field));
        let group = if is_ruled { format!("facet_{index}") } else { "aggregations".to_owned() };
        if is_ruled {
            let own = dotted(&facet.field);
            let rest = question.filter.as_ref().and_then(|filter| without(filter, &own, &facet.field));
            let variable = format!("filters_{index}");
            writer.declare(&variable, "JSON");
            writer.set_filter(&variable, names, combine(rest, rules));
            let arguments = writer.arguments(&variable, true);
            push(&mut apart, format_args!(" {group}: aggregations({arguments}) {{"));
            writer.facet(&mut apart, index, facet, field);
            apart.push_str(" }");
        } else {
            writer.facet(&mut common, index, facet, field);
        }
        facets.push(ExpectedFacet {
            facet: index,
            group,
            field: field.node.clone(),
            has_buckets: has_buckets(field),
            has_numbers: writer.asks_numbers(field),
        });
    }
    if !common.is_empty() {
        let arguments = writer.arguments("filters", filters_themselves);
        common = format!(" aggregations({arguments}) {{{common} }}");
    }
    let QueryWriter { declared, variables, .. } = writer;
    let query = format!(
        "query nodeQuery({declared}) {{ {document_type} {{ hits(filters: $filters) {{ total }}{common}{apart} }} }}"
    );
    let request = GraphqlRequest { query, variables: Some(variables), operation_name: None };
    NodeQuery { request, facets, missing_fields }
}

/// Returns the key in the answer of a node of one of several aggregations of a kind.
pub(crate) fn answer_key(kind: &str, index: usize) -> String {
    if index == 0 { kind.to_owned() } else { format!("{kind}_{index}") }
}

struct QueryWriter<'q> {
    options: QueryOptions<'q>,
    declared: String,
    variables: Map<String, Value>,
}

impl QueryWriter<'_> {
    fn declare(&mut self, variable: &str, kind: &str) {
        let declaration = format!("${variable}: {kind}");
        if !self.declared.split(", ").any(|known| known == declaration) {
            push(&mut self.declared, format_args!(", {declaration}"));
        }
    }

    /// Sets a filter; a variable without a value is no filter.
    fn set_filter(&mut self, variable: &str, names: &NameTranslation, filter: Option<Sqon>) {
        if let Some(filter) = filter {
            self.variables.insert(variable.to_owned(), names.filter_for_node(filter).to_json());
        }
    }

    /// Returns the arguments of aggregations.
    fn arguments(&mut self, filter: &str, filters_themselves: bool) -> String {
        let mut arguments = format!("filters: ${filter}");
        if filters_themselves {
            arguments.push_str(", aggregations_filter_themselves: true");
        } else if let Some(given) = self.options.question.filters_themselves {
            self.declare("aggregations_filter_themselves", "Boolean");
            self.variables.insert("aggregations_filter_themselves".to_owned(), given.into());
            arguments.push_str(", aggregations_filter_themselves: $aggregations_filter_themselves");
        }
        if let Some(given) = self.options.question.includes_missing {
            self.declare("include_missing", "Boolean");
            self.variables.insert("include_missing".to_owned(), given.into());
            arguments.push_str(", include_missing: $include_missing");
        }
        arguments
    }

    fn asks_numbers(&self, field: &NodeField) -> bool {
        field.kind == AggregationKind::Numeric && !self.options.counts_only
    }

    /// Writes the selection of a facet.
    fn facet(&mut self, out: &mut String, index: usize, facet: &NetworkFacet, field: &NodeField) {
        push(out, format_args!(" {} {{", field.node));
        let start = out.len();
        if facet.buckets && has_buckets(field) {
            let has_texts = facet.key_texts && field.members.key_texts;
            out.push_str(if has_texts { " buckets { key key_as_string" } else { " buckets { key" });
            out.push_str(" doc_count }");
        }
        if self.asks_numbers(field) {
            if facet.stats {
                out.push_str(" stats { min max sum count }");
            }
            let histograms = facet.histograms.iter().enumerate().filter(|_| field.members.histogram);
            for (number, interval) in histograms {
                let variable = format!("interval_{index}_{number}");
                self.declare(&variable, "Float");
                self.variables.insert(variable.clone(), json!(interval));
                let alias = alias("histogram", number);
                push(out, format_args!(" {alias}histogram(interval: ${variable}) {{ buckets {{ key doc_count }} }}"));
            }
            let lists = facet.ranges.iter().enumerate().filter(|(_, ranges)| field.members.can_count(ranges));
            for (number, ranges) in lists {
                let variable = format!("ranges_{index}_{number}");
                self.declare(&variable, "[RangesArg]");
                let ranges = ranges.iter().map(|range| {
                    let bounds = [("from", range.from), ("to", range.to)];
                    let mut object = Map::new();
                    object.insert("key".to_owned(), range.key.clone().into());
                    for (name, bound) in bounds {
                        if let Some(bound) = bound {
                            object.insert(name.to_owned(), number_json(bound));
                        }
                    }
                    Value::Object(object)
                });
                self.variables.insert(variable.clone(), ranges.collect());
                let alias = alias("range", number);
                push(out, format_args!(" {alias}range(ranges: ${variable}) {{ buckets {{ key doc_count }} }}"));
            }
        }
        // A selection cannot be empty. The number of values would be a count of all of them.
        if out.len() == start {
            out.push_str(" __typename");
        }
        out.push_str(" }");
    }
}

/// Returns whether the values of a field can be counted at the node.
fn has_buckets(field: &NodeField) -> bool {
    field.kind == AggregationKind::Plain || field.members.buckets
}

fn alias(kind: &str, number: usize) -> String {
    if number == 0 { String::new() } else { format!("{}: ", answer_key(kind, number)) }
}

/// Returns a number as JSON; whole ones without a point, since bounds are integers at some nodes.
pub(crate) fn number_json(number: f64) -> Value {
    const MAX_EXACT: f64 = 9_007_199_254_740_992.0;
    if number.fract() == 0.0 && number.abs() <= MAX_EXACT { json!(number as i64) } else { json!(number) }
}

/// Returns the conjunction of the client's filter and the rules.
fn combine(filter: Option<Sqon>, rules: Option<&Sqon>) -> Option<Sqon> {
    match (filter, rules) {
        (filter, None) => filter,
        (None, Some(rules)) => Some(rules.clone()),
        (Some(filter), Some(rules)) => {
            Some(Sqon::Group { op: GroupOp::And, content: vec![rules.clone(), filter], pivot: None })
        }
    }
}

/// Returns whether a filter tests a field, under its dotted or its flat name.
fn tests(filter: &Sqon, flat: &str) -> bool {
    filter.fields_used().into_iter().any(|name| name == flat || dotted(name) == dotted(flat))
}

/// Returns a filter without the conditions on a field, under either name.
fn without(filter: &Sqon, dotted: &str, flat: &str) -> Option<Sqon> {
    filter.without_field(dotted).and_then(|filter| filter.without_field(flat))
}

fn dotted(name: &str) -> String {
    name.replace("__", ".")
}

fn push(out: &mut String, text: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    out.write_fmt(text).ok();
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(facets: &[&str], filter: &Value) -> NetworkQuestion {
        NetworkQuestion {
            filter: Sqon::parse(filter).unwrap(),
            visible: None,
            has_plain_filter: true,
            suppression_threshold: None,
            filters_themselves: None,
            includes_missing: None,
            max_age: None,
            nodes: None,
            facets: facets
                .iter()
                .map(|field| NetworkFacet { field: (*field).to_owned(), buckets: true, ..NetworkFacet::default() })
                .collect(),
            by_node: false,
        }
    }

    fn fields() -> [NodeField; 2] {
        ["study", "size"].map(|name| NodeField {
            network: name.to_owned(),
            node: name.to_owned(),
            kind: if name == "size" { AggregationKind::Numeric } else { AggregationKind::Plain },
            members: FieldMembers::ALL,
        })
    }

    fn leaf(field: &str, value: &str) -> Value {
        json!({"op": "in", "content": {"fieldName": field, "value": [value]}})
    }

    #[test]
    fn a_node_is_asked_for_what_it_has() {
        let question = question(&["study", "gender"], &Value::Null);
        let options = QueryOptions { question: &question, counts_only: false };
        let query = node_query(options, None, "file", &fields(), &NameTranslation::default());
        assert_eq!(
            query.request.query,
            "query nodeQuery($filters: JSON) { file { hits(filters: $filters) { total } aggregations(filters: \
             $filters) { study { buckets { key doc_count } } } } }"
        );
        assert_eq!(query.missing_fields, ["gender"]);
    }

    #[test]
    fn rules_hold_for_facets_on_their_own_fields() {
        let question = question(&["study"], &leaf("study", "B"));
        let options = QueryOptions { question: &question, counts_only: false };
        let rules = Sqon::parse(&leaf("study", "A")).unwrap().unwrap();
        let query = node_query(options, Some(&rules), "file", &fields(), &NameTranslation::default());
        let variables = query.request.variables.unwrap();
        assert!(query.request.query.contains("filters: $filters_0, aggregations_filter_themselves: true"));
        assert_eq!(variables["filters_0"], leaf("study", "A"));
        assert_eq!(variables["filters"], json!({"op": "and", "content": [leaf("study", "A"), leaf("study", "B")]}));
    }

    #[test]
    fn arranger_is_asked_for_what_its_numbers_have() {
        let range = |to: f64| vec![NamedRange { key: "k".to_owned(), from: None, to: Some(to) }];
        let mut question = question(&["study", "size"], &Value::Null);
        question.facets[1].histograms = vec![5.0];
        question.facets[1].ranges = vec![range(10.0), range(0.5), range(1e12)];
        let mut fields = fields();
        let members =
            FieldMembers { key_texts: false, buckets: false, histogram: true, range: true, any_bounds: false };
        fields.iter_mut().for_each(|field| field.members = members);
        question.facets[0].key_texts = true;
        let options = QueryOptions { question: &question, counts_only: false };
        let query = node_query(options, None, "file", &fields, &NameTranslation::default());
        let text = query.request.query;
        assert!(text.contains("study { buckets { key doc_count } }"), "{text}");
        assert!(text.contains("size { histogram(interval: $interval_1_0)"), "{text}");
        assert!(text.contains("range(ranges: $ranges_1_0)") && !text.contains("range_1:"), "{text}");
        assert_eq!(query.facets.iter().map(|facet| facet.has_buckets).collect::<Vec<_>>(), [true, false]);
    }

    #[test]
    fn numbers_are_asked_only_where_they_are_shown() {
        let mut question = question(&["size"], &Value::Null);
        question.facets[0].stats = true;
        question.facets[0].histograms = vec![5.0, 10.0];
        for (counts_only, is_asked) in [(false, true), (true, false)] {
            let options = QueryOptions { question: &question, counts_only };
            let text = node_query(options, None, "file", &fields(), &NameTranslation::default()).request.query;
            assert_eq!(text.contains("stats { min max sum count }"), is_asked, "{text}");
            assert_eq!(text.contains(" histogram_1: histogram(interval: $interval_0_1)"), is_asked, "{text}");
        }
    }
}
