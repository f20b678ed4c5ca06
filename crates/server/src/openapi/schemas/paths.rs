//! The variable segments of paths that several routes have.

use utoipa::IntoParams;

/// The path of an index.
#[derive(IntoParams)]
#[into_params(parameter_in = Path, rename_all = "camelCase")]
pub(crate) struct IndexPath {
    /// The index
    name: String,
}

/// The path of what belongs to a study.
#[derive(IntoParams)]
#[into_params(parameter_in = Path, rename_all = "camelCase")]
pub(crate) struct StudyPath {
    /// The study
    study_id: String,
}

/// The path of a catalogue.
#[derive(IntoParams)]
#[into_params(parameter_in = Path, rename_all = "camelCase")]
pub(crate) struct CataloguePath {
    /// Its id, or a document type that no other catalogue has
    catalogue: String,
}

/// The path of an analysis type.
#[derive(IntoParams)]
#[into_params(parameter_in = Path, rename_all = "camelCase")]
pub(crate) struct TypePath {
    /// The name of the type
    name: String,
}

/// The path of a job.
#[derive(IntoParams)]
#[into_params(parameter_in = Path, rename_all = "camelCase")]
pub(crate) struct JobPath {
    /// The number of the job
    job: String,
}

/// The path of an API key.
#[derive(IntoParams)]
#[into_params(parameter_in = Path, rename_all = "camelCase")]
pub(crate) struct KeyPath {
    /// The id of the key, not its name
    id: String,
}

/// The path of a catalogue that has a source.
#[derive(IntoParams)]
#[into_params(parameter_in = Path, rename_all = "camelCase")]
pub(crate) struct IndexedCataloguePath {
    /// The id of the catalogue
    catalogue: String,
}
