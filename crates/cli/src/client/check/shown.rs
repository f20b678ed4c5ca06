//! What was found, as people read it.

use cantata_catalogue::ConfigProblem;
use cantata_catalogue::check::{CatalogueReport, Report};
use serde_json::json;

use super::Plans;
use super::plan::Plan;
use crate::client::Output;
use crate::failure::Failure;

/// Shows why there are no catalogues at all.
pub(super) fn unreadable(output: &mut Output, problems: &[ConfigProblem]) -> Result<(), Failure> {
    if output.is_json {
        return output.json(&json!({"problems": problems}));
    }
    for problem in problems {
        let error = output.colours.bad("error");
        output.line(&format!("{error}: {problem}"))?;
    }
    Ok(())
}

/// Shows everything that was found.
pub(super) fn report(output: &mut Output, report: &Report, plans: Option<&Plans>) -> Result<(), Failure> {
    let with_indexes = plans.is_some();
    for catalogue in &report.catalogues {
        show(output, catalogue, with_indexes)?;
        if let Some(plan) = plans.and_then(|plans| plans.get(&catalogue.id)) {
            show_plan(output, &catalogue.id, plan)?;
        }
    }
    let count = report.catalogues.len();
    let failed = report.catalogues.iter().filter(|catalogue| catalogue.error.is_some()).count();
    let unchecked = if with_indexes { "" } else { "; the indexes were not looked at" };
    output.line(&format!("{count} read, {failed} cannot be served{unchecked}"))
}

fn show(output: &mut Output, catalogue: &CatalogueReport, with_indexes: bool) -> Result<(), Failure> {
    let CatalogueReport { id, index, problems, misfits, generated, field_count, error } = catalogue;
    let index = if index.is_empty() { String::new() } else { format!(" (index {index})") };
    let colours = output.colours;
    let state = match error {
        Some(_) => colours.bad("cannot be served"),
        None if with_indexes => format!("{}, {field_count} fields", colours.good("can be served")),
        None => colours.good("the files can be used"),
    };
    output.line(&format!("{id}{index}: {state}"))?;
    for problem in problems.iter().chain(misfits) {
        let kind = if problem.is_error() { colours.bad("error") } else { "warning".to_owned() };
        output.line(&format!("  {kind}: {problem}"))?;
    }
    let is_told = problems.iter().chain(misfits).any(ConfigProblem::is_error);
    if let Some(error) = error.as_ref().filter(|_| !is_told) {
        output.line(&format!("  {}: {}", colours.bad("error"), error.message))?;
    }
    if !generated.is_empty() {
        output.line(&format!("  made by the server, as no file has it: {}", generated.join(", ")))?;
    }
    Ok(())
}

fn show_plan(output: &mut Output, id: &str, plan: &Plan) -> Result<(), Failure> {
    let Plan { is_new, adds, needs_reindex, notes } = plan;
    if *is_new {
        output.line(&format!("  the index is made with {} fields, by the analysis types", adds.len()))?;
    } else if !adds.is_empty() {
        output.line(&format!("  the index gets new fields, by the analysis types: {}", adds.join(", ")))?;
    }
    for misfit in needs_reindex {
        output.line(&format!("  until `cantata reindex {id}`, the index stays as it is: {misfit}"))?;
    }
    for note in notes {
        output.line(&format!("  note: {note}"))?;
    }
    Ok(())
}
