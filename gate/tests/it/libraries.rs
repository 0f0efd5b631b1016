//! Shared libraries that do more than cast: what they print is no answer, what they end or hide is told, and what
//! a right one may do passes.
#![cfg(unix)]

use crate::common::{Run, castproof};
use std::fs;
use std::path::Path;
use std::process::Command;

/// A right bare kernel of uint8 to float32. `BEFORE` stands before the cast, `ELSEWHERE` outside of functions.
pub(crate) const KERNEL: &str = r#"
#define _GNU_SOURCE
#include "castproof.h"
#include <fenv.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
ELSEWHERE
int castproof_cast(const struct castproof_request *r, const void *input, void *output, char *m, size_t n)
{
    const unsigned char *x = input;
    float *y = output;
    static int calls;
    size_t i;
    if (strcmp(r->from, "uint8") || strcmp(r->to, "float32"))
        return CASTPROOF_UNSUPPORTED;
    (void)m, (void)n, (void)calls;
    BEFORE
    for (i = 0; i < r->count; i++)
        y[i] = x[i];
    return CASTPROOF_OK;
}
"#;

/// Opens the page that is touched and goes on, as the gate does.
const HANDLER: &str = "static void opens(int s, siginfo_t *i, void *c) { (void)s, (void)c; \
    mprotect((void *)((size_t)i->si_addr & ~(size_t)4095), 4096, PROT_READ | PROT_WRITE); }";

/// Compiles a library of this source.
pub(crate) fn compiled(folder: &Path, source: &str) -> String {
    let (file, library) = (folder.join("kernel.c"), folder.join("libkernel.so"));
    fs::write(&file, source).expect("a file");
    let include = Path::new(env!("CARGO_MANIFEST_DIR")).join("include");
    let mut compiler = Command::new("cc");
    compiler.args(["-O1", "-shared", "-fPIC", "-I"]).arg(include).arg("-o").arg(&library);
    assert!(compiler.arg(file).arg("-lm").status().expect("a C compiler").success());
    library.to_str().expect("text").into()
}

/// Gates a kernel with these parts.
fn gated(before: &str, elsewhere: &str) -> Run {
    let folder = tempfile::tempdir().expect("a folder");
    let source = KERNEL.replace("BEFORE", before).replace("ELSEWHERE", elsewhere);
    let library = compiled(folder.path(), &source);
    castproof(&["gate", "--library", &library, "--pair", "uint8:float32", "--kernel"], "")
}

/// A library that takes some tensors only is asked for no others, and the verdict states its limits. Limits that are none
/// are refused in one line.
#[test]
fn a_library_may_state_limits() {
    let limits = |text: &str| format!("const char *castproof_limits(void) {{ return {text}; }}");
    let before = "if (r->count == 0 || r->count % 8 || r->count > 4096) abort();";
    let stated = r#""{\"elements\": 4096, \"multipleOf\": 8, \"empty\": false}""#;
    let run = gated(before, &limits(stated));
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    assert!(
        run.out.contains("at most 4,096 elements, multiples of 8, no empty tensor"),
        "{}",
        run.out
    );
    let run = gated(&before.replace("4096", "64"), &limits(stated));
    assert_eq!(run.code, 1, "{}", run.out);
    for (text, said) in [
        (r#""8""#, "castproof_limits returns '8', which states no limits"),
        (r#""{\"multipleOf\": 0}""#, "castproof_limits states none that a tensor keeps: "),
    ] {
        let run = gated("", &limits(text));
        assert_eq!(run.code, 2, "{}", run.out);
        assert!(run.err.contains(said), "{}", run.err);
    }
}

/// What a library prints goes to standard error, and it reads no request of the gate.
#[test]
fn a_library_may_print_and_read() {
    let loading = "__attribute__((constructor)) static void loads(void) { puts(\"loading\"); fflush(stdout); }";
    for (before, elsewhere) in [
        ("printf(\"%d\\n\", calls++);", ""),
        ("printf(\"%d\\n\", calls++); fflush(stdout);", ""),
        ("if (write(1, \"{}\\n\", 3) != 3) return CASTPROOF_ERROR;", ""),
        ("{ char c; if (calls++ == 0 && read(0, &c, 1) != 0) return CASTPROOF_ERROR; }", ""),
        ("", loading),
    ] {
        let run = gated(before, elsewhere);
        assert_eq!(run.code, 0, "{before} {elsewhere}: {}{}", run.out, run.err);
        assert!(run.out.contains("\nPASS  29 tests"), "{before}: {}", run.out);
    }
}

/// A kernel that ends its process, by whatever means and whenever, has not passed.
#[test]
fn a_library_that_ends_its_process_fails() {
    for (ends, told) in [
        ("if (calls++ == 3) exit(0);", "exited with code 0"),
        ("if (calls++ == 3) _exit(0);", "exited with code 0"),
        ("if (calls++ == 3) raise(SIGSEGV);", "a signal of faults that was sent"),
        ("if (calls++ == 3) kill(getpid(), SIGBUS);", "a signal of faults that was sent"),
    ] {
        let run = gated(ends, "");
        assert_eq!(run.code, 1, "{ends}: {}{}", run.out, run.err);
        assert!(run.out.contains(told), "{ends}: {}", run.out);
    }
}

/// What a kernel does beside writing its output, and hides.
#[test]
fn what_a_library_hides_is_told() {
    // Reads the byte after the input.
    let reads = "{ volatile unsigned char c = x[r->count]; (void)c; }";
    let installs = "{ struct sigaction a; memset(&a, 0, sizeof a); a.sa_sigaction = opens; \
         a.sa_flags = SA_SIGINFO; sigaction(SIGSEGV, &a, NULL); sigaction(SIGBUS, &a, NULL); }";
    let own = format!("{installs} {reads}");
    let once = format!("if (calls++ == 0) {installs}");
    let restored = "if (r->count) { unsigned char *w = (unsigned char *)x; unsigned char c = w[0]; \
         *(volatile unsigned char *)w = c ^ 1; *(volatile unsigned char *)w = c; }";
    let mut cases = vec![
        (restored, "", "written over the input"),
        (&own[..], HANDLER, "the handler of SIGSEGV or SIGBUS replaced at every call"),
        (&once[..], HANDLER, ""),
    ];
    let seen = format!("{once} {reads}");
    cases.push((&seen[..], HANDLER, "read outside, after the end"));
    if cfg!(any(target_arch = "x86_64", target_arch = "aarch64")) {
        let told = "the settings of floating-point arithmetic left changed";
        cases.push(("fesetround(FE_UPWARD);", "", told));
    }
    for (before, elsewhere, told) in cases {
        let run = gated(before, elsewhere);
        assert_eq!(run.code, i32::from(!told.is_empty()), "{before}: {}{}", run.out, run.err);
        assert!(run.out.contains(told), "{before}: {}", run.out);
    }
}

/// What float32 to uint8 gives beyond the range is open. A kernel that gives something else each time writes
/// it nevertheless; one that does not is found.
#[test]
fn open_results_may_vary_from_call_to_call() {
    let folder = tempfile::tempdir().expect("a folder");
    for (open, code) in [("rand() >> 7", 0), ("y[i]", 1)] {
        let source = KERNEL
            .replace("ELSEWHERE", "")
            .replace("\"uint8\"", "\"float32\"")
            .replace("r->to, \"float32\"", "r->to, \"uint8\"")
            .replace("const unsigned char *x", "const float *x")
            .replace("float *y", "unsigned char *y")
            .replace("BEFORE", "")
            .replace(
                "y[i] = x[i]",
                &format!("y[i] = x[i] > -1 && x[i] < 256 ? (int)x[i] : {open}"),
            );
        let library = compiled(folder.path(), &source);
        let words = ["gate", "--library", &library, "--pair", "float32:uint8", "--kernel"];
        let run = castproof(&words, "");
        assert_eq!(run.code, code, "{open}: {}{}", run.out, run.err);
        assert_eq!(run.out.contains("left unwritten"), code == 1, "{open}: {}", run.out);
    }
}

/// A library may quantise blocks: a right one passes by its rule, one that follows another rule fails and the run says so,
/// and what it does with memory is told.
#[test]
fn a_library_may_quantise_blocks() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let gated = |plants: &[&str]| {
        let library = folder.path().join("libblocks.so");
        let mut compiler = Command::new("cc");
        compiler.args([
            "-O2",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-shared",
            "-fPIC",
            "-DRULE=\"mx-rceil\"",
        ]);
        compiler.args(plants).arg("-I").arg(root.join("include")).arg("-o").arg(&library);
        compiler.arg(root.join("tests/kernels/blocks.c")).arg("-lm");
        assert!(compiler.status().expect("a C compiler").success());
        let library = library.to_str().expect("text");
        castproof(&["gate", "--library", library, "--rule", "mx-rceil"], "")
    };
    let run = gated(&[]);
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    assert!(run.out.contains("\nPASS  ") && run.out.contains("executed: pass "), "{}", run.out);
    for (plant, said) in [
        ("-DFLOOR", "mx-floor"),
        ("-DSHORT", "memory: left unwritten"),
        ("-DBEYOND", "memory: written outside"),
        ("-DWRONG_CALLS=0", "\nFAIL  "),
        ("-DWRONG_CALLS=1", "\nFAIL  "),
    ] {
        let run = gated(&[plant]);
        assert_eq!(run.code, 1, "{plant}: {}{}", run.out, run.err);
        assert!(run.out.contains(said), "{plant}: {}", run.out);
    }
}
