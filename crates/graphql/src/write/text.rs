//! Texts as JSON strings.

use cantata_engine::is_plain;

use super::Writer;

impl Writer<'_> {
    /// Writes a text; the rare ones with escapes are left to the JSON library.
    pub(super) fn string_of(&mut self, text: &str) {
        if is_plain(text.as_bytes()) { self.plain(text.as_bytes()) } else { self.json(&text) }
    }

    /// Writes a text that needs no escapes.
    #[inline]
    pub(super) fn plain(&mut self, text: &[u8]) {
        self.out.reserve(text.len() + 2);
        self.out.push(b'"');
        self.out.extend_from_slice(text);
        self.out.push(b'"');
    }
}
