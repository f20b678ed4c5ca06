//! The ids of catalogues: unique, usable in paths, and not reserved by the server.

use std::collections::HashSet;
use std::path::Path;

use crate::problem::ConfigProblem;

const KEY: &str = "catalogId";

/// How many digits of a hash make an id unique.
const HASH_DIGITS: usize = 8;

/// The first segments of the server's paths, and the names below `/introspection`. A test of the server compares them
/// with its routes.
const OWN_ADDRESSES: [&str; 30] = [
    ".well-known",
    "_es",
    "actuator",
    "admin",
    "assets",
    "auth",
    "docs",
    "download",
    "entities",
    "events",
    "export",
    "favicon.ico",
    "fields",
    "graphql",
    "health",
    "introspection",
    "isAlive",
    "mcp",
    "metrics",
    "openapi.json",
    "ping",
    "portal",
    "ready",
    "schemas",
    "sets",
    "sheets",
    "sqon",
    "studies",
    "submit",
    "upload",
];

/// Those of the search service, which do not depend on case.
const SEARCH_ADDRESSES: [&str; 5] = ["download", "fields", "graphql", "introspection", "sqon"];

/// The ids that are in use.
#[derive(Debug, Default)]
pub(super) struct CatalogueIds {
    taken: HashSet<String>,
}

impl CatalogueIds {
    /// Assigns an id; a duplicate gets a suffix derived from the folder, with a warning.
    pub(super) fn take(
        &mut self,
        wanted: String,
        folder: &Path,
        display_name: &str,
    ) -> (String, Option<ConfigProblem>) {
        if self.taken.insert(wanted.clone()) {
            return (wanted, None);
        }
        let mut id = format!("{wanted}-{}", short_hash(&format!("{wanted}:{}", folder.display())));
        while !self.taken.insert(id.clone()) {
            id.push('_');
        }
        let found = format!("{wanted:?}, which another catalogue has too");
        let expected = format!("an id for each catalogue; this one is served as {id:?}");
        (id, Some(ConfigProblem::warning(display_name, KEY, found, expected)))
    }
}

/// Returns the id of a catalogue whose folder has a generic name.
pub(super) fn id_of_path(path: &Path) -> String {
    format!("catalogue-{}", short_hash(&path.display().to_string()))
}

/// Returns why an id cannot be part of a path.
pub(crate) fn id_problem(id: &str, file: &str) -> Option<ConfigProblem> {
    let is_forbidden = |next: char| next.is_whitespace() || next.is_control() || "/\\?#%".contains(next);
    let is_usable = !id.is_empty() && id != "." && id != ".." && !id.contains(is_forbidden);
    let expected = "an id without spaces, slashes, ?, # and %";
    (!is_usable).then(|| ConfigProblem::error(file, KEY, format!("{id:?}"), expected))
}

/// Returns whether the server has the addresses for itself that start with a name, so that no catalogue can have it.
pub fn is_own_address(name: &str) -> bool {
    OWN_ADDRESSES.contains(&name) || SEARCH_ADDRESSES.iter().any(|own| own.eq_ignore_ascii_case(name))
}

/// Returns why an id cannot be the start of an address.
pub(super) fn address_problem(id: &str, file: &str) -> Option<ConfigProblem> {
    let found = || format!("{id:?}, which is an address of the server");
    is_own_address(id).then(|| ConfigProblem::error(file, KEY, found(), "another `catalogId` or name of the folder"))
}

fn short_hash(text: &str) -> String {
    let mut digits = sha1_smol::Sha1::from(text).digest().to_string();
    digits.truncate(HASH_DIGITS);
    digits
}
