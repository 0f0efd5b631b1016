//! Testees that misbehave. Each is refused in one line, or its fault is charged to the request at
//! which it happened and the rest of the run is like that of an honest testee.

use crate::common::{Run, testee};
use crate::hostile::{Running, is_harmless, text};
use serde_json::Value;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{fs, thread};

/// The due outcome of a testee.
#[derive(Clone, Copy)]
enum Ending {
    /// It is not gated: the error is one line with this text.
    Refused(&'static str),
    /// It passes as an honest one does.
    Passes,
    /// The request gets this verdict and a message with this text.
    Charged(&'static str, &'static str),
    /// Elements are wrong.
    Wrong,
    /// Nothing is executed, so the run fails.
    Nothing,
}

use Ending::{Charged, Nothing, Passes, Refused, Wrong};

/// The timeouts in seconds: a long one, and a short one for testees that never answer.
const LONG: &str = "250";
const SHORT: &str = "12";

const NO_HELLO: Ending = Refused("is not a valid hello of castproof-testee/1");
const NO_ANSWER: Ending = Charged("error", "is not a valid answer of castproof-testee/1");
const OTHER_LENGTH: Ending = Charged("error", "bytes where 39 are due");
const TOO_LATE: Ending = Charged("timeout", "no answer in 12 s");
const WENT_ON: Ending = Charged("error", "went on after its answer, with");
const LONG_LINE: &str = "a line is longer than 1048576 bytes";

#[rustfmt::skip] // one row a testee
const CORPUS: &[(&str, Ending, &str)] = &[
    // Of a line that does not end, at most 1 MiB is read.
    ("hello-without-end", Refused(LONG_LINE), LONG),
    ("hello-long", Refused(LONG_LINE), LONG),
    ("hello-none", Refused("said no hello in 12 s"), SHORT),
    ("hello-breaks-off-and-sleeps", Refused("said no hello in 12 s"), SHORT),
    ("hello-child-holds-stdout", Refused("said no hello in 12 s"), SHORT),
    ("hello-exits", Refused("exited with code 1; its last words: ImportError: no module named kernels"), LONG),
    ("hello-dies", Refused("died of signal: 11"), LONG),
    ("hello-closes-stdout", Refused("closed its output and went on running"), LONG),
    ("hello-closes-all", Refused("closed its output and went on running"), LONG),
    ("hello-breaks-off", Refused("exited with code 0"), LONG),
    ("hello-floods-stderr", Refused("exited with code 4; its last words: xxx"), LONG),
    ("hello-hostile-last-words", Refused("exited with code 5"), LONG),
    ("hello-babbles", NO_HELLO, LONG),
    ("hello-verdict", NO_HELLO, LONG),
    ("hello-empty-line", NO_HELLO, LONG),
    ("hello-empty-object", NO_HELLO, LONG),
    ("hello-array", NO_HELLO, LONG),
    ("hello-whole-array", NO_HELLO, LONG),
    ("hello-null", NO_HELLO, LONG),
    ("hello-number", NO_HELLO, LONG),
    ("hello-deep", NO_HELLO, LONG),
    ("hello-deep-member", NO_HELLO, LONG),
    ("hello-no-name", NO_HELLO, LONG),
    ("hello-name-is-number", NO_HELLO, LONG),
    ("hello-name-is-null", NO_HELLO, LONG),
    ("hello-surrogate", NO_HELLO, LONG),
    ("hello-member-twice", NO_HELLO, LONG),
    ("hello-other-version", Refused("the testee speaks 'castproof-testee/2'"), LONG),
    ("hello-hostile-version", Refused("the testee speaks 'x PASS"), LONG),
    ("hello-not-utf-8", Refused("is not UTF-8"), LONG),
    ("hello-utf-16", Refused("is not UTF-8"), LONG),
    ("hello-bom", NO_HELLO, LONG),
    ("hello-nul", NO_HELLO, LONG),
    ("hello-pretty", NO_HELLO, LONG),
    ("hello-casts-is-text", NO_HELLO, LONG),
    ("hello-opset-is-negative", NO_HELLO, LONG),
    ("hello-features-is-number", NO_HELLO, LONG),
    ("hello-crlf", Passes, LONG),
    ("hello-slow-bytes", Passes, LONG),
    ("hello-unknown-members", Passes, LONG),
    ("hello-unknown-features", Passes, LONG),
    ("hello-hostile-name", Passes, LONG),
    ("hello-long-name", Passes, LONG),
    ("hello-empty-name", Passes, LONG),
    ("hello-one-mebibyte", Passes, LONG),
    ("hello-twice", Nothing, LONG),
    ("hello-no-casts", Nothing, LONG),
    ("hello-unknown-casts", Nothing, LONG),
    // The length of an answer is checked before its payload is read.
    ("bytes-negative", NO_ANSWER, LONG),
    ("bytes-fraction", NO_ANSWER, LONG),
    ("bytes-text", NO_ANSWER, LONG),
    ("bytes-nan", NO_ANSWER, LONG),
    ("bytes-infinity", NO_ANSWER, LONG),
    ("bytes-exponent", NO_ANSWER, LONG),
    ("bytes-array", NO_ANSWER, LONG),
    ("bytes-2-to-64", NO_ANSWER, LONG),
    ("bytes-long-number", NO_ANSWER, LONG),
    ("bytes-null", OTHER_LENGTH, LONG),
    ("bytes-none", OTHER_LENGTH, LONG),
    ("bytes-2-to-63", OTHER_LENGTH, LONG),
    ("short", OTHER_LENGTH, LONG),
    ("long", OTHER_LENGTH, LONG),
    ("gigabyte", OTHER_LENGTH, LONG),
    ("no-bytes", OTHER_LENGTH, LONG),
    ("seq-next", Charged("error", "answered request 3 while 2 was asked"), LONG),
    ("seq-before", Charged("error", "answered request 1 while 2 was asked"), LONG),
    ("seq-negative", NO_ANSWER, LONG),
    ("seq-text", NO_ANSWER, LONG),
    ("seq-fraction", NO_ANSWER, LONG),
    ("seq-huge", NO_ANSWER, LONG),
    ("seq-twice", NO_ANSWER, LONG),
    ("no-seq", NO_ANSWER, LONG),
    ("status-capital", NO_ANSWER, LONG),
    ("status-number", NO_ANSWER, LONG),
    ("status-null", NO_ANSWER, LONG),
    ("status-hostile", NO_ANSWER, LONG),
    ("status-twice", NO_ANSWER, LONG),
    ("no-status", NO_ANSWER, LONG),
    ("line-verdict", NO_ANSWER, LONG),
    ("line-noise", NO_ANSWER, LONG),
    ("line-empty", NO_ANSWER, LONG),
    ("line-hostile", NO_ANSWER, LONG),
    ("line-binary", Charged("error", "is not UTF-8"), LONG),
    ("line-nul", NO_ANSWER, LONG),
    ("line-deep", NO_ANSWER, LONG),
    ("line-array", NO_ANSWER, LONG),
    // A JSON array of the members in their order is not a valid answer.
    ("line-whole-array", NO_ANSWER, LONG),
    ("line-null", NO_ANSWER, LONG),
    ("line-bye", NO_ANSWER, LONG),
    ("line-hello", NO_ANSWER, LONG),
    ("line-pretty", NO_ANSWER, LONG),
    ("without-end", Charged("error", LONG_LINE), LONG),
    ("long-line", Charged("error", LONG_LINE), LONG),
    // Bytes after an answer are not taken for the answer to the next request.
    ("junk-after", WENT_ON, LONG),
    ("flood-after", WENT_ON, LONG),
    ("two-answers", WENT_ON, LONG),
    ("next-answer-too", WENT_ON, LONG),
    ("payload-first", Charged("error", ""), LONG),
    ("payload-breaks-off", Charged("crash", "exited with code 0"), LONG),
    ("header-breaks-off", Charged("crash", "exited with code 0"), LONG),
    ("payload-breaks-off-and-sleeps", TOO_LATE, SHORT),
    ("sleeps", TOO_LATE, SHORT),
    ("ignores-signals", TOO_LATE, SHORT),
    ("stops", TOO_LATE, SHORT),
    ("drips", TOO_LATE, SHORT),
    ("late", TOO_LATE, SHORT),
    // Processes that a testee starts do not outlive the gate.
    ("children-and-sleep", TOO_LATE, SHORT),
    ("child-holds-stdout", TOO_LATE, SHORT),
    ("child-holds-stderr", Charged("crash", "exited with code 7"), LONG),
    ("child-goes-on", Passes, LONG),
    ("closes-stdout", Charged("crash", "closed its output and went on running"), LONG),
    ("closes-stdin", Charged("crash", "closed its output and went on running"), LONG),
    ("refuses-with-bytes", Charged("error", "refused and yet announced 39 bytes"), LONG),
    ("fails-with-bytes", Charged("error", "refused and yet announced 39 bytes"), LONG),
    ("error", Charged("error", "out of registers"), LONG),
    // Control characters in the texts of a testee are escaped.
    ("error-hostile", Charged("error", "\\u{1b}[2J"), LONG),
    ("error-long", Charged("error", "mmm..."), LONG),
    ("error-surrogate", NO_ANSWER, LONG),
    ("error-number", NO_ANSWER, LONG),
    ("error-null", Charged("error", "no message given"), LONG),
    ("unsupported-hostile", Charged("unsupported", "\\u{1b}[2J"), LONG),
    ("hostile-last-words", Charged("crash", "exited with code 3; its last words: "), LONG),
    ("binary-last-words", Charged("crash", "exited with code 3; its last words: "), LONG),
    ("stderr-flood", Charged("crash", "exited with code 3; its last words: xxx"), LONG),
    ("unknown-dtype", NO_ANSWER, LONG),
    ("wrong-shape-type", NO_ANSWER, LONG),
    ("wrong", Wrong, LONG),
    ("rotated", Wrong, LONG),
    ("zeros", Wrong, LONG),
    ("crlf", Passes, LONG),
    ("unknown-members", Passes, LONG),
    ("padded", Passes, LONG),
    ("byte-by-byte", Passes, LONG),
    ("stderr-flood-and-answers", Passes, LONG),
    ("signal-SIGHUP", Charged("crash", "died of signal: 1 "), LONG),
    ("signal-SIGINT", Charged("crash", "died of signal: 2 "), LONG),
    ("signal-SIGQUIT", Charged("crash", "died of signal: 3 "), LONG),
    ("signal-SIGILL", Charged("crash", "died of signal: 4 "), LONG),
    ("signal-SIGTRAP", Charged("crash", "died of signal: 5 "), LONG),
    ("signal-SIGABRT", Charged("crash", "died of signal: 6 "), LONG),
    ("signal-SIGFPE", Charged("crash", "died of signal: 8 "), LONG),
    ("signal-SIGKILL", Charged("crash", "died of signal: 9 "), LONG),
    ("signal-SIGSEGV", Charged("crash", "died of signal: 11 "), LONG),
    ("signal-SIGPIPE", Charged("crash", "died of signal: 13 "), LONG),
    ("signal-SIGALRM", Charged("crash", "died of signal: 14 "), LONG),
    ("signal-SIGTERM", Charged("crash", "died of signal: 15 "), LONG),
    ("exit-0", Charged("crash", "exited with code 0"), LONG),
    ("exit-1", Charged("crash", "exited with code 1"), LONG),
    ("exit-255", Charged("crash", "exited with code 255"), LONG),
    // This testee is given up after some restarts.
    ("always-dies", Nothing, LONG),
    ("always-unsupported", Nothing, LONG),
    ("always-error", Nothing, LONG),
    ("always-wrong", Wrong, LONG),
    ("always-first-answer", Charged("error", "answered request 1 while 2 was asked"), LONG),
];

/// The number of testees that run at once. It is high because most of them only wait.
const AT_ONCE: usize = 12;

#[test]
fn every_testee_gets_what_is_due() {
    let (honest, _) = gate("honest", LONG);
    let honest = honest.expect("results");
    assert_eq!(total(&honest, "pass"), 401, "{honest}");
    let (next, faults) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while let Some((mode, due, timeout)) =
                    CORPUS.get(next.fetch_add(1, Ordering::Relaxed))
                {
                    let outcome = std::panic::catch_unwind(|| check(mode, *due, timeout, &honest));
                    if outcome.is_err() {
                        faults.lock().expect("no panic inside").push(*mode);
                    }
                }
            });
        }
    });
    let faults = faults.into_inner().expect("no panic inside");
    assert!(faults.is_empty(), "of {} testees, not as is due: {faults:?}", CORPUS.len());
}

/// The run fails and writes no baseline, because requests that are not asked may hide any failure.
#[test]
fn a_run_ends_where_the_testee_is_given_up() {
    let folder = tempfile::tempdir().expect("a folder");
    let [file, baseline] = ["results.json", "baseline.toml"].map(|name| folder.path().join(name));
    let command = testee("corpus.py", "always-dies");
    let words = ["gate", "--testee", &command, "--json", text(&file), "--baseline"];
    let update = [text(&baseline), "--update-baseline"];
    let run = Running::start(&[&words[..], &update].concat(), &[]).end();
    assert_eq!(run.code, 1, "{}{}", run.out, run.err);
    let results = fs::read_to_string(&file).expect("results");
    let results: Value = serde_json::from_str(&results).expect("JSON");
    let reasons = results["reasons"].as_array().expect("reasons");
    let given_up = "the testee was given up, not started again after 20 restarts: \
                    nothing was asked of onnx-castlike, ";
    let [reason] = &reasons[..] else { panic!("{reasons:?}") };
    assert!(reason.as_str().is_some_and(|it| it.starts_with(given_up)), "{reason}");
    let cells = results["cells"].as_array().expect("cells");
    assert!(cells.iter().all(|cell| cell["from"] == cells[0]["from"]), "one pair was begun");
    assert!(!baseline.exists(), "an update keeps what was not asked");
}

/// Gates int8 -> int8. Returns the results, if the testee was gated, and the run.
fn gate(mode: &str, timeout: &str) -> (Option<Value>, Run) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("results.json");
    let command = testee("corpus.py", mode);
    let pair = ["--from", "int8", "--to", "int8", "--arrangements", "none", "--timeout", timeout];
    // A testee that answers nothing is asked older versions in full.
    let every = "--all-versions=vectors";
    let words = ["gate", "--testee", &command, "--json", text(&file)];
    let run = Running::start(&[&words[..], &pair, &[every]].concat(), &[]).end();
    let results = fs::read_to_string(&file).ok();
    (results.map(|text| serde_json::from_str(&text).expect("JSON")), run)
}

fn total(results: &Value, name: &str) -> u64 {
    results["totals"].get(name).map_or(0, |count| count.as_u64().expect("a count"))
}

fn check(mode: &str, due: Ending, timeout: &str, honest: &Value) {
    let (results, run) = gate(mode, timeout);
    is_harmless(&run);
    let said = || format!("{mode}: exit status {}\n{}{}", run.code, run.out, run.err);
    let Some(results) = results else {
        let Refused(text) = due else { panic!("no results of {}", said()) };
        assert!(run.error_line().contains(text), "{}", said());
        assert_eq!(run.out, "", "{}", said());
        return;
    };
    assert_eq!(run.err, "", "{}", said());
    let verdict = run.out.lines().last().unwrap_or_default();
    assert!(verdict.starts_with(if run.code == 0 { "PASS  " } else { "FAIL  " }), "{}", said());
    assert_eq!(results["passed"], run.code == 0, "{}", said());
    let sum = |names: &[&str]| names.iter().map(|name| total(&results, name)).sum::<u64>();
    let judged = ["pass", "fail", "unsupported", "error", "crash", "timeout"];
    // One that refuses nothing is judged by the newest version alone.
    let is_kernel = run.out.contains("judged as a bare kernel") && matches!(due, Wrong);
    let all = if is_kernel { 39 } else { total(honest, "pass") };
    assert_eq!(sum(&judged), all, "every test has a verdict: {}", said());
    match due {
        Refused(_) => panic!("it was gated: {}", said()),
        Passes => assert_eq!((&results["totals"], run.code), (&honest["totals"], 0), "{}", said()),
        Nothing => assert_eq!((total(&results, "executed"), run.code), (0, 1), "{}", said()),
        Wrong => assert!(total(&results, "fail") > 0 && run.code == 1, "{}", said()),
        Charged(verdict, message) => {
            let charged = total(&results, verdict);
            let all = total(honest, "executed");
            assert!(charged >= 39, "{}", said());
            assert_eq!(total(&results, "executed") + charged, all, "{}", said());
            assert_eq!(run.code, i32::from(verdict != "unsupported"), "{}", said());
            let remarks = results["remarks"].as_array().expect("remarks");
            let found = remarks.iter().any(|remark| {
                remark["verdict"] == verdict
                    && remark["message"].as_str().expect("text").contains(message)
            });
            assert!(found, "{}", said());
        }
    }
}
