//! The text form of Prometheus, version 0.0.4.

use std::fmt::{Display, Write};

/// What a family of samples is.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    /// Only grows, but for a restart.
    Counter,
    /// Goes up and down.
    Gauge,
    /// Counts in buckets.
    Histogram,
}

/// A text in the making.
#[derive(Default)]
pub(super) struct Exposition {
    text: String,
}

impl Exposition {
    /// Begins a family; its samples follow at once, and none of any other until they are complete.
    pub(super) fn family(&mut self, name: &str, kind: Kind, help: &str) {
        let kind = match kind {
            Kind::Counter => "counter",
            Kind::Gauge => "gauge",
            Kind::Histogram => "histogram",
        };
        // Nothing is ever in the way of writing to a text.
        let _ = writeln!(self.text, "# HELP {name} {help}\n# TYPE {name} {kind}");
    }

    /// Adds a family of one sample.
    pub(super) fn single(&mut self, name: &str, kind: Kind, help: &str, value: impl Display) {
        self.family(name, kind, help);
        self.sample(name, &[], value);
    }

    /// Adds a sample.
    pub(super) fn sample(&mut self, name: &str, labels: &[(&str, &str)], value: impl Display) {
        self.text.push_str(name);
        for (place, (label, text)) in labels.iter().enumerate() {
            let _ = write!(self.text, "{}{label}=\"", if place == 0 { '{' } else { ',' });
            for sign in text.chars() {
                match sign {
                    '\\' => self.text.push_str("\\\\"),
                    '"' => self.text.push_str("\\\""),
                    '\n' => self.text.push_str("\\n"),
                    sign => self.text.push(sign),
                }
            }
            self.text.push('"');
        }
        let end = if labels.is_empty() { "" } else { "}" };
        let _ = writeln!(self.text, "{end} {value}");
    }

    /// Returns the whole text.
    pub(super) fn into_text(self) -> String {
        self.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_cannot_break_out_of_their_quotes() {
        let mut text = Exposition::default();
        text.family("a", Kind::Gauge, "What a is.");
        text.sample("a", &[("b", "x\"} 1\n\\"), ("c", "é")], 2);
        text.single("d", Kind::Counter, "What d is.", 0.5);
        let expected = "# HELP a What a is.\n# TYPE a gauge\na{b=\"x\\\"} 1\\n\\\\\",c=\"é\"} 2\n\
                        # HELP d What d is.\n# TYPE d counter\nd 0.5\n";
        assert_eq!(text.into_text(), expected);
    }
}
