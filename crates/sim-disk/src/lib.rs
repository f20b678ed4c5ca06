//! A simulated disk for tests: it forgets what was not synced, and fails where a test says so.
//!
//! A test binary that links this crate has its functions in place of those of the C library that change files (see
//! `hooks`). So everything that writes goes through it, the standard library and SQLite too, and the product has no layer
//! for tests. Calls below the folder of a mounted [`SimDisk`] are carried out on the real file system, so that reads need
//! no simulation, and recorded; all others pass.
//!
//! The model is harsher than the usual file systems:
//!
//! * A file has the bytes of its last sync. Of the writes after it any blocks may survive, in any order; the length may
//!   have grown over blocks that did not.
//! * A folder has the names of its last sync. Of the changes after it the first ones may survive. Syncing a file does not
//!   make its name durable.
//! * After a failed sync the writes before it are lost, even if a later sync succeeds.
//!
//! [`SimDisk::cut_power_at`] ends the life of the machine in the middle of a workload: every later change fails, and
//! [`SimDisk::write_image`] writes what the disk holds then into another folder.
#![allow(unsafe_code, reason = "functions of the C library are defined here, for test binaries alone")]
#![allow(unknown_lints, reason = "the next two are not known to all compilers")]
#![allow(
    invalid_runtime_symbol_definitions,
    suspicious_runtime_symbol_definitions,
    reason = "optional arguments are passed in the same registers, see `hooks`"
)]

mod faults;
mod hooks;
mod image;
mod model;
mod paths;
mod seeds;
mod sync_sites;

use std::path::{Path, PathBuf};

use self::faults::FaultPlan;
use self::model::Model;

pub use self::faults::Fault;
pub use self::seeds::{find_seed, run_seeds};
pub use self::sync_sites::SyncSite;

/// A folder whose changes are simulated until this is dropped.
pub struct SimDisk {
    folder: PathBuf,
}

impl SimDisk {
    /// Mounts a folder. What is in it is durable.
    ///
    /// # Panics
    ///
    /// If the folder cannot be read, or is part of a mounted one.
    #[must_use]
    pub fn mount(folder: &Path) -> Self {
        let folder = hooks::unhooked(|| std::fs::canonicalize(folder).expect("the folder of a simulated disk exists"));
        let model = hooks::unhooked(|| Model::load(&folder));
        hooks::mount(folder.clone(), Mounted { model, faults: FaultPlan::default(), image: None, sites: None });
        Self { folder }
    }

    /// Returns how many changes and syncs there were so far.
    #[must_use]
    pub fn operations(&self) -> u64 {
        self.with(|disk| disk.faults.operations())
    }

    /// Cuts the power before the operation of this number. The seed decides what survives of changes that were not synced.
    pub fn cut_power_at(&self, operation: u64, seed: u64) {
        self.with(|disk| disk.faults.cut_power_at(operation, seed));
    }

    /// Cuts the power now.
    pub fn cut_power(&self, seed: u64) {
        self.with(|disk| disk.lose_power(seed));
    }

    /// Returns whether the power was not cut yet.
    #[must_use]
    pub fn has_power(&self) -> bool {
        self.with(|disk| disk.image.is_none())
    }

    /// Makes operations fail from this number on.
    pub fn fail_at(&self, operation: u64, fault: Fault) {
        self.with(|disk| disk.faults.fail_at(operation, fault));
    }

    /// Ends all faults but the loss of power.
    pub fn repair(&self) {
        self.with(|disk| disk.faults.repair());
    }

    /// Records where in the code syncs come from, which is slow.
    pub fn record_sync_sites(&self) {
        self.with(|disk| disk.sites = Some(sync_sites::SyncSites::default()));
    }

    /// Ignores the syncs of one place in the code, as if it had none.
    pub fn ignore_syncs_of(&self, site: &SyncSite) {
        self.with(|disk| disk.sites = Some(sync_sites::SyncSites::ignoring(site.clone())));
    }

    /// Returns where syncs came from since [`Self::record_sync_sites`].
    #[must_use]
    pub fn sync_sites(&self) -> Vec<SyncSite> {
        self.with(|disk| disk.sites.as_ref().map(sync_sites::SyncSites::found).unwrap_or_default())
    }

    /// Writes what the disk holds after the loss of power into a folder, which is created.
    ///
    /// # Panics
    ///
    /// If the power was not cut, or the folder cannot be written.
    pub fn write_image(&self, folder: &Path) {
        let image = self.with(|disk| disk.image.take()).expect("the power was cut");
        hooks::unhooked(|| image.write(folder)).expect("the image can be written");
        self.with(|disk| disk.image = Some(image));
    }

    /// Returns how the files differ from what the simulation knows of them: a change that passed it by.
    #[must_use]
    pub fn unknown_changes(&self) -> Vec<String> {
        let live = self.with(|disk| disk.model.live_image());
        hooks::unhooked(|| live.differences(&self.folder))
    }

    fn with<R>(&self, act: impl FnOnce(&mut Mounted) -> R) -> R {
        hooks::with_disk(&self.folder, act)
    }
}

impl Drop for SimDisk {
    fn drop(&mut self) {
        hooks::unmount(&self.folder);
    }
}

/// The state of a mounted disk.
struct Mounted {
    model: Model,
    faults: FaultPlan,
    /// What is left after the power was cut.
    image: Option<image::Image>,
    sites: Option<sync_sites::SyncSites>,
}

impl Mounted {
    fn lose_power(&mut self, seed: u64) {
        if self.image.is_none() {
            self.image = Some(self.model.survivors(seed));
        }
    }
}
