//! candle's casts on the CPU as a castproof testee: each is one `Tensor::to_dtype`.
#![forbid(unsafe_code)]

use candle_core::{DType as Candle, Device, Error, Tensor};
use castproof_testee::serve::serve_standard;
use castproof_testee::{Identity, Reply, Testee};
use castproof_vectors::{DType, Request, Spec};
use std::process::ExitCode;

/// The operator set that is answered, since candle knows none.
const OPSET: u32 = 28;

/// Returns candle's name of a dtype. It has float6, float4 and float8e8m0 only to read files: no function casts them.
fn candle(dtype: DType) -> Option<Candle> {
    Some(match dtype {
        DType::Uint8 => Candle::U8,
        DType::Int16 => Candle::I16,
        DType::Int32 => Candle::I32,
        DType::Uint32 => Candle::U32,
        DType::Int64 => Candle::I64,
        DType::Float8E4M3FN => Candle::F8E4M3,
        DType::Float16 => Candle::F16,
        DType::Bfloat16 => Candle::BF16,
        DType::Float32 => Candle::F32,
        DType::Float64 => Candle::F64,
        _ => return None,
    })
}

/// Returns the dtypes of candle; the reason if it has no words for what is asked.
fn dtypes(request: &Request) -> Result<(Candle, Candle), String> {
    if request.spec != Spec::cast(OPSET) {
        return Err(format!("only Cast of opset {OPSET} is answered"));
    }
    if request.to == DType::Float8E4M3FN && request.attributes.saturate == Some(false) {
        return Err("every cast to float8e4m3fn saturates".into());
    }
    let known = |dtype| candle(dtype).ok_or(format!("candle has no {dtype}"));
    Ok((known(request.from)?, known(request.to)?))
}

/// Casts elements.
fn to_dtype(input: &[u8], count: usize, from: Candle, to: Candle) -> Result<Vec<u8>, Error> {
    let tensor = Tensor::from_raw_buffer(input, from, &[count], &Device::Cpu)?.to_dtype(to)?;
    let mut output = Vec::new();
    tensor.write_bytes(&mut output)?;
    Ok(output)
}

struct Adapter {
    identity: Identity,
}

impl Testee for Adapter {
    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn cast(&mut self, request: &Request, count: usize, input: &[u8]) -> Reply {
        let (from, to) = match dtypes(request) {
            Ok(pair) => pair,
            Err(reason) => return Reply::Unsupported(reason),
        };
        match to_dtype(input, count, from, to) {
            Ok(output) => Reply::Output(output),
            Err(refusal @ Error::UnsupportedDTypeForOp(..)) => {
                Reply::Unsupported(refusal.to_string())
            }
            Err(error) => Reply::Error(error.to_string()),
        }
    }
}

fn main() -> ExitCode {
    let (name, version) = ("candle".into(), "0.11.1".into());
    let mut adapter = Adapter { identity: Identity { name, version, language: "rust".into() } };
    serve_standard(&mut adapter)
}
