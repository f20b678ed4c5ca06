//! Analysis types.

use serde_json::{Map, Value};
use utoipa::{IntoParams, ToSchema};

/// Which versions of analysis types are listed, and how.
#[derive(IntoParams)]
#[into_params(parameter_in = Query, rename_all = "camelCase")]
pub(crate) struct AnalysisTypeQuery {
    /// Only these names, separated by commas
    names: Option<String>,
    /// Only these versions, separated by commas
    versions: Option<String>,
    /// Leave the schemas out
    hide_schema: Option<bool>,
    /// Show the schemas as registered, without the base
    unrendered_only: Option<bool>,
    /// How many at most; 20 if not given
    limit: Option<u64>,
    /// How many to skip
    offset: Option<u64>,
    /// `version`, `name` or both, separated by a comma
    sort: Option<String>,
    /// `ASC` or `DESC`
    sort_order: Option<String>,
}

/// A check of the values at a path against an outside service.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(crate) struct ExternalValidation {
    /// The address, with `{value}` and `{study}` to be filled in; a 2XX answer means that the value is valid.
    url: String,
    /// Where the values are, such as `samples[*].donorId`.
    json_path: String,
}

/// The extra validations in force.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(crate) struct TypeOptions {
    /// The file types a submission may contain; any if empty.
    file_types: Vec<String>,
    /// The checks against outside services; none if empty.
    external_validations: Vec<ExternalValidation>,
}

/// The extra validations of a registration; those left out are inherited from the version before.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(crate) struct PartialTypeOptions {
    /// The file types a submission may contain; an empty list allows any.
    file_types: Option<Vec<String>>,
    /// The checks against outside services; an empty list asks for none.
    external_validations: Option<Vec<ExternalValidation>>,
}

/// A registration.
#[derive(ToSchema)]
pub(crate) struct AnalysisTypeRegistration {
    /// The name of the type; a name in use gets its next version.
    #[schema(pattern = "^[a-zA-Z0-9\\._-]+$")]
    name: String,
    /// A JSON Schema of type object that requires an object `experiment`.
    #[schema(value_type = Object)]
    schema: Map<String, Value>,
    /// The extra validations.
    options: Option<PartialTypeOptions>,
}

/// A registered version.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(crate) struct AnalysisType {
    /// The name of the type.
    name: String,
    /// The version, from 1.
    #[schema(minimum = 1)]
    version: u32,
    /// When it was registered, in UTC.
    created_at: String,
    /// The extra validations in force.
    options: TypeOptions,
    /// The schema, unless hidden.
    #[schema(value_type = Option<Object>, nullable = false)]
    schema: Option<Map<String, Value>>,
}

/// One version; if no version was asked for, the latest, with all of them beside it.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(crate) struct AnalysisTypeVersions {
    /// The name of the type.
    name: String,
    /// The version, from 1.
    #[schema(minimum = 1)]
    version: u32,
    /// When it was registered, in UTC.
    created_at: String,
    /// The extra validations in force.
    options: TypeOptions,
    /// The schema.
    #[schema(value_type = Object)]
    schema: Map<String, Value>,
    /// How many versions there are.
    #[schema(nullable = false)]
    count: Option<u64>,
    /// Every version, newest first.
    #[schema(nullable = false)]
    result_set: Option<Vec<AnalysisType>>,
}

/// One page of registered versions.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(crate) struct AnalysisTypePage {
    /// How many were asked for.
    limit: u64,
    /// How many were skipped.
    offset: u64,
    /// How many match in all.
    count: u64,
    /// The versions.
    result_set: Vec<AnalysisType>,
}
