//! Blocks a second time: comparisons of integers with thresholds for MX formats, the float32 of this
//! machine for NVFP4 and for groups of FP8. Nothing here comes from the oracle.

use castproof_vectors::{BlockProfile, DType};

/// What a second way must know of the elements.
struct Small {
    exponent_bits: u32,
    significand_bits: u32,
    /// The code of the largest element.
    largest: u64,
    /// The exponent of the largest element, and of the unit of the smallest ones.
    emax: i32,
    unit: i32,
    /// Significands in units of 2^-23: above `largest_over` a magnitude is beyond the largest element,
    /// from `even` on it rounds up to the next power of two, from `fit` on it rounds beyond the
    /// largest element.
    largest_over: u32,
    even: u32,
    fit: u32,
}

/// 2^-23 times this is the significand.
const fn significand(halves_of_16: u32) -> u32 {
    halves_of_16 << 18 // 1/32 of a unit
}

fn small(dtype: DType) -> Small {
    let (exponent_bits, significand_bits, largest, emax, unit) = match dtype {
        DType::Float8E4M3FN => (4, 3, 0x7e, 8, -9),
        DType::Float8E5M2 => (5, 2, 0x7b, 15, -16),
        DType::Float6E3M2 => (3, 2, 0x1f, 4, -4),
        DType::Float6E2M3 => (2, 3, 0x1f, 2, -3),
        DType::Float4E2M1 => (2, 1, 0x7, 2, -1),
        other => panic!("{other}"),
    };
    // In 32nds: 1.75 is 56.
    let (largest_over, even, fit) = match dtype {
        DType::Float8E4M3FN => (56, 62, 58),
        DType::Float6E2M3 => (60, 62, 62),
        DType::Float4E2M1 => (48, 56, 56),
        _ => (56, 60, 60),
    };
    Small {
        exponent_bits,
        significand_bits,
        largest,
        emax,
        unit,
        largest_over: significand(largest_over),
        even: significand(even),
        // 464 itself, a tie, rounds down to 448.
        fit: significand(fit) + u32::from(matches!(dtype, DType::Float8E4M3FN)),
    }
}

const INFINITY: u32 = 0x7f80_0000;

/// The significand, with its leading bit at 2^23, and the exponent of a finite magnitude but zero.
fn parts(magnitude: u32) -> (u32, i32) {
    match magnitude >> 23 {
        0 => {
            let shift = magnitude.leading_zeros() - 8;
            (magnitude << shift, -126 - shift as i32)
        }
        field => (magnitude & 0x7f_ffff | 0x80_0000, field as i32 - 127),
    }
}

/// The largest magnitude of a block of an MX profile, as bits.
pub(crate) fn amax(profile: BlockProfile, numbers: &[u32]) -> u32 {
    let drops_nan = profile == BlockProfile::MxTe;
    let magnitudes = numbers.iter().map(|number| number & 0x7fff_ffff);
    magnitudes.filter(|it| !drops_nan || *it <= INFINITY).max().unwrap_or(0)
}

/// The scale of TransformerEngine, by a product of this machine: halved until it is at most 1, or doubled
/// while it stays so.
fn scale_of_product(small: &Small, amax: u32) -> u64 {
    if amax == INFINITY {
        return 0xfe;
    }
    let largest = f64::from(small.largest_over) * 2f64.powi(small.emax - 23);
    let mut product = f64::from(f32::from_bits(amax) * (1.0f32 / largest as f32));
    let mut code = 127;
    while product > 1.0 {
        (product, code) = (product / 2.0, code + 1);
    }
    while code > 0 && product * 2.0 <= 1.0 {
        (product, code) = (product * 2.0, code - 1);
    }
    code
}

/// The code of the scale of an MX profile.
pub(crate) fn scale(profile: BlockProfile, element: DType, amax: u32) -> u64 {
    use BlockProfile::*;
    let small = small(element);
    if profile == MxTe {
        return scale_of_product(&small, amax);
    }
    let is_torchao = matches!(profile, MxTorchaoFloor | MxTorchaoCeil | MxTorchaoEven);
    if amax > INFINITY || (amax == INFINITY && !is_torchao) {
        return 0xff;
    }
    if amax == 0 {
        return 0;
    }
    let (significand, exponent) = parts(amax);
    let up = match profile {
        MxFloor | MxTorchaoFloor | MxOcp => false,
        MxCeil | MxTorchaoCeil => significand > 0x80_0000,
        MxRceil => significand > small.largest_over,
        MxEven | MxTorchaoEven => significand >= small.even,
        MxRfit => significand >= small.fit,
        _ => panic!("another rule"),
    };
    u64::try_from(exponent - small.emax + i32::from(up) + 127).unwrap_or(0)
}

/// Twice the value of an element, in units of the smallest one.
fn twice(small: &Small, code: u64) -> u64 {
    let field = code >> small.significand_bits;
    let stored = code & ((1 << small.significand_bits) - 1);
    assert!(field < 1 << small.exponent_bits);
    match field {
        0 => stored * 2,
        _ => (stored | 1 << small.significand_bits) << field,
    }
}

/// The element of a finite number over 2^scale: how many midpoints it has passed.
fn rounded(small: &Small, number: u32, scale: i32) -> u64 {
    let sign = u64::from(number >> 31) << (small.exponent_bits + small.significand_bits);
    let magnitude = number & 0x7fff_ffff;
    if magnitude == 0 {
        return sign;
    }
    if magnitude == INFINITY {
        return sign | small.largest;
    }
    let (significand, exponent) = parts(magnitude);
    // significand * 2^(exponent - 23) against (a + b)/2 * 2^(unit + scale), where 2a, 2b are integers.
    let shift = exponent - 23 - (small.unit + scale) + 2;
    let passed = (1..=small.largest).take_while(|&code| {
        let sum = twice(small, code - 1) + twice(small, code);
        let (mut left, mut right) = (u128::from(significand), u128::from(sum));
        match shift {
            0.. => left <<= shift.min(80),
            _ => right <<= (-shift).min(80),
        }
        left > right || (left == right && code % 2 == 0)
    });
    sign | passed.count() as u64
}

/// The elements of an MX profile under this scale; `None` under NaN.
pub(crate) fn elements(
    profile: BlockProfile,
    element: DType,
    scale: u64,
    numbers: &[u32],
) -> Option<Vec<u64>> {
    use BlockProfile::*;
    if scale == 0xff {
        return None;
    }
    let small = small(element);
    let smallest = match profile {
        MxTorchaoFloor | MxTorchaoCeil | MxTorchaoEven => -126,
        _ => -127,
    };
    let exponent = (scale as i32 - 127).max(smallest);
    let element = |&number: &u32| match number & 0x7fff_ffff > INFINITY && profile == MxTe {
        true => 0x7f,
        false => rounded(&small, number, exponent),
    };
    Some(numbers.iter().map(element).collect())
}

/// The number of a code of float8e4m3fn that is not negative.
pub(crate) fn scale_of_code(code: u64) -> f32 {
    match (code >> 3, code & 7) {
        (0, stored) => stored as f32 / 512.0,
        (field, stored) => (8 + stored) as f32 * 2f32.powi(field as i32 - 10),
    }
}

/// The scale and the elements of an NVFP4 profile, by the float32 of this machine.
pub(crate) fn nvfp4(
    profile: BlockProfile,
    numbers: &[u32],
    tensor: u32,
) -> (u64, Option<Vec<u64>>) {
    let tensor = f32::from_bits(tensor);
    let magnitudes = || numbers.iter().map(|&code| f32::from_bits(code).abs());
    let encodes = profile == BlockProfile::Nvfp4Te;
    let has_nan = magnitudes().any(f32::is_nan);
    // `max` of Rust drops NaN.
    let amax = if has_nan && !encodes { f32::NAN } else { magnitudes().fold(0.0, f32::max) };
    let (wanted, scale) = if encodes {
        let scale = (2688.0 / tensor).min(f32::MAX);
        let scale = if tensor == 0.0 || scale == 0.0 { 1.0 } else { scale };
        ((amax * (scale * (1.0f32 / 6.0))).min(f32::MAX), scale)
    } else {
        let scale = tensor / 2688.0;
        (amax / 6.0 / scale, scale)
    };
    if wanted.is_nan() {
        return (0x7f, None);
    }
    let wanted = if encodes { wanted } else { wanted.clamp(0.015_625, 448.0) };
    let code = rounded(&small(DType::Float8E4M3FN), wanted.min(448.0).to_bits(), 0);
    let stored = scale_of_code(code);
    let factor = match encodes {
        true => (1.0 / (stored * (1.0 / scale))).min(f32::MAX),
        false => 1.0 / scale / stored,
    };
    let element = |&number: &u32| {
        let product = f32::from_bits(number) * factor;
        match f32::from_bits(number).is_nan() {
            true => 7,
            false => rounded(&small(DType::Float4E2M1), product.to_bits(), 0),
        }
    };
    (code, Some(numbers.iter().map(element).collect()))
}

/// The element of float8e4m3fn nearest to a number that is no NaN; beyond the largest that one.
pub(crate) fn e4m3(number: f32) -> u64 {
    rounded(&small(DType::Float8E4M3FN), number.to_bits(), 0)
}

/// The scale and the elements of a group of FP8, by the float32 of this machine; `None` for what is open. The numbers are
/// float32 that hold a number of the source, whose largest number is `most`.
pub(crate) fn group(profile: BlockProfile, numbers: &[u32], most: u32) -> (u64, Vec<Option<u64>>) {
    use BlockProfile::*;
    let enters = matches!(profile, Fp8Deepgemm | Fp8DeepgemmUe8m0);
    let magnitudes = || numbers.iter().map(|&code| f32::from_bits(code).abs());
    let has_nan = magnitudes().any(f32::is_nan);
    // `max` of Rust drops NaN.
    let amax = if enters && has_nan { f32::NAN } else { magnitudes().fold(0.0, f32::max) };
    let floored = |floor: f32| if amax.is_nan() { amax } else { amax.max(floor) };
    let (scale, by): (f32, Box<dyn Fn(f32) -> f32>) = match profile {
        Fp8Deepgemm => {
            let scale = floored(0.0001) / 448.0;
            (scale, Box::new(move |x| x * (1.0 / scale)))
        }
        Fp8DeepgemmUe8m0 => {
            let wanted = floored(0.0001) / 448.0;
            let mut powers = (1..=254u32).map(|field| f32::from_bits(field << 23));
            let scale = powers.find(|power| *power >= wanted);
            let scale = scale.unwrap_or(f32::from_bits(254 << 23));
            (scale, Box::new(move |x| (f64::from(x) / f64::from(scale)) as f32))
        }
        Fp8VllmGroup => {
            let scale = floored(1e-10) / 448.0;
            let by = move |x: f32| {
                let quotient = x / scale;
                // The lower bound is compared first, and a NaN gives the other operand.
                if quotient.is_nan() { -448.0 } else { quotient.clamp(-448.0, 448.0) }
            };
            (scale, Box::new(by))
        }
        Fp8SglGroup => {
            let amax = floored(1e-10);
            (amax * (1.0f32 / 448.0), Box::new(move |x| x * (448.0 / amax)))
        }
        Fp8TeBlock => {
            let finite = (448.0 / amax).min(f32::from_bits(most));
            let encoding = if amax == 0.0 || amax.is_infinite() { 1.0 } else { finite };
            (1.0 / encoding, Box::new(move |x| x * encoding))
        }
        _ => panic!("another rule"),
    };
    let element = |&code: &u32| {
        let x = f32::from_bits(code);
        let product = by(x);
        match profile {
            Fp8Deepgemm | Fp8DeepgemmUe8m0 if scale.is_nan() || !product.is_finite() => None,
            Fp8SglGroup | Fp8TeBlock if product.is_nan() => Some(0x7f),
            _ => Some(e4m3(product)),
        }
    };
    let code = match profile {
        Fp8DeepgemmUe8m0 => u64::from(scale.to_bits() >> 23),
        _ if scale.is_nan() => 0x7fc0_0000,
        _ => u64::from(scale.to_bits()),
    };
    (code, numbers.iter().map(element).collect())
}
