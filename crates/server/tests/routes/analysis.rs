//! `/studies/{studyId}/analysis`

mod get;
mod list;
mod paginated;
mod patch;
mod publish;
mod put;
mod search;
mod states;
