//! Casts between tensor dtypes, as the ONNX `Cast` operator defines them: every pair of `bool`,
//! the integers of 2 to 64 bits and the floats from float64 down to float8, float6 and float4.
//!
//! ```
//! use castproof_impl::{Cast, DType, F8E4M3FN};
//!
//! # fn main() -> Result<(), castproof_impl::Error> {
//! let cast = Cast::new(DType::Float32, DType::Float8E4M3FN)?;
//!
//! // Typed slices.
//! let mut codes = [F8E4M3FN(0); 3];
//! cast.run_slice(&[1.0_f32, 464.0, -1.0e9], &mut codes)?;
//! assert_eq!(codes, [F8E4M3FN(0x38), F8E4M3FN(0x7e), F8E4M3FN(0xfe)]);
//!
//! // Packed bytes: three float32 values to three 4-bit integers in two bytes.
//! let input: Vec<u8> = [1.0_f32, -2.0, 2.5].iter().flat_map(|x| x.to_le_bytes()).collect();
//! let mut output = [0; 2];
//! Cast::new(DType::Float32, DType::Int4)?.run(&input, 3, &mut output)?;
//! assert_eq!(output, [0xe1, 0x02]);
//!
//! // One element, by code; without saturation a value out of range becomes NaN.
//! assert_eq!(cast.saturate(false).code(0x43e8_0001)?, 0x7f);
//! # Ok(())
//! # }
//! ```
//!
//! # Words
//!
//! A *code* is the bit pattern of one element, right-aligned. Elements in bytes are
//! little-endian; elements of 2, 4 and 6 bits are packed from the least significant bits up, over
//! the flattened tensor, and the last byte is filled with zeros (P-01 to P-09). Padding bits of
//! an input are not read.
//!
//! # What a cast returns
//!
//! Every result is rounded once, from the exact value of the source (never through another
//! float), to nearest, ties to even. Ids such as `FF-05` name the clause that is the rule.
//!
//! | to | result |
//! |---|---|
//! | `bool` | 0 for zero of either sign, otherwise 1, NaN included (B-01 to B-04) |
//! | integer, from an integer | the low bits, two's complement (II-02) |
//! | integer of 8 to 64 bits, from a float | towards zero (FI-02, FI-03) |
//! | integer of 2 or 4 bits, from a float | to nearest, ties to even (I4-02) |
//! | float16, bfloat16, float32, float64 | beyond the range, infinity (FF-05, IF-03) |
//! | float8, `saturate` on | beyond the range and infinity, the largest finite value (F8-S04 to F8-S09) |
//! | float8, `saturate` off | beyond the range and infinity, infinity or else NaN (F8-N04 to F8-N09) |
//! | float8e8m0 | a power of two by `round_mode` (E8-08 to E8-12) |
//! | float6, float4 | beyond the range and infinity, the largest finite value (F4-03, F6-03) |
//!
//! A cast to the same dtype changes nothing (FF-11), except that infinities of float8e5m2 saturate
//! when asked to (F8-S08). Infinities to the FNUZ types under `saturate` are NaN before opset 24
//! (F8-S06) and the largest finite value from opset 24 on (F8-S07).
//!
//! # Where the rules leave it open
//!
//! | case | result here |
//! |---|---|
//! | float out of the range of an integer, or infinite (FI-04, I4-03) | the nearest end of the range |
//! | NaN to an integer (FI-05, I4-03) | 0 |
//! | NaN to a float (FF-08, F8-S03, F8-N02) | the quiet NaN without payload; the sign is kept where the target's NaN has one |
//! | NaN to float6 (F6-04) | the largest value, as float4 must (F4-05) |
//! | zero of either sign, also from an integer or `false`, to float8e8m0 (E8-01, E8-02) | 0x00 under `saturate`, else NaN |
//! | a negative value to float8e8m0 (E8-03) | as zero: 0x00 under `saturate`, else NaN |
//! | above 2^127 or infinite to float8e8m0 (E8-05, E8-06) | 0xfe under `saturate`, else NaN, in every mode |
//! | between 0 and 2^-127 to float8e8m0 (E8-07) | 0x00 under `saturate`, else NaN, in every mode |
//! | `bool` byte other than 0 and 1 (B-08) | true |
//! | NaN of float8e5m2 to float8e5m2 under `saturate` (F8-S03) | the quiet NaN of the same sign |
//!
//! # How it works
//!
//! A slice goes through a chain of branch-free loops, block by block. Packed elements become a byte
//! each; those become float32 (exact, or rounded to odd from wider types, so that the next rounding
//! is the only one that counts); float32 becomes the target; the target is packed again. The loops
//! are written once and compiled for every [`InstructionSet`]. Loops of instructions are added
//! where compilers do not find them. A [`Cast`] holds its chain. [`Cast::plan`] prints it, and
//! [`Plan`] describes it for other machines too. From 4096 elements on, a source of at most 8 bits,
//! or an integer on its way to a float of at most 6, uses a table that the chain itself has filled.
//! Outputs of 16 MiB and more are written past the caches.
//!
//! | module | what it holds |
//! |---|---|
//! | `rules`, `values`, `format` | the axes on which requests differ, the values of dtypes, the constants of formats |
//! | `scalar` | the reference: one code at a time |
//! | `arch` | what each instruction set can do, its own loops, all unsafe code |
//! | `kernels` | the loops that are written once |
//! | `plan` | the choice of loops and tables for a pair |
//! | `run` | running a plan: blocks, tables, threads |
//! | `text`, `promotion`, `bitcast`, `complex` | strings, MindSpore's promotion, bitcasts, complex dtypes |
//! | `block`, `block_decoding`, `linear` | blocks that share a scale, what they stand for, linear quantisation |
//! | `gguf`, `gguf_making` | the blocks of GGUF, decoded, and made from float32 |
//! | `projection` | conversions between float formats by parameters |
//! | `layout` | layouts of codes in bytes: nibbles, words, tiles of scales |
//!
//! [`Cast::code`] computes the same results another way, through an unpacked form (sign, exponent,
//! 64-bit significand) that holds every value of every dtype exactly. The tests compare the loops
//! with it.
//!
//! # Strings
//!
//! [`FromText`] reads numerals of any length, with one rounding from the exact decimal. [`ToText`]
//! writes numerals in plain notation with few digits, all elements into one arena ([`Texts`]). Two
//! cases that the specification leaves open are errors: a text that is not a numeral, and an
//! integer beyond the range. Both types need the feature `std`.
//!
//! # Features
//!
//! `std`, on by default: strings; the detection of instruction sets at run time; the environment
//! variable `CASTPROOF_BACKEND`, which names the [`InstructionSet`] to use. A name that is unknown,
//! or that this machine does not have, is ignored unless the program asks [`Backend::from_env`].
//! Without the feature, the crate is `no_std` and uses the instruction sets that the build was told
//! of.
//!
//! `rayon`, off by default: slices of 262,144 elements and more are shared among the threads of the
//! current rayon pool. If the system gives no threads, the calling thread casts the whole slice.
#![no_std]
#![deny(unsafe_code)]

// The examples of the README, built and run with the others.
#[cfg(all(doctest, feature = "std"))]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(any(test, feature = "std"))]
extern crate std;

mod arch;
mod backend;
mod bitcast;
mod block;
mod block_decoding;
mod block_group;
mod block_power;
mod cast;
mod complex;
mod element;
mod error;
mod format;
mod gguf;
mod gguf_making;
mod instruction_set;
mod kernels;
mod layout;
mod linear;
mod narrow;
mod packed;
mod plan;
#[cfg(castproof_plant)]
mod plant;
mod profile;
mod projection;
mod promotion;
mod rules;
mod run;
mod scalar;
mod sizes;
#[cfg(feature = "std")]
mod text;
mod trap;
mod values;

pub use backend::Backend;
pub use bitcast::{Reshape, reshape, view_as};
pub use block::BlockQuantizer;
pub use block_decoding::BlockDequantizer;
pub use cast::{Cast, cast_slice};
pub use castproof_vectors::{
    BlockFormat, BlockProfile, CodeLayout, DType, Edition, GgufType, LayoutForm, Number, Operand,
    Profile, RoundMode, RoundingMode, Saturation, System,
};
pub use complex::ComplexCast;
pub use element::Element;
pub use error::Error;
pub use gguf::GgufDequantizer;
pub use gguf_making::GgufQuantizer;
pub use instruction_set::InstructionSet;
pub use layout::LayoutPacker;
pub use linear::{LinearNode, dynamic_quantize};
pub use narrow::*;
pub use packed::packed_len;
pub use plan::{Plan, PlannedLoop};
pub use projection::Projector;
pub use promotion::{Operands, promote, promote_number};
#[cfg(feature = "std")]
pub use text::{FromText, Texts, ToText};
