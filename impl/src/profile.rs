//! The casts of each profile: frameworks, languages and processors besides ONNX.

use crate::rules::{Integers, Kept, Nan, NoNan, Replaced, Rounding, Rules, ScaleRange};
use crate::values::{Values, is_integer, signedness};
use crate::{Cast, Error};
use castproof_vectors::{DType, Profile, RoundMode};

/// The casts of a profile.
pub(crate) enum Casts {
    /// From and to complex dtypes.
    Complex {
        /// Is bfloat16 among the real dtypes?
        bfloat16: bool,
        truth: Truth,
    },
    /// Between numeric dtypes.
    Numeric {
        /// Is there a cast from the first dtype to the second?
        has: fn(DType, DType) -> bool,
        /// The rules of a cast from the first dtype to the second.
        rules: fn(DType, DType) -> Rules,
        /// Does it take this value of an attribute?
        takes: fn(DType, DType, Given) -> bool,
    },
}

/// What decides whether a complex number is true.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Truth {
    RealPart,
    EitherPart,
}

/// A value of an attribute that a request gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Given {
    Saturate,
    Mode(RoundMode),
}

/// Casts between numeric dtypes that take no attributes.
const fn numeric(has: fn(DType, DType) -> bool, rules: fn(DType, DType) -> Rules) -> Casts {
    Casts::Numeric { has, rules, takes: |_, _, _| false }
}

impl Casts {
    /// Returns the casts of a profile.
    pub(crate) const fn of(profile: Profile) -> Casts {
        match profile {
            Profile::TfCast | Profile::MindsporeCast => {
                Casts::Complex { bfloat16: true, truth: Truth::RealPart }
            }
            Profile::NumpyAstype => Casts::Complex { bfloat16: false, truth: Truth::EitherPart },
            Profile::RustAs => numeric(rust_has, |_, _| Rules::NEWEST),
            Profile::X86Sse2 => numeric(c_has, |_, to| sse2(to)),
            Profile::X86Avx512 => numeric(c_has, |_, to| avx512(to)),
            Profile::WasmSat => numeric(wasm_has, |_, _| Rules::NEWEST),
            Profile::JavaCast => numeric(java_has, |_, to| java(to)),
            Profile::JsTypedArray => numeric(js_has, |_, to| js(to)),
            Profile::RiscvFcvt => numeric(c_has, |_, to| riscv(to)),
            Profile::ArmA64 => numeric(c_has, |_, to| arm(to)),
            Profile::LlvmFptoSat => numeric(llvm_has, |_, to| llvm(to)),
            Profile::MlDtypes => numeric(ml_dtypes_has, |_, to| ml_dtypes(to)),
            Profile::CudaCvt => Casts::Numeric { has: cuda_has, rules: cuda, takes: cuda_takes },
            Profile::StablehloInterpreter => numeric(stablehlo_has, |_, to| stablehlo(to)),
            Profile::OpenclSat => {
                Casts::Numeric { has: opencl_has, rules: |_, to| opencl(to), takes: opencl_takes }
            }
            Profile::TosaCast => numeric(tosa_has, |_, to| tosa(to)),
            Profile::DotnetSaturating => numeric(float_to_word, |_, _| Rules::NEWEST),
            Profile::WasmTrap => numeric(float_to_word, |_, _| TRAPPING),
            Profile::StablehloConvert => numeric(stablehlo_has, |_, to| stablehlo(to)),
            Profile::WasmRelaxed => numeric(float_to_lane, |_, _| Rules::NEWEST),
            Profile::RiscvOfp8 => {
                Casts::Numeric { has: to_ofp8, rules: |_, _| OFP8, takes: |_, _, _| true }
            }
        }
    }
}

impl Cast {
    /// A cast by the rules of a profile, on [`Backend::preferred`](crate::Backend::preferred).
    ///
    /// ```
    /// use castproof_impl::{Cast, DType, Profile};
    ///
    /// let cast = Cast::of_profile(Profile::RustAs, DType::Float32, DType::Int8)?;
    /// assert_eq!(cast.code(300.0_f32.to_bits().into())?, 127);
    /// assert!(Cast::of_profile(Profile::RustAs, DType::Float32, DType::Bool).is_err());
    /// # Ok::<(), castproof_impl::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::NoProfileCast`] if the profile has no such cast. Complex dtypes are cast by
    /// [`ComplexCast`](crate::ComplexCast).
    pub fn of_profile(profile: Profile, from: DType, to: DType) -> Result<Cast, Error> {
        Cast::of_profile_with(profile, from, to, None, None)
    }

    /// A cast by the rules of a profile with the attributes that are given: of
    /// [`Profile::CudaCvt`], saturation and the round mode of float8e8m0; of
    /// [`Profile::OpenclSat`], the round mode of floats to integers; of [`Profile::RiscvOfp8`],
    /// saturation and the round mode of float8.
    ///
    /// ```
    /// use castproof_impl::{Cast, DType, Profile, RoundMode};
    ///
    /// let up = Some(RoundMode::Up);
    /// let cast = |to| Cast::of_profile_with(Profile::OpenclSat, DType::Float32, to, None, up);
    /// assert_eq!(cast(DType::Int8)?.code(1.25_f32.to_bits().into())?, 2);
    /// assert!(cast(DType::Float64).is_err());
    /// # Ok::<(), castproof_impl::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Cast::of_profile`]; [`Error::NoProfileAttribute`] if the profile has no such attribute
    /// of this cast, or no such value.
    pub fn of_profile_with(
        profile: Profile,
        from: DType,
        to: DType,
        saturate: Option<bool>,
        round_mode: Option<RoundMode>,
    ) -> Result<Cast, Error> {
        let (rules, takes) = match Casts::of(profile) {
            Casts::Numeric { has, rules, takes } if has(from, to) => (rules(from, to), takes),
            _ => return Err(Error::NoProfileCast { profile, from, to }),
        };
        let given = [saturate.map(|_| Given::Saturate), round_mode.map(Given::Mode)];
        if !given.into_iter().flatten().all(|given| takes(from, to, given)) {
            return Err(Error::NoProfileAttribute { profile, from, to });
        }
        let mut cast = Cast::by_rules(from, to, rules)?;
        if let Some(on) = saturate {
            cast = cast.saturate(on);
        }
        Ok(round_mode.map_or(cast, |mode| cast.round_mode(mode)))
    }
}

/// Numbers become numbers, and bool an integer.
fn rust_has(from: DType, to: DType) -> bool {
    is_number(from) && is_number(to) || from == DType::Bool && is_wide_integer(to)
}

/// Bool and numbers become each other.
fn c_has(from: DType, to: DType) -> bool {
    [from, to].into_iter().all(|dtype| is_number(dtype) || dtype == DType::Bool)
}

fn wasm_has(from: DType, to: DType) -> bool {
    [from, to].into_iter().all(|dtype| is_number(dtype) && dtype.bits() >= 32)
}

fn java_has(from: DType, to: DType) -> bool {
    use DType::{Uint8, Uint32, Uint64};
    let lacks = |dtype| matches!(dtype, Uint8 | Uint32 | Uint64);
    [from, to].into_iter().all(|dtype| is_number(dtype) && !lacks(dtype))
}

/// Integers of 64 bits become each other only. A Float16Array is an array of numbers too.
fn js_has(from: DType, to: DType) -> bool {
    let is_big = |dtype| matches!(dtype, DType::Int64 | DType::Uint64);
    let is_element = |dtype| is_number(dtype) || dtype == DType::Float16;
    is_element(from) && is_element(to) && is_big(from) == is_big(to)
}

fn llvm_has(from: DType, to: DType) -> bool {
    [from, to].into_iter().all(|dtype| is_number(dtype) || is_integer(dtype))
}

/// All but pairs of small dtypes for which nobody has registered a cast.
fn ml_dtypes_has(from: DType, to: DType) -> bool {
    use DType::{Float6E2M3, Float8E8M0};
    let is_narrow = |dtype: DType| is_integer(dtype) && dtype.bits() < 8;
    let is_small = |dtype: DType| is_narrow(dtype) || dtype.is_float() && dtype.bits() <= 8;
    let one_way = |one: DType, other: DType| match (one, other) {
        _ if one == other => false,
        (Float8E8M0, other) => is_small(other),
        (Float6E2M3, other) => is_narrow(other) && other.bits() == 4,
        _ => false,
    };
    let lacks_between = match (signedness(from), signedness(to)) {
        (Some(one), Some(other)) if is_narrow(from) && is_narrow(to) => {
            one != other || from.bits() > to.bits()
        }
        _ => false,
    };
    from.is_numeric()
        && to.is_numeric()
        && !one_way(from, to)
        && !one_way(to, from)
        && !lacks_between
}

/// No FNUZ dtype, no integer of less than 8 bits, and no float of at most 8 bits to another one.
fn cuda_has(from: DType, to: DType) -> bool {
    use DType::{Float8E4M3FNUZ, Float8E5M2FNUZ};
    let has = |dtype: DType| match Values::of(dtype) {
        Some(Values::Integer { .. }) => dtype.bits() >= 8,
        Some(_) => !matches!(dtype, Float8E4M3FNUZ | Float8E5M2FNUZ),
        None => false,
    };
    let is_small = |dtype: DType| dtype.is_float() && dtype.bits() <= 8;
    has(from) && has(to) && (from == to || !is_small(from) || !is_small(to))
}

fn stablehlo_has(from: DType, to: DType) -> bool {
    [from, to].into_iter().all(|dtype| dtype.is_numeric() && dtype != DType::Float8E8M0)
}

fn opencl_has(from: DType, to: DType) -> bool {
    is_number(from) && is_number(to)
}

/// The table of TOSA: bool, signed integers, and floats of 8 to 32 bits, not to their own dtype.
fn tosa_has(from: DType, to: DType) -> bool {
    use DType::{Bfloat16, Bool, Float8E4M3FN, Float8E5M2, Float16, Float32};
    let is_signed = |dtype| is_wide_integer(dtype) && signedness(dtype) == Some(true);
    let is_integer = |dtype: DType| is_signed(dtype) && dtype.bits() <= 32;
    let is_float = |dtype| matches!(dtype, Float16 | Bfloat16 | Float32);
    let is_float8 = |dtype| matches!(dtype, Float8E4M3FN | Float8E5M2);
    match (from, to) {
        _ if from == to => false,
        (DType::Int64, _) => matches!(to, Bool | DType::Int32),
        (_, DType::Int64) => matches!(from, Bool | DType::Int32),
        (Bool, _) => is_integer(to) || to == Float32,
        (_, Bool) => is_integer(from) || from == Float32,
        (Float16, Bfloat16) | (Bfloat16, Float16) => false,
        _ if is_integer(from) => is_integer(to) || is_float(to),
        _ if is_float8(from) => is_float(to),
        _ => is_float(from) && (is_integer(to) || is_float(to) || is_float8(to)),
    }
}

/// float32 and float64 become integers of 32 and 64 bits.
fn float_to_word(from: DType, to: DType) -> bool {
    matches!(from, DType::Float32 | DType::Float64) && is_integer(to) && to.bits() >= 32
}

/// float32 and float64 become integers of 32 bits.
fn float_to_lane(from: DType, to: DType) -> bool {
    float_to_word(from, to) && to.bits() == 32
}

/// Floats are rounded to the nearest integer, integers saturate, and no float8 does.
fn tosa(to: DType) -> Rules {
    let integers = saturating(to).map_or(Integers::Nearest, |codes| {
        Integers::Replaced(Replaced { rounding: Rounding::Nearest, ..codes })
    });
    Rules { saturate: false, integers, ..Rules::NEWEST }
}

/// Integers of 8 to 64 bits, float32 and float64.
fn is_number(dtype: DType) -> bool {
    is_wide_integer(dtype) || matches!(dtype, DType::Float32 | DType::Float64)
}

fn is_wide_integer(dtype: DType) -> bool {
    is_integer(dtype) && dtype.bits() >= 8
}

/// The code of an integer with only its highest bit set.
fn high_bit(to: DType) -> u64 {
    1 << (to.bits() - 1)
}

/// The newest rules, with integers of these.
fn with(to: DType, kept: Kept, codes: [u64; 3]) -> Rules {
    Rules { integers: Integers::Replaced(replaced(to, kept, codes)), ..Rules::NEWEST }
}

/// Towards zero, with these codes of what is not kept.
fn replaced(to: DType, kept: Kept, [above, below, nan]: [u64; 3]) -> Replaced {
    let rounding = Rounding::TowardsZero;
    Replaced { rounding, kept, above, below, nan, mask: to.code_mask() }
}

const INT32: Kept = Kept::Bits { bits: 32, signed: true };

/// One code for what an integer does not hold; narrow ones are the low bits of int32.
fn one_code(to: DType, of_wide: u64) -> Rules {
    let signed = signedness(to) == Some(true);
    let (kept, code) = match to.bits() {
        32.. => (Kept::Bits { bits: to.bits(), signed }, of_wide),
        _ => (INT32, 0),
    };
    Rules { nan: Nan::Payload, ..with(to, kept, [code; 3]) }
}

/// Unsigned integers are computed by the conversions to int64.
fn sse2(to: DType) -> Rules {
    let integers = match to {
        DType::Uint32 => with(to, Kept::Bits { bits: 64, signed: true }, [0; 3]),
        DType::Uint64 => with(to, Kept::Either64, [0, high_bit(to), high_bit(to)]),
        _ => one_code(to, high_bit(to)),
    };
    Rules { nan: Nan::Payload, ..integers }
}

fn avx512(to: DType) -> Rules {
    let signed = signedness(to) == Some(true);
    one_code(to, if signed { high_bit(to) } else { to.code_mask() })
}

/// Narrow integers are the low bits of a saturated int32.
fn java(to: DType) -> Rules {
    let narrow = is_integer(to) && to.bits() < 32;
    if narrow { with(to, INT32, [to.code_mask(), 0, 0]) } else { Rules::NEWEST }
}

fn js(to: DType) -> Rules {
    if is_integer(to) { with(to, Kept::All, [0; 3]) } else { Rules::NEWEST }
}

/// NaN is the largest integer. Narrow integers are the low bits of a saturated one of 32 bits.
fn riscv(to: DType) -> Rules {
    Rules { nan: Nan::Positive, ..by_words(to, true) }
}

fn arm(to: DType) -> Rules {
    Rules { nan: Nan::Payload, ..by_words(to, false) }
}

/// Saturates at 32 bits and more, and keeps the low bits in a narrower integer.
fn by_words(to: DType, nan_is_largest: bool) -> Rules {
    let Some(signed) = signedness(to) else { return Rules::NEWEST };
    let bits = to.bits().max(32);
    let (largest, smallest) = ends(bits, signed);
    let mask = to.code_mask();
    let nan = if nan_is_largest { largest } else { 0 };
    with(to, Kept::Bits { bits, signed }, [largest & mask, smallest & mask, nan & mask])
}

/// Every integer saturates; those of 2 and 4 bits are truncated as well.
fn llvm(to: DType) -> Rules {
    match signedness(to) {
        Some(signed) if to.bits() < 8 => {
            let (largest, smallest) = ends(to.bits(), signed);
            with(to, Kept::Bits { bits: to.bits(), signed }, [largest, smallest, 0])
        }
        _ => Rules::NEWEST,
    }
}

/// Nothing saturates in a float8, and integers of 2 and 4 bits are the low bits of one of 8 bits.
fn ml_dtypes(to: DType) -> Rules {
    let integers = match signedness(to) {
        Some(signed) if to.bits() < 8 => with(to, Kept::Bits { bits: 8, signed }, [0; 3]).integers,
        _ => Integers::Nearest,
    };
    Rules {
        saturate: false,
        round_mode: RoundMode::Nearest,
        integers,
        no_nan: NoNan::ZeroOfOtherSign,
        scale_range: ScaleRange::AfterRounding,
        through_float32: true,
        ..Rules::NEWEST
    }
}

/// As the newest rules, but for NaN, whose code depends on the pair, and for float8e8m0.
fn cuda(from: DType, to: DType) -> Rules {
    let integers = match signedness(to) {
        Some(signed) if from == DType::Float64 || to.bits() == 64 => {
            let (largest, smallest) = ends(to.bits(), signed);
            let codes = [largest, smallest, high_bit(to)];
            with(to, Kept::Bits { bits: to.bits(), signed }, codes).integers
        }
        _ => Integers::Nearest,
    };
    Rules {
        integers,
        nan: Nan::AllOnes,
        scale_range: ScaleRange::ClampedBelow,
        scale_of_magnitude: true,
        own_infinity_saturates: false,
        ..Rules::NEWEST
    }
}

/// Integers saturate, and no float8 does. Infinity and NaN become zero in floats that have neither.
fn stablehlo(to: DType) -> Rules {
    Rules { saturate: false, no_nan: NoNan::ZeroOfSameSign, ..llvm(to) }
}

/// The functions from floats of at least 16 bits to float8 and float8e8m0 take saturation; those to
/// float8e8m0 take a round mode.
fn cuda_takes(from: DType, to: DType, given: Given) -> bool {
    use DType::{Float8E4M3FN, Float8E5M2, Float8E8M0};
    let is_wide = from.is_float() && from.bits() >= 16;
    is_wide
        && match given {
            Given::Saturate => matches!(to, Float8E4M3FN | Float8E5M2 | Float8E8M0),
            Given::Mode(mode) => to == Float8E8M0 && RoundMode::CAST.contains(&mode),
        }
}

/// What is out of the range of an integer saturates: integers too. Without a round mode, floats become
/// what they become by the newest rules.
fn opencl(to: DType) -> Rules {
    Rules { integers_saturate: true, integers_by_mode: saturating(to), ..Rules::NEWEST }
}

/// The ends of an integer's range for what is beyond it, and 0 for NaN; `None` for other targets.
fn saturating(to: DType) -> Option<Replaced> {
    let signed = signedness(to)?;
    let (largest, smallest) = ends(to.bits(), signed);
    let kept = Kept::Bits { bits: to.bits(), signed };
    Some(replaced(to, kept, [largest, smallest, 0]))
}

/// A float to an integer takes a round mode.
fn opencl_takes(from: DType, to: DType, given: Given) -> bool {
    let has_mode = matches!(given, Given::Mode(mode) if RoundMode::CAST.contains(&mode));
    from.is_float() && is_integer(to) && has_mode
}

/// float32 and bfloat16 become float8e4m3fn and float8e5m2.
fn to_ofp8(from: DType, to: DType) -> bool {
    matches!(from, DType::Float32 | DType::Bfloat16)
        && matches!(to, DType::Float8E4M3FN | DType::Float8E5M2)
}

/// Rounded by the mode, to nearest without one; nothing saturates unless it is asked for.
const OFP8: Rules = Rules {
    saturate: false,
    round_mode: RoundMode::Nearest,
    float8_by_mode: true,
    ..Rules::NEWEST
};

/// What is out of the range of an integer is an error.
const TRAPPING: Rules = Rules { traps: true, ..Rules::NEWEST };

/// The codes of the largest and the smallest integer.
fn ends(bits: u32, signed: bool) -> (u64, u64) {
    let mask = u64::MAX >> (64 - bits);
    if signed { (mask >> 1, (mask >> 1) + 1) } else { (mask, 0) }
}
