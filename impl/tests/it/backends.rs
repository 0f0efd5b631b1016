//! Compares every backend that this machine has with casts of single codes.

use crate::common::{codes, random, share};
use castproof_impl::{Backend, Cast, Error, InstructionSet, packed_len};
use castproof_vectors::{DType, Profile, RoundMode, pack, unpack};

/// Returns the backends to test, and prints the names of those that this machine lacks.
fn backends() -> Vec<Backend> {
    for set in InstructionSet::ALL {
        if Backend::detect(set).is_err() {
            println!("not tested: this machine has no {set}");
        }
    }
    Backend::available().collect()
}

/// Returns every pair with its cast by the newest rules.
fn pairs() -> impl Iterator<Item = (Cast, DType, DType)> {
    let all = DType::NUMERIC.iter().flat_map(|from| DType::NUMERIC.iter().map(|to| (*from, *to)));
    all.map(|(from, to)| (Cast::new(from, to).expect("numeric"), from, to))
}

/// Every cast of every profile on every backend, in slices that are long enough for a table.
#[test]
fn profiles_agree_with_single_codes() {
    let mut casts = 0;
    let backends = backends();
    for profile in Profile::numeric() {
        for (_, from, to) in pairs() {
            let with_attributes = of_profile(profile, from, to);
            if with_attributes.is_empty() {
                continue;
            }
            casts += with_attributes.len();
            let mut codes: Vec<u64> = codes(from).into_iter().chain(near_ties(from)).collect();
            codes.extend(random(17).take(LONG).map(|code| code & from.code_mask()));
            let mut codes = share(codes);
            // An attribute changes nothing of that.
            traps(&with_attributes[0], &mut codes);
            let input = pack(from, &codes).expect("numeric");
            for cast in with_attributes {
                let single: Vec<u64> =
                    codes.iter().map(|code| cast.code(*code).expect("fits")).collect();
                let expected = pack(to, &single).expect("numeric");
                for &backend in &backends {
                    let cast = cast.backend(backend);
                    let mut output = vec![0; packed_len(to, codes.len()).expect("numeric")];
                    cast.run(&input, codes.len(), &mut output).expect("fits");
                    if output != expected {
                        let what = format!("{profile:?} {cast:?}");
                        first_difference(&what, to, &codes, &single, &output);
                    }
                }
            }
        }
    }
    assert!(casts > 800, "{casts}");
}

/// Panics with the first code whose result is not that of the single code.
fn first_difference(what: &str, to: DType, codes: &[u64], single: &[u64], output: &[u8]) {
    let output = unpack(to, output, codes.len()).expect("numeric");
    for ((code, expected), got) in codes.iter().zip(single).zip(&output) {
        assert_eq!(got, expected, "{what} {code:#x} {got:#x} {expected:#x}");
    }
    panic!("{what}: the bits behind the last element are not zero");
}

/// Returns the casts of a pair of a profile with all attributes that it takes there; none if the
/// profile does not have the pair.
fn of_profile(profile: Profile, from: DType, to: DType) -> Vec<Cast> {
    let modes = [None].into_iter().chain(RoundMode::ALL.map(Some));
    let given = modes.flat_map(|mode| [None, Some(false), Some(true)].map(|it| (it, mode)));
    let cast = |(saturate, mode)| Cast::of_profile_with(profile, from, to, saturate, mode).ok();
    given.filter_map(cast).collect()
}

/// A cast whose loops are another's once it has a round mode.
#[test]
fn a_round_mode_of_a_profile_changes_the_loops() {
    let cast = Cast::of_profile(Profile::OpenclSat, DType::Float64, DType::Int32).expect("a cast");
    let input: Vec<u8> = [2.5_f64, -2.5, 3.5, f64::NAN].map(f64::to_le_bytes).concat();
    for (mode, expected) in [
        (RoundMode::Nearest, [2, -2, 4, 0]),
        (RoundMode::Up, [3, -2, 4, 0]),
        (RoundMode::Down, [2, -3, 3, 0]),
        (RoundMode::TowardZero, [2, -2, 3, 0]),
        (RoundMode::NearestAway, [3, -3, 4, 0]),
    ] {
        let cast = cast.round_mode(mode);
        let mut output = [0; 16];
        cast.run(&input, 4, &mut output).expect("lengths fit");
        assert_eq!(output.to_vec(), expected.map(i32::to_le_bytes).concat(), "{cast:?}");
    }
    let error =
        Cast::of_profile_with(Profile::RustAs, DType::Float32, DType::Int8, Some(true), None);
    let said = error.expect_err("no attribute").to_string();
    assert_eq!(said, "rust-as has no such attribute from float32 to int8: leave it out");
}

/// Leaves out codes that trap, after each of them has refused a slice that holds it, whose output stays what it is.
fn traps(cast: &Cast, codes: &mut Vec<u64>) {
    let (from, to) = (cast.from(), cast.to());
    let (trapping, mut others): (Vec<u64>, Vec<u64>) =
        codes.iter().partition(|&&code| matches!(cast.code(code), Err(Error::Traps { .. })));
    for (number, &code) in trapping.iter().take(LONG / 10).enumerate() {
        let (count, index) = (1 + number % 70, number % (1 + number % 70));
        let held = std::mem::replace(&mut others[index], code);
        let input = pack(from, &others[..count]).expect("numeric");
        let mut output = vec![0x5a; packed_len(to, count).expect("numeric")];
        let refused = cast.run(&input, count, &mut output);
        assert_eq!(refused, Err(Error::Traps { index, from, to }), "{cast:?} {code:#x}");
        assert!(output.iter().all(|byte| *byte == 0x5a), "{cast:?}: an output was written");
        others[index] = held;
    }
    *codes = others;
}

#[test]
fn every_code_agrees_with_single_codes_under_every_rule() {
    let rules: [fn(Cast) -> Cast; 5] = [
        |cast| cast,
        |cast| cast.opset(23),
        |cast| cast.saturate(false),
        |cast| cast.round_mode(RoundMode::Nearest).saturate(false),
        |cast| cast.round_mode(RoundMode::Down),
    ];
    let backends = backends();
    for (cast, from, to) in pairs() {
        let mut codes = share(codes(from).into_iter().chain(near_ties(from)).collect());
        // Few codes are repeated, because only long slices are cast by table.
        while codes.len() < LONG {
            codes.extend_from_within(..);
        }
        let input = pack(from, &codes).expect("numeric");
        for (index, rule) in rules.into_iter().enumerate() {
            // The first rule is tested with every target; the others change only floats of 8 bits.
            if index > 0 && !(to.is_float() && to.bits() == 8) {
                continue;
            }
            let cast = rule(cast);
            let single: Vec<u64> =
                codes.iter().map(|code| cast.code(*code).expect("fits")).collect();
            let expected = pack(to, &single).expect("numeric");
            for &backend in &backends {
                let mut output = vec![0; packed_len(to, codes.len()).expect("numeric")];
                let cast = cast.backend(backend);
                cast.run(&input, codes.len(), &mut output).expect("fits");
                if output != expected {
                    first_difference(&format!("{cast:?}"), to, &codes, &single, &output);
                }
            }
        }
    }
}

/// The length from which on a slice is long enough for every way of casting, except those of the
/// test below.
const LONG: usize = 5000;

#[test]
fn very_long_slices_equal_their_pieces() {
    use DType::{Bfloat16, Float8E4M3FN, Float16, Float32, Float64, Int4, Int8, Int64, Uint8};
    // Outputs of more than 16 MiB, which are written past the caches.
    let pairs = [
        (Uint8, Float8E4M3FN),
        (Int4, Int8),
        (Float8E4M3FN, Float16),
        (Float16, Float32),
        (Float32, Bfloat16),
        (Float32, Float32),
        (Float8E4M3FN, Int64),
        (Int64, Float64),
    ];
    for (from, to) in pairs {
        let count = (17 << 23) / to.bits() as usize + 3;
        let input: Vec<u8> =
            random(3).flat_map(u64::to_le_bytes).take(bytes(from, count)).collect();
        for backend in backends() {
            let cast = Cast::new(from, to).expect("numeric").backend(backend);
            let mut whole = vec![0; bytes(to, count)];
            cast.run(&input, count, &mut whole).expect("fits");
            let mut pieces = vec![0; bytes(to, count)];
            let inputs = input.chunks(bytes(from, LONG));
            for (input, output) in inputs.zip(pieces.chunks_mut(bytes(to, LONG))) {
                let count = output.len() * 8 / to.bits() as usize;
                cast.run(input, count, output).expect("fits");
            }
            assert!(whole == pieces, "{cast:?}");
        }
    }
}

fn bytes(dtype: DType, count: usize) -> usize {
    packed_len(dtype, count).expect("numeric")
}

/// Returns codes around ties between two neighbours of narrow floats, where rounding twice shows:
/// short significands in every binade plus half of their last bit, and the codes next to them.
fn near_ties(from: DType) -> Vec<u64> {
    if from.bits() <= 16 {
        return Vec::new(); // all codes are tested
    }
    // The significand of a float begins below its exponent field; that of an integer, anywhere.
    let tops: Vec<u32> = match from {
        DType::Float32 => vec![23],
        DType::Float64 => vec![52],
        _ => (10..from.bits()).collect(),
    };
    let mut codes = Vec::new();
    for top in tops {
        let exponents: Vec<u64> = match from {
            DType::Float32 => (0..512).collect(),
            DType::Float64 => {
                (0..4096).filter(|field| (800..1200).contains(&(field & 0x7ff))).collect()
            }
            _ => vec![1],
        };
        for exponent in exponents {
            for kept in [1, 2, 3, 7, 8, 10, 11].into_iter().filter(|kept| kept + 1 < top) {
                let half = 1_u64 << (top - kept - 1);
                for last in [0, 2 * half] {
                    let middle = (exponent << top) + last + half;
                    codes.extend([middle - 1, middle, middle + 1]);
                    codes.extend([middle.wrapping_neg(), !middle, middle.wrapping_neg() + 1]);
                }
            }
        }
    }
    codes.into_iter().map(|code| code & from.code_mask()).collect()
}

/// The value of bytes that no cast may change.
const GUARD: u8 = 0xa5;

#[test]
fn every_tail_length_and_alignment_stays_within_its_bytes() {
    for (cast, from, to) in pairs() {
        let codes: Vec<u64> = random(7).take(130).map(|code| code & from.code_mask()).collect();
        let single: Vec<u64> = codes.iter().map(|code| cast.code(*code).expect("fits")).collect();
        for backend in backends() {
            let cast = cast.backend(backend);
            // Every length at some alignment, then every alignment at one length.
            let lengths = (0..=130).map(|count| (count, count * 7 % 64));
            for (count, offset) in lengths.chain((0..64).map(|offset| (97, offset))) {
                let input = pack(from, &codes[..count]).expect("numeric");
                let expected = pack(to, &single[..count]).expect("numeric");
                let source = shifted(&input, offset);
                let mut target = shifted(&vec![GUARD; expected.len()], 63 - offset);
                let (before, after) = (63 - offset, 63 - offset + expected.len());
                cast.run(&source[offset..offset + input.len()], count, &mut target[before..after])
                    .expect("fits");
                assert_eq!(target[before..after], expected, "{cast:?} {count} at {offset}");
                let guards = target[..before].iter().chain(&target[after..]);
                assert!(guards.copied().all(|byte| byte == GUARD), "{cast:?} {count} at {offset}");
            }
        }
    }
}

/// Returns `offset` guard bytes, the bytes, and 64 guard bytes.
fn shifted(bytes: &[u8], offset: usize) -> Vec<u8> {
    [&vec![GUARD; offset], bytes, &[GUARD; 64]].concat()
}

#[test]
fn a_missing_backend_is_refused_in_one_line() {
    assert_eq!(Backend::detect(InstructionSet::Portable), Ok(Backend::PORTABLE));
    for set in InstructionSet::ALL {
        match Backend::detect(set) {
            Ok(backend) => assert_eq!(backend.instruction_set(), set),
            Err(error) => assert_eq!(error, Error::MissingBackend { set }),
        }
    }
    let rows = [
        (
            Error::MissingBackend { set: InstructionSet::Avx512 },
            "this machine does not have the instructions of avx512: use another backend",
        ),
        (
            Error::UnknownBackend,
            &format!("CASTPROOF_BACKEND does not name a backend: use {}", names()),
        ),
    ];
    for (error, expected) in rows {
        assert_eq!(error.to_string(), expected);
    }
}

#[test]
fn the_page_of_speed_names_every_backend() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/speed.md");
    let page = std::fs::read_to_string(page).expect("a page of the repository");
    let listed = InstructionSet::ALL.map(InstructionSet::name);
    let listed: Vec<&str> = listed.into_iter().rev().collect();
    let expected = format!("`CASTPROOF_BACKEND={}`", listed.join("|"));
    assert!(page.contains(&expected), "docs/speed.md lacks {expected}");
}

/// Returns the names of all backends, as a sentence lists them.
fn names() -> String {
    let names = InstructionSet::ALL.map(InstructionSet::name);
    let (last, others) = names.split_last().expect("there are backends");
    format!("{} or {last}", others.join(", "))
}
