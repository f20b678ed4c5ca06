//! Variable-length numbers (LEB128): seven bits a byte, the least significant first.

/// Appends a number.
pub(crate) fn write(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// The bytes of a padded number.
pub(crate) const PADDED_BYTES: usize = 2;

/// Returns a number in exactly [`PADDED_BYTES`]; nothing if it needs more.
pub(crate) fn encode_padded(number: u64) -> Option<[u8; PADDED_BYTES]> {
    (number < 1 << 14).then_some([number as u8 | 0x80, (number >> 7) as u8])
}

/// Reads a number and moves past it. A truncated number ends at the end of the bytes.
#[inline]
pub(crate) fn read(bytes: &[u8], offset: &mut usize) -> u64 {
    let mut number = 0;
    let mut shift = 0;
    while let Some(&byte) = bytes.get(*offset) {
        *offset += 1;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return number;
        }
        shift = (shift + 7).min(63);
    }
    number
}
