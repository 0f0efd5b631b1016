//! Specifications of casts other than ONNX's.

/// A specification of casts other than ONNX's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "files", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "files", serde(rename_all = "kebab-case"))]
pub enum Profile {
    /// `tf.cast`
    TfCast,
    /// `mindspore.ops.cast`
    MindsporeCast,
    /// `numpy.ndarray.astype`
    NumpyAstype,
    /// `as` of Rust
    RustAs,
    /// scalar casts of C as gcc compiles them for x86-64 with SSE2
    X86Sse2,
    /// scalar casts of C as gcc compiles them for x86-64 with AVX-512
    X86Avx512,
    /// conversions of WebAssembly, those that saturate
    WasmSat,
    /// casts between primitive numbers of Java
    JavaCast,
    /// elements of JavaScript's typed arrays
    JsTypedArray,
    /// scalar casts of C as gcc compiles them for 64-bit RISC-V
    RiscvFcvt,
    /// scalar casts of C as gcc compiles them for 64-bit Arm
    ArmA64,
    /// conversions of LLVM, those that saturate
    LlvmFptoSat,
    /// numpy's casts with the dtypes of ml_dtypes
    MlDtypes,
    /// conversions of CUDA, as NVIDIA's headers and `cvt` of PTX have them
    CudaCvt,
    /// StableHLO's `convert`, as its reference interpreter computes it
    StablehloInterpreter,
    /// conversions of OpenCL, those that saturate
    OpenclSat,
    /// TOSA's CAST
    TosaCast,
    /// casts of .NET 9 and newer from floats to integers of 32 and 64 bits
    DotnetSaturating,
    /// conversions of WebAssembly, those that trap
    WasmTrap,
    /// StableHLO's `convert`, as its text has it
    StablehloConvert,
    /// conversions of WebAssembly's relaxed vectors
    WasmRelaxed,
    /// narrowing conversions of RISC-V's vectors to float8
    RiscvOfp8,
}

/// The casts that a profile covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Elements {
    /// Casts from and to complex dtypes. Its tests are questions of the suite `complex-cast`.
    Complex,
    /// Casts between numeric dtypes. The profile is a suite with one vector file for each pair, and
    /// the book has its answers. The text is the title of its rules.
    Numeric(&'static str),
}

/// What the labels say of a profile.
struct Label {
    name: &'static str,
    elements: Elements,
    witness: &'static str,
}

/// A profile of casts between numeric dtypes: its name, the title of its rules, its witness.
const fn numeric(name: &'static str, title: &'static str, witness: &'static str) -> Label {
    Label { name, elements: Elements::Numeric(title), witness }
}

/// A profile of casts from and to complex dtypes.
const fn complex(name: &'static str, witness: &'static str) -> Label {
    Label { name, elements: Elements::Complex, witness }
}

impl Profile {
    /// All profiles. New ones come last: inputs of the fuzzer name a profile by its place.
    pub const ALL: [Profile; 22] = [
        Profile::TfCast,
        Profile::MindsporeCast,
        Profile::NumpyAstype,
        Profile::RustAs,
        Profile::X86Sse2,
        Profile::X86Avx512,
        Profile::WasmSat,
        Profile::JavaCast,
        Profile::JsTypedArray,
        Profile::RiscvFcvt,
        Profile::ArmA64,
        Profile::LlvmFptoSat,
        Profile::MlDtypes,
        Profile::CudaCvt,
        Profile::StablehloInterpreter,
        Profile::OpenclSat,
        Profile::TosaCast,
        Profile::DotnetSaturating,
        Profile::WasmTrap,
        Profile::StablehloConvert,
        Profile::WasmRelaxed,
        Profile::RiscvOfp8,
    ];

    const fn label(self) -> Label {
        match self {
            Profile::TfCast => complex("tf-cast", "adapters/tensorflow/testee.py"),
            Profile::MindsporeCast => complex("mindspore-cast", "adapters/mindspore/testee.py"),
            Profile::NumpyAstype => complex("numpy-astype", "adapters/numpy-ml-dtypes/testee.py"),
            Profile::RustAs => {
                numeric("rust-as", "Rust's `as`", "oracle/suites/tests/witness/machine.rs")
            }
            Profile::X86Sse2 => {
                numeric("x86-sse2", "gcc's scalar casts on x86-64 with SSE2", "witnesses/cast.c")
            }
            Profile::X86Avx512 => numeric(
                "x86-avx512",
                "gcc's scalar casts on x86-64 with AVX-512",
                "witnesses/cast.c",
            ),
            Profile::WasmSat => {
                numeric("wasm-sat", "WebAssembly's saturating conversions", "witnesses/wasm.js")
            }
            Profile::JavaCast => numeric("java-cast", "Java's casts", "witnesses/Cast.java"),
            Profile::JsTypedArray => {
                numeric("js-typed-array", "JavaScript's typed arrays", "witnesses/typed_arrays.js")
            }
            Profile::RiscvFcvt => {
                numeric("riscv-fcvt", "gcc's scalar casts on RISC-V", "witnesses/cast.c")
            }
            Profile::ArmA64 => {
                numeric("arm-a64", "gcc's scalar casts on 64-bit Arm", "witnesses/cast.c")
            }
            Profile::LlvmFptoSat => {
                numeric("llvm-fpto-sat", "LLVM's saturating conversions", "witnesses/llvm.py")
            }
            Profile::MlDtypes => {
                numeric("ml-dtypes", "numpy's casts with ml_dtypes", "witnesses/ml_dtypes_numpy.py")
            }
            Profile::CudaCvt => numeric("cuda-cvt", "CUDA's conversions", "witnesses/cuda_cvt.py"),
            Profile::StablehloInterpreter => numeric(
                "stablehlo-interpreter",
                "StableHLO's reference interpreter",
                "witnesses/stablehlo.py",
            ),
            Profile::OpenclSat => {
                numeric("opencl-sat", "OpenCL's saturating conversions", "witnesses/opencl.c")
            }
            Profile::TosaCast => numeric("tosa-cast", "TOSA's CAST", "witnesses/tosa.py"),
            Profile::DotnetSaturating => {
                numeric("dotnet-saturating", ".NET's saturating conversions", "witnesses/Cast.cs")
            }
            Profile::WasmTrap => {
                numeric("wasm-trap", "WebAssembly's trapping conversions", "witnesses/wasm.js")
            }
            Profile::StablehloConvert => {
                numeric("stablehlo-convert", "the text of StableHLO", "witnesses/stablehlo.py")
            }
            Profile::WasmRelaxed => {
                numeric("wasm-relaxed", "WebAssembly's relaxed conversions", "witnesses/wasm.js")
            }
            Profile::RiscvOfp8 => {
                numeric("riscv-ofp8", "RISC-V's conversions to float8", "witnesses/riscv_ofp8.c")
            }
        }
    }

    /// Returns the profile's name.
    pub const fn name(self) -> &'static str {
        self.label().name
    }

    /// Returns which casts it covers.
    pub const fn elements(self) -> Elements {
        self.label().elements
    }

    /// Returns its witness: the file of the repository that runs what the profile specifies, and
    /// compares it with the oracle or has the gate do so.
    pub const fn witness(self) -> &'static str {
        self.label().witness
    }

    /// Returns the profiles that cast between numeric dtypes.
    pub fn numeric() -> impl Iterator<Item = Profile> {
        Profile::ALL.into_iter().filter(|profile| profile.elements() != Elements::Complex)
    }
}

#[cfg(feature = "files")]
impl std::str::FromStr for Profile {
    type Err = String;

    fn from_str(name: &str) -> Result<Profile, String> {
        let found = Profile::ALL.into_iter().find(|profile| profile.name() == name);
        found.ok_or_else(|| {
            let names = Profile::ALL.map(Profile::name);
            let mean = super::names::did_you_mean(&name.to_lowercase(), names.map(|it| (it, it)));
            format!("unknown profile '{name}'; known are {}{mean}", names.join(", "))
        })
    }
}

#[cfg(all(test, feature = "files"))]
mod tests {
    use super::*;

    /// serde lists every variant in its message, also one that [`Profile::ALL`] lacks.
    #[test]
    fn the_table_names_every_profile_as_files_do() {
        let error =
            serde_json::from_str::<Profile>("\"none\"").expect_err("no profile").to_string();
        let (_, listed) = error.split_once("expected one of ").expect("a list of the variants");
        let listed: Vec<&str> = listed.split('`').skip(1).step_by(2).collect();
        assert_eq!(listed, Profile::ALL.map(Profile::name), "vectors/src/profile.rs lacks one");
        for profile in Profile::ALL {
            assert_eq!(profile.name().parse(), Ok(profile));
        }
    }
}
