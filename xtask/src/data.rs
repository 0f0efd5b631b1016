//! What makes the data folder self-contained: `dtypes.json`, and a schema for every kind of file.

use crate::repository::{default_data, write_whole};
use castproof::results::ResultsFile;
use castproof_oracle::format::{FloatFormat, IntegerFormat, Kind, ZeroEncoding, kind};
use castproof_oracle::{attribute_sets, decode, describe, versions};
use castproof_vectors::book::{AtlasFile, BookFile, ChainsFile};
use castproof_vectors::{
    Attributes, BlocksFile, DTYPES_FORMAT, DType, DTypeKind, DTypeRecord, DTypesFile, FloatRecord,
    Hex, Manifest, NumberRecord, Operator, PartitionFile, QuestionFile, RoundMode, RulesFile, Spec,
    VectorFile, VersionRecord, cast_version, landmarks, type_set,
};
use schemars::JsonSchema;
use std::fs;

/// Writes the file of dtypes and the schemas.
pub(crate) fn generate() -> Result<String, String> {
    let files = files()?;
    for (name, text) in &files {
        write_whole(&default_data().join(name), text)?;
    }
    Ok(format!("{} files", files.len()))
}

/// Checks that the file of dtypes and the schemas are up to date.
pub(crate) fn check() -> Result<String, String> {
    let files = files()?;
    for (name, text) in &files {
        let path = default_data().join(name);
        let kept = fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        if kept != *text {
            return Err(format!(
                "{}: is not what is generated today; run cargo xtask data generate",
                path.display()
            ));
        }
    }
    Ok(format!("{} files are up to date", files.len()))
}

fn files() -> Result<Vec<(&'static str, String)>, String> {
    Ok(vec![
        ("dtypes.json", text(&dtypes()?)),
        ("atlas.schema.json", schema::<AtlasFile>()),
        ("blocks.schema.json", schema::<BlocksFile>()),
        ("book.schema.json", schema::<BookFile>()),
        ("chains.schema.json", schema::<ChainsFile>()),
        ("certificate.schema.json", pretty(&castproof::sweep::certificate_schema())),
        ("dtypes.schema.json", schema::<DTypesFile>()),
        ("manifest.schema.json", schema::<Manifest>()),
        ("partition.schema.json", schema::<PartitionFile>()),
        ("questions.schema.json", schema::<QuestionFile>()),
        ("results.schema.json", schema::<ResultsFile>()),
        ("rules.schema.json", schema::<RulesFile>()),
        ("schema.json", schema::<VectorFile>()),
    ])
}

fn pretty(value: &impl serde::Serialize) -> String {
    serde_json::to_string_pretty(value).expect("data serialises") + "\n"
}

/// Writes a line for each dtype and each version.
fn text(file: &DTypesFile) -> String {
    fn lines(records: &[impl serde::Serialize]) -> String {
        let line = |record| serde_json::to_string(record).expect("data serialises");
        records.iter().map(line).collect::<Vec<_>>().join(",\n")
    }
    let DTypesFile { format, dtypes, versions } = file;
    let (dtypes, versions) = (lines(dtypes), lines(versions));
    format!(
        "{{\n\"format\": \"{format}\",\n\"dtypes\": [\n{dtypes}\n],\n\"versions\": [\n{versions}\n]\n}}\n"
    )
}

/// The JSON Schema of a kind of file.
pub(crate) fn schema<T: JsonSchema>() -> String {
    pretty(&schemars::schema_for!(T))
}

fn dtypes() -> Result<DTypesFile, String> {
    let dtypes = DType::NUMERIC.iter().map(|&dtype| record(dtype)).collect::<Result<_, _>>()?;
    let cast = versions(Operator::Cast).iter().map(|&version| (Operator::Cast, version));
    let like = versions(Operator::CastLike).iter().map(|&version| (Operator::CastLike, version));
    let versions = cast.chain(like).map(|(op, version)| version_record(op, version)).collect();
    Ok(DTypesFile { format: DTYPES_FORMAT.into(), dtypes, versions })
}

/// Returns the record of a dtype, from the oracle's format. The landmarks must agree with it.
fn record(dtype: DType) -> Result<DTypeRecord, String> {
    let kind = kind(dtype).ok_or_else(|| format!("{dtype} is not numeric"))?;
    let landmarks = landmarks(dtype).ok_or_else(|| format!("{dtype} has no landmarks"))?;
    let hex = |code| Hex::new(code, dtype);
    let number = |code| NumberRecord { code: hex(code), value: describe(dtype, code) };
    let (name, signed, float) = match &kind {
        Kind::Bool => (DTypeKind::Bool, false, None),
        Kind::Integer(format) => (DTypeKind::Integer, format.signed, None),
        Kind::Float(format) => (DTypeKind::Float, format.signed, Some(float_record(format))),
    };
    let [largest, smallest, smallest_positive] = ends(&kind, dtype).map(number);
    let zeros = match &kind {
        Kind::Float(format) => match format.zero {
            ZeroEncoding::Signed => vec![hex(0), hex(format.sign_bit())],
            ZeroEncoding::Unsigned => vec![hex(0)],
            ZeroEncoding::None => vec![],
        },
        Kind::Bool | Kind::Integer(_) => vec![hex(0)],
    };
    agree(dtype, &kind)?;
    Ok(DTypeRecord {
        name: dtype,
        bits: dtype.bits(),
        kind: name,
        signed,
        float,
        valid: landmarks.valid.clone(),
        nan: landmarks.nan.clone(),
        infinities: landmarks.infinity.clone(),
        zeros,
        largest,
        smallest,
        smallest_positive,
    })
}

fn float_record(format: &FloatFormat) -> FloatRecord {
    FloatRecord {
        exponent_bits: format.exponent_bits,
        significand_bits: format.significand_bits,
        bias: format.bias,
        subnormals: format.has_subnormals(),
    }
}

/// Codes of the largest, the smallest and the smallest positive number.
fn ends(kind: &Kind, dtype: DType) -> [u64; 3] {
    match kind {
        Kind::Bool => [1, 0, 1],
        Kind::Integer(IntegerFormat { signed: false, .. }) => [dtype.code_mask(), 0, 1],
        Kind::Integer(_) => [dtype.code_mask() >> 1, (dtype.code_mask() >> 1) + 1, 1],
        Kind::Float(format) => {
            let largest = format.largest_code();
            let first = u64::from(format.zero != ZeroEncoding::None);
            [largest, if format.signed { largest | format.sign_bit() } else { 0 }, first]
        }
    }
}

/// Checks the landmarks' NaN codes and infinities against the oracle's format, at their ends and
/// beside them.
fn agree(dtype: DType, kind: &Kind) -> Result<(), String> {
    use castproof_oracle::Value;
    let landmarks = landmarks(dtype).ok_or_else(|| format!("{dtype} has no landmarks"))?;
    let ends = landmarks.nan.iter().flatten().chain(&landmarks.infinity).map(Hex::value);
    let ends = ends.chain([0, dtype.code_mask(), dtype.code_mask() >> 1]);
    let codes = ends.flat_map(|code| [code.wrapping_sub(1), code, code.wrapping_add(1)]);
    for code in codes.map(|code| code & dtype.code_mask()) {
        let value = decode::decode(kind, code);
        let is_nan = matches!(value, Some(Value::Nan { .. }));
        let is_infinite = matches!(value, Some(Value::Infinite { .. }));
        let infinities: Vec<u64> = landmarks.infinity.iter().map(Hex::value).collect();
        let said = (landmarks.is_nan(code), infinities.contains(&code), landmarks.is_valid(code));
        if said != (is_nan, is_infinite, value.is_some()) {
            return Err(format!("{dtype}: landmarks and oracle differ at {code:#x}"));
        }
    }
    Ok(())
}

fn version_record(op: Operator, version: u32) -> VersionRecord {
    let dtypes = type_set(op, version);
    let sets = dtypes.iter().flat_map(|&to| attribute_sets(to, cast_version(op, version)));
    let mut defaults = Attributes::default();
    for set in sets {
        // The values that hold where the attributes are absent, as the operator says.
        defaults.saturate = defaults.saturate.or(set.saturate.and(Some(true)));
        defaults.round_mode = defaults.round_mode.or(set.round_mode.and(Some(RoundMode::Up)));
    }
    let spec = Spec::Onnx { op, opset: version }.to_string();
    VersionRecord { spec, version, dtypes, defaults }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repository::vectors_crate;
    use castproof::gate::{self, Options};
    use castproof::results::Filters;
    use castproof::testee::builtin::Builtin;
    use castproof::testee::{Identity, Reply, Testee};
    use castproof_vectors::Request;
    use serde_json::Value;
    use std::path::Path;

    #[test]
    fn the_committed_files_are_those_of_today_and_follow_their_schemas() {
        check().unwrap();
        for (name, schema) in [
            ("dtypes.json", schema::<DTypesFile>()),
            ("manifest.json", schema::<Manifest>()),
            ("rules.json", schema::<RulesFile>()),
            ("suites/onnx-castlike.json", schema::<QuestionFile>()),
            ("cast/float32__bfloat16.json", schema::<VectorFile>()),
            ("rust-as/float32__int8.json", schema::<VectorFile>()),
        ] {
            follows(&default_data().join(name), &schema);
        }
    }

    /// Checks two results files of the gate: one of a pass, and one with failures, chains and
    /// places.
    #[test]
    fn results_follow_their_schema() {
        let folder = tempfile::tempdir().expect("a folder");
        let json = folder.path().join("results.json");
        let options = Options {
            filters: Filters { from: Some(DType::Float16), to: Some(DType::Int8), opset: None },
            json: Some(json.clone()),
            ..Options::default()
        };
        for wrong in [false, true] {
            let mut testee = Flipping { inner: Builtin::new(), wrong };
            let passed = gate::run(&options, &mut testee, &mut Vec::new()).expect("a run");
            assert_eq!(passed, !wrong);
            follows(&json, &schema::<ResultsFile>());
        }
    }

    /// The built-in testee. If `wrong` is set, the last element of every tensor is wrong.
    struct Flipping {
        inner: Builtin,
        wrong: bool,
    }

    impl Testee for Flipping {
        fn identity(&self) -> &Identity {
            self.inner.identity()
        }

        fn cast(&mut self, request: &Request, count: usize, input: &[u8]) -> Reply {
            let wrong = u8::from(self.wrong);
            self.inner.cast(request, count, input).map(|mut output| {
                output.last_mut().into_iter().for_each(|last| *last ^= wrong);
                output
            })
        }
    }

    /// Checks a file against a schema, which must require the file's format.
    fn follows(path: &Path, schema: &str) {
        let name = path.display();
        let text = fs::read_to_string(path).expect("a file");
        let file: Value = serde_json::from_str(&text).expect("JSON");
        let schema = serde_json::from_str(schema).expect("a schema");
        let validator = jsonschema::validator_for(&schema).expect("a schema");
        if let Some(error) = validator.iter_errors(&file).next() {
            panic!("{name}: {error} at {}", error.instance_path());
        }
        let mut broken = file;
        broken["format"] = Value::Null;
        assert!(!validator.is_valid(&broken), "{name}");
    }

    #[test]
    fn schemas_read_without_rustdoc() {
        for (name, text) in files().expect("files") {
            for link in ["](", "[`", "::"] {
                assert!(!text.contains(link), "{name} has {link}");
            }
        }
    }

    /// The numbers of a few dtypes, as their specifications print them.
    #[test]
    fn numbers_are_those_of_the_specifications() {
        let file = dtypes().expect("dtypes");
        for (name, largest, smallest, positive) in [
            ("float8e4m3fn", "448", "-448", "0.001953125"),
            ("float8e5m2fnuz", "57344", "-57344", "1 * 2^-17"),
            ("float16", "65504", "-65504", "1 * 2^-24"),
            ("float8e8m0", "1 * 2^127", "1 * 2^-127", "1 * 2^-127"),
            ("float4e2m1", "6", "-6", "0.5"),
            ("int4", "7", "-8", "1"),
            ("uint64", "18446744073709551615", "0", "1"),
        ] {
            let record = file.dtypes.iter().find(|it| it.name.name() == name).expect(name);
            let told = [&record.largest, &record.smallest, &record.smallest_positive];
            assert_eq!(told.map(|it| it.value.as_str()), [largest, smallest, positive], "{name}");
        }
        let defaults = |spec: &str| {
            let version = file.versions.iter().find(|it| it.spec == spec).expect("a version");
            (version.defaults.saturate, version.defaults.round_mode)
        };
        assert_eq!(defaults("onnx-cast-13"), (None, None));
        assert_eq!(defaults("onnx-cast-19"), (Some(true), None));
        assert_eq!(defaults("onnx-castlike-24"), (Some(true), Some(RoundMode::Up)));
    }

    /// Runs the program of VECTORS.md with a part of it replaced.
    fn consumer(from: &str, to: &str) -> (bool, String) {
        let root = vectors_crate().with_file_name("");
        let page = fs::read_to_string(root.join("VECTORS.md")).expect("the page");
        let (_, rest) = page.split_once("<!-- consumer -->\n```python\n").expect("a program");
        let (program, _) = rest.split_once("```").expect("its end");
        assert!(program.lines().filter(|line| !line.is_empty()).count() <= 30);
        assert!(program.contains(from), "{from}");
        let program = program.replace(from, to);
        let mut python = std::process::Command::new("python3");
        let output = python.current_dir(root).args(["-c", &program]).output().expect("python3");
        let said = String::from_utf8(output.stdout).expect("text");
        (output.status.success(), said + &String::from_utf8_lossy(&output.stderr))
    }

    #[test]
    fn the_consumer_of_the_page_tells_right_from_wrong() {
        let (passed, said) = consumer("+ 0x7FFF", "+ 0x7FFF");
        assert!(passed && said.contains("'fail': 0") && !said.contains("'pass': 0"), "{said}");
        for (right, wrong, told) in [
            // Ties away from zero; infinity in place of NaN; no refusal where one is due.
            ("(code >> 16 & 1)", "1", "FF-04"),
            ("return 0x7FC0", "return 0x7F80", "anyNaN"),
            ("OPSET = \"vectors/data/\", 28", "OPSET = \"vectors/data/\", 9", "reject"),
            // A version that the files do not have; a kernel without attributes; a pair that it claims and does not have.
            ("OPSET = \"vectors/data/\", 28", "OPSET = \"vectors/data/\", 29", "'pass': 0"),
            ("    if code &", "    if attributes: return None\n    if code &", "'not taken': 12"),
            ("(\"float32\", \"bfloat16\")]", "(\"float32\", \"float16\")]", "'fail': "),
        ] {
            let (passed, said) = consumer(right, wrong);
            assert!(!passed && said.contains(told), "{wrong}: {said}");
        }
    }
}
