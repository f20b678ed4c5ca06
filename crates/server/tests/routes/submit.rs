//! `POST /submit/{studyId}`

mod duplicates;
mod post;
mod publish;
mod refused;
mod stored;
mod validate;
mod versions;
