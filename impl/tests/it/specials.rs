//! Special values among ordinary ones. Loops may take another way for a group of elements in which
//! there is one, and must not treat its neighbours differently.

use crate::common::random;
use castproof_impl::{Backend, Cast, packed_len};
use castproof_vectors::{DType, pack, unpack};

/// Elements before and after the special one: more than the largest group of any loop.
const SIDE: usize = 64;

/// Values at which conversions change course: NaN with payloads, infinities, ends of integer ranges.
fn specials() -> Vec<f64> {
    let powers = [7, 8, 15, 16, 31, 32, 51, 52, 63, 64, 100, 127].map(|power| 2f64.powi(power));
    let ends = powers.into_iter().flat_map(|end| [end.next_down(), end - 1.0, end, end + 1.0]);
    let ends = ends.chain([f64::INFINITY, f64::MAX, 1e-300]);
    ends.flat_map(|value| [value, -value]).collect()
}

/// Codes of `specials`, and signalling and quiet NaN with payloads; all codes of a float of 8 bits.
fn special_codes(from: DType) -> Vec<u64> {
    if from.bits() == 8 {
        return (0..=from.code_mask()).collect();
    }
    let to_source = Cast::new(DType::Float64, from).expect("numeric");
    let codes = specials().into_iter().map(|value| to_source.code(value.to_bits()).expect("fits"));
    let nan = [0xffff_ffff_ffff_ffff, 0x7fff_0000_0001_0001, 0x7ff4_0000_0000_0000];
    let nan = nan.map(|code: u64| code >> (64 - from.bits()));
    let nan = nan.into_iter().chain(match from {
        DType::Float32 => vec![0x7f80_0001, 0xffa0_0000, 0xffc0_0001],
        DType::Float16 => vec![0x7c01, 0xfe01, 0xfd00],
        DType::Bfloat16 => vec![0x7f81, 0xffc1, 0xffa0],
        _ => vec![0x7ff0_0000_0000_0001, 0xfff8_0000_0000_0001],
    });
    codes.chain(nan).collect()
}

#[test]
fn one_special_value_changes_no_neighbour() {
    let sources = DType::NUMERIC.iter().filter(|from| from.is_float() && from.bits() >= 8);
    for &from in sources {
        let to_source = Cast::new(DType::Float64, from).expect("numeric");
        let ordinary = random(5).map(|bits| (bits as i64 as f64) / 2f64.powi(57));
        let ordinary: Vec<u64> = ordinary
            .take(2 * SIDE)
            .map(|value| to_source.code(value.to_bits()).expect("fits"))
            .collect();
        for &to in DType::NUMERIC {
            let cast = Cast::new(from, to).expect("numeric");
            let single = |code: u64| cast.code(code).expect("fits");
            let results: Vec<u64> = ordinary.iter().map(|code| single(*code)).collect();
            for (index, code) in special_codes(from).into_iter().enumerate() {
                // Each special value stands at a place of its own, in a slice of its own length.
                let place = index * 5 % SIDE;
                let count = SIDE + index * 7 % SIDE;
                let mut codes = ordinary[..count].to_vec();
                let mut expected = results[..count].to_vec();
                (codes[place], expected[place]) = (code, single(code));
                let input = pack(from, &codes).expect("numeric");
                for backend in Backend::available() {
                    let cast = cast.backend(backend);
                    let mut output = vec![0; packed_len(to, count).expect("numeric")];
                    cast.run(&input, count, &mut output).expect("fits");
                    let output = unpack(to, &output, count).expect("numeric");
                    assert_eq!(output, expected, "{cast:?} {code:#x} at {place} of {count}");
                }
            }
        }
    }
}
