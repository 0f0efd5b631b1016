//! Kernels of their own in older versions.

use crate::gate::{Options, results};
use castproof_arrange::Arrangements;
use castproof_results::finding::{Finding, Kind};
use castproof_testee::builtin::Builtin;
use castproof_testee::{Identity, Reply, Testee};
use castproof_vectors::{DType, Request};

/// Changes the output that belongs to an input.
type Spoil = fn(&[u8], &mut [u8]);

/// Castproof's own implementation, with another kernel below Cast-13.
struct Old {
    inner: Builtin,
    spoil: Spoil,
}

impl Testee for Old {
    fn identity(&self) -> &Identity {
        self.inner.identity()
    }

    fn cast(&mut self, request: &Request, count: usize, input: &[u8]) -> Reply {
        let reply = self.inner.cast(request, count, input);
        match reply {
            Reply::Output(mut output) if request.spec.opset().is_some_and(|it| it < 13) => {
                (self.spoil)(input, &mut output);
                Reply::Output(output)
            }
            reply => reply,
        }
    }
}

/// Numbers from 4 to below 8 whose lowest bits are 0101 have a wrong result.
fn spoil_numbers(input: &[u8], output: &mut [u8]) {
    for (number, result) in input.chunks(4).zip(output.chunks_mut(2)) {
        let code = u32::from_le_bytes(number.try_into().expect("four bytes"));
        if code >> 23 == 0x81 && code & 15 == 5 {
            result[0] ^= 1;
        }
    }
}

/// The first of seven elements is wrong.
fn spoil_seven(_: &[u8], output: &mut [u8]) {
    if output.len() == 14 {
        output[0] ^= 1;
    }
}

/// float32 to float16 has other results below Cast-13. By default those versions are asked for drawn codes, and
/// for no tensors of other counts; `--all-versions` asks for these too. The page docs/gate.md says so.
#[test]
fn older_versions_are_asked_for_what_differs_or_in_full() {
    let newest = Arrangements::Newest;
    for (spoil, versions, kind) in [
        (spoil_numbers as Spoil, newest, Some(Kind::Place)),
        (spoil_seven, newest, None),
        (spoil_seven, Arrangements::All, Some(Kind::Place)),
    ] {
        let options = Options {
            pairs: vec![(DType::Float32, DType::Float16)],
            arrangements: versions,
            threads: 1,
            ..Options::default()
        };
        let mut testee = Old { inner: Builtin::new(), spoil };
        let (_, file) = results(&options, &mut testee).expect("a run");
        let found: Vec<String> = file.findings.iter().map(Finding::headline).collect();
        let of_first = file.findings.first().map(|finding| finding.kind);
        assert_eq!((of_first, file.passed), (kind, kind.is_none()), "{versions:?}: {found:?}");
        assert!(file.findings.iter().all(|finding| finding.versions.iter().all(|it| *it < 13)));
    }
}
