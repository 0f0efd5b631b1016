//! Testees that misbehave: each fault is charged to the request in flight, and the run goes on.

use crate::common::{castproof, program, testee};
use serde_json::Value;
use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};

/// Gates int8 -> int8 of `echo.py`. Returns the exit status, the results and the printed text.
fn echo(mode: &str, timeout: &str) -> (i32, Value, String) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("results.json");
    let command = testee("echo.py", mode);
    let run = castproof(
        &[
            "gate",
            "--testee",
            &command,
            "--from",
            "int8",
            "--to",
            "int8",
            "--timeout",
            timeout,
            "--json",
            file.to_str().expect("text"),
        ],
        "",
    );
    assert_eq!(run.err, "", "{mode}: {}", run.out);
    let text = fs::read_to_string(&file).expect("a results file");
    (run.code, serde_json::from_str(&text).expect("JSON"), run.out)
}

fn total(results: &Value, verdict: &str) -> u64 {
    results["totals"][verdict].as_u64().expect("a count")
}

/// Requests that were sent ahead of a fault are asked again, and only the tensor with the fault is
/// charged.
#[test]
fn a_fault_ahead_of_others_is_charged_to_its_tensor() {
    for (mode, place) in [
        ("right", None),
        ("dies", Some("crash at a count of 7")),
        ("hangs", Some("timeout at a count of 7")),
        ("error", Some("error at a count of 7")),
        ("short", Some("error at a count of 7")),
        ("skips", Some("error at a count of 7")),
        ("wrong", Some("a count of 7")),
    ] {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = folder.path().join("results.json");
        let (command, file) = (testee("ahead.py", mode), file.to_str().expect("text"));
        let asked = ["gate", "--testee", &command, "--json", file, "--timeout", "2"];
        let of = ["--pair", "int8:int8", "--opset", "25", "--suite", "onnx-cast"];
        let run = castproof(&[&asked[..], &of].concat(), "");
        let text = fs::read_to_string(file).unwrap_or_else(|_| panic!("{mode}: {}", run.err));
        let results: Value = serde_json::from_str(&text).expect("JSON");
        let misplaced = results["misplaced"].as_array().cloned().unwrap_or_default();
        let mut places: Vec<&str> =
            misplaced.iter().filter_map(|it| it["place"].as_str()).collect();
        places.dedup(); // one place may have several messages
        assert_eq!(places, Vec::from_iter(place), "{mode}: {}", run.out);
        assert_eq!(run.code, i32::from(place.is_some()), "{mode}: {}", run.out);
    }
}

/// Chains that were sent together with one at fault are asked alone. What a testee says is no fault of
/// the connection, whatever its words are.
#[test]
fn a_fault_in_one_of_several_chains_is_charged_to_it() {
    for (mode, verdict) in
        [("dies", "crash"), ("hangs", "timeout"), ("short", "error"), ("lies", "error")]
    {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = folder.path().join("results.json");
        let (command, file) =
            (testee("ahead.py", &format!("{mode} chain")), file.to_str().expect("text"));
        let asked = ["gate", "--testee", &command, "--json", file, "--timeout", "1"];
        let run = castproof(&[&asked[..], &["--suite", "onnx-chain"]].concat(), "");
        let text = fs::read_to_string(file).unwrap_or_else(|_| panic!("{mode}: {}", run.err));
        let results: Value = serde_json::from_str(&text).expect("JSON");
        let deviations = results["suites"][0]["deviations"].as_array().expect("deviations");
        assert!(!deviations.is_empty(), "{mode}: {}", run.out);
        for it in deviations {
            assert_eq!(it["verdict"], verdict, "{mode}: {it}");
            assert_eq!(it["test"]["ask"]["chain"]["dtypes"][1], "int8", "{mode}: {it}");
        }
        assert!(total(&results, "pass") > 0, "{mode}: {}", run.out);
    }
}

#[test]
fn faults_are_charged_to_their_request_and_the_run_goes_on() {
    let (code, honest, _) = echo("honest", "60");
    let all = total(&honest, "executed");
    assert!(all > 0 && code == 0);
    for (mode, verdict, message) in [
        ("die", "crash", "exited with code 3; its last words: Segmentation fault in kernel 7"),
        ("segfault", "crash", "died of signal: 11"),
        ("left-behind", "crash", "died of signal: 11"),
        ("wrong-shape", "error", "is not a valid answer"),
        ("wrong-type", "error", "invalid type: string"),
        ("gigabyte", "error", "answered 1073741824 bytes where"),
        ("too-much", "error", "went on after its answer"),
        ("stderr-flood", "crash", "exited with code 4"),
        ("deep", "error", "is not a valid answer"),
        ("short", "error", "answered"),
        ("huge", "error", "answered 4611686018427387904 bytes where"),
        ("break-off", "crash", "exited with code 0; it wrote nothing to standard error"),
        ("other-seq", "error", "answered request 3 while 2 was asked"),
        ("noise", "error", "'loading kernels' is not a valid answer"),
        ("binary", "error", "is not UTF-8"),
        ("endless", "error", "a line is longer than 1048576 bytes"),
        ("error", "error", "out of registers"),
        ("unsupported", "unsupported", "no kernel"),
    ] {
        let (code, results, out) = echo(mode, "60");
        assert_eq!(code, i32::from(verdict != "unsupported"), "{mode}");
        let charged = total(&results, verdict);
        assert!(charged > 0, "{mode}: {out}");
        assert_eq!(total(&results, "executed") + charged, all, "{mode}: {out}");
        let remark = &results["remarks"][0];
        assert_eq!(remark["verdict"], verdict, "{mode}");
        assert!(remark["message"].as_str().expect("text").contains(message), "{mode}: {remark}");
        assert_eq!(remark["opsets"].as_array().map(Vec::len), Some(1), "{mode}: {remark}");
        // A long line is cut on the terminal and whole in the results.
        let cut = |line: &str| line.contains("broke the protocol") && line.contains("...  F-");
        let told = out.contains(message) || out.lines().any(cut);
        assert!(verdict == "unsupported" || told, "{mode}: {out}");
    }
}

#[test]
fn a_testee_that_hangs_times_out_and_the_run_goes_on() {
    let (code, results, out) = echo("hang", "5");
    assert_eq!(code, 1);
    assert!(total(&results, "timeout") > 0 && total(&results, "executed") > 0, "{out}");
    assert!(out.contains("timeout: no answer in 5 s"), "{out}");
}

#[test]
fn a_testee_that_answers_byte_by_byte_times_out() {
    let (code, results, out) = echo("drip", "5");
    assert_eq!(code, 1);
    assert!(total(&results, "timeout") > 0 && total(&results, "executed") > 0, "{out}");
}

#[test]
fn a_testee_that_supports_nothing_does_not_pass() {
    let (code, results, out) = echo("never", "60");
    assert_eq!((code, total(&results, "executed")), (1, 0), "{out}");
    assert!(out.lines().last().is_some_and(|line| line.contains("no test was executed")), "{out}");
}

/// The peak memory of the gate, as the operating system counts it, is bounded.
#[cfg(target_os = "linux")]
#[test]
fn memory_stays_bounded_whatever_comes() {
    const LIMIT_KIB: u64 = 500 << 10;
    let measure = "import resource, subprocess, sys\n\
        subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL)\n\
        print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)\n";
    for mode in ["gigabyte", "endless", "stderr-flood", "deep"] {
        let command = testee("echo.py", mode);
        let run = Command::new("python3")
            .args(["-c", measure, program(), "gate", "--testee", &command])
            .args(["--from", "int8", "--to", "int8"])
            .output()
            .expect("python3");
        let text = String::from_utf8(run.stdout).expect("text");
        let peak: u64 = text.trim().parse().expect("a number of KiB");
        assert!((1..LIMIT_KIB).contains(&peak), "{mode}: {peak} KiB");
    }
}

#[test]
fn a_testee_that_always_dies_is_given_up() {
    let (code, results, out) = echo("die-always", "60");
    assert_eq!(code, 1);
    assert_eq!(total(&results, "executed"), 0);
    assert_eq!(total(&results, "crash"), results["announced"].as_u64().expect("a count"), "{out}");
    assert!(out.contains("its last words: cannot go on"), "{out}");
    assert!(out.contains("the testee was given up, not started again after 20 restarts"), "{out}");
}

#[test]
fn casts_that_the_hello_leaves_out_are_not_asked() {
    let (_, results, out) = echo("one-cast", "60");
    let asked: Vec<u64> = results["cells"]
        .as_array()
        .expect("a list")
        .iter()
        .filter(|cell| cell["counts"]["executed"] != 0)
        .map(|cell| cell["opset"].as_u64().expect("a number"))
        .collect();
    assert!(asked.contains(&13) && asked.contains(&21), "{out}");
    assert!(asked.iter().all(|opset| [13, 21].contains(opset)), "{asked:?}");
}

#[test]
fn a_testee_that_does_not_start_is_one_line() {
    for (mode, said) in [
        (
            "exit-at-once",
            "exited with code 1; its last words: ImportError: no module named kernels",
        ),
        ("silent", "said no hello in 5 s"),
        ("babble", "'Welcome!' is not a valid hello of castproof-testee/1"),
        ("other-protocol", "speaks 'castproof-testee/9'"),
    ] {
        let command = testee("echo.py", mode);
        let run = castproof(&["gate", "--testee", &command, "--timeout", "5"], "");
        assert!(run.error_line().contains(said), "{mode}: {}", run.err);
        assert!(run.error_line().starts_with("testee 'python3 "), "{mode}: {}", run.err);
        assert_eq!(run.out, "", "{mode}");
    }
}

#[test]
fn the_served_testee_survives_bad_requests_and_stops_at_bad_framing() {
    let mut child = Command::new(program())
        .arg("testee")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    // A dtype of a later protocol, a scalar, no element, a cast that there is not, and a wrong payload.
    let wire = "{\"hello\":\"castproof-testee/1\"}\n\
        {\"seq\":1,\"op\":\"cast\",\"from\":\"int9\",\"to\":\"int8\",\"opset\":13,\"shape\":[1],\"bytes\":1}\nA\
        {\"seq\":2,\"op\":\"cast\",\"from\":\"int8\",\"to\":\"uint8\",\"opset\":13,\"shape\":[],\"bytes\":1}\nA\
        {\"seq\":3,\"op\":\"cast\",\"from\":\"int8\",\"to\":\"uint8\",\"opset\":13,\"shape\":[0],\"bytes\":0}\n\
        {\"seq\":4,\"op\":\"cast\",\"from\":\"int8\",\"to\":\"int4\",\"opset\":13,\"shape\":[1],\"bytes\":1}\nA\
        {\"seq\":5,\"op\":\"cast\",\"from\":\"int8\",\"to\":\"int8\",\"opset\":13,\"shape\":[2],\"bytes\":1}\nA\
        what?\n";
    let mut stdin = child.stdin.take().expect("a pipe");
    stdin.write_all(wire.as_bytes()).expect("the program reads");
    drop(stdin);
    let output = child.wait_with_output().expect("the program ends");
    let out = String::from_utf8(output.stdout).expect("text");
    assert!(
        out.contains("{\"seq\":1,\"status\":\"unsupported\",\"message\":\"it is not a request: "),
        "{out}"
    );
    assert!(
        out.contains("{\"seq\":5,\"status\":\"error\",\"message\":\"2 elements of int8 take"),
        "{out}"
    );
    assert!(out.contains("{\"seq\":2,\"status\":\"ok\",\"bytes\":1}\nA{\"seq\":3,"), "{out}");
    assert!(out.contains("{\"seq\":3,\"status\":\"ok\",\"bytes\":0}\n"), "{out}");
    assert!(out.contains("{\"seq\":4,\"status\":\"unsupported\""), "{out}");
    assert_eq!(output.status.code(), Some(2));
    let err = String::from_utf8(output.stderr).expect("text");
    assert!(err.starts_with("castproof: 'what?' is not a valid request"), "{err}");
}
