//! Specifications as records: the rules of each version, along fixed axes.
//!
//! The rules read a record, never a version number. A new version of ONNX Cast is a row of [`onnx`]
//! that names the version before it and what changed.

mod arm_a64;
mod axes;
mod complex;
mod cuda_cvt;
mod dotnet_saturating;
mod java_cast;
mod js_typed_array;
mod llvm_fpto_sat;
mod machine;
mod ml_dtypes;
mod onnx;
mod onnx_groups;
mod opencl_sat;
mod record;
mod riscv_fcvt;
mod riscv_ofp8;
mod rust_as;
mod stablehlo_convert;
mod stablehlo_interpreter;
mod tosa_cast;
mod wasm_relaxed;
mod wasm_sat;
mod wasm_trap;
mod x86;

pub(crate) use axes::{
    AboveScale, BelowScale, Chosen, End, Float8ByMode, Float8End, Float8Ends, Float8Nan,
    Float8Table, FloatToInteger, InfinityToNumber, Kept, Nan, NanToNumber, Narrowed, NegativeScale,
    SameNan, ToFloat8, ToScale, ToSmallFloat, TowardZero, Twice,
};
pub(crate) use complex::{ComplexRecord, Truth};
pub use onnx::answers_change;
pub(crate) use record::{Record, rules_of};

use castproof_vectors::{DType, Profile, Spec};

/// The record of a specification.
///
/// # Errors
/// If the operator set has no version of the operator, or the specification does not cast real
/// elements.
pub(crate) fn record(spec: Spec) -> Result<&'static Record, String> {
    match spec {
        Spec::Onnx { op, opset } => {
            spec.version()?;
            onnx::record(op, opset)
                .ok_or_else(|| format!("{spec} has no record in oracle/src/spec: add it"))
        }
        Spec::Profile(profile) => match of_profile(profile) {
            ProfileRecord::Numeric(record) => Ok(record()),
            ProfileRecord::Complex(_) => Err(format!(
                "{spec} has only casts from and to complex dtypes, such as that of complex64 to bool"
            )),
        },
    }
}

/// The rules of a profile.
enum ProfileRecord {
    /// Of casts between numeric dtypes.
    Numeric(fn() -> &'static Record),
    /// Of casts from and to complex dtypes.
    Complex(&'static ComplexRecord),
}

fn of_profile(profile: Profile) -> ProfileRecord {
    match profile {
        Profile::TfCast => ProfileRecord::Complex(&complex::TENSORFLOW),
        Profile::MindsporeCast => ProfileRecord::Complex(&complex::MINDSPORE),
        Profile::NumpyAstype => ProfileRecord::Complex(&complex::NUMPY),
        Profile::RustAs => ProfileRecord::Numeric(rust_as::record),
        Profile::X86Sse2 => ProfileRecord::Numeric(x86::sse2),
        Profile::X86Avx512 => ProfileRecord::Numeric(x86::avx512),
        Profile::WasmSat => ProfileRecord::Numeric(wasm_sat::record),
        Profile::JavaCast => ProfileRecord::Numeric(java_cast::record),
        Profile::JsTypedArray => ProfileRecord::Numeric(js_typed_array::record),
        Profile::RiscvFcvt => ProfileRecord::Numeric(riscv_fcvt::record),
        Profile::ArmA64 => ProfileRecord::Numeric(arm_a64::record),
        Profile::LlvmFptoSat => ProfileRecord::Numeric(llvm_fpto_sat::record),
        Profile::MlDtypes => ProfileRecord::Numeric(ml_dtypes::record),
        Profile::CudaCvt => ProfileRecord::Numeric(cuda_cvt::record),
        Profile::StablehloInterpreter => ProfileRecord::Numeric(stablehlo_interpreter::record),
        Profile::OpenclSat => ProfileRecord::Numeric(opencl_sat::record),
        Profile::TosaCast => ProfileRecord::Numeric(tosa_cast::record),
        Profile::DotnetSaturating => ProfileRecord::Numeric(dotnet_saturating::record),
        Profile::WasmTrap => ProfileRecord::Numeric(wasm_trap::record),
        Profile::StablehloConvert => ProfileRecord::Numeric(stablehlo_convert::record),
        Profile::WasmRelaxed => ProfileRecord::Numeric(wasm_relaxed::record),
        Profile::RiscvOfp8 => ProfileRecord::Numeric(riscv_ofp8::record),
    }
}

/// Returns the rules of a profile for complex dtypes; `None` if it has none.
pub(crate) fn complex(profile: Profile) -> Option<&'static ComplexRecord> {
    match of_profile(profile) {
        ProfileRecord::Complex(record) => Some(record),
        ProfileRecord::Numeric(_) => None,
    }
}

/// Returns the pairs of dtypes that the profile's vectors ask about: all pairs of dtypes that it
/// casts from or to, including the pairs that it refuses. A profile of complex dtypes has none.
pub fn profile_pairs(profile: Profile) -> Vec<(DType, DType)> {
    let Ok(record) = record(Spec::Profile(profile)) else { return vec![] };
    let known = |dtype: &DType| record.sources.contains(dtype) || record.targets.contains(dtype);
    let dtypes = || DType::NUMERIC.iter().copied().filter(known);
    dtypes().flat_map(|from| dtypes().map(move |to| (from, to))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use castproof_vectors::Elements;

    /// The labels say which profiles are suites with vector files; the records say what they cast.
    #[test]
    fn labels_and_records_agree_on_what_a_profile_casts() {
        for profile in Profile::ALL {
            let is_numeric = matches!(profile.elements(), Elements::Numeric(_));
            assert_eq!(!profile_pairs(profile).is_empty(), is_numeric, "{}", profile.name());
            assert_eq!(complex(profile).is_none(), is_numeric, "{}", profile.name());
        }
    }
}
