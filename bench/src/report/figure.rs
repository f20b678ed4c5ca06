//! One figure: measured alone or against something, several times, and perhaps required to be so much.

use serde::Serialize;

/// What a figure must be.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Limit {
    AtLeast(f64),
    AtMost(f64),
}

impl Limit {
    fn is_met_by(self, value: f64) -> bool {
        match self {
            Self::AtLeast(limit) => value >= limit,
            Self::AtMost(limit) => value <= limit,
        }
    }
}

impl std::fmt::Display for Limit {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::AtLeast(limit) => write!(formatter, "≥ {limit}"),
            Self::AtMost(limit) => write!(formatter, "≤ {limit}"),
        }
    }
}

/// A figure while it is being measured.
pub(crate) struct Figure {
    name: String,
    unit: &'static str,
    runs: Vec<f64>,
    /// As many as runs when the figure is a comparison, otherwise none.
    compared_runs: Vec<f64>,
    is_compared: bool,
    required: Option<Limit>,
}

impl Figure {
    /// Makes a figure that is compared with no other; its limit applies to its value.
    pub(crate) fn alone(name: impl Into<String>, unit: &'static str) -> Self {
        Self { name: name.into(), unit, runs: vec![], compared_runs: vec![], is_compared: false, required: None }
    }

    /// Makes a figure that is set against another of the same unit; a limit is one for the ratio.
    pub(crate) fn compared(name: impl Into<String>, unit: &'static str) -> Self {
        Self { is_compared: true, ..Self::alone(name, unit) }
    }

    pub(crate) fn required(self, limit: Limit) -> Self {
        Self { required: Some(limit), ..self }
    }

    pub(crate) fn add(&mut self, value: f64) {
        self.runs.push(value);
    }

    pub(crate) fn add_compared(&mut self, value: f64, compared: f64) {
        self.runs.push(value);
        self.compared_runs.push(compared);
    }

    /// Adds a value.
    pub(crate) fn with(mut self, value: f64) -> Self {
        self.add(value);
        self
    }

    /// Adds two values that were measured one right after the other.
    pub(crate) fn with_compared(mut self, value: f64, compared: f64) -> Self {
        self.add_compared(value, compared);
        self
    }

    pub(super) fn summary(self) -> Summary {
        let ratios: Vec<f64> = self.runs.iter().zip(&self.compared_runs).map(|(ours, theirs)| ours / theirs).collect();
        let value = median(&self.runs);
        let ratio = self.is_compared.then(|| median(&ratios));
        Summary {
            value,
            compared: self.is_compared.then(|| median(&self.compared_runs)),
            ratio,
            met: self.required.map(|limit| limit.is_met_by(ratio.unwrap_or(value))),
            name: self.name,
            unit: self.unit,
            required: self.required,
            runs: self.runs,
            compared_runs: self.compared_runs,
        }
    }
}

/// A figure that has been measured: medians, and the median of the ratios of values measured next to each other, which
/// a disk that gets slower during the run does not distort.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Summary {
    pub(super) name: String,
    pub(super) unit: &'static str,
    pub(super) value: f64,
    pub(super) compared: Option<f64>,
    pub(super) ratio: Option<f64>,
    pub(super) required: Option<Limit>,
    pub(super) met: Option<bool>,
    runs: Vec<f64>,
    compared_runs: Vec<f64>,
}

impl Summary {
    /// Returns what is wrong with the figure, if anything is.
    pub(super) fn miss(&self) -> Option<String> {
        let limit = self.required.filter(|_| self.met == Some(false))?;
        let found = match self.ratio {
            Some(ratio) => format!("ratio {ratio:.3}"),
            None => format!("{:.1} {}", self.value, self.unit),
        };
        Some(format!("{}: {found}, expected {limit}", self.name))
    }
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    match (sorted.len() / 2, sorted.len() % 2) {
        (0, 0) => f64::NAN,
        (middle, 0) => f64::midpoint(sorted[middle - 1], sorted[middle]),
        (middle, _) => sorted[middle],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_are_of_the_sorted_values() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), 2.5);
    }

    #[test]
    fn a_comparison_is_judged_by_the_median_of_its_ratios() {
        let mut figure = Figure::compared("x".to_owned(), "ms").required(Limit::AtMost(1.2));
        for (ours, theirs) in [(10.0, 10.0), (30.0, 20.0), (100.0, 90.0)] {
            figure.add_compared(ours, theirs);
        }
        let summary = figure.summary();
        assert_eq!((summary.value, summary.compared), (30.0, Some(20.0)));
        assert!(summary.ratio.is_some_and(|ratio| ratio > 1.1 && ratio < 1.12));
        assert_eq!(summary.miss(), None);
    }

    #[test]
    fn a_figure_alone_is_judged_by_its_value() {
        let mut figure = Figure::alone("Idle".to_owned(), "MB").required(Limit::AtMost(40.0));
        figure.add(41.0);
        assert_eq!(figure.summary().miss().as_deref(), Some("Idle: 41.0 MB, expected ≤ 40"));
    }

    #[test]
    fn nothing_measured_meets_nothing() {
        let figure = Figure::compared("x".to_owned(), "ms").required(Limit::AtLeast(0.5));
        assert!(figure.summary().miss().is_some());
    }
}
