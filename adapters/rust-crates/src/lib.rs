//! The crates half, float8 and microfloat as a castproof testee.
//!
//! They know no operator versions, so the newest is answered alone; each cast is one that a crate
//! offers, from or to float32 or float64, and no two are put together here.
#![forbid(unsafe_code)]

use castproof::testee::{Identity, Reply, Testee};
use castproof_vectors::{DType, Operator, Request, pack, unpack};
use float8::{F8E4M3, F8E5M2};
use half::{bf16, f16};
use microfloat::{f4e2m1fn, f6e2m3fn, f6e3m2fn, f8e4m3fnuz, f8e5m2fnuz, f8e8m0fnu};

use DType::*;

/// The operator set that is answered.
const OPSET: u32 = 28;

/// One cast of one crate.
type Kernel = fn(u64) -> u64;

/// A cast with its saturation, where the target has that attribute.
struct Row {
    from: DType,
    to: DType,
    saturate: Option<bool>,
    kernel: Kernel,
}

const fn row(from: DType, to: DType, saturate: Option<bool>, kernel: Kernel) -> Row {
    Row { from, to, saturate, kernel }
}

/// From a code of float32 and float64.
fn single(code: u64) -> f32 {
    f32::from_bits(code as u32)
}

fn double(code: u64) -> f64 {
    f64::from_bits(code)
}

fn single_code(value: f32) -> u64 {
    value.to_bits().into()
}

/// float8 saturates, as the CUDA header it follows; microfloat does not.
const SATURATES: Option<bool> = Some(true);
const DOES_NOT: Option<bool> = Some(false);

/// Every cast that is tried.
const ROWS: &[Row] = &[
    row(Float32, Float16, None, |code| f16::from_f32(single(code)).to_bits().into()),
    row(Float64, Float16, None, |code| f16::from_f64(double(code)).to_bits().into()),
    row(Float16, Float32, None, |code| single_code(f16::from_bits(code as u16).to_f32())),
    row(Float16, Float64, None, |code| f16::from_bits(code as u16).to_f64().to_bits()),
    row(Float32, Bfloat16, None, |code| bf16::from_f32(single(code)).to_bits().into()),
    row(Float64, Bfloat16, None, |code| bf16::from_f64(double(code)).to_bits().into()),
    row(Bfloat16, Float32, None, |code| single_code(bf16::from_bits(code as u16).to_f32())),
    row(Bfloat16, Float64, None, |code| bf16::from_bits(code as u16).to_f64().to_bits()),
    row(Float32, Float8E4M3FN, SATURATES, |code| F8E4M3::from_f32(single(code)).to_bits().into()),
    row(Float64, Float8E4M3FN, SATURATES, |code| F8E4M3::from_f64(double(code)).to_bits().into()),
    row(Float8E4M3FN, Float32, None, |code| single_code(F8E4M3::from_bits(code as u8).to_f32())),
    row(Float8E4M3FN, Float64, None, |code| F8E4M3::from_bits(code as u8).to_f64().to_bits()),
    row(Float32, Float8E5M2, SATURATES, |code| F8E5M2::from_f32(single(code)).to_bits().into()),
    row(Float64, Float8E5M2, SATURATES, |code| F8E5M2::from_f64(double(code)).to_bits().into()),
    row(Float8E5M2, Float32, None, |code| single_code(F8E5M2::from_bits(code as u8).to_f32())),
    row(Float8E5M2, Float64, None, |code| F8E5M2::from_bits(code as u8).to_f64().to_bits()),
    row(Float32, Float8E4M3FNUZ, DOES_NOT, |x| f8e4m3fnuz::from_f32(single(x)).to_bits().into()),
    row(Float64, Float8E4M3FNUZ, DOES_NOT, |x| f8e4m3fnuz::from_f64(double(x)).to_bits().into()),
    row(Float8E4M3FNUZ, Float32, None, |x| single_code(f8e4m3fnuz::from_bits(x as u8).to_f32())),
    row(Float32, Float8E5M2FNUZ, DOES_NOT, |x| f8e5m2fnuz::from_f32(single(x)).to_bits().into()),
    row(Float64, Float8E5M2FNUZ, DOES_NOT, |x| f8e5m2fnuz::from_f64(double(x)).to_bits().into()),
    row(Float8E5M2FNUZ, Float32, None, |x| single_code(f8e5m2fnuz::from_bits(x as u8).to_f32())),
    row(Float8E8M0, Float32, None, |x| single_code(f8e8m0fnu::from_bits(x as u8).to_f32())),
    row(Float32, Float6E2M3, None, |x| f6e2m3fn::from_f32(single(x)).to_bits().into()),
    row(Float64, Float6E2M3, None, |x| f6e2m3fn::from_f64(double(x)).to_bits().into()),
    row(Float6E2M3, Float32, None, |x| single_code(f6e2m3fn::from_bits(x as u8).to_f32())),
    row(Float32, Float6E3M2, None, |x| f6e3m2fn::from_f32(single(x)).to_bits().into()),
    row(Float64, Float6E3M2, None, |x| f6e3m2fn::from_f64(double(x)).to_bits().into()),
    row(Float6E3M2, Float32, None, |x| single_code(f6e3m2fn::from_bits(x as u8).to_f32())),
    row(Float32, Float4E2M1, None, |x| f4e2m1fn::from_f32(single(x)).to_bits().into()),
    row(Float64, Float4E2M1, None, |x| f4e2m1fn::from_f64(double(x)).to_bits().into()),
    row(Float4E2M1, Float32, None, |x| single_code(f4e2m1fn::from_bits(x as u8).to_f32())),
];

/// The crates together.
pub struct Crates {
    identity: Identity,
}

impl Crates {
    /// The crates that this program was built with.
    pub fn new() -> Crates {
        Crates {
            identity: Identity {
                name: "rust-crates".into(),
                version: "half-2.7+float8-0.7+microfloat-0.1".into(),
                language: "rust".into(),
            },
        }
    }
}

impl Default for Crates {
    fn default() -> Crates {
        Crates::new()
    }
}

impl Testee for Crates {
    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn cast(&mut self, request: &Request, count: usize, input: &[u8]) -> Reply {
        if request.op != Operator::Cast || request.opset != OPSET {
            return Reply::Unsupported(format!("only Cast of opset {OPSET} is answered"));
        }
        let found = ROWS.iter().find(|row| {
            let saturate = row.saturate.is_none() || row.saturate == request.attributes.saturate;
            (row.from, row.to) == (request.from, request.to) && saturate
        });
        let Some(row) = found else {
            return Reply::Unsupported("no crate has this cast".into());
        };
        let cast = |codes: Vec<u64>| -> Vec<u64> { codes.into_iter().map(row.kernel).collect() };
        match unpack(request.from, input, count).and_then(|codes| pack(request.to, &cast(codes))) {
            Ok(output) => Reply::Output(output),
            Err(problem) => Reply::Error(problem),
        }
    }
}
