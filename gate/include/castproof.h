/* castproof.h: what a shared library exports to be gated with
 *     castproof gate --library ./libmine.so
 * Compile yours with this header, so that the compiler holds it to the declaration. */
#ifndef CASTPROOF_H
#define CASTPROOF_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What one cast is asked to do. Strings are the names of the testee protocol. */
struct castproof_request {
    const char *op;         /* "cast" or "castlike" */
    const char *from;       /* "float32" */
    const char *to;         /* "float8e4m3fn" */
    int opset;              /* operator set of the model */
    int saturate;           /* 0 or 1; -1: the attribute is not given */
    const char *round_mode; /* "up", "down" or "nearest"; NULL: not given */
    size_t count;           /* elements */
    size_t input_bytes;     /* bytes of the input, packed and little-endian */
    size_t output_bytes;    /* bytes of the output, packed and little-endian */
};

enum { CASTPROOF_OK = 0, CASTPROOF_UNSUPPORTED = 1, CASTPROOF_ERROR = 2 };

/* Casts input to output and returns CASTPROOF_OK; CASTPROOF_UNSUPPORTED where there is no such
 * cast, CASTPROOF_ERROR where it failed, both with a short text in message (message_size bytes,
 * zero-terminated). */
int castproof_cast(const struct castproof_request *request, const void *input, void *output,
                   char *message, size_t message_size);

#ifdef __cplusplus
}
#endif
#endif
