//! Faults of places, memory, layout and state, planted in a right testee: each is found at level
//! core and named by its place, in process and, unless it is a fault of memory, over the pipe.
//!
//! `served serve-places NUMBER` makes this program the testee with that fault.

mod testees;

use castproof::gate::{self, Options};
use castproof::read_results;
use castproof::results::Results;
use castproof::testee::Subject;
use castproof::testee::{
    Chain, Feature, Form, Identity, Layout, Reply, Testee, builtin::Builtin, serve::serve,
};
use castproof_vectors::DType::{
    self, Float8E8M0, Float16, Float32, Float64, Int4, Int8, Int32, Int64, Uint2, Uint8, Uint16,
};
use castproof_vectors::{
    Element, Request, element_count, landmarks, pack_elements, unpack, unpack_elements,
};
use libtest_mimic::{Failed, Trial};
use std::io::{self, BufWriter};
use std::path::Path;
use std::string::String;
use std::time::Duration;

type Pair = (DType, DType);

const HALF: Pair = (Float32, Float16);

/// One element of a call.
struct Spot<'a> {
    index: usize,
    count: usize,
    codes: &'a [u64],
    /// What holds for all codes.
    all: All,
    /// The number of elements of the largest call so far.
    largest: usize,
    form: &'a Form,
    dirty: bool,
}

/// What holds for all codes of a call. It is computed once a call: computed once an element, a tensor of 110,877 equal codes
/// would be read 110,877 times.
#[derive(Clone, Copy)]
struct All {
    equal: bool,
    nan: bool,
}

/// Is the element at this spot wrong?
type Wrong = fn(&Spot<'_>) -> bool;

/// The effect of a fault.
#[derive(Clone, Copy)]
enum Does {
    /// Elements are wrong at some spots.
    Wrong(Wrong),
    /// Calls of some counts get another reply.
    Replies(fn(usize) -> Option<Reply>),
    /// The output has ones in its padding bits.
    PaddingOut,
    /// The same for one negative element alone, as if its sign were extended.
    SignExtendedAlone,
    /// The kernel misuses the buffers of the gate.
    Memory(fn(&[u8], &mut [u8], usize)),
}

struct Fault {
    /// The start of `Misplaced::place`.
    told: &'static str,
    pair: Pair,
    does: Does,
}

const fn wrong(told: &'static str, wrong: Wrong) -> Fault {
    Fault { told, pair: HALF, does: Does::Wrong(wrong) }
}

const fn of(told: &'static str, pair: Pair, wrong: Wrong) -> Fault {
    Fault { told, pair, does: Does::Wrong(wrong) }
}

const fn memory(told: &'static str, does: fn(&[u8], &mut [u8], usize)) -> Fault {
    Fault { told, pair: HALF, does: Does::Memory(does) }
}

const fn replies(told: &'static str, reply: fn(usize) -> Option<Reply>) -> Fault {
    Fault { told, pair: HALF, does: Does::Replies(reply) }
}

fn tail(spot: &Spot<'_>, size: usize) -> bool {
    spot.index >= spot.count / size * size
}

fn is_nan(code: u64) -> bool {
    landmarks(Float32).is_some_and(|float| float.is_nan(code))
}

/// Does the vector of this element hold such a code, while the element has another?
fn beside(spot: &Spot<'_>, size: usize, is: fn(u64) -> bool) -> bool {
    let first = spot.index / size * size;
    let vector = &spot.codes[first..spot.count.min(first + size)];
    !is(spot.codes[spot.index]) && vector.iter().any(|&code| is(code))
}

fn is_infinity(code: u64) -> bool {
    code & 0x7fff_ffff == 0x7f80_0000
}

fn is_formed(spot: &Spot<'_>, layout: Layout) -> bool {
    spot.form.layout == layout
}

const FAULTS: &[Fault] = &[
    // A scalar tail that turns NaN into infinity, and a body that is wrong.
    wrong("the tail of 8", |spot| tail(spot, 8) && is_nan(spot.codes[spot.index])),
    wrong("the body of 32", |spot| !tail(spot, 32)),
    wrong("the tail of 4", |spot| tail(spot, 4)),
    wrong("the tail of 8", |spot| tail(spot, 8)),
    wrong("the tail of 16", |spot| tail(spot, 16)),
    wrong("the tail of 32", |spot| tail(spot, 32) && spot.codes[spot.index] >> 31 == 0),
    wrong("the tail of 64", |spot| tail(spot, 64)),
    wrong("the body of 4", |spot| !tail(spot, 4)),
    wrong("the body of 8", |spot| !tail(spot, 8) && is_infinity(spot.codes[spot.index])),
    wrong("the body of 16", |spot| !tail(spot, 16)),
    wrong("the body of 64", |spot| !tail(spot, 64)),
    of("the tail of 16", (Float32, Int8), |spot| tail(spot, 16)),
    of("the body of 64", (Int8, Float32), |spot| !tail(spot, 64)),
    of("the tail of 8", (Float64, Float32), |spot| tail(spot, 8)),
    of("the body of 8", (Int64, Float64), |spot| !tail(spot, 8)),
    wrong("lane 3 of 4", |spot| spot.index % 4 == 3),
    wrong("lane 7 of 8", |spot| spot.index % 8 == 7),
    wrong("lane 9 of 16", |spot| spot.index % 16 == 9),
    wrong("lane 31 of 32", |spot| spot.index % 32 == 31),
    wrong("lane 63 of 64", |spot| spot.index % 64 == 63),
    of("lane 1 of 2", (Int4, Int8), |spot| spot.index % 2 == 1),
    of("lane 1 of 2", (Int8, Int4), |spot| spot.index % 2 == 1),
    of("lane 3 of 4", (Uint2, Uint8), |spot| spot.index % 4 == 3),
    wrong("the first element", |spot| spot.index == 0 && spot.count > 1),
    wrong("the last element", |spot| spot.index + 1 == spot.count && spot.count > 1),
    of("the last element", (Int8, Int4), |spot| spot.index + 1 == spot.count && spot.count > 1),
    wrong("only alone", |spot| spot.count == 1),
    wrong("from a count of 17 on", |spot| spot.count >= 17),
    wrong("from a count of 129 on", |spot| spot.count >= 129),
    wrong("from a count of 4097 on", |spot| spot.count > 4096),
    wrong("from a count of 65536 on", |spot| spot.count >= 65_536),
    wrong("from a count of 1000001 on", |spot| spot.count > 1_000_000),
    wrong("counts from 2 to 15", |spot| (2..16).contains(&spot.count)),
    wrong("a count of 64", |spot| spot.count == 64),
    wrong("a count of 256", |spot| spot.count == 256),
    wrong("from element 4096 on", |spot| spot.index >= 4096),
    wrong("from element 65536 on", |spot| spot.index >= 65_536),
    wrong("beside nan, in a vector of 8", |spot| beside(spot, 8, is_nan)),
    wrong("beside nan, in a vector of 16", |spot| beside(spot, 16, is_nan)),
    wrong("beside infinity, in a vector of 4", |spot| beside(spot, 4, is_infinity)),
    wrong("beside infinity, in a vector of 32", |spot| beside(spot, 32, is_infinity)),
    wrong("one code in the whole tensor", |spot| spot.count > 1 && spot.all.equal),
    wrong("one code in the whole tensor", |spot| spot.count > 1 && spot.all.nan),
    wrong("an earlier call's state", |spot| spot.largest > 60_000 && spot.count < 1000),
    // These are right in the tensors of the vectors, whose counts are large or even.
    wrong("tensors other than those of the vectors", |spot| {
        spot.count % 2 == 1 && spot.count < 1000 && is_nan(spot.codes[spot.index])
    }),
    wrong("tensors other than those of the vectors", |spot| {
        spot.count % 2 == 1 && spot.count < 1000
    }),
    // No vector asks for these codes: a quarter of a binade, and one code of 65,536.
    of("codes beyond the vectors", (Float64, Float32), |spot| {
        (0x3ff8 << 48..0x3ffc << 48).contains(&spot.codes[spot.index])
    }),
    of("codes beyond the vectors", (Uint16, Float32), |spot| spot.codes[spot.index] == 0x6487),
    wrong("a shape of rank 0", |spot| spot.form.shape.is_empty()),
    wrong("a shape of rank 2 and more", |spot| spot.form.shape.len() > 1 && spot.form.is_plain()),
    wrong("layout strided", |spot| is_formed(spot, Layout::Strided)),
    wrong("layout reversed", |spot| is_formed(spot, Layout::Reversed) && spot.count > 1),
    wrong("layout transposed", |spot| is_formed(spot, Layout::Transposed)),
    wrong("layout broadcast", |spot| is_formed(spot, Layout::Broadcast)),
    wrong("layout offset", |spot| is_formed(spot, Layout::Offset)),
    wrong("a constant as input", |spot| spot.form.constant),
    of("in place", (Float32, Int32), |spot| spot.form.in_place),
    of("padding bits of the input", (Int4, Int8), |spot| {
        spot.dirty && spot.index + 1 == spot.count
    }),
    Fault { told: "padding bits of the output", pair: (Int8, Int4), does: Does::PaddingOut },
    Fault { told: "padding bits of the output", pair: (Int8, Uint2), does: Does::PaddingOut },
    Fault { told: "padding bits of the output", pair: (Int8, Int4), does: Does::SignExtendedAlone },
    replies("error at a count of 0", |count| {
        (count == 0).then(|| Reply::Error("an empty tensor".into()))
    }),
    replies("error at 129 counts from 2 to 130", |count| {
        (2..=130).contains(&count).then(|| Reply::Error("a small tensor".into()))
    }),
    replies("error at a count of 17", |count| {
        (count == 17).then(|| Reply::Error("an odd tensor".into()))
    }),
    replies("unsupported at a count of 6553", |count| {
        (65_535..=65_537).contains(&count).then(|| Reply::Unsupported("a large tensor".into()))
    }),
    // Replies of a wrong length, which break the protocol over the pipe.
    replies("error at a count of 33", |count| (count == 33).then(|| Reply::Output(vec![0; 68]))),
    replies("error at a count of 66", |count| (count == 66).then(|| Reply::Output(vec![0; 130]))),
    memory("written outside, after the end", |_, output, _| poke(output, output.len() + 13)),
    of("a shape of rank 0", (DType::String, Float32), |it| it.form.shape.is_empty()),
    of("the last element", (DType::String, Int8), |it| it.index + 1 == it.count && it.count > 1),
    of("from a count of 64 on", (Int32, DType::String), |it| it.count >= 64),
    of("layout reversed", (Float16, DType::String), |it| it.form.layout == Layout::Reversed),
    of("only alone", (DType::String, Float32), |it| it.count == 1 && it.form.shape.len() == 1),
    of("tensors other than those of the vectors", (Int32, DType::String), |it| {
        it.count % 2 == 1 && it.count < 1000
    }),
    // The vectors show one of the wrong elements, 0, and no other.
    of("tensors other than those of the vectors", (Int32, DType::String), |it| {
        it.codes[it.index] == 0 || it.count % 2 == 1 && it.count < 1000
    }),
    Fault {
        told: "tensors other than those of the vectors",
        pair: (Int32, DType::String),
        does: Does::Replies(|count| {
            (count % 2 == 1 && count < 1000).then(|| Reply::Error("an odd tensor".into()))
        }),
    },
    of("lane 3 of 4", (DType::String, Float64), |it| it.count >= 4 && it.index % 4 == 3),
    memory("written outside, after the end", |_, output, count| {
        if count == 19 {
            poke(output, output.len());
        }
    }),
    memory("written outside, before the start", |_, output, _| poke(output, usize::MAX)),
    memory("read outside, after the end", |input, _, _| peek(input, input.len() + 3)),
    memory("read outside, before the start", |input, _, _| peek(input, usize::MAX)),
    memory("left unwritten", |_, output, count| {
        if count % 8 != 0 {
            let last = output.len() - 1;
            output[last] = UNWRITTEN.get();
        }
    }),
    memory("an input not aligned to 16 bytes", |input, output, _| {
        if !(input.as_ptr() as usize).is_multiple_of(16) {
            output.fill(0x77);
        }
    }),
    memory("an output not aligned to 64 bytes", |_, output, _| {
        if !(output.as_ptr() as usize).is_multiple_of(64) {
            output.fill(0x77);
        }
    }),
    memory("crash at ", |input, _, _| {
        assert!((input.as_ptr() as usize).is_multiple_of(4), "the input is not aligned");
    }),
];

thread_local! {
    /// The last byte of the output as it was before the call.
    static UNWRITTEN: std::cell::Cell<u8> = const { std::cell::Cell::new(0) };
}

/// Writes one byte at this distance from the start of a slice, as a loop without a bound does.
fn poke(output: &mut [u8], distance: usize) {
    // SAFETY: none. The access outside the slice is the planted fault. The byte is in memory of the
    // gate, or in a page whose signal the gate handles so that the testee goes on.
    unsafe { output.as_mut_ptr().wrapping_add(distance).write_volatile(1) }
}

/// Reads one byte at this distance from the start of a slice.
fn peek(input: &[u8], distance: usize) {
    // SAFETY: as in `poke`.
    let byte = unsafe { input.as_ptr().wrapping_add(distance).read_volatile() };
    std::hint::black_box(byte);
}

/// Castproof's own implementation with a fault, or without one.
struct Planted {
    inner: Builtin,
    fault: Option<&'static Fault>,
    largest: usize,
}

impl Planted {
    fn new(fault: Option<&'static Fault>) -> Planted {
        Planted { inner: Builtin::new(), fault, largest: 0 }
    }

    fn spoil(&mut self, request: &Request, form: &Form, input: &[u8], output: &mut Vec<u8>) {
        let count = element_count(&form.shape).expect("it fits");
        let largest = self.largest;
        self.largest = largest.max(count);
        let Some(Fault { does, .. }) = self.fault else { return };
        let used = count * request.from.bits() as usize % 8;
        let dirty = used != 0 && input.last().is_some_and(|last| last >> used != 0);
        match does {
            Does::Wrong(wrong) => {
                let codes = match request.from {
                    DType::String => Vec::new(),
                    from => unpack(from, input, count).expect("the gate packs right"),
                };
                let all = All {
                    equal: codes.iter().all(|code| code == &codes[0]),
                    nan: codes.iter().all(|&code| is_nan(code)),
                };
                let is_wrong = |index: &usize| {
                    wrong(&Spot { index: *index, count, codes: &codes, all, largest, form, dirty })
                };
                let spoiled: Vec<usize> = (0..count).filter(is_wrong).collect();
                if spoiled.is_empty() {
                    return;
                }
                let got = unpack_elements(request.to, output, count);
                let mut got = got.expect("so does the builtin");
                for index in spoiled {
                    got[index] = match got[index].as_code() {
                        Some(code) => Element::code(other(request.to, code), request.to),
                        None => Element::Text("another".into()),
                    };
                }
                *output = pack_elements(request.to, &got).expect("elements");
            }
            Does::PaddingOut => {
                let used = count * request.to.bits() as usize % 8;
                if let (1.., Some(last)) = (used, output.last_mut()) {
                    *last |= !0 << used;
                }
            }
            Does::SignExtendedAlone => {
                let sign = 1 << (request.to.bits() - 1);
                if let ([1], [alone]) = (&form.shape[..], &mut output[..])
                    && *alone & sign != 0
                {
                    *alone |= !(sign | (sign - 1));
                }
            }
            Does::Replies(_) | Does::Memory(_) => {}
        }
    }
}

/// Returns another code: infinity for a NaN, else the code beside it.
fn other(to: DType, code: u64) -> u64 {
    let nan = landmarks(to).is_some_and(|target| target.is_nan(code));
    if nan { 0x7c00 & to.code_mask() } else { code ^ 1 }
}

impl Testee for Planted {
    fn identity(&self) -> &Identity {
        self.inner.identity()
    }

    fn cast(&mut self, request: &Request, count: usize, input: &[u8]) -> Reply {
        self.cast_formed(request, &Form::flat(count), input)
    }

    fn features(&self) -> Vec<Feature> {
        Feature::ALL.to_vec()
    }

    fn cast_formed(&mut self, request: &Request, form: &Form, input: &[u8]) -> Reply {
        let count = element_count(&form.shape).expect("it fits");
        if let Some(Fault { does: Does::Replies(reply), .. }) = self.fault
            && let Some(reply) = reply(count)
        {
            return reply;
        }
        match self.inner.cast(request, count, input) {
            Reply::Output(mut output) => {
                self.spoil(request, form, input, &mut output);
                Reply::Output(output)
            }
            refused => refused,
        }
    }

    fn cast_into(
        &mut self,
        request: &Request,
        count: usize,
        input: &[u8],
        output: &mut [u8],
    ) -> Option<Reply<()>> {
        let fault = self.fault.filter(|fault| matches!(fault.does, Does::Memory(_)));
        if self.fault.is_some() && fault.is_none() {
            return None; // the other faults are of a testee with buffers of its own
        }
        let last = output.last().copied().unwrap_or(0);
        UNWRITTEN.with(|byte| byte.set(last));
        let reply = self.inner.cast_into(request, count, input, output);
        if let (Some(Fault { does: Does::Memory(does), .. }), 1..) = (fault, count) {
            does(input, output, count);
        }
        reply
    }

    fn chain(&mut self, chain: &Chain, count: usize, input: &[u8]) -> Reply {
        self.inner.chain(chain, count, input)
    }
}

/// Answers as the testee with the fault of this number, or with none.
pub(crate) fn serve_as(number: &str) {
    let fault = number.parse::<usize>().ok().and_then(|number| FAULTS.get(number));
    let output = &mut BufWriter::new(io::stdout().lock());
    serve(&mut Planted::new(fault), &mut io::stdin().lock(), output).expect("a conversation");
}

/// Returns the tests.
pub(crate) fn trials() -> Vec<Trial> {
    let mut trials = vec![
        Trial::test(
            "a_shared_library_is_held_to_its_buffers",
            a_shared_library_is_held_to_its_buffers,
        ),
        Trial::test("a_right_testee_passes_in_process", || nothing_is_found(None)),
        Trial::test("a_right_testee_passes_over_the_pipe", || nothing_is_found(Some("none"))),
        Trial::test(
            "an_absent_attribute_is_its_default",
            testees::an_absent_attribute_is_its_default,
        ),
        Trial::test("a_known_fault_hides_no_other", testees::a_known_fault_hides_no_other),
        Trial::test(
            "an_unexplained_fault_hides_no_other",
            testees::an_unexplained_fault_hides_no_other,
        ),
        Trial::test("an_expected_rule_hides_no_other", testees::an_expected_rule_hides_no_other),
        Trial::test("a_reply_is_due_to_each_tensor", testees::a_reply_is_due_to_each_tensor),
        Trial::test(
            "wrong_padding_has_a_rule_and_a_program",
            testees::wrong_padding_has_a_rule_and_a_program,
        ),
        Trial::test("there_are_sixty_faults", || {
            if FAULTS.len() >= 60 { Ok(()) } else { Err("too few".into()) }
        }),
    ];
    for (number, fault) in FAULTS.iter().enumerate() {
        let name = format!("{number}: {} of {} -> {}", fault.told, fault.pair.0, fault.pair.1);
        trials.push(Trial::test(format!("in process, {name}"), move || {
            found(fault, &run(fault.pair, &mut Planted::new(Some(fault))))
        }));
        if !matches!(fault.does, Does::Memory(_)) {
            let over_the_pipe = move || {
                let mut testee = served(&number.to_string());
                found(fault, &run(fault.pair, testee.as_mut()))
            };
            trials.push(Trial::test(format!("over the pipe, {name}"), over_the_pipe));
        }
    }
    trials
}

/// Bodies of a kernel in C, each with a text that the gate must print.
const LIBRARIES: &[(&str, &str)] = &[
    ("for (i = 0; i < n; i++) b[i] = a[i];", "PASS  "),
    ("for (i = 0; i < n; i++) b[i] = a[i]; b[n + 6] = 0;", "written outside, after the end"),
    ("for (i = 0; i < n; i++) b[i] = a[i]; b[-1] = 0;", "written outside, before the start"),
    (
        "volatile unsigned char c = a[n]; (void)c; for (i = 0; i < n; i++) b[i] = a[i];",
        "read outside, after the end",
    ),
    ("for (i = 0; i < n / 4 * 4; i++) b[i] = a[i];", "left unwritten"),
    ("for (i = 0; i < n; i++) b[i] = n > 16 && i >= n / 16 * 16 ? 1 : a[i];", "the tail of 16"),
    #[cfg(target_arch = "x86_64")]
    (
        "for (i = 0; i + 4 <= n; i += 4) _mm_store_ps(b + i, _mm_set_ps(a[i+3], a[i+2], a[i+1], a[i]));\n\
         for (; i < n; i++) b[i] = a[i];",
        "a load or store that needs them aligned",
    ),
];

fn a_shared_library_is_held_to_its_buffers() -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let include = Path::new(env!("CARGO_MANIFEST_DIR")).join("include");
    for (number, (body, said)) in LIBRARIES.iter().enumerate() {
        let source = folder.path().join(format!("kernel{number}.c"));
        let library = source.with_extension("so");
        let intrinsics = if cfg!(target_arch = "x86_64") { "#include <immintrin.h>\n" } else { "" };
        let text = format!(
            "#include \"castproof.h\"\n#include <string.h>\n{intrinsics}\
             int castproof_cast(const struct castproof_request *r, const void *input, void *output,\n\
             char *m, size_t s) {{\n  (void)s; m[0] = 0;\n\
             if (strcmp(r->from, \"uint8\") || strcmp(r->to, \"float32\")) return 1;\n\
             const unsigned char *a = input; float *b = output; size_t i, n = r->count;\n  {body}\n\
             return 0;\n}}\n"
        );
        std::fs::write(&source, text)?;
        let status = std::process::Command::new("cc")
            .args(["-O1", "-shared", "-fPIC", "-I"])
            .args([&include, &"-o".into(), &library, &source])
            .status()?;
        assert!(status.success(), "{body}");
        let path = library.to_str().ok_or("a name")?;
        let run = crate::common::castproof(
            &["gate", "--library", path, "--pair", "uint8:float32", "--kernel"],
            "",
        );
        assert!(run.out.contains(said), "{body}: {said}\n{}{}", run.out, run.err);
    }
    Ok(())
}

/// Starts this program as a testee behind a pipe.
fn served(number: &str) -> Box<dyn Testee + Send> {
    let program = std::env::current_exe().expect("this program");
    let command = format!("'{}' serve-places {number}", program.display());
    castproof::testee::start(&Subject::Command(command), Duration::from_secs(60))
        .expect("it starts")
}

fn run(pair: Pair, testee: &mut dyn Testee) -> Results {
    run_expecting(None, pair, testee)
}

/// Runs against this baseline, which takes what it does not expect yet.
fn run_expecting(baseline: Option<&Path>, pair: Pair, testee: &mut dyn Testee) -> Results {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let json = folder.path().join("results.json");
    let options = Options {
        pairs: vec![pair],
        kernel: true,
        json: Some(json.clone()),
        baseline: baseline.map(Path::to_path_buf),
        update_baseline: baseline.is_some(),
        ..Options::default()
    };
    gate::run(&options, testee, &mut io::sink()).expect("the gate runs");
    read_results(&json).expect("a results file").results
}

fn nothing_is_found(served_as: Option<&str>) -> Result<(), Failed> {
    let pairs = [HALF, (Float32, Int32), (Int4, Int8), (Float64, Uint2), (Float32, Float8E8M0)];
    for pair in pairs {
        let mut planted = Planted::new(None);
        let results = match served_as {
            Some(number) => run(pair, served(number).as_mut()),
            None => run(pair, &mut planted),
        };
        if let Some(found) = results.misplaced.first() {
            return Err(format!("{found}").into());
        }
        if results.all_arranged().tensors < 200 {
            return Err(format!("{pair:?}: {:?}", results.all_arranged()).into());
        }
    }
    Ok(())
}

/// Faults that are told at another place too, because the run cannot see that both are one fault.
const ALSO: &[(&str, &str)] = &[
    // The codes beside a drawn code are not compared with those that the fault minds.
    ("beside ", "a tensor of many codes"),
    // Wrong for some attributes at too few counts for a rule.
    ("counts from 2 to 15", "some places"),
    ("an earlier call's state", "tensors other than those of the vectors"),
    // What stood in the output before is taken for a code.
    ("left unwritten", "some places"),
];

/// The fault is told, and nothing else is: no right element is charged.
fn found(fault: &Fault, results: &Results) -> Result<(), Failed> {
    let is_told = |place: &str| place == fault.told || place.starts_with(fault.told);
    let is_also = |place: &str| {
        ALSO.iter().any(|(told, also)| fault.told.starts_with(told) && place == *also)
    };
    let places: Vec<String> = results.misplaced.iter().map(|it| it.place.to_string()).collect();
    let told = places.iter().any(|place| is_told(place));
    if told && places.iter().all(|place| is_told(place) || is_also(place)) {
        return Ok(());
    }
    let found: Vec<String> = results.misplaced.iter().map(ToString::to_string).collect();
    Err(format!("expected {}; found {} findings:\n{}", fault.told, found.len(), found.join("\n"))
        .into())
}
