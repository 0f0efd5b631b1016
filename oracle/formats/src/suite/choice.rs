//! The choice of codes: those that tell the most wrong ways from the right one and from each other, until no more can be told.

use super::candidates::candidates;
use super::conversions::{self, Asked};
use super::range::is_beyond;
use crate::decode::{decode, finite};
use crate::record::Format;
use crate::ways::{Task, ways};
use castproof_oracle::Value;
use castproof_oracle::number::Rational;
use castproof_vectors::{Conversion, Edition, FormatCodes, Level, Project, Saturation};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Codes of a conversion at most.
const MOST: usize = 40;

/// Codes whose result is open, of each conversion.
const OPEN: usize = 2;

/// Returns the questions of the suite. Codes in the range of the target and codes beyond it are asked apart, so that each has the rule
/// that decides.
pub fn projections(level: Level) -> Vec<Project> {
    let asked = conversions::all(level);
    // Conversions that differ in saturation and edition alone are asked with the same codes.
    let mut alike: BTreeMap<Conversion, Vec<(u64, u64)>> = BTreeMap::new();
    for Asked { conversion, is_whole } in &asked {
        if !is_whole {
            alike.entry(plain(conversion)).or_default();
        }
    }
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let mut places: Vec<(&Conversion, &mut Vec<(u64, u64)>)> = alike.iter_mut().collect();
    let share = places.len().div_ceil(threads).max(1);
    let fill = |part: &mut [(&Conversion, &mut Vec<(u64, u64)>)]| {
        for (conversion, operands) in part {
            **operands = chosen(&task(conversion));
        }
    };
    // WebAssembly has one thread and starts no other.
    let mut parts = places.chunks_mut(share);
    let first = parts.next();
    std::thread::scope(|scope| {
        parts.for_each(|part| {
            scope.spawn(move || fill(part));
        });
        first.into_iter().for_each(fill);
    });
    let mut all = Vec::new();
    for Asked { conversion, is_whole } in asked {
        let operands = match is_whole {
            true => every_code(&task(&conversion).from),
            false => alike[&plain(&conversion)].clone(),
        };
        let task = task(&conversion);
        let is_beyond = |&(code, random): &(u64, u64)| {
            let value = decode(&task.from, code).zip(task.projection(random));
            value.is_none_or(|(value, projection)| is_beyond(&value, &task.to, &projection))
        };
        let (beyond, within): (Vec<_>, Vec<_>) = operands.into_iter().partition(is_beyond);
        let parts = [within, beyond].into_iter().filter(|it| !it.is_empty());
        all.extend(parts.map(|operands| ask(&task, &operands)));
    }
    all
}

fn task(conversion: &Conversion) -> Task {
    Task::new(conversion.clone()).expect("the formats of the suite have names")
}

/// The conversion without saturation, by the report.
fn plain(conversion: &Conversion) -> Conversion {
    let (saturation, edition) = (Saturation::None, Edition::Report4);
    Conversion { saturation, edition, ..conversion.clone() }
}

fn every_code(format: &Format) -> Vec<(u64, u64)> {
    (0..=format.code_mask()).map(|code| (code, 0)).collect()
}

fn ask(task: &Task, operands: &[(u64, u64)]) -> Project {
    let (codes, randoms): (Vec<u64>, Vec<u64>) = operands.iter().copied().unzip();
    let conversion = task.conversion.clone();
    let bits = conversion.random_bits;
    Project {
        from: conversion.from,
        to: conversion.to,
        rounding: conversion.rounding,
        saturation: conversion.saturation,
        edition: conversion.edition,
        random_bits: bits,
        input: FormatCodes::new(task.from.bits, codes),
        random: if bits > 0 { FormatCodes::new(bits, randoms) } else { FormatCodes::default() },
    }
}

/// Chooses the codes of a conversion. Every way has a class, at first the same; a code splits the classes by what the ways give. The
/// code that makes most classes comes next.
fn chosen(task: &Task) -> Vec<(u64, u64)> {
    let candidates = candidates(task);
    let ways = ways(task);
    let results: Vec<Vec<Option<u64>>> = candidates
        .iter()
        .map(|&(code, random)| {
            let right = decode(&task.from, code).and_then(|value| task.due(&value, random));
            let of_way = ways.iter().map(|way| match right {
                // What is open tells nothing.
                None => None,
                // All NaNs are alike.
                Some(right) => {
                    let given = way.change.code(task, &[code], &[random], 0).or(Some(right));
                    given.map(|it| if task.to.is_nan(it) { u64::MAX } else { it })
                }
            });
            let same = |it: u64| if task.to.is_nan(it) { u64::MAX } else { it };
            std::iter::once(right.map(same)).chain(of_way).collect()
        })
        .collect();
    // What is wrong of extremes may show under another saturation alone, so that they are asked in any case.
    let mut kept: Vec<usize> = extremes(task, &candidates);
    let mut classes = vec![0usize; ways.len() + 1];
    let mut count = 1;
    for &at in &kept {
        (count, classes) = split(&classes, &results[at]);
    }
    let mut left: Vec<usize> = (0..candidates.len()).filter(|at| !kept.contains(at)).collect();
    while kept.len() < MOST {
        let best = left.iter().map(|&at| (split(&classes, &results[at]).0, Reverse(at))).max();
        let Some((more, Reverse(at))) = best.filter(|(more, _)| *more > count) else { break };
        classes = split(&classes, &results[at]).1;
        count = more;
        left.retain(|it| *it != at);
        kept.push(at);
    }
    let open = left.into_iter().filter(|&at| results[at][0].is_none());
    kept.extend(open.take(OPEN));
    kept.sort_unstable();
    kept.into_iter().map(|at| candidates[at]).collect()
}

/// Splits classes by what is given for a code. Returns how many there are then, and the class of each way.
fn split(classes: &[usize], given: &[Option<u64>]) -> (usize, Vec<usize>) {
    let mut numbers = BTreeMap::new();
    let of_ways = classes.iter().zip(given).map(|pair| {
        let next = numbers.len();
        *numbers.entry(pair).or_insert(next)
    });
    let split = of_ways.collect();
    (numbers.len(), split)
}

/// The places of one operand each for NaN, both infinities and both zeros, and for a number far beyond of each sign.
fn extremes(task: &Task, candidates: &[(u64, u64)]) -> Vec<usize> {
    let far = Rational::from(finite(&task.to, task.to.largest_code())) << 3;
    let mut seen = BTreeMap::new();
    for (at, (code, _)) in candidates.iter().enumerate() {
        let kind = match decode(&task.from, *code) {
            Some(Value::Nan { .. }) => (0, false),
            Some(Value::Infinite { negative }) => (1, negative),
            Some(Value::Finite { negative, magnitude }) if magnitude == 0 => (2, negative),
            Some(Value::Finite { negative, magnitude }) if magnitude > far => (3, negative),
            _ => continue,
        };
        seen.entry(kind).or_insert(at);
    }
    seen.into_values().collect()
}
