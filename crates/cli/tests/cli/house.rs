//! Rules of the project that no compiler checks: small files, nothing left for later, the same lints and the same compiler
//! everywhere, links that lead somewhere.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

const MAX_LINES: usize = 500;

/// Marks of unfinished work, written so that this file does not contain them.
const MARKS: [&str; 5] =
    [concat!("TO", "DO"), concat!("FIX", "ME"), concat!("XX", "X"), concat!("to", "do!"), concat!("db", "g!")];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn toml_file(path: &str) -> toml::Table {
    fs_err::read_to_string(root().join(path)).unwrap().parse().unwrap()
}

/// Returns every file below the root of the repository, except those of tools and builds.
fn files() -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![root()];
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
    // A language of the portal is one file, for those who translate.
    let texts = root().join("web/portal/src/texts");
    let is_long = |(path, text): &(PathBuf, String)| text.lines().count() > MAX_LINES && !path.starts_with(&texts);
    let long: Vec<_> = sources().filter(is_long).map(|(path, _)| path).collect();
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
    // cargo-fuzz wants a workspace of its own.
    let manifests = manifests.filter(|path| !path.starts_with(root().join("fuzz")));
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

/// The tests run on the compiler of rust-toolchain.toml, so it being the minimum supported version tests that one too.
#[test]
fn the_compiler_of_the_tests_is_the_oldest_supported_one() {
    let toolchain = toml_file("rust-toolchain.toml");
    let channel = toolchain["toolchain"]["channel"].as_str().unwrap();
    let workspace = toml_file("Cargo.toml");
    let minimum = workspace["workspace"]["package"]["rust-version"].as_str().unwrap();
    assert_eq!(channel, format!("{minimum}.0"), "rust-toolchain.toml and rust-version in Cargo.toml differ");
    let dockerfile = fs_err::read_to_string(root().join("packaging/docker/Dockerfile")).unwrap();
    assert!(dockerfile.contains(&format!("FROM rust:{minimum}-")), "the Dockerfile builds with another compiler");
}

/// A package of the same name from a registry would be compiled in beside ours, and the compiler would not warn.
#[test]
fn our_crates_are_there_once() {
    let lock = toml_file("Cargo.lock");
    let names = lock["package"].as_array().unwrap().iter().filter_map(|package| package["name"].as_str());
    let ours: Vec<&str> = names.filter(|name| name.starts_with("cantata")).collect();
    let distinct: HashSet<&str> = ours.iter().copied().collect();
    assert!(ours.len() > 5 && distinct.len() == ours.len(), "{ours:?}");
}

/// Returns the lines of a document that are not within blocks of code.
fn prose(document: &str) -> impl Iterator<Item = &str> {
    let mut is_code = false;
    document.lines().filter(move |line| {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        !is_code && !is_fence
    })
}

/// Returns the addresses of the links in a document.
fn links(document: &str) -> Vec<&str> {
    prose(document).flat_map(|line| line.split("](").skip(1)).filter_map(|rest| rest.split(')').next()).collect()
}

/// Returns what leads to the headings of a document, as pages of repositories have it.
fn anchors(document: &str) -> Vec<String> {
    let headings = prose(document).filter(|line| line.starts_with('#'));
    let kept = |text: &str| text.chars().filter(|sign| sign.is_alphanumeric() || " -_".contains(*sign)).collect();
    headings
        .map(|line| -> String { kept(line.trim_start_matches('#').trim()) })
        .map(|text| text.to_lowercase().replace(' ', "-"))
        .collect()
}

#[test]
fn no_link_leads_nowhere() {
    let documents = files().into_iter().filter(|path| path.extension().is_some_and(|end| end == "md"));
    let mut checked = 0;
    let mut broken = Vec::new();
    for path in documents {
        let text = fs_err::read_to_string(&path).unwrap();
        for link in links(&text).into_iter().filter(|link| !link.contains(':')) {
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = if file.is_empty() { path.clone() } else { path.parent().unwrap().join(file) };
            let leads = match fs_err::read_to_string(&target) {
                Ok(text) => anchor.is_empty() || anchors(&text).iter().any(|known| known == anchor),
                Err(_) => anchor.is_empty() && (target.is_dir() || target.is_file()),
            };
            checked += 1;
            if !leads {
                broken.push(format!("{}: {link}", path.display()));
            }
        }
    }
    assert!(checked > 100, "only {checked} links were found");
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}
