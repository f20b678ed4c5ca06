//! Colours on terminals, unless NO_COLOR is set.

/// Whether colours are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Colours {
    Enabled,
    Disabled,
}

impl Colours {
    /// Styles the head of a table.
    pub(crate) fn head(self, text: &str) -> String {
        self.styled("1", text)
    }

    /// Styles a success.
    pub(crate) fn good(self, text: &str) -> String {
        self.styled("32", text)
    }

    /// Styles a failure.
    pub(crate) fn bad(self, text: &str) -> String {
        self.styled("31", text)
    }

    fn styled(self, code: &str, text: &str) -> String {
        match self {
            Self::Enabled => format!("\u{1b}[{code}m{text}\u{1b}[0m"),
            Self::Disabled => text.to_owned(),
        }
    }
}
