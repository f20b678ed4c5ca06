//! Submission sheets: tables, and schemas that are laid out as sheets.

use std::io::Cursor;
use std::sync::{Arc, LazyLock};

use cantata_schema::{builtin_types, render_schema};
use cantata_tabular::{SheetLayout, read_delimited_sheet};
use serde_json::Value;

const MAX_ROWS: usize = 1_000;

static LAYOUT: LazyLock<Arc<SheetLayout>> = LazyLock::new(|| {
    let schema = render_schema(&builtin_types()[0].schema);
    Arc::new(SheetLayout::of_schema(&schema, &[], ("", &[])).expect("a type of the server has sheets"))
});

/// Lays out a schema, or reads a table. The template of a layout is read as a table with its columns and nothing else;
/// there are at least as many violations as are listed.
pub fn target(data: &[u8]) {
    if let Ok(schema) = serde_json::from_slice::<Value>(data) {
        let Ok(layout) = SheetLayout::of_schema(&schema, &[], ("", &[])) else { return };
        let template = read_delimited_sheet(Cursor::new(layout.tsv_template().into_bytes()), b'\t', MAX_ROWS);
        let template = template.expect("a template is a table");
        let filled = Arc::new(layout).read(template);
        assert_eq!((filled.violation_count(), filled.documents().len()), (0, 0));
        return;
    }
    let Ok(sheets) = read_delimited_sheet(Cursor::new(data.to_vec()), b'\t', MAX_ROWS) else { return };
    let mut filled = LAYOUT.read(sheets);
    for document in 0..filled.documents().len() {
        filled.add_schema_violation(document, "#/files/0", "required key [fileName] not found");
    }
    assert!(filled.violations().len() as u64 <= filled.violation_count());
}
