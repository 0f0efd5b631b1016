//! The casts of burn's backend Flex, on the CPU, as a castproof testee.
//!
//! Each cast is the function of the backend that a method of `Tensor` calls: `cast`, `int`, `float` or `bool`. The crates
//! `burn` and `burn-tensor` would take twice the time to compile, and add nothing to a cast.
#![forbid(unsafe_code)]

use burn_backend::ops::{BoolTensorOps, FloatTensorOps, IntTensorOps};
use burn_backend::{BoolStore, DType as Burn, FloatDType, IntDType, Scalar, TensorData};
use burn_flex::{Flex, FlexTensor};
use castproof_testee::serve::serve_standard;
use castproof_testee::{Identity, Reply, Testee};
use castproof_vectors::{DType, Request, Spec};
use std::process::ExitCode;

/// The operator set that is answered, since burn knows none.
const OPSET: u32 = 28;

/// What burn has three kinds of tensors for.
#[derive(Clone, Copy)]
enum Kind {
    Bool,
    Int(IntDType),
    Float(FloatDType),
}

/// Returns the kind of tensor of a dtype; `None` if burn has none.
fn kind(dtype: DType) -> Option<Kind> {
    Some(match dtype {
        DType::Bool => Kind::Bool,
        DType::Int8 => Kind::Int(IntDType::I8),
        DType::Uint8 => Kind::Int(IntDType::U8),
        DType::Int16 => Kind::Int(IntDType::I16),
        DType::Uint16 => Kind::Int(IntDType::U16),
        DType::Int32 => Kind::Int(IntDType::I32),
        DType::Uint32 => Kind::Int(IntDType::U32),
        DType::Int64 => Kind::Int(IntDType::I64),
        DType::Uint64 => Kind::Int(IntDType::U64),
        DType::Float16 => Kind::Float(FloatDType::F16),
        DType::Bfloat16 => Kind::Float(FloatDType::BF16),
        DType::Float32 => Kind::Float(FloatDType::F32),
        DType::Float64 => Kind::Float(FloatDType::F64),
        _ => return None,
    })
}

impl Kind {
    fn dtype(self) -> Burn {
        match self {
            Kind::Bool => Burn::Bool(BoolStore::Native),
            Kind::Int(dtype) => dtype.into(),
            Kind::Float(dtype) => dtype.into(),
        }
    }
}

/// Returns the kinds of tensors of a request; the reason if burn has no words for it.
fn kinds(request: &Request) -> Result<(Kind, Kind), String> {
    if request.spec != Spec::cast(OPSET) {
        return Err(format!("only Cast of opset {OPSET} is answered"));
    }
    let known = |dtype| kind(dtype).ok_or(format!("burn has no {dtype}"));
    Ok((known(request.from)?, known(request.to)?))
}

/// Casts a tensor, as `Tensor` does. To bool it compares with zero.
fn cast(tensor: FlexTensor, from: Kind, to: Kind) -> FlexTensor {
    let zero = Scalar::from(0);
    match (from, to) {
        (Kind::Bool, Kind::Bool) => tensor,
        (Kind::Bool, Kind::Int(dtype)) => Flex::bool_into_int(tensor, dtype),
        (Kind::Bool, Kind::Float(dtype)) => Flex::bool_into_float(tensor, dtype),
        (Kind::Int(_), Kind::Bool) => Flex::int_not_equal_elem(tensor, zero, BoolStore::Native),
        (Kind::Int(_), Kind::Int(dtype)) => Flex::int_cast(tensor, dtype),
        (Kind::Int(_), Kind::Float(dtype)) => Flex::int_into_float(tensor, dtype),
        (Kind::Float(_), Kind::Bool) => Flex::float_not_equal_elem(tensor, zero, BoolStore::Native),
        (Kind::Float(_), Kind::Int(dtype)) => Flex::float_into_int(tensor, dtype),
        (Kind::Float(_), Kind::Float(dtype)) => Flex::float_cast(tensor, dtype),
    }
}

struct Adapter {
    identity: Identity,
}

impl Testee for Adapter {
    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn cast(&mut self, request: &Request, count: usize, input: &[u8]) -> Reply {
        let (from, to) = match kinds(request) {
            Ok(pair) => pair,
            Err(reason) => return Reply::Unsupported(reason),
        };
        let data = TensorData::from_bytes_vec(input.to_vec(), [count], from.dtype());
        let output = cast(FlexTensor::from_data(data), from, to);
        if output.dtype() != to.dtype() {
            return Reply::Error(format!("the output is {:?}", output.dtype()));
        }
        Reply::Output(output.into_data().as_bytes().to_vec())
    }
}

fn main() -> ExitCode {
    let (name, version) = ("burn".into(), "0.22.1".into());
    let mut adapter = Adapter { identity: Identity { name, version, language: "rust".into() } };
    serve_standard(&mut adapter)
}
