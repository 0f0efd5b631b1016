//! The suite `projections`: what it asks, and which wrong ways its codes tell.

use castproof_formats::decode;
use castproof_formats::ways::{Task, ways};
use castproof_suites::questions;
use castproof_vectors::random::Random;
use castproof_vectors::{Conversion, Level, Outcome, Project, Question, QuestionTest, Suite};
use std::collections::{BTreeMap, BTreeSet};

fn project(test: &QuestionTest) -> &Project {
    let Question::Project(ask) = &test.ask else { panic!("a conversion is due") };
    ask
}

/// Every rounding and saturation comes, every rule has a test, and the file is small.
#[test]
fn the_suite_asks_every_projection() {
    let began = std::time::Instant::now();
    let file = questions(Suite::Projections, Level::Core);
    let asked: BTreeSet<Conversion> =
        file.tests.iter().map(|it| project(it).conversion()).collect();
    let codes: usize = file.tests.iter().map(|it| project(it).input.codes().len()).sum();
    let text = file.render();
    println!(
        "{} tests, {} conversions, {codes} codes, {} bytes, {:?}",
        file.tests.len(),
        asked.len(),
        text.len(),
        began.elapsed()
    );
    assert!(text.len() < 1_100_000, "{} bytes", text.len());
    let kinds: BTreeSet<_> =
        asked.iter().map(|it| (it.rounding, it.saturation, it.edition)).collect();
    assert_eq!(
        kinds.len(),
        9 * 3 + 4,
        "nine roundings, three saturations, and four roundings by the later text"
    );
    let rules: BTreeSet<&str> = file.tests.iter().map(|it| it.clause.as_str()).collect();
    assert_eq!(rules.len(), 10, "{rules:?}");
}

/// Of the wrong ways that give something else for any of 1,000 drawn operands, the suite tells those that it must.
#[test]
fn wrong_ways_that_show_anywhere_are_told() {
    let file = questions(Suite::Projections, Level::Core);
    let mut by_conversion: BTreeMap<Conversion, Vec<&Project>> = BTreeMap::new();
    for test in &file.tests {
        by_conversion.entry(project(test).conversion()).or_default().push(project(test));
    }
    let (mut told, mut all, mut missed) = (0, 0, Vec::new());
    // One conversion in 7, which is prime to the numbers of roundings and saturations.
    for (conversion, asks) in by_conversion.into_iter().step_by(7) {
        let task = Task::new(conversion).expect("a conversion");
        let drawn = drawn(&task);
        for way in ways(&task) {
            let is_told = asks
                .iter()
                .any(|ask| differs(&task, &way.change, ask.input.codes(), ask.random.codes()));
            if is_told || differs(&task, &way.change, &drawn.0, &drawn.1) {
                all += 1;
                told += usize::from(is_told);
                if !is_told {
                    missed.push(format!("{}: {}", task.conversion, way.words));
                }
            }
        }
    }
    println!("{told} of {all} wrong ways are told; not: {missed:#?}");
    assert!(all > 4000, "{all}");
    assert!(1000 * (all - told) <= 5 * all, "{} of {all} are missed", all - told);
}

fn differs(
    task: &Task,
    change: &castproof_formats::ways::WayChange,
    codes: &[u64],
    randoms: &[u64],
) -> bool {
    (0..codes.len()).any(|place| {
        let value = decode(&task.from, codes[place]).expect("a code");
        let random = randoms.get(place).copied().unwrap_or(0);
        let Some(right) = task.due(&value, random) else { return false };
        let given = change.code(task, codes, randoms, place).unwrap_or(right);
        given != right && !(task.to.is_nan(given) && task.to.is_nan(right))
    })
}

/// Operands of any codes, and of codes whose numbers lie where the target has some.
fn drawn(task: &Task) -> (Vec<u64>, Vec<u64>) {
    let mut random = Random::of(task.conversion.to_string().bytes());
    let bits = task.conversion.random_bits;
    let nearest = Conversion {
        to: task.from.name.clone(),
        from: task.to.name.clone(),
        ..task.conversion.clone()
    };
    let back = Task::new(Conversion {
        rounding: castproof_vectors::RoundingMode::TowardZero,
        saturation: castproof_vectors::Saturation::Finite,
        ..nearest
    })
    .expect("a conversion");
    let codes: Vec<u64> = (0..1000)
        .map(|at| {
            let any = random.number() & task.from.code_mask();
            let number =
                decode(&back.from, random.number() & back.from.code_mask()).expect("a code");
            match (at % 2, back.due(&number, 0)) {
                (0, Some(code)) => {
                    code ^ (random.number()
                        & (task.from.magnitude_mask() >> (task.from.exponent_bits() + 1)))
                }
                _ => any,
            }
        })
        .collect();
    let randoms = if bits > 0 {
        codes.iter().map(|_| random.number() >> (64 - bits)).collect()
    } else {
        vec![]
    };
    (codes, randoms)
}

/// What is open stands as such, and one cell that two sources dispute has both results.
#[test]
fn open_and_disputed_cells_admit_what_the_rules_leave() {
    let file = questions(Suite::Projections, Level::Core);
    let due = |test: &QuestionTest| match &test.expect {
        castproof_vectors::AnswerRecord::Projected(it) => it.codes.due().to_vec(),
        other => panic!("{other:?}"),
    };
    let is_open = |to: &str| {
        let mut tests = file.tests.iter().filter(|it| project(it).to == to);
        tests.any(|it| due(it).contains(&Outcome::Any))
    };
    for (to, open) in [
        ("float4e2m1", true),
        ("float8e8m0", true),
        ("ue4m3", true),
        ("binary8p4uf", false),
        ("float8e4m3fn", false),
    ] {
        assert_eq!(is_open(to), open, "{to}");
    }
    let disputed: BTreeSet<&str> =
        file.tests.iter().filter(|it| it.tolerate.is_some()).map(|it| &*project(it).to).collect();
    assert!(disputed.contains("float8e4m3fn") && !disputed.contains("float8e5m2"), "{disputed:?}");
}
