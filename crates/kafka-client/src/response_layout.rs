//! The layout of responses: whether a response has what it announces, before it is decoded.
//!
//! The decoder of `kafka-protocol` reserves memory for as many elements as a list announces: twelve bytes can ask for
//! hundreds of gigabytes, which ends the process. A response that passes the check has all of its elements.

/// A part of a response, in the encoding of the versions that this client uses.
pub(crate) enum Part {
    /// So many bytes.
    Fixed(usize),
    /// A text with its length in 16 bits.
    Text,
    /// Bytes with their length in 32 bits.
    Data,
    /// A list of elements with its length in 32 bits.
    List(&'static [Part]),
}

/// Moves past a response; returns nothing if it ends before what it announces. A negative length means null.
pub(crate) fn skip_parts(parts: &[Part], bytes: &mut &[u8]) -> Option<()> {
    for part in parts {
        match part {
            Part::Fixed(length) => skip(*length, bytes)?,
            Part::Text => {
                let length = i16::from_be_bytes(take(bytes)?);
                skip(usize::try_from(length).unwrap_or_default(), bytes)?;
            }
            Part::Data => {
                let length = i32::from_be_bytes(take(bytes)?);
                skip(usize::try_from(length).unwrap_or_default(), bytes)?;
            }
            Part::List(element) => {
                for _ in 0..i32::from_be_bytes(take(bytes)?) {
                    skip_parts(element, bytes)?;
                }
            }
        }
    }
    Some(())
}

fn skip(length: usize, bytes: &mut &[u8]) -> Option<()> {
    *bytes = bytes.get(length..)?;
    Some(())
}

fn take<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    let (first, rest) = bytes.split_first_chunk::<N>()?;
    *bytes = rest;
    Some(*first)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A list of a text and a list of numbers each, and a number.
    const LAYOUT: &[Part] = &[Part::List(&[Part::Text, Part::List(&[Part::Fixed(4)])]), Part::Fixed(2)];

    #[test]
    fn what_is_announced_must_be_there() {
        let whole = [&[0, 0, 0, 1][..], &[0, 2], b"ab", &[0, 0, 0, 2], &[7; 8], &[0; 2]].concat();
        let mut rest = whole.as_slice();
        assert_eq!(skip_parts(LAYOUT, &mut rest), Some(()));
        assert!(rest.is_empty());
        for length in 0..whole.len() {
            assert_eq!(skip_parts(LAYOUT, &mut &whole[..length]), None, "{length}");
        }
        assert_eq!(skip_parts(LAYOUT, &mut &[0x7f, 0xff, 0xff, 0xff, 0, 0][..]), None);
        assert_eq!(skip_parts(LAYOUT, &mut &[0xff, 0xff, 0xff, 0xff, 0, 0][..]), Some(()));
    }
}
