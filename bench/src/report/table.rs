//! The table of a report, in Markdown.

use std::fmt::Write;

use super::figure::Summary;
use crate::machine::Machine;

/// Returns the facts of the machine and a table with a line for each figure.
pub(super) fn write(measured_at: &str, machine: &Machine, figures: &[Summary]) -> String {
    let mut text = format!(
        "Measured {measured_at} on {} cores ({}), {} GiB of memory, Linux {}, data on {}.\n\n\
         | Measure | Cantata | Compared with | Ratio | Required | Met |\n|---|---:|---:|---:|---:|---|\n",
        machine.cores, machine.processor, machine.memory_gib, machine.kernel, machine.file_system
    );
    for figure in figures {
        let compared = figure.compared.map(|value| with_unit(value, figure.unit)).unwrap_or_default();
        let ratio = figure.ratio.map(two_digits).unwrap_or_default();
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
    let digits = if value < 10.0 { 2 } else { usize::from(value < 100.0) };
    format!("{value:.digits$} {unit}")
}

/// Returns a ratio with two digits after the point, and with three where two would say nothing.
fn two_digits(ratio: f64) -> String {
    if ratio < 0.1 { format!("{ratio:.3}") } else { format!("{ratio:.2}") }
}

/// Returns the document with everything between the markers of a section replaced.
pub(super) fn replace(document: &str, section: &str, table: &str) -> Result<String, String> {
    let (begin, end) = markers(section);
    let missing = |marker: &str| format!("it has no line '{marker}'");
    let (before, rest) = document.split_once(&begin).ok_or_else(|| missing(&begin))?;
    let (_, after) = rest.split_once(&end).ok_or_else(|| missing(&end))?;
    Ok(format!("{before}{begin}\n\n{table}\n{end}{after}"))
}

fn markers(section: &str) -> (String, String) {
    (format!("<!-- {section}: begin -->"), format!("<!-- {section}: end -->"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_between_the_markers_changes() {
        let (begin, end) = markers("one");
        let (other, other_end) = markers("one-more");
        let around = |table: &str| format!("# Head\n{other}\nkept\n{other_end}\n{begin}\n{table}{end}\nTail\n");
        let replaced = replace(&around("old\n"), "one", "| new |\n").unwrap();
        assert_eq!(replaced, around("\n| new |\n\n"));
        assert_eq!(replace(&replaced, "one", "| new |\n").unwrap(), replaced);
    }

    #[test]
    fn a_document_without_a_marker_is_refused() {
        let (begin, end) = markers("one");
        assert!(replace(&begin, "one", "").unwrap_err().contains(&end));
    }

    #[test]
    fn small_ratios_keep_a_digit_more() {
        assert_eq!(two_digits(0.0123), "0.012");
        assert_eq!(two_digits(1.234), "1.23");
    }
}
