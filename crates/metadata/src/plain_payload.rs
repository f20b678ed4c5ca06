//! Plain payloads: those whose files have the members that the base schema describes, and no others.
//!
//! Nearly all payloads are plain, and one may have thousands of files. So files are read straight from the text and
//! checked here, which takes a fraction of the time that a JSON value of each takes to be made, validated and taken
//! apart. Whatever is unusual makes a payload not plain: it is then read as any JSON, and the schema says what is wrong
//! with it, if anything is. What is plain passes the base schema.

use std::borrow::Cow;
use std::fmt;

use cantata_core::json::{MAX_JSON_DEPTH, is_exact};
use cantata_core::{AnalysisId, File, FileAccess, ObjectId};
use serde::Deserialize;
use serde::de::{Deserializer, Error, MapAccess, Visitor};
use serde_json::{Map, Value, json};

/// The member with the files.
const FILES: &str = "files";

/// How deep a member of `info` of a file may be nested: it is in four objects and arrays.
const MAX_INFO_DEPTH: usize = MAX_JSON_DEPTH - 4;

/// A payload whose files need no other check.
pub(crate) struct PlainPayload {
    /// The payload with its first file only, by which the schema of a type says whether all of it is valid.
    pub(crate) with_first_file: Value,
    pub(crate) files: Vec<PlainFile>,
}

/// A file that passes the base schema.
pub(crate) struct PlainFile {
    pub(crate) file_name: String,
    pub(crate) file_size: i64,
    pub(crate) file_type: String,
    pub(crate) file_md5sum: String,
    pub(crate) file_access: FileAccess,
    pub(crate) data_type: String,
    pub(crate) info: Map<String, Value>,
}

impl PlainPayload {
    /// Reads a payload; returns nothing if it is not plain.
    pub(crate) fn parse(payload: &[u8]) -> Option<Self> {
        let PayloadMembers { mut members, files } = serde_json::from_str(std::str::from_utf8(payload).ok()?).ok()?;
        let mut infos = files.iter().flat_map(|file| file.info.values());
        let are_exact = members.values().all(|member| is_exact(member, MAX_JSON_DEPTH - 1))
            && infos.all(|member| is_exact(member, MAX_INFO_DEPTH));
        let first = files.first().filter(|_| are_exact)?.to_value();
        members.insert(FILES.to_owned(), json!([first]));
        Some(Self { with_first_file: Value::Object(members), files })
    }
}

impl PlainFile {
    fn to_value(&self) -> Value {
        json!({
            "fileName": self.file_name,
            "fileSize": self.file_size,
            "fileType": self.file_type,
            "fileMd5sum": self.file_md5sum,
            "fileAccess": self.file_access.as_str(),
            "dataType": self.data_type,
            "info": self.info,
        })
    }

    /// Returns the file of an analysis.
    pub(crate) fn into_file(self, study_id: &str, analysis_id: AnalysisId) -> File {
        let Self { file_name, file_size, file_type, file_md5sum, file_access, data_type, info } = self;
        let object_id = ObjectId::of(analysis_id, &file_name);
        let study_id = study_id.to_owned();
        File {
            info,
            object_id,
            study_id,
            analysis_id,
            file_name,
            file_size,
            file_type,
            file_md5sum,
            file_access,
            data_type,
        }
    }
}

/// The members of a payload, its files apart.
struct PayloadMembers {
    members: Map<String, Value>,
    files: Vec<PlainFile>,
}

/// The name of a member.
#[derive(Deserialize)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

/// Why reading stops; no client sees it.
const NOT_PLAIN: &str = "the payload is not plain";

/// Sets a member; returns whether it was not set before.
fn set<T>(member: &mut Option<T>, value: T) -> bool {
    member.replace(value).is_none()
}

impl<'de> Deserialize<'de> for PayloadMembers {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(PayloadVisitor)
    }
}

struct PayloadVisitor;

impl<'de> Visitor<'de> for PayloadVisitor {
    type Value = PayloadMembers;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a payload")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut payload: A) -> Result<PayloadMembers, A::Error> {
        let not_plain = || A::Error::custom(NOT_PLAIN);
        let (mut members, mut files) = (Map::new(), None);
        while let Some(name) = payload.next_key::<String>()? {
            // The parser of any JSON has names of its own that begin with a dollar sign.
            let is_plain = !name.starts_with('$');
            if name == FILES {
                if !set(&mut files, payload.next_value::<Vec<PlainFile>>()?) {
                    return Err(not_plain());
                }
            } else if is_plain {
                let value = payload.next_value::<Value>()?;
                members.insert(name, value);
            } else {
                return Err(not_plain());
            }
        }
        Ok(PayloadMembers { members, files: files.ok_or_else(not_plain)? })
    }
}

impl<'de> Deserialize<'de> for PlainFile {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(PlainFileVisitor)
    }
}

struct PlainFileVisitor;

impl<'de> Visitor<'de> for PlainFileVisitor {
    type Value = PlainFile;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a file")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut file: A) -> Result<PlainFile, A::Error> {
        let not_plain = || A::Error::custom(NOT_PLAIN);
        let (mut file_name, mut file_type, mut file_md5sum, mut data_type) = (None, None, None, None);
        let (mut file_size, mut file_access, mut info) = (None, None, None);
        while let Some(Name(name)) = file.next_key()? {
            let is_plain = match &*name {
                "fileName" => set(&mut file_name, file.next_value::<String>()?),
                "fileSize" => set(&mut file_size, file.next_value::<i64>()?),
                "fileType" => set(&mut file_type, file.next_value::<String>()?),
                "fileMd5sum" => set(&mut file_md5sum, file.next_value::<String>()?),
                "fileAccess" => set(&mut file_access, file.next_value::<String>()?),
                "dataType" => set(&mut data_type, file.next_value::<String>()?),
                "info" => set(&mut info, file.next_value::<Value>()?),
                _ => false,
            };
            if !is_plain {
                return Err(not_plain());
            }
        }
        let info = match info {
            None => Map::new(),
            Some(Value::Object(info)) => info,
            Some(_) => return Err(not_plain()),
        };
        Ok(PlainFile {
            file_name: file_name.filter(|name| is_file_name(name)).ok_or_else(not_plain)?,
            file_size: file_size.filter(|size| *size >= 0).ok_or_else(not_plain)?,
            file_type: file_type.ok_or_else(not_plain)?,
            file_md5sum: file_md5sum.filter(|md5| is_md5(md5)).ok_or_else(not_plain)?,
            file_access: file_access.and_then(|access| FileAccess::parse(&access)).ok_or_else(not_plain)?,
            data_type: data_type.ok_or_else(not_plain)?,
            info,
        })
    }
}

/// Says what the pattern of file names in the base schema says.
fn is_file_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.-[]()".contains(&byte))
}

/// Says what the pattern of checksums in the base schema says.
fn is_md5(md5: &str) -> bool {
    md5.len() == 32 && md5.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use cantata_core::json::parse_exact_json;
    use cantata_schema::{PayloadValidator, builtin_types};

    use super::*;
    use crate::payload::{PayloadParts, split_payload, split_plain};

    fn file() -> Value {
        json!({
            "info": {"tools": ["a", {"b": null}], "n": 1.5},
            "fileName": "a-[1](2)_.bam",
            "fileSize": 17,
            "fileType": "BAM",
            "fileMd5sum": "595f44fec1e92a71d3e9e77456ba80dF",
            "fileAccess": "controlled",
            "dataType": "ü",
        })
    }

    fn payload(files: &Value) -> Value {
        json!({
            "studyId": "S",
            "files": files,
            "analysisType": {"name": "variantCall"},
            "experiment": {"variantCallingTool": "t", "matchedNormalSampleSubmitterId": "m"},
            "more": [1, 2],
        })
    }

    /// Returns a payload with a file of which a member has another value, or none.
    fn with_member(name: &str, value: Option<Value>) -> Value {
        let mut changed = file();
        match value {
            Some(value) => changed[name] = value,
            None => drop(changed.as_object_mut().unwrap().shift_remove(name)),
        }
        payload(&json!([file(), changed]))
    }

    fn is_plain(payload: &Value) -> bool {
        PlainPayload::parse(payload.to_string().as_bytes()).is_some()
    }

    #[test]
    fn a_plain_payload_is_what_it_would_be_as_any_json() {
        let mut second = file();
        second["fileName"] = json!("b.bam");
        let mut without_info = file();
        without_info["fileName"] = json!("c.bam");
        without_info.as_object_mut().unwrap().shift_remove("info");
        let text = payload(&json!([file(), second, without_info])).to_string();
        let analysis_id = AnalysisId::generate();
        let plain = split_plain(PlainPayload::parse(text.as_bytes()).unwrap(), "S", analysis_id);
        let any = split_payload(parse_exact_json(text.as_bytes()).unwrap(), "S", analysis_id);
        let (Ok(plain), Ok(any)) = (plain, any) else { panic!("it is valid") };
        assert_eq!(plain.files, any.files);
        let data = |parts: &PayloadParts| serde_json::to_string(&parts.data).unwrap();
        assert_eq!(data(&plain), data(&any));
        let twice = payload(&json!([file(), file()])).to_string();
        let plain = split_plain(PlainPayload::parse(twice.as_bytes()).unwrap(), "S", analysis_id).err();
        let any = split_payload(parse_exact_json(twice.as_bytes()).unwrap(), "S", analysis_id).err();
        assert!(plain.is_some() && plain == any, "{plain:?}");
    }

    #[test]
    fn what_the_schema_rejects_or_other_code_has_to_read_is_not_plain() {
        let builtin = builtin_types().iter().find(|builtin| builtin.id.name == "variantCall").unwrap();
        let validator = PayloadValidator::compile(&builtin.schema).unwrap();
        assert!(validator.has_base_files());
        for (name, values) in [
            ("fileName", vec![json!(""), json!("a b"), json!("a/b"), json!("ü"), json!("a\n"), json!(1), Value::Null]),
            ("fileSize", vec![json!(-1), json!(1.5), json!("1"), Value::Null]),
            ("fileType", vec![json!(1), Value::Null, json!([])]),
            ("fileMd5sum", vec![json!("59"), json!("g".repeat(32)), json!("é".repeat(16)), json!(7)]),
            ("fileAccess", vec![json!("OPEN"), json!({"open": null}), Value::Null]),
            ("dataType", vec![json!({}), Value::Null]),
            ("info", vec![json!([]), json!("x"), Value::Null]),
        ] {
            for value in values {
                let changed = with_member(name, Some(value));
                assert!(!validator.validate_submission(&changed).is_empty() && !is_plain(&changed), "{changed}");
            }
            let without = with_member(name, None);
            assert_eq!(validator.validate_submission(&without).is_empty(), is_plain(&without), "{without}");
        }
        for valid in ["a", "Z9_.-[]()", "0"].map(|name| with_member("fileName", Some(json!(name)))) {
            assert!(validator.validate_submission(&valid).is_empty() && is_plain(&valid), "{valid}");
        }
        let as_list = json!(["a", "BAM", "controlled"]);
        let mut deep = json!(1);
        (0..MAX_INFO_DEPTH + 1).for_each(|_| deep = json!([deep]));
        for other in [
            payload(&json!([])),
            payload(&json!({})),
            payload(&json!([file(), as_list])),
            with_member("comp", Some(json!("gzip"))),
            with_member("objectId", Some(json!("mine"))),
            with_member("fileSize", Some(json!(3.0))),
            with_member("info", Some(json!({"large": 1e40}))),
            with_member("info", Some(json!({"deep": deep}))),
            json!([payload(&json!([file()]))]),
        ] {
            assert!(!is_plain(&other), "{other}");
        }
        let text = payload(&json!([file()])).to_string();
        assert!(PlainPayload::parse(text.as_bytes()).is_some());
        for other in [
            text.replacen("\"files\"", "\"files\":[],\"files\"", 1),
            text.replacen("\"fileType\"", "\"fileType\":\"x\",\"fileType\"", 1),
            text.replacen("\"more\"", "\"$more\"", 1),
            text.replacen("17", "9223372036854775808", 1),
            format!("{text}x"),
            text[..text.len() - 1].to_owned(),
        ] {
            assert!(PlainPayload::parse(other.as_bytes()).is_none(), "{other}");
        }
    }
}
