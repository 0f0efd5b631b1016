//! Testees whose fault depends on no spot: they misread a request, hide a fault behind another one,
//! or leave tensors unanswered.

use super::{Does, FAULTS, HALF, run, run_expecting};
use crate::common::castproof;
use castproof::place::Place;
use castproof::results::{Misplaced, Results};
use castproof::testee::{Form, Identity, Reply, Testee, builtin::Builtin};
use castproof_vectors::DType::{
    self, Bfloat16, Float8E4M3FN, Float8E8M0, Float32, Float64, Uint16,
};
use castproof_vectors::{Attributes, Element, Request, RoundMode, pack, unpack};
use libtest_mimic::Failed;
use std::fs;
use std::process::Command;

/// Reads an absent attribute as another value than its default.
struct Misreads(Builtin, Attributes);

impl Testee for Misreads {
    fn identity(&self) -> &Identity {
        self.0.identity()
    }

    fn cast(&mut self, request: &Request, count: usize, input: &[u8]) -> Reply {
        let given = request.attributes;
        let attributes = Attributes {
            saturate: given.saturate.or(self.1.saturate),
            round_mode: given.round_mode.or(self.1.round_mode),
        };
        self.0.cast(&request.with(attributes), count, input)
    }
}

pub(crate) fn an_absent_attribute_is_its_default() -> Result<(), Failed> {
    let saturate = Attributes { saturate: Some(false), round_mode: None };
    let round_mode = |mode| Attributes { saturate: None, round_mode: Some(mode) };
    for (to, read, told) in [
        (Float8E4M3FN, saturate, "an absent saturate read as 0"),
        (Float8E8M0, round_mode(RoundMode::Nearest), "an absent round_mode read as nearest"),
        (Float8E8M0, round_mode(RoundMode::Down), "an absent round_mode read as down"),
    ] {
        let results = run((Float32, to), &mut Misreads(Builtin::new(), read));
        let causes: Vec<&str> = results
            .diagnoses
            .iter()
            .flat_map(|it| &it.causes)
            .map(|cause| cause.method.as_str())
            .collect();
        if causes.first() != Some(&told) {
            return Err(format!("{told}: {causes:?}, {} failures", results.failures.len()).into());
        }
    }
    Ok(())
}

/// Casts one pair, and changes each result: `change` takes the code of the input and the result.
struct Changes<F> {
    builtin: Builtin,
    pair: (DType, DType),
    change: F,
}

impl<F: FnMut(u64, &mut u64)> Testee for Changes<F> {
    fn identity(&self) -> &Identity {
        self.builtin.identity()
    }

    fn cast(&mut self, request: &Request, count: usize, input: &[u8]) -> Reply {
        let reply = self.builtin.cast(request, count, input);
        let (Reply::Output(output), true) = (reply, (request.from, request.to) == self.pair) else {
            return Reply::Unsupported("another pair".into());
        };
        let sources = unpack(request.from, input, count).expect("the gate packs right");
        let mut got = unpack(request.to, &output, count).expect("so does the builtin");
        for (code, got) in sources.into_iter().zip(&mut got) {
            (self.change)(code, got);
        }
        Reply::Output(pack(request.to, &got).expect("codes"))
    }
}

fn run_changed(pair: (DType, DType), change: impl FnMut(u64, &mut u64)) -> Results {
    run(pair, &mut Changes { builtin: Builtin::new(), pair, change })
}

/// A known fault does not hide another one of the same rule. The known one rounds towards zero; the
/// other one is in a quarter of a binade that the vectors do not ask for.
pub(crate) fn a_known_fault_hides_no_other() -> Result<(), Failed> {
    for is_wrong in [false, true] {
        let results = run_changed((Float64, Float32), |code, got| {
            let (source, nearest) = (f64::from_bits(code), f32::from_bits(*got as u32));
            if f64::from(nearest).abs() > source.abs() {
                *got -= 1;
            }
            let is_exact = f64::from(nearest) == source;
            if is_wrong && !is_exact && (0x3ff8 << 48..0x3ffc << 48).contains(&code) {
                *got += 8;
            }
        });
        let causes = results.diagnoses.iter().flat_map(|it| &it.causes);
        let causes: Vec<&str> = causes.map(|cause| cause.method.as_str()).collect();
        let places: Vec<&Place> = results.misplaced.iter().map(|it| &it.place).collect();
        if causes.is_empty() || places.contains(&&Place::BeyondVectors) != is_wrong {
            return Err(format!("{is_wrong}: {causes:?}, {places:?}").into());
        }
    }
    Ok(())
}

/// A known fault without a known cause does not hide a wrong code outside its range. The known one
/// changes the last bits of uint16 above 0x7fff as float32, as no known method does; no vector asks
/// for the other code.
pub(crate) fn an_unexplained_fault_hides_no_other() -> Result<(), Failed> {
    for is_wrong in [false, true] {
        let results = run_changed((Uint16, Float32), |code, got| {
            if code > 0x7fff || is_wrong && code == 0x6487 {
                *got ^= 1 + code % 7;
            }
        });
        let causes = results.diagnoses.iter().flat_map(|it| &it.causes);
        let causes: Vec<&str> = causes.map(|cause| cause.method.as_str()).collect();
        let beyond = |it: &&Misplaced| it.place == Place::BeyondVectors;
        let codes: Vec<_> = results.misplaced.iter().filter(beyond).map(|it| &it.input).collect();
        let due = Some(Element::code(0x6487, Uint16));
        let is_due = codes.iter().all(|code| **code == due) && codes.is_empty() != is_wrong;
        if !causes.is_empty() || results.failures.is_empty() || !is_due {
            return Err(format!("{is_wrong}: {causes:?}, {codes:?}").into());
        }
    }
    Ok(())
}

/// An entry of a baseline for codes beyond the vectors expects those of its rule alone. Of the two
/// codes that are wrong here, bfloat16 holds the first exactly, and the second is rounded.
pub(crate) fn an_expected_rule_hides_no_other() -> Result<(), Failed> {
    let pair = (Uint16, Bfloat16);
    let folder = tempfile::tempdir()?;
    let baseline = folder.path().join("expectations.toml");
    let run = || {
        let change = |code: u64, got: &mut u64| {
            *got ^= u64::from(matches!(code, 0x5a80 | 0x6487));
        };
        let mut testee = Changes { builtin: Builtin::new(), pair, change };
        run_expecting(Some(&baseline), pair, &mut testee).misplaced
    };
    let known = |found: &[Misplaced]| -> Vec<_> {
        found.iter().map(|it| (it.clause.clone(), it.known.is_some())).collect()
    };
    let found = run();
    let [first, second] = known(&found).try_into().map_err(|_| "not two rules")?;
    let due = |of_first, of_second| [(first.0.clone(), of_first), (second.0.clone(), of_second)];
    if first.0 == second.0 || (first.1, second.1) != (false, false) {
        return Err(format!("{found:?}").into());
    }
    let text = fs::read_to_string(&baseline)?;
    let (_, entry) = text.rsplit_once("[[expect]]").ok_or("no entry")?;
    fs::write(&baseline, format!("[[expect]]{entry}"))?;
    for due in [due(false, true), due(true, true)] {
        let found = run();
        if known(&found) != due {
            return Err(format!("{due:?}: {found:?}\n{}", fs::read_to_string(&baseline)?).into());
        }
    }
    Ok(())
}

/// Takes eight tensors at once and answers at most this number of them.
struct Forgets(Builtin, usize);

impl Testee for Forgets {
    fn identity(&self) -> &Identity {
        self.0.identity()
    }

    fn cast(&mut self, request: &Request, count: usize, input: &[u8]) -> Reply {
        self.0.cast(request, count, input)
    }

    fn ahead(&self) -> usize {
        8
    }

    fn cast_each(&mut self, request: &Request, tensors: &[(Form, Vec<u8>)]) -> Vec<Reply> {
        self.0.cast_each(request, &tensors[..tensors.len().min(self.1)])
    }
}

pub(crate) fn a_reply_is_due_to_each_tensor() -> Result<(), Failed> {
    for most in [0, 3] {
        let results = run(HALF, &mut Forgets(Builtin::new(), most));
        let told: Vec<&str> = results.misplaced.iter().map(|it| it.sentence.as_str()).collect();
        if !told.iter().any(|told| told.contains(&format!("it returned {most} replies to "))) {
            return Err(format!("{most} replies: {told:?}").into());
        }
    }
    Ok(())
}

/// Wrong padding bits come with a rule, its source, and a program that shows them.
pub(crate) fn wrong_padding_has_a_rule_and_a_program() -> Result<(), Failed> {
    let number = FAULTS.iter().position(|fault| matches!(fault.does, Does::PaddingOut));
    let number = number.ok_or("a fault of padding bits")?;
    let pair = FAULTS[number].pair;
    let folder = tempfile::tempdir()?;
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (json, out) = (path("results.json"), path("shown"));
    let this = std::env::current_exe()?;
    let testee = format!("'{}' serve-places {number}", this.display());
    let pair = format!("{}:{}", pair.0, pair.1);
    let run =
        castproof(&["gate", "--testee", &testee, "--pair", &pair, "--kernel", "--json", &json], "");
    let id = run.out.lines().find(|line| line.contains("padding bits of the output"));
    let id = id.and_then(|line| line.split(' ').next_back()).ok_or(run.out.clone())?;
    let shown = castproof(&["show", id, "--results", &json], "").out;
    assert!(shown.contains("rule      P-02") && shown.contains("source    onnx docs"), "{shown}");
    let right = format!("'{}' serve-places none", this.display());
    for (testee, status) in [(&testee, 1), (&right, 0)] {
        let words = ["reproduce", id, "--results", &json, "--testee", testee, "--out", &out];
        let written = castproof(&words, "");
        assert_eq!(written.code, 0, "{}{}", written.out, written.err);
        let script = folder.path().join("shown/reproduce.py");
        let ran = Command::new("python3").arg(&script).output()?;
        assert_eq!(ran.status.code(), Some(status), "{testee}: {ran:?}");
        fs::remove_dir_all(folder.path().join("shown"))?;
    }
    Ok(())
}
