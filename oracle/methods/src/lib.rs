//! Wrong methods of casting, and what each makes of an element.
//!
//! A method is a small pure function in one table, [`METHODS`]. It returns `None` for an element to
//! which its mistake does not apply. Methods of quantising blocks are records of axes, in [`blocks`];
//! those of ONNX's linear quantisation in [`linear`]; those of decoders of GGUF in [`GGUF_METHODS`], and of its quantisers in [`GGUF_MAKING_METHODS`];
//! layouts in another order are [`layout_methods`]. [`HABITS`] holds what implementations do where the
//! specification leaves the result open. [`explain`] shows the results of methods for one element,
//! and the gate compares them with what an implementation returned. The right answers come from
//! [`castproof_oracle`], which knows no wrong method.
//!
//! ```
//! use castproof_methods::{METHODS, MethodTensor};
//! use castproof_vectors::{DType, Request};
//!
//! // A number just above a tie of float16.
//! let request = Request::cast(DType::Float64, DType::Float16, 13);
//! let tensor = MethodTensor::new(&request, &[0x3ff0_0200_0000_0001])?;
//! let method = METHODS.iter().find(|method| method.name == "rounded through float32");
//! assert_eq!(method.expect("a method").results(&tensor, &[0]), [Some(0x3c00)]);
//! # Ok::<(), castproof_oracle::CodeError>(())
//! ```
#![forbid(unsafe_code)]
#![deny(clippy::float_arithmetic)]
#![allow(
    clippy::cmp_owned,
    clippy::useless_conversion,
    reason = "an operation on GMP's integers is carried out by its conversion"
)]

pub mod blocks;
mod catalogue;
mod codes;
mod element;
mod explain;
mod foldings;
mod gguf;
mod gguf_making;
mod habits;
mod layouts;
pub mod linear;
mod parts;
mod range;
mod rewrites;
mod rounding;
mod special;

pub use catalogue::{METHODS, Method};
pub use element::{MethodElement, MethodTensor};
pub use explain::{Explanation, explain};
pub use foldings::Folding;
pub use gguf::{GGUF_METHODS, GgufMethod};
pub use gguf_making::{GGUF_MAKING_METHODS, GgufMakingMethod};
pub use habits::{HABITS, Habit, UndefinedInput};
pub use layouts::{LayoutMethod, layout_methods};
pub use rewrites::{Casts, Rewrite, Rewritten, Step, rewritten};
