//! A fault of place: a predicate on the call and on the element, and what goes wrong there.

use castproof::fuzz::Draw;
use castproof::testee::Form;
use castproof_vectors::{Outcome, landmarks};
use std::fmt;

/// One call of a kernel.
pub(super) struct Call<'a> {
    pub(super) count: usize,
    pub(super) form: &'a Form,
    /// Addresses of input and output; `None` if the buffers are the testee's own.
    pub(super) addresses: Option<[usize; 2]>,
    /// The number of the call, from 1.
    pub(super) number: u64,
    /// The call before it.
    pub(super) before: Option<Before>,
    /// Is it a request of `CastLike`?
    pub(super) like: bool,
}

/// The call before another one.
#[derive(Clone, Copy)]
pub(super) struct Before {
    pub(super) count: usize,
    pub(super) input: Option<usize>,
}

/// One element of a call.
pub(super) struct Spot<'a> {
    pub(super) index: usize,
    pub(super) call: &'a Call<'a>,
    pub(super) codes: &'a [u64],
    pub(super) whole: Whole,
    pub(super) kinds: &'a Kinds,
}

/// What all elements of a tensor have in common.
#[derive(Clone, Copy)]
pub(super) struct Whole {
    pub(super) is_constant: bool,
    pub(super) is_zero: bool,
    pub(super) is_sorted: bool,
}

impl Whole {
    pub(super) fn of(codes: &[u64], kinds: &Kinds) -> Whole {
        Whole {
            is_constant: codes.iter().all(|code| *code == codes[0]),
            is_zero: codes.iter().all(|code| kinds.zeros.contains(code)),
            is_sorted: is_sorted(codes),
        }
    }
}

/// Do the codes ascend, and is not each the same?
pub(super) fn is_sorted(codes: &[u64]) -> bool {
    codes.is_sorted() && codes.first() != codes.last()
}

impl Spot<'_> {
    /// Returns the elements of the aligned block of `size` elements that holds this one; `None` if
    /// the tensor ends within it.
    pub(super) fn block(&self, size: usize) -> Option<&[u64]> {
        let first = self.index / size * size;
        self.codes.get(first..first + size)
    }
}

/// What kinds of codes a source has.
pub(super) struct Kinds {
    /// NaN codes, infinities, zeros, ends of the range; ascending.
    pub(super) special: Vec<u64>,
    /// Codes of zero.
    pub(super) zeros: Vec<u64>,
    draw: std::rc::Rc<Draw>,
}

impl Kinds {
    pub(super) fn of(draw: std::rc::Rc<Draw>) -> Kinds {
        let from = draw.request().from;
        let Some(source) = landmarks(from) else {
            return Kinds { special: Vec::new(), zeros: Vec::new(), draw };
        };
        let named = |names: &[&str]| -> Vec<u64> {
            let codes = names.iter().filter_map(|name| source.values.get(*name));
            codes.map(|(code, _)| code.value()).collect()
        };
        let mut zeros = named(&["negative zero"]);
        zeros.push(0);
        let mut special = named(&["largest", "negative largest", "min", "max"]);
        special.extend(&zeros);
        special.extend(source.infinity.iter().map(castproof_vectors::Hex::value));
        special.sort_unstable();
        special.dedup();
        Kinds { special, zeros, draw }
    }

    pub(super) fn is_special(&self, code: u64) -> bool {
        let is_nan = || landmarks(self.draw.request().from).is_some_and(|it| it.is_nan(code));
        self.special.binary_search(&code).is_ok() || is_nan()
    }

    pub(super) fn is_tie(&self, code: u64) -> bool {
        self.draw.is_tie(code)
    }

    /// Does some wrong result of the code show?
    pub(super) fn is_decided(&self, code: u64) -> bool {
        self.draw.expectation(code).expect != Outcome::Any
    }
}

/// Which codes are wrong where a fault shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Values {
    All,
    Specials,
    Ties,
}

impl Values {
    pub(super) const EVERY: [Values; 3] = [Values::All, Values::Specials, Values::Ties];

    pub(super) fn hold(self, kinds: &Kinds, code: u64) -> bool {
        match self {
            Values::All => true,
            Values::Specials => kinds.is_special(code),
            Values::Ties => kinds.is_tie(code),
        }
    }
}

impl fmt::Display for Values {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Values::All => "",
            Values::Specials => ", specials only",
            Values::Ties => ", ties only",
        })
    }
}

/// What goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Does {
    /// Elements have another code.
    Wrong,
    /// The last two axes are swapped.
    Permutes,
    /// The input is zeroed after the cast.
    ZeroesInput,
    /// A byte is written so many bytes behind the end of the output, or before its start.
    Writes(isize),
    /// A byte is read so many bytes behind the end of the input, or before its start.
    Reads(isize),
    /// The last element is not written.
    LeavesLast,
}

type OnCall = Box<dyn Fn(&Call<'_>) -> bool + Send + Sync>;
type OnSpot = Box<dyn Fn(&Spot<'_>) -> bool + Send + Sync>;

/// A fault.
pub(super) struct Fault {
    pub(super) name: String,
    pub(super) on_call: OnCall,
    pub(super) on_spot: OnSpot,
    pub(super) does: Does,
    /// Does it show only where the kernel gets the gate's buffers?
    pub(super) in_process: bool,
    /// Does it show at no zero?
    pub(super) not_at_zero: bool,
    /// Why the default gate cannot notice it, if it cannot.
    pub(super) beyond: Option<&'static str>,
}

impl Fault {
    /// Makes a fault of elements at some places of some calls.
    pub(super) fn new(
        name: impl Into<String>,
        on_call: impl Fn(&Call<'_>) -> bool + Send + Sync + 'static,
        on_spot: impl Fn(&Spot<'_>) -> bool + Send + Sync + 'static,
    ) -> Fault {
        Fault {
            name: name.into(),
            on_call: Box::new(on_call),
            on_spot: Box::new(on_spot),
            does: Does::Wrong,
            in_process: false,
            not_at_zero: false,
            beyond: None,
        }
    }

    /// Makes a fault of all elements of some calls.
    pub(super) fn of_calls(
        name: impl Into<String>,
        on_call: impl Fn(&Call<'_>) -> bool + Send + Sync + 'static,
    ) -> Fault {
        Fault::new(name, on_call, |_| true)
    }

    /// Makes a fault of some elements of every call.
    pub(super) fn of_spots(
        name: impl Into<String>,
        on_spot: impl Fn(&Spot<'_>) -> bool + Send + Sync + 'static,
    ) -> Fault {
        Fault::new(name, |_| true, on_spot)
    }

    /// Restricts the fault to some calls.
    pub(super) fn and(
        self,
        name: impl fmt::Display,
        also: impl Fn(&Call<'_>) -> bool + Send + Sync + 'static,
    ) -> Fault {
        let on_call = self.on_call;
        Fault {
            name: format!("{}, {name}", self.name),
            on_call: Box::new(move |call| also(call) && on_call(call)),
            ..self
        }
    }
}
