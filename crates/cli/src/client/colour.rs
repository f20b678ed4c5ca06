//! Colours, where a terminal shows them and NO_COLOR does not forbid them.

/// Whether there are colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Colours {
    Some,
    None,
}

impl Colours {
    /// The heads of a table.
    pub(super) fn head(self, text: &str) -> String {
        self.shown("1", text)
    }

    /// What went well.
    pub(crate) fn good(self, text: &str) -> String {
        self.shown("32", text)
    }

    /// What did not.
    pub(crate) fn bad(self, text: &str) -> String {
        self.shown("31", text)
    }

    fn shown(self, code: &str, text: &str) -> String {
        match self {
            Self::Some => format!("\u{1b}[{code}m{text}\u{1b}[0m"),
            Self::None => text.to_owned(),
        }
    }
}
