//! Tensors that are arranged, and what a whole run says of them.

mod not_every_time;
mod older_versions;
