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

/// Builds the text.
#[derive(Default)]
pub(super) struct Exposition {
    text: String,
}

impl Exposition {
    /// Begins a family; all of its samples must follow before the next family.
    pub(super) fn family(&mut self, name: &str, kind: Kind, help: &str) {
        let kind = match kind {
            Kind::Counter => "counter",
            Kind::Gauge => "gauge",
            Kind::Histogram => "histogram",
        };
        // Writing to a `String` cannot fail.
        let _ = writeln!(self.text, "# HELP {name} {help}\n# TYPE {name} {kind}");
    }

    /// Adds a family of one sample.
    pub(super) fn single(&mut self, name: &str, kind: Kind, help: &str, value: impl Display) {
        self.family(name, kind, help);
        self.sample(name, &[], value);
    }

    /// Adds a family with one sample for each value of a label.
    pub(super) fn labelled<'a, V: Display>(
        &mut self,
        name: &str,
        kind: Kind,
        help: &str,
        label: &str,
        samples: impl IntoIterator<Item = (&'a str, V)>,
    ) {
        self.family(name, kind, help);
        samples.into_iter().for_each(|(text, value)| self.sample(name, &[(label, text)], value));
    }

    /// Adds a sample.
    pub(super) fn sample(&mut self, name: &str, labels: &[(&str, &str)], value: impl Display) {
        self.text.push_str(name);
        for (index, (label, text)) in labels.iter().enumerate() {
            let text = text.replace('\\', r"\\").replace('"', "\\\"").replace('\n', r"\n");
            let _ = write!(self.text, "{}{label}=\"{text}\"", if index == 0 { '{' } else { ',' });
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
