//! Tests of the public interface.

mod backends;
mod boundaries;
mod common;
mod edges;
mod half_witness;
mod landmarks;
mod narrow;
mod plans;
mod rust_as;
mod short;
mod slices;
mod specials;
