//! The names of the instruction sets that the loops are compiled for.

use core::fmt;

/// An instruction set that loops are compiled for. Results do not depend on it.
/// [`Backend`](crate::Backend) tells whether this machine has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum InstructionSet {
    /// What every machine of the target has.
    Portable,
    /// x86-64 with AVX2 and F16C.
    Avx2,
    /// x86-64 with AVX-512 F, BW, DQ, VL and VBMI, as in Ice Lake, Zen 4 and later.
    Avx512,
    /// 64-bit Arm, little-endian, with Advanced SIMD.
    Neon,
    /// WebAssembly with vectors of 128 bits, in a build with the feature `simd128`.
    Simd128,
}

impl InstructionSet {
    /// Every instruction set; those of a target slowest first.
    pub const ALL: [InstructionSet; 5] = PerSet {
        portable: InstructionSet::Portable,
        avx2: InstructionSet::Avx2,
        avx512: InstructionSet::Avx512,
        neon: InstructionSet::Neon,
        simd128: InstructionSet::Simd128,
    }
    .all();

    /// The name that `CASTPROOF_BACKEND` takes: `portable`, `avx2`, `avx512`, `neon` or
    /// `simd128`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            InstructionSet::Portable => "portable",
            InstructionSet::Avx2 => "avx2",
            InstructionSet::Avx512 => "avx512",
            InstructionSet::Neon => "neon",
            InstructionSet::Simd128 => "simd128",
        }
    }

    /// Iterates over this set, then the set whose loops serve where it has none, and so on. A
    /// machine that has this set has them all.
    pub(crate) fn and_next(self) -> impl Iterator<Item = InstructionSet> {
        core::iter::successors(Some(self), |set| *NEXT.of(*set))
    }

    /// Does the target that this crate is built for have the instruction set?
    pub(crate) const fn is_of_target(self) -> bool {
        *OF_TARGET.of(self)
    }
}

/// The instruction set whose loops serve where one has none of its own.
const NEXT: PerSet<Option<InstructionSet>> = PerSet {
    portable: None,
    avx2: Some(InstructionSet::Portable),
    avx512: Some(InstructionSet::Avx2),
    neon: Some(InstructionSet::Portable),
    simd128: Some(InstructionSet::Portable),
};

const OF_TARGET: PerSet<bool> = PerSet {
    portable: true,
    avx2: cfg!(target_arch = "x86_64"),
    avx512: cfg!(target_arch = "x86_64"),
    neon: cfg!(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon")),
    simd128: cfg!(all(target_arch = "wasm32", target_feature = "simd128")),
};

impl fmt::Display for InstructionSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// One value for each instruction set. A literal must name every field, so a new instruction set
/// does not compile until each table has an entry for it.
pub(crate) struct PerSet<T> {
    pub(crate) portable: T,
    pub(crate) avx2: T,
    pub(crate) avx512: T,
    pub(crate) neon: T,
    pub(crate) simd128: T,
}

impl<T: Copy> PerSet<T> {
    /// The values; those of a target slowest first.
    const fn all(&self) -> [T; 5] {
        let PerSet { portable, avx2, avx512, neon, simd128 } = self;
        [*portable, *avx2, *avx512, *neon, *simd128]
    }
}

impl<T> PerSet<T> {
    /// Returns the value of an instruction set.
    pub(crate) const fn of(&self, set: InstructionSet) -> &T {
        match set {
            InstructionSet::Portable => &self.portable,
            InstructionSet::Avx2 => &self.avx2,
            InstructionSet::Avx512 => &self.avx512,
            InstructionSet::Neon => &self.neon,
            InstructionSet::Simd128 => &self.simd128,
        }
    }
}
