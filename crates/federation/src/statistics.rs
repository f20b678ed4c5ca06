//! The statistics of all records of a remote node, which the discovery reads with its fields.
//!
//! A page with histograms needs to know between which values the numbers and dates of all nodes lie before it can ask
//! for their counts. A question that accepts an answer of some age gets it from here, so that the page itself is the
//! only request to the node.
//!
//! What is kept is what the node answers to this server itself. It is therefore used only where the node would get
//! neither a header of the client nor a filter.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use cantata_catalogue::AggregationKind;
use cantata_graphql::{GraphqlRequest, NetworkFacet, NetworkQuestion};
use serde_json_borrow::Value as JsonValue;

use crate::node_answer::{FacetAnswer, NodeAnswer, NodeStats, count, member_of, stats};
use crate::node_query::NodeField;
use crate::remote_call::RemoteClient;

/// How many fields of a node are asked for; statistics of the others are asked when they are needed.
const MAX_FIELDS: usize = 100;

/// The statistics of all records of a node.
#[derive(Debug)]
pub(crate) struct NodeStatistics {
    read_at: Instant,
    hits: u64,
    /// By the flat name in the network.
    fields: HashMap<String, NodeStats>,
}

impl NodeStatistics {
    /// Asks a node; `None` if it does not tell, or has no numbers and dates.
    pub(crate) async fn read(
        client: &RemoteClient,
        document_type: &str,
        fields: &[NodeField],
        deadline: Duration,
    ) -> Option<Self> {
        let numeric = fields.iter().filter(|field| field.kind == AggregationKind::Numeric);
        let asked: Vec<&NodeField> = numeric.take(MAX_FIELDS).collect();
        if asked.is_empty() {
            return None;
        }
        let selected = asked.iter().map(|field| format!("{} {{ stats {{ min max sum count }} }}", field.node));
        let selected = selected.collect::<Vec<String>>().join(" ");
        let query =
            format!("query nodeStatistics {{ {document_type} {{ hits {{ total }} aggregations {{ {selected} }} }} }}");
        let request = GraphqlRequest { query, variables: None, operation_name: None };
        let read_at = Instant::now();
        let response = client.post(&request, &[], deadline).await.ok()?;
        // A threshold that the fields did not come with; it holds for the whole network.
        if response.suppressed_below.is_some() {
            return None;
        }
        let body: JsonValue<'_> = serde_json::from_slice(&response.body).ok()?;
        Self::parse(member_of(body.get("data"), document_type), &asked, read_at)
    }

    fn parse(records: &JsonValue<'_>, asked: &[&NodeField], read_at: Instant) -> Option<Self> {
        let hits = count(records.get("hits").get("total")).ok()?;
        let mut fields = HashMap::with_capacity(asked.len());
        for field in asked {
            let found = stats(member_of(records.get("aggregations"), &field.node).get("stats")).ok()?;
            fields.extend(found.map(|found| (field.network.clone(), found)));
        }
        Some(Self { read_at, hits, fields })
    }

    /// Returns the answer of the node with these fields; `None` if the question asks for anything else than statistics
    /// of all records, or for younger ones.
    pub(crate) fn answer(&self, question: &NetworkQuestion, fields: &[NodeField]) -> Option<NodeAnswer> {
        let is_young = question.max_age.is_some_and(|max_age| self.read_at.elapsed() <= max_age);
        let is_of_all = question.filter.is_none() && question.visible.is_none();
        if !is_young || !is_of_all || question.facets.is_empty() || !question.facets.iter().all(is_statistics) {
            return None;
        }
        let mut answer = NodeAnswer { hits: self.hits, facets: Vec::new(), missing_fields: Vec::new() };
        for facet in &question.facets {
            let is_there = fields.iter().any(|field| field.network == facet.field);
            let known = self.fields.get(&facet.field).copied().filter(|_| is_there);
            if known.is_none() {
                if is_there {
                    return None;
                }
                answer.missing_fields.push(facet.field.clone());
            }
            let facet = known.map(|stats| FacetAnswer {
                buckets: Some(Vec::new()),
                stats: Some(stats),
                ..FacetAnswer::default()
            });
            answer.facets.push(facet);
        }
        Some(answer)
    }
}

/// Returns whether nothing but statistics is asked of a field.
fn is_statistics(facet: &NetworkFacet) -> bool {
    facet.stats && !facet.buckets && facet.histograms.is_empty() && facet.ranges.is_empty()
}

#[cfg(test)]
mod tests {
    use cantata_sqon::Sqon;
    use serde_json::json;

    use super::*;
    use crate::node_query::FieldMembers;

    #[test]
    fn only_a_question_for_statistics_of_all_records_is_answered() {
        let field = |name: &str| NodeField {
            network: name.to_owned(),
            node: format!("node_{name}"),
            kind: AggregationKind::Numeric,
            members: FieldMembers::ALL,
        };
        let fields = [field("size"), field("age"), field("later")];
        let stats = json!({"min": 1, "max": 4, "sum": 9, "count": 3});
        let aggregations = json!({"node_size": {"stats": stats}, "node_age": {"stats": null}});
        let records = json!({"hits": {"total": 3}, "aggregations": aggregations}).to_string();
        let records: JsonValue<'_> = serde_json::from_str(&records).unwrap();
        let known = NodeStatistics::parse(&records, &[&fields[0], &fields[1]], Instant::now()).unwrap();
        let ask = |names: &[&str]| {
            let facet =
                |name: &&str| NetworkFacet { field: (*name).to_owned(), stats: true, ..NetworkFacet::default() };
            let facets = names.iter().map(facet).collect();
            NetworkQuestion { max_age: Some(Duration::from_secs(3600)), facets, ..NetworkQuestion::default() }
        };
        let answer = known.answer(&ask(&["elsewhere", "size"]), &fields).unwrap();
        assert_eq!((answer.hits, answer.missing_fields), (3, vec!["elsewhere".to_owned()]));
        let found = answer.facets.into_iter().flatten().filter_map(|facet| facet.stats).collect::<Vec<_>>();
        assert_eq!(found, [NodeStats { count: 3, sum: 9.0, extent: Some((1.0, 4.0)) }]);
        let without_size = known.answer(&ask(&["size"]), &fields[1..]).unwrap();
        assert_eq!((without_size.facets, without_size.missing_fields), (vec![None], vec!["size".to_owned()]));
        for names in [&["age"][..], &["later"], &[]] {
            assert_eq!(known.answer(&ask(names), &fields), None, "{names:?}");
        }
        let size = || ask(&["size"]);
        let filter = || Sqon::parse(&json!({"op": "gt", "content": {"fieldName": "size", "value": [1]}})).unwrap();
        let mut with_buckets = size();
        with_buckets.facets[0].buckets = true;
        for question in [
            NetworkQuestion { max_age: None, ..size() },
            NetworkQuestion { filter: filter(), ..size() },
            NetworkQuestion { visible: filter(), ..size() },
            with_buckets,
        ] {
            assert_eq!(known.answer(&question, &fields), None, "{question:?}");
        }
        let lie: JsonValue<'_> = serde_json::from_str(r#"{"hits": {"total": -1}, "aggregations": {}}"#).unwrap();
        assert!(NodeStatistics::parse(&lie, &[], Instant::now()).is_none());
    }
}
