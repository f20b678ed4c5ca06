//! When operations fail.

use libc::{EACCES, EIO, ENOSPC, EROFS, c_int};

/// How operations fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// Whatever takes space fails, until the disk is repaired.
    DiskFull,
    /// Whatever writes bytes fails, until the disk is repaired; names can be added. So most full disks are.
    NoSpaceForBytes,
    /// Whatever writes bytes fails, until a file is removed: there is room again.
    FullUntilRemoval,
    /// Every change fails, until the disk is repaired.
    ReadOnly,
    /// Every change is denied, until the disk is repaired, as if the permissions of its folders had changed.
    Denied,
    /// One change fails.
    IoError,
    /// One write writes half of its bytes.
    ShortWrite,
    /// One sync fails, and what was written since the last one is lost.
    FailedSync,
    /// Every change and every sync fails, until the disk is repaired.
    Broken,
}

/// What an operation does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operation {
    /// Writes bytes or lengthens a file.
    Grow,
    /// Adds a name.
    AddName,
    /// Shortens a file, or changes a name.
    Change,
    /// Removes a name.
    Remove,
    /// Syncs a file or folder.
    Sync,
}

/// How an operation goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    Success,
    /// Half of the bytes.
    Short,
    Failure(c_int),
    /// The power is cut, with this seed.
    PowerLoss(u64),
}

/// The operations of a disk so far, and what fails.
#[derive(Debug, Default)]
pub(crate) struct FaultPlan {
    operations: u64,
    power_loss: Option<(u64, u64)>,
    fault: Option<(u64, Fault)>,
}

impl FaultPlan {
    pub(crate) fn operations(&self) -> u64 {
        self.operations
    }

    pub(crate) fn cut_power_at(&mut self, operation: u64, seed: u64) {
        self.power_loss = Some((operation, seed));
    }

    pub(crate) fn fail_at(&mut self, operation: u64, fault: Fault) {
        self.fault = Some((operation, fault));
    }

    pub(crate) fn repair(&mut self) {
        self.fault = None;
    }

    /// Counts an operation and decides how it goes on.
    pub(crate) fn next(&mut self, operation: Operation) -> Outcome {
        let number = self.operations;
        self.operations += 1;
        if let Some((_, seed)) = self.power_loss.filter(|(at, _)| number >= *at) {
            return Outcome::PowerLoss(seed);
        }
        let Some((_, fault)) = self.fault.filter(|(at, _)| number >= *at) else { return Outcome::Success };
        let (outcome, is_over) = match (fault, operation) {
            (Fault::DiskFull, Operation::Grow | Operation::AddName)
            | (Fault::NoSpaceForBytes | Fault::FullUntilRemoval, Operation::Grow) => (Outcome::Failure(ENOSPC), false),
            (Fault::FullUntilRemoval, Operation::Remove) => (Outcome::Success, true),
            (Fault::ShortWrite, Operation::Grow) => (Outcome::Short, true),
            (Fault::FailedSync, Operation::Sync) => (Outcome::Failure(EIO), true),
            (Fault::Broken, _) => (Outcome::Failure(EIO), false),
            (_, Operation::Sync) => (Outcome::Success, false),
            (Fault::ReadOnly, _) => (Outcome::Failure(EROFS), false),
            (Fault::Denied, _) => (Outcome::Failure(EACCES), false),
            (Fault::IoError, _) => (Outcome::Failure(EIO), true),
            _ => (Outcome::Success, false),
        };
        if is_over {
            self.fault = None;
        }
        outcome
    }
}
