//! Following changes: of the configuration files, and of the indexes.
//!
//! The files are looked at once a second, by name, size and time of change. That works on every file system, also on
//! those that containers mount, and costs a few calls to the system.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use crate::service::{ConfigSource, SearchService};

const EVERY: Duration = Duration::from_secs(1);

/// What can be seen of files without reading them.
type Traces = BTreeMap<PathBuf, (u64, Option<SystemTime>)>;

impl SearchService {
    /// Follows changes for as long as the service is in use.
    pub fn watch(self: &Arc<Self>) {
        let service = Arc::downgrade(self);
        tokio::spawn(async move {
            let mut seen = service.upgrade().map(|service| traces_of(&service.source));
            loop {
                tokio::time::sleep(EVERY).await;
                let Some(service) = service.upgrade() else { return };
                let source = service.source.clone();
                let now = tokio::task::spawn_blocking(move || traces_of(&source)).await.ok();
                if now != seen {
                    seen = now;
                    tracing::info!("the configuration changed");
                    if let Err(problems) = service.read_again().await {
                        tracing::warn!(?problems, "the catalogues stay as they are");
                    }
                }
                service.follow_indexes();
            }
        });
    }
}

fn traces_of(source: &ConfigSource) -> Traces {
    let mut traces = Traces::new();
    if let ConfigSource::Folder(folder, _) = source {
        // Catalogues are at most one folder deep.
        collect(folder, 1, &mut traces);
    }
    traces
}

fn collect(folder: &Path, deeper: usize, traces: &mut Traces) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let Ok(metadata) = entry.metadata() else { continue };
        if metadata.is_dir() && deeper > 0 {
            collect(&entry.path(), deeper - 1, traces);
        }
        traces.insert(entry.path(), (metadata.len(), metadata.modified().ok()));
    }
}
