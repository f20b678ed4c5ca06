//! Changes seeds at random, but the same way in every run.

/// Longer inputs find little more and take longer.
const MAX_INPUT_BYTES: usize = 16 << 10;

/// How many bytes a change removes, repeats or adds at most.
const MAX_RANGE_BYTES: usize = 32;

/// Numbers at which something often changes.
const INTEGERS: [u64; 12] = [
    0,
    1,
    0x7f,
    0x80,
    0xff,
    0x7fff,
    0xffff,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    0x7fff_ffff_ffff_ffff,
    0xffff_ffff_ffff_ffff,
];

/// Text that means something in many formats.
const TOKENS: [&str; 22] = [
    "0",
    "-1",
    "9223372036854775807",
    "18446744073709551615",
    "1e308",
    "-0.0",
    "null",
    "true",
    "[]",
    "{}",
    "\"\"",
    "\\u0000",
    "\\",
    "\"",
    "{",
    "[",
    "}",
    "]",
    ",",
    "\n",
    "..",
    "/",
];

/// Makes inputs out of seeds.
pub(crate) struct Mutator<'a> {
    seeds: &'a [Vec<u8>],
    state: u64,
}

impl<'a> Mutator<'a> {
    pub(crate) fn new(seeds: &'a [Vec<u8>]) -> Self {
        Self { seeds, state: 21 }
    }

    /// Returns a seed with one to four changes.
    pub(crate) fn next_input(&mut self) -> Vec<u8> {
        let mut input = self.seed().to_vec();
        for _ in 0..=self.below(4) {
            self.change(&mut input);
        }
        input.truncate(MAX_INPUT_BYTES);
        input
    }

    fn change(&mut self, input: &mut Vec<u8>) {
        let start = self.below(input.len() + 1);
        let end = input.len().min(start + self.below(MAX_RANGE_BYTES));
        match self.below(9) {
            0 => {
                let bit: u8 = 1 << self.below(8);
                input.iter_mut().skip(start).take(1).for_each(|byte| *byte ^= bit);
            }
            1 => {
                let random = self.random() as u8;
                input.iter_mut().skip(start).take(1).for_each(|byte| *byte = random);
            }
            2 => input.truncate(start),
            3 => drop(input.drain(start..end)),
            4 => {
                let repeated = input[start..end].to_vec();
                input.splice(end..end, repeated);
            }
            5 => {
                let other = self.seed();
                let from = self.below(other.len() + 1);
                input.truncate(start);
                input.extend_from_slice(&other[from..]);
            }
            6 => {
                let random: Vec<u8> = (start..end).map(|_| self.random() as u8).collect();
                input.splice(start..start, random);
            }
            7 => self.overwrite_integer(&mut input[start..]),
            _ => {
                let token = TOKENS[self.below(TOKENS.len())];
                input.splice(start..end, token.bytes());
            }
        }
    }

    /// Writes an integer of one to eight bytes, in either byte order.
    fn overwrite_integer(&mut self, target: &mut [u8]) {
        let number = INTEGERS[self.below(INTEGERS.len())];
        let width: usize = 1 << self.below(4);
        let mut bytes = number.to_le_bytes()[..width].to_vec();
        if self.below(2) == 0 {
            bytes.reverse();
        }
        target.iter_mut().zip(bytes).for_each(|(target, byte)| *target = byte);
    }

    fn seed(&mut self) -> &'a [u8] {
        let index = self.below(self.seeds.len());
        &self.seeds[index]
    }

    /// Returns a number below a bound that is above 0.
    fn below(&mut self, bound: usize) -> usize {
        (self.random() % bound as u64) as usize
    }

    /// The generator SplitMix64.
    fn random(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.state ^ self.state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }
}
