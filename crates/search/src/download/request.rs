//! What a client asks for, as far as it can be read without knowing the catalogue.

use serde_json::{Map, Value};

use super::DownloadError;
use super::file_type::FileType;
use super::reader::{Part, checked_name, one_of, quote, wrong};

/// What stands in a cell without a value, unless the request says otherwise.
const VALUE_WHEN_EMPTY: &str = "--";

/// How many files a request may ask for; each keeps a list of its records while the download runs.
const MOST_FILES: usize = 16;

/// How many columns a file may have.
const MOST_COLUMNS: usize = 1000;

const REQUEST_FORM: &str = "an object with `files`";
const FILES_FORM: &str = "a list of at least one file, each an object such as {\"fileType\": \"tsv\", \"sqon\": …}";

/// A request for files.
#[derive(Debug, Clone)]
pub struct DownloadRequest {
    /// What the archive is called, or a file that has no name.
    pub(super) file_name: Option<String>,
    /// How many records are fetched at once.
    pub(super) chunk_size: Option<u64>,
    pub(super) files: Vec<FileRequest>,
}

/// One file.
#[derive(Debug, Clone)]
pub(super) struct FileRequest {
    /// Where it stands in the request.
    pub(super) place: String,
    pub(super) file_name: Option<String>,
    pub(super) file_type: FileType,
    pub(super) sqon: Value,
    /// Empty for the columns of the table.
    pub(super) columns: Vec<ColumnRequest>,
    /// Objects of the form that GraphQL takes.
    pub(super) sort: Vec<Value>,
    /// Nothing for the number that the configuration has.
    pub(super) max_rows: Option<u64>,
    pub(super) unique_by: Option<String>,
    pub(super) value_when_empty: String,
}

/// One column.
#[derive(Debug, Clone, Default)]
pub(super) struct ColumnRequest {
    pub(super) place: String,
    pub(super) field_name: Option<String>,
    pub(super) accessor: Option<String>,
    pub(super) json_path: Option<String>,
    pub(super) label: Option<String>,
    /// `displayType` and `type`.
    pub(super) types: Vec<String>,
    pub(super) display_format: Option<String>,
    pub(super) display_values: Map<String, Value>,
    pub(super) is_array: Option<bool>,
    pub(super) show: Option<bool>,
}

impl DownloadRequest {
    /// Reads a request: the JSON text of the parameters, or of an object whose `params` they are, as text or as an
    /// object.
    ///
    /// # Errors
    ///
    /// The first thing that is wrong, with its place.
    pub fn parse(text: &str) -> Result<Self, DownloadError> {
        let value = json(text)?;
        match value.get("params") {
            Some(Value::String(text)) => Self::of_params(&json(text)?),
            Some(params) => Self::of_params(params),
            None => Self::of_params(&value),
        }
    }

    fn of_params(params: &Value) -> Result<Self, DownloadError> {
        let part = Part::new(params, String::new(), REQUEST_FORM)?;
        let default_type = file_type(&part)?.unwrap_or(FileType::Tsv);
        let chunk_size = part.count("chunkSize")?;
        if chunk_size == Some(0) {
            return Err(wrong("chunkSize", &Value::from(0), "a whole number of at least 1"));
        }
        let files = part.list("files", FILES_FORM)?;
        if files.is_empty() {
            return Err(wrong("files", part.get("files").unwrap_or(&Value::Null), FILES_FORM));
        }
        if files.len() > MOST_FILES {
            let message = format!("files: found {} files; expected at most {MOST_FILES}", files.len());
            return Err(DownloadError::Invalid(message));
        }
        let files = files.iter().enumerate().map(|(place, file)| FileRequest::read(file, place, default_type));
        Ok(Self { file_name: part.filled_text("fileName")?, chunk_size, files: files.collect::<Result<_, _>>()? })
    }
}

impl FileRequest {
    fn read(value: &Value, place: usize, default_type: FileType) -> Result<Self, DownloadError> {
        let place = format!("files[{place}]");
        let part = Part::new(value, place.clone(), "an object such as {\"fileType\": \"tsv\"}")?;
        let columns = part.list("columns", "a list of columns")?;
        if columns.len() > MOST_COLUMNS {
            let message = format!("{place}.columns: found {} columns; expected at most {MOST_COLUMNS}", columns.len());
            return Err(DownloadError::Invalid(message));
        }
        let columns = columns
            .iter()
            .enumerate()
            .map(|(number, column)| ColumnRequest::read(column, format!("{place}.columns[{number}]")));
        let sort = part.list("sort", "a list of objects such as {\"fieldName\": \"size\", \"order\": \"desc\"}")?;
        let sort = sort.iter().enumerate().map(|(number, key)| sort_key(key, format!("{place}.sort[{number}]")));
        let is_falsy = |value: &Value| *value == false || *value == "";
        let max_rows = if part.get("maxRows").is_some_and(is_falsy) { None } else { part.count("maxRows")? };
        Ok(Self {
            file_name: part.filled_text("fileName")?,
            file_type: file_type(&part)?.unwrap_or(default_type),
            sqon: part.get("sqon").cloned().unwrap_or_default(),
            columns: columns.collect::<Result<_, _>>()?,
            sort: sort.collect::<Result<_, _>>()?,
            max_rows: max_rows.filter(|rows| *rows > 0),
            unique_by: part.field_name("uniqueBy")?,
            value_when_empty: part.text("valueWhenEmpty")?.unwrap_or(VALUE_WHEN_EMPTY).to_owned(),
            place,
        })
    }
}

impl ColumnRequest {
    fn read(value: &Value, place: String) -> Result<Self, DownloadError> {
        if let Value::String(name) = value {
            let field_name = Some(checked_name(&place, name)?);
            return Ok(Self { place, field_name, ..Self::default() });
        }
        let part = Part::new(value, place.clone(), "an object such as {\"fieldName\": \"size\"}")?;
        let display_values = ["extendedDisplayValues", "displayValues"].into_iter().find_map(|key| part.get(key));
        let display_values = match display_values {
            None => Map::new(),
            Some(Value::Object(values)) => values.clone(),
            Some(other) => return Err(wrong(&part.place_of("displayValues"), other, "an object")),
        };
        // Portals put what they like there, so other things than texts are passed over.
        let header = part.get("Header").and_then(Value::as_str).map(str::to_owned);
        let column = Self {
            field_name: part.field_name("fieldName")?,
            accessor: part.field_name("accessor")?,
            json_path: part.field_name("jsonPath")?,
            label: part.filled_text("displayName")?.or(header),
            types: [part.filled_text("displayType")?, part.filled_text("type")?].into_iter().flatten().collect(),
            display_format: part.filled_text("displayFormat")?,
            display_values,
            is_array: part.flag("isArray")?,
            show: part.flag("show")?,
            place,
        };
        match (&column.field_name, &column.accessor, &column.json_path) {
            (None, None, None) => Err(wrong(&column.place, value, "`fieldName`, `accessor` or `jsonPath` in it")),
            _ => Ok(column),
        }
    }
}

fn json(text: &str) -> Result<Value, DownloadError> {
    serde_json::from_str(text).map_err(|error| {
        DownloadError::Invalid(format!(
            "params: found {}, which is no JSON ({error}); expected {REQUEST_FORM}",
            quote(text)
        ))
    })
}

fn file_type(part: &Part<'_>) -> Result<Option<FileType>, DownloadError> {
    let Some(name) = part.filled_text("fileType")? else { return Ok(None) };
    match FileType::of_name(&name.to_ascii_lowercase()) {
        Some(file_type) => Ok(Some(file_type)),
        None => Err(wrong(&part.place_of("fileType"), &Value::from(name), &one_of(&FileType::NAMES))),
    }
}

/// Checks the words of a key of an order; which fields there are is not known here.
fn sort_key(value: &Value, place: String) -> Result<Value, DownloadError> {
    let part = Part::new(value, place, "an object such as {\"fieldName\": \"size\", \"order\": \"desc\"}")?;
    let words = [
        ("order", part.word("order", &["asc", "desc"])?),
        ("mode", part.word("mode", &["min", "max", "sum", "avg"])?),
        ("missing", part.word("missing", &["first", "last"])?),
    ];
    let mut key = Map::new();
    key.insert("fieldName".to_owned(), part.text("fieldName")?.unwrap_or_default().into());
    key.extend(words.into_iter().filter_map(|(name, word)| Some((name.to_owned(), word?.into()))));
    Ok(key.into())
}
