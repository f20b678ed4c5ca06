//! `hits`: a page of records.

use cantata_engine::{Cursor, HitsRequest};

use super::{Planner, Refusal, arguments, sort};
use crate::output::{Connection, ConnectionMember, EdgeMember, HitsOutput, Index, Output};
use crate::request::{PAGE_SIZE, Selected};

/// How deep pages may begin at the least; catalogues with a greater window allow that.
const DEEPEST: usize = 10_000;

impl<'p> Planner<'p> {
    pub(super) fn hits(&mut self, index: Index, field: &'p Selected) -> Result<Output, Refusal> {
        let catalogue = &self.schema.side(index).catalogue;
        let window = usize::try_from(catalogue.limits.max_results_window).unwrap_or(usize::MAX);
        let size = arguments::count(field, "first")?.unwrap_or(PAGE_SIZE as usize).min(window);
        let offset = arguments::count(field, "offset")?.unwrap_or_default();
        let sort = sort::sort(field, catalogue)?;
        let after = match arguments::given(field, "searchAfter") {
            None => None,
            Some(_) if offset != 0 => {
                return Err(format!("offset: found {offset} together with searchAfter; expected 0").into());
            }
            Some(cursor) => Some(Cursor::parse(cursor, &sort, &catalogue.mapping)?),
        };
        let deepest = window.max(DEEPEST);
        if offset.saturating_add(size) > deepest {
            return Err(format!(
                "offset: found {offset} with a page of {size}; expected their sum to be at most {deepest}; use the \
                 `searchAfter` of the last edge to go on from there"
            )
            .into());
        }
        let connection = self.connection(field, catalogue)?;
        let tracks_total = arguments::flag(field, "trackTotalHits", true);
        let shows_records = self.shows_records(index);
        let part = self.part(index);
        let checked = part.filters.check(field.filter.as_ref())?;
        let filter = part.records(&checked)?;
        let has_edges = connection.members.iter().any(|member| matches!(member.value, ConnectionMember::Edges { .. }));
        part.plan.hits.push(HitsRequest {
            filter,
            size: if has_edges && shows_records { size } else { 0 },
            offset,
            sort,
            after,
            total: tracks_total
                && connection.members.iter().any(|member| matches!(member.value, ConnectionMember::Total)),
            documents: shows_records && needs_documents(&connection),
        });
        let place = part.plan.hits.len() - 1;
        let offset = u64::try_from(offset).unwrap_or(u64::MAX);
        Ok(Output::Hits(HitsOutput { index, place, offset, connection, path: self.path.clone() }))
    }
}

fn needs_documents(connection: &Connection) -> bool {
    connection.members.iter().any(|member| match &member.value {
        ConnectionMember::Edges { members, .. } => members.iter().any(|member| match &member.value {
            EdgeMember::Node(node) => node.reads_document(),
            EdgeMember::Ready(_) | EdgeMember::SearchAfter => false,
        }),
        ConnectionMember::Ready(_) | ConnectionMember::Total => false,
    })
}
