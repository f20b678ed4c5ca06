//! Where in the code a sync comes from.

use std::backtrace::Backtrace;
use std::collections::BTreeSet;

use crate::model::{Model, NodeId};

/// A place in the product's code: `file:line` of the sync; for a shared function also of its caller. The code of SQLite is
/// not ours, so its syncs are told apart by the files: `SQLite, metadata.db-wal`, or `SQLite, a folder`.
pub type SyncSite = String;

/// Who makes a sync.
#[derive(Debug)]
pub(crate) enum SyncCaller {
    Product(SyncSite),
    Sqlite,
}

impl SyncCaller {
    /// Returns the site of a sync of a file or folder.
    pub(crate) fn site(self, model: &Model, node: NodeId) -> SyncSite {
        match self {
            Self::Product(site) => site,
            Self::Sqlite => match model.file_name(node) {
                Some(name) => format!("SQLite, {}", name.display()),
                None => "SQLite, a folder".to_owned(),
            },
        }
    }
}

/// The sites of syncs so far, and the one whose syncs are ignored.
#[derive(Debug, Default)]
pub(crate) struct SyncSites {
    found: BTreeSet<SyncSite>,
    ignored: Option<SyncSite>,
}

impl SyncSites {
    pub(crate) fn ignoring(site: SyncSite) -> Self {
        Self { found: BTreeSet::new(), ignored: Some(site) }
    }

    pub(crate) fn found(&self) -> Vec<SyncSite> {
        self.found.iter().cloned().collect()
    }

    /// Records a sync; returns whether it is to be ignored.
    pub(crate) fn is_ignored(&mut self, site: SyncSite) -> bool {
        let ignored = self.ignored.as_ref() == Some(&site);
        self.found.insert(site);
        ignored
    }
}

/// Returns who makes the running call; nothing if it is none of the product's.
pub(crate) fn current() -> Option<SyncCaller> {
    let trace = Backtrace::force_capture().to_string();
    let mut frames = Vec::new();
    for line in trace.lines() {
        let line = line.trim();
        if line.contains("rusqlite") || line.contains("sqlite3") {
            return Some(SyncCaller::Sqlite);
        }
        let Some(place) = line.strip_prefix("at ").and_then(in_workspace) else { continue };
        if place.starts_with("sim-disk/") || place.contains("/tests/") || !place.contains("/src/") {
            continue;
        }
        let place = place.rsplit_once(':').map_or(place.as_str(), |(place, _column)| place);
        frames.push(place.to_owned());
        if !place.starts_with("durable-file/") {
            break;
        }
    }
    (!frames.is_empty()).then(|| SyncCaller::Product(frames.join(" < ")))
}

/// Returns the place of a frame, from the folder of its crate on; nothing outside of the workspace. A backtrace names files
/// below the current folder, which is that of the tested crate, relative to it.
fn in_workspace(place: &str) -> Option<String> {
    let own = place.strip_prefix("./").filter(|own| own.starts_with("src/") || own.starts_with("tests/"));
    let folder = || std::env::current_dir().ok()?.file_name()?.to_str().map(str::to_owned);
    match own {
        Some(own) => Some(format!("{}/{own}", folder()?)),
        None => Some(place.split_once("crates/")?.1.to_owned()),
    }
}
