//! Families of faults. Each function draws the parameters of one fault.

use super::fault::{Call, Does, Fault, Spot, is_sorted};
use castproof::fuzz::Random;
use castproof::testee::Layout;

/// The largest count of level core.
const CORE: usize = 1 << 20;

/// The largest count that every layout has at level core.
const FORMED: usize = 1 << 16;

/// Every count up to this one is asked.
const EVERY: usize = 1100;

/// Calls after which the default gate may have asked all of a request.
const CALLS: u64 = 400;

type Draws = fn(&mut Random) -> Fault;

/// The families, by the kind of place.
pub(super) const FAMILIES: &[(&str, &[Draws])] = &[
    ("counts", &[modulo, multiple, narrow, wide, near_power, exact_power, from, up_to]),
    (
        "elements",
        &[lane, long_lane, element_from, from_start, from_end, tail, body, block, between],
    ),
    (
        "neighbours",
        &[equal, one_special, sorted, lone, constant_tensor, zero_tensor, sorted_tensor, beside],
    ),
    ("shapes", &[rank, sides, last_of_matrix, permuted, inner_modulo, side, form_from]),
    ("layouts", &[layout, layout_from, layout_between, layout_inner, layout_tail, layout_last]),
    ("constant and in place", &[constant, constant_from, in_place, in_place_from]),
    ("alignment", &[input_not_aligned, output_not_aligned, input_at, apart]),
    ("history", &[after_larger, after_smaller, after_empty, same_buffer, every_nth, after_calls]),
    ("memory", &[zeroes, writes_after, writes_before, reads_after, reads_before, leaves_last]),
    ("requests", &[like_tail]),
];

/// Draws a number from `first` to `last`, as many of each magnitude.
fn scale(random: &mut Random, first: usize, last: usize) -> usize {
    let (low, high) = ((first as f64).ln(), ((last + 1) as f64).ln());
    let at = random.below(1 << 20) as f64 / f64::from(1 << 20);
    ((low + at * (high - low)).exp() as usize).clamp(first, last)
}

fn range(random: &mut Random, first: usize, last: usize) -> usize {
    first + random.below(last - first + 1)
}

fn modulo(random: &mut Random) -> Fault {
    let of = scale(random, 2, EVERY);
    let rest = random.below(of);
    Fault::of_calls(format!("counts that are {rest} modulo {of}"), move |call| {
        call.count % of == rest
    })
}

fn multiple(random: &mut Random) -> Fault {
    let of = scale(random, 2, EVERY);
    Fault::of_calls(format!("counts that are multiples of {of}"), move |call| {
        call.count > 0 && call.count % of == 0
    })
}

fn narrow(random: &mut Random) -> Fault {
    let first = scale(random, 1, EVERY - 2);
    let last = range(random, first, (first + first / 8).min(EVERY));
    counts(first, last)
}

fn wide(random: &mut Random) -> Fault {
    let first = scale(random, EVERY, CORE / 4);
    counts(first, 4 * first)
}

fn counts(first: usize, last: usize) -> Fault {
    Fault::of_calls(format!("counts from {first} to {last}"), move |call| {
        (first..=last).contains(&call.count)
    })
}

fn beside_power(count: usize, distance: isize) -> bool {
    count.checked_add_signed(-distance).is_some_and(|it| it >= 8 && it.is_power_of_two())
}

fn words(distance: isize) -> &'static str {
    ["one below ", "", "one above "][(distance + 1) as usize]
}

fn near_power(random: &mut Random) -> Fault {
    let distance = random.below(3) as isize - 1;
    let name = format!("counts {}a power of two", words(distance));
    Fault::of_calls(name, move |call| beside_power(call.count, distance))
}

fn exact_power(random: &mut Random) -> Fault {
    let (power, distance) = (1 << range(random, 3, 12), random.below(3) as isize - 1);
    let name = format!("a count of {power} {distance:+}");
    Fault::of_calls(name, move |call| call.count.checked_add_signed(-distance) == Some(power))
}

fn from(random: &mut Random) -> Fault {
    let least = scale(random, 2, CORE - 2);
    Fault::of_calls(format!("from a count of {least} on"), move |call| call.count >= least)
}

fn up_to(random: &mut Random) -> Fault {
    let most = scale(random, 2, EVERY);
    Fault::of_calls(format!("up to a count of {most}"), move |call| call.count <= most)
}

fn lane(random: &mut Random) -> Fault {
    lane_of(range(random, 2, 64), random)
}

fn long_lane(random: &mut Random) -> Fault {
    lane_of(range(random, 65, 1024), random)
}

fn lane_of(of: usize, random: &mut Random) -> Fault {
    let lane = random.below(of);
    Fault::of_spots(format!("lane {lane} of {of}"), move |spot| spot.index % of == lane)
}

fn element_from(random: &mut Random) -> Fault {
    let first = scale(random, 1, CORE - 128);
    let long = move |call: &Call<'_>| call.count > first;
    Fault::new(format!("from element {first} on"), long, move |spot| spot.index >= first)
}

fn from_start(random: &mut Random) -> Fault {
    let at = random.below(200);
    let long = move |call: &Call<'_>| call.count > at;
    Fault::new(format!("element {at}"), long, move |spot| spot.index == at)
}

fn from_end(random: &mut Random) -> Fault {
    let back = random.below(200) + 1;
    let long = move |call: &Call<'_>| call.count >= back.max(2);
    let name = format!("the last element but {}", back - 1);
    Fault::new(name, long, move |spot| spot.index + back == spot.call.count)
}

fn tail(random: &mut Random) -> Fault {
    tail_of(range(random, 2, 256))
}

fn tail_of(size: usize) -> Fault {
    let long = move |call: &Call<'_>| call.count > size && !call.count.is_multiple_of(size);
    let behind = move |spot: &Spot<'_>| spot.index >= spot.call.count / size * size;
    Fault::new(format!("the tail of {size}"), long, behind)
}

fn body(random: &mut Random) -> Fault {
    let size = scale(random, 2, 4096);
    let long = move |call: &Call<'_>| call.count >= size;
    let whole = move |spot: &Spot<'_>| spot.index < spot.call.count / size * size;
    Fault::new(format!("the body of {size}"), long, whole)
}

fn block(random: &mut Random) -> Fault {
    let (size, number) = (scale(random, 8, 512), random.below(12));
    let long = move |call: &Call<'_>| call.count > size * number;
    let name = format!("block {number} of {size} elements");
    Fault::new(name, long, move |spot| spot.index / size == number)
}

fn between(random: &mut Random) -> Fault {
    let first = scale(random, 64, CORE / 8);
    let last = first + range(random, first / 8, first);
    let long = move |call: &Call<'_>| call.count > first;
    let name = format!("elements {first} to {last}");
    Fault::new(name, long, move |spot| (first..=last).contains(&spot.index))
}

fn equal(random: &mut Random) -> Fault {
    let size = scale(random, 2, 768);
    let long = move |call: &Call<'_>| call.count >= size;
    Fault::new(format!("in a block of {size} equal elements"), long, move |spot| {
        spot.block(size).is_some_and(|block| block.iter().all(|code| *code == block[0]))
    })
}

fn one_special(random: &mut Random) -> Fault {
    let size = range(random, 3, 64);
    let long = move |call: &Call<'_>| call.count >= size;
    Fault::new(format!("in a block of {size} with one special element"), long, move |spot| {
        let specials =
            |block: &[u64]| block.iter().filter(|&&code| spot.kinds.is_special(code)).count();
        spot.block(size).is_some_and(|block| specials(block) == 1)
    })
}

fn beside(random: &mut Random) -> Fault {
    let size = range(random, 2, 64);
    let long = move |call: &Call<'_>| call.count >= size;
    Fault::new(format!("in a block of {size} with a special element"), long, move |spot| {
        let is_special = |&code: &u64| spot.kinds.is_special(code);
        spot.block(size).is_some_and(|block| block.iter().any(is_special))
    })
}

fn sorted(random: &mut Random) -> Fault {
    let size = range(random, 4, 48);
    let long = move |call: &Call<'_>| call.count >= size;
    Fault::new(format!("in a sorted block of {size}"), long, move |spot| {
        spot.block(size).is_some_and(is_sorted)
    })
}

fn lone(random: &mut Random) -> Fault {
    let size = range(random, 3, 256);
    let long = move |call: &Call<'_>| call.count >= size;
    let name = format!("alone among zeros in a block of {size}");
    let fault = Fault::new(name, long, move |spot| {
        let is_zero = |code: &u64| spot.kinds.zeros.contains(code);
        let zeros = |block: &[u64]| block.iter().filter(|code| is_zero(code)).count();
        let is_alone = |block: &[u64]| zeros(block) + 1 == size;
        !is_zero(&spot.codes[spot.index]) && spot.block(size).is_some_and(is_alone)
    });
    Fault { not_at_zero: true, ..fault }
}

fn constant_tensor(random: &mut Random) -> Fault {
    let least = scale(random, 2, 1 << 10);
    let name = format!("in a tensor of {least} and more equal elements");
    Fault::new(name, move |call| call.count >= least, |spot| spot.whole.is_constant)
}

fn zero_tensor(random: &mut Random) -> Fault {
    let least = scale(random, 2, 1 << 16);
    let name = format!("in a tensor of {least} and more zeros");
    Fault::new(name, move |call| call.count >= least, |spot| spot.whole.is_zero)
}

fn sorted_tensor(random: &mut Random) -> Fault {
    let least = scale(random, 3, 1 << 10);
    let name = format!("in a sorted tensor of {least} and more elements");
    Fault::new(name, move |call| call.count >= least, |spot| spot.whole.is_sorted)
}

fn rank(random: &mut Random) -> Fault {
    let rank = [0, 2, 3, 4, 5, 6][random.below(6)];
    Fault::of_calls(format!("shapes of rank {rank}"), move |call| is_shape(call, rank))
}

/// Is the input contiguous and neither a constant nor written over, and of this rank?
fn is_shape(call: &Call<'_>, rank: usize) -> bool {
    call.form.is_plain() && call.form.shape.len() == rank
}

fn is_matrix(call: &Call<'_>) -> bool {
    call.form.is_plain() && call.form.shape.len() >= 2
}

fn inner(call: &Call<'_>) -> usize {
    call.form.shape.last().map_or(1, |side| *side as usize)
}

fn sides(random: &mut Random) -> Fault {
    let (rank, least) = (range(random, 2, 6), scale(random, 2, 64));
    let name = format!("shapes of rank {rank} with an outer side above 1 and {least} inside");
    Fault::of_calls(name, move |call| {
        is_shape(call, rank) && call.form.shape[0] > 1 && inner(call) >= least
    })
}

fn last_of_matrix(random: &mut Random) -> Fault {
    let rank = range(random, 2, 6);
    let name = format!("the last element of a shape of rank {rank}");
    Fault::new(name, move |call| is_shape(call, rank), |spot| spot.index + 1 == spot.call.count)
}

fn permuted(random: &mut Random) -> Fault {
    let rank = range(random, 2, 6);
    let name = format!("shapes of rank {rank} with their last two axes swapped");
    let fault = Fault::of_calls(name, move |call| is_shape(call, rank));
    Fault { does: Does::Permutes, ..fault }
}

fn inner_modulo(random: &mut Random) -> Fault {
    let of = range(random, 2, 16);
    let rest = random.below(of);
    let name = format!("shapes whose last side is {rest} modulo {of}");
    Fault::of_calls(name, move |call| is_matrix(call) && call.count > 0 && inner(call) % of == rest)
}

fn side(random: &mut Random) -> Fault {
    let (axis, side) = (random.below(3), range(random, 1, 4) as u64);
    Fault::of_calls(format!("shapes with side {side} of axis {axis}"), move |call| {
        is_matrix(call) && call.count > 0 && call.form.shape.get(axis) == Some(&side)
    })
}

fn form_from(random: &mut Random) -> Fault {
    let least = scale(random, 8, FORMED);
    let name = format!("shapes of rank 2 and more from a count of {least} on");
    Fault::of_calls(name, move |call| is_matrix(call) && call.count >= least)
}

fn any_layout(random: &mut Random) -> Layout {
    *random.one_of(&Layout::VIEWS)
}

fn layout(random: &mut Random) -> Fault {
    of_layout(any_layout(random))
}

fn of_layout(layout: Layout) -> Fault {
    let name = format!("layout {}", layout.name());
    Fault::of_calls(name, move |call| call.form.layout == layout && call.count > 1)
}

fn layout_from(random: &mut Random) -> Fault {
    let least = scale(random, 8, FORMED);
    of_layout(any_layout(random))
        .and(format!("from a count of {least} on"), move |call| call.count >= least)
}

fn layout_between(random: &mut Random) -> Fault {
    let first = scale(random, 2, FORMED / 32);
    let last = 16 * first;
    of_layout(any_layout(random)).and(format!("counts from {first} to {last}"), move |call| {
        (first..=last).contains(&call.count)
    })
}

fn layout_inner(random: &mut Random) -> Fault {
    let least = scale(random, 2, 256);
    of_layout(any_layout(random))
        .and(format!("last side of {least} and more"), move |call| inner(call) >= least)
}

fn layout_tail(random: &mut Random) -> Fault {
    let (layout, size) = (any_layout(random), range(random, 2, 64));
    let on = move |call: &Call<'_>| call.form.layout == layout && call.count > size;
    Fault::new(format!("layout {}, the tail of {size}", layout.name()), on, move |spot| {
        spot.index >= spot.call.count / size * size
    })
}

fn layout_last(random: &mut Random) -> Fault {
    let layout = any_layout(random);
    let on = move |call: &Call<'_>| call.form.layout == layout && call.count > 1;
    Fault::new(format!("layout {}, the last element", layout.name()), on, |spot| {
        spot.index + 1 == spot.call.count
    })
}

fn constant(_: &mut Random) -> Fault {
    Fault::of_calls("a constant as input", |call| call.form.constant && call.count > 1)
}

fn constant_from(random: &mut Random) -> Fault {
    let least = scale(random, 8, FORMED);
    constant(random).and(format!("from a count of {least} on"), move |call| call.count >= least)
}

fn in_place(_: &mut Random) -> Fault {
    Fault::of_calls("in place", |call| call.form.in_place && call.count > 1)
}

fn in_place_from(random: &mut Random) -> Fault {
    let least = scale(random, 8, FORMED);
    in_place(random).and(format!("from a count of {least} on"), move |call| call.count >= least)
}

fn in_process(fault: Fault) -> Fault {
    Fault { in_process: true, ..fault }
}

fn at(call: &Call<'_>, side: usize, of: usize) -> usize {
    call.addresses.map_or(0, |addresses| addresses[side] % of)
}

fn input_not_aligned(random: &mut Random) -> Fault {
    let of = 2 << random.below(6);
    let name = format!("an input not aligned to {of} bytes");
    in_process(Fault::of_calls(name, move |call| at(call, 0, of) != 0))
}

fn output_not_aligned(random: &mut Random) -> Fault {
    let of = 2 << random.below(6);
    let name = format!("an output not aligned to {of} bytes");
    in_process(Fault::of_calls(name, move |call| at(call, 1, of) != 0))
}

fn input_at(random: &mut Random) -> Fault {
    let of = 2 << random.below(6);
    let rest = range(random, 1, of - 1);
    let name = format!("an input {rest} bytes after a multiple of {of}");
    in_process(Fault::of_calls(name, move |call| at(call, 0, of) == rest))
}

fn apart(random: &mut Random) -> Fault {
    let of = 2 << random.below(6);
    let name = format!("input and output apart by no multiple of {of} bytes");
    in_process(Fault::of_calls(name, move |call| at(call, 0, of) != at(call, 1, of)))
}

fn after_larger(random: &mut Random) -> Fault {
    let times = scale(random, 2, 1000);
    Fault::of_calls(format!("after a call of {times} times as many elements"), move |call| {
        call.count > 0 && call.before.is_some_and(|before| before.count >= call.count * times)
    })
}

fn after_smaller(random: &mut Random) -> Fault {
    let times = scale(random, 2, 1000);
    Fault::of_calls(format!("after a call of a {times}th of the elements"), move |call| {
        let is_less = |before: usize| before > 0 && before * times <= call.count;
        call.before.is_some_and(|before| is_less(before.count))
    })
}

fn after_empty(_: &mut Random) -> Fault {
    let is_empty = |call: &Call<'_>| call.before.is_some_and(|before| before.count == 0);
    Fault::of_calls("after a call without elements", is_empty)
}

fn same_buffer(random: &mut Random) -> Fault {
    let least = scale(random, 2, 1 << 12);
    let name = format!("the second call on the same buffer, from a count of {least} on");
    in_process(Fault::of_calls(name, move |call| {
        let input = call.addresses.map(|addresses| addresses[0]);
        let is_same = |before: super::fault::Before| input.is_some() && before.input == input;
        call.count >= least && call.before.is_some_and(is_same)
    }))
}

fn every_nth(random: &mut Random) -> Fault {
    let of = scale(random, 2, 200) as u64;
    let rest = random.number() % of;
    Fault::of_calls(format!("calls whose number is {rest} modulo {of}"), move |call| {
        call.number % of == rest
    })
}

fn after_calls(random: &mut Random) -> Fault {
    let first = scale(random, 100, 1 << 16) as u64;
    let fault = Fault::of_calls(format!("from call {first} on"), move |call| call.number >= first);
    let beyond = (first > CALLS).then_some("the history may be longer than the run");
    Fault { beyond, ..fault }
}

/// Returns a condition on counts for faults of memory.
fn some_counts(random: &mut Random) -> (String, Box<dyn Fn(usize) -> bool + Send + Sync>) {
    match random.below(3) {
        0 => {
            let of = range(random, 2, 64);
            let rest = random.below(of);
            let name = format!("counts that are {rest} modulo {of}");
            (name, Box::new(move |count| count > 0 && count % of == rest))
        }
        1 => {
            let least = scale(random, 1, CORE / 2);
            let name = format!("from a count of {least} on");
            (name, Box::new(move |count| count >= least))
        }
        _ => {
            let first = scale(random, 1, CORE / 4);
            let name = format!("counts from {first} to {}", 4 * first);
            (name, Box::new(move |count| (first..=4 * first).contains(&count)))
        }
    }
}

fn of_memory(name: &str, does: Does, random: &mut Random) -> Fault {
    let (counts, holds) = some_counts(random);
    let fault = Fault::of_calls(format!("{name}, {counts}"), move |call| holds(call.count));
    in_process(Fault { does, ..fault })
}

fn zeroes(random: &mut Random) -> Fault {
    of_memory("zeroes the input", Does::ZeroesInput, random)
}

fn writes_after(random: &mut Random) -> Fault {
    let distance = scale(random, 1, 100);
    let does = Does::Writes(distance as isize);
    of_memory(&format!("writes {distance} bytes behind the end"), does, random)
}

fn writes_before(random: &mut Random) -> Fault {
    let distance = scale(random, 1, 100);
    let does = Does::Writes(-(distance as isize));
    of_memory(&format!("writes {distance} bytes before the start"), does, random)
}

fn reads_after(random: &mut Random) -> Fault {
    let distance = scale(random, 1, 100);
    let does = Does::Reads(distance as isize);
    of_memory(&format!("reads {distance} bytes behind the end"), does, random)
}

fn reads_before(random: &mut Random) -> Fault {
    let distance = scale(random, 1, 100);
    let does = Does::Reads(-(distance as isize));
    of_memory(&format!("reads {distance} bytes before the start"), does, random)
}

fn leaves_last(random: &mut Random) -> Fault {
    of_memory("leaves the last element unwritten", Does::LeavesLast, random)
}

fn like_tail(random: &mut Random) -> Fault {
    tail_of(range(random, 2, 16)).and("under CastLike", |call| call.like)
}
