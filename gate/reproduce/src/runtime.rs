//! The runtimes that a script can call, and how they are installed.

use castproof_testee::Identity;
use castproof_vectors::DType;
use std::fmt;
use std::str::FromStr;

/// A runtime with a Python interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Runtime {
    /// ONNX Runtime, CPU.
    Ort,
    /// The reference evaluator of the onnx package.
    OnnxReference,
    /// OpenVINO, CPU.
    OpenVino,
    /// numpy with ml_dtypes.
    Numpy,
    /// PyTorch.
    Torch,
    /// JAX.
    Jax,
    /// TensorFlow.
    Tensorflow,
    /// MindSpore.
    Mindspore,
}

/// Runtime, the first word of its testee's name, its package, and further packages that it does not
/// install itself.
const TABLE: [(Runtime, &str, &str, &[&str]); 8] = [
    (Runtime::Ort, "onnxruntime", "onnxruntime", &[]),
    (Runtime::OnnxReference, "onnx-reference", "onnx", &[]),
    (Runtime::OpenVino, "openvino", "openvino", &[]),
    (Runtime::Numpy, "numpy-ml-dtypes", "numpy", &["ml_dtypes"]),
    (Runtime::Torch, "torch", "torch", &[]),
    (Runtime::Jax, "jax", "jax", &[]),
    (Runtime::Tensorflow, "tensorflow", "tensorflow", &[]),
    (Runtime::Mindspore, "mindspore", "mindspore", &[]),
];

impl Runtime {
    /// Returns the runtime behind a testee, if a script can call it.
    pub(super) fn of(testee: &Identity) -> Option<Runtime> {
        let first = testee.name.split(' ').next();
        TABLE.iter().find(|row| Some(row.1) == first).map(|row| row.0)
    }

    /// Does it run ONNX models?
    pub(super) fn runs_models(self) -> bool {
        matches!(self, Runtime::Ort | Runtime::OnnxReference | Runtime::OpenVino)
    }

    /// Returns the packages for pip: in the versions of the results, if those are this runtime's.
    pub(super) fn packages(self, testee: &Identity) -> String {
        let (_, _, package, more) = TABLE.iter().find(|row| row.0 == self).unwrap_or(&TABLE[0]);
        let mut parts = testee.version.split('+');
        let known = Runtime::of(testee) == Some(self) && is_version(&testee.version);
        let first = parts.next().filter(|_| known);
        let pinned = |name: &str, version: Option<&str>| match version {
            Some(version) => format!("{name}=={version}"),
            None => name.to_string(),
        };
        let mut packages = vec![pinned(package, first)];
        for name in *more {
            // `2.4.6+ml_dtypes-0.6.0`
            let version = testee.version.split('+').find_map(|part| part.strip_prefix(name));
            packages
                .push(pinned(name, version.and_then(|it| it.strip_prefix('-')).filter(|_| known)));
        }
        packages.join(" ")
    }

    /// Returns the runtime's own name of a dtype, as a Python expression; `None` if it does not
    /// have the dtype.
    pub(super) fn dtype(self, dtype: DType) -> Option<String> {
        let of = |module: &str, name: &str| Some(format!("{module}.{name}"));
        let name = dtype.name();
        let long = ml_name(dtype);
        match self {
            _ if dtype == DType::String => None,
            Runtime::OpenVino => of("openvino.Type", openvino_name(dtype)?),
            Runtime::Numpy | Runtime::Ort | Runtime::OnnxReference => Some(numpy(dtype)),
            Runtime::Torch => of("torch", long),
            Runtime::Jax => Some(numpy(dtype)),
            Runtime::Tensorflow if is_numpy(dtype) => of("tf", name),
            Runtime::Tensorflow => Some(format!("tf.as_dtype({})", numpy(dtype))),
            Runtime::Mindspore if dtype == DType::Bool => of("mindspore", "bool_"),
            Runtime::Mindspore => of("mindspore", long),
        }
    }
}

/// Returns the dtype's name in numpy or ml_dtypes.
pub(super) fn numpy(dtype: DType) -> String {
    match dtype {
        DType::Bool => "numpy.bool_".into(),
        _ if is_numpy(dtype) => format!("numpy.{}", dtype.name()),
        _ => format!("ml_dtypes.{}", ml_name(dtype)),
    }
}

/// Is it a dtype of numpy itself?
pub(super) fn is_numpy(dtype: DType) -> bool {
    use DType::*;
    matches!(
        dtype,
        Bool | Int8
            | Uint8
            | Int16
            | Uint16
            | Int32
            | Uint32
            | Int64
            | Uint64
            | Float16
            | Float32
            | Float64
    )
}

/// Returns the name in ml_dtypes, which PyTorch, JAX, TensorFlow and MindSpore share.
fn ml_name(dtype: DType) -> &'static str {
    use DType::*;
    match dtype {
        Float4E2M1 => "float4_e2m1fn",
        Float6E2M3 => "float6_e2m3fn",
        Float6E3M2 => "float6_e3m2fn",
        Float8E4M3FN => "float8_e4m3fn",
        Float8E4M3FNUZ => "float8_e4m3fnuz",
        Float8E5M2 => "float8_e5m2",
        Float8E5M2FNUZ => "float8_e5m2fnuz",
        Float8E8M0 => "float8_e8m0fnu",
        Bool | Int2 | Uint2 | Int4 | Uint4 | Int8 | Uint8 | Int16 | Uint16 | Int32 | Uint32
        | Int64 | Uint64 | Float16 | Bfloat16 | Float32 | Float64 | String | Complex64
        | Complex128 | Qint8 | Quint8 | Qint16 | Quint16 | Qint32 => dtype.name(),
    }
}

fn openvino_name(dtype: DType) -> Option<&'static str> {
    use DType::*;
    Some(match dtype {
        Bool => "boolean",
        Uint2 => "u2",
        Int4 => "i4",
        Uint4 => "u4",
        Int8 => "i8",
        Uint8 => "u8",
        Int16 => "i16",
        Uint16 => "u16",
        Int32 => "i32",
        Uint32 => "u32",
        Int64 => "i64",
        Uint64 => "u64",
        Float4E2M1 => "f4e2m1",
        Float8E4M3FN => "f8e4m3",
        Float8E5M2 => "f8e5m2",
        Float8E8M0 => "f8e8m0",
        Float16 => "f16",
        Bfloat16 => "bf16",
        Float32 => "f32",
        Float64 => "f64",
        _ => return None,
    })
}

/// Is it a version, and not an option or a command in its place?
fn is_version(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || "._+-".contains(c))
}

impl fmt::Display for Runtime {
    /// Writes the name that people use.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Runtime::Ort => "ONNX Runtime",
            Runtime::OnnxReference => "onnx.reference",
            Runtime::OpenVino => "OpenVINO",
            Runtime::Numpy => "numpy with ml_dtypes",
            Runtime::Torch => "PyTorch",
            Runtime::Jax => "JAX",
            Runtime::Tensorflow => "TensorFlow",
            Runtime::Mindspore => "MindSpore",
        })
    }
}

/// The form of a reproducer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReproducerForm {
    /// A model of one node, its input, and a script that runs it.
    Onnx,
    /// A script for the runtime of the results.
    Python,
    /// A script that starts the user's testee and asks it.
    Testee,
    /// A program in C that calls the function of `castproof.h`.
    C,
    /// A program in Rust that calls a function of the user's.
    Rust,
    /// A script for numpy with ml_dtypes.
    Numpy,
    /// A script for PyTorch.
    Torch,
    /// A script for JAX.
    Jax,
    /// A script for TensorFlow.
    Tensorflow,
    /// A script for MindSpore.
    Mindspore,
}

/// Every form, by its name.
const FORMS: [(&str, ReproducerForm); 10] = [
    ("onnx", ReproducerForm::Onnx),
    ("python", ReproducerForm::Python),
    ("testee", ReproducerForm::Testee),
    ("c", ReproducerForm::C),
    ("rust", ReproducerForm::Rust),
    ("numpy", ReproducerForm::Numpy),
    ("torch", ReproducerForm::Torch),
    ("jax", ReproducerForm::Jax),
    ("tensorflow", ReproducerForm::Tensorflow),
    ("mindspore", ReproducerForm::Mindspore),
];

impl FromStr for ReproducerForm {
    type Err = String;

    fn from_str(text: &str) -> Result<ReproducerForm, String> {
        let found = FORMS.iter().find(|(name, _)| *name == text).map(|(_, form)| *form);
        found.ok_or_else(|| {
            let names: Vec<&str> = FORMS.iter().map(|(name, _)| *name).collect();
            format!("unknown form '{text}'; known are {}", names.join(", "))
        })
    }
}
