//! What people type: numbers, the names of other projects, any order. Each works, or is answered by the
//! command that does.

use crate::common::{castproof, testee};

fn run(line: &str) -> crate::common::Run {
    let words: Vec<&str> = line.split(' ').collect();
    castproof(&words, "")
}

fn out(line: &str) -> String {
    let run = run(line);
    assert_eq!((run.code, &run.err[..]), (0, ""), "{line}");
    run.out
}

#[test]
fn numbers_are_cast_and_shown_beside_their_codes() {
    for (line, lines) in [
        (
            "expect float32 464 480.5 nan -0.0 -inf float8e4m3fn",
            &[
                "Cast(28) float32 -> float8e4m3fn",
                "0x43e80000 (464) -> 0x7e (448) [F8-S10]",
                "0x43f04000 (480.5) -> 0x7e (448) [F8-S09]",
                "0x7fc00000 (NaN) -> any NaN [F8-S03]",
                "0x80000000 (-0) -> 0x80 (-0)",
                "0xff800000 (-Inf) -> 0xfe (-448)",
            ][..],
        ),
        ("expect float32 0x1.dp8 float8e4m3fn", &["0x43e80000 (464) -> 0x7e (448)"]),
        ("expect int16 464 -5 int8", &["0x01d0 (464) -> 0xd0 (-48)", "0xfffb (-5) -> 0xfb (-5)"]),
        ("expect float32 126.24 float16 --nearest", &["the nearest to 126.24 -> 0x57e4 (126.25)"]),
        ("expect float32 1.5 string", &["0x3fc00000 (1.5) -> plain notation that reads back"]),
        ("expect string 1.5 float16", &["\"1.5\" -> 0x3e00 (1.5) [S-01]"]),
        (
            "explain float32 464 float8e4m3fn",
            &["input     0x43e80000 (464)", "expected  0x7e (448)"],
        ),
        ("explain string 1.5 float16", &["input     \"1.5\"", "expected  0x3e00 (1.5)"]),
        ("chain float32 int8 float32 -1.5", &["asked     0xbfc00000 (-1.5) -> int8 0xff (-1)"]),
        ("promote int8 uint8 -1 255", &["\"clause\""]),
    ] {
        let text = out(line);
        for due in lines {
            assert!(text.contains(due), "{line}: no '{due}' in\n{text}");
        }
    }
}

#[test]
fn what_the_source_does_not_hold_is_refused_with_its_neighbours() {
    for (line, said) in [
        (
            "expect float32 126.24 float16",
            "float32 does not hold 126.24 exactly: below it is 126.23999786376953125 (0x42fc7ae1), above it is \
             126.2400054931640625 (0x42fc7ae2); write one of them, or --nearest for 0x42fc7ae1",
        ),
        (
            "expect float32 0x3f8 float16",
            "'0x3f8' has 3 hex digits, and a code of float32 has 8: write 0x000003f8 or 0x3f800000 for a code, or \
             1016 for the number",
        ),
        ("expect int8 300 int16", "below it is 127 (0x7f), no number of int8 is above it"),
        ("expect float8e4m3fn inf float32", "float8e4m3fn has no infinity"),
        ("explain float32 0.1 float16", "--nearest for 0x3dcccccd"),
    ] {
        assert!(run(line).error_line().contains(said), "{line}: {}", run(line).err);
    }
}

/// Each neighbour that a message names can be typed in turn.
#[test]
fn what_a_message_proposes_is_taken() {
    let said = run("expect float64 0.1 float32").err;
    let proposed = said.split("it is ").skip(1).filter_map(|part| part.split(' ').next());
    let codes = ["0x3fb9999999999999 ", "0x3fb999999999999a "];
    for (number, code) in proposed.zip(codes) {
        assert!(out(&format!("expect float64 {number} float32")).contains(code), "{number}");
    }
}

#[test]
fn a_table_says_who_gives_which_result() {
    let text = out("expect float32 464 float8e4m3fn --all");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "float32 -> float8e4m3fn of 0x43e80000 (464)");
    let starting = |start: &str| lines.iter().filter(|line| line.starts_with(start)).count();
    assert_eq!((starting("0x7e (448) "), starting("a refusal ")), (1, 1), "{text}");
    for due in ["Cast-19 to Cast-28", "CastLike-19 to CastLike-25", "Cast-1 to Cast-13", "rust-as"]
    {
        assert!(text.contains(due), "no {due} in\n{text}");
    }
    // Above the tie, saturate decides.
    let text = out("expect float32 1e20 float8e4m3fn --all --nearest");
    assert!(text.contains("with saturate=0") && text.contains("without attributes"), "{text}");
    let json = out("expect float32 464 float8e4m3fn --all --json");
    let first = json.lines().next().expect("a line");
    let row: serde_json::Value = serde_json::from_str(first).expect("an object");
    assert_eq!(row["expect"]["code"], "0x7e");
    assert_eq!(row["by"][0]["spec"], "onnx-cast-28");
}

#[test]
fn the_names_of_other_projects_are_read_and_ours_printed() {
    for (from, to) in [
        ("f32", "torch.float8_e4m3fn"),
        ("float", "F8_E4M3"),
        ("FLOAT", "f8E4M3FN"),
        ("TensorProto.FLOAT", "ml_dtypes.float8_e4m3fn"),
        ("np.float32", "FLOAT8E4M3FN"),
        ("<f4", "__nv_fp8_e4m3"),
    ] {
        let text = out(&format!("expect {from} 464 {to}"));
        assert!(text.starts_with("Cast(28) float32 -> float8e4m3fn\n"), "{from} {to}: {text}");
    }
    assert!(out("plan half bf16").starts_with("float16 to bfloat16"));
    assert!(out("chain fp32 17 fp32").contains("float32 -> float8e4m3fn -> float32"));
    let gate = "gate --testee builtin --pair half:i16 --arrangements none --matrix none";
    assert!(out(gate).contains("PASS"));
    for (line, said) in [
        ("expect i8 1 half", "it is int8 in MLIR and Rust, and int64 in numpy"),
        ("expect flaot16 1 int8", "did you mean float16"),
        ("expect float99x 1 int8", "`castproof dtypes` lists all"),
        ("gate --profile rust --testee builtin", "did you mean rust-as"),
        ("expect float32 1 int8 --profile wasm", "did you mean wasm-sat"),
        ("gate --testee builtin --spec cuda", "did you mean cuda-cvt"),
    ] {
        assert!(run(line).error_line().contains(said), "{line}: {}", run(line).err);
    }
}

#[test]
fn dtypes_are_listed_with_their_facts_and_names() {
    let text = out("dtypes");
    for dtype in castproof_vectors::DType::ALL {
        assert!(text.contains(&format!("\n{dtype}: ")) || text.starts_with(&format!("{dtype}: ")));
    }
    let one = out("dtypes half");
    let due = "float16: 16 bits, float from -65504 to 65504, infinity, NaN, negative zero; Cast-1 and later\n  \
               ONNX's number 10\n  ONNX: FLOAT16\n";
    assert!(one.starts_with(due), "{one}");
    let json: serde_json::Value = serde_json::from_str(&out("dtypes --json")).expect("JSON");
    let rows = json.as_array().expect("an array");
    assert_eq!(rows.len(), castproof_vectors::DType::ALL.len());
    let names =
        |row: &serde_json::Value| row["otherNames"].as_object().is_some_and(|it| !it.is_empty());
    assert!(rows.iter().all(names));
    let row = rows.iter().find(|row| row["name"] == "float8e4m3fn").expect("a row");
    assert_eq!(
        (&row["onnx"], &row["largest"], &row["infinity"]),
        (&17.into(), &"448".into(), &false.into())
    );
}

#[test]
fn complex_numbers_are_cast_by_the_profiles_that_have_them() {
    let text = out("expect complex64 0+3j 0x00000000,0x00000000 bool --profile numpy-astype");
    let due = "numpy-astype complex64 -> bool\n0x00000000 (0) and 0x40400000 (3) j -> 0x01 (true) ";
    assert!(text.starts_with(due), "{text}");
    assert!(text.contains("0x00000000 (0) and 0x00000000 (0) j -> 0x00 (false) "), "{text}");
    let text = out("expect complex64 0+3j bool --profile tf-cast");
    assert!(text.contains("-> 0x00 (false) "), "{text}");
    let text = out("expect float32 1.5 complex64 --profile numpy-astype");
    assert!(text.contains("-> 0x3fc00000 (1.5) and 0x00000000 (0) j "), "{text}");
    let json = out("expect complex64 0+3j bool --profile numpy-astype --json");
    let row: serde_json::Value = serde_json::from_str(&json).expect("an object");
    assert_eq!(row["input"], serde_json::json!(["0x00000000", "0x40400000"]));
    let refused = run("expect float32 1 float16 --profile numpy-astype");
    assert!(refused.error_line().contains("such as that of complex64 to bool"), "{}", refused.err);
}

/// float64 to float16 through float32: the method and what makes it fail stand in one line.
#[test]
fn what_is_tolerated_is_said_with_its_method() {
    let through = testee("through.py", "float32");
    let words =
        ["gate", "--testee", &through, "--pair", "float64:float16", "--arrangements", "none"];
    let run = castproof(&words, "");
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    let notices = run.out.lines().filter(|line| line.contains(" tolerated results to float16: "));
    let notices: Vec<&str> = notices.collect();
    assert_eq!(notices.len(), 1, "{}", run.out);
    assert!(
        notices[0].ends_with(": rounded through float32 (--strict makes them fail)"),
        "{notices:?}"
    );
    let strict = castproof(&[&words[..], &["--strict"]].concat(), "");
    assert_eq!(strict.code, 1, "{}", strict.out);
    assert!(!strict.out.contains("makes them fail"), "{}", strict.out);
}

/// A number of a report is asked alone, in every version and with every attribute.
#[test]
fn the_gate_asks_only_for_some_elements() {
    let line = "gate --testee builtin --pair float32:float8e4m3fn --only 464,-0.0,0x7f800000";
    let text = out(line);
    assert!(text.contains("--only 0x43e80000,0x80000000,0x7f800000"), "{text}");
    let through = testee("through.py", "float32");
    for (only, code) in [("1.5,-0.0", 0), ("1.5,0x3ff0020000000001", 1)] {
        let words =
            ["gate", "--testee", &through, "--pair", "float64:float16", "--strict", "--only", only];
        let run = castproof(&words, "");
        assert_eq!(run.code, code, "{only}: {}{}", run.out, run.err);
    }
    for (line, said) in [
        ("gate --testee builtin --only 464", "--pair"),
        ("gate --testee builtin --pair int8:int4 --only 300", "int8 does not hold 300 exactly"),
        // The option that rounds is none of the gate's.
        (
            "gate --testee builtin --pair float32:int8 --only 0.1",
            "write one of them, or the nearest, 0x3dcccccd",
        ),
        (
            "gate --testee builtin --pair int8:int4,int4:int8 --only 1",
            "--only has elements of one dtype",
        ),
    ] {
        assert!(run(line).error_line().contains(said), "{line}: {}", run(line).err);
    }
}

/// Twenty command lines that newcomers typed. `Ok`: it works, and prints this. `Err`: it does not, and the
/// one line on standard error contains this command.
#[test]
fn twenty_natural_commands() {
    let lines: [(&str, Result<&str, &str>); 20] = [
        ("expect float32 464 float8e4m3fn", Ok("0x7e (448)")),
        ("expect float32 float8e4m3fn 464", Ok("0x7e (448)")),
        ("expect float32:float8e4m3fn 464", Ok("0x7e (448)")),
        ("expect 464 float32 float8e4m3fn", Ok("0x7e (448)")),
        ("expect half nan int8", Ok("any valid int8")),
        ("expect fp32 1e20 -1e20 inf fp16 --nearest", Ok("0xfc00 (-Inf)")),
        ("expect torch.float32 -0.0 torch.bfloat16", Ok("0x8000 (-0)")),
        ("expect int32 300 uint8 --profile rust-as", Ok("0x2c (44)")),
        ("explain float32:float16 65520", Ok("expected  0x7c00 (Inf)")),
        ("explain float32 1.5 int8", Ok("expected  0x01 (1)")),
        ("dtypes", Ok("float8e4m3fn: 8 bits")),
        ("plan float32:float16", Ok("float32 to float16 on ")),
        ("chain float32:int8:float32", Ok("not the identity")),
        ("cast float32 464 float16", Err("castproof expect float32 464 float16")),
        ("check ./libkernel.so", Err("castproof gate --library ./libkernel.so")),
        ("gate ./libkernel.so", Err("./libkernel.so")),
        ("gate --adapter pytorch", Err("--adapter torch")),
        ("gate --list", Err("castproof adapters")),
        ("--list", Err("castproof dtypes")),
        (
            "plan float32 464 -0.0 float16",
            Ok("\n0x43e80000 (464) gives 0x5f40 (464)\n0x80000000 (-0) gives 0x8000 (-0)\n"),
        ),
    ];
    for (line, due) in lines {
        let run = run(line);
        match due {
            Ok(text) => {
                assert_eq!((run.code, &run.err[..]), (0, ""), "{line}");
                assert!(run.out.contains(text), "{line}: no '{text}' in\n{}", run.out);
            }
            Err(command) => {
                assert!(run.error_line().contains(command), "{line}: {}", run.err);
            }
        }
    }
}

/// A testee is named by one word: a library, an adapter, ours.
#[test]
fn one_word_names_what_is_tested() {
    let words = ["gate", "builtin", "--pair", "int8:int4", "--arrangements", "none"];
    let run = castproof(&words, "");
    assert_eq!(run.code, 0, "{}", run.err);
    for (line, said) in [
        ("gate pytorch", "write --adapter torch"),
        ("gate onnxrutnime", "did you mean onnxruntime"),
        ("gate ./no-such-testee", "castproof gate --testee 'COMMAND' a program"),
        ("gate builtin --testee builtin", "cannot be used with"),
    ] {
        let run = self::run(line);
        assert!(run.error_line().contains(said), "{line}: {}", run.err);
    }
}
