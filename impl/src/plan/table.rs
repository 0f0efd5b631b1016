//! Whether a table stands in for loops of a chain, and for which.

use super::parts::{Layout, NoTable, Places, Planned, Why};
use crate::InstructionSet;
use crate::arch::{self, Find, Loop};
use crate::kernels::integer::CLAMPED_BITS;
use crate::values::is_integer_or_bool;
use castproof_vectors::DType;

/// A table that stands in for loops of a chain.
#[derive(Clone, Copy)]
pub(crate) struct TablePlan {
    pub(crate) find: Loop<Find>,
    /// Bits that it writes per element that it reads.
    pub(crate) found_bits: u32,
    /// For which loops of the chain it stands in.
    pub(crate) found_in: FoundIn,
    /// What the table is made from.
    pub(crate) fill: Fill,
}

/// For which loops of a chain a table stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FoundIn {
    /// All, for whole bytes only: the table would take padding for elements.
    WholeBytes,
    /// All but those that unpack and pack.
    Middle,
    /// The second of the middle loops and all that follow.
    FromClamped,
    /// The second of the middle loops.
    ClampedMiddle,
}

/// How a table is filled: which loops of the chain make its entries, and from how many codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fill {
    /// Entries that are made.
    pub(crate) entries: usize,
    /// Which loops make them.
    pub(crate) loops: [bool; 4],
    /// Bits per element of what goes in and what comes out.
    pub(crate) bits: [u32; 2],
}

impl TablePlan {
    pub(super) fn new(
        from: DType,
        to: DType,
        layout: Layout,
        why: Why,
        loops: &Places<Planned>,
        set: InstructionSet,
    ) -> Result<TablePlan, NoTable> {
        let [from_bits, to_bits] = [from, to].map(|dtype| layout.bits(dtype));
        if why == Why::CodesStay {
            return Err(NoTable::NothingToDo);
        }
        if from.bits() > 8 && why != Why::Clamped {
            return Err(NoTable::ManyCodes);
        }
        let is_simple = is_integer_or_bool(from) && is_integer_or_bool(to);
        let hardly_any_work = from.bits() == 8 && (is_simple || why == Why::Truth);
        if from == to || hardly_any_work {
            return Err(NoTable::HardlyAnyWork);
        }
        if why == Why::OwnLoop && loops[1].is_some_and(|own| own.computes.needs() == set) {
            return Err(NoTable::ComputesAsFast);
        }
        let [_, first, second, _] = loops;
        let last = second.or(*first).ok_or(NoTable::NothingToDo)?.writes.bits();
        let plan = if why == Why::Clamped {
            by_clamped(to_bits, last, set)
        } else if let Some(bits) = whole_bytes(from_bits, to_bits, set) {
            by_whole_bytes([from_bits, to_bits], bits, set)
        } else {
            by_element(from, [from_bits, to_bits], last, set)
        };
        plan.ok_or(NoTable::ComputesAsFast)
    }
}

/// Plans a table for a clamped source, which has few codes.
fn by_clamped(to_bits: u32, last: u32, set: InstructionSet) -> Option<TablePlan> {
    let entries = 1 << CLAMPED_BITS;
    let fill = Fill { entries, loops: [false, false, true, false], bits: [8, last] };
    let all = arch::find(set, 8, to_bits, entries).map(|find| TablePlan {
        find,
        found_bits: to_bits,
        found_in: FoundIn::FromClamped,
        fill,
    });
    all.or_else(|| {
        let (find, found_bits) = (arch::find(set, 8, 8, entries)?, 8);
        Some(TablePlan { find, found_bits, found_in: FoundIn::ClampedMiddle, fill })
    })
}

/// Plans a table that looks up all packed elements of a byte at once.
fn by_whole_bytes(bits: [u32; 2], found_bits: u32, set: InstructionSet) -> Option<TablePlan> {
    let find = arch::find(set, 8, found_bits, 256)?;
    let fill = Fill { entries: 256, loops: [true; 4], bits };
    Some(TablePlan { find, found_bits, found_in: FoundIn::WholeBytes, fill })
}

fn by_element(
    from: DType,
    [from_bits, to_bits]: [u32; 2],
    last: u32,
    set: InstructionSet,
) -> Option<TablePlan> {
    let entries = 1 << from.bits();
    let fill = Fill { entries, loops: [false, true, true, false], bits: [8, last] };
    let is_packed = from_bits < 8 || to_bits < 8;
    let packed = arch::find(set, from_bits, to_bits, entries).filter(|_| is_packed);
    let packed = packed.map(|find| TablePlan {
        find,
        found_bits: to_bits,
        found_in: FoundIn::WholeBytes,
        fill,
    });
    packed.or_else(|| {
        let find = arch::find(set, 8, last, entries)?;
        Some(TablePlan { find, found_bits: last, found_in: FoundIn::Middle, fill })
    })
}

/// Returns the bits that a whole byte of packed elements becomes, if looking up whole bytes is
/// fastest on the instruction set.
fn whole_bytes(from_bits: u32, to_bits: u32, set: InstructionSet) -> Option<u32> {
    let is_best = arch::abilities(set).whole_bytes.contains(&(from_bits, to_bits));
    is_best.then_some(to_bits * 8 / from_bits)
}
