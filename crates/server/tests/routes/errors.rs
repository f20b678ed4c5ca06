//! Requests that no route wants: each gets the one error body and the right status, and the server goes on.

mod bodies;
mod depth;
mod fuzz;
mod hostile;
mod paths;
