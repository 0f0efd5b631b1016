//! Quantisers of GGUF with a fault, written in machine floats, and what the gate says they do. Right ones that are written
//! otherwise have no finding.

#![allow(clippy::semicolon_if_nothing_returned, reason = "each row is one call")]

use crate::question_faults::{found_by, of_suite};
use castproof::finding::Finding;
use castproof::testee::{Reply, Returned};
use castproof_impl::{Cast, DType};
use castproof_vectors::{GgufType, QuantizeGguf, Question, Suite};

use GgufType::*;

/// Makes a block of numbers.
type Make = fn(&[f32], &mut [u8]);

/// The largest number in magnitude, the first of equal ones.
fn peak(x: &[f32]) -> f32 {
    x.iter().fold(0.0, |peak: f32, it| if it.abs() > peak.abs() { *it } else { peak })
}

fn amax(x: &[f32]) -> f32 {
    x.iter().fold(0.0, |most, it| it.abs().max(most))
}

fn ends(x: &[f32]) -> (f32, f32) {
    x.iter().fold((f32::MAX, f32::MIN), |(least, most), it| (it.min(least), it.max(most)))
}

fn inverse(d: f32) -> f32 {
    if d == 0.0 { 0.0 } else { 1.0 / d }
}

/// float16 of a number, ties to even.
fn half(x: f32) -> u16 {
    let cast = Cast::new(DType::Float32, DType::Float16);
    let mut code = [0; 2];
    cast.expect("a cast").run(&x.to_le_bytes(), 1, &mut code).expect("one element");
    u16::from_le_bytes(code)
}

fn kept(x: f32) -> f32 {
    let cast = Cast::new(DType::Float16, DType::Float32);
    let mut code = [0; 4];
    cast.expect("a cast").run(&half(x).to_le_bytes(), 1, &mut code).expect("one element");
    f32::from_le_bytes(code)
}

fn head(at: usize, x: f32, block: &mut [u8]) {
    block[at..at + 2].copy_from_slice(&half(x).to_le_bytes());
}

/// Nibbles, the low ones first.
fn split(at: usize, x: &[f32], block: &mut [u8], code: impl Fn(f32) -> i32) {
    let middle = x.len() / 2;
    for i in 0..middle {
        block[at + i] = (code(x[i]) & 15 | (code(x[middle + i]) & 15) << 4) as u8;
    }
}

/// Fifth bits, then nibbles.
fn fifths(at: usize, x: &[f32], block: &mut [u8], code: impl Fn(f32) -> i32) {
    let bits = (0..32).fold(0u32, |bits, i| bits | (code(x[i]) as u32 >> 4 & 1) << i);
    block[at..at + 4].copy_from_slice(&bits.to_le_bytes());
    split(at + 4, x, block, code);
}

fn q4_0(x: &[f32], block: &mut [u8], d: f32, code: impl Fn(f32, f32) -> i32) {
    head(0, d, block);
    split(2, x, block, |it| code(it, inverse(d)));
}

fn q5_0(x: &[f32], block: &mut [u8], d: f32, code: impl Fn(f32, f32) -> i32) {
    head(0, d, block);
    fifths(2, x, block, |it| code(it, inverse(d)));
}

fn q8_0(x: &[f32], block: &mut [u8], d: f32, code: impl Fn(f32) -> i32) {
    head(0, d, block);
    for (byte, it) in block[2..].iter_mut().zip(x) {
        *byte = code(*it) as u8;
    }
}

fn half_up(x: f32, most: i32) -> i32 {
    ((x + (most / 2 + 1) as f32 + 0.5) as i32).clamp(-64, most)
}

const E2M1: [f32; 8] = [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0];

/// The nearest code of float4e2m1; `tie` says whether a code is taken at the middle before it.
fn e2m1(x: f32, d: f32, tie: impl Fn(usize) -> bool) -> i32 {
    if d == 0.0 || !x.is_finite() {
        return 0;
    }
    let is_reached = |code: &usize| {
        let middle = (E2M1[code - 1] + E2M1[*code]) / 2.0 * d;
        x.abs() > middle || (x.abs() == middle && tie(*code))
    };
    let code = (1..8).filter(is_reached).count();
    // What is beyond 6 is as far from several numbers, if distances are rounded; the first one is taken.
    let distance = |code: usize| (E2M1[code] * d - x.abs()).abs();
    let nearer = |best, code| if distance(code) < distance(best) { code } else { best };
    let code = if code == 7 { (1..8).fold(0, nearer) } else { code } as i32;
    if x < 0.0 && code > 0 { code + 8 } else { code }
}

fn mx(x: &[f32], block: &mut [u8], more: i32, tie: fn(usize) -> bool) {
    let field = (amax(x).to_bits() >> 23) as i32;
    block[0] = (field - 2 + more).clamp(0, 254) as u8;
    let d = 2f32.powi(i32::from(block[0]) - 127);
    let d = if block[0] == 0 { f32::from_bits(1 << 22) } else { d };
    split(1, x, block, |it| e2m1(it, d, tie));
}

fn ue4m3(code: u8) -> f32 {
    match code >> 3 {
        0 => f32::from(code) / 512.0,
        exponent => (1.0 + f32::from(code & 7) / 8.0) * 2f32.powi(i32::from(exponent) - 7),
    }
}

/// The scale of NVFP4: ties up, or where the next code is even, and from 248 on 448 or not.
fn nv_scale(x: f32, is_even: bool, jumps: bool) -> u8 {
    if jumps && x >= 248.0 {
        return 0x7e;
    }
    let is_reached = |code: &u8| {
        // Without the jump 7.5 units are 8.
        let middle = (ue4m3(code - 1) + ue4m3(*code)) / 2.0;
        let cut = jumps && *code == 8;
        let middle = if cut { 8.0 / 512.0 } else { middle };
        x > middle || x == middle && (!is_even || code.is_multiple_of(2))
    };
    (1..=0x7e).take_while(is_reached).last().unwrap_or(0)
}

fn nv(
    x: &[f32],
    block: &mut [u8],
    scale: impl Fn(f32) -> u8,
    d: impl Fn(f32, u8) -> f32,
    tie: fn(usize) -> bool,
) {
    for group in 0..4 {
        let x = &x[16 * group..16 * group + 16];
        block[group] = scale(amax(x));
        let d = d(amax(x), block[group]);
        split(4 + 8 * group, x, block, |it| e2m1(it, d, tie));
    }
}

fn right_nv(x: f32) -> u8 {
    nv_scale(x / 6.0, false, true)
}

/// Swaps what a block holds, so that neighbours lie in one byte.
fn pairs(at: usize, block: &mut [u8]) {
    let field = block[at..at + 16].to_vec();
    let nibble = |i: usize| field[i % 16] >> (4 * (i / 16)) & 15;
    for i in 0..16 {
        block[at + i] = nibble(2 * i) | nibble(2 * i + 1) << 4;
    }
}

/// Wrong quantisers, and a part of what the finding must say. The last members are kinds of faults that no method describes.
const FAULTS: &[(GgufType, Make, Option<&str>)] = &[
    (
        Q4_0,
        |x, b| {
            q4_0(x, b, peak(x) / -8.0, |x, id| {
                ((x * id).round_ties_even() as i32).saturating_add(8).clamp(0, 15)
            })
        },
        Some("halves are rounded to even"),
    ),
    (
        Q4_0,
        |x, b| {
            q4_0(x, b, peak(x) / -8.0, |x, id| {
                ((x * id).round() as i32).saturating_add(8).clamp(0, 15)
            })
        },
        Some("away from zero"),
    ),
    (
        Q4_0,
        |x, b| q4_0(x, b, peak(x) / -8.0, |x, id| ((x * id) as i32).saturating_add(8).clamp(0, 15)),
        Some("toward zero"),
    ),
    (
        Q4_0,
        |x, b| {
            let d = peak(x) / -8.0;
            q4_0(x, b, d, |x, _| half_up(if d == 0.0 { 0.0 } else { x / d }, 15))
        },
        Some("divided by the scale instead"),
    ),
    (
        Q4_0,
        |x, b| {
            let d = peak(x) / -8.0;
            q4_0(x, b, d, |x, _| half_up(x * inverse(kept(d)), 15))
        },
        Some("scale that is stored"),
    ),
    (
        Q4_0,
        |x, b| {
            let id = if peak(x) == 0.0 { 0.0 } else { -8.0 / peak(x) };
            q4_0(x, b, peak(x) / -8.0, |x, _| half_up(x * id, 15))
        },
        Some("steps over the largest number"),
    ),
    (Q4_0, |x, b| q4_0(x, b, amax(x) / 8.0, |x, id| half_up(x * id, 15)), Some("no sign")),
    (Q4_0, |x, b| q4_0(x, b, amax(x) / -8.0, |x, id| half_up(x * id, 15)), Some("negative")),
    (Q4_0, |x, b| q4_0(x, b, amax(x) / 7.0, |x, id| half_up(x * id, 15)), Some("over 7")),
    (
        Q4_0,
        |x, b| {
            let most = x.iter().fold(0.0, |m: f32, it| if it.abs() >= m.abs() { *it } else { m });
            q4_0(x, b, most / -8.0, |x, id| half_up(x * id, 15))
        },
        Some("last of equal"),
    ),
    (Q4_0, |x, b| q4_0(x, b, peak(x) / -8.0, |x, id| half_up(x * id, 15) - 8), Some("not added")),
    (Q4_0, |x, b| q4_0(x, b, peak(x) / -8.0, |x, id| (x * id + 8.5) as i32), Some("becomes 0")),
    (
        Q4_0,
        |x, b| q4_0(x, b, peak(x) / -8.0, |x, id| half_up(x * id, 15).max(1)),
        Some("clamped to -7"),
    ),
    (
        Q4_0,
        |x, b| {
            q4_0(x, b, peak(x) / -8.0, |x, id| half_up(x * id, 15));
            pairs(2, b)
        },
        Some("neighbours share a byte, the first one in the low"),
    ),
    (
        Q4_0,
        |x, b| {
            q4_0(x, b, peak(x) / -8.0, |x, id| half_up(x * id, 15));
            b[2..].iter_mut().for_each(|it| *it = it.rotate_left(4))
        },
        Some("high nibbles"),
    ),
    (
        Q4_0,
        |x, b| {
            q4_0(x, b, peak(x) / -8.0, |x, id| half_up(x * id, 15));
            if peak(x) / -8.0 == 0.0 {
                b[2..].fill(0)
            }
        },
        Some("elements are 0 under the scale 0"),
    ),
    (
        Q4_0,
        |x, b| {
            q4_0(x, b, peak(x) / -8.0, |x, id| half_up(x * id, 15));
            if b[1] & 0x7c == 0 {
                b[0] = 0;
                b[1] &= 0x80
            }
        },
        Some("subnormal scales"),
    ),
    (
        Q4_0,
        |x, b| {
            q4_0(x, b, peak(x) / -8.0, |x, id| half_up(x * id, 15));
            if b[1] & 0x7c == 0x7c && peak(x).is_finite() {
                b[0] = 0xff;
                b[1] = b[1] & 0x80 | 0x7b
            }
        },
        Some("65504"),
    ),
    (
        Q5_0,
        |x, b| {
            q5_0(x, b, peak(x) / -16.0, |x, id| {
                ((x * id).round_ties_even() as i32).saturating_add(16).clamp(0, 31)
            })
        },
        Some("halves are rounded to even"),
    ),
    (
        Q5_0,
        |x, b| {
            q5_0(x, b, peak(x) / -16.0, |x, id| half_up(x * id, 31));
            b[2..6].reverse();
            b[2..6].iter_mut().for_each(|it| *it = it.reverse_bits())
        },
        Some("last to the first"),
    ),
    (
        Q5_0,
        |x, b| {
            q5_0(x, b, peak(x) / -16.0, |x, id| half_up(x * id, 31));
            b[2..6].fill(0)
        },
        Some("fifth bits are lost"),
    ),
    (Q5_0, |x, b| q5_0(x, b, peak(x) / -16.0, |x, id| half_up(x * id, 31) - 16), Some("not added")),
    (
        Q4_1,
        |x, b| q4_1(x, b, 16.0, |x, least, id| (((x - least) * id + 0.5) as i32).min(15)),
        Some("divided by 16"),
    ),
    (
        Q4_1,
        |x, b| {
            q4_1(x, b, 15.0, |x, least, id| (((x - kept(least)) * id + 0.5) as i32).clamp(0, 15))
        },
        Some("minimum that is stored"),
    ),
    (
        Q4_1,
        |x, b| q4_1(x, b, 15.0, |x, _, id| ((x * id + 0.5) as i32).clamp(0, 15)),
        Some("not subtracted"),
    ),
    (
        Q4_1,
        |x, b| q4_1(x, b, 15.0, |x, least, id| ((x - least) * id).round_ties_even() as i32),
        Some("halves are rounded to even"),
    ),
    (Q4_1, |x, b| q4_1(x, b, 15.0, |x, least, id| ((x - least) * id) as i32), Some("toward zero")),
    (
        Q4_1,
        |x, b| {
            q4_1(x, b, 15.0, |x, least, id| (((x - least) * id + 0.5) as i32).min(15));
            b[3] ^= 0x80
        },
        Some("opposite sign"),
    ),
    (Q5_1, |x, b| q5_1(x, b, 32.0), Some("divided by 32")),
    (Q5_1, |x, b| q5_1(x, b, 15.0), Some("divided by 15")),
    (
        Q8_0,
        |x, b| {
            let d = amax(x) / 127.0;
            q8_0(x, b, d, |x| (x * inverse(d)).round_ties_even() as i32)
        },
        Some("halves are rounded to even"),
    ),
    (
        Q8_0,
        |x, b| {
            let d = amax(x) / 127.0;
            q8_0(x, b, d, |x| (x * inverse(d) + 0.5).floor() as i32)
        },
        Some("halves are rounded up"),
    ),
    (
        Q8_0,
        |x, b| {
            let d = amax(x) / 127.0;
            q8_0(x, b, d, |x| (x * inverse(d)) as i32)
        },
        Some("toward zero"),
    ),
    (
        Q8_0,
        |x, b| {
            let d = amax(x) / 127.0;
            q8_0(x, b, d, |x| (if d == 0.0 { 0.0 } else { x / d }).round() as i32)
        },
        Some("divided by the scale instead"),
    ),
    (
        Q8_0,
        |x, b| {
            let d = amax(x) / 127.0;
            q8_0(x, b, d, |x| (x * inverse(kept(d))).round() as i32)
        },
        Some("scale that is stored"),
    ),
    (
        Q8_0,
        |x, b| {
            let most = amax(x);
            let id = if most == 0.0 { 0.0 } else { 127.0 / most };
            q8_0(x, b, most / 127.0, |x| (x * id).round_ties_even() as i32)
        },
        Some("127 over the largest number, and halves"),
    ),
    (
        Q8_0,
        |x, b| {
            let d = amax(x) / 128.0;
            q8_0(x, b, d, |x| (x * inverse(d)).round() as i32)
        },
        Some("divided by 128"),
    ),
    (
        Q8_0,
        |x, b| {
            let d = amax(x) / 127.0;
            q8_0(x, b, d, |x| ((x * inverse(d)).round() as i32).saturating_add(128))
        },
        Some("128 is added"),
    ),
    (MXFP4, |x, b| mx(x, b, 0, |code| code.is_multiple_of(2)), Some("ties go to the even code")),
    (MXFP4, |x, b| mx(x, b, 0, |_| true), Some("ties go to the larger")),
    (MXFP4, |x, b| mx(x, b, 1, |_| false), Some("one code too large")),
    (
        MXFP4,
        |x, b| mx(x, b, i32::from(amax(x).to_bits() & 0x7f_ffff >= 0x60_0000), |_| false),
        Some("1.75"),
    ),
    (
        MXFP4,
        |x, b| {
            mx(x, b, i32::from(amax(x).to_bits() & 0x7f_ffff > 0x40_0000), |code| {
                code.is_multiple_of(2)
            })
        },
        Some("above 6, and ties"),
    ),
    (
        MXFP4,
        |x, b| mx(x, b, i32::from(amax(x).to_bits() & 0x7f_ffff > 0), |_| false),
        Some("logarithm is rounded up"),
    ),
    (
        NVFP4,
        |x, b| nv(x, b, |it| nv_scale(it / 6.0, true, false), |_, code| ue4m3(code), |_| false),
        Some("ties to even and up to 448"),
    ),
    (NVFP4, |x, b| nv(x, b, right_nv, |it, _| it / 6.0, |_| false), Some("before it is rounded")),
    (
        NVFP4,
        |x, b| nv(x, b, right_nv, |_, code| ue4m3(code), |code| code.is_multiple_of(2)),
        Some("ties go to the even code"),
    ),
    (
        NVFP4,
        |x, b| {
            nv(
                x,
                b,
                |it| match right_nv(it) {
                    0..8 => 0,
                    code => code,
                },
                |_, code| ue4m3(code),
                |_| false,
            )
        },
        Some("subnormal scale becomes zero"),
    ),
    (
        NVFP4,
        |x, b| {
            nv(x, b, right_nv, |_, code| ue4m3(code), |_| false);
            for group in 0..4 {
                let at = 4 + 8 * group;
                b[at..at + 8].iter_mut().for_each(|it| *it = it.rotate_left(4))
            }
        },
        Some("high nibbles"),
    ),
    // No method is known.
    (Q4_0, |x, b| q4_0(x, b, peak(x) / -8.0, |x, id| half_up(x * id, 14)), None),
    (
        Q8_0,
        |x, b| {
            let d = amax(x) / 127.0;
            q8_0(x, b, d, |x| (x * inverse(d)).round() as i32);
            b[20] = b[20].wrapping_add(1)
        },
        None,
    ),
];

fn q4_1(x: &[f32], block: &mut [u8], steps: f32, code: impl Fn(f32, f32, f32) -> i32) {
    let (least, most) = ends(x);
    let d = (most - least) / steps;
    head(0, d, block);
    head(2, least, block);
    split(4, x, block, |it| code(it, least, inverse(d)));
}

fn q5_1(x: &[f32], block: &mut [u8], steps: f32) {
    let (least, most) = ends(x);
    let d = (most - least) / steps;
    head(0, d, block);
    head(2, least, block);
    fifths(4, x, block, |it| (((it - least) * inverse(d) + 0.5) as i32).min(31));
}

/// Right quantisers, written otherwise.
const RIGHT: &[(GgufType, Make)] = &[
    (Q4_0, |x, b| q4_0(x, b, peak(x) * -0.125, |x, id| half_up(x * id, 15))),
    (Q4_0, |x, b| q4_0(x, b, peak(x) / -8.0, |x, id| (x.mul_add(id, 8.5) as i32).min(15))),
    (Q5_0, |x, b| q5_0(x, b, peak(x) / -16.0, |x, id| ((x * id + 16.5).floor() as i32).min(31))),
    (Q4_1, |x, b| q4_1(x, b, 15.0, |x, least, id| (x - least).mul_add(id, 0.5) as i32)),
    (Q5_1, |x, b| q5_1(x, b, 31.0)),
    (Q8_0, |x, b| {
        let d = amax(x) / 127.0;
        q8_0(x, b, d, |x| (x * inverse(d)).round() as i32)
    }),
    (MXFP4, |x, b| {
        let more = amax(x).log2().floor() as i32 - ((amax(x).to_bits() >> 23) as i32 - 127);
        mx(x, b, if amax(x) > 0.0 && amax(x).is_finite() { more } else { 0 }, |_| false);
    }),
    (NVFP4, |x, b| nv(x, b, right_nv, |_, code| ue4m3(code), |_| false)),
];

/// The blocks that a quantiser makes.
fn made(ask: &QuantizeGguf, make: Make) -> Option<Returned> {
    let mut bytes = Vec::new();
    for codes in ask.blocks().ok()? {
        let numbers: Vec<f32> = codes.iter().map(|it| f32::from_bits(*it as u32)).collect();
        let mut block = vec![0; ask.kind.record().bytes];
        make(&numbers, &mut block);
        bytes.extend(block);
    }
    Some(Returned { bytes, ..Returned::default() })
}

/// The findings of a quantiser of one type, which is all that is asked.
fn found(kind: GgufType, make: Make) -> Vec<Finding> {
    found_by(&of_suite(Suite::Gguf), |question, _| {
        Some(match question {
            Question::QuantizeGguf(ask) if ask.kind == kind => {
                made(ask, make).map_or_else(|| Reply::Error("no blocks".into()), Reply::Output)
            }
            _ => Reply::Unsupported("blocks of one type are made".into()),
        })
    })
}

/// Each wrong quantiser fails. Those of known kinds are one finding with the right name; of others nothing is said.
#[test]
fn faults_of_quantisers_of_gguf_are_found_and_named() {
    let mut wrong = Vec::new();
    let mut named = 0;
    for (number, (kind, make, said)) in FAULTS.iter().enumerate() {
        let found = found(*kind, *make);
        let causes: Vec<&str> = found.iter().filter_map(|it| it.cause.as_deref()).collect();
        let is_right = match said {
            Some(said) => found.len() == 1 && causes.first().is_some_and(|it| it.contains(said)),
            None => !found.is_empty() && causes.is_empty(),
        };
        named += usize::from(is_right && said.is_some());
        if !is_right {
            let sentences: Vec<&str> =
                found.iter().map(|it| it.example.sentence.as_str()).collect();
            wrong.push(format!(
                "{number}: {kind}, {said:?}: {causes:?}\n    {}",
                sentences.join("\n    ")
            ));
        }
    }
    assert!(wrong.is_empty(), "{named} of {} named\n{}", FAULTS.len(), wrong.join("\n"));
    assert_eq!(named, FAULTS.len() - 2);
}

#[test]
fn right_quantisers_of_gguf_have_no_finding() {
    for (number, (kind, make)) in RIGHT.iter().enumerate() {
        let found = found(*kind, *make);
        assert!(found.is_empty(), "{number}: {kind}: {found:?}");
    }
}
