//! The file types of a download.

/// The type of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileType {
    /// Values separated by tabs.
    Tsv,
    /// Values separated by commas, as in RFC 4180.
    Csv,
    /// A list of objects.
    Json,
    /// An object on each line.
    JsonLines,
    /// Columns with types, nested containers as lists of objects.
    Parquet,
    /// The same as a stream of Arrow IPC.
    Arrow,
    /// A sheet of cells.
    Xlsx,
}

impl FileType {
    /// The names in requests.
    pub(super) const NAMES: [&'static str; 8] = ["tsv", "csv", "json", "jsonl", "ndjson", "parquet", "arrow", "xlsx"];

    pub(super) fn of_name(name: &str) -> Option<Self> {
        match name {
            "tsv" => Some(Self::Tsv),
            "csv" => Some(Self::Csv),
            "json" => Some(Self::Json),
            "jsonl" | "ndjson" => Some(Self::JsonLines),
            "parquet" => Some(Self::Parquet),
            "arrow" => Some(Self::Arrow),
            "xlsx" => Some(Self::Xlsx),
            _ => None,
        }
    }

    /// Returns the extension of file names.
    pub(super) fn extension(self) -> &'static str {
        match self {
            Self::Tsv => "tsv",
            Self::Csv => "csv",
            Self::Json => "json",
            Self::JsonLines => "jsonl",
            Self::Parquet => "parquet",
            Self::Arrow => "arrow",
            Self::Xlsx => "xlsx",
        }
    }

    pub(super) fn content_type(self) -> &'static str {
        match self {
            Self::Tsv => "text/plain; charset=utf-8",
            Self::Csv => "text/csv; charset=utf-8",
            Self::Json => "application/json",
            Self::JsonLines => "application/x-ndjson",
            Self::Parquet => "application/vnd.apache.parquet",
            Self::Arrow => "application/vnd.apache.arrow.stream",
            Self::Xlsx => "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        }
    }

    /// Returns the delimiter of the cells in a row.
    pub(super) fn delimiter(self) -> u8 {
        if self == Self::Csv { b',' } else { b'\t' }
    }

    /// Returns the end of a row.
    pub(super) fn line_end(self) -> &'static [u8] {
        if self == Self::Csv { b"\r\n" } else { b"\n" }
    }

    /// Returns whether cells are formatted text; otherwise values are as in the documents.
    pub(super) fn is_formatted(self) -> bool {
        matches!(self, Self::Tsv | Self::Csv | Self::Xlsx)
    }

    /// Returns whether the file has columns of types.
    pub(super) fn is_columnar(self) -> bool {
        matches!(self, Self::Parquet | Self::Arrow)
    }
}
