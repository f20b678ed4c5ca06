//! Documents made of what JSON paths find in an analysis: no field where a path finds nothing, a value where it finds one,
//! a list where it finds several.

use cantata_catalogue::{DocumentPaths, ValuePath};
use serde_json::{Map, Value};
use serde_json_path::JsonPath;

use super::DocumentError;
use super::collector::Collector;
use super::members::{Members, kind};

/// The field with the id of the analysis.
const ANALYSIS_ID: &str = "analysisId";

pub(super) fn collect(
    paths: &DocumentPaths,
    analysis: &Members<'_>,
    collector: &mut Collector,
) -> Result<(), DocumentError> {
    let analysis_id = analysis.text(ANALYSIS_ID)?;
    let whole = analysis.value()?;
    // Fields of the analysis itself are found once, however many documents repeat them.
    let mut common = Map::new();
    common.insert(ANALYSIS_ID.to_owned(), analysis_id.into());
    for (name, path) in paths.fields.iter().filter(|(_, path)| !path.is_relative) {
        insert(&mut common, name, find(&path.path, &whole));
    }
    let elements = match &paths.each {
        Some(each) => each.query(&whole).all(),
        None => vec![&whole],
    };
    collector.reserve(elements.len());
    for element in elements {
        let id = id(&paths.id, &whole, element)?;
        let mut document = common.clone();
        for (name, path) in paths.fields.iter().filter(|(_, path)| path.is_relative) {
            insert(&mut document, name, find(&path.path, element));
        }
        collector.add(id, &document)?;
    }
    Ok(())
}

fn find(path: &JsonPath, value: &Value) -> Option<Value> {
    let mut found = path.query(value).all();
    match found.len() {
        0 => None,
        1 => found.pop().cloned(),
        _ => Some(found.into_iter().cloned().collect()),
    }
}

fn id(path: &ValuePath, whole: &Value, element: &Value) -> Result<String, DocumentError> {
    let found = find(&path.path, if path.is_relative { element } else { whole });
    match found {
        Some(Value::String(text)) => Ok(text),
        Some(Value::Number(number)) => Ok(number.to_string()),
        found => {
            let found = found.map_or("nothing", |found| kind(&found.to_string()));
            Err(DocumentError::IdPath(found))
        }
    }
}

/// Inserts a value at a dotted path; missing objects around it are created.
fn insert(document: &mut Map<String, Value>, path: &str, value: Option<Value>) {
    let Some(value) = value else { return };
    match path.split_once('.') {
        None => {
            document.insert(path.to_owned(), value);
        }
        Some((name, rest)) => {
            let inner = document.entry(name).or_insert_with(|| Map::new().into());
            // No field is within another, so this is an object that was created here.
            if let Value::Object(inner) = inner {
                insert(inner, rest, Some(value));
            }
        }
    }
}
