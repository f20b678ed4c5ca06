//! The responses to downloads in the OpenAPI document, the same for a catalogue by its name and for the only one.

use std::collections::BTreeMap;

use utoipa::openapi::{Array, Content, HeaderBuilder, Object, Ref, RefOr, Response, ResponseBuilder, Type};
use utoipa::{IntoResponses, PartialSchema, ToSchema};

use crate::openapi::schemas::SearchRefusal;

const TEXT: &str = "text/plain";
const JSON: &str = "application/json";
const ARCHIVE: &str = "application/gzip";

/// The content types of files.
const CONTENT_TYPES: [&str; 8] = [
    TEXT,
    "text/csv",
    JSON,
    "application/x-ndjson",
    ARCHIVE,
    "application/vnd.apache.parquet",
    "application/vnd.apache.arrow.stream",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
];

/// The responses to a request for one file.
pub(super) struct OneFile;

/// The responses to a request for any number of files.
pub(super) struct AnyFiles;

impl IntoResponses for OneFile {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        let file = ResponseBuilder::new().description("The file");
        responses(CONTENT_TYPES.into_iter().filter(|name| *name != ARCHIVE).fold(file, with_content))
    }
}

impl IntoResponses for AnyFiles {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        let description = "The files that their limit of rows cut, such as `files[0]=100`";
        let limit = HeaderBuilder::new().schema(Some(String::schema())).description(Some(description));
        let files = ResponseBuilder::new().description("The file, or an archive of several");
        responses(CONTENT_TYPES.into_iter().fold(files.header("X-Row-Limit", limit.build()), with_content))
    }
}

fn with_content(response: ResponseBuilder, content_type: &str) -> ResponseBuilder {
    let records = || Content::new(Some(Array::new(Object::with_type(Type::Object))));
    response.content(content_type, if content_type == JSON { records() } else { text() })
}

fn responses(file: ResponseBuilder) -> BTreeMap<String, RefOr<Response>> {
    let refusal = ResponseBuilder::new()
        .description("What is wrong with the request, or with the catalogue")
        .content(TEXT, text())
        .content(JSON, Content::new(Some(Ref::from_schema_name(SearchRefusal::name()))));
    BTreeMap::from([("200".to_owned(), file.into()), ("default".to_owned(), refusal.into())])
}

fn text() -> Content {
    Content::new(Some(String::schema()))
}
