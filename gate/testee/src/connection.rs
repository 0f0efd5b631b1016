//! A conversation with a running testee.
//!
//! A separate thread writes requests and reads their answers, so that neither a full pipe nor a
//! silent testee can block the run: the gate waits for the thread only for a limited time.

use super::form::{Chain, Codes, Form};
use super::group::Group;
use super::launch::Launch;
use super::protocol::{self, FrameError, Hello, Length, TesteeAnswer};
use super::testee::{BROKE_PROTOCOL, Reply, Returned};
use anyhow::{Context, Result, bail};
use castproof_io::{interrupt, sink};
use castproof_vectors::{Conversion, Question, Request};
use std::collections::VecDeque;
use std::io::{BufRead, BufReader, BufWriter, Read, Write};
use std::process::{ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Bytes of requests that are written before their answers are read. A pipe of any system holds
/// this many, so that gate and testee never wait for each other.
const LEAST_PIPE: usize = 4096;

/// Bytes that a pipe holds on Linux, if the system allows that many.
#[cfg(target_os = "linux")]
const WIDE_PIPE: i32 = 1 << 20;

/// How long a testee may take to exit by itself after its pipes closed or it received bye.
const EXIT_GRACE: Duration = Duration::from_secs(2);

/// How much of the testee's standard error is kept for messages.
const STDERR_TAIL: usize = 8 << 10;

/// The error message if the system gives no thread.
const NO_THREAD: &str = "no thread to speak with it, or no memory for one";

/// Why a connection was lost.
pub(super) enum Fault {
    Frame(FrameError),
    Silence(Duration),
}

impl Fault {
    /// Returns the reply that the request in flight is charged with. The testee is gone afterwards.
    pub(super) fn reply(self, connection: Option<Connection>) -> Reply<Returned> {
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

/// The answers to some jobs.
pub(super) struct Answers<F> {
    /// In order, up to the first one that is missing.
    pub(super) answers: Vec<TesteeAnswer<Returned>>,
    /// Why an answer is missing; `None` if all came.
    pub(super) fault: Option<F>,
}

impl<F> Answers<F> {
    fn none(fault: F) -> Answers<F> {
        Answers { answers: Vec::new(), fault: Some(fault) }
    }
}

/// One request for the thread that speaks with the testee.
pub(super) struct Job {
    pub(super) seq: u64,
    pub(super) task: Task,
}

pub(super) enum Task {
    Cast {
        request: Request,
        form: Form,
        input: Vec<u8>,
        /// Bytes that the output may have.
        expected: Length,
    },
    Chain {
        chain: Chain,
        count: usize,
        input: Vec<u8>,
        expected: Length,
    },
    Project {
        conversion: Conversion,
        codes: Codes,
        expected: Length,
    },
    Question(Question),
}

/// A running testee. Dropping it says bye, waits a little, and ends all its processes.
pub(super) struct Connection {
    child: Group,
    /// `None` once the conversation is over.
    jobs: Option<Sender<Vec<Job>>>,
    answers: Receiver<Answers<FrameError>>,
    /// How many answers have come.
    come: Arc<AtomicU64>,
    stderr: StderrTail,
}

impl Connection {
    pub(super) fn open(launch: &Launch, timeout: Duration) -> Result<(Connection, Hello)> {
        let [program, arguments @ ..] = &launch.command[..] else { bail!("has no command") };
        let mut command = Command::new(program);
        command.args(arguments);
        if let Some(folder) = &launch.folder {
            command.current_dir(folder);
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let started = Group::start(&mut command);
        let mut child = started.with_context(|| format!("cannot start '{}'", program.display()))?;
        let leader = child.leader();
        let pipes = (leader.stdin.take(), leader.stdout.take(), leader.stderr.take());
        let (Some(stdin), Some(stdout), Some(stderr)) = pipes else {
            bail!("has no pipes to speak through");
        };
        #[cfg(target_os = "linux")]
        {
            widen(&stdin);
            widen(&stdout);
        }
        let (jobs, inbox) = channel();
        let (hello_out, hello_in) = channel();
        let (outbox, answers) = channel();
        let come = Arc::new(AtomicU64::new(0));
        let counter = Arc::clone(&come);
        let speak = move || converse(stdin, stdout, &inbox, &hello_out, &outbox, &counter);
        thread::Builder::new().spawn(speak).context(NO_THREAD)?;
        let stderr = StderrTail::follow(stderr).context(NO_THREAD)?;
        let mut connection = Connection { child, jobs: Some(jobs), answers, come, stderr };
        match receive(&hello_in, timeout, || {}) {
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

    /// Returns the number of the testee's process.
    pub(super) fn process(&self) -> u32 {
        self.child.number()
    }

    /// Asks for all jobs, in order. `timeout` is the longest wait for each answer.
    pub(super) fn ask(&mut self, asked: Vec<Job>, timeout: Duration) -> Answers<Fault> {
        let closed = || Answers::none(Fault::Frame(FrameError::Closed));
        let Some(jobs) = &self.jobs else { return closed() };
        if jobs.send(asked).is_err() {
            return closed();
        }
        let mut failed: Option<Instant> = None;
        let mut end_what_is_left = || {
            // A process that a dead testee leaves behind may hold the pipe open, so that the pipe does not tell of its end.
            if self.child.has_failed()
                && failed.get_or_insert_with(Instant::now).elapsed() > EXIT_GRACE
            {
                self.child.end();
            }
        };
        loop {
            let come = self.come.load(Ordering::Relaxed);
            match receive(&self.answers, timeout, &mut end_what_is_left) {
                Ok(Answers { answers, fault }) => {
                    return Answers { answers, fault: fault.map(Fault::Frame) };
                }
                Err(RecvTimeoutError::Disconnected) => return closed(),
                Err(RecvTimeoutError::Timeout) => {
                    let is_late = self.come.load(Ordering::Relaxed) == come;
                    if is_late || interrupt::requested() {
                        return self.silence(timeout);
                    }
                }
            }
        }
    }

    /// Ends a testee that does not answer. Earlier answers count.
    fn silence(&mut self, timeout: Duration) -> Answers<Fault> {
        self.kill();
        let answers = match self.answers.recv_timeout(grace()) {
            Ok(Answers { answers, .. }) => answers,
            Err(_) => Vec::new(),
        };
        Answers { answers, fault: Some(Fault::Silence(timeout)) }
    }

    /// Describes how the testee ended, with the last line that it wrote to standard error.
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
        // Processes that the testee leaves behind end with it.
        self.child.wait(grace());
        self.kill();
    }
}

/// Lets a pipe hold [`WIDE_PIPE`] bytes, so that gate and testee switch less often during the
/// transfer of a large tensor.
#[cfg(target_os = "linux")]
fn widen(pipe: &impl std::os::fd::AsFd) {
    use nix::fcntl::{FcntlArg, fcntl};
    // The system may allow less; the previous size suffices too.
    let _ = fcntl(pipe, FcntlArg::F_SETPIPE_SZ(WIDE_PIPE));
}

/// Returns how long a testee may now take to exit by itself.
fn grace() -> Duration {
    if interrupt::requested() { Duration::ZERO } else { EXIT_GRACE }
}

/// Waits for a message until the timeout or until the user interrupts the run. `look` is called again and again.
fn receive<T>(
    messages: &Receiver<T>,
    timeout: Duration,
    mut look: impl FnMut(),
) -> Result<T, RecvTimeoutError> {
    let deadline = Instant::now() + timeout;
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        match messages.recv_timeout(left.min(interrupt::LOOK)) {
            Err(RecvTimeoutError::Timeout) if left > Duration::ZERO && !interrupt::requested() => {
                look();
            }
            other => return other,
        }
    }
}

/// Speaks with the testee until there are no more jobs or the conversation breaks. Counts the
/// answers in `come`.
fn converse(
    stdin: ChildStdin,
    stdout: ChildStdout,
    jobs: &Receiver<Vec<Job>>,
    hello: &Sender<Result<Hello, FrameError>>,
    answers: &Sender<Answers<FrameError>>,
    come: &AtomicU64,
) {
    let mut writer = BufWriter::with_capacity(1 << 16, stdin);
    let mut reader = BufReader::with_capacity(1 << 16, stdout);
    let greeted =
        protocol::write_hello(&mut writer).and_then(|()| protocol::read_hello(&mut reader));
    let broken = greeted.is_err();
    if hello.send(greeted).is_err() || broken {
        return;
    }
    for asked in jobs {
        let mut told = Answers { answers: Vec::new(), fault: None };
        let broken = carry_out(&mut writer, &mut reader, &asked, |answer| {
            told.answers.push(answer);
            come.fetch_add(1, Ordering::Relaxed);
        });
        told.fault = broken.err();
        let is_broken = told.fault.is_some();
        if answers.send(told).is_err() || is_broken {
            return;
        }
    }
    // If the testee is gone already, bye cannot be written and is not needed.
    let _ = protocol::write_bye(&mut writer);
}

/// Writes as many requests as a pipe holds, reads their answers, and so on.
fn carry_out(
    writer: &mut impl Write,
    reader: &mut BufReader<ChildStdout>,
    mut jobs: &[Job],
    mut told: impl FnMut(TesteeAnswer<Returned>),
) -> Result<(), FrameError> {
    while !jobs.is_empty() {
        let count = write_ahead(writer, jobs)?;
        let (asked, rest) = jobs.split_at(count);
        for (number, job) in asked.iter().enumerate() {
            let answer = job.read(reader)?;
            if number + 1 == count && !reader.buffer().is_empty() {
                return Err(protocol::went_on(reader.buffer()));
            }
            told(answer);
        }
        jobs = rest;
    }
    Ok(())
}

/// Writes the first job, and as many following ones as a pipe holds. Returns how many were written.
fn write_ahead(writer: &mut impl Write, jobs: &[Job]) -> Result<usize, FrameError> {
    let [first, _, ..] = jobs else {
        jobs.iter().try_for_each(|job| job.write(writer))?;
        return Ok(jobs.len());
    };
    let (mut ahead, mut count) = (Vec::new(), 1);
    first.write(&mut ahead)?;
    for job in &jobs[1..] {
        let length = ahead.len();
        job.write(&mut ahead)?;
        if ahead.len() > LEAST_PIPE {
            ahead.truncate(length);
            break;
        }
        count += 1;
    }
    writer.write_all(&ahead)?;
    writer.flush()?;
    Ok(count)
}

impl Job {
    fn write(&self, writer: &mut impl Write) -> Result<(), FrameError> {
        match &self.task {
            Task::Cast { request, form, input, .. } => {
                protocol::write_request(writer, self.seq, request, form, input)
            }
            Task::Chain { chain, count, input, .. } => {
                protocol::write_chain(writer, self.seq, chain, *count, input)
            }
            Task::Project { conversion, codes, .. } => {
                protocol::write_project(writer, self.seq, conversion, codes)
            }
            Task::Question(question) => protocol::write_question(writer, self.seq, question),
        }
    }

    fn read(&self, reader: &mut impl BufRead) -> Result<TesteeAnswer<Returned>, FrameError> {
        match &self.task {
            Task::Cast { expected, .. }
            | Task::Chain { expected, .. }
            | Task::Project { expected, .. } => {
                let answer = protocol::read_answer(reader, self.seq, *expected)?;
                Ok(answer.map(|bytes| Returned { bytes, ..Returned::default() }))
            }
            Task::Question(question) => protocol::read_question_answer(reader, self.seq, question),
        }
    }
}

/// The end of what a testee wrote to standard error.
struct StderrTail {
    tail: Arc<Mutex<VecDeque<u8>>>,
    /// Disconnected after the pipe is closed and everything has been read.
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

    /// Returns the last line that is not blank. Waits a moment for text that is still in the pipe.
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
    fn the_tail_is_bounded_and_keeps_the_end() {
        let text = format!("{}\nlast words\n\n", "noise ".repeat(10_000));
        let tail = StderrTail::follow(std::io::Cursor::new(text.into_bytes()));
        let tail = tail.expect("a thread");
        assert_eq!(tail.last_line().as_deref(), Some("last words"));
        assert!(tail.tail.lock().expect("not poisoned").len() <= STDERR_TAIL);
    }
}
