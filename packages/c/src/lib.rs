//! The library castproof for C and C++: it carries questions from pointers to the crates and answers
//! back. `castproof.h` says what each function does.
#![deny(unsafe_code)]

pub mod abi;
mod question;
