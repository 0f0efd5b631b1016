//! What people look up: an element as they write it ([`element`](mod@element)), what every specification makes of it
//! ([`table`]), and the facts of a dtype
//! ([`dtypes`]) or of a float format ([`formats`]); what every rule makes of a block that shares a scale ([`block`](mod@block)), and what
//! ONNX's linear operators make of numbers ([`linear`](mod@linear)). The program `castproof` and the page of answers show the same.
#![forbid(unsafe_code)]

pub mod block;
pub mod dtypes;
pub mod element;
pub mod formats;
pub mod linear;
pub mod outcome;
pub mod table;
