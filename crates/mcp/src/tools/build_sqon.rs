//! `build_sqon`: a filter from plain conditions, checked against the fields of a catalogue.

use cantata_catalogue::Catalogue;
use cantata_sqon::{BuiltFilter, FilterClause, GroupOp, Sqon, SqonError, build_filter};
use rmcp::schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::caller_context::CallerContext;
use crate::tool_result::{ToolError, ToolResult, to_value};

pub(super) const DESCRIPTION: &str = "Builds a filter (SQON) from conditions on fields and says in English what it \
    selects. Give all conditions in one call. It searches nothing: pass `sqon` from its answer to execute_query as it \
    is. `notes` tells where joining conditions on one field can have changed what matches.";

/// The arguments of `build_sqon`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(crate = "rmcp::schemars")]
pub(super) struct BuildArguments {
    /// The id of a catalogue, from list_catalogues
    catalogue_id: String,
    /// How the conditions are joined: all of them hold, one of them, or none
    combination: Combination,
    /// The conditions
    clauses: Vec<ConditionArguments>,
    /// A filter from an earlier call, which the conditions are added to
    #[serde(default)]
    existing_sqon: Option<Value>,
}

/// How conditions are joined.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(crate = "rmcp::schemars")]
enum Combination {
    And,
    Or,
    Not,
}

/// One condition on one field.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(crate = "rmcp::schemars")]
struct ConditionArguments {
    /// The dotted name of a field, from get_catalogue_fields
    field_name: String,
    /// An operator that the type of the field takes, from get_catalogue_fields, such as in, not-in, gte, between
    operator: String,
    /// A text, a number or a boolean, or a list of them; between takes a list of two
    value: Value,
    /// Whether the condition must not hold
    #[serde(default)]
    negate: bool,
}

impl From<Combination> for GroupOp {
    fn from(combination: Combination) -> Self {
        match combination {
            Combination::And => Self::And,
            Combination::Or => Self::Or,
            Combination::Not => Self::Not,
        }
    }
}

/// Builds a filter.
pub(super) fn build_sqon(caller: &CallerContext<'_>, arguments: BuildArguments) -> ToolResult {
    let served = caller.catalogue(&arguments.catalogue_id)?;
    let existing = match &arguments.existing_sqon {
        Some(existing) => parse_filter("existingSqon", existing, &served.catalogue)?,
        None => None,
    };
    let clauses: Vec<FilterClause> = arguments
        .clauses
        .into_iter()
        .map(|ConditionArguments { field_name, operator, value, negate }| FilterClause {
            field_name,
            operator,
            value,
            negate,
        })
        .collect();
    let unusable = |error: SqonError| ToolError(format!("The conditions make no filter: {error}."));
    let mut built = build_filter(arguments.combination.into(), &clauses, existing).map_err(unusable)?;
    if let Some(sqon) = built.sqon.take() {
        let sqon = sqon.resolve_names(&*served.catalogue);
        validate(&sqon, "The filter does not fit the catalogue:", &served.catalogue)?;
        // Conditions on two names of one field can be joined only now.
        let resolved = build_filter(GroupOp::And, &[], Some(sqon)).map_err(unusable)?;
        built.notes.extend(resolved.notes);
        built = BuiltFilter { clause_count: built.clause_count, notes: built.notes, ..resolved };
    }
    to_value(&built)
}

/// Parses a filter and validates it against a catalogue; `None` if it selects everything.
pub(crate) fn parse_filter(argument: &str, filter: &Value, catalogue: &Catalogue) -> Result<Option<Sqon>, ToolError> {
    let sqon = Sqon::parse(filter).map_err(|error| ToolError(format!("{argument} is no filter: {error}.")))?;
    let sqon = sqon.map(|sqon| sqon.resolve_names(catalogue));
    if let Some(sqon) = &sqon {
        validate(sqon, &format!("{argument} does not fit the catalogue:"), catalogue)?;
    }
    Ok(sqon)
}

fn validate(sqon: &Sqon, head: &str, catalogue: &Catalogue) -> Result<(), ToolError> {
    sqon.validate(catalogue).map_err(|errors| {
        let problems: Vec<String> = errors.iter().map(ToString::to_string).collect();
        ToolError::list(head, &problems)
    })
}
