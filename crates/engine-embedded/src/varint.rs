//! Numbers in as few bytes as they need: seven bits a byte, the least first.

/// Appends a number.
pub(crate) fn write(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// How many bytes a short number takes.
pub(crate) const SHORT: usize = 2;

/// Returns a number in exactly two bytes, whatever it would need; nothing if it needs more.
pub(crate) fn short(number: u64) -> Option<[u8; SHORT]> {
    (number < 1 << 14).then_some([number as u8 | 0x80, (number >> 7) as u8])
}

/// Reads a number and moves past it. What is not a whole number reads as zero at the end of the bytes.
#[inline]
pub(crate) fn read(bytes: &[u8], place: &mut usize) -> u64 {
    let mut number = 0;
    let mut shift = 0;
    while let Some(&byte) = bytes.get(*place) {
        *place += 1;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return number;
        }
        shift = (shift + 7).min(63);
    }
    number
}
