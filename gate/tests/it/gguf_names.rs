//! Decoders of GGUF with a fault, written in machine floats, and what the gate says they do. Faults of released decoders are
//! among them: fifth bits lost or in another order, a header of 2 bytes, scales of six bits read as four, pairs for halves.

#![allow(clippy::semicolon_if_nothing_returned, reason = "each row is one call")]

use crate::question_faults::{found_by, of_suite};
use castproof::finding::Finding;
use castproof::testee::{Reply, Returned};
use castproof_impl::GgufDequantizer;
use castproof_vectors::{DType, DequantizeGguf, GgufType, Question, Suite};

use GgufType::*;

/// What a decoder makes of a block, from the bytes and the numbers that are right.
type Fault = fn(&[u8], &mut [f32]);

/// Each fault: the type, what the decoder makes, and what the gate says of it.
const FAULTS: [(GgufType, Fault, &str); 23] = [
    (
        Q4_0,
        |block, out| split(out, |i| f(nibble(block[2 + i / 2], i % 2) - 8) * half(block, 0)),
        "taken for neighbours",
    ),
    (
        Q4_0,
        |block, out| split(out, |i| f(nibble(block[2 + i % 16], 1 - i / 16) - 8) * half(block, 0)),
        "the high nibbles are taken for the first half",
    ),
    (
        Q4_0,
        |block, out| {
            split(out, |i| {
                let q = nibble(block[2 + i % 16], i / 16);
                f(if q > 7 { q - 16 } else { q }) * half(block, 0)
            })
        },
        "two's complement",
    ),
    (
        Q4_0,
        |block, out| {
            split(out, |i| {
                let d = half(block, 0);
                f(nibble(block[2 + i % 16], i / 16) - 8)
                    * if d.abs() < 2f32.powi(-14) { d * 0.0 } else { d }
            })
        },
        "subnormal scales are taken for zero",
    ),
    (Q4_0, |_, out| out.iter_mut().for_each(|it| *it += 0.0), "a negative zero loses its sign"),
    (
        Q4_1,
        |block, out| {
            split(out, |i| f(nibble(block[2 + i % 16], i / 16)) * half(block, 0) + half(block, 2))
        },
        "from the byte of the minimum on",
    ),
    (
        Q4_1,
        |block, out| {
            split(out, |i| f(nibble(block[4 + i % 16], i / 16)) * half(block, 0) - half(block, 2))
        },
        "the opposite sign",
    ),
    (
        Q5_0,
        |block, out| split(out, |i| f(nibble(block[6 + i % 16], i / 16) - 16) * half(block, 0)),
        "the fifth bits are lost",
    ),
    (
        Q5_0,
        |block, out| {
            split(out, |i| {
                let fifth = block[2 + i / 8] >> (i % 8) & 1;
                f(nibble(block[6 + i / 2], i % 2) + 16 * i32::from(fifth) - 16) * half(block, 0)
            })
        },
        "taken for neighbours",
    ),
    (
        Q5_1,
        |block, out| {
            split(out, |i| {
                let fifth = block[7 - i / 8] >> (7 - i % 8) & 1;
                f(nibble(block[8 + i % 16], i / 16) + 16 * i32::from(fifth)) * half(block, 0)
                    + half(block, 2)
            })
        },
        "from the last to the first",
    ),
    (
        Q8_0,
        |block, out| split(out, |i| f32::from(block[2 + i]) * half(block, 0)),
        "bytes without sign",
    ),
    (
        Q2_K,
        |block, out| {
            split(out, |i| {
                let (q, scale) = (block[16 + i / 4] >> (2 * (i % 4)) & 3, block[i / 16]);
                half(block, 80) * f32::from(scale & 15) * f32::from(q)
                    - half(block, 82) * f32::from(scale >> 4)
            })
        },
        "the four elements of a byte are taken for neighbours",
    ),
    (
        Q3_K,
        |block, out| {
            split(out, |i| {
                q3(block, i, i32::from(block[96 + i / 16 % 8] >> (4 * (i / 128)) & 15) - 8)
            })
        },
        "read as four, around 8",
    ),
    (
        Q3_K,
        |block, out| {
            split(out, |i| {
                q3(block, i, i32::from(block[96 + i / 16 % 8] >> (4 * (i / 128)) & 15) - 32)
            })
        },
        "scales lose their upper bits",
    ),
    (
        Q4_K,
        |block, out| {
            split(out, |i| {
                let (q, group) = (nibble(block[16 + i / 64 * 32 + i % 32], i / 32 % 2), i / 32);
                let (s, m) = match group {
                    0..4 => (block[4 + group] & 63, block[8 + group] & 63),
                    _ => (block[8 + group] & 15, block[8 + group] >> 4),
                };
                half(block, 0) * f32::from(s) * f(q) - half(block, 2) * f32::from(m)
            })
        },
        "scales lose their upper bits",
    ),
    (
        Q6_K,
        |block, out| {
            split(out, |i| {
                let low = nibble(block[i / 128 * 64 + i % 64], i % 128 / 64);
                let high = block[128 + i / 128 * 32 + i % 32] >> (i % 128 / 32 * 2) & 3;
                half(block, 208)
                    * f32::from(block[192 + i / 16])
                    * f(low + 16 * i32::from(high) - 32)
            })
        },
        "scales are taken for bytes without sign",
    ),
    (
        IQ4_XS,
        |_, out| {
            let right = out.to_vec();
            split(out, |i| {
                // The nibble of a neighbour stands where that of the other half is due.
                let (group, at) = (i / 32 * 32, i % 32);
                right[group + at / 2 + 16 * (at % 2)]
            });
        },
        "taken for neighbours",
    ),
    (MXFP4, |_, out| out.iter_mut().for_each(|it| *it *= 2.0), "every number is doubled"),
    (
        MXFP4,
        |block, out| {
            if block[0] == 0xff {
                out.fill(f32::NAN)
            }
        },
        "the scale 0xff is taken for NaN",
    ),
    (
        NVFP4,
        |block, out| {
            split(out, |i| {
                let q = nibble(block[4 + i / 16 * 8 + i % 8], i % 16 / 8) as usize;
                [
                    0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 0.0, -0.5, -1.0, -1.5, -2.0, -3.0,
                    -4.0, -6.0,
                ][q] * f32::from(block[i / 16])
            })
        },
        "the code of the scale is taken for its number",
    ),
    (
        NVFP4,
        |block, out| {
            out.iter_mut().enumerate().for_each(|(i, it)| {
                if block[i / 16] == 0xff {
                    *it *= 0.0
                }
            })
        },
        "the scale 0xff is taken for zero",
    ),
    (
        NVFP4,
        |block, out| {
            out.iter_mut().enumerate().for_each(|(i, it)| {
                if block[i / 16] & 0x7f == 0x7f {
                    *it = f32::NAN
                }
            })
        },
        "0x7f and 0xff are taken for NaN",
    ),
    (
        TQ2_0,
        |block, out| {
            split(out, |i| (f32::from(block[i / 4] >> (2 * (i % 4)) & 3) - 1.0) * half(block, 64))
        },
        "the four elements of a byte",
    ),
];

fn split(out: &mut [f32], number: impl Fn(usize) -> f32) {
    let numbers: Vec<f32> = (0..out.len()).map(number).collect();
    out.copy_from_slice(&numbers);
}

fn nibble(byte: u8, which: usize) -> i32 {
    i32::from(byte >> (4 * which) & 15)
}

fn f(number: i32) -> f32 {
    number as f32
}

/// An element of Q3_K under a scale of its own.
fn q3(block: &[u8], i: usize, scale: i32) -> f32 {
    let low = block[32 + i / 128 * 32 + i % 32] >> (i % 128 / 32 * 2) & 3;
    let third = if block[i % 32] >> (i / 32) & 1 == 1 { 0 } else { 4 };
    half(block, 108) * f(scale) * f(i32::from(low) - third)
}

/// A float16, by its fields.
fn half(block: &[u8], at: usize) -> f32 {
    let code = u16::from_le_bytes([block[at], block[at + 1]]);
    let (exponent, fraction) = (i32::from(code >> 10 & 31), f32::from(code & 0x3ff));
    let magnitude = match exponent {
        0 => fraction * 2f32.powi(-24),
        31 if fraction == 0.0 => f32::INFINITY,
        31 => f32::NAN,
        _ => (1024.0 + fraction) * 2f32.powi(exponent - 25),
    };
    if code >> 15 == 1 { -magnitude } else { magnitude }
}

/// The numbers that a decoder with a fault makes of blocks of one type; `None` for those of others.
fn decoded(ask: &DequantizeGguf, kind: GgufType, fault: Fault) -> Option<Returned> {
    if ask.kind != kind {
        return None;
    }
    let decoder = GgufDequantizer::new(ask.kind, ask.to).ok()?;
    let mut bytes = Vec::new();
    for block in ask.blocks().ok()? {
        let mut right = vec![0; 4 * ask.kind.record().elements];
        decoder.run(block, &mut right).ok()?;
        let number = |it: &[u8]| f32::from_le_bytes(it.try_into().expect("four bytes"));
        let mut numbers: Vec<f32> = right.chunks(4).map(number).collect();
        fault(block, &mut numbers);
        bytes.extend(numbers.iter().flat_map(|it| it.to_le_bytes()));
    }
    Some(Returned { bytes, ..Returned::default() })
}

/// The findings of a decoder with a fault in blocks of one type. float32 alone has it, so the other dtypes are not asked.
fn found(kind: GgufType, fault: Fault) -> Vec<Finding> {
    found_by(&of_suite(Suite::Gguf), |question, _| match question {
        Question::DequantizeGguf(ask) if ask.to != DType::Float32 => {
            Some(Reply::Unsupported("float32 alone".into()))
        }
        Question::DequantizeGguf(ask) => decoded(ask, kind, fault).map(Reply::Output),
        _ => None,
    })
}

/// A right decoder has no finding, and each fault is one, whose cause is what the decoder does.
#[test]
fn faults_of_decoders_of_gguf_are_named() {
    let mut wrong = Vec::new();
    let right = found(Q4_0, |_, _| {});
    assert!(right.is_empty(), "{right:?}");
    for (number, (kind, fault, said)) in FAULTS.into_iter().enumerate() {
        let found = found(kind, fault);
        let causes: Vec<&str> = found.iter().filter_map(|it| it.cause.as_deref()).collect();
        if found.len() != 1 || !causes.first().is_some_and(|cause| cause.contains(said)) {
            let sentences: Vec<&str> =
                found.iter().map(|it| it.example.sentence.as_str()).collect();
            wrong.push(format!(
                "{number}: {kind}, {said}: {causes:?}\n    {}",
                sentences.join("\n    ")
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A fault that no method explains is a finding for each rule that it breaks, which names the type and the block.
#[test]
fn an_unknown_fault_shows_its_block() {
    let found = found(Q8_0, |_, out| out[3] += 1.0);
    let rules: Vec<&str> = found.iter().filter_map(|it| it.rule.as_deref()).collect();
    assert_eq!(rules, ["GG-01", "GG-02"], "{found:?}");
    for finding in found {
        assert_eq!(finding.cause, None);
        let sentence = finding.example.sentence;
        assert!(sentence.contains("for element 3 of the Q8_0 block "), "{sentence}");
    }
}
