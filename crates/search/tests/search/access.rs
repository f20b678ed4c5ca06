//! What a search shows to each identity: the rules of `access.json` on a real engine, with identities of all sorts.

mod counts;
mod fields;
mod guide;
mod random;
mod sets;
mod support;
mod who;
