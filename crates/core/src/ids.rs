//! Ids of analyses and files.
//!
//! An analysis id is a random UUID whose first 48 bits are its creation time. So analyses are stored, indexed and listed
//! in the order of their submission: a new one goes to the end, and a client that pages through a listing while others
//! submit skips none and sees none twice. A file's object id is computed from the analysis id and the file name, so that
//! storage servers and clients that derive it themselves compute the same id.

use std::fmt;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::Timestamp;

macro_rules! uuid_id {
    ($(#[$doc:meta])+ $name:ident) => {
        $(#[$doc])+
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(Uuid);

        impl $name {
            /// Parses the canonical form (lower case, hyphens); any other text is no id.
            pub fn parse(text: &str) -> Option<Self> {
                let id = Uuid::try_parse(text).ok()?;
                let mut canonical = Uuid::encode_buffer();
                (id.hyphenated().encode_lower(&mut canonical) == text).then_some(Self(id))
            }

            /// Returns the id's sixteen bytes; their order is the order of the text form.
            pub fn as_bytes(&self) -> &[u8; 16] {
                self.0.as_bytes()
            }

            /// Rebuilds an id from its sixteen bytes.
            pub fn from_bytes(bytes: [u8; 16]) -> Self {
                Self(Uuid::from_bytes(bytes))
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.hyphenated().fmt(f)
            }
        }
    };
}

uuid_id! {
    /// Identifies an analysis.
    AnalysisId
}

uuid_id! {
    /// Identifies a file, here and in object storage.
    ObjectId
}

impl AnalysisId {
    /// Generates a new id.
    pub fn generate() -> Self {
        let mut bytes = *Uuid::new_v4().as_bytes();
        let [_, _, time @ ..] = Timestamp::now().as_millis().to_be_bytes();
        bytes[..time.len()].copy_from_slice(&time);
        Self(Uuid::from_bytes(bytes))
    }
}

impl ObjectId {
    /// Returns the object id of a file of an analysis.
    pub fn of(analysis_id: AnalysisId, file_name: &str) -> Self {
        Self(name_based(&format!("{analysis_id}:{file_name}")))
    }
}

fn name_based(name: &str) -> Uuid {
    Uuid::new_v5(&Uuid::NAMESPACE_OID, name.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn object_ids_follow_the_published_vectors() {
        for (name, expected) in [
            ("parameter1_1:parameter2_1", "8540ebac-66f2-553a-b865-0d3006edd892"),
            ("parameter1_1:parameter2_2", "57f844eb-4ab4-5d3d-8dc1-8b7a463e20c1"),
            ("parameter1_2:parameter2_1", "b4f5aea1-1f4c-5e12-8557-76dbadb26239"),
        ] {
            assert_eq!(name_based(name).to_string(), expected);
        }
    }

    #[test]
    fn analysis_ids_are_random_and_in_the_order_of_time() {
        let ids: Vec<AnalysisId> = (0..1_000).map(|_| AnalysisId::generate()).collect();
        let time = |id: &AnalysisId| id.as_bytes()[..6].to_vec();
        assert!(ids.is_sorted_by_key(time));
        let different: std::collections::HashSet<&AnalysisId> = ids.iter().collect();
        assert_eq!(different.len(), ids.len());
        assert!(ids.iter().all(|id| id.0.get_version_num() == 4));
    }

    #[test]
    fn only_the_canonical_form_is_an_id() {
        let id = AnalysisId::generate();
        assert_eq!(AnalysisId::parse(&id.to_string()), Some(id));
        assert_eq!(AnalysisId::parse(&id.to_string().to_uppercase()), None);
        assert_eq!(AnalysisId::parse(&id.to_string().replace('-', "")), None);
        assert_eq!(AnalysisId::parse("publish"), None);
    }
}
