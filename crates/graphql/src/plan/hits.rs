//! `hits`: a page of records.

use cantata_engine::{Cursor, HitsRequest, SortKey};

use super::{PlanError, Planner, arguments, node, sort};
use crate::output::{ConnectionMember, HitsOutput, NodeOutput, Output, OutputMember, TargetIndex};
use crate::request::{DEFAULT_PAGE_SIZE, SelectedField};

/// The depth of pagination that every catalogue allows; one with a greater window allows that.
const MIN_PAGINATION_DEPTH: usize = 10_000;

impl<'p> Planner<'p> {
    pub(super) fn hits(&mut self, index: TargetIndex, field: &'p SelectedField) -> Result<Output, PlanError> {
        let schema = self.schema;
        let catalogue = &schema.index_schema(index).catalogue;
        let window = usize::try_from(catalogue.limits.max_results_window).unwrap_or(usize::MAX);
        let size = arguments::count(field, "first")?.unwrap_or(DEFAULT_PAGE_SIZE as usize).min(window);
        let offset = arguments::count(field, "offset")?.unwrap_or_default();
        let sort = sort::parse(field, catalogue)?;
        let after = match arguments::given(field, "searchAfter") {
            None => None,
            Some(_) if offset != 0 => {
                return Err(format!("offset: found {offset} together with searchAfter; expected 0").into());
            }
            Some(cursor) => Some(Cursor::parse(cursor, &sort, &catalogue.mapping).map_err(|error| error.to_string())?),
        };
        let max_depth = window.max(MIN_PAGINATION_DEPTH);
        if offset.saturating_add(size) > max_depth {
            return Err(format!(
                "offset: found {offset} with a page of {size}; expected their sum to be at most {max_depth}; use the \
                 `searchAfter` of the last edge to go on from there"
            )
            .into());
        }
        let document = &self.prepared.parsed;
        let context = node::NodeContext { catalogue, filters: &self.index_plan(index).filters };
        let connection = document.connection(&field.children, || {
            node::connection(context, &field.children, &catalogue.root, (0, usize::MAX), None)
        })?;
        let tracks_total = arguments::flag(field, "trackTotalHits", true);
        let shows_records = self.shows_records(index);
        let plan = self.index_plan(index);
        let wanted = plan.filters.validate(field.filter.as_ref())?;
        let filter = plan.add_filter(&wanted)?;
        let has = |is_wanted: fn(&ConnectionMember) -> bool| {
            connection.members.iter().filter_map(OutputMember::computed).any(is_wanted)
        };
        let has_edges = has(|member| matches!(member, ConnectionMember::Edges { .. }));
        let size = if has_edges && shows_records { size } else { 0 };
        // Without records on the page, nothing is known without counting.
        let tracks_total = tracks_total || size == 0;
        let needs_score = sort.iter().any(SortKey::is_score) || connection.nodes().any(NodeOutput::shows_score);
        let score = if needs_score && size > 0 { Some(plan.add_score(&wanted)?) } else { None };
        plan.plan.hits.push(HitsRequest {
            filter,
            size,
            offset,
            sort,
            after,
            total: tracks_total && has(|member| matches!(member, ConnectionMember::Total)),
            documents: shows_records && connection.nodes().any(NodeOutput::reads_document),
            score,
        });
        let page = plan.plan.hits.len() - 1;
        let offset = u64::try_from(offset).unwrap_or(u64::MAX);
        Ok(Output::Hits(Box::new(HitsOutput { index, page, offset, connection, path: self.path.clone() })))
    }
}
