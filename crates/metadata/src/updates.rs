//! Updating the dynamic data of an analysis: replacing it, possibly under another type version, or patching it.

use cantata_core::{AnalysisTypeId, Error, ErrorId, ErrorOrigin, EventAction, Result, Timestamp};
use cantata_schema::join_violations;
use serde_json::{Map, Value, json};

use crate::MetadataService;
use crate::optimistic_update::{MAX_UPDATE_ATTEMPTS, contention_error};
use crate::payload::read_type_reference;
use crate::types::CompiledType;

impl MetadataService {
    /// Replaces the dynamic data, and with it the type version.
    pub async fn replace_data(&self, study_id: &str, analysis_id: &str, body: Map<String, Value>) -> Result<()> {
        self.stored_analysis(study_id, analysis_id).await?;
        let body = Value::Object(body);
        require_type_members(&body)?;
        let named = read_type_reference(&body)?;
        let compiled = self.compiled_type(named.name, named.version, ErrorOrigin::AnalysisServiceImpl).await?;
        let data = checked_data(&compiled, body)?;
        self.change(study_id, analysis_id, |analysis| {
            // The types of files never change, so only another version can reject them.
            if analysis.analysis_type != compiled.id {
                let files = analysis.files.iter().map(|file| (file.file_name.as_str(), file.file_type.as_str()));
                compiled.check_file_types(ErrorOrigin::AnalysisServiceImpl, files)?;
            }
            analysis.analysis_type = compiled.id.clone();
            analysis.data = data.clone();
            analysis.updated_at = Timestamp::now();
            Ok((Some(EventAction::Update), ()))
        })
        .await
    }

    /// Merges a patch (RFC 7386) into the dynamic data; the type version stays.
    pub async fn patch_data(&self, study_id: &str, analysis_id: &str, patch: Map<String, Value>) -> Result<()> {
        for _ in 0..MAX_UPDATE_ATTEMPTS {
            let draft = self.draft(study_id, analysis_id).await?;
            let mut after = draft.analysis().clone();
            self.require_latest(&after.analysis_type, ErrorOrigin::AnalysisServiceImpl).await?;
            let AnalysisTypeId { name, version } = &after.analysis_type;
            let compiled = self.compiled_version(name, *version).await?;
            let mut merged = std::mem::take(&mut after.data);
            merge_patch(&mut merged, patch.clone());
            merged.insert("analysisType".to_owned(), json!({"name": name, "version": version}));
            after.data = checked_data(&compiled, Value::Object(merged))?;
            after.updated_at = Timestamp::now();
            if self.store_draft(&draft, &after, EventAction::Update).await? {
                return Ok(());
            }
        }
        Err(contention_error(analysis_id))
    }
}

fn require_type_members(body: &Value) -> Result<()> {
    let missing = |field: &str| {
        let text = format!("The updateAnalysisRequest does not contain the field '{field}'");
        Err(Error::malformed_parameter(ErrorOrigin::AnalysisServiceImpl, text))
    };
    match &body["analysisType"] {
        Value::Null => missing("analysisType"),
        Value::Object(members) if members.get("name").is_none_or(Value::is_null) => missing("analysisType.name"),
        _ => Ok(()),
    }
}

/// Checks an update and returns the dynamic data it holds.
fn checked_data(compiled: &CompiledType, body: Value) -> Result<Map<String, Value>> {
    let violations = compiled.validator.validate_update(&body);
    if !violations.is_empty() {
        return Err(Error::schema_violation(ErrorOrigin::AnalysisServiceImpl, join_violations(&violations)));
    }
    let Value::Object(mut data) = body else {
        let text = "#: expected type: JSONObject";
        return Err(Error::new(ErrorOrigin::AnalysisServiceImpl, ErrorId::MalformedRequestBody, text));
    };
    data.shift_remove("analysisType");
    Ok(data)
}

/// Merges a patch into an object (RFC 7386): null removes, objects merge, anything else replaces.
pub fn merge_patch(target: &mut Map<String, Value>, patch: Map<String, Value>) {
    for (name, change) in patch {
        match change {
            Value::Null => {
                target.shift_remove(&name);
            }
            Value::Object(inner) => {
                let slot = target.entry(name).or_insert_with(|| Value::Object(Map::new()));
                if !slot.is_object() {
                    *slot = Value::Object(Map::new());
                }
                if let Value::Object(members) = slot {
                    merge_patch(members, inner);
                }
            }
            other => {
                target.insert(name, other);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patches_merge_as_the_rfc_says() {
        for (target, patch, expected) in [
            (json!({"a": "b"}), json!({"a": "c"}), json!({"a": "c"})),
            (json!({"a": "b"}), json!({"b": "c"}), json!({"a": "b", "b": "c"})),
            (json!({"a": "b", "b": "c"}), json!({"a": null}), json!({"b": "c"})),
            (json!({"a": ["b"]}), json!({"a": "c"}), json!({"a": "c"})),
            (json!({"a": {"b": "c"}}), json!({"a": {"b": "d", "c": null}}), json!({"a": {"b": "d"}})),
            (json!({"a": "foo"}), json!({"a": {"bb": {"ccc": null}}}), json!({"a": {"bb": {}}})),
            (json!({"e": null}), json!({"a": 1}), json!({"e": null, "a": 1})),
        ] {
            let (Value::Object(mut merged), Value::Object(patch)) = (target, patch) else { panic!("not objects") };
            merge_patch(&mut merged, patch);
            assert_eq!(Value::Object(merged), expected);
        }
    }
}
