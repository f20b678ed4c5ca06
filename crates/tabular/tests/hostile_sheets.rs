//! Sheets of those who mean harm: small files that would take much memory or time are refused.
#![expect(clippy::unwrap_used, reason = "a test helper that fails should fail its test")]

use std::io::{self, Cursor, Read, Seek, Write};

use cantata_tabular::{
    Sheet, SheetRow, XlsxReader, check_sheets, is_cell_error, read_delimited_sheet, read_xlsx_sheets,
};
use flate2::Crc;
use flate2::read::DeflateDecoder;
use rust_xlsxwriter::{Formula, Workbook};
use serde_json::json;

const MAX_BYTES: u64 = 1 << 24;
const MAX_ROWS: usize = 10_000;

/// Returns a workbook whose parts are changed, each by its name.
fn changed(file: &[u8], change: impl Fn(&str, String) -> String) -> Vec<u8> {
    let number = |at: usize, length: usize| {
        file[at..at + length].iter().rev().fold(0_usize, |number, byte| (number << 8) | usize::from(*byte))
    };
    let end = file.len() - 22;
    let mut at = number(end + 16, 4);
    let (mut out, mut directory): (Vec<u8>, Vec<u8>) = Default::default();
    let mut entries = 0_u16;
    while at < end {
        let (length, local) = (number(at + 28, 2), number(at + 42, 4));
        let name = std::str::from_utf8(&file[at + 46..at + 46 + length]).unwrap();
        let start = local + 30 + number(local + 26, 2) + number(local + 28, 2);
        let packed = &file[start..start + number(at + 20, 4)];
        let mut text = String::new();
        match number(at + 10, 2) {
            0 => text.push_str(std::str::from_utf8(packed).unwrap()),
            _ => assert!(DeflateDecoder::new(packed).read_to_string(&mut text).is_ok(), "{name}"),
        }
        let text = change(name, text);
        let mut crc = Crc::new();
        crc.update(text.as_bytes());
        let size = u32::try_from(text.len()).unwrap().to_le_bytes();
        let name_length = u16::try_from(length).unwrap().to_le_bytes();
        // Version, flags, method (stored), time and date.
        let mut head = vec![20, 0, 0, 0, 0, 0, 0, 0, 0x21, 0];
        head.extend(crc.sum().to_le_bytes());
        head.extend([size, size].concat());
        head.extend([name_length, [0, 0]].concat());
        let offset = u32::try_from(out.len()).unwrap().to_le_bytes();
        directory.extend([b"PK\x01\x02\x14\x00".as_slice(), &head, &[0; 10], &offset, name.as_bytes()].concat());
        out.extend([b"PK\x03\x04".as_slice(), &head, name.as_bytes(), text.as_bytes()].concat());
        entries += 1;
        at += 46 + length + number(at + 30, 2) + number(at + 32, 2);
    }
    let (start, size) = (u32::try_from(out.len()).unwrap(), u32::try_from(directory.len()).unwrap());
    let entries = entries.to_le_bytes();
    out.extend(directory);
    out.extend([b"PK\x05\x06\x00\x00\x00\x00".as_slice(), &entries, &entries].concat());
    out.extend([size.to_le_bytes(), start.to_le_bytes()].concat());
    out.extend([0, 0]);
    out
}

#[test]
fn cells_beyond_a_sheet_and_sheets_without_end_are_refused() {
    let mut workbook = Workbook::new();
    let sheet = workbook.add_worksheet();
    sheet.write_string(0, 0, "name").unwrap();
    sheet.write_string(1, 0, "value").unwrap();
    let file = workbook.save_to_buffer().unwrap();
    let same = changed(&file, |_, text| text);
    assert_eq!(read_xlsx_sheets(&same, MAX_BYTES, MAX_ROWS).unwrap()[0].rows.len(), 1);

    let moved = |to: &str| {
        let file = changed(&file, |_, text| text.replace("r=\"A1\"", &format!("r=\"{to}\"")));
        read_xlsx_sheets(&file, MAX_BYTES, MAX_ROWS)
    };
    assert_eq!(moved("XFD1").unwrap()[0].columns.len(), 16_384);
    // A name for each column in front of it would take gigabytes.
    assert!(moved("XFE1").unwrap_err().to_string().contains("column number overflow"));
    assert!(moved("AAAAAAA1").unwrap_err().to_string().contains("column number overflow"));

    assert!(moved("A1048577").unwrap_err().to_string().contains("row number overflow"));

    let with_sheets = |count: usize, cell: &str| {
        let sheet = |number| format!("<sheet name=\"s{number}\" sheetId=\"{number}\" r:id=\"rId1\"/>");
        let sheets: String = (1..=count).map(sheet).collect();
        let file = changed(&file, |name, text| match name {
            "xl/workbook.xml" => {
                let (before, rest) = text.split_once("<sheets>").unwrap();
                let (_, after) = rest.split_once("</sheets>").unwrap();
                format!("{before}<sheets>{sheets}</sheets>{after}")
            }
            _ => text.replace("r=\"A1\"", &format!("r=\"{cell}\"")),
        });
        read_xlsx_sheets(&file, MAX_BYTES, MAX_ROWS)
    };
    assert_eq!(with_sheets(100, "A1").unwrap().len(), 100);
    assert_eq!(with_sheets(129, "A1").unwrap_err().to_string(), "it has more than 128 sheets");
    assert_eq!(with_sheets(100, "XFD1").unwrap_err().to_string(), "it has more than 1000000 cells");
}

#[test]
fn a_header_of_nothing_but_delimiters_is_bounded() {
    let read = |header: String| read_delimited_sheet(Cursor::new(header.into_bytes()), b'\t', MAX_ROWS);
    assert_eq!(read("\t".repeat(1_000_000)).unwrap_err().to_string(), "it has more than 1000000 cells");
    assert!(read("\t".repeat(3_000_000)).unwrap_err().to_string().contains("a row is longer than 16 MB"));
}

#[test]
fn sheets_without_rows_are_bounded() {
    let sheet = |columns| Sheet { name: "s".to_owned(), columns: vec![String::new(); columns], rows: Vec::new() };
    let sheets = |count: usize| (0..count).map(|_| sheet(1)).collect::<Vec<_>>();
    check_sheets(&sheets(128), MAX_ROWS).unwrap();
    assert_eq!(check_sheets(&sheets(129), MAX_ROWS).unwrap_err().to_string(), "it has more than 128 sheets");
    assert_eq!(check_sheets(&[sheet(1_000_001)], MAX_ROWS).unwrap_err().to_string(), "it has more than 1000000 cells");
}

#[test]
fn parts_that_take_more_memory_than_they_have_bytes_are_refused() {
    let mut workbook = Workbook::new();
    workbook.add_worksheet().write_string(0, 0, "name").unwrap();
    let file = workbook.save_to_buffer().unwrap();
    let with = |part: &str, change: &dyn Fn(String) -> String| {
        let file = changed(&file, |name, text| if name == part { change(text) } else { text });
        read_xlsx_sheets(&file, MAX_BYTES, MAX_ROWS)
    };
    let strings = "xl/sharedStrings.xml";
    // Room is made for this many texts at once.
    let many = with(strings, &|text| text.replace("uniqueCount=\"1\"", "uniqueCount=\"100000000000\""));
    assert!(many.unwrap_err().to_string().contains("more texts"));
    assert!(with(strings, &|text| text + "\0").unwrap_err().to_string().contains("UTF-8"));
    // Each format of cells has a copy of the name of its font.
    let long = format!("<font><name val=\"{}\"/></font></fonts>", "x".repeat(2_000));
    let long = with("xl/styles.xml", &|text| text.replace("</fonts>", &long));
    assert!(long.unwrap_err().to_string().contains("styles"));
    let large = with("xl/styles.xml", &|text| text + &"<xf/>".repeat(300_000));
    assert!(large.unwrap_err().to_string().contains("styles"));
}

/// Reads the rows of a file as an import does.
fn rows(file: &[u8]) -> io::Result<Vec<SheetRow>> {
    let mut stored = tempfile::tempfile().unwrap();
    stored.write_all(file).unwrap();
    stored.rewind().unwrap();
    let mut reader = XlsxReader::open(stored);
    std::iter::from_fn(|| reader.next_row().transpose()).collect()
}

#[test]
fn a_file_that_is_read_by_rows_is_checked_as_well() {
    let mut workbook = Workbook::new();
    workbook.add_worksheet().write_string(0, 0, "name").unwrap();
    let file = workbook.save_to_buffer().unwrap();
    assert_eq!(rows(&file).unwrap()[0].cells, [(0, json!("name"))]);
    let many = changed(&file, |_, text| text.replace("uniqueCount=\"1\"", "uniqueCount=\"100000000000\""));
    assert!(rows(&many).unwrap_err().to_string().contains("more texts"));
    let far = changed(&file, |_, text| text.replace("r=\"A1\"", "r=\"AAAAAAA1\""));
    assert!(rows(&far).unwrap_err().to_string().contains("column number overflow"));
    // One text that many cells share.
    let cell = "<c r=\"A1\" t=\"s\"><v>0</v></c>";
    let wide = |cells: usize| {
        let file = changed(&file, |_, text| {
            text.replace(cell, &cell.repeat(cells)).replace("<t>name</t>", &format!("<t>{}</t>", "x".repeat(30_000)))
        });
        rows(&file)
    };
    assert_eq!(wide(10).unwrap()[0].cells.len(), 10);
    assert!(wide(1_000).unwrap_err().to_string().contains("more text than they may have"));
}

#[test]
fn the_error_of_a_formula_is_told_from_texts() {
    let mut workbook = Workbook::new();
    let sheet = workbook.add_worksheet();
    sheet.write_formula(0, 0, Formula::new("=NA()").set_result("#N/A")).unwrap();
    sheet.write_formula(0, 1, Formula::new("=1/0").set_result("#DIV/0!")).unwrap();
    sheet.write_string(0, 2, "#1").unwrap();
    let rows = rows(&workbook.save_to_buffer().unwrap()).unwrap();
    let found: Vec<&str> = rows[0].cells.iter().map(|(_, value)| value.as_str().unwrap()).collect();
    assert_eq!(found, ["#N/A", "#DIV/0!", "#1"]);
    assert_eq!(found.into_iter().map(is_cell_error).collect::<Vec<_>>(), [true, true, false]);
}
