//! One cast of a crate, checked in its own `cargo test`, without GMP and without a testee. The
//! function casts one element; for a kernel over slices see [`check_slices`](crate::check_slices).
//!
//! ```
//! use castproof_check::{check, DType};
//!
//! // A test of your crate: this function takes float32 and returns the bits of bfloat16.
//! fn my_cast(x: f32) -> u16 {
//!     let bits = x.to_bits();
//!     if x.is_nan() { 0x7fc0 } else { ((bits + 0x7fff + (bits >> 16 & 1)) >> 16) as u16 }
//! }
//! check(DType::Float32, DType::Bfloat16, my_cast).unwrap();
//! ```

use crate::cause::{self, Place, Seen};
use crate::draw::Draw;
use crate::memory::Asking;
use crate::verdict::{Verdict, judge};
use crate::words;
use castproof_vectors::{DType, Landmarks, NEWEST, Request, landmarks};
use std::fmt;

/// Failing codes that a message shows.
const SHOWN: usize = 10;

/// A Rust type whose bits are the code of an element, right-aligned: `f32` for float32, `u8` for
/// every dtype of up to 8 bits.
pub trait Code: Copy {
    /// Bits of the type.
    const BITS: u32;
    /// Returns the element with this code.
    fn from_code(code: u64) -> Self;
    /// Returns the code of the element.
    fn code(self) -> u64;
}

macro_rules! codes {
    ($($type:ty, $bits:ty, $from:expr, $to:expr;)*) => {$(
        impl Code for $type {
            const BITS: u32 = <$bits>::BITS;
            fn from_code(code: u64) -> $type {
                $from(code as $bits)
            }
            fn code(self) -> u64 {
                u64::from($to(self))
            }
        }
    )*};
}

codes! {
    u8, u8, u8::from, u8::from;
    u16, u16, u16::from, u16::from;
    u32, u32, u32::from, u32::from;
    u64, u64, u64::from, u64::from;
    i8, u8, u8::cast_signed, i8::cast_unsigned;
    i16, u16, u16::cast_signed, i16::cast_unsigned;
    i32, u32, u32::cast_signed, i32::cast_unsigned;
    i64, u64, u64::cast_signed, i64::cast_unsigned;
    f32, u32, f32::from_bits, f32::to_bits;
    f64, u64, f64::from_bits, f64::to_bits;
}

impl Code for bool {
    const BITS: u32 = 8;
    fn from_code(code: u64) -> bool {
        code == 1
    }
    fn code(self) -> u64 {
        self.into()
    }
}

/// The codes that were asked of a cast that passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Checked {
    /// The number of codes that were asked.
    pub asked: u64,
    /// The number of codes with a result that is tolerated, but not the recommended one.
    pub tolerated: u64,
}

/// Why a cast did not pass. `Debug` says the same as `Display`, so that `unwrap` in a test shows
/// the failing codes.
#[derive(Clone, PartialEq, Eq)]
pub struct Failed {
    message: String,
}

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl fmt::Debug for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Failed {}

/// Checks a function against the newest version of `Cast` without attributes. It asks every code of
/// sources up to 16 bits. Of wider sources it asks the ends of every piece, ties, their neighbours,
/// ties with one lower bit set or cleared, and drawn codes.
///
/// Each element is cast alone. A kernel over slices is not proved by that: its vector body, which needs
/// several elements, is never run. Check it with [`check_slices`](crate::check_slices).
///
/// # Errors
/// If a result is neither expected nor tolerated, or a type does not fit its dtype.
pub fn check<A: Code, B: Code>(
    from: DType,
    to: DType,
    cast: impl FnMut(A) -> B,
) -> Result<Checked, Failed> {
    check_request(&Request::cast(from, to, NEWEST), cast)
}

/// Does the same as [`check`], for any version and with attributes.
///
/// # Errors
/// The same as those of [`check`]; also if the request is refused, because nothing can be checked
/// then.
pub fn check_request<A: Code, B: Code>(
    request: &Request,
    cast: impl FnMut(A) -> B,
) -> Result<Checked, Failed> {
    let draw = Draw::of(request).or_else(failed)?;
    check_typed(&draw, &draw.without_seed(), cast)
}

/// Checks a function with these codes.
///
/// # Errors
/// The same as those of [`check_request`].
pub(crate) fn check_typed<A: Code, B: Code>(
    draw: &Draw,
    codes: &[u64],
    mut cast: impl FnMut(A) -> B,
) -> Result<Checked, Failed> {
    fits::<A>(draw.request().from)?;
    fits::<B>(draw.request().to)?;
    // A bool byte above 1 is no element of the type.
    let is_element = |code: &u64| A::from_code(*code).code() == *code;
    let taken: Vec<u64> = codes.iter().copied().filter(is_element).collect();
    let left_out = (codes.len() - taken.len()) as u64;
    let mut asking = Asking::begin();
    let answers = ask_codes(draw, &taken, |code| {
        asking.calls(draw.request(), 1);
        Some(cast(A::from_code(code)).code())
    })?;
    let checked = answers.conclude(None)?;
    Ok(Checked { asked: checked.asked + left_out, ..checked })
}

/// # Errors
/// If the type does not have the bits of the dtype's codes.
pub(crate) fn fits<T: Code>(dtype: DType) -> Result<(), Failed> {
    let due = dtype.bits().max(8);
    if T::BITS == due {
        return Ok(());
    }
    let (bits, given) = (dtype.bits(), T::BITS);
    failed(format!(
        "{dtype} has codes of {bits} bits, and the function has a type of {given}; take u{due}"
    ))
}

/// Says that only numeric dtypes can be checked.
pub(crate) fn not_numeric(dtype: DType) -> String {
    format!("{dtype} is not numeric: name a numeric dtype")
}

/// Asks a function for these codes, each alone, up to the first for which it gives nothing.
///
/// # Errors
/// If the request is refused, or not numeric.
pub(crate) fn ask_codes<'a>(
    draw: &'a Draw,
    codes: &'a [u64],
    mut cast: impl FnMut(u64) -> Option<u64>,
) -> Result<Answers<'a>, Failed> {
    let request = draw.request();
    let Some(target) = landmarks(request.to) else { return failed(not_numeric(request.to)) };
    if draw.is_refused() {
        return failed(format!("{request} is refused: check a request that its version takes"));
    }
    let mut tolerated = 0;
    let mut given = Vec::with_capacity(codes.len());
    for &code in codes {
        let Some(got) = cast(code) else { break };
        let verdict = verdict(draw, target, code, got);
        tolerated += u64::from(verdict == Verdict::Tolerated);
        given.push((got, verdict == Verdict::Fail));
    }
    Ok(Answers { draw, codes, given, tolerated })
}

/// Judges a result of a code. `target` holds the landmarks of the output's dtype.
pub(crate) fn verdict(draw: &Draw, target: &Landmarks, code: u64, got: u64) -> Verdict {
    let due = draw.expectation(code);
    judge(&due.expect, due.tolerate.as_ref(), got, target, false)
}

/// What a function gave for codes that were asked alone.
pub(crate) struct Answers<'a> {
    draw: &'a Draw,
    codes: &'a [u64],
    /// What each code gave, as far as they were asked, and whether that is wrong.
    given: Vec<(u64, bool)>,
    tolerated: u64,
}

impl Answers<'_> {
    /// Returns the codes whose results are wrong.
    pub(crate) fn wrong(&self) -> Vec<u64> {
        let given = self.codes.iter().zip(&self.given);
        given.filter(|(_, (_, is_wrong))| *is_wrong).map(|(code, _)| *code).collect()
    }

    /// Returns the verdict. `place`: where in slices the wrong codes are wrong, if that is known.
    ///
    /// # Errors
    /// If a result is neither expected nor tolerated: the cause, and the first codes that fail.
    pub(crate) fn conclude(&self, place: Option<&Place>) -> Result<Checked, Failed> {
        let (request, asked) = (self.draw.request(), self.given.len());
        let wrong = self.given.iter().filter(|(_, is_wrong)| *is_wrong).count();
        if wrong == 0 {
            return Ok(Checked { asked: asked as u64, tolerated: self.tolerated });
        }
        let seen = self.codes.iter().zip(&self.given).map(|(&input, &(got, is_wrong))| Seen {
            input,
            got,
            due: self.draw.expectation(input).expect,
            is_wrong,
        });
        let seen: Vec<Seen> = seen.collect();
        // What stands in an element that was not written says nothing about the arithmetic.
        let is_written = place != Some(&Place::Unwritten);
        let cause = is_written.then(|| cause::cause(self.draw, &seen)).flatten();
        let place = place.map_or(String::new(), Place::to_string);
        let cause = cause.map_or(String::new(), |cause| format!(": {cause}"));
        let mut lines =
            vec![format!("{request}: {wrong} of {asked} codes are wrong{place}{cause}")];
        lines.extend(seen.iter().filter(|it| it.is_wrong).take(SHOWN).map(|it| self.line(it)));
        if wrong > SHOWN {
            lines.push(format!("and {} more", wrong - SHOWN));
        }
        failed(lines.join("\n  "))
    }

    fn line(&self, seen: &Seen) -> String {
        let Request { from, to, .. } = *self.draw.request();
        let rule = self.draw.expectation(seen.input).rule;
        format!(
            "{} gave {}, expected {}  [{rule}: {}]",
            words::value(from, seen.input),
            words::value(to, seen.got),
            words::outcome(to, &seen.due),
            rule.rule().statement,
        )
    }
}

pub(crate) fn failed<T>(message: String) -> Result<T, Failed> {
    Err(Failed { message })
}

#[cfg(test)]
mod tests {
    use super::*;
    use castproof_impl::Cast;

    fn right(from: DType, to: DType) -> impl Fn(u64) -> u64 {
        let cast = Cast::new(from, to).expect("a pair");
        move |code| cast.code(code).expect("a code")
    }

    #[test]
    fn our_own_casts_pass() {
        use DType::*;
        let narrow = right(Float32, Float8E4M3FN);
        let passed = check(Float32, Float8E4M3FN, |x: f32| narrow(x.code()) as u8).unwrap();
        assert!(passed.asked > 65_536 && passed.tolerated == 0, "{passed:?}");
        let wide = right(Float64, Float32);
        check(Float64, Float32, |x: f64| f32::from_code(wide(x.code()))).unwrap();
        check(Float16, Float32, |x: u16| right(Float16, Float32)(x.into()) as u32).unwrap();
        check(Int64, Int8, |x: i64| x as i8).unwrap();
        check(Uint8, Bool, |x: u8| x != 0).unwrap();
    }

    /// Each kernel has one fault, and each fault must be found.
    #[test]
    fn planted_faults_are_found() {
        use DType::*;
        let half = right(Float32, Float16);
        for wrong in [0x3880_0000u32, 0x387f_c000, 0x3f80_1000, 0x3f7f_f000, 0x477f_f000, 1] {
            let planted = |x: f32| {
                let right = half(x.code()) as u16;
                if x.to_bits() == wrong { right ^ 1 } else { right }
            };
            let found = check(Float32, Float16, planted).unwrap_err().to_string();
            assert!(found.contains(&format!("{wrong:#010x}")), "{wrong:#x}: {found}");
        }
        // Kernels that ignore one of the lowest bits.
        let narrow = right(Float64, Float32);
        for bit in 0..28 {
            let blind = |x: f64| narrow(x.code() & !(1 << bit)) as u32;
            assert!(check(Float64, Float32, blind).is_err(), "bit {bit}");
        }
        // A kernel that saturates instead of wrapping, and one that truncates instead of rounding.
        assert!(check(Int64, Int8, |x: i64| x.clamp(-128, 127) as i8).is_err());
        let cut = |x: f32| (x.to_bits() >> 16) as u16;
        let found = check(Float32, Bfloat16, cut).unwrap_err().to_string();
        assert!(found.contains("expected") && found.contains("[FF-"), "{found}");
    }

    #[test]
    fn what_cannot_be_checked_is_said() {
        use DType::*;
        let narrow = check(Float32, Float8E4M3FN, |_: u16| 0u8).unwrap_err().to_string();
        assert!(narrow.contains("take u32"), "{narrow}");
        let refused = Request::cast(Float32, Float8E4M3FN, 13);
        let refused = check_request(&refused, |_: f32| 0u8).unwrap_err().to_string();
        assert!(refused.contains("refused"), "{refused}");
        assert!(check(String, Int8, |_: u8| 0u8).is_err());
    }
}
