//! Linear quantisation as ONNX has it: elements with scales and zero points.

use crate::cast::Cast;
use crate::values::{is_integer, signedness};
use crate::{DType, Error};

/// A node of ONNX `QuantizeLinear` or `DequantizeLinear`.
///
/// ```
/// use castproof_impl::{DType, LinearNode};
///
/// # fn main() -> Result<(), castproof_impl::Error> {
/// let dtypes = [DType::Float32, DType::Float32, DType::Int8];
/// let codes = [2.5_f32, 3.5, 1000.0].map(|x| u64::from(x.to_bits()));
/// let one = [u64::from(1_f32.to_bits())];
/// // 2.5 becomes 2 before the zero point is added.
/// let mut output = [0; 3];
/// LinearNode::new(dtypes).quantize((&codes, &one, Some(&[1])), &mut output)?;
/// assert_eq!(output, [3, 5, 127]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct LinearNode<'a> {
    from: DType,
    scale: DType,
    to: DType,
    shape: &'a [u64],
    scale_shape: &'a [u64],
    axis: i64,
    block_size: u64,
    saturate: bool,
    precision: Option<DType>,
}

/// The codes of input and scales, and of the zero points where there are any.
type Inputs<'a> = (&'a [u64], &'a [u64], Option<&'a [u64]>);

impl<'a> LinearNode<'a> {
    /// A node with one scale, by the dtypes of input, scale and output.
    pub fn new([from, scale, to]: [DType; 3]) -> LinearNode<'a> {
        let (shape, scale_shape, axis, block_size) = (&[][..], &[][..], 1, 0);
        let (saturate, precision) = (true, None);
        LinearNode { from, scale, to, shape, scale_shape, axis, block_size, saturate, precision }
    }

    /// Sets the shapes of input and scales, the axis, and the size of blocks, 0 for none.
    #[must_use]
    pub fn placed(
        self,
        (shape, scale_shape): (&'a [u64], &'a [u64]),
        axis: i64,
        block_size: u64,
    ) -> LinearNode<'a> {
        LinearNode { shape, scale_shape, axis, block_size, ..self }
    }

    /// Sets `saturate`, which is on by default.
    #[must_use]
    pub fn saturate(self, saturate: bool) -> LinearNode<'a> {
        LinearNode { saturate, ..self }
    }

    /// Sets the precision of the division.
    #[must_use]
    pub fn precision(self, precision: Option<DType>) -> LinearNode<'a> {
        LinearNode { precision, ..self }
    }

    /// The place of the scale of an element (QL-11, QL-12).
    fn place(&self, element: usize) -> usize {
        if self.scale_shape.is_empty() {
            return 0;
        }
        let axis = self.axis.rem_euclid(self.shape.len() as i64) as usize;
        let (mut rest, mut stride, mut place) = (element as u64, 1, 0);
        for at in (0..self.shape.len()).rev() {
            let coordinate = rest % self.shape[at];
            rest /= self.shape[at];
            match coordinate.checked_div(self.block_size) {
                None if at == axis => place = coordinate,
                None => {}
                Some(block) => {
                    place += stride * if at == axis { block } else { coordinate };
                    stride *= self.scale_shape[at];
                }
            }
        }
        place as usize
    }

    /// Refuses inputs that do not fit the shapes.
    fn check(&self, (input, scales, zeros): Inputs, output: &[u64]) -> Result<(), Error> {
        let is_whole = |shape: &[u64], codes: usize| {
            let sides = shape.iter().try_fold(1u64, |count, &side| count.checked_mul(side));
            sides == Some(codes as u64)
        };
        let is_axis = (self.block_size, self.scale_shape.len()) == (0, 1);
        let rank = self.shape.len() as i64;
        let has_axis = (-rank..rank).contains(&self.axis);
        let is_placed = self.scale_shape.is_empty() || has_axis && (is_axis || self.has_blocks());
        let is_input = self.scale_shape.is_empty() || is_whole(self.shape, input.len());
        let fits = is_placed
            && is_input
            && is_whole(self.scale_shape, scales.len())
            && zeros.is_none_or(|zeros| zeros.len() == scales.len())
            && output.len() == input.len()
            && (0..input.len()).all(|element| self.place(element) < scales.len());
        if fits { Ok(()) } else { Err(Error::LinearShape) }
    }

    /// Are the scales those of blocks?
    fn has_blocks(&self) -> bool {
        self.block_size != 0 && self.scale_shape.len() == self.shape.len()
    }

    /// Quantises codes.
    ///
    /// # Errors
    /// [`Error::LinearShape`] if inputs, output and shapes do not fit each other;
    /// [`Error::CodeTooWide`] and [`Error::NotNumeric`].
    pub fn quantize(&self, inputs: Inputs, output: &mut [u64]) -> Result<(), Error> {
        self.check(inputs, output)?;
        let (input, scales, zero_points) = inputs;
        let precision = match (self.precision, self.scale) {
            (Some(precision), _) => precision,
            (None, DType::Float8E8M0) => DType::Float32,
            (None, DType::Int32) => DType::Float64,
            (None, scale) => scale,
        };
        let (x_cast, scale_cast) =
            (Cast::new(self.from, precision)?, Cast::new(self.scale, precision)?);
        let widen = Cast::new(precision, DType::Float64)?;
        let narrow = Cast::new(DType::Float64, precision)?;
        let target = Cast::new(DType::Float64, self.to)?.saturate(self.saturate);
        let zero_cast = Cast::new(self.to, DType::Float64)?;
        let wide = |cast: &Cast, code| value(&widen, cast.code(code)?);
        for (element, (code, &x)) in output.iter_mut().zip(input).enumerate() {
            let at = self.place(element);
            // float64 has more than twice the bits of each precision, so that the second rounding of
            // the quotient changes nothing.
            let quotient = wide(&x_cast, x)? / wide(&scale_cast, scales[at])?;
            let quotient = value(&widen, narrow.code(quotient.to_bits())?)?;
            let zero = match zero_points {
                Some(zeros) => value(&zero_cast, zeros[at])?,
                None => 0.0,
            };
            *code = if is_integer(self.to) {
                self.clamped(whole(quotient) + zero)
            } else if zero == 0.0 {
                target.code(quotient.to_bits())?
            } else {
                target.code((quotient + zero).to_bits())?
            };
        }
        Ok(())
    }

    /// The integer nearest to a whole number; the smallest one for NaN.
    fn clamped(&self, number: f64) -> u64 {
        let bits = self.to.bits();
        let (low, high) = match signedness(self.to) {
            Some(true) => (-(1i64 << (bits - 1)), (1i64 << (bits - 1)) - 1),
            _ => (0, (1i64 << bits) - 1),
        };
        let integer = if number.is_nan() { low } else { (number as i64).clamp(low, high) };
        integer as u64 & self.to.code_mask()
    }

    /// Makes numbers of quantised codes.
    ///
    /// # Errors
    /// As [`quantize`](Self::quantize).
    pub fn dequantize(&self, inputs: Inputs, output: &mut [u64]) -> Result<(), Error> {
        self.check(inputs, output)?;
        let (input, scales, zero_points) = inputs;
        let source = Cast::new(self.from, DType::Float64)?;
        let scale_cast = Cast::new(self.scale, DType::Float64)?;
        let target = Cast::new(DType::Float64, self.to)?;
        for (element, (code, &x)) in output.iter_mut().zip(input).enumerate() {
            let at = self.place(element);
            let (mut number, scale) = (value(&source, x)?, value(&scale_cast, scales[at])?);
            if let Some(zeros) = zero_points.filter(|_| is_integer(self.from)) {
                number -= value(&source, zeros[at])?;
            }
            // float64 holds a product of 53 bits: only one of int32 and float32 may have more.
            if self.from == DType::Int32 {
                number = f64::from(number as f32);
            }
            *code = target.code((number * scale).to_bits())?;
        }
        Ok(())
    }
}

/// The number of a code.
fn value(cast: &Cast, code: u64) -> Result<f64, Error> {
    cast.code(code).map(f64::from_bits)
}

/// The nearest whole number, ties to even.
fn whole(x: f64) -> f64 {
    /// From here on every number is whole. Added and taken away, it leaves no fraction.
    const ALL_WHOLE: f64 = 4_503_599_627_370_496.0;
    if (0.0..ALL_WHOLE).contains(&x) {
        (x + ALL_WHOLE) - ALL_WHOLE
    } else if x < 0.0 && x > -ALL_WHOLE {
        (x - ALL_WHOLE) + ALL_WHOLE
    } else {
        x
    }
}

/// What ONNX `DynamicQuantizeLinear` makes of numbers of float32: the elements in `output`, and scale and zero
/// point, which follow from the largest and the smallest number (DQ-01). Where they are open (DQ-02), they
/// are some numbers.
///
/// # Errors
/// [`Error::LinearShape`] if `output` has another length.
pub fn dynamic_quantize(numbers: &[f32], output: &mut [u8]) -> Result<(f32, u8), Error> {
    if numbers.len() != output.len() {
        return Err(Error::LinearShape);
    }
    let largest = numbers.iter().fold(0f32, |a, &b| a.max(b));
    let smallest = numbers.iter().fold(0f32, |a, &b| a.min(b));
    let scale = (largest - smallest) / 255.0;
    let zero_point = whole(f64::from(0.0 - smallest / scale)).clamp(0.0, 255.0);
    for (element, x) in output.iter_mut().zip(numbers) {
        // A conversion of Rust ends at 0 and 255, and NaN becomes 0.
        *element = (whole(f64::from(x / scale)) + zero_point) as u8;
    }
    Ok((scale, zero_point as u8))
}
