//! Watching the configuration folder, and probing the indexes in the same rhythm.
//!
//! Files are compared by name, size and modification time. Polling works on every file system, mounted ones in
//! containers included, and costs a few system calls.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use crate::service::{ConfigSource, SearchService};

const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// Size and modification time of each file.
type FileStamps = BTreeMap<PathBuf, (u64, Option<SystemTime>)>;

impl SearchService {
    /// Reloads changed configurations and mappings for as long as the service is in use.
    pub fn watch(self: &Arc<Self>) {
        let service = Arc::downgrade(self);
        tokio::spawn(async move {
            let mut known = service.upgrade().map(|service| stamps_of(&service.source));
            loop {
                tokio::time::sleep(POLL_INTERVAL).await;
                let Some(service) = service.upgrade() else { return };
                let source = service.source.clone();
                let now = tokio::task::spawn_blocking(move || stamps_of(&source)).await.ok();
                if now != known {
                    known = now;
                    tracing::info!("the configuration changed");
                    if let Err(problems) = service.reload_configs().await {
                        tracing::warn!(?problems, "the configuration cannot be used; the catalogues stay as they are");
                    }
                }
                service.probe_in_background();
            }
        });
    }
}

fn stamps_of(source: &ConfigSource) -> FileStamps {
    let mut stamps = FileStamps::new();
    if let ConfigSource::Folder(folder, _) = source {
        // Catalogues are at most one folder deep.
        collect_stamps(folder, 1, &mut stamps);
    }
    stamps
}

fn collect_stamps(folder: &Path, depth: usize, stamps: &mut FileStamps) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let Ok(metadata) = entry.metadata() else { continue };
        if metadata.is_dir() && depth > 0 {
            collect_stamps(&entry.path(), depth - 1, stamps);
        }
        stamps.insert(entry.path(), (metadata.len(), metadata.modified().ok()));
    }
}
