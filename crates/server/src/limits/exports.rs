//! How many exports run at once. A slot is taken before an export begins and given back when its last byte is sent, or
//! when its client leaves.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::body::Body;

use super::Refused;
use super::address::Counted;
use crate::held_body::holding;

/// The exports that are running.
pub(super) struct Exports {
    most: usize,
    most_of_one: usize,
    running: Mutex<Running>,
}

#[derive(Default)]
struct Running {
    all: usize,
    by_client: HashMap<Counted, usize>,
}

/// The right to run an export, for as long as it lives.
pub(crate) struct ExportSlot {
    exports: Arc<Exports>,
    client: Counted,
}

impl Exports {
    /// Allows so many in all, and so many for one client; 0: any number.
    pub(super) fn new(most: usize, most_of_one: usize) -> Self {
        let limit = |number: usize| if number == 0 { usize::MAX } else { number };
        Self { most: limit(most), most_of_one: limit(most_of_one), running: Mutex::default() }
    }

    /// Takes a slot.
    pub(super) fn begin(self: &Arc<Self>, client: Counted) -> Result<ExportSlot, Refused> {
        let mut running = self.lock();
        let of_client = running.by_client.get(&client).copied().unwrap_or_default();
        if of_client >= self.most_of_one {
            return Err(Refused::TooManyExports { most: self.most_of_one });
        }
        if running.all >= self.most {
            return Err(Refused::ExportsAreBusy);
        }
        running.all += 1;
        running.by_client.insert(client, of_client + 1);
        Ok(ExportSlot { exports: Arc::clone(self), client })
    }

    fn lock(&self) -> MutexGuard<'_, Running> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for ExportSlot {
    fn drop(&mut self) {
        let mut running = self.exports.lock();
        running.all -= 1;
        if let Some(of_client) = running.by_client.get_mut(&self.client) {
            *of_client -= 1;
            if *of_client == 0 {
                running.by_client.remove(&self.client);
            }
        }
    }
}

impl ExportSlot {
    /// Keeps the slot until the body is sent or dropped.
    pub(crate) fn until_sent(self, body: Body) -> Body {
        holding(body, self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(result: Result<ExportSlot, Refused>) -> Option<Refused> {
        result.err()
    }

    #[test]
    fn slots_come_back_when_their_bodies_go() {
        let exports = Arc::new(Exports::new(3, 2));
        let (one, other) = (Counted(1), Counted(2));
        let bodies: Vec<Body> = (0..2).map(|_| exports.begin(one).ok().unwrap().until_sent(Body::from("x"))).collect();
        assert_eq!(refused(exports.begin(one)), Some(Refused::TooManyExports { most: 2 }));
        let third = exports.begin(other).ok().unwrap();
        assert_eq!(refused(exports.begin(Counted(3))), Some(Refused::ExportsAreBusy));
        drop(bodies);
        assert_eq!(refused(exports.begin(one)), None);
        drop(third);
        let running = exports.lock();
        assert_eq!((running.all, running.by_client.len()), (0, 0));
    }
}
