//! The names that other projects have for the dtypes, as data: what people write is read with this
//! table, and always printed in our names. [`DType::named`] reads a word of a person; files have our
//! names alone.

use super::dtype::DType;
use Owner::{C, Common, Mlir, Numpy, Onnx, Safetensors, Torch, Xla};

/// Whose names they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// `onnx.TensorProto`: the enumerator.
    Onnx,
    /// numpy, JAX and ml_dtypes, which share theirs.
    Numpy,
    /// PyTorch.
    Torch,
    /// MLIR and StableHLO.
    Mlir,
    /// XLA.
    Xla,
    /// The header of safetensors files.
    Safetensors,
    /// C, C++ and CUDA.
    C,
    /// Names of no one project.
    Common,
}

impl Owner {
    /// The name of the project, for people.
    pub const fn name(self) -> &'static str {
        match self {
            Onnx => "ONNX",
            Numpy => "numpy, ml_dtypes, JAX",
            Torch => "torch",
            Mlir => "MLIR",
            Xla => "XLA",
            Safetensors => "safetensors",
            C => "C",
            Common => "common",
        }
    }
}

/// What a dtype is called elsewhere.
pub struct OtherNames {
    /// The dtype.
    pub dtype: DType,
    /// Its number in ONNX's `TensorProto.DataType`.
    pub onnx: Option<u32>,
    /// Whose names follow, and the names, with commas between. Our own name is not repeated.
    pub names: &'static [(Owner, &'static str)],
}

const fn row(dtype: DType, onnx: u32, names: &'static [(Owner, &'static str)]) -> OtherNames {
    OtherNames { dtype, onnx: if onnx == 0 { None } else { Some(onnx) }, names }
}

/// A row for each dtype, in the order of [`DType::ALL`]. 0 stands for no number of ONNX.
#[rustfmt::skip]
pub const OTHER_NAMES: [OtherNames; DType::ALL.len()] = [
    row(DType::Bool, 9, &[(Onnx, "BOOL"), (Numpy, "bool_,|b1"), (Mlir, "i1"), (Xla, "PRED"), (Safetensors, "BOOL"), (C, "_Bool"), (Common, "boolean")]),
    row(DType::Int2, 26, &[(Onnx, "INT2"), (Mlir, "si2"), (Xla, "S2")]),
    row(DType::Uint2, 25, &[(Onnx, "UINT2"), (Mlir, "ui2"), (Xla, "U2")]),
    row(DType::Int4, 22, &[(Onnx, "INT4"), (Mlir, "si4"), (Xla, "S4")]),
    row(DType::Uint4, 21, &[(Onnx, "UINT4"), (Mlir, "ui4"), (Xla, "U4")]),
    row(DType::Int8, 3, &[(Onnx, "INT8"), (Numpy, "byte,|i1"), (Torch, "char"), (Mlir, "si8"), (Xla, "S8"), (Safetensors, "I8"), (C, "int8_t,signed char")]),
    row(DType::Uint8, 2, &[(Onnx, "UINT8"), (Numpy, "ubyte,|u1"), (Torch, "byte"), (Mlir, "ui8"), (Xla, "U8"), (Safetensors, "U8"), (C, "uint8_t,unsigned char")]),
    row(DType::Int16, 5, &[(Onnx, "INT16"), (Numpy, "short,<i2"), (Torch, "short"), (Mlir, "i16,si16"), (Xla, "S16"), (Safetensors, "I16"), (C, "int16_t,short")]),
    row(DType::Uint16, 4, &[(Onnx, "UINT16"), (Numpy, "ushort,<u2"), (Mlir, "ui16"), (Xla, "U16"), (Safetensors, "U16"), (C, "uint16_t,unsigned short"), (Common, "u16")]),
    row(DType::Int32, 6, &[(Onnx, "INT32"), (Numpy, "intc,<i4"), (Torch, "int"), (Mlir, "i32,si32"), (Xla, "S32"), (Safetensors, "I32"), (C, "int32_t,int")]),
    row(DType::Uint32, 12, &[(Onnx, "UINT32"), (Numpy, "uintc,<u4"), (Mlir, "ui32"), (Xla, "U32"), (Safetensors, "U32"), (C, "uint32_t,unsigned int,unsigned"), (Common, "u32")]),
    row(DType::Int64, 7, &[(Onnx, "INT64"), (Numpy, "longlong,int_,<i8"), (Torch, "long"), (Mlir, "i64,si64"), (Xla, "S64"), (Safetensors, "I64"), (C, "int64_t,long long")]),
    row(DType::Uint64, 13, &[(Onnx, "UINT64"), (Numpy, "ulonglong,<u8"), (Mlir, "ui64"), (Xla, "U64"), (Safetensors, "U64"), (C, "uint64_t,unsigned long long"), (Common, "u64")]),
    row(DType::Float4E2M1, 23, &[(Onnx, "FLOAT4E2M1"), (Numpy, "float4_e2m1fn"), (Torch, "float4_e2m1fn_x2"), (Mlir, "f4E2M1FN"), (Xla, "F4E2M1FN"), (Safetensors, "F4"), (C, "__nv_fp4_e2m1"), (Common, "fp4,fp4_e2m1,float4,float4_e2m1,f4e2m1,e2m1")]),
    row(DType::Float6E2M3, 27, &[(Onnx, "FLOAT6E2M3"), (Numpy, "float6_e2m3fn"), (Mlir, "f6E2M3FN"), (Safetensors, "F6_E2M3"), (C, "__nv_fp6_e2m3"), (Common, "fp6_e2m3,float6_e2m3,f6e2m3,e2m3")]),
    row(DType::Float6E3M2, 28, &[(Onnx, "FLOAT6E3M2"), (Numpy, "float6_e3m2fn"), (Mlir, "f6E3M2FN"), (Safetensors, "F6_E3M2"), (C, "__nv_fp6_e3m2"), (Common, "fp6_e3m2,float6_e3m2,f6e3m2,e3m2")]),
    row(DType::Float8E4M3FN, 17, &[(Onnx, "FLOAT8E4M3FN"), (Numpy, "float8_e4m3fn"), (Torch, "float8_e4m3fn"), (Mlir, "f8E4M3FN"), (Xla, "F8E4M3FN"), (Safetensors, "F8_E4M3"), (C, "__nv_fp8_e4m3"), (Common, "fp8_e4m3,fp8_e4m3fn,fp8e4m3,fp8e4m3fn,e4m3fn")]),
    row(DType::Float8E4M3FNUZ, 18, &[(Onnx, "FLOAT8E4M3FNUZ"), (Numpy, "float8_e4m3fnuz"), (Torch, "float8_e4m3fnuz"), (Mlir, "f8E4M3FNUZ"), (Xla, "F8E4M3FNUZ"), (Safetensors, "F8_E4M3FNUZ"), (C, "__hip_fp8_e4m3_fnuz"), (Common, "fp8_e4m3fnuz,fp8e4m3fnuz,e4m3fnuz")]),
    row(DType::Float8E5M2, 19, &[(Onnx, "FLOAT8E5M2"), (Numpy, "float8_e5m2"), (Torch, "float8_e5m2"), (Mlir, "f8E5M2"), (Xla, "F8E5M2"), (Safetensors, "F8_E5M2"), (C, "__nv_fp8_e5m2"), (Common, "fp8_e5m2,fp8e5m2,e5m2")]),
    row(DType::Float8E5M2FNUZ, 20, &[(Onnx, "FLOAT8E5M2FNUZ"), (Numpy, "float8_e5m2fnuz"), (Torch, "float8_e5m2fnuz"), (Mlir, "f8E5M2FNUZ"), (Xla, "F8E5M2FNUZ"), (Safetensors, "F8_E5M2FNUZ"), (C, "__hip_fp8_e5m2_fnuz"), (Common, "fp8_e5m2fnuz,fp8e5m2fnuz,e5m2fnuz")]),
    row(DType::Float8E8M0, 24, &[(Onnx, "FLOAT8E8M0"), (Numpy, "float8_e8m0fnu"), (Torch, "float8_e8m0fnu"), (Mlir, "f8E8M0FNU"), (Xla, "F8E8M0FNU"), (Safetensors, "F8_E8M0"), (C, "__nv_fp8_e8m0"), (Common, "fp8_e8m0,float8_e8m0,f8e8m0,e8m0,ue8m0")]),
    row(DType::Float16, 10, &[(Onnx, "FLOAT16"), (Numpy, "half,<f2"), (Torch, "half"), (Mlir, "f16"), (Xla, "F16"), (Safetensors, "F16"), (C, "_Float16,__half,half"), (Common, "fp16")]),
    row(DType::Bfloat16, 16, &[(Onnx, "BFLOAT16"), (Mlir, "bf16"), (Xla, "BF16"), (Safetensors, "BF16"), (C, "__bf16,__nv_bfloat16")]),
    row(DType::Float32, 1, &[(Onnx, "FLOAT"), (Numpy, "single,<f4"), (Torch, "float"), (Mlir, "f32"), (Xla, "F32"), (Safetensors, "F32"), (C, "float"), (Common, "fp32")]),
    row(DType::Float64, 11, &[(Onnx, "DOUBLE"), (Numpy, "double,<f8"), (Torch, "double"), (Mlir, "f64"), (Xla, "F64"), (Safetensors, "F64"), (C, "double"), (Common, "fp64")]),
    row(DType::String, 8, &[(Onnx, "STRING"), (Numpy, "str_,object_"), (C, "std::string"), (Common, "str")]),
    row(DType::Complex64, 14, &[(Onnx, "COMPLEX64"), (Numpy, "csingle,<c8"), (Torch, "cfloat"), (Mlir, "complex<f32>"), (Xla, "C64"), (Safetensors, "C64"), (C, "float complex,float _Complex")]),
    row(DType::Complex128, 15, &[(Onnx, "COMPLEX128"), (Numpy, "cdouble,<c16"), (Torch, "cdouble"), (Mlir, "complex<f64>"), (Xla, "C128"), (C, "double complex,double _Complex")]),
    row(DType::Qint8, 0, &[(Torch, "qint8"), (Common, "DT_QINT8")]),
    row(DType::Quint8, 0, &[(Torch, "quint8"), (Common, "DT_QUINT8")]),
    row(DType::Qint16, 0, &[(Common, "DT_QINT16")]),
    row(DType::Quint16, 0, &[(Common, "DT_QUINT16")]),
    row(DType::Qint32, 0, &[(Torch, "qint32"), (Common, "DT_QINT32")]),
];

/// Words that mean one thing here and another there, or a format that Castproof does not have, each
/// with what to write. They are in lower case; a name of the table in exact spelling, such as the `I8`
/// of safetensors, is read before.
const REFUSED: [(&str, &str); 21] = [
    ("i1", "it is bool in MLIR and int8 in numpy"),
    ("i2", "it is int2 in MLIR and int16 in numpy"),
    ("i4", "it is int4 in MLIR and int32 in numpy"),
    ("i8", "it is int8 in MLIR and Rust, and int64 in numpy"),
    ("u1", "it is uint8 in numpy, and a width that Castproof does not have in MLIR"),
    ("u2", "it is uint2 in OpenVINO and uint16 in numpy"),
    ("u4", "it is uint4 in OpenVINO and uint32 in numpy"),
    ("u8", "it is uint8 in Rust and uint64 in numpy"),
    ("f2", "it is float16 in numpy"),
    ("f4", "it is float32 in numpy and float4e2m1 in safetensors"),
    ("f8", "it is float64 in numpy; the floats of 8 bits are float8e4m3fn, float8e5m2 and more"),
    ("byte", "it is int8 in numpy and uint8 in torch"),
    ("char", "it is int8 in torch; in C the compiler chooses int8 or uint8"),
    ("fp8", "there are float8e4m3fn, float8e5m2 and more"),
    ("float8", "there are float8e4m3fn, float8e5m2 and more"),
    ("e4m3", WITHOUT_INFINITIES),
    ("f8e4m3", WITHOUT_INFINITIES),
    ("float8e4m3", WITHOUT_INFINITIES),
    ("float8_e4m3", WITHOUT_INFINITIES),
    ("f8e4m3b11fnuz", OTHER_BIAS),
    ("float8_e4m3b11fnuz", OTHER_BIAS),
];

/// `float8_e4m3` of ml_dtypes and `f8E4M3` of MLIR have infinities, and the `f8e4m3` of OpenVINO has none.
const WITHOUT_INFINITIES: &str = "ml_dtypes and MLIR have a format of this name with infinities, which \
     is no dtype of Castproof; the one without infinities is float8e4m3fn";

const OTHER_BIAS: &str =
    "Castproof has no dtype of this format; float8e4m3fnuz is the one with a bias of 8";

/// What stands before a name, and whose names then may follow it.
const PREFIXES: [(&str, &[Owner]); 12] = [
    ("torch.", &[Torch]),
    ("numpy.", &[Numpy]),
    ("np.", &[Numpy]),
    ("jax.numpy.", &[Numpy]),
    ("jnp.", &[Numpy]),
    ("ml_dtypes.", &[Numpy]),
    ("onnx.TensorProto.", &[Onnx]),
    ("TensorProto.DataType.", &[Onnx]),
    ("TensorProto.", &[Onnx]),
    ("tf.", &[Numpy]),
    ("mindspore.", &[Numpy]),
    ("std::", &[C]),
];

impl OtherNames {
    /// The names of these owners, each with its owner; of all owners if there are none.
    pub fn of(&self, owners: &[Owner]) -> impl Iterator<Item = (Owner, &'static str)> {
        let wanted = move |owner: &Owner| owners.is_empty() || owners.contains(owner);
        let rows = self.names.iter().filter(move |(owner, _)| wanted(owner));
        rows.flat_map(|(owner, names)| names.split(',').map(|name| (*owner, name)))
    }
}

impl DType {
    /// Returns what the dtype is called elsewhere.
    pub fn other_names(self) -> &'static OtherNames {
        &OTHER_NAMES[self as usize]
    }

    /// Reads the name of a dtype as a person writes it: ours, or that of another project.
    ///
    /// # Errors
    /// A line with the names that resemble it, if there is no such dtype or the name has several
    /// meanings.
    pub fn named(text: &str) -> Result<DType, String> {
        let word = text.trim();
        if let Ok(dtype) = word.parse() {
            return Ok(dtype);
        }
        let inner = word.strip_prefix("tensor(").and_then(|rest| rest.strip_suffix(')'));
        let word = inner.unwrap_or(word);
        let prefix = PREFIXES.into_iter().find_map(|(it, of)| Some((word.strip_prefix(it)?, of)));
        let (name, owners) = prefix.unwrap_or((word, &[]));
        // `torch.byte` has one meaning, `byte` has two.
        let refused = |name: &str| match REFUSED.iter().find(|(refused, _)| *refused == name) {
            Some((_, why)) if owners.is_empty() => {
                Err(format!("'{text}' is not one dtype: {why}; write the name of Castproof"))
            }
            _ => Ok(()),
        };
        refused(name)?;
        if let [dtype] = alike(owners, |known| known == name)[..] {
            return Ok(dtype);
        }
        let lower = name.to_lowercase();
        refused(&lower)?;
        match alike(owners, |known| known.to_lowercase() == lower)[..] {
            [dtype] => return Ok(dtype),
            _ if !owners.is_empty() && !owners.contains(&Onnx) => {}
            _ => {
                let of_number = |it: &&OtherNames| it.onnx.is_some_and(|it| it.to_string() == name);
                if let Some(found) = OTHER_NAMES.iter().find(of_number) {
                    return Ok(found.dtype);
                }
            }
        }
        Err(unknown(text, &lower))
    }
}

/// Returns the dtypes with a name, ours or one of these owners', that is like the one sought.
fn alike(owners: &[Owner], is_it: impl Fn(&str) -> bool) -> Vec<DType> {
    let has =
        |it: &&OtherNames| is_it(it.dtype.name()) || it.of(owners).any(|(_, name)| is_it(name));
    OTHER_NAMES.iter().filter(has).map(|it| it.dtype).collect()
}

fn unknown(text: &str, lower: &str) -> String {
    let ours = DType::ALL.into_iter().map(|dtype| (dtype.name(), dtype.name()));
    let others = OTHER_NAMES.iter();
    let others = others.flat_map(|it| it.of(&[]).map(|(_, name)| (name, it.dtype.name())));
    let mean = did_you_mean(lower, ours.chain(others));
    let mark = if mean.is_empty() { ";" } else { "" };
    format!("unknown dtype '{text}'{mean}{mark} `castproof dtypes` lists all")
}

/// Returns `; did you mean A, B?` with the three names that resemble a word most, or nothing. Each
/// spelling has the name that is said of it.
pub fn did_you_mean<'a>(word: &str, known: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    /// The likeness of `float7` and `float32` is 0.92, that of `tensor` and `float64` 0.44.
    const ALIKE: f64 = 0.8;
    let likeness = |spelling: &str| strsim::jaro_winkler(word, &spelling.to_lowercase());
    let known = known.into_iter().map(|(spelling, name)| (likeness(spelling), name));
    let mut near: Vec<(f64, &str)> = known.filter(|(like, _)| *like > ALIKE).collect();
    near.sort_by(|one, other| other.0.total_cmp(&one.0));
    let mut names: Vec<&str> = Vec::new();
    for (_, name) in near {
        if !names.contains(&name) && names.len() < 3 {
            names.push(name);
        }
    }
    if names.is_empty() { String::new() } else { format!("; did you mean {}?", names.join(", ")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// A dtype without a row, or out of its place, fails here; without any name it is noticed too.
    #[test]
    fn every_dtype_has_a_row_with_names() {
        for (dtype, row) in DType::ALL.into_iter().zip(&OTHER_NAMES) {
            assert_eq!(row.dtype, dtype, "vectors/src/names.rs has no row in the place of {dtype}");
            assert!(row.of(&[]).count() > 0, "vectors/src/names.rs has no names of {dtype}");
            let is_onnx = DType::CAST.contains(&dtype) || dtype.part().is_some();
            assert_eq!(row.onnx.is_some(), is_onnx, "{dtype}");
        }
    }

    #[test]
    fn each_name_is_read_as_its_dtype_or_refused() {
        let mut meanings: BTreeMap<&str, Vec<DType>> = BTreeMap::new();
        for row in &OTHER_NAMES {
            for (_, name) in row.of(&[]) {
                let found = meanings.entry(name).or_default();
                if !found.contains(&row.dtype) {
                    found.push(row.dtype);
                }
            }
            if let Some(number) = row.onnx {
                assert_eq!(DType::named(&number.to_string()), Ok(row.dtype));
                assert_eq!(DType::named(&format!("TensorProto.{number}")), Ok(row.dtype));
            }
        }
        for (name, dtypes) in meanings {
            match (dtypes[..].first(), DType::named(name)) {
                (Some(dtype), Ok(read)) if dtypes.len() == 1 => assert_eq!(read, *dtype, "{name}"),
                (_, Err(said)) => assert!(said.contains("is not one dtype"), "{name}: {said}"),
                (_, Ok(read)) => panic!("{name} is read as {read}, and is one of {dtypes:?}"),
            }
        }
    }

    #[test]
    fn words_of_people() {
        for (word, dtype) in [
            ("half", DType::Float16),
            ("fp16", DType::Float16),
            ("Half", DType::Float16),
            ("bf16", DType::Bfloat16),
            ("f32", DType::Float32),
            ("float", DType::Float32),
            ("FLOAT", DType::Float32),
            ("TensorProto.FLOAT", DType::Float32),
            ("tensor(float)", DType::Float32),
            ("float8_e4m3fn", DType::Float8E4M3FN),
            ("torch.float8_e4m3fn", DType::Float8E4M3FN),
            ("ml_dtypes.float8_e4m3fn", DType::Float8E4M3FN),
            ("F8_E4M3", DType::Float8E4M3FN),
            ("f8E4M3FN", DType::Float8E4M3FN),
            ("FLOAT8E4M3FN", DType::Float8E4M3FN),
            ("17", DType::Float8E4M3FN),
            ("I8", DType::Int8),
            ("<i8", DType::Int64),
            ("torch.byte", DType::Uint8),
            ("np.byte", DType::Int8),
            ("torch.long", DType::Int64),
        ] {
            assert_eq!(DType::named(word), Ok(dtype), "{word}");
        }
        for (word, said) in [
            ("i8", "it is int8 in MLIR and Rust, and int64 in numpy"),
            ("byte", "it is int8 in numpy and uint8 in torch"),
            ("float8_e4m3", "with infinities, which is no dtype of Castproof"),
            ("numpy.float", "unknown dtype 'numpy.float'"),
            ("torch.F8_E4M3", "unknown dtype"),
            ("float7", "did you mean float"),
            ("flaot16", "did you mean float16"),
            ("nonsense", "`castproof dtypes` lists all"),
        ] {
            let error = DType::named(word).expect_err(word);
            assert!(error.contains(said), "{word}: {error}");
        }
    }
}
