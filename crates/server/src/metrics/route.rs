//! The counters of one route.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use http::{Method, StatusCode};

use super::exposition::Exposition;

/// The values of the label `method`; all other methods count as the last.
const METHODS: [&str; 7] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "other"];

const STATUS_CLASSES: [&str; 5] = ["1xx", "2xx", "3xx", "4xx", "5xx"];

/// The upper bounds of the buckets, in seconds.
const BUCKET_BOUNDS: [&str; 8] = ["0.001", "0.005", "0.02", "0.1", "0.5", "2", "10", "+Inf"];
const BUCKET_BOUND_MICROS: [u128; 7] = [1_000, 5_000, 20_000, 100_000, 500_000, 2_000_000, 10_000_000];

/// The counters of one route.
pub(crate) struct RouteMetrics {
    template: String,
    methods: [MethodMetrics; METHODS.len()],
}

#[derive(Default)]
struct MethodMetrics {
    classes: [AtomicU64; STATUS_CLASSES.len()],
    buckets: [AtomicU64; BUCKET_BOUNDS.len()],
    microseconds: AtomicU64,
}

/// Returns the position of a method in [`METHODS`].
pub(super) fn method_index(method: &Method) -> usize {
    match *method {
        Method::GET => 0,
        Method::HEAD => 1,
        Method::POST => 2,
        Method::PUT => 3,
        Method::PATCH => 4,
        Method::DELETE => 5,
        _ => 6,
    }
}

impl RouteMetrics {
    pub(crate) fn new(template: &str) -> Self {
        Self { template: template.to_owned(), methods: Default::default() }
    }

    /// Returns the path, with names in place of what differs.
    pub(crate) fn template(&self) -> &str {
        &self.template
    }

    /// Counts a response.
    pub(super) fn count(&self, method: usize, status: StatusCode, taken: Duration) {
        let Some(metrics) = self.methods.get(method) else { return };
        let microseconds = taken.as_micros();
        let class = usize::from(status.as_u16() / 100).saturating_sub(1);
        let bucket = BUCKET_BOUND_MICROS.partition_point(|bound| *bound < microseconds);
        for count in [metrics.classes.get(class), metrics.buckets.get(bucket)].into_iter().flatten() {
            count.fetch_add(1, Ordering::Relaxed);
        }
        metrics.microseconds.fetch_add(u64::try_from(microseconds).unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    /// Writes the number of responses by method and status; nothing where there were none.
    pub(super) fn write_responses(&self, name: &'static str, text: &mut Exposition) {
        for (method, metrics) in METHODS.iter().zip(&self.methods) {
            for (class, count) in STATUS_CLASSES.iter().zip(&metrics.classes) {
                let count = count.load(Ordering::Relaxed);
                if count > 0 {
                    text.sample(name, &[("route", &self.template), ("method", method), ("status", class)], count);
                }
            }
        }
    }

    /// Writes the histograms of response times, by method.
    pub(super) fn write_durations(&self, text: &mut Exposition) {
        for (method, metrics) in METHODS.iter().zip(&self.methods) {
            let counts = metrics.buckets.each_ref().map(|count| count.load(Ordering::Relaxed));
            let total: u64 = counts.iter().sum();
            if total == 0 {
                continue;
            }
            let labels = [("route", self.template.as_str()), ("method", *method)];
            let mut so_far = 0;
            for (bound, count) in BUCKET_BOUNDS.iter().zip(counts) {
                so_far += count;
                let [route, method] = labels;
                text.sample("cantata_http_request_duration_seconds_bucket", &[route, method, ("le", bound)], so_far);
            }
            let seconds = Duration::from_micros(metrics.microseconds.load(Ordering::Relaxed)).as_secs_f64();
            text.sample("cantata_http_request_duration_seconds_sum", &labels, seconds);
            text.sample("cantata_http_request_duration_seconds_count", &labels, total);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_are_cumulative_and_bounds_belong_to_the_smaller_one() {
        let route = RouteMetrics::new("/x");
        for microseconds in [0, 1_000, 1_001, 20_000_000] {
            route.count(method_index(&Method::GET), StatusCode::OK, Duration::from_micros(microseconds));
        }
        let mut text = Exposition::default();
        route.write_durations(&mut text);
        let text = text.into_text();
        for line in [
            r#"_bucket{route="/x",method="GET",le="0.001"} 2"#,
            r#"_bucket{route="/x",method="GET",le="0.005"} 3"#,
            r#"_bucket{route="/x",method="GET",le="10"} 3"#,
            r#"_bucket{route="/x",method="GET",le="+Inf"} 4"#,
            r#"_sum{route="/x",method="GET"} 20.002001"#,
            r#"_count{route="/x",method="GET"} 4"#,
        ] {
            assert!(text.contains(line), "{line} in {text}");
        }
    }

    #[test]
    fn bounds_are_the_same_in_both_forms() {
        let seconds =
            BUCKET_BOUNDS.iter().filter_map(|bound| bound.parse::<f64>().ok()).filter(|bound| bound.is_finite());
        let seconds: Vec<Duration> = seconds.map(Duration::from_secs_f64).collect();
        assert_eq!(seconds.iter().map(Duration::as_micros).collect::<Vec<_>>(), BUCKET_BOUND_MICROS);
    }
}
