//! Cells of delimited files: formatted values, separated by tabs or commas.
//!
//! * Only what is missing, null, an empty text or an empty list is empty; `0` and `false` are values.
//! * Cells are quoted as in RFC 4180.
//! * A cell that a spreadsheet could evaluate as a formula gets a single quote in front: it begins with `=`, `+`, `-`,
//!   `@`, a tab or a carriage return, has more than one character, and consists neither of numbers nor of hyphens.

use cantata_engine::ValueRef;

use super::columns::CellStyle;

/// The separator of several values in one cell.
const SEPARATOR: &[u8] = b", ";

/// Doubles are exact for all integers below this.
const MAX_EXACT_INTEGER: f64 = 9_007_199_254_740_992.0;

/// Writes a cell with several values; writes nothing if all of them are empty.
pub(super) fn write_values<'p>(
    out: &mut Vec<u8>,
    values: impl Iterator<Item = ValueRef<'p>>,
    style: &CellStyle,
    csv: &csv_core::Writer,
) {
    let mut cell = CellWriter { start: out.len(), out, style, needs_escaping: false };
    values.for_each(|value| cell.value(value));
    if cell.needs_escaping {
        escape(cell.out, cell.start, csv);
    }
}

/// Writes several values as the text of one cell that needs no quotes.
pub(super) fn write_plain_values<'p>(out: &mut Vec<u8>, values: impl Iterator<Item = ValueRef<'p>>, style: &CellStyle) {
    let mut cell = CellWriter { start: out.len(), out, style, needs_escaping: false };
    values.for_each(|value| cell.value(value));
}

/// Writes a cell that is a text.
pub(super) fn write_text(out: &mut Vec<u8>, text: &str, csv: &csv_core::Writer) {
    let start = out.len();
    out.extend_from_slice(text.as_bytes());
    escape(out, start, csv);
}

struct CellWriter<'c> {
    out: &'c mut Vec<u8>,
    start: usize,
    style: &'c CellStyle,
    /// Whether the cell holds more than one number or boolean.
    needs_escaping: bool,
}

impl CellWriter<'_> {
    fn value(&mut self, value: ValueRef<'_>) {
        if let ValueRef::Array(list) = value {
            return list.for_each(|element| self.value(element));
        }
        if matches!(value, ValueRef::Null | ValueRef::String("")) {
            return;
        }
        if self.out.len() > self.start {
            self.out.extend_from_slice(SEPARATOR);
            self.needs_escaping = true;
        }
        let start = self.out.len();
        match value {
            ValueRef::String(text) => {
                self.out.extend_from_slice(text.as_bytes());
                self.needs_escaping = true;
            }
            ValueRef::Double(number) if number.fract() == 0.0 && number.abs() < MAX_EXACT_INTEGER => {
                json(self.out, &(number as i64))
            }
            ValueRef::Object(_) => {
                json(self.out, &value);
                self.needs_escaping = true;
                return;
            }
            scalar => json(self.out, &scalar),
        }
        if self.style.date.is_some() || !self.style.display_values.is_empty() {
            self.format(start);
        }
    }

    /// Replaces a value by its display value or its formatted date.
    fn format(&mut self, start: usize) {
        let Ok(text) = std::str::from_utf8(&self.out[start..]) else { return };
        if let Some(display_value) = self.style.display_values.get(text) {
            self.out.truncate(start);
            self.out.extend_from_slice(display_value.as_bytes());
            self.needs_escaping = true;
        } else if let Some(date) = &self.style.date
            && let Some(moment) = date.format.read(text)
        {
            let end = self.out.len();
            if date.pattern.write(moment, self.out) {
                self.out.drain(start..end);
            }
            self.needs_escaping = true;
        }
    }
}

/// Disarms formulas and quotes the cell that begins at `start`.
fn escape(out: &mut Vec<u8>, start: usize, csv: &csv_core::Writer) {
    if could_be_formula(&out[start..]) {
        out.insert(start, b'\'');
    }
    if csv.should_quote(&out[start..]) {
        let cell = out.split_off(start);
        out.resize(start + 2 + 2 * cell.len(), b'"');
        let (_, _, written) = csv_core::quote(&cell, &mut out[start + 1..], b'"', b'"', true);
        // One of the quotes that fill the rest closes the cell.
        out.truncate(start + 1 + written + 1);
    }
}

fn could_be_formula(cell: &[u8]) -> bool {
    if !matches!(cell, [b'=' | b'+' | b'-' | b'@' | b'\t' | b'\r', _, ..]) || cell.iter().all(|byte| *byte == b'-') {
        return false;
    }
    let is_number = |text: &str| text.trim().parse::<f64>().is_ok();
    !std::str::from_utf8(cell).is_ok_and(|text| text.split([',', ';']).all(is_number))
}

/// Writes a value as JSON.
pub(super) fn json(out: &mut Vec<u8>, value: &impl serde::Serialize) {
    let written = serde_json::to_writer(out, value);
    debug_assert!(written.is_ok(), "a buffer takes everything");
}

#[cfg(test)]
mod tests {
    use super::could_be_formula;

    #[test]
    fn numbers_and_hyphens_are_no_formulas() {
        for harmless in ["-5", "+3.25e5", "-5, -6", "-1;+2", "--", "-", "+", "@", "a=b", ""] {
            assert!(!could_be_formula(harmless.as_bytes()), "{harmless}");
        }
        for formula in ["=1", "=cmd|' /C calc'!A0", "+1+1", "-2+3", "@SUM(A1)", "\tx", "\rx", "-5, =A1", "--x"] {
            assert!(could_be_formula(formula.as_bytes()), "{formula}");
        }
    }
}
