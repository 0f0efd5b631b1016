/* Kernels: right ones, and wrong ones, each with one fault of those that kernels have. */
#ifndef KERNELS_H
#define KERNELS_H

#include <castproof.h>

struct tried {
    const char *name, *from, *to, *attributes;
    castproof_kernel *kernel;
    const char *due; /* what the report must say */
};

extern const struct tried right_kernels[], wrong_kernels[];
extern const size_t right_count, wrong_count;

#endif
