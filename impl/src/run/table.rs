//! Casts in which a table stands in for loops of the chain. The chain itself fills the table.

use super::chain::{Chain, Link, Setup, Stage, bytes};
use crate::Backend;
use crate::arch::{Stores, Table};
use crate::plan::{Fill, FoundIn, TablePlan};
use crate::rules::Rules;

/// A chain of which as much as possible is replaced by a table.
#[derive(Clone, Copy)]
pub(super) struct Tabled {
    chain: Chain,
    fill: Fill,
    /// Whether the table takes whole bytes. The elements after the last whole byte then go through
    /// the chain without a table, because the table would take padding for elements.
    whole_bytes: bool,
}

impl Tabled {
    pub(super) fn new(chain: &Chain, table: &TablePlan, backend: Backend) -> Tabled {
        let TablePlan { find, found_bits, found_in, fill } = *table;
        let stage = Stage::LookUp(find.ready(backend).expect("planned for the backend"));
        let find = Some(Link { stage, bits: found_bits as u8 });
        let [unpack, first, _, pack] = chain.links;
        let links = match found_in {
            FoundIn::WholeBytes => [find, None, None, None],
            FoundIn::Middle => [unpack, find, None, pack],
            FoundIn::FromClamped => [None, first, find, None],
            FoundIn::ClampedMiddle => [None, first, find, pack],
        };
        let whole_bytes = found_in == FoundIn::WholeBytes;
        Tabled { chain: Chain::of(links, chain.from_bits, chain.to_bits), fill, whole_bytes }
    }

    /// Casts `count` elements; the slices hold exactly as many.
    pub(super) fn run(
        &self,
        without: &Chain,
        stores: Stores,
        rules: &Rules,
        count: usize,
        input: &[u8],
        output: &mut [u8],
    ) {
        let table = filled(without, self.fill, rules);
        let setup = Setup { rules, table: &table, stores };
        let whole = if self.whole_bytes { count / 8 * 8 } else { count };
        let (input, rest_input) = input.split_at(bytes(self.chain.from_bits, whole));
        let (output, rest_output) = output.split_at_mut(bytes(self.chain.to_bits, whole));
        self.chain.share(setup, whole, input, output);
        if whole < count {
            without.run_all(Stores::Plain, rules, count - whole, rest_input, rest_output);
        }
    }
}

/// Fills a table with what loops of the chain make of every code.
fn filled(chain: &Chain, Fill { entries, loops, bits: [from, to] }: Fill, rules: &Rules) -> Table {
    let mut links = chain.links;
    for (link, makes) in links.iter_mut().zip(loops) {
        *link = link.filter(|_| makes);
    }
    let chain = Chain::of(links, from as u8, to as u8);
    let codes: [u8; 256] = core::array::from_fn(|code| code as u8);
    let (count, bits) = (entries * 8 / from as usize, (to * 8 / from) as usize);
    let mut table = Table([0; 512]);
    let output = &mut table.0[..entries * bits / 8];
    chain.run_all(Stores::Plain, rules, count, &codes[..entries], output);
    if bits == 4 {
        // Starts at the last entry, so that no entry is overwritten before it is read.
        for entry in (0..entries).rev() {
            table.0[entry] = table.0[entry / 2] >> (entry % 2 * 4) & 0xf;
        }
    }
    table
}
