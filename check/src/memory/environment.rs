//! The settings of a processor's floating-point arithmetic: rounding, subnormals, traps. A function must
//! leave them as it found them; one that does not changes what all code after it computes.

/// The settings, without the flags that arithmetic raises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Environment {
    vectors: u64,
    /// The control word of the x87 unit.
    x87: u16,
}

#[cfg(all(target_arch = "x86_64", not(miri)))]
impl Environment {
    /// The flags of MXCSR that arithmetic raises.
    const RAISED: u32 = 0x3f;

    pub(super) fn now() -> Environment {
        let (mut vectors, mut x87) = (0_u32, 0_u16);
        // SAFETY: both instructions only store a register, to a place of its size.
        unsafe {
            std::arch::asm!("stmxcsr [{}]", in(reg) &raw mut vectors, options(nostack, preserves_flags));
            std::arch::asm!("fnstcw [{}]", in(reg) &raw mut x87, options(nostack, preserves_flags));
        }
        Environment { vectors: u64::from(vectors & !Self::RAISED), x87 }
    }

    /// Makes the settings these.
    pub(super) fn restore(self) {
        let vectors = self.vectors as u32;
        // SAFETY: both values were read from the registers.
        unsafe {
            std::arch::asm!("ldmxcsr [{}]", in(reg) &raw const vectors, options(nostack, preserves_flags));
            std::arch::asm!("fldcw [{}]", in(reg) &raw const self.x87, options(nostack, preserves_flags));
        }
    }
}

#[cfg(all(target_arch = "aarch64", not(miri)))]
impl Environment {
    pub(super) fn now() -> Environment {
        let vectors: u64;
        // SAFETY: the instruction only reads a register; the raised flags stand in another one.
        unsafe {
            std::arch::asm!("mrs {}, fpcr", out(reg) vectors, options(nomem, nostack, preserves_flags));
        }
        Environment { vectors, x87: 0 }
    }

    /// Makes the settings these.
    pub(super) fn restore(self) {
        // SAFETY: the value was read from the register.
        unsafe {
            std::arch::asm!("msr fpcr, {}", in(reg) self.vectors, options(nostack, preserves_flags));
        }
    }
}

#[cfg(any(miri, not(any(target_arch = "x86_64", target_arch = "aarch64"))))]
impl Environment {
    pub(super) fn now() -> Environment {
        Environment { vectors: 0, x87: 0 }
    }

    #[expect(clippy::unused_self, reason = "as on machines that are known")]
    pub(super) fn restore(self) {}
}

#[cfg(test)]
impl Environment {
    /// The same, with subnormal numbers flushed to zero.
    pub(super) fn flushing(self) -> Environment {
        let bit = if cfg!(target_arch = "x86_64") { 1 << 15 } else { 1 << 24 };
        Environment { vectors: self.vectors | bit, ..self }
    }
}
