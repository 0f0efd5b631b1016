//! Blocks: the implementation beside the vectors and the oracle, and testees behind the gate.

use crate::common::{castproof, testee};
use castproof_impl::{BlockProfile, BlockQuantizer, DType};
use castproof_quantised::block::{
    block_elements, block_scale, block_size, block_sources, has_tensor_scale, quantise,
};
use castproof_suites::questions;
use castproof_vectors::random::Random;
use castproof_vectors::{
    AnswerRecord, Level, Outcome, QuantizeBlock, Question, Suite, landmarks, pack, packed_len,
    unpack,
};
use serde_json::Value;
use std::fs;
use std::process::Command;

/// The scale and the elements that the implementation gives.
fn run(
    (profile, from, to): (BlockProfile, DType, DType),
    input: &[u8],
    count: usize,
    largest: Option<u64>,
) -> (u64, Vec<u8>) {
    let quantizer = BlockQuantizer::new(profile, from, to).expect("dtypes of the profile");
    let largest = largest.map_or(0.0, |code| f32::from_bits(code as u32));
    let of_scale = block_scale(profile);
    let [mut scale, mut packed] = [(of_scale, 1), (to, count)]
        .map(|(it, count)| vec![0; packed_len(it, count).expect("a block")]);
    quantizer.run(input, count, largest, &mut scale, &mut packed).expect("a block");
    let elements = unpack(to, &packed, count).expect("as many");
    let scale = unpack(of_scale, &scale, 1).expect("a scale")[0];
    // Of a NaN every code is right.
    let is_nan =
        of_scale == DType::Float32 && landmarks(of_scale).is_some_and(|it| it.is_nan(scale));
    (
        if is_nan { 0x7fc0_0000 } else { scale },
        elements.into_iter().map(|code| code as u8).collect(),
    )
}

#[test]
fn every_vector_holds() {
    let tests = questions(Suite::Blocks, Level::Core).tests;
    for test in &tests {
        let (Question::QuantizeBlock(ask), AnswerRecord::Block(due)) = (&test.ask, &test.expect)
        else {
            panic!("{} is not a block", test.id);
        };
        let QuantizeBlock { profile, from, to, .. } = ask.clone();
        let largest = ask.largest.map(|code| code.value());
        let (scale, elements) = run((profile, from, to), &ask.input.0, ask.count(), largest);
        assert_eq!(scale, due.scale.value(), "{}: {}", test.id, test.ask);
        for (element, due) in elements.iter().zip(&due.elements.0) {
            assert!(due.is_none_or(|due| due == *element), "{}: {}", test.id, test.ask);
        }
    }
    assert!(tests.len() > 4000);
}

/// Numbers of all magnitudes, of one binade, or special ones.
fn drawn(from: DType, size: usize, random: &mut Random) -> Vec<u64> {
    let mask = from.code_mask();
    let sign = 1u64 << (from.bits() - 1);
    let around = random.number() & mask & !sign;
    let kind = random.below(4);
    let code = |random: &mut Random| match kind {
        0 => random.number() & mask,
        1 => (around.saturating_sub(random.number() & (mask >> 6))) | random.number() & sign,
        2 => around >> random.below(8) | random.number() & sign,
        _ => around.wrapping_add(random.below(9) as u64) & mask,
    };
    (0..size).map(|_| code(random)).collect()
}

#[test]
fn drawn_blocks_are_as_the_oracle_says() {
    let mut random = Random::new(7);
    for profile in BlockProfile::ALL {
        for &from in block_sources(profile) {
            for &to in block_elements(profile) {
                for _ in 0..200 {
                    let codes = drawn(from, block_size(profile), &mut random);
                    let has_tensor = has_tensor_scale(profile);
                    let largest = has_tensor.then(|| random.number() & 0x7fff_ffff);
                    let due = quantise(profile, (from, to), &codes, largest).expect("a block");
                    let input = pack(from, &codes).expect("codes");
                    let (scale, elements) = run((profile, from, to), &input, codes.len(), largest);
                    let what = format!("{} {from} {to} {codes:x?} {largest:x?}", profile.name());
                    assert_eq!(scale, due.scale, "{what}");
                    for (element, (due, _)) in elements.iter().zip(&due.elements) {
                        let is_right = match due {
                            Outcome::Code(code) => u64::from(*element) == *code,
                            Outcome::AnyNan => {
                                landmarks(to).expect("a float").is_nan((*element).into())
                            }
                            _ => true,
                        };
                        assert!(is_right, "{what}");
                    }
                }
            }
        }
    }
}

/// 100,000 groups of FP8: a few numbers that are near each other or anywhere, and a special one.
#[test]
fn drawn_groups_are_as_the_oracle_says() {
    let mut random = Random::new(128);
    let profiles = BlockProfile::ALL.into_iter().filter(|it| block_size(*it) == 128);
    let profiles: Vec<BlockProfile> = profiles.collect();
    assert_eq!(profiles.len(), 5);
    for round in 0..100_000 {
        let profile = profiles[round % profiles.len()];
        let from = [DType::Float32, DType::Bfloat16][round / profiles.len() % 2];
        let mut codes = vec![0; 128];
        for code in drawn(from, 6, &mut random) {
            codes[random.below(128)] = code;
        }
        if round % 16 == 7 {
            let special = [0x7fc0, 0xffff, 0x7f80, 0xff80][random.below(4)];
            codes[random.below(128)] = special << (from.bits() - 16);
        }
        let to = DType::Float8E4M3FN;
        let due = quantise(profile, (from, to), &codes, None).expect("a group");
        let input = pack(from, &codes).expect("codes");
        let (scale, elements) = run((profile, from, to), &input, codes.len(), None);
        assert_eq!(scale, due.scale, "{} {from} {codes:x?}", profile.name());
        for (element, (due, _)) in elements.iter().zip(&due.elements) {
            let is_right = match due {
                Outcome::Code(code) => u64::from(*element) == *code,
                Outcome::AnyNan => matches!(element, 0x7f | 0xff),
                _ => true,
            };
            assert!(is_right, "{} {from} {codes:x?}", profile.name());
        }
    }
}

#[test]
fn what_is_no_row_is_refused() {
    let make = |profile| BlockQuantizer::new(profile, DType::Float32, DType::Float8E4M3FN);
    let floor = make(BlockProfile::MxFloor).expect("a profile");
    let refused = |quantizer: &BlockQuantizer, bytes, count, scales, elements| {
        let (mut scales, mut elements) = (vec![7; scales], vec![7; elements]);
        let run = quantizer.run(&vec![0; bytes], count, 0.0, &mut scales, &mut elements);
        assert!(scales.iter().chain(&elements).all(|&byte| byte == 7));
        run.unwrap_err().to_string()
    };
    let torchao = make(BlockProfile::MxTorchaoFloor).expect("a profile");
    assert_eq!(
        refused(&torchao, 132, 33, 2, 33),
        "33 numbers are not blocks of mx-torchao-floor: pass a multiple of 32"
    );
    assert!(refused(&floor, 127, 32, 1, 32).contains("127 bytes"));
    assert!(refused(&floor, 132, 33, 1, 33).contains("scales"));
    assert!(refused(&floor, 132, 33, 2, 32).contains("elements"));
    let vllm = make(BlockProfile::Fp8VllmGroup).expect("a profile");
    assert!(refused(&vllm, 516, 129, 8, 129).contains("a multiple of 128"));
    let deepgemm = make(BlockProfile::Fp8Deepgemm).expect("a profile");
    assert!(refused(&deepgemm, 516, 129, 2, 129).contains("scales"));
    assert_eq!(deepgemm.run(&[0; 516], 129, 0.0, &mut [1; 8], &mut [1; 129]), Ok(()));
    assert_eq!(floor.run(&[], 0, 0.0, &mut [], &mut []), Ok(()));
    assert_eq!(floor.run(&[0; 12], 3, 0.0, &mut [1], &mut [1; 3]), Ok(()));
    let none = BlockQuantizer::new(BlockProfile::Nvfp4Te, DType::Float16, DType::Float4E2M1);
    assert_eq!(
        none.err().expect("no float16").to_string(),
        "nvfp4-te has no blocks from float16 to float4e2m1: use its dtypes"
    );
}

#[test]
fn the_builtin_testee_passes() {
    for suite in ["blocks", "blocks-tensors"] {
        let run = castproof(&["gate", "--testee", "builtin", "--suite", suite], "");
        assert_eq!(run.code, 0, "{}{}", run.out, run.err);
        assert!(run.out.contains("\nPASS  ") && !run.out.contains("unsupported"), "{}", run.out);
    }
}

/// A testee behind a pipe that has one profile with one pair of dtypes: right, without the exponent
/// of elements, without NaN in the largest magnitude.
#[test]
fn a_fault_of_the_scale_is_told() {
    for (mode, line) in [("right", None), ("emax", Some("MX-04")), ("nan", Some("MX-14"))] {
        let command = testee("blocks.py", mode);
        let run = castproof(&["gate", "--testee", &command, "--suite", "blocks"], "");
        assert_eq!(run.code, i32::from(line.is_some()), "{mode}: {}{}", run.out, run.err);
        assert!(run.out.contains("unsupported"), "{}", run.out);
        assert!(line.is_none_or(|line| run.out.contains(line)), "{mode}: {}", run.out);
    }
}

/// Any scale is right where it is free, but elements that belong to another one are not, whether a test lists
/// the scale or not. A scale that is not listed, with its own elements, decides nothing. NaN is none of
/// the scales.
#[test]
fn elements_belong_to_a_free_scale() {
    for (mode, code, said) in [
        ("free-rceil", 0, "tolerated"),
        ("free-emax", 0, "undefined"),
        ("free-mixed", 1, "under the scale 0x"),
        ("free-far", 1, "under the scale 0x"),
        ("free-nan", 1, "gave scale 0xff"),
    ] {
        let command = testee("blocks.py", mode);
        let run = castproof(&["gate", "--testee", &command, "--suite", "blocks"], "");
        assert_eq!(run.code, code, "{mode}: {}{}", run.out, run.err);
        assert!(run.out.contains(said), "{mode}: {}", run.out);
    }
    let command = testee("blocks.py", "free-rceil");
    let strict = castproof(&["gate", "--testee", &command, "--suite", "blocks", "--strict"], "");
    assert_eq!(strict.code, 1, "{}{}", strict.out, strict.err);
}

/// Quantisers that fail where there are several blocks. All but `scale-before` give what is due of one.
#[test]
fn a_fault_of_place_is_told() {
    // These quantisers have the rule mx-floor alone.
    let gate = |mode, suite| {
        let command = testee("blocks.py", mode);
        let words = ["gate", "--testee", &command, "--suite", suite, "--rule", "mx-floor"];
        castproof(&words, "")
    };
    for (mode, told) in [
        ("right", None),
        ("last-axis", Some("of block 0, not")),
        ("rows-run-on", Some("of block 3, not")),
        ("stale", Some("scale 0x79 of block 7, not 0x00")),
        ("scale-before", Some("element 0x7e at place 0, not 0x70")),
        ("nan-spreads", Some("scale 0xff of block 0, not")),
        ("eight-blocks", Some("of block 8, not")),
        ("scales-by-columns", Some("of block 1, not")),
    ] {
        let run = gate(mode, "blocks-tensors");
        assert_eq!(run.code, i32::from(told.is_some()), "{mode}: {}{}", run.out, run.err);
        assert!(told.is_none_or(|told| run.out.contains(told)), "{mode}: {}", run.out);
    }
    // One of them for all, because it takes seconds.
    let alone = gate("rows-run-on", "blocks");
    assert_eq!(alone.code, 0, "{}{}", alone.out, alone.err);
}

/// Whoever casts elements is not asked for blocks unless the suite is named.
#[test]
fn blocks_are_asked_by_name() {
    let run = castproof(&["gate", "--testee", "builtin", "--pair", "int8:int16"], "");
    assert!(run.code == 0 && !run.out.contains("blocks"), "{}{}", run.out, run.err);
}

/// A quantiser that has one rule, whatever rule a question names, is judged by that rule.
#[test]
fn a_quantiser_is_judged_by_one_rule() {
    let command = testee("blocks.py", "one-rule");
    let gate = |more: &[&str]| castproof(&[&["gate", "--testee", &command], more].concat(), "");
    let run = gate(&["--suite", "blocks"]);
    assert!(run.code == 1 && run.out.contains("No test of mx-floor"), "{}", run.out);
    assert!(run.out.contains("is judged by it alone with --rule mx-floor\n"), "{}", run.out);
    let run = gate(&["--rule", "mx-floor"]);
    assert!(run.code == 0 && run.out.contains("REDUCED: --rule mx-floor\n"), "{}", run.out);
    let run = gate(&["--suite", "blocks", "--rule", "mx-ceil"]);
    assert!(run.code == 1 && run.out.contains("scale as mx-floor"), "{}", run.out);
    for (words, said) in [
        (["--rule", "mx-rceil", "--suite", "onnx-cast"], "onnx-cast has no rules of blocks"),
        (["--rule", "mx-rcel", "--suite", "blocks"], "use one of mx-floor"),
        (["--profile", "mx-rceil", "--level", "core"], "write --rule mx-rceil"),
    ] {
        assert!(gate(&words).error_line().contains(said), "{words:?}: {}", gate(&words).err);
    }
}

/// The script shows the fault of a quantiser, and that another one does not have it.
#[test]
fn a_finding_is_reproduced() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = |name: &str| folder.path().join(name).to_str().expect("text").to_string();
    for (mode, suite, said) in [
        ("emax", "blocks", "scale 0 got "),
        ("free-far", "blocks", "element "),
        ("free-nan", "blocks", "scale 0 got 0xff"),
        ("rows-run-on", "blocks-tensors", "scale 3 got 0x79"),
    ] {
        let (file, out) = (place("results.json"), place(mode));
        let command = testee("blocks.py", mode);
        let rule = if mode.starts_with("free-") { "mx-ocp" } else { "mx-floor" };
        let words = ["gate", "--testee", &command, "--suite", suite, "--rule", rule];
        castproof(&[&words[..], &["--json", &file]].concat(), "");
        let results: Value = serde_json::from_str(&fs::read_to_string(&file).expect("results"))
            .expect("a results file");
        let id = results["findings"][0]["id"].as_str().expect("an id").to_string();
        let reproduce = |command: &[&str]| {
            let words = ["reproduce", &id, "--results", &file, "--out", &out, "--issue"];
            castproof(&[&words[..], command].concat(), "")
        };
        let unnamed = reproduce(&[]);
        assert!(unnamed.error_line().contains("name the testee with --testee"), "{}", unnamed.err);
        let element = reproduce(&["--as", "numpy"]);
        assert!(element.error_line().contains("leave --as out"), "{}", element.err);
        let right = if mode.starts_with("free-") { "free-rceil" } else { "right" };
        for (mode, wrong) in [(mode, true), (right, false)] {
            let written = reproduce(&["--testee", &testee("blocks.py", mode)]);
            assert!(written.code == 0 && written.out.contains("\nrun: "), "{}", written.err);
            let script = format!("{out}/reproduce.py");
            let run = Command::new("python3").arg(script).output().expect("Python");
            let printed = String::from_utf8_lossy(&run.stdout);
            assert_eq!(run.status.code(), Some(i32::from(wrong)), "{mode}: {printed}");
            assert_eq!(printed.contains(said), wrong, "{mode}: {printed}");
        }
        let issue = fs::read_to_string(format!("{out}/issue.md")).expect("an issue");
        assert!(issue.contains("## Why that is expected") && issue.contains(&id), "{issue}");
    }
}
