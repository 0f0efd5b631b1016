//! Linear quantisation of ONNX: the implementation beside the vectors and the oracle, and testees behind the
//! gate.

use crate::common::{castproof, testee};
use castproof_impl::{DType, LinearNode};
use castproof_quantised::linear::{LinearTensor, quantize_linear};
use castproof_vectors::random::Random;

/// Quotients of drawn codes, in the dtype that x and scale have.
#[test]
fn drawn_tensors_are_as_the_oracle_says() {
    let mut random = Random::new(11);
    let targets = [
        DType::Int8,
        DType::Uint16,
        DType::Int4,
        DType::Uint2,
        DType::Float8E4M3FN,
        DType::Float8E5M2FNUZ,
        DType::Float6E3M2,
        DType::Float4E2M1,
    ];
    for wide in [DType::Float32, DType::Float16, DType::Bfloat16] {
        for to in targets {
            for _ in 0..60 {
                let top = 1u64 << (wide.bits() - 1);
                let scale = random.number() & (top - 1);
                // Of the same binades, so that quotients are small.
                let near = |random: &mut Random| {
                    scale ^ random.number() & top ^ random.below(0x400) as u64
                };
                let input: Vec<u64> = (0..16).map(|_| near(&mut random)).collect();
                let zero_points =
                    to.name().contains("int").then(|| [random.number() & to.code_mask()]);
                let zero_points = zero_points.as_ref().map(|codes| &codes[..]);
                let tensor = LinearTensor {
                    opset: 28,
                    dtypes: [wide, wide, to],
                    shape: &[16],
                    scale_shape: &[],
                    axis: 1,
                    block_size: 0,
                    saturate: true,
                    precision: None,
                    input: &input,
                    scales: &[scale],
                    zero_points,
                };
                let mut output = [0; 16];
                let node = LinearNode::new([wide, wide, to]);
                node.quantize((&input, &[scale], zero_points), &mut output).expect("a tensor");
                let due = quantize_linear(&tensor).expect("a question");
                for (code, due) in output.iter().zip(due) {
                    let landmarks = castproof_vectors::landmarks(to).expect("a numeric dtype");
                    let is_right = due.expect.admits(*code, landmarks);
                    assert!(is_right, "{wide} {input:x?} by {scale:x} to {to}: {code:x} {due:?}");
                }
            }
        }
    }
}

#[test]
fn what_fits_no_shape_is_refused() {
    let refused = |shape: &[u64], scale_shape: &[u64], axis: i64, block_size: u64| {
        let count = shape.iter().product::<u64>() as usize;
        let (input, scales) = (vec![0; count], [0x3f80_0000; 2]);
        let scales = &scales[..scale_shape.iter().product::<u64>() as usize];
        let node = LinearNode::new([DType::Float32, DType::Float32, DType::Int8]);
        let node = node.placed((shape, scale_shape), axis, block_size);
        node.quantize((&input, scales, None), &mut vec![0; count]).is_err()
    };
    assert!(!refused(&[3, 2], &[2], 1, 0) && !refused(&[3, 2], &[2], -1, 0));
    assert!(!refused(&[4], &[2], 0, 2));
    // No axis, another axis, and a tensor without one.
    assert!(refused(&[3, 2], &[2], 3, 0) && refused(&[3, 2], &[2], -3, 0));
    assert!(refused(&[3, 2], &[2], 0, 0) && refused(&[], &[1], 0, 0));
}

#[test]
fn the_builtin_testee_passes() {
    let run = castproof(&["gate", "--testee", "builtin", "--suite", "onnx-quantize"], "");
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    assert!(run.out.contains("\nPASS  ") && !run.out.contains("unsupported"), "{}", run.out);
}

/// Faults of a testee behind a pipe that quantises float32 and float16 to int8, uint8 and uint4, each with the pairs that
/// are asked, and with what the gate says of it; `None` where no method gives every answer.
const FAULTS: [(&str, &str, Option<&str>); 13] = [
    ("truncates", ALL, Some("the quotient rounded toward zero")),
    ("half-away", "float32:int8", Some("the quotient rounded to nearest, ties away from zero")),
    ("rounds-after-zero-point", "float32:int8", Some("the zero point added before rounding")),
    ("int8-to-127", "float32:int8", Some("the lowest integer never used")),
    ("absolute", "float32:int8", None),
    (
        "reciprocal",
        "float32:int8",
        Some("multiplied by the rounded 1/scale instead of divided by the scale"),
    ),
    ("axis-ignored", "uint8:float32", Some("the first scale used for all elements")),
    ("interleaved-blocks", "float32:int8", Some("blocks interleaved along the axis")),
    ("float16-truncates", "float16:uint8", Some("the quotient rounded toward zero")),
    ("last-block-reads-next-scale", "uint8:float32", None),
    ("wraps", "float32:int8", Some("results out of range wrap instead of saturating")),
    ("saturate-wraps", "float32:int8", Some("integers wrap where saturate is 0")),
    (
        "difference-wraps",
        "uint8:float32",
        Some("the difference with the zero point wraps in the input's dtype"),
    ),
];

/// Pairs in which each of them shows, and a fault that shows in several is one finding.
const ALL: &str = "float32:int8,float16:uint8,uint8:float32,float32:uint8";

#[test]
fn faults_are_told_and_named() {
    let gate = |mode: &str, pairs: &str| {
        let command = testee("quantize.py", mode);
        let words = ["gate", "--testee", &command, "--suite", "onnx-quantize", "--pair", pairs];
        castproof(&words, "")
    };
    let right = gate("right", ALL);
    assert_eq!(right.code, 0, "{}{}", right.out, right.err);
    assert!(!right.out.contains(" at place "), "{}", right.out);
    for (mode, pairs, name) in FAULTS {
        let run = gate(mode, pairs);
        assert_eq!(run.code, 1, "{mode}: {}{}", run.out, run.err);
        // The first wrong element is shown, with its input.
        assert!(
            run.out.contains(", not ") && run.out.contains(" at place "),
            "{mode}: {}",
            run.out
        );
        let Some(name) = name else { continue };
        let findings: Vec<&str> =
            run.out.lines().filter(|line| line.starts_with("question")).collect();
        assert!(findings.len() == 1 && findings[0].contains(name), "{mode}: {findings:?}");
    }
}

/// Whoever casts elements is not asked to quantise unless the suite is named.
#[test]
fn it_is_asked_by_name() {
    let run = castproof(&["gate", "--testee", "builtin", "--pair", "int8:int16"], "");
    assert!(run.code == 0 && !run.out.contains("onnx-quantize"), "{}{}", run.out, run.err);
}
