//! Cells for people: values as text, divided by tabs or commas.
//!
//! * Only what is missing, null, an empty text or an empty list is empty; `0` and `false` are values.
//! * A cell with the delimiter, a line break or a double quote in it is put in double quotes, and those in it are
//!   doubled.
//! * A cell that a spreadsheet could take for a formula gets a single quote in front: it begins with `=`, `+`, `-`,
//!   `@`, a tab or a carriage return, has more than one character, and is neither made of numbers nor of hyphens.

use cantata_engine::Node;
use memchr::{memchr, memchr3};

use super::columns::CellStyle;

/// The largest whole number up to which numbers of double precision are exact.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// Writes a cell with all these values; nothing if they are all empty.
pub(super) fn write_values<'p>(
    out: &mut Vec<u8>,
    values: impl Iterator<Item = Node<'p>>,
    style: &CellStyle,
    delimiter: u8,
) {
    let mut cell = Cell { start: out.len(), out, style, needs_care: false };
    values.for_each(|value| cell.value(value));
    if cell.needs_care {
        finish(cell.out, cell.start, delimiter);
    }
}

/// Writes a cell that is a text.
pub(super) fn write_text(out: &mut Vec<u8>, text: &str, delimiter: u8) {
    let start = out.len();
    out.extend_from_slice(text.as_bytes());
    finish(out, start, delimiter);
}

struct Cell<'c> {
    out: &'c mut Vec<u8>,
    start: usize,
    style: &'c CellStyle,
    /// Whether there is more in it than one number or boolean.
    needs_care: bool,
}

impl Cell<'_> {
    fn value(&mut self, value: Node<'_>) {
        if let Node::Array(list) = value {
            return list.for_each(|element| self.value(element));
        }
        if matches!(value, Node::Null | Node::String("")) {
            return;
        }
        if self.out.len() > self.start {
            self.out.extend_from_slice(self.style.separator.as_bytes());
            self.needs_care = true;
        }
        let start = self.out.len();
        match value {
            Node::String(text) => {
                self.out.extend_from_slice(text.as_bytes());
                self.needs_care = true;
            }
            Node::Double(number) if number.fract() == 0.0 && number.abs() < EXACT => json(self.out, &(number as i64)),
            Node::Object(_) => {
                json(self.out, &value);
                self.needs_care = true;
                return;
            }
            scalar => json(self.out, &scalar),
        }
        if self.style.date.is_some() || !self.style.display_values.is_empty() {
            self.present(start);
        }
    }

    /// Replaces a value by what people read instead.
    fn present(&mut self, start: usize) {
        let Ok(text) = std::str::from_utf8(&self.out[start..]) else { return };
        if let Some(shown) = self.style.display_values.get(text) {
            self.out.truncate(start);
            self.out.extend_from_slice(shown.as_bytes());
            self.needs_care = true;
        } else if let Some(date) = &self.style.date
            && let Some(moment) = date.format.read(text)
        {
            let end = self.out.len();
            if date.pattern.write(moment, self.out) {
                self.out.drain(start..end);
            }
            self.needs_care = true;
        }
    }
}

/// Makes a cell safe that was written as it is.
fn finish(out: &mut Vec<u8>, start: usize, delimiter: u8) {
    if could_be_formula(&out[start..]) {
        out.insert(start, b'\'');
    }
    let cell = &out[start..];
    if memchr3(delimiter, b'\n', b'"', cell).is_some() || memchr(b'\r', cell).is_some() {
        let cell = out.split_off(start);
        out.push(b'"');
        for byte in cell {
            if byte == b'"' {
                out.push(b'"');
            }
            out.push(byte);
        }
        out.push(b'"');
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
