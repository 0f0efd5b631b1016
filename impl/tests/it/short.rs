//! Every pair on a few elements, among them those at the ends of ranges. Few enough for Miri, which
//! finds undefined behaviour of the portable loops and of packing, where other tests see only bytes.

use crate::common::random;
use castproof_impl::{Backend, Cast, packed_len};
use castproof_vectors::{DType, pack, unpack};

/// A slice of this many elements has a whole group of eight packed elements, a tail, and all values of [`codes`] that are not
/// random. Under Miri they are fewer: with 21 the step machine-miri took four minutes of a processor.
const COUNT: usize = if cfg!(miri) { 13 } else { 21 };

/// Returns codes of special values, of values at the ends of integer ranges, and random codes.
fn codes(from: DType, seed: u64) -> Vec<u64> {
    let ends = [0.0, -0.0, 0.5, -1.5, 2f64.powi(31), -(2f64.powi(63)), 2f64.powi(64)];
    let specials = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX];
    let to_source = Cast::new(DType::Float64, from).expect("numeric");
    let values = ends.into_iter().chain(specials);
    let values = values.map(|value: f64| to_source.code(value.to_bits()).expect("fits"));
    values.chain(random(seed).map(|code| code & from.code_mask())).take(COUNT).collect()
}

#[test]
fn short_slices_equal_single_codes() {
    let mut seed = 0;
    for &from in DType::NUMERIC {
        for &to in DType::NUMERIC {
            seed += 1;
            let codes = codes(from, seed);
            let input = pack(from, &codes).expect("numeric");
            for backend in Backend::available() {
                let cast = Cast::new(from, to).expect("numeric").backend(backend);
                let mut output = vec![0; packed_len(to, COUNT).expect("numeric")];
                cast.run(&input, COUNT, &mut output).expect("fits");
                let output = unpack(to, &output, COUNT).expect("numeric");
                for (code, got) in codes.iter().zip(output) {
                    let expected = cast.code(*code).expect("fits");
                    assert_eq!(got, expected, "{cast:?} {code:#x} {got:#x} {expected:#x}");
                }
            }
        }
    }
}
