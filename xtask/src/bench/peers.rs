//! What a user would use instead of this crate's casts: the crates `half`, `float8` and
//! `microfloat`, and loops with `as`.

use super::aligned::Aligned;
use castproof_vectors::DType;
use half::slice::HalfFloatSliceExt;
use half::{bf16, f16};
use std::collections::BTreeMap;
use std::hint::black_box;

/// One way to do the same cast. It may round or treat NaN differently.
pub(crate) struct Peer {
    /// Its name.
    pub(crate) name: &'static str,
    /// Casts all elements once.
    pub(crate) run: Box<dyn FnMut()>,
}

const LOCKED: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../Cargo.lock"));

/// The name and the version of every peer of this file; that of the compiler's `as` is unknown here.
pub(super) fn versions() -> BTreeMap<String, String> {
    let crates = ["half", "float8", "microfloat"].map(|name| (name, locked(name)));
    let peers = crates.into_iter().chain([("as", "(loops with `as`)")]);
    peers.map(|(name, version)| (name.to_string(), version.to_string())).collect()
}

/// The version of a crate in Cargo.lock.
fn locked(name: &str) -> &'static str {
    let entry = format!("[[package]]\nname = \"{name}\"\nversion = \"");
    let version = LOCKED.split_once(&entry).and_then(|(_, rest)| rest.split('"').next());
    version.unwrap_or("of no known version")
}

/// The peers that have this pair; `input` holds `elements` elements of `from`, little-endian.
pub(crate) fn of(from: DType, to: DType, elements: usize, input: &[u8]) -> Vec<Peer> {
    let halves = || input.as_chunks().0.iter().map(|bytes| u16::from_le_bytes(*bytes));
    let floats = || -> Vec<f32> {
        input.as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect()
    };
    let as_loop = as_loop(from, to, elements, input);
    let half = match (from, to) {
        (DType::Float32, DType::Float16) => {
            Some(peer("half", &floats(), f16::ZERO, |from: &[f32], to: &mut [f16]| {
                to.convert_from_f32_slice(from);
            }))
        }
        (DType::Float32, DType::Bfloat16) => {
            Some(peer("half", &floats(), bf16::ZERO, |from: &[f32], to: &mut [bf16]| {
                to.convert_from_f32_slice(from);
            }))
        }
        (DType::Float16, DType::Float32) => {
            let input: Vec<f16> = halves().map(f16::from_bits).collect();
            Some(peer("half", &input, 0.0, |from: &[f16], to: &mut [f32]| {
                from.convert_to_f32_slice(to);
            }))
        }
        (DType::Bfloat16, DType::Float32) => {
            let input: Vec<bf16> = halves().map(bf16::from_bits).collect();
            Some(peer("half", &input, 0.0, |from: &[bf16], to: &mut [f32]| {
                from.convert_to_f32_slice(to);
            }))
        }
        _ => None,
    };
    let narrow = match (from, to) {
        (DType::Float32, _) => from_float32(to, &floats()),
        (_, DType::Float32) => to_float32(from, input),
        _ => vec![],
    };
    half.into_iter().chain(as_loop).chain(narrow).collect()
}

/// Macros, because the types of both crates have these functions but no trait with them.
macro_rules! narrow {
    ($name:literal, $type:ty, $input:expr) => {
        peer($name, $input, 0, |from: &[f32], to: &mut [u8]| {
            for (to, from) in to.iter_mut().zip(from) {
                *to = <$type>::from_f32(*from).to_bits();
            }
        })
    };
}
macro_rules! widen {
    ($name:literal, $type:ty, $input:expr) => {
        peer($name, $input, 0.0, |from: &[u8], to: &mut [f32]| {
            for (to, from) in to.iter_mut().zip(from) {
                *to = <$type>::from_bits(*from).to_f32();
            }
        })
    };
}

fn from_float32(to: DType, input: &[f32]) -> Vec<Peer> {
    match to {
        DType::Float8E4M3FN => vec![
            narrow!("float8", float8::F8E4M3, input),
            narrow!("microfloat", microfloat::f8e4m3fn, input),
        ],
        DType::Float8E5M2 => vec![
            narrow!("float8", float8::F8E5M2, input),
            narrow!("microfloat", microfloat::f8e5m2, input),
        ],
        DType::Float8E4M3FNUZ => vec![narrow!("microfloat", microfloat::f8e4m3fnuz, input)],
        DType::Float8E5M2FNUZ => vec![narrow!("microfloat", microfloat::f8e5m2fnuz, input)],
        DType::Float8E8M0 => vec![narrow!("microfloat", microfloat::f8e8m0fnu, input)],
        _ => vec![],
    }
}

fn to_float32(from: DType, input: &[u8]) -> Vec<Peer> {
    match from {
        DType::Float8E4M3FN => vec![
            widen!("float8", float8::F8E4M3, input),
            widen!("microfloat", microfloat::f8e4m3fn, input),
        ],
        DType::Float8E5M2 => vec![
            widen!("float8", float8::F8E5M2, input),
            widen!("microfloat", microfloat::f8e5m2, input),
        ],
        DType::Float8E4M3FNUZ => vec![widen!("microfloat", microfloat::f8e4m3fnuz, input)],
        DType::Float8E5M2FNUZ => vec![widen!("microfloat", microfloat::f8e5m2fnuz, input)],
        DType::Float8E8M0 => vec![widen!("microfloat", microfloat::f8e8m0fnu, input)],
        _ => vec![],
    }
}

fn peer<S: Copy + Default + 'static, T: Copy + 'static>(
    name: &'static str,
    input: &[S],
    blank: T,
    convert: fn(&[S], &mut [T]),
) -> Peer {
    let input = Aligned::copy(input, S::default());
    let mut output = Aligned::new(blank, input.len());
    let run = move || convert(black_box(&input), black_box(&mut output));
    Peer { name, run: Box::new(run) }
}

// Macros, because `as` is not part of a trait: the first picks the Rust type of the source, the
// second that of the target.
macro_rules! with_type {
    ($dtype:expr, $then:ident $(, $more:tt)*) => {
        match $dtype {
            DType::Int8 => $then!(i8 $(, $more)*),
            DType::Uint8 => $then!(u8 $(, $more)*),
            DType::Int16 => $then!(i16 $(, $more)*),
            DType::Uint16 => $then!(u16 $(, $more)*),
            DType::Int32 => $then!(i32 $(, $more)*),
            DType::Uint32 => $then!(u32 $(, $more)*),
            DType::Int64 => $then!(i64 $(, $more)*),
            DType::Uint64 => $then!(u64 $(, $more)*),
            DType::Float32 => $then!(f32 $(, $more)*),
            DType::Float64 => $then!(f64 $(, $more)*),
            _ => None,
        }
    };
}

fn as_loop(from: DType, to: DType, elements: usize, input: &[u8]) -> Option<Peer> {
    macro_rules! target {
        ($target:ty, $source:ty) => {{
            let chunks = input.as_chunks().0.iter();
            let input: Vec<$source> =
                chunks.take(elements).map(|bytes| <$source>::from_le_bytes(*bytes)).collect();
            Some(peer(
                "as",
                &input,
                <$target>::default(),
                |from: &[$source], to: &mut [$target]| {
                    for (to, from) in to.iter_mut().zip(from) {
                        *to = *from as $target;
                    }
                },
            ))
        }};
    }
    macro_rules! source {
        ($source:ty) => {
            with_type!(to, target, $source)
        };
    }
    with_type!(from, source)
}
