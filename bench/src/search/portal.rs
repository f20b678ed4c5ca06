//! What a portal asks for when it shows a page: rows of the table, and the facets beside it.

use serde_json::{Value, json};

use super::arrays::{Arrays, FACETS};
use super::bare_page::{Counts, Page};
use super::filters::Filter;
use super::graphql::{Order, request};
use crate::Outcome;

/// How many rows a page has.
pub(super) const ROWS: usize = 20;

/// How many different orders and offsets there are.
pub(super) const VARIANTS: usize = 20;

/// What the table shows of a row.
const NODE: &str = "id file_id object_id file_name file_type data_type size file_access study_id \
                    donors { hits { edges { node { donor_id primary_site } } } } \
                    analysis { first_published_at experiment { strategy } } \
                    repositories { hits { edges { node { country } } } }";

/// Returns the query for rows without facets.
pub(super) fn rows_query() -> String {
    format!(
        "query ($filters: JSON, $sort: [Sort], $first: Int, $searchAfter: JSON) {{ file {{ \
         hits(filters: $filters, sort: $sort, first: $first, searchAfter: $searchAfter) \
         {{ total edges {{ searchAfter node {{ {NODE} }} }} }} }} }}"
    )
}

/// Returns the order of a variant, and how many rows are before its page.
pub(super) fn variant(number: usize) -> (Order, usize) {
    let number = number % VARIANTS;
    (Order::of_variant(number), number / 4 * ROWS)
}

/// Returns the request for a page that nobody has asked for, unless it is one of all records.
pub(super) fn fresh_page_request(filter: &Filter, order: Order, offset: usize) -> Vec<u8> {
    page_request(&fresh(filter), order, offset)
}

fn fresh(filter: &Filter) -> Value {
    if filter.clauses.is_empty() { filter.to_sqon() } else { filter.never_sent() }
}

/// Returns the request for a page: rows and all facets, own filters excluded.
pub(super) fn page_request(filters: &Value, order: Order, offset: usize) -> Vec<u8> {
    let facets: Vec<String> = (0..FACETS.len()).map(facet_selection).collect();
    let query = format!(
        "query ($filters: JSON, $sort: [Sort], $first: Int, $offset: Int) {{ file {{ \
         hits(filters: $filters, sort: $sort, first: $first, offset: $offset) \
         {{ total edges {{ searchAfter node {{ {NODE} }} }} }} {} }} }}",
        aggregations(&facets.join(" "))
    );
    request(&query, &json!({ "filters": filters, "sort": order.to_json(), "first": ROWS, "offset": offset }))
}

/// Returns the request for one facet alone that nobody has asked for, unless it is one over all records.
pub(super) fn fresh_facet_request(filter: &Filter, facet: usize) -> Vec<u8> {
    let query = format!("query ($filters: JSON) {{ file {{ {} }} }}", aggregations(&facet_selection(facet)));
    request(&query, &json!({ "filters": fresh(filter) }))
}

fn aggregations(facets: &str) -> String {
    format!(
        "aggregations(filters: $filters, include_missing: true, aggregations_filter_themselves: false) {{ {facets} }}"
    )
}

fn facet_selection(facet: usize) -> String {
    format!("{} {{ bucket_count buckets {{ doc_count key }} }}", graphql_name(facet))
}

fn graphql_name(facet: usize) -> String {
    FACETS[facet].path.replace('.', "__")
}

/// Fails if an answer differs from what the bare arrays say.
pub(super) fn check_page(answer: &Value, page: &Page, arrays: &Arrays) -> Outcome<()> {
    if answer["hits"]["total"] != json!(page.total) {
        return Err(format!("the server found {} records, the arrays {}", answer["hits"]["total"], page.total).into());
    }
    let edges = answer["hits"]["edges"].as_array().map(Vec::as_slice).unwrap_or_default();
    let found: Vec<&str> = edges.iter().filter_map(|edge| edge["node"]["id"].as_str()).collect();
    let expected: Vec<String> = page.hits.iter().map(|id| id.hyphenated().to_string()).collect();
    if found != expected {
        return Err(format!("the server found the rows {found:?}, the arrays {expected:?}").into());
    }
    for (facet, counts) in page.facets.iter().enumerate() {
        check_facet(answer, facet, counts, arrays)?;
    }
    Ok(())
}

/// Fails if the counts of a facet differ from those of the bare arrays.
pub(super) fn check_facet(answer: &Value, facet: usize, counts: &Counts, arrays: &Arrays) -> Outcome<()> {
    let answer = &answer["aggregations"][graphql_name(facet)];
    let buckets = answer["buckets"].as_array().map(Vec::as_slice).unwrap_or_default();
    let count = |bucket: &Value| {
        let key = bucket["key"].as_str().unwrap_or_default().to_owned();
        (key, bucket["doc_count"].as_u64().unwrap_or_default())
    };
    let mut found: Vec<(String, u64)> = buckets.iter().map(count).collect();
    found.sort_unstable();
    let mut expected = arrays.named(facet, counts);
    expected.sort_unstable();
    if found != expected {
        let path = FACETS[facet].path;
        return Err(format!("the server counted {found:?} in {path}, the arrays {expected:?}").into());
    }
    if answer["bucket_count"] != json!(expected.len()) {
        return Err(
            format!("the server found {} buckets, the arrays {}", answer["bucket_count"], expected.len()).into()
        );
    }
    Ok(())
}
