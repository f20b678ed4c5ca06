//! The studies that are marked public: everybody may read what is published of them.

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::str::FromStr;

/// The studies that are marked public; none by default.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PublicStudies {
    /// All.
    All,
    /// These.
    Only(BTreeSet<String>),
}

impl Default for PublicStudies {
    fn default() -> Self {
        Self::Only(BTreeSet::new())
    }
}

impl FromStr for PublicStudies {
    type Err = Infallible;

    /// Reads ids of studies that are separated by commas; `*` alone means all.
    fn from_str(text: &str) -> Result<Self, Infallible> {
        let ids = text.split(',').map(str::trim).filter(|id| !id.is_empty());
        Ok(if text.trim() == "*" { Self::All } else { Self::Only(ids.map(str::to_owned).collect()) })
    }
}

impl PublicStudies {
    /// Returns whether no study can be public.
    pub fn is_empty(&self) -> bool {
        matches!(self, Self::Only(ids) if ids.is_empty())
    }

    /// Returns whether a study is marked public; ids are compared to the letter.
    pub fn contains(&self, study: &str) -> bool {
        match self {
            Self::All => true,
            Self::Only(ids) => ids.contains(study),
        }
    }
}
