//! What the search service asks of a search engine.
//!
//! A request becomes one [`Plan`]: filters over the records, pages of hits and facets that refer to them. A plan
//! names fields by the dotted path of the index mapping and holds typed values; it knows neither the filter language
//! it came from nor the engine that will run it. [`SearchEngine`] runs plans, streams exports and takes documents;
//! what it answers is data ([`Answer`]), never text of a response.
//!
//! The order of records is total on every engine: the sort keys of the request, then the id of the record by its
//! bytes. Pages, cursors and exports therefore never skip or repeat a record.

mod administration;
mod alias;
mod answer;
mod cursor;
mod document;
mod engine;
mod error;
mod filter;
mod plain;
mod plan;
mod translate;

#[cfg(feature = "contract")]
pub mod contract;
pub mod matching;

pub use administration::{ImportChunk, ImportRefusal, ImportReport, IndexAdministration, IndexStats};
pub use alias::{Alias, AliasChange, changed_aliases};
pub use answer::{Answer, Bucket, FacetAnswer, Hit, HitsAnswer, Stats};
pub use cursor::{Cursor, SortValue};
pub use document::{Array, Document, Node, Object, PackedDocuments, Place};
pub use engine::{BatchReport, ExportPage, ExportRequest, Exporting, IndexSummary, Operation, Refusal, SearchEngine};
pub use error::EngineError;
pub use filter::{Edges, Filter};
pub use plain::is_plain;
pub use plan::{FacetRequest, HitsRequest, Missing, NumberRange, Plan, SortKey, SortMode, SortOrder, TopHitsRequest};
pub use translate::{Sets, Translation, TranslationError, sets_used};
