//! `/schemas`

mod get;
mod name;
mod options;
mod post;
mod refused;
mod registration;
