//! `/studies/all` and `/studies/{studyId}`

mod get;
mod post;
