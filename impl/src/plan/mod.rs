//! Planning: which loops a cast runs through, whether a table stands in for some of them, and why.
//! Nothing here asks the machine or runs a loop.
//!
//! A cast is a chain of at most four loops. They unpack elements to a byte each, convert those to
//! an intermediate form (float32, or a clamped integer), convert that to the target, and pack.

mod choose;
mod describe;
mod listing;
mod parts;
mod replacing;
mod table;

use crate::rules::{Rules, SameDType};
use crate::values::is_integer;
use crate::{Error, InstructionSet};
use castproof_vectors::DType;
pub use listing::PlannedLoop;
use parts::{Lane, NoTable, Planned, Why};
pub(crate) use parts::{Layout, Places};
pub(crate) use table::{Fill, FoundIn, TablePlan};

/// How a cast runs on an instruction set: its loops, the table that may stand in for some of them,
/// and why. Displayed as a few lines of text.
///
/// ```
/// use castproof_impl::{DType, InstructionSet, Plan};
///
/// # fn main() -> Result<(), castproof_impl::Error> {
/// let plan = Plan::new(DType::Float32, DType::Int4, InstructionSet::Portable)?;
/// let names: Vec<&str> = plan.loops().map(|it| it.name()).collect();
/// assert_eq!(names, ["integer::FromFloat", "packing::Pack"]);
/// println!("{plan}");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy)]
pub struct Plan {
    from: DType,
    to: DType,
    set: InstructionSet,
    layout: Layout,
    why: Why,
    loops: Places<Planned>,
    table: Result<TablePlan, NoTable>,
}

impl Plan {
    /// Makes the plan of [`Cast::new`](crate::Cast::new) on an instruction set. This machine need
    /// not have the instruction set.
    ///
    /// # Errors
    /// [`Error::NotNumeric`] for string, complex and quantized dtypes; [`Error::MissingBackend`]
    /// for an instruction set that is not of the target that this crate was built for.
    pub fn new(from: DType, to: DType, set: InstructionSet) -> Result<Plan, Error> {
        for dtype in [from, to] {
            if !dtype.is_numeric() {
                return Err(Error::NotNumeric { dtype });
            }
        }
        if !set.is_of_target() {
            return Err(Error::MissingBackend { set });
        }
        Ok(Plan::make(from, to, &Rules::NEWEST, Layout::Packed, set))
    }

    /// The plan for numeric dtypes and an instruction set of the target.
    pub(crate) fn make(
        from: DType,
        to: DType,
        rules: &Rules,
        layout: Layout,
        set: InstructionSet,
    ) -> Plan {
        let (why, loops) = loops(from, to, rules, layout, set);
        let table = TablePlan::new(from, to, layout, why, &loops, set);
        Plan { from, to, set, layout, why, loops, table }
    }

    /// Returns the loops, in the order in which elements go through them. There are none if codes
    /// do not change.
    pub fn loops(&self) -> impl Iterator<Item = PlannedLoop> {
        listing::loops(self.source(), self.loops)
    }

    /// Returns the loops of a slice that is long enough for a table; `None` if no table stands in.
    pub fn loops_by_table(&self) -> Option<impl Iterator<Item = PlannedLoop>> {
        let table = self.table.ok()?;
        Some(listing::loops_by_table(self.source(), self.loops, table))
    }

    pub(crate) fn chain(&self) -> &Places<Planned> {
        &self.loops
    }

    pub(crate) fn table(&self) -> Option<&TablePlan> {
        self.table.as_ref().ok()
    }

    /// Bits per element of the input and of the output.
    pub(crate) fn bits(&self) -> [u32; 2] {
        [self.from, self.to].map(|dtype| self.layout.bits(dtype))
    }

    fn source(&self) -> Lane {
        if self.bits()[0] < 8 { Lane::Packed(self.from) } else { Lane::Unpacked(self.from) }
    }
}

/// The chain without a table.
fn loops(
    from: DType,
    to: DType,
    rules: &Rules,
    layout: Layout,
    set: InstructionSet,
) -> (Why, Places<Planned>) {
    let same = rules.same_dtype(from);
    let codes_stay = if from == to {
        same == SameDType::Kept
    } else {
        !rules.integers_saturate && is_integer(from) && is_integer(to) && from.bits() == to.bits()
    };
    if codes_stay {
        return (Why::CodesStay, [None; 4]);
    }
    let planned = |writes| move |computes| Planned { computes, writes };
    let choose::Middle { why, first, second } = replacing::middle(from, to, rules, set)
        .unwrap_or_else(|| choose::middle(from, to, same, set));
    let between = match (why, second) {
        (_, None) => Lane::Unpacked(to),
        (Why::Clamped, _) => Lane::Clamped,
        _ => Lane::OddFloat32,
    };
    let loops = [
        choose::unpack(layout.bits(from), set).map(planned(Lane::Unpacked(from))),
        first.map(planned(between)),
        second.map(planned(Lane::Unpacked(to))),
        choose::pack(layout.bits(to), set).map(planned(Lane::Packed(to))),
    ];
    (why, loops)
}
