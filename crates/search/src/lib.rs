//! The search service: catalogues that are served, and what is asked of them. No HTTP.
//!
//! [`SearchService`] holds the catalogues as one value that is replaced as a whole: a request takes the value that is
//! there and finishes on it, whatever is reloaded meanwhile. A catalogue that cannot be served is in it too, with the
//! reason, and disturbs no other. Each catalogue has an engine, which [`Engines`] gives it. A catalogue can only be had
//! as somebody sees it.

mod built;
mod catalogues;
mod download;
mod engines;
mod following;
mod gate;
mod graphql;
mod loading;
mod service;
mod sets;
mod tally;
mod watching;

pub use catalogues::{Catalogues, Found, ServedCatalogue};
pub use download::{Download, DownloadBody, DownloadError, DownloadRequest};
pub use engines::Engines;
pub use service::{ConfigSource, SearchService};
pub use tally::SearchTally;
