//! Screening: which hashes the runs may have, found before they are searched for.
//!
//! All submissions are stored by one thread, and the Bloom filters of a full store take a tenth of its time: they are larger
//! than the caches of a processor. So the caller of the store asks them, before its submission is queued. Runs never change,
//! so what was found holds as long as the list of runs is the same one; after a flush or a merge the hashes are screened
//! again. Entries in memory are not screened: they change with each submission.

use std::borrow::Cow;
use std::sync::Arc;

use super::key::LookupKey;
use super::state::{LookupState, Runs};

/// Hashes ids and screens the hashes, on any thread.
pub(crate) struct LookupScreen {
    pub(super) key: LookupKey,
    pub(super) shared: Arc<LookupState>,
}

impl LookupScreen {
    /// Returns the secret that ids are hashed with.
    pub(crate) fn key(&self) -> LookupKey {
        self.key
    }

    /// Screens hashes against the runs there are now.
    pub(crate) fn screen(&self, hashes: &[i64]) -> ScreenedHashes {
        let runs = self.shared.runs();
        ScreenedHashes { may_be_on_disk: runs.may_have(hashes), runs }
    }
}

/// Which of some hashes the runs of a moment may have.
pub(crate) struct ScreenedHashes {
    runs: Runs,
    may_be_on_disk: Vec<bool>,
}

impl ScreenedHashes {
    /// Returns for each of the same hashes whether the runs there are now may have it.
    pub(super) fn of<'s>(screened: Option<&'s Self>, runs: &Runs, hashes: &[i64]) -> Cow<'s, [bool]> {
        match screened {
            Some(known) if known.runs.is_same(runs) && known.may_be_on_disk.len() == hashes.len() => {
                Cow::Borrowed(&known.may_be_on_disk)
            }
            _ => Cow::Owned(runs.may_have(hashes)),
        }
    }
}

#[cfg(test)]
mod tests {
    use cantata_bloom::{BlockKey, BloomKey};

    use super::super::run::Run;
    use super::*;

    #[test]
    fn hashes_are_screened_again_once_there_are_other_runs() {
        let hashes = [0x1234_5678_9abc_def0, 0x0fed_cba9_8765_4321];
        let before = Runs::new(0, Vec::new());
        let shared = Arc::new(LookupState::new(8, before.clone()));
        let screened = LookupScreen { key: LookupKey::random(), shared }.screen(&hashes);
        assert!(matches!(ScreenedHashes::of(Some(&screened), &before, &hashes), Cow::Borrowed([false, false])));
        let mut bloom = BlockKey::filter_for(1);
        BlockKey(hashes[1]).insert_into(&mut bloom);
        let flushed = Run { run_key: 1, level: 0, first_chunk: 1, first_hashes: vec![hashes[1]], bloom };
        let after = Runs::new(0, vec![Arc::new(flushed)]);
        for screened in [Some(&screened), None] {
            assert_eq!(*ScreenedHashes::of(screened, &after, &hashes), [false, true]);
        }
    }
}
