//! A testee behind a pipe: started, spoken with, killed when it hangs, restarted when it dies.

use super::connection::{Answers, Connection, Job, Task};
use super::form::{Chain, Codes, Feature, Form};
use super::judged::{self, Judged};
use super::launch::Launch;
use super::limits::Limits;
use super::protocol::{Hello, Length, MAX_PAYLOAD, Supported, TesteeAnswer};
use super::testee::{Identity, Reply, Returned, Testee};
use anyhow::{Context, Result, bail};
use castproof_vectors::{
    Conversion, DType, OneLine, Profile, Question, Request, Spec, element_count, packed_len,
};
use std::time::Duration;

/// Restarts after which a testee that has answered nothing is given up.
pub const MAX_RESTARTS: u32 = 20;

/// How many requests are handed at once to a testee that lets the gate ask ahead.
const MOST_AHEAD: usize = 32;

/// Each time a testee has given this many answers, it may be restarted once more, so that rare
/// known crashes do not end a long run.
const ANSWERS_PER_RESTART: u64 = 1000;

/// A testee behind a pipe.
pub struct Process {
    launch: Launch,
    timeout: Duration,
    identity: Identity,
    hello: Hello,
    connection: Option<Connection>,
    restarts: u32,
    answers: u64,
    seq: u64,
}

impl Process {
    /// Starts the testee and waits for its hello. `timeout` is the longest wait for the hello
    /// and for each answer.
    ///
    /// # Errors
    /// If the testee cannot be started, or does not say hello.
    pub fn start(launch: Launch, timeout: Duration) -> Result<Process> {
        let (connection, hello) = Connection::open(&launch, timeout)
            .with_context(|| format!("testee '{}'", launch.shown()))?;
        if let Some(problem) = hello.limits.as_ref().and_then(Limits::problem) {
            bail!("testee '{}': the limits of its hello are none: {problem}", launch.shown());
        }
        let identity = Identity {
            name: hello.name.clone(),
            version: hello.version.clone(),
            language: hello.language.clone(),
        };
        let connection = Some(connection);
        let (restarts, answers, seq) = (0, 0, 0);
        Ok(Process { launch, timeout, identity, hello, connection, restarts, answers, seq })
    }

    /// Does the testee's hello leave this request out? The casts that it lists are those of ONNX.
    fn left_out(&self, request: &Request) -> bool {
        if let Spec::Profile(profile) = request.spec {
            return !self.hello.known_profiles().contains(&profile);
        }
        let casts = self.hello.casts.as_ref();
        casts.is_some_and(|casts| !casts.iter().any(|cast| cast.has(request)))
    }

    fn has_restarts_left(&self) -> bool {
        u64::from(self.restarts) < u64::from(MAX_RESTARTS) + self.answers / ANSWERS_PER_RESTART
    }

    /// Returns the connection; opens it again if it was lost.
    fn connection(&mut self) -> Result<&mut Connection> {
        if self.connection.is_none() {
            if let Some(given_up) = self.given_up() {
                bail!(given_up);
            }
            self.restarts += 1;
            let (connection, hello) =
                Connection::open(&self.launch, self.timeout).context("could not be restarted")?;
            if hello != self.hello {
                bail!("says another hello than before its restart: it has changed during the run");
            }
            self.connection = Some(connection);
        }
        self.connection.as_mut().context("has no connection")
    }
}

impl Testee for Process {
    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn judged(&self) -> Result<Judged> {
        let process = self.connection.as_ref().map(Connection::process);
        let mut judged = judged::of_launch(&self.launch, self.hello.digest.as_ref(), process)?;
        judged.known.insert("timeout".into(), format!("{} s", self.timeout.as_secs_f64()));
        Ok(judged)
    }

    fn digest(&self) -> Option<OneLine> {
        self.hello.digest.clone()
    }

    fn given_up(&self) -> Option<String> {
        let is_given_up = self.connection.is_none() && !self.has_restarts_left();
        is_given_up.then(|| format!("not started again after {} restarts", self.restarts))
    }

    fn cast(&mut self, request: &Request, count: usize, input: &[u8]) -> Reply {
        self.cast_formed(request, &Form::flat(count), input)
    }

    fn features(&self) -> Vec<Feature> {
        self.hello.known_features()
    }

    fn profiles(&self) -> Vec<Profile> {
        self.hello.known_profiles()
    }

    fn limits(&self) -> Limits {
        self.hello.limits.clone().unwrap_or_default()
    }

    fn listed(&self) -> Option<&[Supported]> {
        self.hello.casts.as_deref()
    }

    fn cast_formed(&mut self, request: &Request, form: &Form, input: &[u8]) -> Reply {
        match self.task(request, form, input) {
            Ok(task) => self.carry_out(task).map(|returned| returned.bytes),
            Err(reply) => reply,
        }
    }

    fn ahead(&self) -> usize {
        if self.hello.ahead { MOST_AHEAD } else { 1 }
    }

    fn cast_each(&mut self, request: &Request, tensors: &[(Form, Vec<u8>)]) -> Vec<Reply> {
        let (mut tasks, mut refused) = (Vec::new(), None);
        for (form, input) in tensors {
            match self.task(request, form, input) {
                Ok(task) => tasks.push(task),
                Err(reply) => {
                    refused = Some(reply);
                    break;
                }
            }
        }
        let asked = tasks.len();
        let replies = self.carry_out_all(tasks).into_iter();
        let mut replies: Vec<Reply> =
            replies.map(|reply| reply.map(|returned| returned.bytes)).collect();
        if replies.len() == asked && self.connection.is_some() {
            replies.extend(refused);
        }
        replies
    }

    fn chain(&mut self, chain: &Chain, count: usize, input: &[u8]) -> Reply {
        match self.chain_task(chain, count, input) {
            Ok(task) => self.carry_out(task).map(|returned| returned.bytes),
            Err(reply) => reply,
        }
    }

    fn chain_each(&mut self, chains: &[(Chain, usize, Vec<u8>)]) -> Vec<Reply> {
        let mut replies: Vec<Reply> = Vec::new();
        while replies.len() < chains.len() {
            let rest = chains[replies.len()..].iter().take(self.ahead());
            let tasks = rest.map_while(|(chain, count, input)| {
                self.chain_task(chain, *count, input).ok() // what is refused is said below
            });
            let tasks: Vec<Task> = tasks.collect();
            if tasks.len() > 1 {
                let mut answered = self.carry_out_all(tasks);
                // The last reply of a lost connection may be the fault of any of them, so those without
                // an answer are asked alone.
                if self.connection.is_none() {
                    answered.pop();
                }
                replies.extend(answered.into_iter().map(|it| it.map(|it| it.bytes)));
                if self.connection.is_some() {
                    continue;
                }
            }
            if let Some((chain, count, input)) = chains.get(replies.len()) {
                replies.push(self.chain(chain, *count, input));
            }
        }
        replies
    }

    fn conversions(&self) -> Vec<OneLine> {
        self.hello.conversions.clone()
    }

    fn project(&mut self, conversion: &Conversion, codes: &Codes) -> Reply {
        // How wide a result is, is a fact of its format, which this crate does not know.
        let expected = Length::AtMost(8 * codes.count);
        let (conversion, codes) = (conversion.clone(), codes.clone());
        let task = Task::Project { conversion, codes, expected };
        self.carry_out(task).map(|returned| returned.bytes)
    }

    fn ask(&mut self, question: &Question) -> Reply<Returned> {
        self.carry_out(Task::Question(question.clone()))
    }
}

impl Process {
    /// Returns the task for a chain, or the reply if the testee is not asked for it.
    fn chain_task(&self, chain: &Chain, count: usize, input: &[u8]) -> Result<Task, Reply> {
        for feature in chain.features() {
            if !self.features().contains(&feature) {
                let reason = format!("its hello does not list {}", feature.name());
                return Err(Reply::Unsupported(reason));
            }
        }
        let expected = due(chain.ends().1, count, input.len()).map_err(Reply::Error)?;
        Ok(Task::Chain { chain: chain.clone(), count, input: input.to_vec(), expected })
    }
}

/// Returns the bytes that an output may have.
fn due(to: DType, count: usize, input: usize) -> Result<Length, String> {
    let (length, bytes) = match to {
        DType::String => (Length::of_strings(count), 0),
        to => (Length::Exactly(packed_len(to, count)?), packed_len(to, count)?),
    };
    if bytes.max(input) > MAX_PAYLOAD {
        return Err(format!("{count} elements are too many for one request"));
    }
    Ok(length)
}

impl Process {
    /// Returns the task for one tensor, or the reply if the testee is not asked for it.
    fn task(&self, request: &Request, form: &Form, input: &[u8]) -> Result<Task, Reply> {
        if self.left_out(request) {
            return Err(Reply::Unsupported("not among what the testee's hello lists".into()));
        }
        let count = element_count(&form.shape);
        let expected = count.and_then(|count| due(request.to, count, input.len()));
        let expected = expected.map_err(Reply::Error)?;
        let (form, input) = (form.clone(), input.to_vec());
        Ok(Task::Cast { request: *request, form, input, expected })
    }

    fn carry_out(&mut self, task: Task) -> Reply<Returned> {
        let replies = self.carry_out_all(vec![task]).into_iter();
        replies.last().unwrap_or_else(|| Reply::Error("the testee was not asked".into()))
    }

    /// Carries out tasks. Returns the replies in order, up to the first that ends the connection.
    fn carry_out_all(&mut self, tasks: Vec<Task>) -> Vec<Reply<Returned>> {
        let first = self.seq + 1;
        self.seq += tasks.len() as u64;
        let jobs = (first..).zip(tasks).map(|(seq, task)| Job { seq, task }).collect();
        let timeout = self.timeout;
        let connection = match self.connection() {
            Ok(connection) => connection,
            Err(error) => return vec![Reply::Crash(format!("{error:#}"))],
        };
        let Answers { answers, fault } = connection.ask(jobs, timeout);
        self.answers += answers.len() as u64;
        let reply = |answer| match answer {
            TesteeAnswer::Output(output) => Reply::Output(output),
            TesteeAnswer::Unsupported(reason) => Reply::Unsupported(reason),
            TesteeAnswer::Error(problem) => Reply::Error(problem),
        };
        let mut replies: Vec<Reply<Returned>> = answers.into_iter().map(reply).collect();
        if let Some(fault) = fault {
            let lost = self.connection.take();
            replies.push(fault.reply(lost));
        }
        replies
    }
}
