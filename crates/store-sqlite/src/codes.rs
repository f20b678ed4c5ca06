//! The small integers that stand for states, actions and access levels in the database. They are part of the file
//! format: never renumber, only add.

use cantata_core::{Action, AnalysisState, FileAccess};
use cantata_store::{Result, StateSet, StoreError};

pub(crate) fn state_code(state: AnalysisState) -> i64 {
    match state {
        AnalysisState::Unpublished => 0,
        AnalysisState::Published => 1,
        AnalysisState::Suppressed => 2,
    }
}

/// Returns the set as bits, bit `n` for the state with code `n`.
pub(crate) fn state_bits(states: StateSet) -> i64 {
    AnalysisState::ALL.into_iter().filter(|state| states.contains(*state)).map(|state| 1 << state_code(state)).sum()
}

pub(crate) fn state_of(code: i64) -> Result<AnalysisState> {
    decode(AnalysisState::ALL, state_code, code, "a state code")
}

pub(crate) fn action_code(action: Action) -> i64 {
    match action {
        Action::Create => 0,
        Action::Publish => 1,
        Action::Unpublish => 2,
        Action::Suppress => 3,
        Action::Update => 4,
    }
}

pub(crate) fn action_of(code: i64) -> Result<Action> {
    decode(Action::ALL, action_code, code, "an action code")
}

pub(crate) fn access_code(access: FileAccess) -> i64 {
    match access {
        FileAccess::Open => 0,
        FileAccess::Controlled => 1,
    }
}

pub(crate) fn access_of(code: i64) -> Result<FileAccess> {
    decode(FileAccess::ALL, access_code, code, "an access code")
}

fn decode<T: Copy, const N: usize>(all: [T; N], encode: fn(T) -> i64, code: i64, place: &str) -> Result<T> {
    all.into_iter()
        .find(|value| encode(*value) == code)
        .ok_or_else(|| StoreError::corrupt(place, format!("{code} stands for nothing")))
}
