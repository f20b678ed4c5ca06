//! The interface between the search service and a search engine.
//!
//! A request becomes one [`SearchPlan`]: filters over the records, pages of hits and facets that refer to them. A plan
//! names fields by the dotted path of the index mapping and holds typed values; it knows neither the filter language
//! it came from nor the engine that will run it. [`SearchEngine`] runs plans, streams exports and takes documents;
//! what it returns is data ([`SearchResponse`]), never text of a response.
//!
//! The order of records is total on every engine: the sort keys of the request, then the id of the record by its
//! bytes. Pages, cursors and exports therefore never skip or repeat a record.

mod alias;
mod cursor;
mod document;
mod dotted_names;
mod element;
mod engine;
mod error;
mod filter;
mod json_escape;
mod maintenance;
mod plan;
mod response;
mod translate;

#[cfg(feature = "contract")]
pub mod contract;
pub mod matching;
pub mod relevance;

pub use alias::{Alias, AliasChange, apply_alias_changes};
pub use cursor::{Cursor, CursorError, SortValue};
pub use document::{ArrayRef, Document, LazyValueRef, ObjectRef, PackedDocuments, ValueRef};
pub use dotted_names::nest_dotted_names;
pub use element::{ElementBudget, ElementSelection};
pub use engine::{
    BatchOutcome, BatchReport, ExportPage, ExportRequest, ExportStream, IndexAdmin, IndexReader, IndexSummary,
    IndexWriter, RejectedOperation, SearchEngine, WriteOperation,
};
pub use error::EngineError;
pub use filter::{Filter, ValueRange};
pub use json_escape::is_escape_free;
pub use maintenance::{ImportChunk, ImportOutcome, ImportReport, IndexMaintenance, IndexStats, RejectedImport};
pub use plan::{
    AncestorFilter, FacetRequest, HitsRequest, MissingOrder, NumberRange, RECORD_SCORE, ScoreRequest, SearchPlan,
    SortKey, SortMode, SortOrder,
};
pub use response::{Bucket, FacetResult, FieldStats, Hit, HitsResult, SearchResponse};
pub use translate::{FacetFilter, FilterTranslator, SavedSets, TranslationError, saved_set_ids};
