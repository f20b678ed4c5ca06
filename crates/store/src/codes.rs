//! How values are stored in the databases. Codes of states, actions and access levels are added, never renumbered.

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
    states.0
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

/// Converts a limit, an offset or an event number to its SQL type; no stored number is as large as those cut off.
pub fn to_bigint(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn decode<T: Copy, const N: usize>(all: [T; N], encode: fn(T) -> i16, code: i16, location: &str) -> Result<T> {
    all.into_iter()
        .find(|value| encode(*value) == code)
        .ok_or_else(|| StoreError::corrupt(location, format!("{code} is no known code")))
}
