//! Finds the ends of payloads in a body that arrives in pieces.

use bytes::{Buf, Bytes, BytesMut};
use cantata_core::{Error, ErrorId, ErrorOrigin, Result};

/// How the payloads of a batch are put together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BatchForm {
    /// One JSON array.
    Array,
    /// One payload per line.
    Lines,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Before the bracket that opens the array.
    BeforeArray,
    /// Where a payload, or the end of an empty array, may come.
    BeforeFirst,
    /// After a comma, where a payload must come.
    BeforePayload,
    /// Inside a payload.
    Inside { depth: usize, in_string: bool, escaped: bool },
    /// After the bracket that closes the array.
    AfterArray,
}

/// Splits a body into payloads.
#[derive(Debug)]
pub struct PayloadSplitter {
    form: BatchForm,
    limit: usize,
    buffer: BytesMut,
    /// How much of the buffer has been looked at.
    seen: usize,
    place: Place,
}

impl PayloadSplitter {
    /// Makes a splitter that refuses payloads of more than `limit` bytes.
    pub fn new(form: BatchForm, limit: usize) -> Self {
        Self { form, limit, buffer: BytesMut::new(), seen: 0, place: Place::BeforeArray }
    }

    /// Takes the next piece of the body.
    pub fn feed(&mut self, piece: &[u8]) {
        self.buffer.extend_from_slice(piece);
    }

    /// Returns the next complete payload, if its end has arrived. An error means that no further payload can be found.
    pub fn next_payload(&mut self) -> Result<Option<Bytes>> {
        let found = match self.form {
            BatchForm::Array => self.next_element(),
            BatchForm::Lines => Ok(self.next_line()),
        }?;
        if found.as_ref().map_or(self.buffer.len(), Bytes::len) > self.limit {
            return Err(Error::new(
                ErrorOrigin::SubmitService,
                ErrorId::PayloadTooLarge,
                format!("A payload of the batch is larger than the limit of {} bytes; split it", self.limit),
            ));
        }
        Ok(found)
    }

    /// Tells that the body has ended; returns the last line if it has no line end.
    pub fn finish(&mut self) -> Result<Option<Bytes>> {
        match self.form {
            BatchForm::Lines => {
                let last = self.buffer.split().freeze();
                Ok((!is_blank(&last)).then_some(last))
            }
            BatchForm::Array if self.place == Place::AfterArray => Ok(None),
            BatchForm::Array => Err(broken("the body ended before the array was closed by a ']'")),
        }
    }

    fn next_line(&mut self) -> Option<Bytes> {
        loop {
            let end = self.buffer[self.seen..].iter().position(|byte| *byte == b'\n');
            let Some(end) = end.map(|end| self.seen + end) else {
                self.seen = self.buffer.len();
                return None;
            };
            let line = self.take(end);
            self.buffer.advance(1);
            if !is_blank(&line) {
                return Some(line);
            }
        }
    }

    fn next_element(&mut self) -> Result<Option<Bytes>> {
        while let Some(&byte) = self.buffer.get(self.seen) {
            match (self.place, byte) {
                (Place::Inside { depth, in_string, escaped }, _) => {
                    if !in_string && depth == 0 && matches!(byte, b',' | b']') {
                        let payload = self.take(self.seen);
                        self.buffer.advance(1);
                        self.place = if byte == b',' { Place::BeforePayload } else { Place::AfterArray };
                        return Ok(Some(payload));
                    }
                    self.place = step(depth, in_string, escaped, byte);
                    self.seen += 1;
                }
                (_, b' ' | b'\t' | b'\r' | b'\n') => self.skip(),
                (Place::BeforeArray, b'[') => {
                    self.skip();
                    self.place = Place::BeforeFirst;
                }
                (Place::BeforeFirst, b']') => {
                    self.skip();
                    self.place = Place::AfterArray;
                }
                (Place::BeforeArray, _) => {
                    return Err(broken(
                        "the body is not a JSON array; begin it with '[', or send one payload per line \
                                       with Content-Type application/x-ndjson",
                    ));
                }
                (Place::AfterArray, _) => return Err(broken("there is more after the ']' that closes the array")),
                (Place::BeforePayload | Place::BeforeFirst, b',' | b']') => {
                    return Err(broken("a payload is missing between two commas or before the ']'"));
                }
                (Place::BeforePayload | Place::BeforeFirst, _) => {
                    self.place = Place::Inside { depth: 0, in_string: false, escaped: false };
                }
            }
        }
        Ok(None)
    }

    /// Takes what is before a position out of the buffer.
    fn take(&mut self, end: usize) -> Bytes {
        self.seen = 0;
        self.buffer.split_to(end).freeze()
    }

    /// Drops the byte looked at, which is between payloads.
    fn skip(&mut self) {
        self.buffer.advance(1);
        self.seen = 0;
    }
}

fn step(depth: usize, in_string: bool, escaped: bool, byte: u8) -> Place {
    match byte {
        _ if in_string && escaped => Place::Inside { depth, in_string, escaped: false },
        b'\\' if in_string => Place::Inside { depth, in_string, escaped: true },
        b'"' => Place::Inside { depth, in_string: !in_string, escaped: false },
        b'{' | b'[' if !in_string => Place::Inside { depth: depth + 1, in_string, escaped },
        b'}' | b']' if !in_string => Place::Inside { depth: depth.saturating_sub(1), in_string, escaped },
        _ => Place::Inside { depth, in_string, escaped },
    }
}

fn is_blank(text: &[u8]) -> bool {
    text.iter().all(u8::is_ascii_whitespace)
}

fn broken(reason: &str) -> Error {
    Error::new(ErrorOrigin::SubmitService, ErrorId::PayloadParsing, format!("Unable to read the batch: {reason}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Splits a body fed in pieces of every size; all must give the same payloads.
    fn split(form: BatchForm, body: &str) -> Result<Vec<String>> {
        let outcomes: Vec<Result<Vec<String>>> =
            (1..=body.len().max(1)).map(|size| split_in_pieces(form, body.as_bytes(), size)).collect();
        assert!(outcomes.windows(2).all(|pair| pair[0] == pair[1]), "{body}: {outcomes:?}");
        outcomes.into_iter().next().unwrap()
    }

    fn split_in_pieces(form: BatchForm, body: &[u8], size: usize) -> Result<Vec<String>> {
        let mut splitter = PayloadSplitter::new(form, 1_000);
        let mut payloads = Vec::new();
        for piece in body.chunks(size) {
            splitter.feed(piece);
            while let Some(payload) = splitter.next_payload()? {
                payloads.push(payload);
            }
        }
        payloads.extend(splitter.finish()?);
        Ok(payloads.iter().map(|payload| String::from_utf8_lossy(payload).trim().to_owned()).collect())
    }

    #[test]
    fn arrays_are_split_at_their_own_commas() {
        let body = r#" [ {"a":[1,2],"s":"],\"[{"} , 5,"x" ,null , nonsense ] "#;
        let expected = [r#"{"a":[1,2],"s":"],\"[{"}"#, "5", r#""x""#, "null", "nonsense"];
        assert_eq!(split(BatchForm::Array, body).unwrap(), expected);
        assert_eq!(split(BatchForm::Array, " [ ] ").unwrap(), Vec::<String>::new());
    }

    #[test]
    fn broken_arrays_are_refused() {
        for body in ["", "{}", "[1", "[1,]", "[,1]", "[1] 2", "[\"a", "[{}"] {
            assert!(split(BatchForm::Array, body).is_err(), "{body}");
        }
    }

    #[test]
    fn lines_are_split_at_line_ends_and_blank_ones_skipped() {
        assert_eq!(split(BatchForm::Lines, "{}\r\n\n  \n{\"a\":1}\nlast").unwrap(), ["{}", "{\"a\":1}", "last"]);
        assert_eq!(split(BatchForm::Lines, "").unwrap(), Vec::<String>::new());
    }

    #[test]
    fn payloads_over_the_limit_are_refused_before_they_are_complete() {
        let mut splitter = PayloadSplitter::new(BatchForm::Lines, 10);
        splitter.feed(&[b'x'; 11]);
        assert!(splitter.next_payload().is_err());
    }
}
