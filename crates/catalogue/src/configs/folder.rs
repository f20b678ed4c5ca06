//! The configuration folder: the only place where files are read.
//!
//! A file or folder that cannot be read is a problem of its catalogue; only when the configuration folder itself
//! cannot be read, or nothing is in it, nothing can be served.

use std::io;
use std::path::{Component, Path, PathBuf};

use super::ids;
use crate::config::ConfigFile;
use crate::problem::ConfigProblem;

/// Names of folders that say nothing about the catalogue in them.
const GENERAL_NAMES: [&str; 2] = ["config", "configs"];

/// What a configuration folder holds.
pub(super) enum Layout {
    /// There is no folder.
    Missing,
    /// The files of one catalogue.
    Flat(Files),
    /// One folder for each catalogue, by name.
    Folders(Vec<Files>),
}

/// The files of one catalogue.
pub(super) struct Files {
    /// The folder.
    pub(super) path: PathBuf,
    /// What problems call the folder. They are shown to clients, who need not know where on the server it is.
    pub(super) shown: String,
    /// The id, unless the files give one.
    pub(super) default_id: String,
    /// Those that could be read, by name.
    pub(super) files: Vec<ConfigFile>,
    /// What is wrong with the others.
    pub(super) problems: Vec<ConfigProblem>,
}

/// Reads a configuration folder.
pub(super) fn read(path: &Path) -> Result<Layout, ConfigProblem> {
    let absolute = std::path::absolute(path).map_or_else(|_| path.to_owned(), |path| without_detours(&path));
    let listing = match list(&absolute) {
        Ok(listing) => listing,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Layout::Missing),
        Err(error) => return Err(unreadable(absolute.display().to_string(), &error)),
    };
    if !listing.files.is_empty() {
        let name = name_of(&absolute);
        let is_telling = !name.is_empty() && !GENERAL_NAMES.contains(&name.as_str());
        let id = if is_telling { name } else { ids::id_of_path(&absolute) };
        return Ok(Layout::Flat(read_files(absolute, id, "", listing.files)));
    }
    if listing.folders.is_empty() {
        let found = "neither JSON files nor folders; no catalogues are configured";
        let expected = "configuration files such as base.json, or a folder with them for each catalogue";
        return Err(ConfigProblem::error(absolute.display().to_string(), "", found, expected));
    }
    Ok(Layout::Folders(listing.folders.into_iter().map(read_catalogue).collect()))
}

fn read_catalogue(path: PathBuf) -> Files {
    let id = name_of(&path);
    let problem = match list(&path) {
        Ok(listing) if !listing.files.is_empty() => {
            let prefix = format!("{id}/");
            return read_files(path, id, &prefix, listing.files);
        }
        Ok(_) => ConfigProblem::error(&id, "", "no JSON files", "at least base.json"),
        Err(error) => unreadable(id.clone(), &error),
    };
    Files { path, shown: id.clone(), default_id: id, files: Vec::new(), problems: vec![problem] }
}

fn read_files(path: PathBuf, default_id: String, prefix: &str, paths: Vec<PathBuf>) -> Files {
    let mut files = Vec::new();
    let mut problems = Vec::new();
    for file in paths {
        let name = format!("{prefix}{}", name_of(&file));
        match fs_err::read(&file).map(|bytes| serde_json::from_slice(&bytes)) {
            Ok(Ok(value)) => files.push(ConfigFile { name, value }),
            Ok(Err(error)) => {
                problems.push(ConfigProblem::error(name, "", format!("no JSON: {error}"), "a JSON object"));
            }
            Err(error) => problems.push(unreadable(name, &error)),
        }
    }
    Files { shown: name_of(&path), path, default_id, files, problems }
}

#[derive(Default)]
struct Listing {
    /// The JSON files, by name.
    files: Vec<PathBuf>,
    /// The folders, by name.
    folders: Vec<PathBuf>,
}

fn list(path: &Path) -> io::Result<Listing> {
    let mut listing = Listing::default();
    for entry in fs_err::read_dir(path)? {
        let path = entry?.path();
        if name_of(&path).starts_with('.') {
            continue;
        }
        // Mounted configuration consists of symbolic links, which are followed here.
        if path.is_dir() {
            listing.folders.push(path);
        } else if path.extension().is_some_and(|extension| extension == "json") {
            listing.files.push(path);
        }
    }
    listing.files.sort();
    listing.folders.sort();
    Ok(listing)
}

fn unreadable(name: String, error: &io::Error) -> ConfigProblem {
    let found = format!("an error on reading: {}", error.kind());
    ConfigProblem::error(name, "", found, "something that can be read")
}

fn name_of(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// Returns an absolute path without `..`, so that an id made of it does not depend on how it was written.
fn without_detours(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                plain.pop();
            }
            other => plain.push(other),
        }
    }
    plain
}
