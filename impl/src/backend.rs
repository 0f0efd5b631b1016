//! Which instruction set the kernels run on.

use crate::Error;
use core::fmt;

/// An instruction set that the kernels are compiled for. Results do not depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Backend {
    /// What every machine of the target has.
    Portable,
    /// x86-64 with AVX2 and F16C.
    Avx2,
    /// x86-64 with AVX-512 F, BW, DQ, VL and VBMI, as in Ice Lake, Zen 4 and what came after.
    Avx512,
}

/// The environment variable that forces a backend.
#[cfg(feature = "std")]
const VARIABLE: &str = "CASTPROOF_BACKEND";

impl Backend {
    /// Every backend, slowest first.
    pub const ALL: [Backend; 3] = [Backend::Portable, Backend::Avx2, Backend::Avx512];

    /// The name that `CASTPROOF_BACKEND` takes: `portable`, `avx2` or `avx512`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Backend::Portable => "portable",
            Backend::Avx2 => "avx2",
            Backend::Avx512 => "avx512",
        }
    }

    /// Can this machine run it? Without the feature `std`, only what the build was told to use.
    #[must_use]
    pub fn is_available(self) -> bool {
        match self {
            Backend::Portable => true,
            Backend::Avx2 => has_avx2(),
            Backend::Avx512 => has_avx2() && has_avx512(),
        }
    }

    /// The backend that casts use unless told otherwise: what `CASTPROOF_BACKEND` says, else the
    /// fastest that is available. The variable is read once, with the feature `std` only.
    ///
    /// # Errors
    /// [`Error::UnknownBackend`] if the variable holds no name of a backend,
    /// [`Error::MissingBackend`] if this machine cannot run the one it names.
    pub fn preferred() -> Result<Backend, Error> {
        #[cfg(feature = "std")]
        {
            static PREFERRED: std::sync::OnceLock<Result<Backend, Error>> =
                std::sync::OnceLock::new();
            *PREFERRED.get_or_init(|| match std::env::var_os(VARIABLE) {
                Some(name) => Backend::forced(name.to_str()),
                None => Ok(Backend::fastest()),
            })
        }
        #[cfg(not(feature = "std"))]
        Ok(Backend::fastest())
    }

    #[cfg(feature = "std")]
    fn forced(name: Option<&str>) -> Result<Backend, Error> {
        let named = |backend: &Backend| Some(backend.name()) == name;
        Backend::ALL.into_iter().find(named).ok_or(Error::UnknownBackend)?.checked()
    }

    fn fastest() -> Backend {
        Backend::ALL.into_iter().rfind(|it| it.is_available()).unwrap_or(Backend::Portable)
    }

    /// This backend, if the machine can run it.
    pub(crate) fn checked(self) -> Result<Backend, Error> {
        if self.is_available() { Ok(self) } else { Err(Error::MissingBackend { backend: self }) }
    }
}

impl fmt::Display for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A macro, because detection takes a literal and is itself a macro: true if every feature named
/// is there, asked of the machine with `std` and of the build without.
macro_rules! has {
    ($($feature:tt),*) => {{
        #[cfg(all(feature = "std", target_arch = "x86_64"))]
        let found = true $(&& std::is_x86_feature_detected!($feature))*;
        #[cfg(not(all(feature = "std", target_arch = "x86_64")))]
        let found = cfg!(target_arch = "x86_64") $(&& cfg!(target_feature = $feature))*;
        found
    }};
}

fn has_avx2() -> bool {
    has!("avx2", "f16c")
}

fn has_avx512() -> bool {
    has!("avx512f", "avx512bw", "avx512dq", "avx512vl", "avx512vbmi")
}

#[cfg(all(test, feature = "std"))]
mod tests {
    use super::Backend;
    use crate::Error;

    #[test]
    fn a_forced_backend_is_taken_or_refused_never_replaced() {
        for backend in Backend::ALL {
            let expected = if backend.is_available() {
                Ok(backend)
            } else {
                Err(Error::MissingBackend { backend })
            };
            assert_eq!(Backend::forced(Some(backend.name())), expected);
        }
        for name in [Some(""), Some("AVX2"), Some("neon"), None] {
            assert_eq!(Backend::forced(name), Err(Error::UnknownBackend));
        }
    }
}
