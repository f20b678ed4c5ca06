//! `/studies/{studyId}/files/{objectId}`

mod delete;
mod get;
mod put;
