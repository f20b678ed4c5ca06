//! The integer codes of states, actions and access levels in the databases. They are stored: never renumber, only add.

use crate::{Result, StateSet, StoreError};
use cantata_core::{AnalysisState, EventAction, FileAccess};

/// Returns the code of a state.
pub fn state_code(state: AnalysisState) -> i16 {
    match state {
        AnalysisState::Unpublished => 0,
        AnalysisState::Published => 1,
        AnalysisState::Suppressed => 2,
    }
}

/// Returns the set as bits, bit `n` for the state with code `n`.
pub fn state_bits(states: StateSet) -> i16 {
    AnalysisState::ALL.into_iter().filter(|state| states.contains(*state)).map(|state| 1 << state_code(state)).sum()
}

/// Returns the state of a code.
pub fn state_from_code(code: i16) -> Result<AnalysisState> {
    decode(AnalysisState::ALL, state_code, code, "a state code")
}

/// Returns the code of an action.
pub fn action_code(action: EventAction) -> i16 {
    match action {
        EventAction::Create => 0,
        EventAction::Publish => 1,
        EventAction::Unpublish => 2,
        EventAction::Suppress => 3,
        EventAction::Update => 4,
    }
}

/// Returns the action of a code.
pub fn action_from_code(code: i16) -> Result<EventAction> {
    decode(EventAction::ALL, action_code, code, "an action code")
}

/// Returns the code of an access level.
pub fn access_code(access: FileAccess) -> i16 {
    match access {
        FileAccess::Open => 0,
        FileAccess::Controlled => 1,
    }
}

/// Returns the access level of a code.
pub fn access_from_code(code: i16) -> Result<FileAccess> {
    decode(FileAccess::ALL, access_code, code, "an access code")
}

fn decode<T: Copy, const N: usize>(all: [T; N], encode: fn(T) -> i16, code: i16, place: &str) -> Result<T> {
    all.into_iter()
        .find(|value| encode(*value) == code)
        .ok_or_else(|| StoreError::corrupt(place, format!("{code} stands for nothing")))
}
