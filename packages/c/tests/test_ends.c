/* A kernel that ends the program, or raises a signal, has not passed. Each runs in a process of its own. */
#define _POSIX_C_SOURCE 200809L
#include <castproof.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
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

/* How a process ends in which this kernel is checked and which then exits with 0. */
static int ended(castproof_kernel *kernel) {
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        castproof_check("uint8", "float32", NULL, kernel, NULL, NULL);
        exit(0);
    }
    return child < 0 || waitpid(child, &status, 0) != child ? -1 : status;
}

int main(void) {
    int of_right = ended(right), of_exit = ended(exits), at_once = ended(exits_at_once), of_signal = ended(raises);
    int is_right = WIFEXITED(of_right) && WEXITSTATUS(of_right) == 0 && WIFEXITED(of_exit) && WEXITSTATUS(of_exit) == 1 &&
                   WIFEXITED(at_once) && WEXITSTATUS(at_once) == 1 && WIFSIGNALED(of_signal) && WTERMSIG(of_signal) == SIGSEGV;
    fprintf(stderr, "statuses %d, %d, %d, %d\n", of_right, of_exit, at_once, of_signal);
    return !is_right;
}
