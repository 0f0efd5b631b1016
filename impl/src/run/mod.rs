//! Running a plan: by chain or by table, in blocks, on several threads, past the caches.

mod chain;
mod table;

use crate::Backend;
use crate::arch::Stores;
use crate::plan::Plan;
use crate::rules::Rules;
use crate::sizes::{STREAM_FROM, TABLE_FROM};
use chain::Chain;
use table::Tabled;

/// A plan, its loops ready to run on this machine.
#[derive(Clone, Copy)]
pub(crate) struct Route {
    chain: Chain,
    tabled: Option<Tabled>,
}

impl Route {
    /// The plan must be one for the instruction set of the backend.
    pub(crate) fn new(plan: &Plan, backend: Backend) -> Route {
        let chain = Chain::new(plan, backend);
        Route { chain, tabled: plan.table().map(|table| Tabled::new(&chain, table, backend)) }
    }

    /// Casts `count` elements; the slices hold exactly as many.
    pub(crate) fn run(&self, rules: &Rules, count: usize, input: &[u8], output: &mut [u8]) {
        let stores = if output.len() < STREAM_FROM { Stores::Plain } else { Stores::Streaming };
        match &self.tabled {
            Some(tabled) if count >= TABLE_FROM => {
                tabled.run(&self.chain, stores, rules, count, input, output);
            }
            _ => self.chain.run_all(stores, rules, count, input, output),
        }
    }
}

#[cfg(test)]
mod tests;
