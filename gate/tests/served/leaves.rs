//! Kernels that are right for every vector and wrong beyond: in one binade, for one kind of numeral, after another
//! call. Each is found by default, with any seed, at its place.
//!
//! `served serve-leaves NUMBER` makes this program one of them.

use castproof::arrange::Calls;
use castproof::gate::{self, Options};
use castproof::results::Filters;
use castproof::testee::{Identity, Reply, Testee, builtin::Builtin, serve::serve};
use castproof_vectors::DType::{self, Float6E3M2, Float8E4M3FN, Float16, Float32, Float64, Int32};
use castproof_vectors::{
    Attributes, Element, NEWEST, Request, Spec, Suite, pack, unpack, unpack_elements,
};
use libtest_mimic::{Failed, Trial};
use std::io::{self, BufWriter};
use std::string::String;

/// What a kernel does wrong.
#[derive(Clone, Copy, Debug)]
enum Does {
    /// The lowest bit of results of this exponent field of float64. The vectors have a number of one in eight of them.
    Field(u64),
    /// The same in this version alone.
    FieldAt(u64, u32),
    /// Numerals with a leading zero are octal.
    Octal,
    /// Numerals that end in a point are 0.
    Point,
    /// Absent attributes are those that were given last.
    Keeps,
    /// The lowest bit of the results of the third of the same calls in a row.
    Third,
    /// The lowest bit of results after a call from float64.
    AfterFloat64,
    /// An error after a call from float64.
    ErrorAfterFloat64,
    /// The lowest bit of results from this call on. It counts the calls with one element in the newest version.
    From(usize),
}

const KERNELS: [(Does, (DType, DType), &str); 9] = [
    (Does::Field(901), (Float64, Float6E3M2), "codes beyond the vectors"),
    (Does::FieldAt(901, 9), (Float64, Float16), "codes beyond the vectors"),
    (Does::Octal, (DType::String, Int32), "codes beyond the vectors"),
    (Does::Point, (DType::String, Float32), "codes beyond the vectors"),
    (Does::Keeps, (Float32, Float8E4M3FN), "an earlier call's state"),
    (Does::Third, (Float32, Float16), ""),
    (Does::AfterFloat64, (Float32, Float16), "an earlier call's state"),
    (Does::ErrorAfterFloat64, (Float32, Float16), "an earlier call's state"),
    (Does::From(9000), (Float32, Float16), "from call "),
];

/// Answers as the kernel of this number.
pub(crate) fn serve_as(number: &str) {
    let number: usize = number.parse().expect("a number");
    let output = &mut BufWriter::new(io::stdout().lock());
    let mut kernel = Kernel::new(KERNELS[number].0);
    serve(&mut kernel, &mut io::stdin().lock(), output).expect("a conversation");
}

/// Returns the tests.
pub(crate) fn trials() -> Vec<Trial> {
    let trial = |number: usize| {
        let name = format!("{:?}_is_found", KERNELS[number].0);
        Trial::test(name, move || is_found(number))
    };
    (0..KERNELS.len()).map(trial).collect()
}

fn is_found(number: usize) -> Result<(), Failed> {
    let (does, (from, to), place) = KERNELS[number];
    // Two seeds draw other codes, texts and requests.
    for seed in [0, 7] {
        let filters = Filters { from: Some(from), to: Some(to), opset: None };
        let suites = vec![Suite::OnnxCast];
        let options =
            Options { filters, suites, seed, calls: Calls::InARow(10_240), ..Options::default() };
        let (_, file) = gate::results(&options, &mut Kernel::new(does))?;
        let found = &file.results.misplaced;
        let places: Vec<String> = found.iter().map(|it| it.place.to_string()).collect();
        let is_named = places.iter().any(|it| it.starts_with(place));
        if file.passed || !is_named || !file.results.failures.is_empty() {
            return Err(format!("{does:?}, seed {seed}: {places:?}").into());
        }
    }
    Ok(())
}

/// Castproof's own implementation, but for what is planted.
struct Kernel {
    inner: Builtin,
    does: Does,
    given: Attributes,
    before: Option<(Request, Vec<u8>)>,
    same: usize,
    calls: usize,
}

impl Kernel {
    fn new(does: Does) -> Kernel {
        let given = Attributes::default();
        Kernel { inner: Builtin::new(), does, given, before: None, same: 0, calls: 0 }
    }

    /// Is the result of this element wrong?
    fn is_wrong(&self, request: &Request, input: &Element, after: Option<DType>) -> bool {
        let is_field = |field| input.as_code().is_some_and(|code| code >> 52 & 0x7ff == field);
        match self.does {
            Does::Field(field) => is_field(field),
            Does::FieldAt(field, version) => {
                is_field(field) && request.spec.opset() == Some(version)
            }
            Does::Octal => {
                let text = input.text();
                let digits = text.trim_start_matches(['+', '-']);
                let is_octal = digits.bytes().all(|it| (b'0'..b'8').contains(&it));
                let is_other = digits.trim_start_matches('0').len() > 1;
                digits.starts_with('0') && is_octal && is_other
            }
            Does::Point => input.text().ends_with('.'),
            Does::Keeps | Does::ErrorAfterFloat64 => false,
            Does::Third => self.same == 2,
            Does::AfterFloat64 => after == Some(Float64),
            Does::From(call) => self.calls >= call,
        }
    }
}

impl Testee for Kernel {
    fn identity(&self) -> &Identity {
        self.inner.identity()
    }

    fn cast(&mut self, request: &Request, count: usize, input: &[u8]) -> Reply {
        let is_absent = request.attributes == Attributes::default();
        let taken = match self.does {
            Does::Keeps if is_absent && request.to == Float8E4M3FN => request.with(self.given),
            _ => *request,
        };
        if !is_absent && request.to == Float8E4M3FN {
            self.given = request.attributes;
        }
        let before = self.before.replace((*request, input.to_vec()));
        let is_same = before.as_ref().is_some_and(|it| (it.0, &it.1[..]) == (*request, input));
        self.calls += usize::from(count == 1 && request.spec == Spec::cast(NEWEST));
        self.same = if is_same { self.same + 1 } else { 0 };
        let after = before.map(|(request, _)| request.from);
        let (from, to) = (request.from, request.to);
        if matches!(self.does, Does::ErrorAfterFloat64) && after == Some(Float64) && from == Float32
        {
            return Reply::Error("the table is that of float64".into());
        }
        match self.inner.cast(&taken, count, input) {
            Reply::Output(output) if to.is_numeric() => {
                let inputs = unpack_elements(from, input, count).expect("the gate packs right");
                let mut got = unpack(to, &output, count).expect("so does the builtin");
                for (input, got) in inputs.iter().zip(&mut got) {
                    *got ^= u64::from(self.is_wrong(request, input, after));
                }
                Reply::Output(pack(to, &got).expect("codes"))
            }
            reply => reply,
        }
    }
}
