//! What analyses become: documents of every shape, and the mapping and display configuration that go with them.
#![expect(clippy::unwrap_used, reason = "a failure here is the failure of a test")]
#![expect(clippy::needless_pass_by_value, reason = "values are written where they are passed")]

mod derived;
mod display;
mod hostile;
mod random;
mod schemas;
mod shapes;
mod support;
