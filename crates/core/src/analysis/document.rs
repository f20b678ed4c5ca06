//! Serialization of an analysis: written in one order, read member by member in one pass.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{Error, IgnoredAny, MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::{Analysis, SERVER_OWNED_FIELDS};

/// The members of a document that the analysis type describes, in document order.
pub trait DocumentData {
    /// The value of a member.
    type Value: Serialize;

    /// Returns name and value of each member.
    fn members(&self) -> impl Iterator<Item = (&str, &Self::Value)>;
}

/// Document data that can be built by deserialization.
pub trait DeserializeData<'de>: DocumentData<Value: Deserialize<'de>> + Default {
    /// Adds a member.
    fn add(&mut self, name: Cow<'de, str>, value: Self::Value);
}

impl DocumentData for Map<String, Value> {
    type Value = Value;

    fn members(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.iter().map(|(name, value)| (name.as_str(), value))
    }
}

impl<'de> DeserializeData<'de> for Map<String, Value> {
    fn add(&mut self, name: Cow<'de, str>, value: Value) {
        self.insert(name.into_owned(), value);
    }
}

impl<'a> DocumentData for Vec<(Cow<'a, str>, &'a RawValue)> {
    type Value = &'a RawValue;

    fn members(&self) -> impl Iterator<Item = (&str, &Self::Value)> {
        self.iter().map(|(name, value)| (&**name, value))
    }
}

impl<'de> DeserializeData<'de> for Vec<(Cow<'de, str>, &'de RawValue)> {
    fn add(&mut self, name: Cow<'de, str>, value: &'de RawValue) {
        self.push((name, value));
    }
}

impl<Files: Serialize, Data: DocumentData> Serialize for Analysis<Files, Data> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut document = serializer.serialize_map(None)?;
        document.serialize_entry("analysisId", &self.analysis_id)?;
        document.serialize_entry("studyId", &self.study_id)?;
        document.serialize_entry("analysisState", &self.state)?;
        document.serialize_entry("createdAt", &self.created_at)?;
        document.serialize_entry("updatedAt", &self.updated_at)?;
        document.serialize_entry("firstPublishedAt", &self.first_published_at())?;
        document.serialize_entry("publishedAt", &self.published_at())?;
        document.serialize_entry("analysisStateHistory", &self.history)?;
        document.serialize_entry("files", &self.files)?;
        document.serialize_entry("analysisType", &self.analysis_type)?;
        for (name, value) in self.data.members() {
            document.serialize_entry(name, value)?;
        }
        document.end()
    }
}

impl<'de, Files: Deserialize<'de>, Data: DeserializeData<'de>> Deserialize<'de> for Analysis<Files, Data> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(DocumentVisitor(PhantomData))
    }
}

struct DocumentVisitor<Files, Data>(PhantomData<(Files, Data)>);

/// The name of a member.
#[derive(Deserialize)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

impl<'de, Files: Deserialize<'de>, Data: DeserializeData<'de>> Visitor<'de> for DocumentVisitor<Files, Data> {
    type Value = Analysis<Files, Data>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("the document of an analysis")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self::Value, A::Error> {
        let (mut analysis_id, mut study_id, mut state) = (None, None, None);
        let (mut created_at, mut updated_at, mut history) = (None, None, None);
        let (mut files, mut analysis_type, mut data) = (None, None, Data::default());
        while let Some(Name(name)) = members.next_key()? {
            match &*name {
                "analysisId" => analysis_id = Some(members.next_value()?),
                "studyId" => study_id = Some(members.next_value()?),
                "analysisState" => state = Some(members.next_value()?),
                "createdAt" => created_at = Some(members.next_value()?),
                "updatedAt" => updated_at = Some(members.next_value()?),
                "analysisStateHistory" => history = Some(members.next_value()?),
                "files" => files = Some(members.next_value()?),
                "analysisType" => analysis_type = Some(members.next_value()?),
                // Derived from the history.
                owned if SERVER_OWNED_FIELDS.contains(&owned) => drop(members.next_value::<IgnoredAny>()?),
                _ => data.add(name, members.next_value()?),
            }
        }
        let missing = A::Error::missing_field;
        Ok(Analysis {
            analysis_id: analysis_id.ok_or_else(|| missing("analysisId"))?,
            study_id: study_id.ok_or_else(|| missing("studyId"))?,
            state: state.ok_or_else(|| missing("analysisState"))?,
            created_at: created_at.ok_or_else(|| missing("createdAt"))?,
            updated_at: updated_at.ok_or_else(|| missing("updatedAt"))?,
            history: history.ok_or_else(|| missing("analysisStateHistory"))?,
            files: files.ok_or_else(|| missing("files"))?,
            analysis_type: analysis_type.ok_or_else(|| missing("analysisType"))?,
            data,
        })
    }
}
