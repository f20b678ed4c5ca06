//! `POST /submit/{studyId}/batch`

mod answers;
mod broken;
mod large;
mod validate;
