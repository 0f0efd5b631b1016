/* kill CALL LOG PROGRAM [ARGUMENT ...]: runs a program, and kills it just before the system call CALL, counted from 1,
 * among those that change files. If that call writes to a file, half of the bytes are written first. The names of the
 * calls until then go to LOG, one a line. CALL 0 kills nothing. Threads of the program count, processes that it starts
 * do not. Exit status: that of the program, or 99 if it was killed. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

/* As the kernel has it; not every libc does. */
struct info {
    uint8_t op, pad[3];
    uint32_t arch;
    uint64_t instruction, stack, number, arguments[6];
};
enum { GET_INFO = 0x420e, ENTRY = 1 };

struct call {
    long number;
    const char *name;
    int opens_at; /* which argument holds the flags of a call that opens, or 0 */
    int writes;   /* its first argument is a file, the others are the bytes and their count */
};

static const struct call CALLS[] = {
#ifdef SYS_open
    {SYS_open, "open", 1, 0},
    {SYS_creat, "creat", 0, 0},
    {SYS_rename, "rename", 0, 0},
    {SYS_link, "link", 0, 0},
    {SYS_symlink, "symlink", 0, 0},
    {SYS_unlink, "unlink", 0, 0},
    {SYS_mkdir, "mkdir", 0, 0},
    {SYS_rmdir, "rmdir", 0, 0},
#endif
#ifdef SYS_renameat
    {SYS_renameat, "renameat", 0, 0},
#endif
    {SYS_openat, "openat", 2, 0},
    {SYS_renameat2, "renameat2", 0, 0},
    {SYS_linkat, "linkat", 0, 0},
    {SYS_symlinkat, "symlinkat", 0, 0},
    {SYS_unlinkat, "unlinkat", 0, 0},
    {SYS_mkdirat, "mkdirat", 0, 0},
    {SYS_write, "write", 0, 1},
    {SYS_pwrite64, "pwrite64", 0, 1},
    {SYS_writev, "writev", 0, 0},
    {SYS_ftruncate, "ftruncate", 0, 0},
    {SYS_fsync, "fsync", 0, 0},
    {SYS_fdatasync, "fdatasync", 0, 0},
    {SYS_flock, "flock", 0, 0},
    {SYS_copy_file_range, "copy_file_range", 0, 0},
    {SYS_sendfile, "sendfile", 0, 0},
};

static void fail(const char *what) {
    fprintf(stderr, "kill: %s: %s\n", what, strerror(errno));
    exit(98);
}

/* Is it a regular file of the program? */
static int is_file(pid_t pid, uint64_t file, char path[64]) {
    struct stat status;
    snprintf(path, 64, "/proc/%d/fd/%llu", (int)pid, (unsigned long long)file);
    return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

static const struct call *changes_files(pid_t pid, const struct info *info) {
    char path[64];
    for (size_t i = 0; i < sizeof CALLS / sizeof *CALLS; i++) {
        const struct call *call = &CALLS[i];
        if ((uint64_t)call->number != info->number) continue;
        if (call->opens_at && !(info->arguments[call->opens_at] & (O_WRONLY | O_RDWR | O_CREAT))) return NULL;
        if ((call->writes || call->number == SYS_writev) && !is_file(pid, info->arguments[0], path)) return NULL;
        return call;
    }
    return NULL;
}

/* Writes half of what a call is about to write. */
static void write_half(pid_t pid, const struct info *info) {
    char path[64], line[256], *bytes;
    size_t half = info->arguments[2] / 2;
    long long place = -1;
    if (!is_file(pid, info->arguments[0], path) || !half) return;
    int file = open(path, O_WRONLY);
    snprintf(path, sizeof path, "/proc/%d/fdinfo/%llu", (int)pid, (unsigned long long)info->arguments[0]);
    FILE *facts = fopen(path, "r");
    if (file < 0 || !facts || !(bytes = malloc(half))) fail("half of a write");
    while (place < 0 && fgets(line, sizeof line, facts)) sscanf(line, "pos: %lld", &place);
    fclose(facts);
    struct iovec here = {bytes, half}, there = {(void *)(uintptr_t)info->arguments[1], half};
    if (process_vm_readv(pid, &here, 1, &there, 1, 0) != (ssize_t)half) fail("half of a write");
    if (pwrite(file, bytes, half, place) != (ssize_t)half) fail("half of a write");
    close(file);
    free(bytes);
}

int main(int count, char **words) {
    if (count < 4) return fprintf(stderr, "usage: kill CALL LOG PROGRAM [ARGUMENT ...]\n"), 98;
    long due = atol(words[1]), calls = 0;
    FILE *log = fopen(words[2], "we");
    if (!log) fail(words[2]);
    pid_t program = fork();
    if (program == 0) {
        ptrace(PTRACE_TRACEME, 0, 0, 0);
        raise(SIGSTOP);
        execvp(words[3], words + 3);
        fail(words[3]);
    }
    int status;
    long options = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL;
    if (waitpid(program, &status, 0) != program || ptrace(PTRACE_SETOPTIONS, program, 0, options)) fail("ptrace");
    ptrace(PTRACE_SYSCALL, program, 0, 0);
    for (;;) {
        pid_t pid = waitpid(-1, &status, __WALL);
        if (pid < 0) fail("waitpid");
        if (WIFEXITED(status) || WIFSIGNALED(status)) {
            if (pid != program) continue;
            fclose(log);
            return WIFEXITED(status) ? WEXITSTATUS(status) : 97;
        }
        int signal = WSTOPSIG(status);
        struct info info;
        if (signal == (SIGTRAP | 0x80)) {
            signal = 0;
            if (ptrace((enum __ptrace_request)GET_INFO, pid, sizeof info, &info) < 0) fail("the call");
            const struct call *call = info.op == ENTRY ? changes_files(pid, &info) : NULL;
            if (call) {
                fprintf(log, "%s\n", call->name);
                if (++calls == due) {
                    if (call->writes) write_half(pid, &info);
                    kill(program, SIGKILL);
                    fclose(log);
                    /* The first thread is the last that can be waited for. */
                    while ((pid = waitpid(-1, &status, __WALL)) > 0 && (pid != program || WIFSTOPPED(status))) {}
                    return 99;
                }
            }
        } else if (signal == SIGTRAP || signal == SIGSTOP) {
            signal = 0; /* a thread begins, or the program is executed */
        }
        ptrace(PTRACE_SYSCALL, pid, 0, signal);
    }
}
