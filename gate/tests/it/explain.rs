//! `castproof explain`: what it shows, and one-line errors.

use crate::common::castproof;

fn explain(arguments: &str) -> String {
    let words: Vec<&str> = ["explain"].into_iter().chain(arguments.split(' ')).collect();
    let run = castproof(&words, "");
    assert_eq!((run.code, &run.err[..]), (0, ""), "{arguments}");
    run.out
}

#[test]
fn shows_the_way_of_one_element() {
    for (arguments, lines) in [
        (
            "float64 0x3ff0020000000001 float16 --opset 13",
            &[
                "below     0x3c00 (1), at a distance of 2199023255553 * 2^-52",
                "position  nearer to the one above",
                "expected  0x3c01 (1.0009765625)",
                "  rounded through float32            0x3c00 (1)",
                "  bits beyond the guard bit ignored  0x3c00 (1)",
            ][..],
        ),
        ("float32 0x3f808000 bfloat16", &["position  a tie", "expected  0x3f80 (1)"]),
        ("int8 0xff uint8", &["below     no number of uint8", "expected  0xff (255)"]),
        ("float32 0x40400000 int8", &["target    holds it exactly: 0x03"]),
        ("float32 0x7fc00000 int8", &["expected  anything: the specification leaves it open"]),
        ("float32 0x0 float8e8m0 --opset 22", &["expected  the request is refused"]),
    ] {
        let text = explain(arguments);
        for line in lines {
            assert!(
                text.lines().any(|found| found == *line),
                "{arguments}: no '{line}' in\n{text}"
            );
        }
    }
}

#[test]
fn a_bad_code_is_one_line() {
    let run = castproof(&["explain", "int4", "0x1f", "int8"], "");
    assert_eq!(
        run.error_line(),
        "code 0x1f does not fit int4: a code of int4 has 4 bits, at most 0xf"
    );
}
