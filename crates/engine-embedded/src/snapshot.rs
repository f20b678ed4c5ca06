//! A snapshot: a consistent, immutable view of an index for readers.
//!
//! Readers take the current snapshot and work on it for as long as they like; a writer publishes the next one. What is
//! derived from a snapshot, global ordinals and cached results, is dropped with it and so never outlives its state.

mod global_ordinals;
mod query_cache;

pub(crate) use global_ordinals::GlobalOrdinals;
pub use query_cache::set_query_cache_bytes;
pub(crate) use query_cache::{BudgetShare, HitsPage, QueryCache, filter_bytes, query_cache_bytes, reserve_cache_bytes};

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use cantata_engine::{Document, EngineError, Filter};
use cantata_mapping::IndexMapping;

use crate::segment::{HashedId, load_documents};
use crate::segment_reader::SegmentReader;

/// The number of filters for which field lengths are kept: there are few different rules of who sees what.
const MAX_LENGTH_FILTERS: usize = 64;

/// Where a document is in a snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct DocAddress {
    /// The segment, by its position in [`Snapshot::segments`].
    pub(crate) segment: usize,
    pub(crate) row: usize,
}

/// The lengths of a text or keyword field: how many rows have a value, and how many bytes these values have.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct FieldLengths {
    pub(crate) rows: u64,
    pub(crate) bytes: u64,
}

/// An index at one moment.
pub(crate) struct Snapshot {
    pub(crate) mapping: Arc<IndexMapping>,
    pub(crate) segments: Vec<SegmentReader>,
    /// By field, computed when first needed, and kept if there is room for them.
    global_ordinals: Mutex<HashMap<String, (Arc<GlobalOrdinals>, BudgetShare)>>,
    /// By the filter over the documents and by field, computed when first needed.
    field_lengths: Mutex<HashMap<Filter, HashMap<String, FieldLengths>>>,
    pub(crate) query_cache: QueryCache,
}

impl Snapshot {
    pub(crate) fn new(mapping: Arc<IndexMapping>, segments: Vec<SegmentReader>) -> Self {
        Self {
            mapping,
            segments,
            global_ordinals: Mutex::default(),
            field_lengths: Mutex::default(),
            query_cache: QueryCache::default(),
        }
    }

    pub(crate) fn live_document_count(&self) -> usize {
        self.segments.iter().map(SegmentReader::live_document_count).sum()
    }

    /// Returns the paths of the fields that have several values in a row, also of a deleted document.
    pub(crate) fn list_fields(&self) -> BTreeSet<String> {
        let fields = self.segments.iter().flat_map(|reader| &reader.segment.metadata().fields);
        fields.filter(|field| field.column.has_lists()).map(|field| field.path.clone()).collect()
    }

    /// Finds a document by its id.
    pub(crate) fn locate(&self, id: &str) -> Option<DocAddress> {
        let id = HashedId::new(id);
        self.segments
            .iter()
            .enumerate()
            .find_map(|(segment, reader)| Some(DocAddress { segment, row: reader.row_of(&id)? }))
    }

    /// Returns the global ordinals of a field.
    pub(crate) fn global_ordinals(&self, field: &str) -> Arc<GlobalOrdinals> {
        let lock = || self.global_ordinals.lock().unwrap_or_else(PoisonError::into_inner);
        let known = lock().get(field).map(|(ordinals, _)| Arc::clone(ordinals));
        known.unwrap_or_else(|| {
            let computed = Arc::new(GlobalOrdinals::new(&self.segments, field));
            if let Some(share) = reserve_cache_bytes(computed.bytes() + field.len()) {
                lock().insert(field.to_owned(), (Arc::clone(&computed), share));
            }
            computed
        })
    }

    /// Returns the lengths of a field in the documents that pass a filter. They are computed if they are not known;
    /// nothing if that is given up.
    pub(crate) fn field_lengths(
        &self,
        field: &str,
        within: &Filter,
        compute: impl FnOnce() -> Option<FieldLengths>,
    ) -> Option<FieldLengths> {
        let lock = || self.field_lengths.lock().unwrap_or_else(PoisonError::into_inner);
        let known = lock().get(within).and_then(|by_field| by_field.get(field)).copied();
        known.or_else(|| {
            let computed = compute()?;
            let mut lengths = lock();
            if lengths.len() >= MAX_LENGTH_FILTERS && !lengths.contains_key(within) {
                lengths.clear();
            }
            lengths.entry(within.clone()).or_default().insert(field.to_owned(), computed);
            Some(computed)
        })
    }

    /// Loads documents, those of one segment together.
    ///
    /// # Errors
    ///
    /// If a segment cannot be read.
    pub(crate) fn load_documents(&self, addresses: &[DocAddress]) -> Result<Vec<Document>, EngineError> {
        let mut documents: Vec<Option<Document>> = vec![None; addresses.len()];
        for (segment, reader) in self.segments.iter().enumerate() {
            let wanted: Vec<usize> =
                (0..addresses.len()).filter(|&index| addresses[index].segment == segment).collect();
            if wanted.is_empty() {
                continue;
            }
            let rows: Vec<usize> = wanted.iter().map(|&index| addresses[index].row).collect();
            let loaded = load_documents(&reader.segment, &rows)
                .map_err(|error| EngineError::Failed(format!("a segment cannot be read: {error}")))?;
            for (index, document) in wanted.into_iter().zip(loaded) {
                documents[index] = Some(document);
            }
        }
        Ok(documents.into_iter().flatten().collect())
    }
}
