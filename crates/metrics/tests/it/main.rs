//! Behaviour of the public items, one module per promise.

mod cuts_and_orders;
mod fsum_reference;
mod measuring_figures;
mod measuring_properties;
mod simulations;
mod statistics_properties;
mod statistics_reference;
mod weighting;
mod worked_row;
