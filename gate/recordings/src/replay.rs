//! The testee that answers from a recording.

use super::asked::{Answer, Asked};
use super::difference::Differing;
use super::file::{PartRecord, Recording, Zero};
use super::predict::{Initial, Methods, Predictor};
use super::trace::{STEP, Trace};
use castproof_check::verdict::{counted, thousands};
use castproof_testee::builtin::Builtin;
use castproof_testee::protocol::Supported;
use castproof_testee::{Chain, Feature, Form, Identity, Part, Reply, Returned, Testee};
use castproof_vectors::{Profile, Question, Request, Suite};
use std::sync::{Arc, Mutex, PoisonError};

/// What is said instead of an answer that was not recorded.
const LACKING: &str = "the recording holds no answer to this question";

/// What a recording lacks of a run.
pub struct Lacking {
    /// The command that records it again.
    again: String,
    parts: Vec<Gap>,
    /// How many parts were answered.
    answered: u64,
}

/// What is lacking of a part.
struct Gap {
    name: String,
    /// The number of the question from which on nothing is certain, and the question.
    from: u64,
    question: String,
    /// Questions that were asked from there on.
    asked: u64,
    /// Were the same questions recorded, and are only the answers not what they were?
    is_of_answers: bool,
}

impl Lacking {
    /// Nothing is lacking yet. `again` is the command that records the same again.
    pub fn of(again: String) -> Lacking {
        Lacking { again, parts: Vec::new(), answered: 0 }
    }

    /// Says what is lacking; `None`: nothing.
    pub fn sentence(&self) -> Option<String> {
        let first = self.parts.iter().min_by_key(|gap| &gap.name)?;
        let asked: u64 = self.parts.iter().map(|gap| gap.asked).sum();
        let (parts, all) = (self.parts.len() as u64, self.answered + self.parts.len() as u64);
        let Gap { name, from, question, is_of_answers, .. } = first;
        if *is_of_answers {
            return Some(format!(
                "the answers of {} of {} parts were recorded as differences from casts of Castproof that \
                 have changed since, first {name}; record them again: {}",
                thousands(parts),
                thousands(all),
                self.again
            ));
        }
        let other = if self.answered == 0 { "it is of other questions: " } else { "" };
        Some(format!(
            "{other}the recording lacks {} of {} of {}, first in {name} from question {} on: \
             {question}; record them again: {}",
            counted(asked, "question"),
            thousands(parts),
            counted(all, "part"),
            thousands(*from),
            self.again
        ))
    }
}

/// A part that is being asked.
struct Open {
    name: String,
    /// What was recorded of it; `None`: nothing.
    record: Option<PartRecord>,
    trace: Trace,
    differing: Differing,
    predictor: Predictor,
    /// The first question of the step that is being asked.
    of_step: String,
    /// The number of the question from which on nothing is certain, and the question.
    broken: Option<(u64, String)>,
}

/// Is told each cast of a flat tensor that was answered: the request, the count, the elements and what they became.
pub type Heard = Box<dyn FnMut(&Request, usize, &[u8], &[u8]) + Send>;

/// A testee that answers from a recording.
pub struct Replaying {
    recording: Arc<Recording>,
    lacking: Arc<Mutex<Lacking>>,
    initial: Initial,
    methods: Methods,
    part: Option<Open>,
    heard: Option<Heard>,
}

impl Replaying {
    /// Answers from a recording. What it lacks is gathered in one place by all testees of a run.
    pub fn new(recording: &Arc<Recording>, lacking: &Arc<Mutex<Lacking>>) -> Replaying {
        Replaying {
            recording: Arc::clone(recording),
            lacking: Arc::clone(lacking),
            initial: Arc::new(recording.body.initial.clone()),
            methods: Arc::new(recording.methods.clone()),
            part: None,
            heard: None,
        }
    }

    /// Tells `heard` each cast of a flat tensor that it answers.
    pub fn heard_by(self, heard: Heard) -> Replaying {
        Replaying { heard: Some(heard), ..self }
    }

    fn lacking_of(&self) -> std::sync::MutexGuard<'_, Lacking> {
        self.lacking.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes a question that belongs to no part and was not recorded.
    fn lacks(&self, name: &str, question: String) {
        let gap = Gap { name: name.into(), from: 1, question, asked: 1, is_of_answers: false };
        self.lacking_of().parts.push(gap);
    }

    /// Returns the recorded answer, and whether a batch ended with it.
    fn next(&mut self, asked: Asked<'_>) -> (Answer, bool) {
        let Some(part) = &mut self.part else {
            self.lacks("no part", asked.named());
            return (Reply::Crash(LACKING.into()), true);
        };
        part.next(asked, &self.recording.body.messages)
    }

    fn one(&mut self, asked: Asked<'_>) -> Reply {
        self.next(asked).0.map(|returned| returned.bytes)
    }

    fn several<'a>(&mut self, asked: impl Iterator<Item = Asked<'a>>) -> Vec<Reply> {
        let mut replies = Vec::new();
        for asked in asked {
            let (answer, ended) = self.next(asked);
            replies.push(answer.map(|returned| returned.bytes));
            if ended {
                break;
            }
        }
        replies
    }
}

impl Open {
    fn next(&mut self, asked: Asked<'_>, messages: &[String]) -> (Answer, bool) {
        let nothing = (Reply::Crash(LACKING.into()), true);
        if self.trace.asked().is_multiple_of(STEP) {
            self.of_step = asked.named();
        }
        self.trace.ask(asked);
        let number = self.trace.asked();
        let Some(record) = self.record.as_ref().filter(|_| self.broken.is_none()) else {
            self.broken.get_or_insert((number, asked.named()));
            return nothing;
        };
        if number > record.asked {
            self.broken = Some((number, asked.named()));
            return nothing;
        }
        if number.is_multiple_of(STEP) {
            let step = (number / STEP) as usize - 1;
            if self.trace.marks().get(step) != record.marks.get(step) {
                self.broken = Some((number - STEP + 1, self.of_step.clone()));
                return nothing;
            }
        }
        let PartRecord { entries, .. } = record;
        match self.differing.next(entries, asked, &mut self.predictor, messages) {
            Ok((answer, ended)) => {
                self.trace.answer(&answer);
                (answer, ended)
            }
            // Which the digest would show at the end.
            Err(_) => {
                self.broken = Some((number - (number - 1) % STEP, self.of_step.clone()));
                nothing
            }
        }
    }

    /// Returns what is lacking; `None`: every question was one that was recorded, and every answer is
    /// what it was.
    fn gap(self) -> Option<Gap> {
        let Open { name, record, trace, differing, broken, of_step, .. } = self;
        let asked = trace.asked();
        let digests = trace.digests();
        let (from, question, is_of_answers) = match (&record, broken) {
            (_, Some((from, question))) => (from, question, false),
            (None, None) => return None, // nothing was asked
            (Some(record), None) if record.beginning == Some((asked, digests)) => return None,
            (Some(record), None) if record.asked != asked || record.digests[0] != digests[0] => {
                (asked.saturating_sub(1) / STEP * STEP + 1, of_step, false)
            }
            (Some(record), None) => {
                let is_whole = record.digests == digests && differing.is_at_end(&record.entries);
                if is_whole {
                    return None;
                }
                (1, of_step, true)
            }
        };
        Some(Gap { name, from, question, asked: asked + 1 - from.min(asked), is_of_answers })
    }
}

impl Testee for Replaying {
    fn identity(&self) -> &Identity {
        &self.recording.header.testee
    }

    fn features(&self) -> Vec<Feature> {
        let names = &self.recording.header.features;
        Feature::ALL.into_iter().filter(|it| names.iter().any(|name| name == it.name())).collect()
    }

    fn profiles(&self) -> Vec<Profile> {
        let names = &self.recording.header.profiles;
        Profile::numeric().filter(|it| names.iter().any(|name| name == it.name())).collect()
    }

    fn listed(&self) -> Option<&[Supported]> {
        self.recording.header.casts.as_deref()
    }

    fn ahead(&self) -> usize {
        self.recording.header.ahead.max(1)
    }

    fn begin(&mut self, part: &Part) {
        let name = part.to_string();
        let initial = match part.suite {
            Suite::OnnxChain => Arc::clone(&self.initial),
            _ => Initial::default(),
        };
        self.part = Some(Open {
            record: self.recording.body.parts.get(&name).cloned(),
            name,
            trace: Trace::default(),
            differing: Differing::default(),
            predictor: Predictor::new(Arc::clone(&self.methods), initial),
            of_step: String::new(),
            broken: None,
        });
    }

    fn end(&mut self) -> bool {
        let Some(part) = self.part.take() else { return true };
        let gap = part.gap();
        let is_answered = gap.is_none();
        let mut lacking = self.lacking_of();
        lacking.answered += u64::from(is_answered);
        lacking.parts.extend(gap);
        is_answered
    }

    fn lacking(&self) -> Option<String> {
        self.lacking_of().sentence()
    }

    fn takes(&mut self, request: &Request) -> Reply {
        let recording = Arc::clone(&self.recording);
        match recording.body.zeros.get(&request.to_string()) {
            Some(Zero::AsExpected) => Builtin::new().takes(request),
            Some(Zero::Output(output)) => Reply::Output(output.clone()),
            Some(Zero::Said(kind, message)) => {
                let message =
                    recording.body.messages.get(usize::try_from(*message).unwrap_or(usize::MAX));
                let message = message.cloned().unwrap_or_default();
                match kind {
                    0 => Reply::Unsupported(message),
                    1 => Reply::Error(message),
                    2 => Reply::Crash(message),
                    _ => Reply::Timeout(message),
                }
            }
            None => {
                self.lacks("whether casts are taken", request.to_string());
                Reply::Crash(LACKING.into())
            }
        }
    }

    fn cast(&mut self, request: &Request, count: usize, input: &[u8]) -> Reply {
        let reply = self.cast_formed(request, &Form::flat(count), input);
        if let (Reply::Output(output), Some(heard)) = (&reply, &mut self.heard) {
            heard(request, count, input, output);
        }
        reply
    }

    fn cast_formed(&mut self, request: &Request, form: &Form, input: &[u8]) -> Reply {
        self.one(Asked::Cast(request, form, input))
    }

    fn cast_each(&mut self, request: &Request, tensors: &[(Form, Vec<u8>)]) -> Vec<Reply> {
        self.several(tensors.iter().map(|(form, input)| Asked::Cast(request, form, input)))
    }

    fn chain(&mut self, chain: &Chain, count: usize, input: &[u8]) -> Reply {
        self.one(Asked::Chain(chain, count, input))
    }

    fn chain_each(&mut self, chains: &[(Chain, usize, Vec<u8>)]) -> Vec<Reply> {
        let asked = chains.iter().map(|(chain, count, input)| Asked::Chain(chain, *count, input));
        self.several(asked)
    }

    fn ask(&mut self, question: &Question) -> Reply<Returned> {
        self.next(Asked::Question(question)).0
    }
}
