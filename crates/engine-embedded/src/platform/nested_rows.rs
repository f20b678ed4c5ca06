//! Bitmaps between a nesting level and the one above it, sixty-four rows at a time.
//!
//! The rows of a parent row are neighbours, so a bitmap says where they begin: a bit for each row that is the first of its
//! parent row, one more for the end of the rows, and a word after that. The parent rows that have rows are a second bitmap.
//!
//! * **Within the level** one addition reaches the rows of all parents of a word. Where the last row of each parent is
//!   zero and the others are one, adding any of the others carries into the last row, and no further. The other way,
//!   adding a chosen first row carries through all rows up to the next parent. The carry goes on into the next word.
//! * **Between the levels** the bits of last or first rows are gathered, or spread over them, which is one instruction
//!   where the processor has it.

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{_pdep_u64, _pext_u64};

/// Returns the parent rows that have one of the rows.
pub(crate) fn lift_rows(first: &[u64], parents: &[u64], rows: &[u64]) -> Vec<u64> {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("bmi2") && is_x86_feature_detected!("popcnt") {
        // SAFETY: the processor has the instructions.
        return unsafe { lift_bmi2(first, parents, rows) };
    }
    lift_portable(first, parents, rows)
}

/// Returns all rows of the chosen parent rows.
pub(crate) fn lower_rows(first: &[u64], parents: &[u64], chosen: &[u64]) -> Vec<u64> {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("bmi2") && is_x86_feature_detected!("popcnt") {
        // SAFETY: the processor has the instructions.
        return unsafe { lower_bmi2(first, parents, chosen) };
    }
    lower_portable(first, parents, chosen)
}

/// Returns how many parent rows have a row that is set in both of two bitmaps.
pub(crate) fn count_parents(first: &[u64], one: &[u64], two: &[u64]) -> usize {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("popcnt") {
        // SAFETY: the processor has the instruction.
        return unsafe { count_parents_popcnt(first, one, two) };
    }
    count_parents_portable(first, one, two)
}

/// Bits on their way from one level to another.
#[derive(Default)]
struct BitQueue {
    bits: u128,
    len: u32,
}

impl BitQueue {
    /// Adds bits, if there are fewer than 64.
    #[inline(always)]
    fn push(&mut self, bits: u64, count: u32) {
        self.bits |= u128::from(bits) << self.len;
        self.len += count;
    }

    /// Takes bits away, and returns them with those that follow.
    #[inline(always)]
    fn take(&mut self, count: u32) -> u64 {
        let bits = self.bits as u64;
        self.bits >>= count;
        self.len = self.len.saturating_sub(count);
        bits
    }
}

/// Returns the last rows of the parents of a word, and those of them whose parent has a row so far. The carry says whether
/// the parent that goes on has one.
#[inline(always)]
fn last_rows(rows: u64, first: u64, next_first: u64, carry: &mut bool) -> (u64, u64) {
    let last = first >> 1 | next_first << 63;
    let (sum, one) = (rows & !last).overflowing_add(!last);
    let (sum, two) = sum.overflowing_add(u64::from(*carry));
    *carry = one | two;
    (last, (sum | rows) & last)
}

/// Defines the kernels with the functions that gather and spread bits.
macro_rules! kernels {
    ($lift:ident, $lower:ident, $extract:ident, $deposit:ident $(, #[$attribute:meta])*) => {
        $(#[$attribute])*
        fn $lift(first: &[u64], parents: &[u64], rows: &[u64]) -> Vec<u64> {
            let mut lifted = Vec::with_capacity(parents.len());
            let mut words = rows.iter().zip(first.windows(2));
            let mut queue = BitQueue::default();
            let mut carry = false;
            for &parents in parents {
                let wanted = parents.count_ones();
                while queue.len < wanted {
                    let Some((&rows, first)) = words.next() else { break };
                    let (last, found) = last_rows(rows, first[0], first[1], &mut carry);
                    queue.push($extract(found, last), last.count_ones());
                }
                lifted.push($deposit(queue.take(wanted), parents));
            }
            lifted
        }

        $(#[$attribute])*
        fn $lower(first: &[u64], parents: &[u64], chosen: &[u64]) -> Vec<u64> {
            let words = first.len().saturating_sub(1);
            let mut rows = Vec::with_capacity(words);
            let mut above = parents.iter().zip(chosen);
            let mut queue = BitQueue::default();
            // Whether the rows of a chosen parent go on in the next word: after its first row, or after others.
            let (mut begun, mut carry) = (0, false);
            for &first in &first[..words] {
                let wanted = first.count_ones();
                while queue.len < wanted {
                    let Some((&parents, &chosen)) = above.next() else { break };
                    queue.push($extract(chosen, parents), parents.count_ones());
                }
                let chosen: u64 = $deposit(queue.take(wanted), first);
                let (sum, one) = (!first).overflowing_add((chosen << 1 | begun) & !first);
                let (sum, two) = sum.overflowing_add(u64::from(carry));
                (begun, carry) = (chosen >> 63, one | two);
                rows.push(chosen | !first & !sum);
            }
            rows
        }
    };
}

kernels!(lift_portable, lower_portable, extract_portable, deposit_portable);

#[cfg(target_arch = "x86_64")]
kernels!(lift_bmi2, lower_bmi2, _pext_u64, _pdep_u64, #[target_feature(enable = "bmi2,popcnt")]);

#[inline(always)]
fn count_parents_portable(first: &[u64], one: &[u64], two: &[u64]) -> usize {
    let (mut count, mut carry) = (0, false);
    for ((one, two), first) in one.iter().zip(two).zip(first.windows(2)) {
        count += last_rows(one & two, first[0], first[1], &mut carry).1.count_ones() as usize;
    }
    count
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "popcnt")]
fn count_parents_popcnt(first: &[u64], one: &[u64], two: &[u64]) -> usize {
    count_parents_portable(first, one, two)
}

/// Returns the bits of a mask, side by side.
fn extract_portable(bits: u64, mask: u64) -> u64 {
    if mask == u64::MAX {
        return bits;
    }
    let (mut gathered, mut place, mut left) = (0, 0, mask);
    while left != 0 {
        gathered |= (bits >> left.trailing_zeros() & 1) << place;
        place += 1;
        left &= left - 1;
    }
    gathered
}

/// Returns bits that lie side by side, spread over a mask.
fn deposit_portable(bits: u64, mask: u64) -> u64 {
    if mask == u64::MAX {
        return bits;
    }
    let (mut spread, mut next, mut left) = (0, bits, mask);
    while left != 0 {
        spread |= (next & 1) << left.trailing_zeros();
        next >>= 1;
        left &= left - 1;
    }
    spread
}

#[cfg(test)]
mod tests {
    use rand::rngs::StdRng;
    use rand::{Rng, SeedableRng};

    use super::*;

    fn words(random: &mut StdRng, count: usize) -> Vec<u64> {
        (0..count).map(|_| random.random::<u64>() & random.random::<u64>()).collect()
    }

    #[test]
    fn bits_are_gathered_and_spread() {
        assert_eq!(extract_portable(0b1010_0110, 0b1111_0000), 0b1010);
        assert_eq!(deposit_portable(0b1010, 0b0101_0101), 0b0100_0100);
        let mut random = StdRng::seed_from_u64(1);
        for mask in words(&mut random, 200).into_iter().chain([0, 1, 1 << 63, u64::MAX]) {
            let bits: u64 = random.random();
            assert_eq!(deposit_portable(extract_portable(bits, mask), mask), bits & mask);
        }
    }

    #[test]
    fn every_processor_computes_the_same() {
        let mut random = StdRng::seed_from_u64(2);
        for count in 0..20 {
            // Also what no level has: nothing here may depend on it.
            let first = words(&mut random, count + 1);
            let (parents, one, two) = (words(&mut random, count), words(&mut random, count), words(&mut random, count));
            assert_eq!(lift_rows(&first, &parents, &one), lift_portable(&first, &parents, &one));
            assert_eq!(lower_rows(&first, &parents, &one), lower_portable(&first, &parents, &one));
            assert_eq!(count_parents(&first, &one, &two), count_parents_portable(&first, &one, &two));
        }
    }
}
