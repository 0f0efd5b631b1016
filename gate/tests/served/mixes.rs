//! Kernels that mix right, wrong, refused and fatal elements: whatever comes first, and into whatever
//! shares a sweep is split, it comes to the same, and so do its certificates.

use castproof::journal::JournalTerms;
use castproof::results::Filters;
use castproof::sweep::{self, Check, Conclusion, Shard, SweepOptions};
use castproof::testee::{Identity, Reply, Subject, Testee, builtin::Builtin};
use castproof_vectors::{DType, Request};
use libtest_mimic::{Failed, Trial};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

type Checked = Result<(), Failed>;

/// Returns the tests.
pub(crate) fn trials() -> Vec<Trial> {
    vec![
        Trial::test("mixed_elements_come_to_the_same", mixed_elements_come_to_the_same),
        Trial::test("mixed_chunks_come_to_the_same", mixed_chunks_come_to_the_same),
        Trial::test("mixed_requests_come_to_the_same", mixed_requests_come_to_the_same),
    ]
}

/// What a kernel does with an element.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Does {
    Right,
    Wrong,
    Refuses,
    Dies,
}
use Does::{Dies, Refuses, Right, Wrong};

/// The planted kernels: what each does in the thirds of what it is asked, in this order, and what its sweep
/// must come to. One that only refuses has no such cast.
const KERNELS: [([Does; 3], Conclusion); 12] = [
    ([Right, Right, Right], Conclusion::Clean),
    ([Refuses, Refuses, Refuses], Conclusion::Fails),
    ([Right, Right, Wrong], Conclusion::Fails),
    ([Wrong, Right, Refuses], Conclusion::Fails),
    ([Refuses, Right, Wrong], Conclusion::Fails),
    ([Refuses, Wrong, Right], Conclusion::Fails),
    ([Wrong, Refuses, Refuses], Conclusion::Fails),
    ([Right, Right, Dies], Conclusion::Fails),
    ([Dies, Refuses, Wrong], Conclusion::Fails),
    ([Refuses, Dies, Right], Conclusion::Fails),
    ([Wrong, Dies, Refuses], Conclusion::Fails),
    ([Refuses, Right, Refuses], Conclusion::Fails),
];

/// What decides in which third an element is.
#[derive(Clone, Copy)]
enum By {
    /// Its code.
    Code,
    /// The target of its request.
    Target,
}

/// Castproof's own implementation, but for what is planted. A tensor is as its worst element.
struct Mixed {
    inner: Builtin,
    does: [Does; 3],
    by: By,
}

impl Mixed {
    fn of(does: [Does; 3], by: By) -> Box<dyn Testee + Send> {
        Box::new(Mixed { inner: Builtin::new(), does, by })
    }

    fn third(&self, request: &Request, code: u64) -> usize {
        match self.by {
            By::Code => ((u128::from(code) * 3) >> request.from.bits()) as usize,
            By::Target => request.to as usize % 3,
        }
    }
}

impl Testee for Mixed {
    fn identity(&self) -> &Identity {
        self.inner.identity()
    }

    fn cast(&mut self, request: &Request, count: usize, input: &[u8]) -> Reply {
        let codes = castproof_vectors::unpack(request.from, input, count).expect("whole codes");
        let mut seen = [false; 3];
        codes.iter().for_each(|code| seen[self.third(request, *code)] = true);
        let is = |what: Does| (0..3).any(|third| seen[third] && self.does[third] == what);
        if is(Dies) {
            return Reply::Crash("died".into());
        }
        if is(Refuses) {
            return Reply::Unsupported("no such element".into());
        }
        let mut reply = self.inner.cast(request, count, input);
        if let (Reply::Output(output), true) = (&mut reply, is(Wrong)) {
            let bits = request.to.bits() as usize;
            for (element, code) in codes.iter().enumerate() {
                if self.does[self.third(request, *code)] == Wrong {
                    output[element * bits / 8] ^= 1 << (element * bits % 8);
                }
            }
        }
        reply
    }
}

fn options((from, to): (DType, Option<DType>), shard: Shard, certificate: PathBuf) -> SweepOptions {
    SweepOptions {
        subject: Subject::Builtin,
        profile: None,
        filters: Filters { from: Some(from), to, opset: None },
        shard,
        threads: 2,
        certificate,
        terms: JournalTerms::default(),
        timeout: Duration::from_secs(60),
        date: "2026-01-01T00:00:00Z".into(),
    }
}

static NEVER: AtomicBool = AtomicBool::new(false);

fn verify(path: &Path) -> Conclusion {
    let verified = sweep::verify(path, &Check::default(), 2, &NEVER, &mut Vec::new());
    verified.expect("nothing contradicts the rules")
}

/// Sweeps these casts with a kernel in so many shares. Returns what the joined certificate comes to.
fn split(
    casts: (DType, Option<DType>),
    kernel: impl Fn() -> Box<dyn Testee + Send>,
    shares: u64,
) -> Conclusion {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    let mut files = Vec::new();
    let mut fails = false;
    for index in 1..=shares {
        let options = options(casts, Shard { index, of: shares }, path(&format!("{index}")));
        let testees = vec![kernel(), kernel()];
        let said = sweep::run_with(&options, testees, &NEVER, &mut Vec::new()).expect("swept");
        if shares > 1 {
            assert_ne!(said, Conclusion::Clean, "a share");
        }
        // An empty share has a certificate that claims nothing.
        assert_eq!(verify(&options.certificate), said, "share {index} of {shares}");
        fails |= said == Conclusion::Fails;
        files.push(options.certificate);
    }
    let place = path("joined");
    let mut came = None;
    // In both orders.
    for _ in 0..2 {
        let work = (2, &NEVER);
        let said = sweep::merge(&files, &place, "today", work, &mut Vec::new()).expect("joined");
        assert!(came.is_none_or(|came| came == said), "the order of the files matters");
        came = Some(said);
        files.reverse();
    }
    assert_eq!(Some(verify(&place)), came);
    let replayed = sweep::replay(&place, kernel().as_mut(), (64, 1), &NEVER, &mut Vec::new());
    assert!(replayed.expect("a replay"), "the same kernel gives the same");
    assert!(!fails || came == Some(Conclusion::Fails), "a failure was lost");
    came.expect("joined")
}

fn come_to_the_same(casts: (DType, Option<DType>), by: By, shares: &[u64]) {
    for (does, due) in KERNELS {
        for shares in shares {
            let came = split(casts, || Mixed::of(does, by), *shares);
            assert_eq!(came, due, "{does:?} in {shares} shares");
        }
    }
}

/// One request of one chunk, whose tensors differ.
fn mixed_elements_come_to_the_same() -> Checked {
    come_to_the_same((DType::Uint16, Some(DType::Uint8)), By::Code, &[1, 2]);
    Ok(())
}

/// One request of two chunks.
fn mixed_chunks_come_to_the_same() -> Checked {
    come_to_the_same((DType::Float64, Some(DType::Float16)), By::Code, &[1, 2]);
    Ok(())
}

/// Many requests of one chunk.
fn mixed_requests_come_to_the_same() -> Checked {
    for (does, _) in KERNELS {
        let is = |what: Does| does.contains(&what);
        let due = if is(Wrong) || is(Dies) || !is(Right) {
            Conclusion::Fails
        } else {
            // What is refused as a whole is unsupported, and no failure.
            Conclusion::Clean
        };
        for shares in [1, 3, 64] {
            let came = split((DType::Int8, None), || Mixed::of(does, By::Target), shares);
            assert_eq!(came, due, "{does:?} in {shares} shares");
        }
    }
    Ok(())
}
