//! The public entry: a cast and the three ways to run it.

use crate::arch::view;
use crate::element::Element;
use crate::packed::{byte_len, check_bytes};
use crate::plan::{Layout, Plan};
#[cfg(castproof_plant)]
use crate::plant;
use crate::rules::Rules;
use crate::run::Route;
use crate::scalar::Scalar;
use crate::trap;
use crate::{Backend, Error};
use castproof_vectors::{DType, RoundMode};
use core::fmt;

/// A validated cast with its loops chosen. Making one takes longer than casting a few elements with
/// it; copying one takes a few nanoseconds.
#[derive(Clone, Copy)]
pub struct Cast {
    from: DType,
    to: DType,
    rules: Rules,
    backend: Backend,
    route: Route,
}

impl Cast {
    /// Makes a cast by the newest rules (opset 28, `saturate` on, `round_mode` up) on
    /// [`Backend::preferred`].
    ///
    /// # Errors
    /// [`Error::NotNumeric`] for string, complex and quantized dtypes.
    pub fn new(from: DType, to: DType) -> Result<Cast, Error> {
        Cast::by_rules(from, to, Rules::NEWEST)
    }

    /// Makes a cast by these rules on [`Backend::preferred`].
    ///
    /// # Errors
    /// As [`Cast::new`].
    pub(crate) fn by_rules(from: DType, to: DType, rules: Rules) -> Result<Cast, Error> {
        for dtype in [from, to] {
            if !dtype.is_numeric() {
                return Err(Error::NotNumeric { dtype });
            }
        }
        let backend = Backend::preferred();
        let route = route(from, to, &rules, Layout::Packed, backend);
        Ok(Cast { from, to, rules, backend, route })
    }

    /// The dtype of the input.
    #[must_use]
    pub fn from(&self) -> DType {
        self.from
    }

    /// The dtype of the output.
    #[must_use]
    pub fn to(&self) -> DType {
        self.to
    }

    /// Follows the rules of this operator-set version. Only one result depends on it: infinities to
    /// the float8 FNUZ types under `saturate` are NaN before opset 24 (F8-S06) and the largest
    /// finite value from opset 24 on (F8-S07). It is not checked whether the version has the
    /// dtypes.
    #[must_use]
    pub fn opset(self, opset: u32) -> Cast {
        self.with(self.rules.at_opset(opset), self.backend)
    }

    /// Sets whether values beyond the range of a float8 type become its largest finite value. Other
    /// targets ignore it (T-06).
    #[must_use]
    pub fn saturate(self, on: bool) -> Cast {
        self.with(Rules { saturate: on, ..self.rules }, self.backend)
    }

    /// Sets how casts to float8e8m0 round. Other targets ignore it (T-07), except in a cast of a
    /// profile whose rules say more: see [`Cast::of_profile_with`].
    #[must_use]
    pub fn round_mode(self, mode: RoundMode) -> Cast {
        self.with(self.rules.with_round_mode(mode), self.backend)
    }

    /// Runs on this backend instead of the preferred one. Results are the same.
    #[must_use]
    pub fn backend(self, backend: Backend) -> Cast {
        self.with(self.rules, backend)
    }

    /// Returns the loops that the cast runs through, and why.
    #[must_use]
    pub fn plan(&self) -> Plan {
        let set = self.backend.instruction_set();
        Plan::make(self.from, self.to, &self.rules, Layout::Packed, set)
    }

    /// Casts `count` elements from packed little-endian `input` to `output`; each must have exactly
    /// [`packed_len`](crate::packed_len) bytes. No alignment is required.
    ///
    /// # Errors
    /// [`Error::ByteLength`] if a slice has another length, [`Error::TooMany`] if `count` elements
    /// do not fit in a slice, [`Error::Traps`] if the profile has no result for an element. Nothing is written
    /// then.
    pub fn run(&self, input: &[u8], count: usize, output: &mut [u8]) -> Result<(), Error> {
        check_bytes("input", self.from, count, input.len())?;
        check_bytes("output", self.to, count, output.len())?;
        trap::check(&self.rules, (self.from, self.to), input)?;
        self.route.run(&self.rules, count, input, output);
        #[cfg(castproof_plant)]
        self.spoil([self.from.bits(), self.to.bits()], false, count, input, output);
        Ok(())
    }

    /// Casts one element, by code.
    ///
    /// # Errors
    /// [`Error::CodeTooWide`] if bits above the width of the source are set, [`Error::Traps`] if the profile
    /// has no result for the element.
    pub fn code(&self, code: u64) -> Result<u64, Error> {
        if code & !self.from.code_mask() != 0 {
            return Err(Error::CodeTooWide { dtype: self.from, code });
        }
        trap::check_code(&self.rules, (self.from, self.to), code, 0)?;
        let result = Scalar::new(self.from, self.to, self.rules)?.convert(code);
        #[cfg(castproof_plant)]
        let result = {
            let rules = &self.rules;
            let (set, typed, index, count, offset) = (None, false, 0, 1, 0);
            let spot = plant::Spot { rules, set, typed, code, index, count, offset };
            plant::spoil_code(self.from, self.to, &spot, result)
        };
        Ok(result)
    }

    /// Casts typed slices of equal length. The dtypes of `S` and `T` must be those of the cast.
    /// Elements of less than a byte take a byte each; loops for them are chosen in each call.
    ///
    /// # Errors
    /// [`Error::ElementType`] if a dtype is not that of the cast, [`Error::SliceLength`] if the
    /// lengths differ, [`Error::Traps`] as [`run`](Cast::run). Nothing is written then.
    pub fn run_slice<S: Element, T: Element>(
        &self,
        input: &[S],
        output: &mut [T],
    ) -> Result<(), Error> {
        check_element("input", self.from, S::DTYPE)?;
        check_element("output", self.to, T::DTYPE)?;
        if input.len() != output.len() {
            return Err(Error::SliceLength { input: input.len(), output: output.len() });
        }
        if cfg!(target_endian = "big") {
            // Loops take little-endian bytes.
            for (index, source) in input.iter().enumerate() {
                trap::check_code(&self.rules, (self.from, self.to), source.to_code(), index)?;
            }
            let scalar = Scalar::new(self.from, self.to, self.rules)?;
            for (target, source) in output.iter_mut().zip(input) {
                *target = T::from_code(scalar.convert(source.to_code()));
            }
            return Ok(());
        }
        let count = input.len();
        self.run_codes(view::bytes(input), count, view::bytes_mut(output))
    }

    /// Casts `count` elements as [`run`](Cast::run) does, except that elements of less than a byte
    /// take a byte each, their code in its low bits.
    ///
    /// # Errors
    /// [`Error::ByteLength`] if a slice has another length, [`Error::TooMany`] if `count` elements
    /// do not fit in a slice, [`Error::CodeTooWide`] if bits above the width of the source are set.
    /// Nothing is written then.
    pub fn run_byte_each(
        &self,
        input: &[u8],
        count: usize,
        output: &mut [u8],
    ) -> Result<(), Error> {
        for (side, dtype, actual) in
            [("input", self.from, input.len()), ("output", self.to, output.len())]
        {
            let bits = dtype.bits().max(8) as usize;
            let expected = byte_len(bits, count).ok_or(Error::TooMany { dtype, count })?;
            if actual != expected {
                return Err(Error::ByteLength { side, dtype, count, expected, actual });
            }
        }
        let highest = self.from.code_mask();
        if self.from.bits() < 8
            && let Some(&code) = input.iter().find(|&&code| u64::from(code) > highest)
        {
            return Err(Error::CodeTooWide { dtype: self.from, code: code.into() });
        }
        self.run_codes(input, count, output)
    }

    /// Casts `count` elements, each of a byte or more; the slices hold exactly as many.
    fn run_codes(&self, source: &[u8], count: usize, target: &mut [u8]) -> Result<(), Error> {
        trap::check(&self.rules, (self.from, self.to), source)?;
        if self.from.bits() < 8 || self.to.bits() < 8 {
            let route = route(self.from, self.to, &self.rules, Layout::ByteEach, self.backend);
            route.run(&self.rules, count, source, target);
        } else {
            self.route.run(&self.rules, count, source, target);
        }
        #[cfg(castproof_plant)]
        self.spoil([self.from, self.to].map(|it| it.bits().max(8)), true, count, source, target);
        Ok(())
    }

    /// Spoils an output by the fault that is planted.
    #[cfg(castproof_plant)]
    fn spoil(&self, bits: [u32; 2], typed: bool, count: usize, input: &[u8], output: &mut [u8]) {
        let (rules, set) = (&self.rules, Some(self.backend.instruction_set()));
        let offset = output.as_ptr().addr() % 64;
        let spot = plant::Spot { rules, set, typed, code: 0, index: 0, count, offset };
        plant::spoil((self.from, self.to), spot, bits, input, output);
    }

    /// Returns the same cast by other rules or on another backend. The loops depend on few rules.
    fn with(self, rules: Rules, backend: Backend) -> Cast {
        let decide = |rules: &Rules| (rules.same_dtype(self.from), rules.integers);
        let stays = backend == self.backend && decide(&rules) == decide(&self.rules);
        let route = if stays {
            self.route
        } else {
            route(self.from, self.to, &rules, Layout::Packed, backend)
        };
        Cast { rules, backend, route, ..self }
    }
}

/// Casts typed slices of equal length by the newest rules.
///
/// ```
/// use castproof_impl::{F4E2M1, F8E4M3FN, cast_slice};
///
/// # fn main() -> Result<(), castproof_impl::Error> {
/// let mut output = [F8E4M3FN::default(); 3];
/// cast_slice::<f32, F8E4M3FN>(&[1.0, 464.0, -1.0e9], &mut output)?;
/// assert_eq!(output.map(f32::from), [1.0, 448.0, -448.0]);
///
/// let mut output = [F4E2M1::default(); 2];
/// cast_slice(&[0.3_f64, -5.0], &mut output)?;
/// assert_eq!(output.map(f32::from), [0.5, -4.0]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// [`Error::SliceLength`] if the lengths differ. Nothing is written then.
pub fn cast_slice<S: Element, T: Element>(input: &[S], output: &mut [T]) -> Result<(), Error> {
    Cast::new(S::DTYPE, T::DTYPE)?.run_slice(input, output)
}

/// Casts of equal dtypes, rules and backend are equal.
impl PartialEq for Cast {
    fn eq(&self, other: &Cast) -> bool {
        let key = |cast: &Cast| (cast.from, cast.to, cast.rules, cast.backend);
        key(self) == key(other)
    }
}

impl Eq for Cast {}

impl fmt::Debug for Cast {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Cast { from, to, rules, backend, .. } = self;
        write!(f, "Cast({from} to {to}, {rules:?}, {backend})")
    }
}

fn route(from: DType, to: DType, rules: &Rules, layout: Layout, backend: Backend) -> Route {
    Route::new(&Plan::make(from, to, rules, layout, backend.instruction_set()), backend)
}

fn check_element(side: &'static str, expected: DType, actual: DType) -> Result<(), Error> {
    if actual != expected {
        return Err(Error::ElementType { side, expected, actual });
    }
    Ok(())
}
