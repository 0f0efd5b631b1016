//! Faults of memory and of what a call leaves behind, planted in a C kernel by families whose parameters follow from a
//! seed. The default gate of a library kills 97 of 100 and more.
#![cfg(unix)]

use crate::common::castproof;
use crate::libraries::{KERNEL, compiled};
use castproof::fuzz::Random;
use std::fmt::Write;

/// Kernels of each family.
const EACH: usize = 3;

/// Of a hundred kernels, so many must be found.
const LEAST: usize = 97;

type Draws = fn(&mut Random) -> String;

/// Casts each half in a thread of its own, through one buffer of 256 elements. A thread lets the other run before it reads, so
/// that a machine with one free core shows the fault too.
const HALVES: &str = r#"
#include <pthread.h>
#include <sched.h>
static unsigned char scratch[256];
struct part { const unsigned char *x; float *y; size_t count; };
static void *cast_part(void *argument)
{
    struct part *it = argument;
    size_t i, j;
    for (i = 0; i < it->count; i += 256) {
        size_t length = it->count - i < 256 ? it->count - i : 256;
        memcpy(scratch, it->x + i, length);
        if (i % 65536 == 0)
            sched_yield();
        for (j = 0; j < length; j++)
            it->y[i + j] = scratch[j];
    }
    return NULL;
}
static void halves(const unsigned char *x, float *y, size_t count)
{
    struct part parts[2] = {{x, y, count / 2}, {x + count / 2, y + count / 2, count - count / 2}};
    pthread_t thread;
    if (pthread_create(&thread, NULL, cast_part, &parts[0]))
        abort();
    cast_part(&parts[1]);
    pthread_join(thread, NULL);
}
"#;

/// Each family with C code that stands before the cast. `once` draws the calls in which the fault shows.
const FAMILIES: [(&str, Draws); 11] = [
    ("reads after the end", |random| {
        format!(
            "if ({}) {{ volatile unsigned char c = x[r->count + {}]; (void)c; }}",
            once(random),
            random.below(8)
        )
    }),
    ("reads before the start", |random| {
        format!(
            "if ({}) {{ volatile unsigned char c = x[-{}]; (void)c; }}",
            once(random),
            1 + random.below(8)
        )
    }),
    ("writes after the end", |random| {
        format!("if ({}) ((unsigned char *)(y + r->count))[{}] = 1;", once(random), random.below(8))
    }),
    ("writes after the end and restores", |random| {
        format!(
            "if ({}) {{ volatile unsigned char *w = (unsigned char *)(y + r->count) + {}; unsigned char c = *w; *w = c ^ 1; *w = c; }}",
            once(random),
            random.below(8)
        )
    }),
    ("writes the input and restores", |random| {
        format!(
            "if ({}) {{ volatile unsigned char *w = (unsigned char *)x + r->count - 1; unsigned char c = *w; *w = c ^ 1; *w = c; }}",
            once(random)
        )
    }),
    ("leaves an element unwritten", |random| {
        let index = ["0", "r->count - 1", "r->count / 2"][random.below(3)];
        format!(
            "if ({}) {{ for (i = 0; i < r->count; i++) if (i != {index}) y[i] = x[i]; return CASTPROOF_OK; }}",
            once(random)
        )
    }),
    ("leaves the rounding mode", |random| {
        let mode = ["FE_UPWARD", "FE_DOWNWARD", "FE_TOWARDZERO"][random.below(3)];
        format!("if ({}) fesetround({mode});", once(random))
    }),
    ("replaces the handler", |random| {
        format!("if ({}) {{ signal(SIGSEGV, SIG_IGN); signal(SIGBUS, SIG_IGN); }}", once(random))
    }),
    ("wrong at an address", |random| {
        let (of, at) = ([16, 32, 64][random.below(3)], random.below(16));
        format!(
            "if ((size_t)x % {of} == {at} && r->count) {{ for (i = 0; i < r->count; i++) y[i] = x[i]; y[0] = -1; return CASTPROOF_OK; }}"
        )
    }),
    ("two threads through one buffer", |random| {
        let least = [4096, 65_536, 1 << 20][random.below(3)];
        format!("if (r->count >= {least}) {{ halves(x, y, r->count); return CASTPROOF_OK; }}")
    }),
    ("repeats an answer by the address", |random| {
        let bytes = 1 + random.below(8);
        format!(
            "{{ static const void *last; static size_t count; static unsigned char first[8]; \
             size_t k = r->count < {bytes} ? r->count : {bytes}; \
             int same = last == input && count == r->count && !memcmp(first, x, k); \
             last = input; count = r->count; memcpy(first, x, k); \
             if (same && k) {{ memset(y, 0, 4 * count); return CASTPROOF_OK; }} }}"
        )
    }),
];

/// Draws in which calls a fault shows: each one, one of many, or those of some counts.
fn once(random: &mut Random) -> String {
    let of = [1, 4, 16, 64][random.below(4)];
    match random.below(2) {
        0 => format!("r->count && calls++ % {of} == {}", random.below(of)),
        _ => {
            let of = [1, 3, 8][random.below(3)];
            format!("r->count && r->count % {of} == {}", random.below(of))
        }
    }
}

/// Gates a kernel with this code before the cast. Returns whether it passes.
fn passes(before: &str) -> bool {
    let folder = tempfile::tempdir().expect("a folder");
    let source = KERNEL.replace("BEFORE", before).replace("ELSEWHERE", HALVES);
    let library = compiled(folder.path(), &source);
    let words = ["gate", "--library", &library, "--pair", "uint8:float32", "--kernel"];
    let run = castproof(&words, "");
    assert!(matches!(run.code, 0 | 1), "{before}: {}{}", run.out, run.err);
    run.code == 0
}

#[test]
fn kernels_with_faults_of_memory_fail() {
    assert!(passes(""), "the kernel without a fault passes");
    for seed in [1, 2] {
        let (mut random, mut survivors) = (Random::new(seed), String::new());
        for (family, draws) in FAMILIES {
            for _ in 0..EACH {
                let before = draws(&mut random);
                if passes(&before) {
                    writeln!(survivors, "{family}: {before}").expect("text");
                }
            }
        }
        let planted = FAMILIES.len() * EACH;
        let killed = planted - survivors.lines().count();
        assert!(
            killed * 100 >= planted * LEAST,
            "{killed} of {planted} killed, seed {seed}; survivors:\n{survivors}"
        );
    }
}
