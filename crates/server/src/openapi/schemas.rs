//! The shapes of bodies, queries and paths as the OpenAPI document describes them.
//!
//! Where the service has its own type for an answer, the shape here only describes it, and the tests hold every
//! answer against the description; the other shapes are what the handlers answer with.
#![expect(dead_code, reason = "shapes that only describe are never built")]

mod analysis;
mod entity;
mod graphql;
mod index;
mod indexing;
mod key;
mod outbox;
mod paths;
mod search;
mod session;
mod sheet;
mod submission;
mod types;

pub(crate) use analysis::{
    Analysis, AnalysisPage, AnalysisUpdate, ExportedStudy, File, FileSearch, FileUpdateRequest, FileUpdateResponse,
};
pub(crate) use entity::{Entity, EntityPage, EntityQuery};
pub(crate) use graphql::{DownloadParameters, DownloadQuery, GraphqlAnswers, GraphqlQuery, GraphqlRequest};
pub(crate) use index::{ImportOutcome, ImportPosition, IndexFigures, IndexInShort, IndexMappingBody, IndexProblems};
pub(crate) use indexing::{CatalogueIndexing, Job};
pub(crate) use key::{ApiKeys, MadeApiKey, NewApiKey};
pub(crate) use outbox::{OutboxBody, OutboxStatus};
pub(crate) use paths::{CataloguePath, IndexPath, IndexedCataloguePath, JobPath, KeyPath, StudyPath, TypePath};
pub(crate) use search::{
    AmbiguousCatalogue, CatalogueDirectory, CatalogueDisplay, CatalogueFields, Greeting, Readiness, SearchProblem,
    SearchRefusal, UnavailableCatalogue, UnservedCatalogue,
};
pub(crate) use session::{SessionHeader, SessionState, SignedOut};
pub(crate) use sheet::{SheetOutcome, SheetsBody};
pub(crate) use submission::{
    AnalysisPayload, BatchResult, Health, Message, NothingStored, Study, StudyRequest, Submitted,
};
pub(crate) use types::{
    AnalysisType, AnalysisTypePage, AnalysisTypeQuery, AnalysisTypeRegistration, AnalysisTypeVersions,
};
