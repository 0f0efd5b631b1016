//! Elements of all dtypes, drawn.

use castproof_vectors::random::Random;
use castproof_vectors::{DType, Hex, Scalar, landmarks};

/// Returns any code of a dtype, each as often as the others.
pub(super) fn code(dtype: DType, random: &mut Random) -> u64 {
    random.number() & dtype.code_mask()
}

/// Returns the code of the number one of a float and the number of its bits below the exponent; `None` for
/// integers, whose one is 1.
pub(super) fn one_of(dtype: DType) -> Option<(u64, u32)> {
    let (one, _) = landmarks(dtype)?.values.get("one")?;
    let one = one.value();
    // The lowest bit of the code of one is the lowest bit of its exponent field.
    (one > 1).then(|| (one, one.trailing_zeros()))
}

/// Returns a number of a float near one: of either sign, between 2^-`below` and 2^`above`.
fn near_one(dtype: DType, (below, above): (u64, u64), random: &mut Random) -> u64 {
    let Some((one, bits)) = one_of(dtype) else { return code(dtype, random) };
    let binades = random.number() % (below + above);
    let significand = random.number() & ((1 << bits) - 1);
    let sign = (random.number() & 1) << (dtype.bits() - 1);
    (one - (below << bits) + (binades << bits) + significand) | sign
}

/// Returns an element of a numeric or complex dtype: mostly a number near one, else any code.
pub(super) fn scalar(dtype: DType, random: &mut Random) -> Scalar {
    match dtype.part() {
        Some(part) => Scalar::Complex([(); 2].map(|()| Hex::new(number(part, random), part))),
        None => Scalar::Real(Hex::new(number(dtype, random), dtype)),
    }
}

/// Returns the code of a number, mostly near one.
fn number(dtype: DType, random: &mut Random) -> u64 {
    let is_valid = |code: &u64| landmarks(dtype).is_none_or(|it| it.is_valid(*code));
    loop {
        let code = match one_of(dtype) {
            Some((_, bits)) if bits > 0 && random.below(8) > 0 => {
                let most = if dtype.bits() > 8 { 12 } else { 2 };
                near_one(dtype, (most, most), random)
            }
            _ => code(dtype, random),
        };
        if is_valid(&code) {
            return code;
        }
        if dtype == DType::Bool {
            return code & 1;
        }
    }
}
