//! `POST /submit/{studyId}`

mod duplicates;
mod post;
mod refused;
mod stored;
mod validate;
mod versions;
