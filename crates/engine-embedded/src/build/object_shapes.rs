//! The shapes of objects: the paths of their members, in order.

use hashbrown::HashMap;

/// Different shapes, each with a number.
#[derive(Default)]
pub(super) struct ObjectShapes {
    /// The shapes by their numbers.
    pub(super) list: Vec<Vec<u32>>,
    numbers: HashMap<Vec<u32>, u32>,
}

impl ObjectShapes {
    /// Returns the number of a shape, which is added if it is new.
    pub(super) fn number(&mut self, shape: &[u32]) -> u32 {
        let next = self.list.len() as u32;
        let number = *self.numbers.entry_ref(shape).or_insert(next);
        if number == next {
            self.list.push(shape.to_vec());
        }
        number
    }
}
