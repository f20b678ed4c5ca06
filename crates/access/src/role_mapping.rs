//! The mapping of groups and roles, as an identity provider names them, to scopes.
//!
//! ```json
//! {"claims": ["groups"], "scopes": {"curators": ["STUDY.ABC.WRITE"], "administrators": ["song.WRITE"]}}
//! ```
//!
//! A group that is not in the mapping grants nothing. Names are compared to the letter.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::token::claim_at;

/// The claims with groups and roles if the mapping names none: the usual ones, and that of Keycloak.
const DEFAULT_CLAIMS: [&str; 3] = ["groups", "roles", "realm_access.roles"];

/// Which scopes groups and roles grant.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RoleMapping {
    /// The claims with names of groups and roles, as dotted paths.
    #[serde(default)]
    claims: Vec<String>,
    /// The scopes of each group or role.
    scopes: BTreeMap<String, Vec<String>>,
}

/// Why a text is no mapping of groups and roles.
#[derive(Debug, thiserror::Error)]
pub enum RoleMappingError {
    /// It is no JSON of a mapping.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    /// A scope that no credential can have.
    #[error("scopes.{role}: found '{scope}', expected a text without spaces such as STUDY.ABC.WRITE")]
    Scope {
        /// The group or role.
        role: String,
        /// The scope.
        scope: String,
    },
}

impl RoleMapping {
    /// Reads a mapping.
    ///
    /// # Errors
    ///
    /// If it is no mapping.
    pub fn parse(text: &[u8]) -> Result<Self, RoleMappingError> {
        let mapping: Self = serde_json::from_slice(text)?;
        let is_wrong = |scope: &&String| scope.is_empty() || scope.chars().any(|c| c.is_whitespace() || c.is_control());
        for (role, scopes) in &mapping.scopes {
            if let Some(wrong) = scopes.iter().find(is_wrong) {
                return Err(RoleMappingError::Scope { role: role.clone(), scope: wrong.clone() });
            }
        }
        Ok(mapping)
    }

    /// Adds the scopes that the groups and roles in the claims of a token grant.
    pub(crate) fn add_scopes(&self, claims: &Map<String, Value>, scopes: &mut BTreeSet<String>) {
        let names = match self.claims.is_empty() {
            true => group_names(claims),
            false => names_in(claims, self.claims.iter().map(String::as_str)),
        };
        scopes.extend(names.into_iter().filter_map(|name| self.scopes.get(name)).flatten().cloned());
    }
}

/// Returns the names of groups and roles in claims.
pub(crate) fn group_names(claims: &Map<String, Value>) -> Vec<&str> {
    names_in(claims, DEFAULT_CLAIMS)
}

/// Returns the names in the claims at some paths, each a text or a list of texts.
fn names_in<'c, 'p>(claims: &'c Map<String, Value>, paths: impl IntoIterator<Item = &'p str>) -> Vec<&'c str> {
    let mut names = Vec::new();
    for value in paths.into_iter().filter_map(|path| claim_at(claims, path)) {
        match value {
            Value::String(name) => names.push(name.as_str()),
            Value::Array(list) => names.extend(list.iter().filter_map(Value::as_str)),
            _ => {}
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn granted(mapping: &Value, claims: &Value) -> Vec<String> {
        let mapping = RoleMapping::parse(mapping.to_string().as_bytes()).unwrap();
        let mut scopes = BTreeSet::new();
        mapping.add_scopes(claims.as_object().unwrap(), &mut scopes);
        scopes.into_iter().collect()
    }

    #[test]
    fn groups_and_roles_grant_what_the_mapping_says_and_others_nothing() {
        let mapping = json!({"scopes": {"curators": ["STUDY.A.WRITE", "STUDY.B.READ"], "admins": ["song.WRITE"]}});
        assert_eq!(granted(&mapping, &json!({"groups": ["curators", "x"]})), ["STUDY.A.WRITE", "STUDY.B.READ"]);
        assert_eq!(granted(&mapping, &json!({"realm_access": {"roles": ["admins"]}, "roles": "x"})), ["song.WRITE"]);
        for none in [json!({}), json!({"groups": ["Curators", "curators "]}), json!({"groups": {"admins": true}})] {
            assert!(granted(&mapping, &none).is_empty(), "{none}");
        }
        let named = json!({"claims": ["teams"], "scopes": {"admins": ["song.WRITE"]}});
        assert!(granted(&named, &json!({"groups": ["admins"]})).is_empty());
        assert_eq!(granted(&named, &json!({"teams": "admins"})), ["song.WRITE"]);
    }

    #[test]
    fn what_is_no_mapping_is_told_by_its_place() {
        for (text, part) in [
            ("{", "EOF"),
            ("{}", "scopes"),
            (r#"{"scopes": {}, "groups": []}"#, "groups"),
            (r#"{"scopes": {"a": ["b c"]}}"#, "scopes.a: found 'b c'"),
            (r#"{"scopes": {"a": [""]}}"#, "scopes.a: found ''"),
        ] {
            let error = RoleMapping::parse(text.as_bytes()).unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
