//! The exact oracle: what a cast must make of every code, from exact integers and rationals.
//!
//! No machine float is used here, so nothing rounds by accident. The way of one element:
//! [`decode`] makes its code an exact [`Value`], a rule of the target's class rounds it once
//! ([`round`]), decides what is out of range, and writes the code. Every answer names its
//! [`Rule`].
//!
//! ```
//! use castproof_oracle::cast;
//! use castproof_vectors::{Attributes, DType, Outcome, Request};
//!
//! // 464 is midway between 448, the largest float8e4m3fn, and 480, which would be next.
//! let request = Request::cast(DType::Float32, DType::Float8E4M3FN, 19);
//! let answer = cast(&request, 0x43e8_0000)?;
//! assert_eq!(answer.expect, Outcome::Code(0x7e));
//! # Ok::<(), castproof_oracle::CodeError>(())
//! ```
#![forbid(unsafe_code)]
#![deny(clippy::float_arithmetic)]
#![cfg_attr(
    not(feature = "gmp"),
    allow(
        clippy::cmp_owned,
        clippy::useless_conversion,
        reason = "an operation on GMP's integers is carried out by its conversion"
    )
)]

mod answers;
mod attributes;
mod bitcast;
mod cast;
mod class;
mod complex;
pub mod decimal;
pub mod decode;
mod describe;
pub mod encode;
pub mod format;
mod held;
mod line;
pub mod number;
mod operands;
pub mod overflow;
pub mod packing;
pub mod partition;
mod promotion;
mod resolved;
pub mod round;
mod rules;
mod spec;
mod text;
mod value;
mod written;

pub use answers::Answers;
pub use attributes::{
    attribute_sets, attribute_sets_of, concerning, default_attributes, having, leaves_out,
};
pub use bitcast::{BitcastTensor, bitcast, bitcast_dtypes, bitcast_shape};
pub use cast::{Caster, CodeError, cast};
pub use castproof_vectors::{
    Basis, NEWEST, Rule, RuleId, find_rule, resolve, rule, rules, type_set, versions,
};
pub use complex::{ComplexExpectation, cast_complex, real_dtypes};
pub use describe::{describe, number};
pub use held::{Held, held};
pub use line::{Line, Neighbour, neighbours};
pub use operands::{Promoted, operand_rule, promote_operands};
pub use partition::{partition, stretches};
pub use promotion::{DTYPES, promote};
pub use spec::{answers_change, profile_pairs};
pub use text::admits_text;
pub use value::Value;
pub use written::{exact, read, read_wide, written};
