//! Templates to fill: a workbook with a sheet for each list, or one table.

use std::io;

use rust_xlsxwriter::{Color, DataValidation, Format, Formula, Workbook, Worksheet, XlsxError, column_number_to_name};

use super::layout::{ColumnRole, REQUIRED_MARK, SheetColumn, SheetLayout, VALUES_SHEET};

/// The last row of a sheet, from 0.
const LAST_ROW: u32 = 1_048_575;

/// How wide columns are, in characters.
const COLUMN_WIDTH: f64 = 24.0;

/// How many characters a hint at a cell has at most; a spreadsheet takes 255 units of UTF-16.
const MAX_HINT_CHARS: usize = 120;

/// How many bytes a value of a drop-down has at most; a cell takes 32,767 characters.
const MAX_VALUE_BYTES: usize = 30_000;

/// The background of required columns.
const REQUIRED_COLOR: Color = Color::RGB(0xFF_F2_CC);

impl SheetLayout {
    /// Returns a workbook to fill: drop-downs for enumerations, required columns marked, all cells as text.
    ///
    /// # Errors
    ///
    /// If it cannot be written.
    pub fn xlsx_template(&self) -> io::Result<Vec<u8>> {
        self.workbook().map_err(io::Error::other)
    }

    fn workbook(&self) -> Result<Vec<u8>, XlsxError> {
        let mut workbook = Workbook::new();
        let mut values = Worksheet::new();
        values.set_name(VALUES_SHEET)?.set_hidden(true);
        let mut lists = 0;
        for list in 0..self.lists.len() {
            let sheet = workbook.add_worksheet();
            sheet.set_name(&self.lists[list].sheet)?.set_freeze_panes(1, 0)?;
            for (index, (role, name)) in self.sheet_columns(list).into_iter().enumerate() {
                let column = u16::try_from(index).map_err(|_| XlsxError::RowColumnLimitError)?;
                let shown = self.shown(role, &name);
                add_column(sheet, column, &shown)?;
                let mut validation = DataValidation::new().set_input_message(hint(role, &shown))?;
                let has_choice = |allowed: &&Vec<String>| {
                    let is_short = |text: &String| text.len() <= MAX_VALUE_BYTES;
                    shown.kind != "list" && !allowed.is_empty() && allowed.iter().all(is_short)
                };
                if let Some(allowed) = shown.allowed.as_ref().filter(has_choice) {
                    for (row, text) in (0..).zip(allowed) {
                        values.write_string(row, lists, text)?;
                    }
                    let letters = column_number_to_name(lists);
                    let range = format!("='{VALUES_SHEET}'!${letters}$1:${letters}${}", allowed.len());
                    validation = validation.allow_list_formula(Formula::new(range));
                    lists += 1;
                }
                sheet.add_data_validation(1, column, LAST_ROW, column, &validation)?;
            }
        }
        if lists > 0 {
            workbook.push_worksheet(values);
        }
        workbook.save_to_buffer()
    }

    /// Returns a table to fill: a line with the names of all columns, separated by tabs.
    pub fn tsv_template(&self) -> String {
        let columns = self.flat_columns(0).into_iter().map(|(role, name)| {
            let header = header(&self.shown(role, &name));
            match header.contains(['\t', '"', '\n', '\r']) {
                true => format!("\"{}\"", header.replace('"', "\"\"")),
                false => header,
            }
        });
        columns.collect::<Vec<_>>().join("\t") + "\n"
    }
}

fn add_column(sheet: &mut Worksheet, column: u16, shown: &SheetColumn) -> Result<(), XlsxError> {
    let text = Format::new().set_num_format("@");
    let mut bold = text.clone().set_bold();
    if shown.is_required {
        bold = bold.set_background_color(REQUIRED_COLOR);
    }
    sheet.set_column_format(column, &text)?.set_column_width(column, COLUMN_WIDTH)?;
    sheet.write_string_with_format(0, column, header(shown), &bold)?;
    Ok(())
}

fn header(shown: &SheetColumn) -> String {
    let mark = if shown.is_required { REQUIRED_MARK } else { "" };
    format!("{}{mark}", shown.name)
}

/// Returns what is said at a cell.
fn hint(role: ColumnRole, shown: &SheetColumn) -> String {
    let kind = match role {
        ColumnRole::Row => "A name of your choice for this row",
        ColumnRole::Parent => "The #row of the row that this one belongs to",
        ColumnRole::Element { .. } => "Any text: this line has an element",
        ColumnRole::Value { .. } => match shown.kind {
            "integer" => "A whole number",
            "number" => "A number",
            "boolean" => "true or false",
            "list" => "Values, separated by ;",
            "json" => "JSON",
            _ => "A text",
        },
    };
    let needed = if shown.is_required { "Required. " } else { "" };
    let allowed = shown.allowed.as_ref().map_or_else(String::new, |allowed| format!(": {}", allowed.join(", ")));
    format!("{needed}{kind}{allowed}").chars().take(MAX_HINT_CHARS).collect()
}
