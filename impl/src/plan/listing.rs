//! The loops of a plan one by one, and the words for what it is made of.

use super::parts::{Lane, NoTable, Places, Planned, Why};
use super::table::{FoundIn, TablePlan};
use crate::InstructionSet;
use core::fmt;

/// A loop of a plan.
#[derive(Clone, Copy)]
pub struct PlannedLoop {
    name: &'static str,
    set: InstructionSet,
    reads: Lane,
    writes: Lane,
}

impl PlannedLoop {
    /// Returns its name in the source code: a path below `src/kernels`, or below `src/arch` for a
    /// loop of instructions or a table lookup.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The instruction set that it is compiled for.
    #[must_use]
    pub fn instruction_set(&self) -> InstructionSet {
        self.set
    }
}

/// `float32 -> float8e4m3fn: float::Narrow, compiled for avx512`.
impl fmt::Display for PlannedLoop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let PlannedLoop { name, set, reads, writes } = self;
        write!(f, "{reads} -> {writes}: {name}, compiled for {set}")
    }
}

impl fmt::Display for Lane {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Lane::Packed(dtype) => write!(f, "{dtype} packed"),
            Lane::Unpacked(dtype) if dtype.bits() < 8 => write!(f, "{dtype} in bytes"),
            Lane::Unpacked(dtype) => write!(f, "{dtype}"),
            Lane::OddFloat32 => f.write_str("float32 between"),
            Lane::Clamped => f.write_str("6-bit integers in bytes"),
        }
    }
}

/// The loops of a chain that begins with `reads`.
pub(super) fn loops(mut reads: Lane, places: Places<Planned>) -> impl Iterator<Item = PlannedLoop> {
    places.into_iter().flatten().map(move |planned| {
        let Planned { computes, writes } = planned;
        let read = core::mem::replace(&mut reads, writes);
        PlannedLoop { name: computes.name, set: computes.needs(), reads: read, writes }
    })
}

/// The loops of a chain in which a table replaces some.
pub(super) fn loops_by_table(
    source: Lane,
    places: Places<Planned>,
    table: TablePlan,
) -> impl Iterator<Item = PlannedLoop> {
    let [unpack, first, _, pack] = places;
    let (before, after) = match table.found_in {
        FoundIn::WholeBytes => ([None; 2], None),
        FoundIn::Middle => ([unpack, None], pack),
        FoundIn::FromClamped => ([None, first], None),
        FoundIn::ClampedMiddle => ([None, first], pack),
    };
    let reads = before.iter().flatten().last().map_or(source, |it| it.writes);
    let last = places.into_iter().flatten().last().map_or(source, |it| it.writes);
    let writes = match (after, last) {
        (Some(_), Lane::Packed(dtype)) => Lane::Unpacked(dtype),
        (_, last) => last,
    };
    let [before_first, before_second] = before;
    let find = PlannedLoop { name: table.find.name, set: table.find.needs(), reads, writes };
    loops(source, [before_first, before_second, None, None])
        .chain([find])
        .chain(loops(writes, [None, None, None, after]))
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Why::CodesStay => "codes stay what they are",
            Why::SameDType => "a few codes of the dtype change",
            Why::Replaced => "the rules replace codes that the usual loops write",
            Why::Truth => "an element is true unless it is a zero",
            Why::Clamped => "the target overflows early, so the source is clamped first",
            Why::OwnLoop => "the instruction set has a loop for the pair",
            Why::Wide => {
                "float32 would not hold the source, or would be a detour, so the pair has a loop"
            }
            Why::In16Bits => "16 bits suffice from end to end",
            Why::LongInteger => "the target overflows where float32 still holds the source",
            Why::Resized => "an integer keeps its low bits",
            Why::ThroughFloat32 => "through float32, which holds the source or is rounded to odd",
        })
    }
}

impl fmt::Display for NoTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            NoTable::NothingToDo => "there is nothing to do",
            NoTable::ManyCodes => "the source has too many codes",
            NoTable::HardlyAnyWork => "the loops have hardly any work",
            NoTable::ComputesAsFast => "this instruction set computes as fast as it looks up",
        })
    }
}
