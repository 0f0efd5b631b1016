//! Compares the loops of every pair on every instruction set with a committed list, so that a
//! change of the loops is reviewed as a change of text.

use castproof_impl::{Backend, Cast, DType, Error, InstructionSet, Plan, PlannedLoop};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;

/// The list of this target, and the text of it. The portable loops stand in the list of x86-64 only.
const COMMITTED: (&str, &str) = if cfg!(target_arch = "aarch64") {
    ("plans-aarch64.txt", include_str!("../plans-aarch64.txt"))
} else if cfg!(target_arch = "wasm32") {
    ("plans-wasm32.txt", include_str!("../plans-wasm32.txt"))
} else {
    ("plans.txt", include_str!("../plans.txt"))
};

/// Is the list to have an instruction set?
fn is_listed(set: InstructionSet) -> bool {
    let is_of_target = Plan::new(DType::Bool, DType::Bool, set).is_ok();
    is_of_target && (set != InstructionSet::Portable || cfg!(target_arch = "x86_64"))
}

/// Returns every sequence of loops and, below it, the pairs that run through it.
fn listing() -> String {
    let mut text = String::from(
        "Which loops casts run through, without a table and behind the bar by table. Below each way\n\
         stand the pairs that go it: the source, then its targets.\n",
    );
    for set in InstructionSet::ALL.into_iter().filter(|set| is_listed(*set)) {
        let mut ways: BTreeMap<String, BTreeMap<DType, Vec<&str>>> = BTreeMap::new();
        for &from in DType::NUMERIC {
            for &to in DType::NUMERIC {
                let plan = Plan::new(from, to, set).expect("an instruction set of the target");
                let way = match plan.loops_by_table() {
                    None => names(plan.loops()),
                    Some(table) => format!("{} | {}", names(plan.loops()), names(table)),
                };
                ways.entry(way).or_default().entry(from).or_default().push(to.name());
            }
        }
        write!(text, "\n{set}\n").expect("writes to memory");
        for (way, pairs) in ways {
            writeln!(text, "  {way}").expect("writes to memory");
            for (from, targets) in pairs {
                writeln!(text, "    {from}: {}", targets.join(" ")).expect("writes to memory");
            }
        }
    }
    text
}

fn names(loops: impl Iterator<Item = PlannedLoop>) -> String {
    let names: Vec<String> =
        loops.map(|it| format!("{}[{}]", it.name(), it.instruction_set())).collect();
    if names.is_empty() { "copy".into() } else { names.join(" > ") }
}

#[test]
#[cfg_attr(
    not(any(
        target_arch = "x86_64",
        all(target_arch = "aarch64", target_endian = "little"),
        all(target_arch = "wasm32", target_feature = "simd128")
    )),
    ignore = "there are lists of x86-64, of little-endian aarch64 and of WebAssembly with vectors"
)]
fn plans_are_those_of_the_committed_list() {
    let (name, committed) = COMMITTED;
    let found = listing();
    let path = format!("{}/{name}", env!("CARGO_TARGET_TMPDIR"));
    fs::write(&path, &found).expect("the folder for tests can be written");
    let differs = found.lines().zip(committed.lines()).position(|(ours, theirs)| ours != theirs);
    assert!(
        found == committed,
        "plans differ from impl/tests/{name}, first in line {}; if that is meant, copy {path} there",
        differs.unwrap_or_else(|| found.lines().count().min(committed.lines().count())) + 1
    );
}

#[test]
fn a_cast_runs_what_its_plan_says() {
    for backend in Backend::available() {
        for &from in DType::NUMERIC {
            for &to in DType::NUMERIC {
                let cast = Cast::new(from, to).expect("numeric").backend(backend);
                let plan = Plan::new(from, to, backend.instruction_set()).expect("of the target");
                assert_eq!(cast.plan().to_string(), plan.to_string());
            }
        }
    }
    // If rules change the loops, the plan of the cast has the changed loops.
    let cast = Cast::new(DType::Float8E5M2, DType::Float8E5M2).expect("numeric");
    assert_eq!(
        names(cast.backend(Backend::PORTABLE).plan().loops()),
        "float::SaturateInfinity[portable]"
    );
    assert_eq!(names(cast.saturate(false).plan().loops()), "copy");
    assert_eq!(cast.saturate(false).saturate(true).plan().to_string(), cast.plan().to_string());
}

#[test]
fn loops_are_of_the_instruction_set_or_of_one_that_it_includes() {
    for set in InstructionSet::ALL {
        for &from in DType::NUMERIC {
            for &to in DType::NUMERIC {
                let Ok(plan) = Plan::new(from, to, set) else { continue };
                for it in plan.loops().chain(plan.loops_by_table().into_iter().flatten()) {
                    assert!(it.instruction_set() <= set, "{from} to {to} on {set}: {it}");
                }
            }
        }
    }
}

#[test]
fn a_plan_is_printed_in_whole_lines() {
    let portable = InstructionSet::Portable;
    let plan = Plan::new(DType::Int4, DType::Float32, portable).expect("of every target");
    let expected = "\
int4 to float32 on portable: through float32, which holds the source or is rounded to odd
  1. int4 packed -> int4 in bytes: packing::Unpack, compiled for portable
  2. int4 in bytes -> float32: integer::ToFloat, compiled for portable
no table: this instruction set computes as fast as it looks up
outputs from 16 MiB on are written past the caches
";
    assert_eq!(plan.to_string(), expected);
    let plan = Plan::new(DType::Float4E2M1, DType::Int4, portable).expect("of every target");
    let expected = "\
float4e2m1 to int4 on portable: through float32, which holds the source or is rounded to odd
  1. float4e2m1 packed -> float4e2m1 in bytes: packing::Unpack, compiled for portable
  2. float4e2m1 in bytes -> float32 between: float::Widen, compiled for portable
  3. float32 between -> int4 in bytes: integer::FromFloat, compiled for portable
  4. int4 in bytes -> int4 packed: packing::Pack, compiled for portable
from 4096 elements on, by a table of 256 entries:
  1. float4e2m1 packed -> int4 packed: one_by_one::bytes, compiled for portable
  the last elements, up to 7, go by the loops above
outputs from 16 MiB on are written past the caches
";
    assert_eq!(plan.to_string(), expected);
    assert_eq!(
        Plan::new(DType::String, DType::Int4, portable).map(|_| ()),
        Err(Error::NotNumeric { dtype: DType::String })
    );
}
