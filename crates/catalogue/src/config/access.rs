//! The section `access`: which identities see which records, fields and counts.
//!
//! Unlike elsewhere an unknown key is an error, as is a rule without a filter or a file without rules: each could be a
//! mistake that grants more than intended.

use cantata_mapping::describe;
use serde_json::Value;

use super::merge::ConfigFile;
use super::reader::{ConfigReader, ConfigSection};
use crate::access::{
    AccessRules, EVERYBODY, FieldRestriction, FieldRule, FilterTemplate, RecordRule, SuppressRule, TemplateError,
};
use crate::problem::ConfigProblem;

/// The key of the rules.
pub(crate) const ACCESS: &str = "access";

/// The file that may have nothing but rules.
const FILE: &str = "access.json";

const SCOPE: &str = "a scope that is not empty, or \"*\" for everybody";

/// Returns the problems of access rules across files, before the files are merged.
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

/// Reads the rules; `None` if there are none.
pub(super) fn read<'a>(reader: &mut ConfigReader<'a>, root: &ConfigSection<'a>) -> Option<AccessRules> {
    let access = reader.section(root, ACCESS)?;
    reader.reject_unknown(&access, &["records", "fields", "suppress"]);
    reader.require(&access, "records", "a list of rules; one with \"*\" and null opens all");
    let records = reader.sections(&access, "records").unwrap_or_default();
    if access.object.contains_key("fields") {
        reader.require(&access, "fields", "a list of rules");
    }
    let fields = reader.sections(&access, "fields").unwrap_or_default();
    Some(AccessRules {
        records: records.iter().filter_map(|section| record_rule(reader, section)).collect(),
        fields: fields.iter().filter_map(|section| field_rule(reader, section)).collect(),
        suppress: suppress(reader, &access),
    })
}

fn record_rule(reader: &mut ConfigReader<'_>, section: &ConfigSection<'_>) -> Option<RecordRule> {
    reader.reject_unknown(section, &["scope", "filter"]);
    let scope = reader.required_text(section, "scope", SCOPE);
    let filter = match section.object.get("filter") {
        None => {
            reader.fail(section.key_of("filter"), "nothing", "a filter, or null for all records");
            None
        }
        Some(Value::Null) => Some(None),
        Some(filter) => match FilterTemplate::parse(filter) {
            Ok(template) => Some(Some(template)),
            Err(TemplateError { found, expected }) => {
                reader.fail(section.key_of("filter"), found, expected);
                None
            }
        },
    };
    Some(RecordRule { scope: scope?, filter: filter?, key: section.key.clone() })
}

fn field_rule(reader: &mut ConfigReader<'_>, section: &ConfigSection<'_>) -> Option<FieldRule> {
    reader.reject_unknown(section, &["hide", "mask", "as", "unless"]);
    let unless = scopes(reader, section);
    let (name, restriction) = match (section.object.get("hide"), section.object.get("mask")) {
        (Some(_), None) => ("hide", FieldRestriction::Hide),
        (None, Some(_)) => ("mask", FieldRestriction::Mask(reader.text(section, "as"))),
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
    let keyed = |(index, path): (usize, String)| (path, format!("{key}[{index}]"));
    Some(FieldRule { paths: paths?.into_iter().enumerate().map(keyed).collect(), restriction, unless })
}

fn suppress(reader: &mut ConfigReader<'_>, access: &ConfigSection<'_>) -> Option<SuppressRule> {
    let value = access.object.get("suppress")?;
    let Some(object) = value.as_object() else {
        reader.fail(access.key_of("suppress"), describe(value), "an object such as {\"below\": 10}");
        return None;
    };
    let section = ConfigSection { object, key: access.key_of("suppress") };
    reader.reject_unknown(&section, &["below", "unless"]);
    let unless = scopes(reader, &section);
    reader.require(&section, "below", "the least count that is shown, from 2 on");
    let threshold = reader.count(&section, "below", 2)?;
    Some(SuppressRule { threshold: threshold.into(), unless })
}

/// Reads the scopes that are exempt from a rule.
fn scopes(reader: &mut ConfigReader<'_>, section: &ConfigSection<'_>) -> Vec<String> {
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
