//! WebAssembly's relaxed conversions: a kernel takes one of several results, the same one everywhere.

use crate::profiles::run_of_suite;
use castproof::finding::Kind;
use castproof::gate::Options;
use castproof::place::Place;
use castproof::results::ResultsFile;
use castproof::testee::builtin::Builtin;
use castproof::testee::{Identity, Reply, Testee};
use castproof_oracle::Caster;
use castproof_vectors::{DType, Outcome, Profile, Request, Spec, Suite, pack, unpack};

/// Which of the results a kernel takes, given their number, the index and the count.
type Takes = fn(usize, usize, usize) -> usize;

/// Casts as `wasm-relaxed` says, requests of ONNX too, by its own choice of the results.
struct Kernel {
    builtin: Builtin,
    takes: Takes,
}

impl Testee for Kernel {
    fn identity(&self) -> &Identity {
        self.builtin.identity()
    }

    fn profiles(&self) -> Vec<Profile> {
        vec![Profile::WasmRelaxed]
    }

    fn cast(&mut self, request: &Request, count: usize, input: &[u8]) -> Reply {
        let asked = match request.spec {
            Spec::Profile(_) => *request,
            _ => Request::new(Spec::Profile(Profile::WasmRelaxed), request.from, request.to),
        };
        let caster = Caster::new(&asked).expect("a request of the profile");
        if caster.is_refused() {
            return Reply::Unsupported("not a cast of the profile".into());
        }
        let codes = unpack(request.from, input, count).expect("the gate packs right");
        let result = |(index, &code): (usize, &u64)| match caster.cast(code).expect("a code").expect
        {
            Outcome::Code(code) => code,
            Outcome::OneOf(codes) => codes[(self.takes)(codes.len(), index, count)],
            other => panic!("{other:?}"),
        };
        let results: Vec<u64> = codes.iter().enumerate().map(result).collect();
        Reply::Output(pack(request.to, &results).expect("numeric"))
    }
}

fn gate(takes: Takes, silent_as: Option<Profile>) -> ResultsFile {
    let mut kernel = Kernel { builtin: Builtin::new(), takes };
    let pairs = vec![(DType::Float32, DType::Int32), (DType::Float64, DType::Uint32)];
    let suite = match silent_as {
        Some(_) => Suite::OnnxCast,
        None => Suite::Profile(Profile::WasmRelaxed),
    };
    run_of_suite(suite, &mut kernel, Options { pairs, silent_as, ..Options::default() })
}

#[test]
fn each_choice_passes() {
    for takes in [(|_, _, _| 0) as Takes, |count, _, _| count / 2, |count, _, _| count - 1] {
        let file = gate(takes, None);
        assert!(file.passed && file.findings.is_empty(), "{:?}", file.findings);
    }
}

/// A choice that depends on the place is a notice, as an open result is: where the profile is asked, and where
/// it judges what ONNX leaves open.
#[test]
fn two_choices_in_one_tensor_are_a_notice() {
    for (silent_as, rule) in [(None, "WA-13"), (Some(Profile::WasmRelaxed), "FI-04")] {
        let takes: Takes = |count, index, length| match index < length / 8 * 8 {
            true => 0,
            false => count - 1,
        };
        let file = gate(takes, silent_as);
        assert!(file.passed);
        let [notice] = &file.findings[..] else { panic!("{:?}", file.findings) };
        assert_eq!((notice.kind, notice.pairs.len()), (Kind::Open, 2));
        assert_eq!(notice.example.place, Some(Place::Body(8)));
        assert_eq!(notice.rule.as_deref(), Some(rule));
    }
}
