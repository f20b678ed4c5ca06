//! What `access.json` says: who may see which records, fields and counts.
//!
//! Nothing here is passed over: a key that is not known, a rule without a filter or a file without rules is an error,
//! since each could be a mistake that leaves something open.

use serde_json::Value;

use super::merge::ConfigFile;
use super::reader::{Reader, Section};
use crate::access::{AccessRules, Cover, EVERYBODY, FieldRule, RecordRule, SuppressRule, Template};
use crate::problem::{ConfigProblem, describe};

/// The key of the rules.
pub(crate) const ACCESS: &str = "access";

/// The file that has nothing but rules.
const FILE: &str = "access.json";

const SCOPE: &str = "a scope that is not empty, or \"*\" for everybody";

/// Returns what is wrong with how files speak of access, before they are read as one.
pub(super) fn misplaced(files: &[ConfigFile]) -> Vec<ConfigProblem> {
    let mut problems = Vec::new();
    let mut first: Option<&str> = None;
    for ConfigFile { name, value } in files {
        let is_own = name.rsplit('/').next() == Some(FILE);
        let expected = "rules such as {\"access\": {\"records\": [{\"scope\": \"*\", \"filter\": null}]}}";
        match value.get(ACCESS) {
            None if is_own => problems.push(ConfigProblem::error(name, ACCESS, "nothing", expected)),
            None => {}
            Some(Value::Null) => problems.push(ConfigProblem::error(name, ACCESS, "null", expected)),
            Some(_) => match first {
                Some(other) => {
                    let found = format!("rules here and in {other}");
                    problems.push(ConfigProblem::error(name, ACCESS, found, "the key in one of the files only"));
                }
                None => first = Some(name),
            },
        }
        let keys = value.as_object().into_iter().flat_map(|object| object.keys());
        for key in keys.filter(|key| is_own && ![ACCESS, "$schema"].contains(&key.as_str())) {
            problems.push(ConfigProblem::error(name, key, "a key beside the rules", format!("`{ACCESS}` alone")));
        }
    }
    problems
}

/// Reads the rules; nothing if there are none.
pub(super) fn read<'a>(reader: &mut Reader<'a>, whole: &Section<'a>) -> Option<AccessRules> {
    let access = reader.section(whole, ACCESS)?;
    reader.only(&access, &["records", "fields", "suppress"]);
    let records = required_entries(reader, &access, "records", "a list of rules; one with \"*\" and null opens all");
    let fields = match access.object.get("fields") {
        None => Vec::new(),
        Some(_) => required_entries(reader, &access, "fields", "a list of rules"),
    };
    Some(AccessRules {
        records: records.iter().filter_map(|section| record_rule(reader, section)).collect(),
        fields: fields.iter().filter_map(|section| field_rule(reader, section)).collect(),
        suppress: suppress(reader, &access),
    })
}

fn record_rule(reader: &mut Reader<'_>, section: &Section<'_>) -> Option<RecordRule> {
    reader.only(section, &["scope", "filter"]);
    let scope = reader.required_text(section, "scope", SCOPE);
    let filter = match section.object.get("filter") {
        None => {
            reader.fail(section.key_of("filter"), "nothing", "a filter, or null for all records");
            None
        }
        Some(Value::Null) => Some(None),
        Some(filter) => match Template::parse(filter) {
            Ok(template) => Some(Some(template)),
            Err((found, expected)) => {
                reader.fail(section.key_of("filter"), found, expected);
                None
            }
        },
    };
    Some(RecordRule { scope: scope?, filter: filter?, key: section.key.clone() })
}

fn field_rule(reader: &mut Reader<'_>, section: &Section<'_>) -> Option<FieldRule> {
    reader.only(section, &["hide", "mask", "as", "unless"]);
    let unless = scopes(reader, section);
    let (name, cover) = match (section.object.get("hide"), section.object.get("mask")) {
        (Some(_), None) => ("hide", Cover::Hide),
        (None, Some(_)) => ("mask", Cover::Mask(reader.text(section, "as"))),
        (found, _) => {
            let found = if found.is_some() { "both `hide` and `mask`" } else { "neither `hide` nor `mask`" };
            reader.fail(section.key.clone(), found, "one of them, a list of dotted paths");
            return None;
        }
    };
    if name == "hide" && section.object.contains_key("as") {
        reader.fail(section.key_of("as"), "a text for hidden fields", "`as` beside `mask` only");
    }
    let key = section.key_of(name);
    let paths = reader.filled_texts(section, name, "a list of dotted paths, at least one");
    let keyed = |(place, path): (usize, String)| (path, format!("{key}[{place}]"));
    Some(FieldRule { paths: paths?.into_iter().enumerate().map(keyed).collect(), cover, unless })
}

fn suppress(reader: &mut Reader<'_>, access: &Section<'_>) -> Option<SuppressRule> {
    let value = access.object.get("suppress")?;
    let Some(object) = value.as_object() else {
        reader.fail(access.key_of("suppress"), describe(value), "an object such as {\"below\": 10}");
        return None;
    };
    let section = Section { object, key: access.key_of("suppress") };
    reader.only(&section, &["below", "unless"]);
    let unless = scopes(reader, &section);
    if object.get("below").is_none_or(Value::is_null) {
        reader.fail(section.key_of("below"), "nothing", "the least count that is shown, from 2 on");
        return None;
    }
    let below = reader.count(&section, "below", 2)?;
    Some(SuppressRule { below: below.into(), unless })
}

/// Reads the scopes of those whom a rule does not speak of.
fn scopes(reader: &mut Reader<'_>, section: &Section<'_>) -> Vec<String> {
    const EXPECTED: &str = "a list of scopes, without \"*\"";
    if !section.object.contains_key("unless") {
        return Vec::new();
    }
    let scopes = reader.filled_texts(section, "unless", EXPECTED).unwrap_or_default();
    if scopes.iter().any(|scope| scope == EVERYBODY) {
        reader.fail(section.key_of("unless"), "\"*\", so that the rule speaks of nobody", EXPECTED);
    }
    scopes
}

/// Reads the objects of a list that must be there.
fn required_entries<'a>(
    reader: &mut Reader<'a>,
    section: &Section<'a>,
    name: &str,
    expected: &str,
) -> Vec<Section<'a>> {
    if section.object.get(name).is_none_or(Value::is_null) {
        reader.fail(section.key_of(name), "nothing", expected);
    }
    reader.entries(section, name).unwrap_or_default()
}
