//! The formats of a file.

/// The format of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileType {
    /// Values divided by tabs.
    Tsv,
    /// Values divided by commas, as RFC 4180 has it.
    Csv,
    /// A list of objects.
    Json,
    /// An object on each line.
    JsonLines,
}

impl FileType {
    /// The names of the formats in requests.
    pub(super) const NAMES: [&'static str; 5] = ["tsv", "csv", "json", "jsonl", "ndjson"];

    /// Returns the format of a name.
    pub(super) fn of_name(name: &str) -> Option<Self> {
        match name {
            "tsv" => Some(Self::Tsv),
            "csv" => Some(Self::Csv),
            "json" => Some(Self::Json),
            "jsonl" | "ndjson" => Some(Self::JsonLines),
            _ => None,
        }
    }

    /// Returns how the names of such files end.
    pub(super) fn extension(self) -> &'static str {
        match self {
            Self::Tsv => "tsv",
            Self::Csv => "csv",
            Self::Json => "json",
            Self::JsonLines => "jsonl",
        }
    }

    /// Returns the media type.
    pub(super) fn content_type(self) -> &'static str {
        match self {
            Self::Tsv => "text/plain; charset=utf-8",
            Self::Csv => "text/csv; charset=utf-8",
            Self::Json => "application/json",
            Self::JsonLines => "application/x-ndjson",
        }
    }

    /// Returns whether cells are text for people; the others hold values as they stand in the documents.
    pub(super) fn is_text(self) -> bool {
        matches!(self, Self::Tsv | Self::Csv)
    }
}
