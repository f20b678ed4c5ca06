//! A short run of every fuzz target on the stable toolchain: all seeds, and some changed ones.
//!
//! `FUZZ_CHANGES` sets how many changed inputs each target gets. A failure names a file with its input and the command that
//! runs it again. `FUZZ_SEEDS` names a folder that the generated seeds are written to, for cargo-fuzz.

mod mutator;

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use cantata_fuzz_targets::{TARGETS, Target, generated_seeds};

use crate::mutator::Mutator;

/// How many changed inputs each target gets.
const DEFAULT_CHANGES: usize = 200;

/// What panicked since the last look, on whatever thread: some targets work on threads of their own.
static PANICS: Mutex<Vec<String>> = Mutex::new(Vec::new());

fn fuzz_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz")
}

fn names_in(folder: &Path) -> BTreeSet<String> {
    let entries = fs_err::read_dir(folder).expect("a folder can be listed");
    let name = |entry: std::io::Result<fs_err::DirEntry>| {
        Path::new(&entry.expect("a folder can be listed").file_name())
            .file_stem()
            .map(|name| name.to_string_lossy().into_owned())
    };
    entries.filter_map(name).collect()
}

/// Returns the seeds of a target: those in its folder, by name, and those that are generated.
fn seeds_of(target: &str, generated: &[(&str, Vec<u8>)]) -> Vec<Vec<u8>> {
    let folder = fuzz_folder().join("seeds").join(target);
    let mut paths: Vec<PathBuf> = match fs_err::read_dir(folder) {
        Ok(entries) => entries.map(|entry| entry.expect("a folder can be listed").path()).collect(),
        Err(_) => Vec::new(),
    };
    paths.sort();
    let files = paths.iter().map(|path| fs_err::read(path).expect("a seed can be read"));
    files.chain(generated.iter().filter(|(of, _)| *of == target).map(|(_, seed)| seed.clone())).collect()
}

/// Runs a target; returns why it failed.
fn run(target: Target, input: &[u8]) -> Result<(), String> {
    let take = || std::mem::take(&mut *PANICS.lock().unwrap_or_else(PoisonError::into_inner));
    take();
    let returned = panic::catch_unwind(AssertUnwindSafe(|| target(input)));
    let panics = take();
    if returned.is_ok() && panics.is_empty() { Ok(()) } else { Err(panics.join("; ")) }
}

/// Runs a target; returns the report of a failure, having kept its input.
fn run_and_report(name: &str, target: Target, input: &[u8]) -> Option<String> {
    let reason = run(target, input).err()?;
    let mut hasher = DefaultHasher::new();
    input.hash(&mut hasher);
    let path = std::env::temp_dir().join(format!("cantata-fuzz-{name}-{:016x}", hasher.finish()));
    fs_err::write(&path, input).expect("an input can be kept");
    Some(format!(
        "{name}: {reason}\n  again: FUZZ_TARGET={name} FUZZ_INPUT={} cargo test -p cantata-fuzz-targets --test short",
        path.display()
    ))
}

/// One test for all targets, one after the other, so that a panic on another thread belongs to the input that ran.
#[test]
fn no_seed_and_no_changed_seed_breaks_a_target() {
    let before = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        PANICS.lock().unwrap_or_else(PoisonError::into_inner).push(info.to_string());
        before(info);
    }));
    if let (Ok(name), Ok(path)) = (std::env::var("FUZZ_TARGET"), std::env::var("FUZZ_INPUT")) {
        let (_, target) = TARGETS.iter().find(|(known, _)| *known == name).expect("FUZZ_TARGET names a target");
        return target(&fs_err::read(path).expect("FUZZ_INPUT names a file"));
    }
    let changes = std::env::var("FUZZ_CHANGES").map_or(DEFAULT_CHANGES, |count| count.parse().expect("a number"));
    let generated = generated_seeds();
    let mut failures = Vec::new();
    for (name, target) in TARGETS {
        let seeds = seeds_of(name, &generated);
        assert!(!seeds.is_empty(), "{name} has no seeds");
        failures.extend(seeds.iter().find_map(|seed| run_and_report(name, *target, seed)));
        let mut mutator = Mutator::new(&seeds);
        failures.extend((0..changes).find_map(|_| run_and_report(name, *target, &mutator.next_input())));
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn every_target_has_its_place_in_the_fuzz_project() {
    let targets: BTreeSet<String> = TARGETS.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(names_in(&fuzz_folder().join("fuzz_targets")), targets);
    assert!(names_in(&fuzz_folder().join("seeds")).is_subset(&targets));
    let manifest = fs_err::read_to_string(fuzz_folder().join("Cargo.toml")).expect("the project has a manifest");
    for name in targets {
        assert!(manifest.contains(&format!("path = \"fuzz_targets/{name}.rs\"")), "{name}");
    }
}

#[test]
fn generated_seeds_are_written_where_they_are_asked_for() {
    let Ok(folder) = std::env::var("FUZZ_SEEDS") else { return };
    for (number, (target, seed)) in generated_seeds().into_iter().enumerate() {
        let folder = Path::new(&folder).join(target);
        fs_err::create_dir_all(&folder).expect("a folder can be made");
        fs_err::write(folder.join(format!("generated-{number}")), seed).expect("a seed can be written");
    }
}
