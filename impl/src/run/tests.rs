//! Tests every path through a plan at sizes that tests can afford. The paths that only large slices
//! take are called directly.

use super::Route;
use crate::arch::Stores;
use crate::plan::{Layout, Plan};
use crate::rules::Rules;
use crate::{Backend, Cast};
use castproof_vectors::random::Random;
use castproof_vectors::{DType, pack};
use std::vec;
use std::vec::Vec;

/// Bytes that no cast may touch.
const GUARD: u8 = 0xa5;

/// Elements of the longest slice: more than two groups of any loop, with a tail.
const LONGEST: usize = 600;

/// A cast by the newest rules and its loops.
struct Case {
    cast: Cast,
    from: DType,
    to: DType,
    route: Route,
}

fn cases() -> impl Iterator<Item = Case> {
    let pairs = DType::NUMERIC.iter().flat_map(|from| DType::NUMERIC.iter().map(|to| (*from, *to)));
    pairs.flat_map(move |(from, to)| {
        Backend::available().map(move |backend| {
            let cast = Cast::new(from, to).expect("numeric").backend(backend);
            let set = backend.instruction_set();
            let plan = Plan::make(from, to, &Rules::NEWEST, Layout::Packed, set);
            Case { cast, from, to, route: Route::new(&plan, backend) }
        })
    })
}

/// Random codes of the source and what each of them gives on its own.
fn example(Case { cast, from, .. }: &Case) -> (Vec<u64>, Vec<u64>) {
    let codes = Random::new(1).numbers().map(|number| number & from.code_mask());
    let codes: Vec<u64> = codes.take(LONGEST).collect();
    let results = codes.iter().map(|code| cast.code(*code).expect("fits")).collect();
    (codes, results)
}

/// Runs a cast on every tail length and every alignment of the output, and asserts the result and
/// that the bytes around it keep their value.
fn assert_run(case: &Case, run: impl Fn(usize, &[u8], &mut [u8])) {
    let (codes, results) = example(case);
    let Case { cast, from, to, .. } = case;
    let lengths = (0..=130).map(|count| (count, count * 7 % 64));
    for (count, offset) in lengths.chain((0..64).map(|offset| (LONGEST, offset))) {
        let mut input = pack(*from, &codes[..count]).expect("numeric");
        set_padding(*from, count, &mut input);
        let expected = pack(*to, &results[..count]).expect("numeric");
        let mut room = vec![GUARD; 128 + expected.len() + 64];
        let start = (64 - room.as_ptr().addr() % 64) + offset;
        let output = &mut room[start..start + expected.len()];
        run(count, &input, output);
        assert_eq!(room[start..start + expected.len()], expected, "{cast:?} {count} at {offset}");
        room[start..start + expected.len()].fill(GUARD);
        assert!(room.iter().all(|byte| *byte == GUARD), "{cast:?} {count} at {offset}");
    }
}

/// Padding bits must not be read.
fn set_padding(dtype: DType, count: usize, bytes: &mut [u8]) {
    let used = count * dtype.bits() as usize % 8;
    if let (Some(last), 1..) = (bytes.last_mut(), used) {
        *last |= u8::MAX << used;
    }
}

#[test]
fn stores_past_the_caches_write_the_same() {
    for case in cases() {
        assert_run(&case, |count, input, output| {
            case.route.chain.run_all(Stores::Streaming, &Rules::NEWEST, count, input, output);
        });
    }
}

#[test]
fn tables_give_the_same_by_either_stores() {
    let mut tabled = 0;
    for case in cases() {
        let Some(table) = &case.route.tabled else { continue };
        for stores in [Stores::Plain, Stores::Streaming] {
            assert_run(&case, |count, input, output| {
                table.run(&case.route.chain, stores, &Rules::NEWEST, count, input, output);
            });
        }
        tabled += 1;
    }
    // The golden plans say which pairs use a table on which backend.
    assert!(tabled > 100 * Backend::available().count(), "{tabled} casts go by table");
}
