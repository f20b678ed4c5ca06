//! The table of a report, in Markdown.

use std::fmt::Write;

use super::figure::Summary;
use crate::machine::Machine;

const BEGIN: &str = "<!-- metadata: begin -->";
const END: &str = "<!-- metadata: end -->";

/// Returns the facts of the machine and a table with a line for each figure.
pub(super) fn write(measured_at: &str, machine: &Machine, figures: &[Summary]) -> String {
    let mut text = format!(
        "Measured {measured_at} on {} cores ({}), {} GiB of memory, Linux {}, data on {}.\n\n\
         | Measure | Cantata | Compared with | Ratio | Required | Met |\n|---|---:|---:|---:|---:|---|\n",
        machine.cores, machine.processor, machine.memory_gib, machine.kernel, machine.file_system
    );
    for figure in figures {
        let compared = figure.compared.map(|value| with_unit(value, figure.unit)).unwrap_or_default();
        let ratio = figure.ratio.map(|ratio| format!("{ratio:.2}")).unwrap_or_default();
        let required = figure.required.map(|limit| limit.to_string()).unwrap_or_default();
        let met = figure.met.map(|met| if met { "yes" } else { "**no**" }).unwrap_or_default();
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "| {} | {} | {compared} | {ratio} | {required} | {met} |",
            figure.name,
            with_unit(figure.value, figure.unit)
        );
    }
    text
}

fn with_unit(value: f64, unit: &str) -> String {
    if value < 100.0 { format!("{value:.1} {unit}") } else { format!("{value:.0} {unit}") }
}

/// Returns the document with everything between its markers replaced.
pub(super) fn replace(document: &str, table: &str) -> Result<String, String> {
    let missing = |marker| format!("it has no line '{marker}'");
    let (before, rest) = document.split_once(BEGIN).ok_or_else(|| missing(BEGIN))?;
    let (_, after) = rest.split_once(END).ok_or_else(|| missing(END))?;
    Ok(format!("{before}{BEGIN}\n\n{table}\n{END}{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_between_the_markers_changes() {
        let document = format!("# Head\n{BEGIN}\nold\n{END}\nTail\n");
        let replaced = replace(&document, "| new |\n").unwrap();
        assert_eq!(replaced, format!("# Head\n{BEGIN}\n\n| new |\n\n{END}\nTail\n"));
        assert_eq!(replace(&replaced, "| new |\n").unwrap(), replaced);
    }

    #[test]
    fn a_document_without_a_marker_is_refused() {
        assert!(replace(BEGIN, "").unwrap_err().contains(END));
    }
}
