//! The licences of everything that is compiled in: each must be one that the project may be given away with.

use std::collections::HashSet;
use std::process::Command;

use serde_json::Value;

const ALLOWED: [&str; 15] = [
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "CDLA-Permissive-2.0",
    "ISC",
    "MIT",
    "MIT-0",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
    "bzip2-1.0.6",
];

/// Packages that have the text of an allowed licence instead of its name.
const BY_TEXT: [&str; 1] = ["jsonpath-rust"];

/// Says whether a licence expression (SPDX) can be met with allowed licences alone.
fn is_allowed(expression: &str) -> bool {
    // The form with a slash is older than SPDX and means "or".
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    let mut words = spaced.split_whitespace().peekable();
    let allowed = alternatives(&mut words);
    allowed && words.next().is_none()
}

type Words<'a> = std::iter::Peekable<std::str::SplitWhitespace<'a>>;

fn alternatives(words: &mut Words<'_>) -> bool {
    let mut allowed = together(words);
    while words.next_if_eq(&"OR").is_some() {
        // Evaluated in any case, so that the words are used up.
        allowed |= together(words);
    }
    allowed
}

fn together(words: &mut Words<'_>) -> bool {
    let mut allowed = single(words);
    while words.next_if_eq(&"AND").is_some() {
        allowed &= single(words);
    }
    allowed
}

fn single(words: &mut Words<'_>) -> bool {
    if words.next_if_eq(&"(").is_some() {
        return alternatives(words) & words.next_if_eq(&")").is_some();
    }
    let Some(mut licence) = words.next().map(str::to_owned) else { return false };
    if words.next_if_eq(&"WITH").is_some() {
        licence = format!("{licence} WITH {}", words.next().unwrap_or_default());
    }
    ALLOWED.contains(&licence.as_str())
}

fn run(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).current_dir(env!("CARGO_MANIFEST_DIR")).output().unwrap();
    assert!(output.status.success(), "{program} {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Returns what is compiled for this machine; packages for other systems need not be there.
fn packages() -> Vec<Value> {
    let version = run("rustc", &["-vV"]);
    let host = version.lines().find_map(|line| line.strip_prefix("host: ")).unwrap();
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let metadata = run(&cargo, &["metadata", "--format-version=1", "--locked", "--filter-platform", host]);
    let mut metadata: Value = serde_json::from_str(&metadata).unwrap();
    let Value::Array(packages) = metadata["packages"].take() else { panic!("no packages in the metadata") };
    packages
}

#[test]
fn every_dependency_has_an_allowed_licence() {
    let refused: Vec<String> = packages()
        .iter()
        .filter(|package| !package["license"].as_str().is_some_and(is_allowed))
        .filter(|package| !package["name"].as_str().is_some_and(|name| BY_TEXT.contains(&name)))
        .map(|package| format!("{} {}: {}", package["name"], package["version"], package["license"]))
        .collect();
    assert!(refused.is_empty(), "{}", refused.join("\n"));
}

#[test]
fn our_crates_are_there_once() {
    let packages = packages();
    let ours: Vec<&str> = packages
        .iter()
        .filter_map(|package| package["name"].as_str())
        .filter(|name| name.starts_with("cantata"))
        .collect();
    let distinct: HashSet<&str> = ours.iter().copied().collect();
    assert!(ours.len() > 5 && distinct.len() == ours.len(), "{ours:?}");
}

#[test]
fn expressions_are_understood() {
    for allowed in [
        "MIT",
        "MIT/Apache-2.0",
        "GPL-3.0 OR MIT",
        "MIT AND (GPL-3.0 OR ISC)",
        "(MIT OR GPL-3.0) AND Unicode-3.0",
        "Apache-2.0 WITH LLVM-exception OR GPL-2.0",
    ] {
        assert!(is_allowed(allowed), "{allowed}");
    }
    for refused in [
        "",
        "GPL-3.0",
        "MIT AND GPL-3.0",
        "MIT AND (GPL-3.0 OR AGPL-3.0)",
        "MIT WITH Classpath-exception-2.0",
        "(MIT",
        "MIT)",
        "MIT ISC",
        "MIT AND",
    ] {
        assert!(!is_allowed(refused), "{refused}");
    }
}
