/* A kernel that ends the program, or raises a signal, has not passed. Each runs in a process of its own, whose last line
   names the cast and the count. */
#define _POSIX_C_SOURCE 200809L
#include <castproof.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int calls;

static void right(const void *input, void *output, size_t count, void *context) {
    size_t i;
    (void)context;
    for (i = 0; i < count; i++) ((float *)output)[i] = ((const unsigned char *)input)[i];
}

static void exits(const void *input, void *output, size_t count, void *context) {
    if (++calls == 700) exit(0);
    right(input, output, count, context);
}

static void exits_at_once(const void *input, void *output, size_t count, void *context) {
    (void)input, (void)output, (void)count, (void)context;
    exit(0);
}

static void raises(const void *input, void *output, size_t count, void *context) {
    if (++calls == 700) raise(SIGSEGV);
    right(input, output, count, context);
}

static void aborts(const void *input, void *output, size_t count, void *context) {
    if (count == 33) abort();
    right(input, output, count, context);
}

static void stores_far_away(const void *input, void *output, size_t count, void *context) {
    static volatile char *volatile far_away = (volatile char *)64;
    if (count == 33) *far_away = 1;
    right(input, output, count, context);
}

/* How a process ends in which this kernel is checked and which then exits with 0; and what it prints on standard error. */
static int ended(castproof_kernel *kernel, char *said, size_t room) {
    int status = 0, ends[2];
    size_t length = 0;
    ssize_t more;
    pid_t child;
    if (pipe(ends) != 0) return -1;
    child = fork();
    if (child == 0) {
        dup2(ends[1], 2);
        close(ends[0]);
        castproof_check("uint8", "float32", NULL, kernel, NULL, NULL);
        exit(0);
    }
    close(ends[1]);
    while (length + 1 < room && (more = read(ends[0], said + length, room - 1 - length)) > 0) length += (size_t)more;
    said[length] = 0;
    close(ends[0]);
    return child < 0 || waitpid(child, &status, 0) != child ? -1 : status;
}

/* A kernel, how the program ends that checks it, and the last line of that program. */
struct end {
    const char *name;
    castproof_kernel *kernel;
    int status, signal;
    const char *says;
};

static const struct end ends[] = {
    {"right", right, 0, 0, ""},
    {"exits", exits, 1, 0, "the program ends in the middle of a check, by `exit`"},
    {"exits_at_once", exits_at_once, 1, 0, "castproof: uint8 -> float32 of 1 element: the program ends"},
    {"raises", raises, 0, SIGSEGV, "a signal of faults that was sent"},
    {"aborts", aborts, 0, SIGABRT, "castproof: uint8 -> float32 of 33 elements: the kernel ends the program, as by `abort`"},
    {"stores_far_away", stores_far_away, 0, SIGSEGV, "castproof: uint8 -> float32 of 33 elements: a fault far from both"},
};

int main(void) {
    int wrong = 0;
    size_t i;
    for (i = 0; i < sizeof ends / sizeof *ends; i++) {
        const struct end *due = &ends[i];
        char said[4096];
        int status = ended(due->kernel, said, sizeof said);
        int is_right = due->signal != 0 ? WIFSIGNALED(status) && WTERMSIG(status) == due->signal
                                        : WIFEXITED(status) && WEXITSTATUS(status) == due->status;
        if (is_right && strstr(said, due->says) != NULL) continue;
        fprintf(stderr, "%s: status %d, and it said: %s\n", due->name, status, said);
        wrong = 1;
    }
    return wrong;
}
