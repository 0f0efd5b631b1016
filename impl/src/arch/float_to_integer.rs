//! Conversions of floats to integers, towards zero, in a form that compilers vectorise. An `as`
//! cast gives the same results but compiles to scalar conversions.

// A macro, because the conversion without checks is not part of a trait that can be named. Each
// row: the function, the float, the integer, and the first power of two above the integer's range.
macro_rules! truncations {
    ($($name:ident: $float:ty => $int:ident, $end:expr;)*) => {$(
        /// Returns the integer part. A value beyond the range gives the nearest end of the range,
        /// and NaN gives 0 (FI-02, FI-04, FI-05).
        #[inline(always)]
        pub(crate) fn $name(value: $float) -> $int {
            const END: $float = $end;
            const LOW: $float = if $int::MIN == 0 { 0.0 } else { -END };
            let inside = value > LOW && value < END;
            let bounded = if inside { value } else { 0.0 };
            // SAFETY: the value is not NaN, and its integer part is in the range of the integer:
            // `END` is the first value above it, and `LOW` the lowest in it.
            let whole: $int = unsafe { bounded.to_int_unchecked() };
            let from_below = if value <= LOW { $int::MIN } else { whole };
            if value >= END { $int::MAX } else { from_below }
        }
    )*};
}

// As above, for the integers of less than 32 bits.
macro_rules! bounded_truncations {
    ($($between:ident, $truncate:ident: $float:ty;)*) => {$(
        /// Clamps a value to the range from `low` to `high`; NaN counts as 0.
        #[inline(always)]
        pub(crate) fn $between(value: $float, low: i16, high: u16) -> $float {
            let (low, high) = (<$float>::from(low), <$float>::from(high));
            let number = if value.is_nan() { 0.0 } else { value };
            let above = if number > low { number } else { low };
            if above < high { above } else { high }
        }

        /// Returns the integer part, clamped to the range from `low` to `high`; NaN counts as 0
        /// (FI-02, FI-04, FI-05).
        #[inline(always)]
        pub(crate) fn $truncate(value: $float, low: i16, high: u16) -> i32 {
            // SAFETY: the value is not NaN, because neither end is, and its magnitude is below
            // 2^16.
            unsafe { $between(value, low, high).to_int_unchecked() }
        }
    )*};
}

bounded_truncations! {
    f32_between, f32_to_i32_between: f32;
    f64_between, f64_to_i32_between: f64;
}

truncations! {
    f32_to_i32: f32 => i32, (1_u64 << 31) as f32;
    f32_to_u32: f32 => u32, (1_u64 << 32) as f32;
    f32_to_i64: f32 => i64, (1_u64 << 63) as f32;
    f64_to_i32: f64 => i32, (1_u64 << 31) as f64;
    f64_to_u32: f64 => u32, (1_u64 << 32) as f64;
    f64_to_i64: f64 => i64, (1_u64 << 63) as f64;
}

/// Returns the integer part, as the functions above do. Only signed integers have an instruction
/// for this, so from 2^63 on the significand is shifted into place.
#[inline(always)]
pub(crate) fn f32_to_u64(value: f32) -> u64 {
    const HALF: f32 = (1_u64 << 63) as f32;
    let upper = 1 << 63 | u64::from(value.to_bits()) << 40;
    let below_end = if value >= HALF { upper } else { f32_to_i64(value).max(0) as u64 };
    if value >= 2.0 * HALF { u64::MAX } else { below_end }
}

/// As [`f32_to_u64`].
#[inline(always)]
pub(crate) fn f64_to_u64(value: f64) -> u64 {
    const HALF: f64 = (1_u64 << 63) as f64;
    let upper = 1 << 63 | value.to_bits() << 11;
    let below_end = if value >= HALF { upper } else { f64_to_i64(value).max(0) as u64 };
    if value >= 2.0 * HALF { u64::MAX } else { below_end }
}
