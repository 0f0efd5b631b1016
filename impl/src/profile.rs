//! The casts of each profile: frameworks and languages besides ONNX.

use crate::rules::Rules;
use crate::values::is_integer;
use crate::{Cast, Error};
use castproof_vectors::{DType, Profile};

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
        rules: Rules,
    },
}

/// What decides whether a complex number is true.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Truth {
    RealPart,
    EitherPart,
}

impl Casts {
    /// Returns the casts of a profile.
    pub(crate) const fn of(profile: Profile) -> Casts {
        match profile {
            Profile::TfCast | Profile::MindsporeCast => {
                Casts::Complex { bfloat16: true, truth: Truth::RealPart }
            }
            Profile::NumpyAstype => Casts::Complex { bfloat16: false, truth: Truth::EitherPart },
            Profile::RustAs => Casts::Numeric { has: rust_has, rules: Rules::NEWEST },
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
        match Casts::of(profile) {
            Casts::Numeric { has, rules } if has(from, to) => Cast::by_rules(from, to, rules),
            _ => Err(Error::NoProfileCast { profile, from, to }),
        }
    }
}

/// Numbers become numbers, and bool an integer.
fn rust_has(from: DType, to: DType) -> bool {
    let is_integer = |dtype: DType| is_integer(dtype) && dtype.bits() >= 8;
    let is_number =
        |dtype: DType| is_integer(dtype) || matches!(dtype, DType::Float32 | DType::Float64);
    is_number(from) && is_number(to) || from == DType::Bool && is_integer(to)
}
