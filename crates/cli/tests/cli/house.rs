//! The rules of the house that no compiler checks: small files, nothing left for later, the same lints everywhere.

use std::path::{Path, PathBuf};

const MAX_LINES: usize = 500;

/// Marks of unfinished work, written so that this file does not contain them.
const MARKS: [&str; 5] =
    [concat!("TO", "DO"), concat!("FIX", "ME"), concat!("XX", "X"), concat!("to", "do!"), concat!("db", "g!")];

/// Returns every file below the root of the repository, those of tools and builds aside.
fn files() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap();
    let mut found = Vec::new();
    let mut folders = vec![root];
    while let Some(folder) = folders.pop() {
        for entry in fs_err::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            let name = entry.file_name().into_string().unwrap();
            if entry.file_type().unwrap().is_dir() {
                let is_source = !name.starts_with('.') && !["target", "node_modules", "dist"].contains(&name.as_str());
                folders.extend(is_source.then(|| entry.path()));
            } else {
                found.push(entry.path());
            }
        }
    }
    found
}

fn sources() -> impl Iterator<Item = (PathBuf, String)> {
    let is_source = |path: &PathBuf| {
        let extension = path.extension().and_then(|extension| extension.to_str());
        matches!(extension, Some("rs" | "ts" | "tsx"))
    };
    files().into_iter().filter(is_source).map(|path| {
        let text = fs_err::read_to_string(&path).unwrap();
        (path, text)
    })
}

#[test]
fn no_source_file_is_too_long() {
    let long: Vec<_> = sources().filter(|(_, text)| text.lines().count() > MAX_LINES).map(|(path, _)| path).collect();
    assert!(long.is_empty(), "more than {MAX_LINES} lines: {long:?}");
}

#[test]
fn nothing_is_left_for_later() {
    let mut left = Vec::new();
    for (path, text) in sources() {
        for (number, line) in (1..).zip(text.lines()) {
            if MARKS.iter().any(|mark| line.contains(mark)) {
                left.push(format!("{}:{number}: {}", path.display(), line.trim()));
            }
        }
    }
    assert!(left.is_empty(), "{}", left.join("\n"));
}

#[test]
fn every_crate_has_the_lints_of_the_workspace() {
    let manifests = files().into_iter().filter(|path| path.file_name().is_some_and(|name| name == "Cargo.toml"));
    let mut crates = 0;
    for path in manifests {
        let manifest: toml::Table = fs_err::read_to_string(&path).unwrap().parse().unwrap();
        if manifest.contains_key("package") {
            crates += 1;
            let lints = manifest.get("lints").and_then(|lints| lints.get("workspace")).and_then(toml::Value::as_bool);
            assert_eq!(lints, Some(true), "{} lacks [lints] workspace = true", path.display());
        }
    }
    assert!(crates > 5, "only {crates} crates were found");
}
