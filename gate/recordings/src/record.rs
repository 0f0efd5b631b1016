//! The testee that records what another one answers.

use super::asked::{Answer, Asked, ask, with_elements};
use super::difference::Differences;
use super::file::{About, Body, FORMAT, Header, PartRecord, Zero, names, written};
use super::predict::{Initial, Methods, Predictor};
use super::trace::{DIGEST, Trace};
use anyhow::{Result, bail};
use castproof_io::sink;
use castproof_testee::builtin::Builtin;
use castproof_testee::protocol::Supported;
use castproof_testee::{Chain, Feature, Form, Identity, Part, Reply, Returned, Testee};
use castproof_vectors::{
    DType, OneLine, Profile, Question, Request, Suite, pack_elements, unpack_elements,
};
use std::collections::hash_map::{DefaultHasher, Entry};
use std::collections::{BTreeMap, HashMap};
use std::hash::Hasher;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Questions with at most so many bytes are watched for answers that vary.
const WATCHED: usize = 1 << 14;

/// Gathers what the testees of a run answer.
pub struct Recorder {
    methods: Methods,
    /// The methods of the casts of ONNX, once the first part has begun that casts in a row.
    initial: OnceLock<Initial>,
    gathered: Mutex<Gathered>,
}

/// What a testee says of itself.
struct OfTestee {
    identity: Identity,
    features: Vec<Feature>,
    profiles: Vec<Profile>,
    casts: Option<Vec<Supported>>,
    ahead: usize,
}

#[derive(Default)]
struct Gathered {
    numbers: HashMap<String, u64>,
    body: Body,
    /// Who answers, its features and profiles, and how many tensors it is best given at once.
    testee: Option<OfTestee>,
    /// Whether casts are taken, and whether the answers are those of Castproof.
    zeros: BTreeMap<String, (Reply, bool)>,
    varying: u64,
    problem: Option<String>,
}

impl Gathered {
    /// Returns the number of a message.
    fn number(&mut self, text: &str) -> u64 {
        let text = sink::line(text);
        if let Some(number) = self.numbers.get(&text) {
            return *number;
        }
        let number = self.numbers.len() as u64;
        self.body.messages.push(text.clone());
        self.numbers.insert(text, number);
        number
    }
}

impl Default for Recorder {
    fn default() -> Recorder {
        let methods = [None].into_iter().chain(Profile::numeric().map(Some)).collect();
        let (initial, gathered) = (OnceLock::new(), Mutex::default());
        Recorder { methods: Arc::new(methods), initial, gathered }
    }
}

impl Recorder {
    /// Wraps a testee so that what it answers is recorded.
    pub fn recording(self: &Arc<Recorder>, testee: Box<dyn Testee + Send>) -> RecordedTestee {
        let of_testee = OfTestee {
            identity: testee.identity().clone(),
            features: testee.features(),
            profiles: testee.profiles(),
            casts: testee.listed().map(<[Supported]>::to_vec),
            ahead: testee.ahead(),
        };
        self.gathered().testee.get_or_insert(of_testee);
        RecordedTestee { inner: testee, recorder: Arc::clone(self), part: None }
    }

    fn gathered(&self) -> std::sync::MutexGuard<'_, Gathered> {
        self.gathered.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the methods with which a part begins.
    fn initial(&self, part: &Part) -> Initial {
        if part.suite != Suite::OnnxChain {
            return Initial::default();
        }
        let of_casts = || Arc::new(self.gathered().body.initial.clone());
        Arc::clone(self.initial.get_or_init(of_casts))
    }

    fn predictor(&self, part: &Part) -> Predictor {
        Predictor::new(Arc::clone(&self.methods), self.initial(part))
    }

    /// Returns the bytes of the file.
    ///
    /// # Errors
    /// If nothing was asked, or an answer cannot be recorded.
    pub fn finish(&self, about: About) -> Result<Vec<u8>> {
        let mut gathered = std::mem::take(&mut *self.gathered());
        if let Some(problem) = gathered.problem {
            bail!("{problem}");
        }
        let Some(OfTestee { identity, features, profiles, casts, ahead }) = gathered.testee.take()
        else {
            bail!("nothing was asked");
        };
        for (name, (reply, is_expected)) in std::mem::take(&mut gathered.zeros) {
            let (kind, text) = match reply {
                Reply::Output(output) => {
                    let zero = if is_expected { Zero::AsExpected } else { Zero::Output(output) };
                    gathered.body.zeros.insert(name, zero);
                    continue;
                }
                Reply::Unsupported(text) => (0, text),
                Reply::Error(text) => (1, text),
                Reply::Crash(text) => (2, text),
                Reply::Timeout(text) => (3, text),
            };
            let number = gathered.number(&text);
            gathered.body.zeros.insert(name, Zero::Said(kind, number));
        }
        if let Some(initial) = self.initial.get() {
            gathered.body.initial = HashMap::clone(initial);
        } else {
            gathered.body.initial.clear();
        }
        let parts = &gathered.body.parts;
        let mut digest = blake3::Hasher::new();
        for (name, part) in parts {
            digest.update(name.as_bytes()).update(&part.digests[0]);
        }
        let header = Header {
            format: FORMAT.into(),
            testee: identity,
            about,
            features: features.iter().map(|it| it.name().to_string()).collect(),
            profiles: profiles.iter().map(|it| it.name().to_string()).collect(),
            casts,
            ahead,
            parts: parts.len() as u64,
            questions: parts.values().map(|part| part.asked).sum(),
            digest: digest.finalize().to_hex()[..16].into(),
            varying: gathered.varying,
            methods: names(&self.methods),
            bytes: 0,
        };
        written(header, &gathered.body)
    }
}

/// A part that is being asked.
struct Open {
    name: Part,
    trace: Trace,
    /// Where a run that asks less ends it.
    beginning: Option<(u64, [[u8; DIGEST]; 2])>,
    predictor: Predictor,
    differences: Differences,
    /// Digests of short questions, with those of their answers.
    seen: HashMap<u64, u64>,
    varying: u64,
}

/// A testee whose answers are recorded. Its name is that of what it makes.
pub struct RecordedTestee {
    inner: Box<dyn Testee + Send>,
    recorder: Arc<Recorder>,
    part: Option<Open>,
}

impl RecordedTestee {
    /// Records an answer. `ended`: a batch ended with it before its end.
    fn note(&mut self, asked: Asked<'_>, answer: &Answer, ended: bool) {
        let Some(part) = &mut self.part else {
            let problem = format!("{} was asked outside of every part", asked.named());
            self.recorder.gathered().problem.get_or_insert(problem);
            return;
        };
        part.trace.ask(asked);
        part.trace.answer(answer);
        part.watch(asked, answer);
        let number = |text: &str| self.recorder.gathered().number(text);
        part.differences.add(asked, (answer, ended), &mut part.predictor, number);
    }

    /// Asks for one thing.
    fn one(&mut self, asked: Asked<'_>) -> Answer {
        let answer = canonical(asked, ask(self.inner.as_mut(), asked));
        self.note(asked, &answer, false);
        answer
    }

    /// Records the replies to several things.
    fn several<'a>(
        &mut self,
        asked: impl ExactSizeIterator<Item = Asked<'a>>,
        replies: Vec<Reply>,
    ) -> Vec<Reply> {
        let (all, came) = (asked.len(), replies.len().min(asked.len()));
        let mut given = Vec::new();
        for (number, (asked, reply)) in (1..).zip(asked.zip(replies)) {
            let answer = canonical(asked, with_elements(reply));
            let ended = number == came && came < all;
            if ended && matches!(answer, Reply::Output(_)) {
                let problem = format!("the testee gave {came} replies to {all} tensors");
                self.recorder.gathered().problem.get_or_insert(problem);
            }
            self.note(asked, &answer, ended);
            given.push(answer.map(|returned| returned.bytes));
        }
        given
    }
}

impl Open {
    /// Counts answers to the same question that are not the same.
    fn watch(&mut self, asked: Asked<'_>, answer: &Answer) {
        let length = match asked {
            Asked::Cast(_, _, input) | Asked::Chain(_, _, input) => input.len(),
            Asked::Question(_) => 0,
        };
        if length > WATCHED {
            return;
        }
        let mut question = Digest::default();
        asked.write(&mut question);
        let mut given = Digest::default();
        match answer {
            Reply::Output(returned) => given.0.write(&returned.bytes),
            other => given.0.write(format!("{other:?}").as_bytes()),
        }
        let given = given.0.finish();
        match self.seen.entry(question.0.finish()) {
            Entry::Vacant(place) => drop(place.insert(given)),
            Entry::Occupied(place) => self.varying += u64::from(*place.get() != given),
        }
    }
}

/// A quick digest, which is kept for no longer than a part.
#[derive(Default)]
struct Digest(DefaultHasher);

impl std::io::Write for Digest {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.write(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Writes strings as Castproof does, and messages on one line. The gate reads either in the same way.
fn canonical(asked: Asked<'_>, answer: Answer) -> Answer {
    let to = match asked {
        Asked::Cast(request, ..) => request.to,
        Asked::Chain(chain, ..) => chain.ends().1,
        Asked::Question(_) => DType::Uint8,
    };
    match answer {
        Reply::Output(returned) if to == DType::String => {
            let count = match asked {
                Asked::Cast(_, form, _) => castproof_vectors::element_count(&form.shape),
                Asked::Chain(_, count, _) => Ok(count),
                Asked::Question(_) => Ok(0),
            };
            let elements = count.and_then(|count| unpack_elements(to, &returned.bytes, count));
            match elements.and_then(|elements| pack_elements(to, &elements)) {
                Ok(bytes) => Reply::Output(Returned { bytes, ..returned }),
                Err(_) => Reply::Output(returned),
            }
        }
        Reply::Output(returned) => Reply::Output(returned),
        Reply::Unsupported(text) => Reply::Unsupported(sink::line(&text)),
        Reply::Error(text) => Reply::Error(sink::line(&text)),
        Reply::Crash(text) => Reply::Crash(sink::line(&text)),
        Reply::Timeout(text) => Reply::Timeout(sink::line(&text)),
    }
}

impl Testee for RecordedTestee {
    fn identity(&self) -> &Identity {
        self.inner.identity()
    }

    fn digest(&self) -> Option<OneLine> {
        self.inner.digest()
    }

    fn given_up(&self) -> Option<String> {
        self.inner.given_up()
    }

    fn features(&self) -> Vec<Feature> {
        self.inner.features()
    }

    fn profiles(&self) -> Vec<Profile> {
        self.inner.profiles()
    }

    fn listed(&self) -> Option<&[Supported]> {
        self.inner.listed()
    }

    fn ahead(&self) -> usize {
        self.inner.ahead()
    }

    fn begin(&mut self, part: &Part) {
        self.part = Some(Open {
            name: *part,
            trace: Trace::default(),
            beginning: None,
            predictor: self.recorder.predictor(part),
            differences: Differences::default(),
            seen: HashMap::new(),
            varying: 0,
        });
    }

    fn may_end(&mut self) {
        if let Some(part) = &mut self.part {
            part.beginning = Some((part.trace.asked(), part.trace.digests()));
        }
    }

    fn end(&mut self) -> bool {
        let Some(part) = self.part.take() else {
            return true;
        };
        let Open { name, trace, beginning, predictor, differences, varying, .. } = part;
        let record = PartRecord {
            asked: trace.asked(),
            digests: trace.digests(),
            beginning,
            marks: trace.marks().to_vec(),
            entries: differences.finish(),
        };
        let mut gathered = self.recorder.gathered();
        gathered.varying += varying;
        if name.suite == Suite::OnnxCast && !name.kernel {
            let learnt = predictor.learnt_methods().filter(|(_, method)| *method != 0);
            gathered.body.initial.extend(learnt);
        }
        if gathered.body.parts.insert(name.to_string(), record).is_some() {
            let problem = format!("{name} was asked twice");
            gathered.problem.get_or_insert(problem);
        }
        true
    }

    fn takes(&mut self, request: &Request) -> Reply {
        let name = request.to_string();
        if let Some((known, _)) = self.recorder.gathered().zeros.get(&name) {
            return known.clone();
        }
        // Another testee may ask the same now; the answer that comes first holds for all.
        let reply = self.inner.takes(request);
        let is_expected = reply == Builtin::new().takes(request);
        self.recorder.gathered().zeros.entry(name).or_insert((reply, is_expected)).0.clone()
    }

    fn cast(&mut self, request: &Request, count: usize, input: &[u8]) -> Reply {
        self.cast_formed(request, &Form::flat(count), input)
    }

    fn cast_formed(&mut self, request: &Request, form: &Form, input: &[u8]) -> Reply {
        self.one(Asked::Cast(request, form, input)).map(|returned| returned.bytes)
    }

    fn cast_each(&mut self, request: &Request, tensors: &[(Form, Vec<u8>)]) -> Vec<Reply> {
        let replies = self.inner.cast_each(request, tensors);
        let asked = tensors.iter().map(|(form, input)| Asked::Cast(request, form, input));
        self.several(asked, replies)
    }

    fn chain(&mut self, chain: &Chain, count: usize, input: &[u8]) -> Reply {
        self.one(Asked::Chain(chain, count, input)).map(|returned| returned.bytes)
    }

    fn chain_each(&mut self, chains: &[(Chain, usize, Vec<u8>)]) -> Vec<Reply> {
        let replies = self.inner.chain_each(chains);
        let asked = chains.iter().map(|(chain, count, input)| Asked::Chain(chain, *count, input));
        self.several(asked, replies)
    }

    fn ask(&mut self, question: &Question) -> Reply<Returned> {
        self.one(Asked::Question(question))
    }
}
