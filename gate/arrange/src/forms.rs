//! The forms of tensors that a testee's hello lists: shapes, layouts, constants, casts in place. They
//! are drawn, so that sides of every kind are met at small, middle and large counts.

use castproof_check::arrange::scale;
use castproof_check::fuzz::Random;
use castproof_testee::{Feature, Form, Layout};
use castproof_vectors::{DType, element_count};

/// The largest rank of a shape.
const RANK: usize = 6;

/// Scalars of a pair.
const SCALARS: usize = 6;

/// Last sides up to this one are asked, so that every rest modulo a smaller number is met.
const LAST_SIDES: u64 = 16;

/// Elements of a small tensor that has room for all codes of a request.
const ROOM: u64 = 61;

/// Counts of the tensors of each layout, from the first to below the second.
const SIZES: [(usize, usize); 9] = [
    (2, 8),
    (8, 32),
    (32, 64),
    (64, 256),
    (256, 512),
    (512, 1100),
    (1100, 4096),
    (4096, 16_384),
    (65_536, 98_304),
];

/// Counts of constants and of casts in place.
const FEWER_SIZES: [(usize, usize); 7] =
    [(1, 2), (2, 8), (8, 64), (64, 512), (512, 4096), (4096, 16_384), (65_536, 98_304)];

/// Draws the forms of a pair that need these features.
pub fn forms((from, to): (DType, DType), features: &[Feature], random: &mut Random) -> Vec<Form> {
    let has = |feature: Feature| features.contains(&feature);
    let mut forms: Vec<Form> = Vec::new();
    if has(Feature::Shapes) {
        let shapes = shapes(random);
        forms.extend(shapes.into_iter().map(|shape| Form { shape, ..Form::default() }));
    }
    for layout in Layout::VIEWS.into_iter().filter(|layout| has(layout.feature())) {
        for size in SIZES {
            let rank = match layout {
                Layout::Transposed => 2,
                Layout::Broadcast => 2 + random.below(2),
                _ => 1 + random.below(3),
            };
            let shape = sized(random, rank, size);
            forms.push(Form { shape, layout, ..Form::default() });
        }
    }
    let flat =
        |random: &mut Random, size| Form { shape: sized(random, 1, size), ..Form::default() };
    if has(Feature::Constant) {
        let all = FEWER_SIZES.map(|size| Form { constant: true, ..flat(random, size) });
        forms.extend(all);
    }
    if has(Feature::InPlace) && from.bits() == to.bits() {
        let all = FEWER_SIZES.map(|size| Form { in_place: true, ..flat(random, size) });
        forms.extend(all);
    }
    forms
}

/// Draws contiguous shapes: of rank 0, without elements, of sides of 1, of every rank with an inner
/// side of 8 and of 64 and more, with every small side of the first axes, and large ones.
fn shapes(random: &mut Random) -> Vec<Vec<u64>> {
    let ones = vec![1; 2 + random.below(RANK - 1)];
    let mut shapes = vec![vec![]; SCALARS];
    shapes.extend([vec![0], vec![1, 1], ones]);
    let rank = 3 + random.below(RANK - 2);
    let mut empty = shape(random, rank, 64, 2);
    let axis = random.below(empty.len());
    empty[axis] = 0;
    shapes.push(empty);
    for rank in 2..=RANK {
        for inner in [8, 64] {
            let least = inner << (rank - 1);
            let count = scale(random, least, 4 * least);
            shapes.push(shape(random, rank, count, inner as u64));
        }
    }
    let first = random.below(4) as u64;
    for turn in 0..4 {
        let side = |axis: u64| (first + turn + axis) % 4 + 1;
        shapes.push(vec![side(0), side(1), side(2), 3 + turn]);
    }
    for last in 1..=LAST_SIDES {
        let rows = ROOM / last + 2 + random.below(4) as u64;
        shapes.push(match random.below(3) {
            0 => vec![2, rows.div_ceil(2), last],
            _ => vec![rows, last],
        });
    }
    for size in [(1100, 4096), (4096, 16_384), (65_536, 98_304)] {
        let rank = 2 + random.below(3);
        shapes.push(sized(random, rank, size));
    }
    shapes
}

/// Draws a shape of this rank with about so many elements.
fn sized(random: &mut Random, rank: usize, (first, end): (usize, usize)) -> Vec<u64> {
    let count = scale(random, first, end - 1);
    if rank == 1 {
        return vec![count as u64];
    }
    let inner = if count >= 4096 { 256 } else { 2 };
    let mut shape = shape(random, rank, count, inner);
    // The sides were rounded; the first one makes up for it.
    let rest = element_count(&shape[1..]).unwrap_or(1).max(1);
    shape[0] = first.div_ceil(rest).max(shape[0] as usize) as u64;
    shape
}

/// Draws a shape with sides above 1, the last one at least `inner`. It has at most three times `count`
/// elements, or the fewest possible.
fn shape(random: &mut Random, rank: usize, count: usize, inner: u64) -> Vec<u64> {
    let mut shape = vec![2; rank];
    shape[rank - 1] = inner;
    let product = |shape: &[u64]| shape.iter().product::<u64>();
    while 2 * product(&shape) <= count as u64 {
        shape[random.below(rank)] *= 2;
    }
    for axis in 0..rank {
        let longer = shape[axis] + random.below(shape[axis] as usize) as u64;
        let before = std::mem::replace(&mut shape[axis], longer);
        if product(&shape) > 3 * count as u64 {
            shape[axis] = before;
        }
    }
    shape
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn of_every_feature(seed: u64) -> Vec<Form> {
        forms((DType::Float32, DType::Int32), &Feature::ALL, &mut Random::new(seed))
    }

    #[test]
    fn every_rank_has_sides_above_one_and_long_inner_ones() {
        for seed in 0..50 {
            let forms = of_every_feature(seed);
            let shapes: Vec<&[u64]> =
                forms.iter().filter(|it| it.is_plain()).map(|it| &it.shape[..]).collect();
            for rank in 2..=RANK {
                for inner in [8, 64] {
                    let is = |shape: &&&[u64]| {
                        shape.len() == rank && shape[0] > 1 && shape[rank - 1] >= inner
                    };
                    assert!(shapes.iter().any(|it| is(&it)), "seed {seed}, rank {rank}, {inner}");
                }
            }
            for axis in 0..3 {
                for side in 1..=4 {
                    assert!(shapes.iter().any(|it| it.get(axis) == Some(&side)), "seed {seed}");
                }
            }
            let last: BTreeSet<u64> = shapes.iter().filter_map(|it| it.last().copied()).collect();
            assert!((0..=LAST_SIDES).all(|side| last.contains(&side)), "seed {seed}");
        }
    }

    #[test]
    fn every_layout_has_small_middle_and_large_counts() {
        for seed in 0..50 {
            let forms = of_every_feature(seed);
            for layout in Layout::VIEWS {
                let of = forms.iter().filter(|it| it.layout == layout);
                let counts: Vec<usize> =
                    of.map(|it| element_count(&it.shape).expect("few")).collect();
                for (first, end) in SIZES {
                    let is_near = |count: &usize| (first..3 * end).contains(count);
                    assert!(counts.iter().any(is_near), "{} {counts:?}", layout.name());
                }
            }
            let large = |it: &&Form| element_count(&it.shape).expect("few") >= 65_536;
            assert!(forms.iter().filter(large).count() >= 8);
            let sum: usize = forms.iter().map(|it| element_count(&it.shape).expect("few")).sum();
            assert!(sum < 3_000_000, "{sum} elements");
        }
    }
}
