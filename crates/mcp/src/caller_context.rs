//! The catalogues as the caller of a tool sees them.

use std::sync::Arc;

use cantata_access::Identity;
use cantata_search::{CatalogueLookup, Catalogues, SearchService, ServedCatalogue};
use http::Extensions;

use crate::server::McpServices;
use crate::tool_result::ToolError;

/// The search service, and the identity that calls it.
pub(crate) struct CallerContext<'a> {
    search: Option<&'a Arc<SearchService>>,
    identity: Arc<Identity>,
}

impl<'a> CallerContext<'a> {
    /// Takes the identity of a request's sender; anonymous where authentication left none.
    pub(crate) fn new(services: &'a McpServices, request: &Extensions) -> Self {
        let identity = request.get::<Arc<Identity>>().cloned();
        let identity = identity.unwrap_or_else(|| Arc::new(Identity::anonymous()));
        Self { search: services.search.as_ref(), identity }
    }

    /// Returns a snapshot of the catalogues.
    pub(crate) fn catalogues(&self) -> Result<Arc<Catalogues>, ToolError> {
        let none = || ToolError("This server has no catalogues, so there is nothing to search.".to_owned());
        self.search.map(|search| search.catalogues()).ok_or_else(none)
    }

    /// Returns a catalogue that can be searched.
    pub(crate) fn catalogue(&self, id: &str) -> Result<Arc<ServedCatalogue>, ToolError> {
        match self.catalogues()?.find(id, &self.identity) {
            // A search on a degraded catalogue may still succeed.
            CatalogueLookup::Available(served) | CatalogueLookup::Degraded(served, _) => Ok(served),
            CatalogueLookup::Failed(failed) => Err(ToolError(format!(
                "The catalogue {id:?} cannot be searched at present: {} Another question would not change that; \
                 list_catalogues shows which catalogues there are.",
                failed.error.message
            ))),
            CatalogueLookup::Ambiguous(body) => Err(ToolError(format!(
                "{id:?} means several catalogues; call again with one of {}.",
                body.matching_catalogue_ids.join(", ")
            ))),
            CatalogueLookup::Unknown(_) => {
                Err(ToolError(format!("There is no catalogue {id:?}; list_catalogues shows which there are.")))
            }
        }
    }
}
