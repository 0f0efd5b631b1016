//! A testee behind a pipe: started, spoken with, killed when it hangs, restarted when it dies.
//!
//! A thread of its own writes each request and reads its answer, so that neither a full pipe nor
//! silence can hold up the run: the gate waits for the thread only so long.

use super::group::Group;
use super::judged::{self, Judged};
use super::protocol::{self, Answer, FrameError, Hello, Length, MAX_PAYLOAD};
use super::{BROKE_PROTOCOL, Chain, Feature, Form, Identity, Reply, Returned, Testee};
use crate::{interrupt, sink};
use anyhow::{Context, Result, bail};
use castproof_vectors::{DType, Profile, Question, Request, Spec, element_count, packed_len};
use std::collections::VecDeque;
use std::io::{BufRead, BufReader, BufWriter, Read, Write};
use std::path::PathBuf;
use std::process::{ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// How often a testee is started again before it is given up, answers apart.
pub const MAX_RESTARTS: u32 = 20;

/// After so many answers a testee may be started again once more: known crashes, far apart, do not
/// end a long run.
const ANSWERS_PER_RESTART: u64 = 1000;

/// How long a testee may take to exit by itself, after its pipes closed or it was told bye.
const EXIT_GRACE: Duration = Duration::from_secs(2);

/// How much of the testee's standard error is kept for messages.
const STDERR_TAIL: usize = 8 << 10;

/// What is said where the system gives no thread.
const NO_THREAD: &str = "no thread to speak with it";

/// How a testee is started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launch {
    /// The program and its arguments; never empty.
    pub command: Vec<String>,
    /// The folder to start it in; `None`: the current one.
    pub folder: Option<PathBuf>,
}

impl Launch {
    /// Splits a command line as a POSIX shell would, without running one.
    ///
    /// # Errors
    /// If it is empty or its quotes do not match.
    pub fn from_command_line(line: &str) -> Result<Launch> {
        let command = shell_words::split(line)
            .with_context(|| format!("the testee's command '{line}' cannot be split"))?;
        if command.is_empty() {
            bail!("the testee's command is empty; name a program, or 'builtin'");
        }
        Ok(Launch { command, folder: None })
    }
}

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
            .with_context(|| format!("testee '{}'", launch.command.join(" ")))?;
        let identity = Identity {
            name: hello.name.clone(),
            version: hello.version.clone(),
            language: hello.language.clone(),
        };
        let connection = Some(connection);
        let (restarts, answers, seq) = (0, 0, 0);
        Ok(Process { launch, timeout, identity, hello, connection, restarts, answers, seq })
    }

    /// Does the testee's hello leave this request out? What it lists as casts are those of ONNX.
    fn left_out(&self, request: &Request) -> bool {
        if let Spec::Profile(profile) = request.spec {
            return !self.hello.known_profiles().contains(&profile);
        }
        let Some(casts) = &self.hello.casts else { return false };
        let (opset, version) = (request.spec.opset(), request.spec.version().ok().flatten());
        !casts.iter().any(|cast| {
            let opsets = cast.opsets.as_deref();
            cast.from == request.from.name()
                && cast.to.iter().any(|to| to == request.to.name())
                && opsets.is_none_or(|opsets| {
                    opsets.iter().any(|&listed| [opset, version].contains(&Some(listed)))
                })
        })
    }

    fn has_restarts_left(&self) -> bool {
        u64::from(self.restarts) < u64::from(MAX_RESTARTS) + self.answers / ANSWERS_PER_RESTART
    }

    /// The connection, opened again if it was lost.
    fn connection(&mut self) -> Result<&mut Connection> {
        if self.connection.is_none() {
            if let Some(given_up) = self.given_up() {
                bail!(given_up);
            }
            self.restarts += 1;
            let (connection, _) =
                Connection::open(&self.launch, self.timeout).context("could not be restarted")?;
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
        let mut judged = judged::of_launch(&self.launch)?;
        judged.insert("timeout".into(), format!("{} s", self.timeout.as_secs_f64()));
        Ok(judged)
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

    fn cast_formed(&mut self, request: &Request, form: &Form, input: &[u8]) -> Reply {
        if self.left_out(request) {
            return Reply::Unsupported("not among what the testee's hello lists".into());
        }
        let count = element_count(&form.shape);
        let expected = match count.and_then(|count| due(request.to, count, input.len())) {
            Ok(expected) => expected,
            Err(problem) => return Reply::Error(problem),
        };
        let (form, input) = (form.clone(), input.to_vec());
        let task = Task::Cast { request: *request, form, input, expected };
        self.carry_out(task).map(|returned| returned.bytes)
    }

    fn chain(&mut self, chain: &Chain, count: usize, input: &[u8]) -> Reply {
        let expected = match due(chain.ends().1, count, input.len()) {
            Ok(expected) => expected,
            Err(problem) => return Reply::Error(problem),
        };
        let task = Task::Chain { chain: chain.clone(), count, input: input.to_vec(), expected };
        self.carry_out(task).map(|returned| returned.bytes)
    }

    fn ask(&mut self, question: &Question) -> Reply<Returned> {
        self.carry_out(Task::Question(question.clone()))
    }
}

/// Bytes of an output.
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
    fn carry_out(&mut self, task: Task) -> Reply<Returned> {
        self.seq += 1;
        let job = Job { seq: self.seq, task };
        let timeout = self.timeout;
        let connection = match self.connection() {
            Ok(connection) => connection,
            Err(error) => return Reply::Crash(format!("{error:#}")),
        };
        let answer = match connection.ask(job, timeout) {
            Ok(answer) => answer,
            Err(fault) => {
                let lost = self.connection.take();
                return fault.reply(lost);
            }
        };
        self.answers += 1;
        match answer {
            Answer::Output(output) => Reply::Output(output),
            Answer::Unsupported(reason) => Reply::Unsupported(reason),
            Answer::Error(problem) => Reply::Error(problem),
        }
    }
}

/// Why a connection was lost.
enum Fault {
    Frame(FrameError),
    Silence(Duration),
}

impl Fault {
    /// The reply that the request in flight is charged with. The testee is gone afterwards.
    fn reply(self, connection: Option<Connection>) -> Reply<Returned> {
        match self {
            Fault::Frame(FrameError::Malformed(problem)) => {
                Reply::Error(format!("{BROKE_PROTOCOL}: {problem}"))
            }
            Fault::Frame(FrameError::Closed | FrameError::Io(_)) => {
                Reply::Crash(connection.map_or_else(String::new, Connection::epitaph))
            }
            Fault::Silence(timeout) => {
                if let Some(mut connection) = connection {
                    connection.kill();
                }
                Reply::Timeout(format!("no answer in {} s", timeout.as_secs_f64()))
            }
        }
    }
}

/// One request for the thread that speaks with the testee.
struct Job {
    seq: u64,
    task: Task,
}

enum Task {
    Cast {
        request: Request,
        form: Form,
        input: Vec<u8>,
        /// Bytes of the output.
        expected: Length,
    },
    Chain {
        chain: Chain,
        count: usize,
        input: Vec<u8>,
        expected: Length,
    },
    Question(Question),
}

/// A running testee. Dropping it says bye, waits a little, and leaves no process behind.
struct Connection {
    child: Group,
    /// `None` once the conversation is over.
    jobs: Option<Sender<Job>>,
    answers: Receiver<Result<Answer<Returned>, FrameError>>,
    stderr: StderrTail,
}

impl Connection {
    fn open(launch: &Launch, timeout: Duration) -> Result<(Connection, Hello)> {
        let [program, arguments @ ..] = &launch.command[..] else { bail!("has no command") };
        let mut command = Command::new(program);
        command.args(arguments);
        if let Some(folder) = &launch.folder {
            command.current_dir(folder);
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let started = Group::start(&mut command);
        let mut child = started.with_context(|| format!("cannot start '{program}'"))?;
        let leader = child.leader();
        let pipes = (leader.stdin.take(), leader.stdout.take(), leader.stderr.take());
        let (Some(stdin), Some(stdout), Some(stderr)) = pipes else {
            bail!("has no pipes to speak through");
        };
        let (jobs, inbox) = channel();
        let (hello_out, hello_in) = channel();
        let (outbox, answers) = channel();
        let speak = move || converse(stdin, stdout, &inbox, &hello_out, &outbox);
        thread::Builder::new().spawn(speak).context(NO_THREAD)?;
        let stderr = StderrTail::follow(stderr).context(NO_THREAD)?;
        let mut connection = Connection { child, jobs: Some(jobs), answers, stderr };
        match receive(&hello_in, timeout) {
            Ok(Ok(hello)) => Ok((connection, hello)),
            Ok(Err(FrameError::Malformed(problem))) => bail!("{problem}"),
            Ok(Err(_)) | Err(RecvTimeoutError::Disconnected) => {
                bail!("said no hello: {}", connection.epitaph())
            }
            Err(RecvTimeoutError::Timeout) => {
                connection.kill();
                bail!("said no hello in {} s", timeout.as_secs_f64())
            }
        }
    }

    fn ask(&mut self, job: Job, timeout: Duration) -> Result<Answer<Returned>, Fault> {
        let closed = || Fault::Frame(FrameError::Closed);
        let jobs = self.jobs.as_ref().ok_or_else(closed)?;
        jobs.send(job).map_err(|_| closed())?;
        match receive(&self.answers, timeout) {
            Ok(answer) => answer.map_err(Fault::Frame),
            Err(RecvTimeoutError::Timeout) => Err(Fault::Silence(timeout)),
            Err(RecvTimeoutError::Disconnected) => Err(closed()),
        }
    }

    /// How the testee ended, with the last line that it wrote to standard error.
    fn epitaph(mut self) -> String {
        self.jobs = None;
        let status = match self.child.wait(grace()) {
            Some(status) => match status.code() {
                Some(code) => format!("exited with code {code}"),
                None => format!("died of {status}"),
            },
            None => "closed its output and went on running".into(),
        };
        self.kill();
        match self.stderr.last_line() {
            Some(line) => format!("{status}; its last words: {line}"),
            None => format!("{status}; it wrote nothing to standard error"),
        }
    }

    fn kill(&mut self) {
        self.jobs = None;
        self.child.end();
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.jobs = None; // the thread says bye and closes the pipe
        // What it leaves behind goes with it.
        self.child.wait(grace());
        self.kill();
    }
}

/// How long a testee may take to exit by itself, now.
fn grace() -> Duration {
    if interrupt::requested() { Duration::ZERO } else { EXIT_GRACE }
}

/// Waits for a message, so long or until the user wants to stop.
fn receive<T>(messages: &Receiver<T>, timeout: Duration) -> Result<T, RecvTimeoutError> {
    let deadline = Instant::now() + timeout;
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        match messages.recv_timeout(left.min(interrupt::LOOK)) {
            Err(RecvTimeoutError::Timeout) if left > Duration::ZERO && !interrupt::requested() => {}
            other => return other,
        }
    }
}

/// Speaks with the testee until there are no more jobs or the conversation breaks.
fn converse(
    stdin: ChildStdin,
    stdout: ChildStdout,
    jobs: &Receiver<Job>,
    hello: &Sender<Result<Hello, FrameError>>,
    answers: &Sender<Result<Answer<Returned>, FrameError>>,
) {
    let mut writer = BufWriter::with_capacity(1 << 16, stdin);
    let mut reader = BufReader::with_capacity(1 << 16, stdout);
    let greeted =
        protocol::write_hello(&mut writer).and_then(|()| protocol::read_hello(&mut reader));
    let broken = greeted.is_err();
    if hello.send(greeted).is_err() || broken {
        return;
    }
    for job in jobs {
        let answer =
            carry_out(&mut writer, &mut reader, &job).and_then(|answer| match reader.buffer() {
                [] => Ok(answer),
                more => Err(protocol::went_on(more)),
            });
        let broken = answer.is_err();
        if answers.send(answer).is_err() || broken {
            return;
        }
    }
    // The testee may be gone already; then there is no one to say bye to.
    let _ = protocol::write_bye(&mut writer);
}

fn carry_out(
    writer: &mut impl Write,
    reader: &mut impl BufRead,
    Job { seq, task }: &Job,
) -> Result<Answer<Returned>, FrameError> {
    match task {
        Task::Cast { request, form, input, expected } => {
            protocol::write_request(writer, *seq, request, form, input)?;
            let answer = protocol::read_answer(reader, *seq, *expected)?;
            Ok(answer.map(|bytes| Returned { bytes, ..Returned::default() }))
        }
        Task::Chain { chain, count, input, expected } => {
            protocol::write_chain(writer, *seq, chain, *count, input)?;
            let answer = protocol::read_answer(reader, *seq, *expected)?;
            Ok(answer.map(|bytes| Returned { bytes, ..Returned::default() }))
        }
        Task::Question(question) => {
            protocol::write_question(writer, *seq, question)?;
            protocol::read_question_answer(reader, *seq, question)
        }
    }
}

/// The end of what a testee wrote to standard error.
struct StderrTail {
    tail: Arc<Mutex<VecDeque<u8>>>,
    /// Disconnected when the pipe is closed and all has been read.
    closed: Receiver<()>,
}

impl StderrTail {
    fn follow(mut stderr: impl Read + Send + 'static) -> std::io::Result<StderrTail> {
        let tail = Arc::new(Mutex::new(VecDeque::new()));
        let shared = Arc::clone(&tail);
        let (open, closed) = channel();
        thread::Builder::new().spawn(move || {
            let _open = open;
            let mut block = [0; 4096];
            while let Ok(length @ 1..) = stderr.read(&mut block) {
                let mut tail = shared.lock().unwrap_or_else(PoisonError::into_inner);
                tail.extend(&block[..length]);
                let excess = tail.len().saturating_sub(STDERR_TAIL);
                tail.drain(..excess);
            }
        })?;
        Ok(StderrTail { tail, closed })
    }

    /// The last line that is not blank. Waits a moment for what is still in the pipe.
    fn last_line(&self) -> Option<String> {
        let _ = self.closed.recv_timeout(Duration::from_millis(500));
        let tail = self.tail.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes: Vec<u8> = tail.iter().copied().collect();
        let text = String::from_utf8_lossy(&bytes);
        text.lines().rev().map(str::trim).find(|line| !line.is_empty()).map(sink::line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn command_lines_are_split_like_a_shell_splits_them() {
        let launch = Launch::from_command_line("python3 'my testee.py' --x=1").expect("splits");
        assert_eq!(launch.command, ["python3", "my testee.py", "--x=1"]);
        assert!(Launch::from_command_line("  ").is_err());
        assert!(Launch::from_command_line("python3 'x").is_err());
    }

    #[test]
    fn the_tail_is_bounded_and_keeps_the_end() {
        let text = format!("{}\nlast words\n\n", "noise ".repeat(10_000));
        let tail = StderrTail::follow(std::io::Cursor::new(text.into_bytes()));
        let tail = tail.expect("a thread");
        assert_eq!(tail.last_line().as_deref(), Some("last words"));
        assert!(tail.tail.lock().expect("not poisoned").len() <= STDERR_TAIL);
    }
}
