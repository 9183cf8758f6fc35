//! Behaviour of the public items, one module per promise.

mod cuts_and_orders;
mod domain_figures;
mod fsum_reference;
mod measuring_figures;
mod measuring_properties;
mod sample_figures;
mod samples_properties;
mod samples_reference;
mod simulations;
mod statistics_properties;
mod statistics_reference;
mod weighting;
