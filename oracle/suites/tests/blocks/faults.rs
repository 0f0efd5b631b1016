//! Quantisers with a fault that a library has had, on the second way.

use super::second;
use castproof_vectors::BlockProfile::{
    self, Fp8Deepgemm, Fp8DeepgemmUe8m0, Fp8SglGroup, Fp8TeBlock, Fp8VllmGroup, MxCeil, MxEven,
    MxFloor, MxRceil, MxRfit, MxTe, Nvfp4Te, Nvfp4Torchao,
};
use castproof_vectors::DType::{self, Float4E2M1, Float6E2M3, Float8E4M3FN, Float8E5M2};

/// A block of float32.
pub(crate) struct Block {
    pub(crate) profile: BlockProfile,
    pub(crate) to: DType,
    pub(crate) numbers: Vec<u32>,
    pub(crate) tensor: u32,
}

/// A scale, and elements where it is not NaN.
pub(crate) type Answer = (u64, Option<Vec<u64>>);

/// A fault: its name, the profile and the elements that it was made for.
pub(crate) type Fault = (&'static str, BlockProfile, DType, fn(&Block) -> Answer);

const INFINITY: u32 = 0x7f80_0000;

impl Block {
    fn amax(&self) -> u32 {
        second::amax(self.profile, &self.numbers)
    }

    pub(crate) fn right_scale(&self) -> u64 {
        second::scale(self.profile, self.to, self.amax())
    }

    /// The scale of another largest magnitude, unless it is not finite.
    fn scale_of(&self, amax: u32) -> u64 {
        let is_finite = self.amax() < INFINITY;
        second::scale(self.profile, self.to, if is_finite { amax } else { self.amax() })
    }

    /// Elements under this scale, as they should be.
    pub(crate) fn under(&self, scale: u64) -> Answer {
        (scale, second::elements(self.profile, self.to, scale, &self.numbers))
    }

    /// The scale of finite magnitudes but zero as a function of the largest one.
    fn by(&self, scale: impl Fn(f32) -> i32) -> Answer {
        let amax = self.amax();
        match amax {
            0 | INFINITY.. => self.under(self.right_scale()),
            _ => self.under((scale(f32::from_bits(amax)) + 127).clamp(0, 254) as u64),
        }
    }

    /// The scale and elements of other numbers.
    fn of(&self, number: impl Fn(u32) -> u32) -> Answer {
        let numbers: Vec<u32> = self.numbers.iter().map(|&code| number(code)).collect();
        let elements = second::elements(self.profile, self.to, self.right_scale(), &numbers);
        (self.right_scale(), elements)
    }

    /// The right scale, and each element made from the number, its quotient and the right element.
    fn elements(&self, element: impl Fn(f32, f64, u64) -> u64) -> Answer {
        let (scale, right) = self.under(self.right_scale());
        let power = 2f64.powi(127 - scale as i32);
        let numbers = self.numbers.iter().map(|&code| f32::from_bits(code));
        let wrong = |right: Vec<u64>| {
            let each = numbers.zip(right);
            each.map(|(number, right)| element(number, f64::from(number) * power, right)).collect()
        };
        (scale, right.map(wrong))
    }

    fn nvfp4(&self, numbers: &[u32], tensor: u32) -> Answer {
        second::nvfp4(self.profile, numbers, tensor)
    }

    pub(crate) fn right_nvfp4(&self) -> Answer {
        self.nvfp4(&self.numbers, self.tensor)
    }

    /// A group as it should be. What is open is zero.
    pub(crate) fn right_group(&self) -> Answer {
        let (scale, elements) = second::group(self.profile, &self.numbers, 0x7f7f_ffff);
        (scale, Some(elements.into_iter().map(|code| code.unwrap_or(0)).collect()))
    }

    /// A group of finite numbers by steps of float32: the scale of a largest magnitude, which is at least `floor`, and
    /// what is rounded of a number, that magnitude and the scale.
    fn steps(
        &self,
        floor: f32,
        scale: impl Fn(f32) -> f32,
        by: impl Fn(f32, f32, f32) -> f32,
    ) -> Answer {
        let numbers = || self.numbers.iter().map(|&code| f32::from_bits(code));
        if numbers().any(|number| !number.is_finite()) {
            return self.right_group();
        }
        let amax = numbers().fold(floor, |largest, number| largest.max(number.abs()));
        let scale = scale(amax);
        let product = |number| by(number, amax, scale);
        // Zero over zero is NaN.
        let element = |it: f32| if it.is_nan() { 0x7f } else { second::e4m3(it) };
        (scale.to_bits().into(), Some(numbers().map(product).map(element).collect()))
    }
}

fn exponent(x: f32) -> i32 {
    f64::from(x).log2().floor() as i32
}

fn to_bfloat16(number: u32) -> u32 {
    match number & 0x7fff_ffff {
        INFINITY.. => number,
        _ => number.wrapping_add(0x7fff + (number >> 16 & 1)) & 0xffff_0000,
    }
}

/// The numbers of float4e2m1 that are not negative.
const SMALL: [f64; 8] = [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0];

/// Rounds to float4e2m1, ties by `up`, with the sign of the right element.
fn small(quotient: f64, right: u64, up: impl Fn(usize) -> bool) -> u64 {
    let magnitude = quotient.abs();
    let passed = (1..8).take_while(|&code| {
        let midpoint = f64::midpoint(SMALL[code - 1], SMALL[code]);
        magnitude > midpoint || (magnitude == midpoint && up(code))
    });
    passed.count() as u64 | right & 8
}

pub(crate) const FAULTS: &[Fault] = &[
    ("the exponent of elements is not subtracted", MxFloor, Float8E4M3FN, |block| {
        block.by(exponent)
    }),
    ("two is not subtracted", MxFloor, Float4E2M1, |block| block.by(exponent)),
    ("two is subtracted twice", MxFloor, Float4E2M1, |block| block.by(|x| exponent(x) - 4)),
    ("the exponent of amax/6 in place of EVEN", MxEven, Float4E2M1, |block| {
        block.by(|x| exponent(x / 6.0))
    }),
    ("log2 is truncated, not rounded down", MxFloor, Float4E2M1, |block| {
        block.by(|x| f64::from(x).log2().trunc() as i32 - 2)
    }),
    ("the largest magnitude is rounded to bfloat16", MxCeil, Float8E4M3FN, |block| {
        block.under(block.scale_of(to_bfloat16(block.amax()).min(0x7f7f_0000)))
    }),
    ("the same, by RCEIL", MxRceil, Float8E4M3FN, |block| {
        block.under(block.scale_of(to_bfloat16(block.amax()).min(0x7f7f_0000)))
    }),
    ("a NaN does not enter the largest magnitude", MxFloor, Float8E4M3FN, |block| {
        let finite = block.numbers.iter().map(|number| number & 0x7fff_ffff);
        let amax = finite.filter(|magnitude| *magnitude <= INFINITY).max().unwrap_or(0);
        block.under(second::scale(block.profile, block.to, amax))
    }),
    ("the scale of NaN is the largest number", MxFloor, Float8E5M2, |block| {
        block.under(block.right_scale().min(0xfe))
    }),
    ("numbers are multiplied by 1 under scale 0", MxFloor, Float8E4M3FN, |block| {
        match block.right_scale() {
            0 => (0, block.under(127).1),
            scale => block.under(scale),
        }
    }),
    ("numbers are zero under scale 0", MxRfit, Float8E5M2, |block| match block.right_scale() {
        0 => (0, block.of(|number| number & 1 << 31).1),
        scale => block.under(scale),
    }),
    ("2^-126 in place of 2^-127", MxFloor, Float6E2M3, |block| match block.right_scale() {
        0 => (0, block.under(1).1),
        scale => block.under(scale),
    }),
    ("a block of zeros has the scale NaN", MxFloor, Float4E2M1, |block| match block.amax() {
        0 => (0xff, None),
        _ => block.under(block.right_scale()),
    }),
    ("a block of zeros has the scale 1", MxRceil, Float4E2M1, |block| match block.amax() {
        0 => block.under(127),
        _ => block.under(block.right_scale()),
    }),
    ("the exponent is rounded to nearest", MxRceil, Float6E2M3, |block| {
        block.by(|x| f64::from(x / 7.5).log2().round() as i32)
    }),
    ("log2 and ceil of float32", MxRceil, Float8E4M3FN, |block| {
        block.by(|x| (x / 448.0).log2().ceil() as i32)
    }),
    ("log2 and floor of float32", MxFloor, Float4E2M1, |block| {
        block.by(|x| x.log2().floor() as i32 - 2)
    }),
    ("powers of two are doubled", MxRceil, Float4E2M1, |block| block.by(|x| exponent(x / 6.0) + 1)),
    ("the exponent is always rounded up", MxCeil, Float8E5M2, |block| {
        block.by(|x| exponent(x) + 1 - 15)
    }),
    ("FLOOR where RCEIL was asked for", MxRceil, Float8E4M3FN, |block| {
        block.under(second::scale(MxFloor, block.to, block.amax()))
    }),
    ("EVEN where RFIT was asked for", MxRfit, Float8E4M3FN, |block| {
        block.under(second::scale(MxEven, block.to, block.amax()))
    }),
    ("the largest finite numbers round to infinity", MxEven, Float8E4M3FN, |block| {
        match block.amax() {
            0x7f78_0000..INFINITY => (0xff, None),
            _ => block.under(block.right_scale()),
        }
    }),
    ("the scale of infinity is the largest number", MxFloor, Float8E4M3FN, |block| {
        if block.amax() == INFINITY { block.under(0xfe) } else { block.under(block.right_scale()) }
    }),
    ("subnormal numbers are flushed", MxFloor, Float8E4M3FN, |block| {
        let flushed = |number: u32| {
            if number & 0x7f80_0000 == 0 { number & 1 << 31 } else { number }
        };
        (block.scale_of(flushed(block.amax())), block.of(flushed).1)
    }),
    ("ties of elements go away from zero", MxFloor, Float4E2M1, |block| {
        block.elements(|_, quotient, right| small(quotient, right, |_| true))
    }),
    ("ties of elements go towards zero", MxEven, Float4E2M1, |block| {
        block.elements(|_, quotient, right| small(quotient, right, |_| false))
    }),
    ("elements are truncated", MxCeil, Float4E2M1, |block| {
        block.elements(|_, quotient, right| {
            let passed = SMALL[1..].iter().filter(|number| **number <= quotient.abs());
            passed.count() as u64 | right & 8
        })
    }),
    ("a negative zero loses its sign", MxFloor, Float8E4M3FN, |block| {
        block.elements(|_, _, right| if right == 0x80 { 0 } else { right })
    }),
    ("an element beyond the largest is NaN", MxFloor, Float8E4M3FN, |block| {
        block.elements(|_, quotient, right| match quotient.abs() > 464.0 {
            true => right | 0x7f,
            false => right,
        })
    }),
    ("an element beyond the largest is infinity", MxFloor, Float8E5M2, |block| {
        block.elements(|_, quotient, right| match quotient.abs() >= 61_440.0 {
            true => right & 0x80 | 0x7c,
            false => right,
        })
    }),
    ("a clamped element loses its sign", MxFloor, Float4E2M1, |block| {
        block.elements(|_, quotient, right| if quotient < -6.0 { 7 } else { right })
    }),
    ("subnormal elements are flushed", MxFloor, Float8E4M3FN, |block| {
        block.elements(|_, _, right| if right & 0x78 == 0 { right & 0x80 } else { right })
    }),
    ("numbers are rounded to bfloat16 first", MxFloor, Float8E4M3FN, |block| block.of(to_bfloat16)),
    ("only half of the block enters the largest magnitude", MxFloor, Float4E2M1, |block| {
        let half = block.numbers.iter().take(16).map(|number| number & 0x7fff_ffff);
        block.under(block.scale_of(half.max().expect("a number")))
    }),
    ("the largest number in place of the largest magnitude", MxFloor, Float4E2M1, |block| {
        let positive = block.numbers.iter().filter(|number| **number >> 31 == 0);
        block.under(block.scale_of(positive.max().copied().unwrap_or(0)))
    }),
    ("the quotient is beyond 448 by clamping too late", MxRceil, Float8E4M3FN, |block| {
        block.by(|x| exponent(x / 448.0))
    }),
    ("the quotient is exact, no product of float32", MxTe, Float8E4M3FN, |block| {
        match block.amax() {
            INFINITY => block.under(0xfe),
            amax => block.under(second::scale(MxRceil, block.to, amax)),
        }
    }),
    ("a NaN enters the largest magnitude", MxTe, Float8E4M3FN, |block| {
        let is_nan = |number: &u32| number & 0x7fff_ffff > INFINITY;
        if block.numbers.iter().any(is_nan) {
            (0xff, None)
        } else {
            block.under(block.right_scale())
        }
    }),
    ("the scale of infinity is NaN", MxTe, Float8E5M2, |block| match block.amax() {
        INFINITY => (0xff, None),
        _ => block.under(block.right_scale()),
    }),
    ("the element of a NaN keeps its sign", MxTe, Float8E4M3FN, |block| {
        block.elements(|number, _, right| match number.is_nan() && number.is_sign_negative() {
            true => right | 0x80,
            false => right,
        })
    }),
    ("2^-127 is flushed under the largest scale", MxTe, Float8E4M3FN, |block| {
        let flushed = block.amax() == INFINITY;
        block.elements(|number, _, right| match (flushed, number.is_infinite()) {
            (true, true) => 0x7f,
            (true, false) if !number.is_nan() => right & 0x80,
            _ => right,
        })
    }),
    ("a block of zeros has the scale NaN (NVFP4)", Nvfp4Torchao, Float4E2M1, |block| {
        if block.amax() == 0 { (0x7f, None) } else { block.right_nvfp4() }
    }),
    ("the scale of the tensor is left out", Nvfp4Torchao, Float4E2M1, |block| {
        block.nvfp4(&block.numbers, 0x4528_0000)
    }),
    ("the steps of the other library", Nvfp4Te, Float4E2M1, |block| {
        second::nvfp4(Nvfp4Torchao, &block.numbers, block.tensor)
    }),
    ("the steps of the other library", Nvfp4Torchao, Float4E2M1, |block| {
        second::nvfp4(Nvfp4Te, &block.numbers, block.tensor)
    }),
    ("the smallest scale is 2^-9, not 2^-6", Nvfp4Torchao, Float4E2M1, |block| {
        let (scale, elements) = block.right_nvfp4();
        if scale == 8 { (1, elements) } else { (scale, elements) }
    }),
    ("subnormal scales are flushed", Nvfp4Te, Float4E2M1, |block| {
        let (scale, elements) = block.right_nvfp4();
        if scale < 8 { (0, elements) } else { (scale, elements) }
    }),
    ("a NaN becomes zero", Nvfp4Te, Float4E2M1, |block| {
        let numbers =
            block.numbers.iter().map(|&code| if code & 0x7fff_ffff > INFINITY { 0 } else { code });
        block.nvfp4(&numbers.collect::<Vec<_>>(), block.tensor)
    }),
    ("the scale of a group is a product", Fp8Deepgemm, Float8E4M3FN, |block| {
        block.steps(1e-4, |amax| amax * (1.0f32 / 448.0), |x, _, scale| x * (1.0 / scale))
    }),
    ("numbers are divided by the scale of a group", Fp8Deepgemm, Float8E4M3FN, |block| {
        block.steps(1e-4, |amax| amax / 448.0, |x, _, scale| x / scale)
    }),
    ("numbers are multiplied by 448 over the largest", Fp8Deepgemm, Float8E4M3FN, |block| {
        block.steps(1e-4, |amax| amax / 448.0, |x, amax, _| x * (448.0 / amax))
    }),
    ("the floor is 1e-10, not 1e-4", Fp8Deepgemm, Float8E4M3FN, |block| {
        block.steps(1e-10, |amax| amax / 448.0, |x, _, scale| x * (1.0 / scale))
    }),
    ("there is no floor", Fp8Deepgemm, Float8E4M3FN, |block| {
        block.steps(0.0, |amax| amax / 448.0, |x, _, scale| x * (1.0 / scale))
    }),
    ("the scale of a group is inverted", Fp8Deepgemm, Float8E4M3FN, |block| {
        let (scale, elements) = block.right_group();
        ((1.0 / f32::from_bits(scale as u32)).to_bits().into(), elements)
    }),
    ("the largest element is taken for 240", Fp8Deepgemm, Float8E4M3FN, |block| {
        block.steps(1e-4, |amax| amax / 240.0, |x, _, scale| x * (1.0 / scale))
    }),
    ("elements of a group are clamped to 240", Fp8Deepgemm, Float8E4M3FN, |block| {
        let by = |x: f32, _, scale: f32| (x * (1.0 / scale)).clamp(-240.0, 240.0);
        block.steps(1e-4, |amax| amax / 448.0, by)
    }),
    ("elements of a group are truncated", Fp8Deepgemm, Float8E4M3FN, |block| {
        // What is beyond an element loses its lower bits, also below 2^-6.
        let truncated = |x: f32| {
            let unit = (x.abs().max(0.015_625).to_bits() & 0x7f80_0000) - (3 << 23);
            let unit = f32::from_bits(unit);
            (x / unit).trunc() * unit
        };
        block.steps(1e-4, |amax| amax / 448.0, |x, _, scale| truncated(x * (1.0 / scale)))
    }),
    ("a NaN does not enter the largest magnitude of a group", Fp8Deepgemm, Float8E4M3FN, |block| {
        let is_nan = |number: &u32| number & 0x7fff_ffff > INFINITY;
        let zeros = |&number: &u32| if is_nan(&number) { 0 } else { number };
        let numbers: Vec<u32> = block.numbers.iter().map(zeros).collect();
        let without = Block { numbers, ..Block { numbers: vec![], ..*block } };
        let (scale, elements) = without.right_group();
        let element = |(number, code)| if is_nan(number) { 0x7f } else { code };
        let each = block.numbers.iter().zip(elements.unwrap_or_default());
        (scale, Some(each.map(element).collect()))
    }),
    ("the power of two of a group is rounded down", Fp8DeepgemmUe8m0, Float8E4M3FN, |block| {
        let down = |amax: f32| f32::from_bits((amax / 448.0).to_bits() & 0x7f80_0000);
        let (scale, elements) = block.steps(1e-4, down, |x, _, scale| x * (1.0 / scale));
        if scale > 0xff { (scale >> 23, elements) } else { (scale, elements) }
    }),
    ("a NaN becomes 448, not -448", Fp8VllmGroup, Float8E4M3FN, |block| {
        let (scale, elements) = block.right_group();
        // The quotient of an infinity is NaN too.
        let is_nan = |number: &u32| number & 0x7fff_ffff >= INFINITY;
        let each = block.numbers.iter().zip(elements.unwrap_or_default());
        (scale, Some(each.map(|(number, code)| if is_nan(number) { 0x7e } else { code }).collect()))
    }),
    ("numbers are multiplied by the inverse of the scale", Fp8SglGroup, Float8E4M3FN, |block| {
        block.steps(1e-10, |amax| amax * (1.0f32 / 448.0), |x, _, scale| x * (1.0 / scale))
    }),
    ("the scale of a group is a quotient", Fp8TeBlock, Float8E4M3FN, |block| match block.amax() {
        // As it should be for zeros and for numbers whose quotient is infinite.
        0..0x03e0_0002 => block.right_group(),
        _ => block.steps(0.0, |amax| amax / 448.0, |x, amax, _| x * (448.0 / amax)),
    }),
];
