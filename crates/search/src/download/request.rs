//! The request of a download, parsed without knowing the catalogue.

use std::borrow::Cow;

use cantata_sqon::parse_nested_json;
use serde_json::{Map, Value, json};

use super::DownloadError;
use super::file_type::FileType;
use super::request_reader::{RequestObject, check_field_name, one_of, quote, unexpected};

/// Each file holds a snapshot of its records while the download runs.
const MAX_FILES: usize = 16;

const MAX_COLUMNS: usize = 1000;

/// The parameters of an address that asks for a file.
const QUERY_PARAMETERS: [&str; 6] = ["filters", "columns", "fileType", "sort", "maxRows", "fileName"];

const REQUEST_FORM: &str = "an object with `files`";
const FILES_FORM: &str = "a list of at least one file, each an object such as {\"fileType\": \"tsv\", \"sqon\": …}";

/// A request for files.
#[derive(Debug, Clone)]
pub struct DownloadRequest {
    /// The name of the archive, or of a file without a name of its own.
    pub(super) file_name: Option<String>,
    /// How many records are fetched at a time.
    pub(super) chunk_size: Option<u64>,
    pub(super) files: Vec<FileRequest>,
}

/// One file.
#[derive(Debug, Clone)]
pub(super) struct FileRequest {
    /// Where it is in the request.
    pub(super) location: String,
    pub(super) file_name: Option<String>,
    pub(super) file_type: FileType,
    pub(super) sqon: Value,
    /// Empty: the columns of the table.
    pub(super) columns: Vec<ColumnRequest>,
    /// Objects as in the GraphQL argument `sort`.
    pub(super) sort: Vec<Value>,
    /// `None`: as configured.
    pub(super) max_rows: Option<u64>,
    pub(super) unique_by: Option<String>,
    /// `None`: as configured.
    pub(super) value_when_empty: Option<String>,
}

/// One column.
#[derive(Debug, Clone, Default)]
pub(super) struct ColumnRequest {
    pub(super) location: String,
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
    /// Parses a request: the parameters as JSON, or an object whose `params` they are, as text or as an object.
    ///
    /// # Errors
    ///
    /// The first problem, with its location.
    pub fn parse(text: &str) -> Result<Self, DownloadError> {
        let value = parse_json(text)?;
        match value.get("params") {
            Some(Value::String(text)) => Self::of_params(&parse_json(text)?),
            Some(params) => Self::of_params(params),
            None => Self::of_params(&value),
        }
    }

    /// Reads a request for one file from the parameters of an address, such as `fileType=csv&columns=studyId,fileSize`.
    ///
    /// # Errors
    ///
    /// The first problem, with the name of the parameter.
    pub fn from_query<'q>(
        parameters: impl IntoIterator<Item = (Cow<'q, str>, Cow<'q, str>)>,
    ) -> Result<Self, DownloadError> {
        let mut file = Map::new();
        for (name, text) in parameters {
            let list = || text.split(',').map(str::trim).filter(|part| !part.is_empty());
            let (member, value) = match &*name {
                "filters" if text.trim().is_empty() => continue,
                "filters" => ("sqon", filter_of(&text)?),
                "columns" => ("columns", list().map(Value::from).collect()),
                "sort" => ("sort", list().map(sort_of).collect()),
                "maxRows" => ("maxRows", text.parse::<u64>().map_or_else(|_| Value::from(&*text), Value::from)),
                "fileType" => ("fileType", Value::from(&*text)),
                "fileName" => ("fileName", Value::from(&*text)),
                _ => {
                    let found = format!("the unknown parameter {}", quote(&name));
                    return Err(DownloadError::Invalid(format!("{found}; expected {}", one_of(&QUERY_PARAMETERS))));
                }
            };
            if file.insert(member.to_owned(), value).is_some() {
                return Err(DownloadError::Invalid(format!("{name}: found it twice; expected it once")));
            }
        }
        Self::of_params(&json!({ "files": [file] }))
    }

    fn of_params(params: &Value) -> Result<Self, DownloadError> {
        let object = RequestObject::new(params, String::new(), REQUEST_FORM)?;
        let default_type = file_type(&object)?.unwrap_or(FileType::Tsv);
        let chunk_size = object.count("chunkSize")?;
        if chunk_size == Some(0) {
            return Err(unexpected("chunkSize", &Value::from(0), "a whole number of at least 1"));
        }
        let files = object.list("files", FILES_FORM)?;
        if files.is_empty() {
            return Err(unexpected("files", object.get("files").unwrap_or(&Value::Null), FILES_FORM));
        }
        if files.len() > MAX_FILES {
            let message = format!("files: found {} files; expected at most {MAX_FILES}", files.len());
            return Err(DownloadError::Invalid(message));
        }
        let files = files.iter().enumerate().map(|(index, file)| FileRequest::read(file, index, default_type));
        Ok(Self { file_name: object.filled_text("fileName")?, chunk_size, files: files.collect::<Result<_, _>>()? })
    }
}

impl FileRequest {
    fn read(value: &Value, index: usize, default_type: FileType) -> Result<Self, DownloadError> {
        let location = format!("files[{index}]");
        let object = RequestObject::new(value, location.clone(), "an object such as {\"fileType\": \"tsv\"}")?;
        let columns = object.list("columns", "a list of columns")?;
        if columns.len() > MAX_COLUMNS {
            let message =
                format!("{location}.columns: found {} columns; expected at most {MAX_COLUMNS}", columns.len());
            return Err(DownloadError::Invalid(message));
        }
        let columns = columns
            .iter()
            .enumerate()
            .map(|(number, column)| ColumnRequest::read(column, format!("{location}.columns[{number}]")));
        let sort = object.list("sort", "a list of objects such as {\"fieldName\": \"size\", \"order\": \"desc\"}")?;
        let sort = sort.iter().enumerate().map(|(number, key)| sort_key(key, format!("{location}.sort[{number}]")));
        let is_falsy = |value: &Value| *value == false || *value == "";
        let max_rows = if object.get("maxRows").is_some_and(is_falsy) { None } else { object.count("maxRows")? };
        Ok(Self {
            file_name: object.filled_text("fileName")?,
            file_type: file_type(&object)?.unwrap_or(default_type),
            sqon: object.get("sqon").cloned().unwrap_or_default(),
            columns: columns.collect::<Result<_, _>>()?,
            sort: sort.collect::<Result<_, _>>()?,
            max_rows: max_rows.filter(|rows| *rows > 0),
            unique_by: object.field_name("uniqueBy")?,
            value_when_empty: object.text("valueWhenEmpty")?.map(str::to_owned),
            location,
        })
    }
}

impl ColumnRequest {
    fn read(value: &Value, location: String) -> Result<Self, DownloadError> {
        if let Value::String(name) = value {
            let field_name = Some(check_field_name(&location, name)?);
            return Ok(Self { location, field_name, ..Self::default() });
        }
        let object = RequestObject::new(value, location.clone(), "an object such as {\"fieldName\": \"size\"}")?;
        let display_values = ["extendedDisplayValues", "displayValues"].into_iter().find_map(|key| object.get(key));
        let display_values = match display_values {
            None => Map::new(),
            Some(Value::Object(values)) => values.clone(),
            Some(other) => return Err(unexpected(&object.location_of("displayValues"), other, "an object")),
        };
        // Portals put components there too, which are ignored.
        let header = object.get("Header").and_then(Value::as_str).map(str::to_owned);
        let column = Self {
            field_name: object.field_name("fieldName")?,
            accessor: object.field_name("accessor")?,
            json_path: object.field_name("jsonPath")?,
            label: object.filled_text("displayName")?.or(header),
            types: [object.filled_text("displayType")?, object.filled_text("type")?].into_iter().flatten().collect(),
            display_format: object.filled_text("displayFormat")?,
            display_values,
            is_array: object.flag("isArray")?,
            show: object.flag("show")?,
            location,
        };
        match (&column.field_name, &column.accessor, &column.json_path) {
            (None, None, None) => {
                Err(unexpected(&column.location, value, "`fieldName`, `accessor` or `jsonPath` in it"))
            }
            _ => Ok(column),
        }
    }
}

fn parse_json(text: &str) -> Result<Value, DownloadError> {
    parse_nested_json(text.as_bytes()).map_err(|error| {
        DownloadError::Invalid(format!(
            "params: found {}, which is no JSON ({error}); expected {REQUEST_FORM}",
            quote(text)
        ))
    })
}

/// Reads the filter of an address.
fn filter_of(text: &str) -> Result<Value, DownloadError> {
    parse_nested_json(text.as_bytes()).map_err(|error| {
        let found = format!("{}, which is no JSON ({error})", quote(text));
        DownloadError::Invalid(format!("filters: found {found}; expected a filter (SQON) as JSON"))
    })
}

/// Reads a sort key of an address: the name of a field, with a minus before it for the opposite order.
fn sort_of(text: &str) -> Value {
    match text.strip_prefix('-') {
        Some(name) => json!({ "fieldName": name, "order": "desc" }),
        None => json!({ "fieldName": text, "order": "asc" }),
    }
}

fn file_type(object: &RequestObject<'_>) -> Result<Option<FileType>, DownloadError> {
    let Some(name) = object.filled_text("fileType")? else { return Ok(None) };
    match FileType::of_name(&name.to_ascii_lowercase()) {
        Some(file_type) => Ok(Some(file_type)),
        None => Err(unexpected(&object.location_of("fileType"), &Value::from(name), &one_of(&FileType::NAMES))),
    }
}

/// Checks the keywords of a sort key; its field is checked against the catalogue later.
fn sort_key(value: &Value, location: String) -> Result<Value, DownloadError> {
    let object =
        RequestObject::new(value, location, "an object such as {\"fieldName\": \"size\", \"order\": \"desc\"}")?;
    let words = [
        ("order", object.word("order", &["asc", "desc"])?),
        ("mode", object.word("mode", &["min", "max", "sum", "avg"])?),
        ("missing", object.word("missing", &["first", "last"])?),
    ];
    let mut key = Map::new();
    key.insert("fieldName".to_owned(), object.text("fieldName")?.unwrap_or_default().into());
    key.extend(words.into_iter().filter_map(|(name, word)| Some((name.to_owned(), word?.into()))));
    Ok(key.into())
}
