//! Starts indexing of the catalogues that are served.

use std::path::Path;
use std::sync::Arc;

use cantata_catalogue::SourceOrigin;
use cantata_indexing::{AnalysisSource, IndexedCatalogue, Indexing, IndexingContext, StoreSource};
use cantata_search::SearchService;
use cantata_song_source::song_source;
use cantata_store::Store;
use uuid::Uuid;

use crate::data_dir::INDEXING_FOLDER;

/// Starts indexing of the catalogues that are served at any time.
pub(super) fn start_indexing(data_dir: &Path, store: &Arc<dyn Store>, search: &Arc<SearchService>) -> Indexing {
    let search = Arc::clone(search);
    let own: Arc<dyn AnalysisSource> = Arc::new(StoreSource::new(Arc::clone(store)));
    Indexing::start(IndexingContext {
        folder: data_dir.join(INDEXING_FOLDER),
        store: Arc::clone(store),
        holder: Uuid::new_v4().to_string(),
        open_source: Box::new(move |config| match &config.origin {
            SourceOrigin::Local => Ok(Arc::clone(&own)),
            SourceOrigin::Song(origin) => Ok(song_source(origin, config)?),
        }),
        catalogues: Box::new(move || {
            let catalogues = search.catalogues();
            catalogues.configured().filter_map(|(config, engine)| IndexedCatalogue::of(config, engine)).collect()
        }),
    })
}
