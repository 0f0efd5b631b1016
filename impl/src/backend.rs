//! Which instruction sets this machine has, and which of them casts use.

use crate::instruction_set::PerSet;
use crate::{Error, InstructionSet};
use core::fmt;

/// An instruction set that this machine has: a value of this type is the proof. Results do not
/// depend on it.
///
/// ```
/// use castproof_impl::{Backend, Cast, DType, InstructionSet};
///
/// # fn main() -> Result<(), castproof_impl::Error> {
/// let cast = Cast::new(DType::Float32, DType::Float16)?;
/// for backend in Backend::available() {
///     assert_eq!(cast.backend(backend).code(0x3f80_1000)?, 0x3c00);
/// }
/// assert!(Backend::detect(InstructionSet::Portable).is_ok());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Backend(InstructionSet);

/// The environment variable that names the backend of casts.
#[cfg(feature = "std")]
const VARIABLE: &str = "CASTPROOF_BACKEND";

impl Backend {
    /// What every machine of the target has.
    pub const PORTABLE: Backend = Backend(InstructionSet::Portable);

    /// Asks the machine for an instruction set. Without the feature `std`, the answer is what the
    /// build was told to use.
    ///
    /// # Errors
    /// [`Error::MissingBackend`] if this machine does not have it.
    pub fn detect(set: InstructionSet) -> Result<Backend, Error> {
        let has = set.and_next().all(|set| DETECTION.of(set)());
        if has { Ok(Backend(set)) } else { Err(Error::MissingBackend { set }) }
    }

    /// Every backend of this machine, slowest first.
    pub fn available() -> impl DoubleEndedIterator<Item = Backend> {
        InstructionSet::ALL.into_iter().filter_map(|set| Backend::detect(set).ok())
    }

    /// The fastest backend of this machine.
    #[must_use]
    pub fn fastest() -> Backend {
        Backend::available().next_back().unwrap_or(Backend::PORTABLE)
    }

    /// Returns the backend that casts use unless told otherwise: the one that `CASTPROOF_BACKEND`
    /// names, or the fastest if the variable is not set or does not name a backend of this machine.
    /// A program that wants to refuse such a name calls [`Backend::from_env`] first.
    #[must_use]
    pub fn preferred() -> Backend {
        Backend::from_env().unwrap_or_else(|_| Backend::fastest())
    }

    /// Returns the backend that `CASTPROOF_BACKEND` names, or the fastest if the variable is not
    /// set or the crate is built without `std`. The variable is read once.
    ///
    /// # Errors
    /// [`Error::UnknownBackend`] if the variable does not hold the name of an instruction set,
    /// [`Error::MissingBackend`] if this machine does not have the one it names.
    pub fn from_env() -> Result<Backend, Error> {
        #[cfg(feature = "std")]
        {
            static NAMED: std::sync::OnceLock<Result<Backend, Error>> = std::sync::OnceLock::new();
            *NAMED.get_or_init(|| match std::env::var_os(VARIABLE) {
                Some(name) => Backend::named(name.to_str()),
                None => Ok(Backend::fastest()),
            })
        }
        #[cfg(not(feature = "std"))]
        Ok(Backend::fastest())
    }

    #[cfg(feature = "std")]
    fn named(name: Option<&str>) -> Result<Backend, Error> {
        let set = InstructionSet::ALL.into_iter().find(|set| Some(set.name()) == name);
        Backend::detect(set.ok_or(Error::UnknownBackend)?)
    }

    /// The instruction set that the machine has.
    #[must_use]
    pub const fn instruction_set(self) -> InstructionSet {
        self.0
    }

    /// The name of the instruction set.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.0.name()
    }
}

impl fmt::Display for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Expands to true if every named feature is present: on the machine with `std`, in the build
/// without. A macro, because detection takes a literal and is itself a macro.
macro_rules! has {
    ($($feature:tt),*) => {{
        #[cfg(all(feature = "std", target_arch = "x86_64"))]
        let found = true $(&& std::is_x86_feature_detected!($feature))*;
        #[cfg(not(all(feature = "std", target_arch = "x86_64")))]
        let found = cfg!(target_arch = "x86_64") $(&& cfg!(target_feature = $feature))*;
        found
    }};
}

/// How each instruction set is detected: by the features that its loops enable. Every machine of a target
/// that is built with NEON or `simd128` has it.
const DETECTION: PerSet<fn() -> bool> = PerSet {
    portable: || true,
    avx2: has_avx2,
    avx512: has_avx512,
    neon: || InstructionSet::Neon.is_of_target(),
    simd128: || InstructionSet::Simd128.is_of_target(),
};

fn has_avx2() -> bool {
    has!("avx2", "f16c")
}

fn has_avx512() -> bool {
    has!("avx512f", "avx512bw", "avx512dq", "avx512vl", "avx512vbmi")
}

#[cfg(all(test, feature = "std"))]
mod tests {
    use super::Backend;
    use crate::{Error, InstructionSet};

    #[test]
    fn a_named_backend_is_taken_or_refused_never_replaced() {
        for set in InstructionSet::ALL {
            assert_eq!(Backend::named(Some(set.name())), Backend::detect(set));
        }
        for name in [Some(""), Some("AVX2"), Some("sve"), None] {
            assert_eq!(Backend::named(name), Err(Error::UnknownBackend));
        }
    }
}
