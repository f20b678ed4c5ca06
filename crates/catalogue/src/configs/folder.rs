//! Reading the configuration folder.
//!
//! A file or folder that cannot be read is a problem of its catalogue; only an unreadable configuration folder is an
//! error.

use std::io;
use std::path::{Component, Path, PathBuf};

use cantata_mapping::describe;
use serde_json::{Map, Value};

use super::ids;
use crate::config::ConfigFile;
use crate::problem::ConfigProblem;

/// Folder names that are not used as an id.
const GENERIC_NAMES: [&str; 2] = ["config", "configs"];

/// What some editors put before a text in UTF-8.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// What a configuration folder holds.
pub(super) enum FolderLayout {
    /// There is no folder, or nothing in it.
    Empty,
    /// The files of one catalogue.
    Flat(CatalogueFiles),
    /// One folder for each catalogue, by name.
    Folders(Vec<CatalogueFiles>),
}

/// The files of one catalogue.
pub(super) struct CatalogueFiles {
    /// The folder.
    pub(super) path: PathBuf,
    /// The name of the folder in problems. Clients see them, so it is not the full path.
    pub(super) display_name: String,
    /// The id, unless the files give one.
    pub(super) default_id: String,
    /// The files that could be read, by name.
    pub(super) files: Vec<ConfigFile>,
    /// The problems of the others.
    pub(super) problems: Vec<ConfigProblem>,
}

/// Reads a configuration folder.
pub(super) fn read(path: &Path) -> Result<FolderLayout, ConfigProblem> {
    let absolute = std::path::absolute(path).map_or_else(|_| path.to_owned(), |path| normalise(&path));
    let listing = match list(&absolute) {
        Ok(listing) => listing,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(FolderLayout::Empty),
        Err(error) => return Err(unreadable(absolute.display().to_string(), &error)),
    };
    if !listing.files.is_empty() {
        let name = name_of(&absolute);
        let is_specific = !name.is_empty() && !GENERIC_NAMES.contains(&name.as_str());
        let id = if is_specific { name } else { ids::id_of_path(&absolute) };
        let mut catalogue = read_files(absolute, id, "", listing.files);
        catalogue.problems.extend(listing.folders.iter().map(|folder| {
            let found = "a folder beside JSON files, which is left out";
            ConfigProblem::warning(name_of(folder), "", found, "the files of one catalogue or a folder for each")
        }));
        return Ok(FolderLayout::Flat(catalogue));
    }
    if listing.folders.is_empty() {
        return Ok(FolderLayout::Empty);
    }
    Ok(FolderLayout::Folders(listing.folders.into_iter().map(read_catalogue).collect()))
}

fn read_catalogue(path: PathBuf) -> CatalogueFiles {
    let id = name_of(&path);
    let problem = match list(&path) {
        Ok(listing) if !listing.files.is_empty() => {
            let prefix = format!("{id}/");
            return read_files(path, id, &prefix, listing.files);
        }
        Ok(_) => ConfigProblem::error(&id, "", "no JSON files", "at least base.json"),
        Err(error) => unreadable(id.clone(), &error),
    };
    CatalogueFiles { path, display_name: id.clone(), default_id: id, files: Vec::new(), problems: vec![problem] }
}

fn read_files(path: PathBuf, default_id: String, prefix: &str, paths: Vec<PathBuf>) -> CatalogueFiles {
    let mut files = Vec::new();
    let mut problems = Vec::new();
    for file in paths {
        let name = format!("{prefix}{}", name_of(&file));
        match read_file(&file, &name) {
            Ok(value) => files.push(ConfigFile { name, value }),
            Err(problem) => problems.push(problem),
        }
    }
    CatalogueFiles { display_name: name_of(&path), path, default_id, files, problems }
}

/// A JSON file with its members.
pub(crate) type JsonFile = (PathBuf, Map<String, Value>);

/// Returns the JSON files of a folder, by name; a folder that does not exist has none.
pub(crate) fn json_files(path: &Path) -> Result<Vec<JsonFile>, ConfigProblem> {
    let listing = match list(path) {
        Ok(listing) => listing,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(unreadable(name_of(path), &error)),
    };
    let read = |file: PathBuf| {
        let name = name_of(&file);
        match read_file(&file, &name)? {
            Value::Object(members) => Ok((file, members)),
            other => Err(ConfigProblem::error(name, "", describe(&other), "a JSON object")),
        }
    };
    listing.files.into_iter().map(read).collect()
}

fn read_file(path: &Path, name: &str) -> Result<Value, ConfigProblem> {
    let bytes = fs_err::read(path).map_err(|error| unreadable(name.to_owned(), &error))?;
    let text = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&bytes);
    serde_json::from_slice(text)
        .map_err(|error| ConfigProblem::error(name, "", format!("no JSON: {error}"), "a JSON object"))
}

#[derive(Default)]
struct FolderListing {
    /// The JSON files, by name.
    files: Vec<PathBuf>,
    /// The folders, by name.
    folders: Vec<PathBuf>,
}

fn list(path: &Path) -> io::Result<FolderListing> {
    let mut listing = FolderListing::default();
    for entry in fs_err::read_dir(path)? {
        let path = entry?.path();
        if name_of(&path).starts_with('.') {
            continue;
        }
        // Kubernetes mounts configuration as symbolic links, which are followed here.
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

/// Returns the name of a file or folder.
pub(crate) fn name_of(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// Removes `..` from an absolute path, so that an id made of it does not depend on how it was written.
fn normalise(path: &Path) -> PathBuf {
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
