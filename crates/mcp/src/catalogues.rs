//! The catalogues as whoever calls a tool sees them.

use std::sync::Arc;

use cantata_access::Identity;
use cantata_search::{Catalogues, Found, SearchService, ServedCatalogue};

use crate::outcome::Mend;

/// Who asks, and the service that is asked.
pub(crate) struct Asking<'a> {
    pub(crate) search: Option<&'a Arc<SearchService>>,
    pub(crate) identity: &'a Identity,
}

impl<'a> Asking<'a> {
    /// Returns the search service.
    pub(crate) fn service(&self) -> Result<&'a SearchService, Mend> {
        let service = self.search.map(|search| &**search);
        service.ok_or_else(|| Mend("This server has no catalogues, so there is nothing to search.".to_owned()))
    }

    /// Returns the catalogues as they are now.
    pub(crate) fn catalogues(&self) -> Result<Arc<Catalogues>, Mend> {
        self.service().map(SearchService::catalogues)
    }

    /// Returns a catalogue that can be searched.
    pub(crate) fn catalogue(&self, id: &str) -> Result<Arc<ServedCatalogue>, Mend> {
        match self.catalogues()?.find(id, self.identity) {
            // Whether the engine is back is for the search itself to find out.
            Found::Served(served) | Found::Disturbed(served, _) => Ok(served),
            Found::Failed(failed) => Err(Mend(format!(
                "The catalogue {id:?} cannot be searched at present: {} Another question would not change that; \
                 list_catalogues shows which catalogues there are.",
                failed.error.message
            ))),
            Found::Ambiguous(body) => Err(Mend(format!(
                "{id:?} means several catalogues; call again with one of {}.",
                body.matching_catalogue_ids.join(", ")
            ))),
            Found::Unknown(_) => {
                Err(Mend(format!("There is no catalogue {id:?}; list_catalogues shows which there are.")))
            }
        }
    }
}
