//! The witnesses.

use castproof_vectors::Profile;

/// A program that casts as a profile specifies. It speaks the protocol of `witnesses/cast.c`.
pub(super) struct Witness {
    pub(super) profile: Profile,
    /// Programs that it needs, each with Debian's package.
    pub(super) needs: &'static [(&'static str, &'static str)],
    /// The flag of `/proc/cpuinfo` that it needs.
    pub(super) processor: Option<&'static str>,
    /// Shell commands: to compile it into `$OUT`, to say its version in one line, and to run it.
    pub(super) build: &'static str,
    pub(super) version: &'static str,
    pub(super) run: &'static str,
}

impl Witness {
    /// Its name: that of its profile.
    pub(super) fn name(&self) -> &'static str {
        self.profile.name()
    }
}

const GCC: (&str, &str) = ("gcc", "gcc");
const NODE: (&str, &str) = ("node", "nodejs");
const QEMU: &str = "qemu-user";

// Vectorised loops of SSE2 convert to uint32 by other instructions, so nothing is vectorised.
pub(super) const WITNESSES: &[Witness] = &[
    Witness {
        profile: Profile::RustAs,
        needs: &[("rustc", "rustc")],
        processor: None,
        build: "rustc -O --edition 2024 -o $OUT/rust-as witnesses/cast.rs",
        version: "rustc --version",
        run: "$OUT/rust-as",
    },
    Witness {
        profile: Profile::X86Sse2,
        needs: &[GCC],
        processor: Some("sse2"),
        build: "gcc -O1 -fno-tree-vectorize -march=x86-64 -o $OUT/x86-sse2 witnesses/cast.c",
        version: "gcc --version",
        run: "$OUT/x86-sse2",
    },
    Witness {
        profile: Profile::X86Avx512,
        needs: &[GCC],
        processor: Some("avx512dq"),
        build: "gcc -O1 -fno-tree-vectorize -march=x86-64-v4 -o $OUT/x86-avx512 witnesses/cast.c",
        version: "gcc --version",
        run: "$OUT/x86-avx512",
    },
    Witness {
        profile: Profile::WasmSat,
        needs: &[NODE],
        processor: None,
        build: "true",
        version: "echo Node $(node --version)",
        run: "node witnesses/wasm.js",
    },
    Witness {
        profile: Profile::JavaCast,
        needs: &[("javac", "openjdk-17-jdk-headless")],
        processor: None,
        build: "javac -d $OUT witnesses/Cast.java",
        version: "java -version 2>&1",
        run: "java -cp $OUT Cast",
    },
    Witness {
        profile: Profile::JsTypedArray,
        needs: &[NODE],
        processor: None,
        build: "true",
        version: "echo Node $(node --version)",
        run: "node witnesses/typed_arrays.js",
    },
    Witness {
        profile: Profile::RiscvFcvt,
        needs: &[
            ("riscv64-linux-gnu-gcc", "gcc-riscv64-linux-gnu libc6-dev-riscv64-cross"),
            ("qemu-riscv64", QEMU),
        ],
        processor: None,
        build: "riscv64-linux-gnu-gcc -O1 -static -o $OUT/riscv-fcvt witnesses/cast.c",
        version: "echo $(riscv64-linux-gnu-gcc --version | head -n 1), $(qemu-riscv64 --version | head -n 1)",
        run: "qemu-riscv64 $OUT/riscv-fcvt",
    },
    Witness {
        profile: Profile::ArmA64,
        needs: &[
            ("aarch64-linux-gnu-gcc", "gcc-aarch64-linux-gnu libc6-dev-arm64-cross"),
            ("qemu-aarch64", QEMU),
        ],
        processor: None,
        build: "aarch64-linux-gnu-gcc -O1 -static -o $OUT/arm-a64 witnesses/cast.c",
        version: "echo $(aarch64-linux-gnu-gcc --version | head -n 1), $(qemu-aarch64 --version | head -n 1)",
        run: "qemu-aarch64 $OUT/arm-a64",
    },
    Witness {
        profile: Profile::LlvmFptoSat,
        needs: &[("python3", "python3-venv")],
        processor: None,
        build: "test -d $OUT/llvm || { python3 -m venv $OUT/llvm; \
                $OUT/llvm/bin/pip install --quiet --disable-pip-version-check llvmlite==0.50.0; }",
        version: "$OUT/llvm/bin/python -c 'import llvmlite, llvmlite.binding as b; \
                  print(\"llvmlite\", llvmlite.__version__, \"with LLVM\", b.llvm_version_info)'",
        run: "$OUT/llvm/bin/python witnesses/llvm.py",
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    /// A profile without a witness that runs is a claim without proof.
    #[test]
    fn every_profile_of_numbers_has_a_witness() {
        let known: Vec<Profile> = WITNESSES.iter().map(|witness| witness.profile).collect();
        for profile in Profile::numeric() {
            let name = profile.name();
            assert!(known.contains(&profile), "xtask/src/witnesses/table.rs lacks {name}");
        }
    }
}
