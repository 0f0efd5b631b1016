//! Plans as text.

use super::Plan;
use super::table::FoundIn;
use crate::sizes::{STREAM_FROM, TABLE_FROM};
use core::fmt;

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Plan { from, to, set, why, .. } = self;
        writeln!(f, "{from} to {to} on {set}: {why}")?;
        for (index, planned) in (1..).zip(self.loops()) {
            writeln!(f, "  {index}. {planned}")?;
        }
        match (self.loops_by_table(), self.table) {
            (Some(loops), Ok(table)) => {
                let entries = table.fill.entries;
                writeln!(f, "from {TABLE_FROM} elements on, by a table of {entries} entries:")?;
                for (index, planned) in (1..).zip(loops) {
                    writeln!(f, "  {index}. {planned}")?;
                }
                if table.found_in == FoundIn::WholeBytes {
                    writeln!(f, "  the last elements, up to 7, go by the loops above")?;
                }
            }
            (_, Err(reason)) => writeln!(f, "no table: {reason}")?,
            (None, Ok(_)) => {}
        }
        writeln!(f, "outputs from {} MiB on are written past the caches", STREAM_FROM >> 20)
    }
}

impl fmt::Debug for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Plan({} to {} on {})", self.from, self.to, self.set)
    }
}
