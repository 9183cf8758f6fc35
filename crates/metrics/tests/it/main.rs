//! Behaviour of the public items, one module per promise.

mod cuts_and_orders;
mod fsum_reference;
mod weighting;
