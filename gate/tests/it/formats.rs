//! `castproof format` and `castproof project`: known answers and one-line errors.

use crate::common::castproof;

fn words(line: &str) -> Vec<&str> {
    line.split(' ').collect()
}

fn said(line: &str) -> String {
    let run = castproof(&words(line), "");
    assert_eq!((run.code, &run.err[..]), (0, ""), "{line}");
    run.out
}

#[test]
fn a_format_is_described() {
    let text = said("format Binary8p3SE");
    for line in [
        "binary8p3se: 8 bits: sign 1, exponent 5, significand 2; precision 3, bias 16, specials p3109 extended\n",
        "  largest             0x7e (49152)\n",
        "  smallest            0xfe (-49152)\n",
        "  smallest normal     0x04 (0.000030517578125)\n",
        "  smallest subnormal  0x01 (0.00000762939453125)\n",
        "  zero                0x00, and no negative zero\n",
        "  infinity            0x7f (inf), 0xff (-inf)\n",
        "  NaN                 0x80\n",
        "  rule                PF-01 to PF-06; IEEE P3109 is a draft: interim report 4.0\n",
    ] {
        assert!(text.contains(line), "{line}{text}");
    }
    for (line, part) in [
        ("format FM-02", "  NaN                 0x79 to 0x7f, 0xf9 to 0xff\n"),
        ("format F8_E4M3", "float8e4m3fn: 8 bits"),
        ("format torch.float8_e5m2", "float8e5m2: 8 bits"),
        ("format binary8p4sf", "  same codes as       float8e4m3fnuz\n"),
        ("format float8e4m3fnuz", "  same codes as       binary8p4sf\n"),
        ("format e8m0", "  smallest normal     0x00 (0x1p-127)\n"),
        ("format ue4m3", "  largest             0x7e (448)\n"),
        ("format float4e2m1 --codes", "0xf -6\n"),
        (
            "format binary3p1uf --codes",
            "0x0 0\n0x1 0.125\n0x2 0.25\n0x3 0.5\n0x4 1\n0x5 2\n0x6 4\n0x7 nan\n",
        ),
        ("format binary16p1uf --codes", "0xfffe 0x1p32766\n"),
        ("format", "float8e3m4         8 bits: sign 1, exponent 3, significand 4;"),
    ] {
        let text = said(line);
        assert!(text.contains(part), "{line}: {text}");
    }
    // A name of a dtype, in any spelling, is the format of its own name.
    let json: serde_json::Value = serde_json::from_str(&said("format half --json")).expect("JSON");
    assert_eq!(json["name"], "float16");
    assert_eq!(json["largest"], serde_json::json!({ "code": "0x7bff", "value": "65504" }));
    assert_eq!(json["nan"][1], serde_json::json!({ "first": "0xfc01", "last": "0xffff" }));
    let json: serde_json::Value =
        serde_json::from_str(&said("format binary4p2sf --json --codes")).expect("JSON");
    assert_eq!(json["codes"].as_array().map(Vec::len), Some(16));
    assert_eq!(json["codes"][9], serde_json::json!({ "code": "0x9", "value": "-0.25" }));
}

#[test]
fn a_number_becomes_a_code() {
    for (line, result) in [
        ("project 464 binary8p4se", "464 -> 0x7f (inf)"),
        ("project 464 binary8p4se --saturate finite", "464 -> 0x7e (224)"),
        ("project 464 float8e4m3fn", "464 -> 0x7e (448)"),
        ("project 464 float8e4m3fn --round na", "464 -> 0x7f (nan)"),
        ("project -1e-300 binary8p4se --round down", "-1e-300 -> 0x81 (-0.0009765625)"),
        ("project -1e-300 float8e4m3fn", "-1e-300 -> 0x80 (-0)"),
        ("project -0.0 binary8p4se", "-0.0 -> 0x00 (0)"),
        (
            "project 0x1.8p-17 float8e4m3fn --round sa --random-bits 8 --random 0xfe",
            "0x1.8p-17 -> 0x00 (0)",
        ),
        ("project 256 binary8p4sf", "256 -> 0x7f (240)"),
        ("project 256 binary8p4sf --edition p3109-july-2026", "256 -> 0x80 (nan)"),
        ("project --from binary16 0x3c00 binary8p4se", "0x3c00 (1) -> 0x40 (1)"),
        ("project binary16 0xfc00 binary8p4ue --saturate propagate", "0xfc00 (-inf) -> 0x00 (0)"),
        ("project binary8p4se 1 2", "2 -> 0x48 (2)"),
        ("project 0x1p5000 binary16p1uf", "0x1p5000 -> 0x9388 (0x1p5000)"),
        ("project nan float4e2m1", "nan -> open: the format has no NaN"),
    ] {
        let text = said(line);
        assert!(text.lines().any(|it| it.starts_with(result)), "{line}: {text}");
    }
    let line = said("project 464 binary8p4se --round up --json");
    let json: serde_json::Value = serde_json::from_str(&line).expect("JSON");
    let due = serde_json::json!({
        "code": "0x7f", "value": "inf", "format": "binary8p4se", "input": "464",
        "rounding": "up", "saturation": "none", "edition": "p3109-4.0",
    });
    assert_eq!(json, due);
}

#[test]
fn all_results_are_grouped() {
    let due = "256 -> binary8p4sf; IEEE P3109 is a draft: interim report 4.0
0x7f (240)
    finite: every rounding
    propagate: every rounding
    none by p3109-4.0: every rounding
    none by p3109-july-2026: toward-zero, down
0x80 (nan)
    none by p3109-july-2026: nearest-even, nearest-away, up, to-odd
stochastic rounding: add --random-bits N --random R
";
    assert_eq!(said("project 256 binary8p4sf --all"), due);
    let due = "0x1.1p0 -> float8e4m3fn
0x38 (1)
    finite: nearest-even, toward-zero, down
    none: nearest-even, toward-zero, down
0x39 (1.125)
    finite: nearest-away, up, to-odd, stochastic-a, stochastic-b, stochastic-c
    none: nearest-away, up, to-odd, stochastic-a, stochastic-b, stochastic-c
";
    assert_eq!(said("project 0x1.1p0 float8e4m3fn --all --random-bits 1 --random 1"), due);
    let json: serde_json::Value =
        serde_json::from_str(&said("project 1 float16 --all --json")).expect("JSON");
    assert_eq!(json["results"].as_array().map(Vec::len), Some(1));
    assert_eq!(json["results"][0]["given"].as_array().map(Vec::len), Some(12));
}

#[test]
fn errors_are_one_line() {
    for (line, said) in [
        ("format binary8p9se", "a signed format of 8 bits has a precision from 1 to 7"),
        ("format binary2p1se", "P3109 has no width below 3, and Castproof has widths from 3 to 16"),
        ("format binary8p3", "binary8p3se, binary8p3sf, binary8p3ue, binary8p3uf"),
        ("format float8e4m4", "unknown format 'float8e4m4'; did you mean float8e4m3"),
        ("format int8", "int8 is no float; `castproof format` lists the formats"),
        ("format float32 --codes", "float32 has 2^32 codes"),
        ("format --codes", "castproof format binary8p3se --codes"),
        ("project 464", "a value and a format are due"),
        ("project 464 1", "no format: write castproof project 464 1 FORMAT"),
        ("project float16 binary8p4se", "no value: write castproof project VALUE binary8p4se"),
        ("project 464 nonsense", "unknown format 'nonsense'"),
        ("project 12x binary8p4se", "'12x' is no number"),
        ("project 12x 1 binary8p4se", "unknown format '12x'"),
        ("project 1 12x binary8p4se", "'12x' is no number"),
        (
            "project 0x3c00 binary8p4se",
            "write --from and its format for a code, or 0x3c00p0 for the number",
        ),
        (
            "project --from binary16 0x3c0 binary8p4se",
            "a code has 4 hex digits, and the last is 0xffff",
        ),
        (
            "project --from ue4m3 0x80 binary8p4se",
            "'0x80' is no code of ue4m3: a code has 2 hex digits, and the last is 0x7f",
        ),
        ("project --from float16 0.1 binary8p4se", "float16 does not hold 0.1"),
        (
            "project 1 binary8p4se --round sideways",
            "unknown rounding 'sideways': use one of nearest-even",
        ),
        ("project 1 binary8p4se --round sa", "like --random-bits 8 --random 127"),
        ("project 1 binary8p4se --random-bits 8 --random 1", "takes no random bits"),
        ("project 1 binary8p4se --round sa --random-bits 8", "go together"),
        (
            "project 1 binary8p4se --round sa --random-bits 8 --random 256",
            "a random number from 0 to 255",
        ),
        ("project 1 binary8p4se --saturate yes", "use one of finite, propagate, none"),
        (
            "project 1 float16 --saturate propagate",
            "only formats of P3109 have the saturation propagate",
        ),
        ("project 1 float16 --edition p3109-4.0", "--edition is of formats of P3109"),
        ("project 1 binary8p4se --edition 4", "use one of p3109-4.0, p3109-july-2026"),
        ("expect float32 464 Binary8p4se", "castproof project VALUE binary8p4se"),
        ("expect float32:binary8p4se 464", "castproof project VALUE binary8p4se"),
        ("expect --from float32 --to binary8p4se", "castproof project VALUE binary8p4se"),
        ("explain float32 464 float8_e4m3", "castproof project VALUE float8e4m3"),
    ] {
        let run = castproof(&words(line), "");
        assert!(run.error_line().contains(said), "{line}: {}", run.err);
        assert_eq!(run.out, "", "{line}");
    }
}
