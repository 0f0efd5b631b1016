//! `castproof expect`: known answers and one-line errors.

use crate::common::castproof;

#[test]
fn known_answers() {
    for (arguments, answer) in [
        (
            "float32 0x43e80001 float8e4m3fn --opset 19 --saturate 0",
            r#"{"input":"0x43e80001","expect":{"anyNaN":true},"clause":"F8-N07"}"#,
        ),
        (
            "float32 0x43e80000 float8e4m3fn --opset 19 --saturate 0",
            r#"{"input":"0x43e80000","expect":{"code":"0x7e"},"clause":"F8-N10"}"#,
        ),
        (
            "float32 0x43e80001 float8e4m3fn --opset 19",
            r#"{"input":"0x43e80001","expect":{"code":"0x7e"},"clause":"F8-S09"}"#,
        ),
        (
            "float32 0x7f800000 float8e4m3fnuz --opset 19",
            r#"{"input":"0x7f800000","expect":{"code":"0x80"},"tolerate":{"code":"0x7f"},"clause":"F8-S06"}"#,
        ),
        ("int16 0xc8 int8", r#"{"input":"0x00c8","expect":{"code":"0xc8"},"clause":"II-02"}"#),
        (
            "float32 0x3f800000 float8e4m3fn --opset 13",
            r#"{"input":"0x3f800000","expect":{"reject":true},"clause":"T-01"}"#,
        ),
        (
            "float32 0x3fc00000 float8e8m0 --opset 25 --op castlike --round-mode down",
            r#"{"input":"0x3fc00000","expect":{"oneOf":["0x7f","0x80"]},"clause":"CL-04"}"#,
        ),
    ] {
        let words: Vec<&str> =
            ["expect", "--json"].into_iter().chain(arguments.split(' ')).collect();
        let run = castproof(&words, "");
        assert_eq!((run.code, &run.err[..]), (0, ""), "{arguments}");
        assert_eq!(run.out, format!("{answer}\n"), "{arguments}");
    }
}

#[test]
fn one_line_each_way() {
    let arguments = ["expect", "--from", "bool", "--to", "float8e4m3fn", "--opset", "19"];
    let run = castproof(&arguments, "0x00\n0x01");
    assert_eq!(run.code, 0, "{}", run.err);
    let lines: Vec<&str> = run.out.lines().collect();
    assert_eq!(lines.len(), 2);
    assert!(lines[1].starts_with(r#"{"input":"0x01","expect":{"code":"0x38"}"#), "{}", lines[1]);
    assert_eq!(castproof(&arguments, "").out, "");
}

#[test]
fn answers_before_a_bad_line_are_kept() {
    for (bad, said) in [
        ("0x10000\n", "line 3: code 0x10000 does not fit float16"),
        ("3c00\n", "line 3: '3c00' is neither a number nor a code of float16; write a number"),
        ("0.1\n", "line 3: float16 does not hold 0.1 exactly"),
        ("\n0x3c00\n", "line 3: '' is neither a number nor a code"),
        (&"0".repeat(5000), "line 3: '0000"),
    ] {
        let input = format!("0x3c00\n0x3c01\n{bad}");
        let run = castproof(&["expect", "--from", "float16", "--to", "int8"], &input);
        assert_eq!(run.out.lines().count(), 2, "{bad}");
        assert!(run.error_line().starts_with(said), "{}", run.err);
    }
}

#[test]
fn the_version_in_force_is_said() {
    let run = castproof(&["expect", "float32", "0x0", "int4", "--opset", "22"], "");
    assert_eq!(run.code, 0);
    assert_eq!(run.err, "opset 22: Cast-21 is the version in force\n");
    assert_eq!(run.out.lines().count(), 2);
}

/// Numbers and codes may stand in one list.
#[test]
fn numbers_are_read_from_standard_input_too() {
    let words = ["expect", "--from", "float32", "--to", "float16"];
    let run = castproof(&words, "464\n0x43e80000\n-0.0\nnan\n");
    let codes: Vec<&str> = run.out.lines().map(|line| &line[10..20]).collect();
    assert_eq!(codes, ["0x43e80000", "0x43e80000", "0x80000000", "0x7fc00000"], "{}", run.err);
    let run = castproof(&[&words[..], &["--nearest"]].concat(), "0.1\n");
    assert!(run.out.starts_with("{\"input\":\"0x3dcccccd\""), "{}{}", run.out, run.err);
}

#[test]
fn strings_are_json_a_line() {
    let words = ["expect", "--from", "string", "--to", "int8"];
    let run = castproof(&words, "\"-7\"\n\"7.5\"\n");
    let expected = "{\"input\":\"-7\",\"expect\":{\"code\":\"0xf9\"},\"clause\":\"S-08\"}\n\
        {\"input\":\"7.5\",\"expect\":{\"any\":true},\"clause\":\"S-09\"}\n";
    assert_eq!(run.out, expected, "{}", run.err);
    let run = castproof(&words, "7\n");
    assert!(run.error_line().contains("line 1: '7' is not a JSON string"), "{}", run.err);
}

#[test]
fn errors_are_one_line() {
    for (arguments, said) in [
        ("float7 0x1 int8", "unknown dtype 'float7'; did you mean float"),
        ("float32 0x123456789 int8", "code 0x123456789 does not fit float32"),
        ("float32 12x int8", "'12x' is neither a number nor a code of float32"),
        ("float32 0x1 int8 --opset 0", "opset 0"),
        ("float32 0x1 int8 --opset 99", "opset 99 is not known"),
        ("float32 0x1 int8 --saturate 2", "[possible values: 0, 1]"),
        ("float32 0x1 int8 --round-mode sideways", "unknown round mode 'sideways'"),
        ("float32 0x1 int8 --op bitcast", "[possible values: cast, castlike]"),
        ("float32 0x1", "no output dtype: write castproof expect float32 0x1 TO"),
        ("--from float32", "were not provided"),
        ("--colour red", "unexpected argument '--colour'"),
    ] {
        let words: Vec<&str> = ["expect"].into_iter().chain(arguments.split(' ')).collect();
        let run = castproof(&words, "");
        assert!(run.error_line().contains(said), "{arguments}: {}", run.err);
        assert_eq!(run.out, "", "{arguments}");
    }
}

/// A start reads the head of the book and one answer: with 12 MB of data it answers. A program that read all of the
/// book would need about 100 MB.
#[cfg(target_os = "linux")]
#[test]
fn a_single_answer_takes_little_memory() {
    for words in [
        "expect float32 0x43e80000 float8e4m3fn",
        "explain float32 0x43e80000 float8e4m3fn",
        "chain float32 float64 float16",
    ] {
        let limited = format!("ulimit -d 12288; exec \"$0\" {words}");
        let mut bash = std::process::Command::new("bash");
        let output = bash.args(["-c", &limited, crate::common::program()]).output().expect("bash");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && said.is_empty(), "{words}: {} {said}", output.status);
    }
}
