/* castproof.h: the C interface of Castproof, for C99 and C++. It has two parts, which need nothing of each
 * other: a function that you write for `castproof gate --library`, and the functions of the library
 * castproof, which your tests call. */
#ifndef CASTPROOF_H
#define CASTPROOF_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------------------------
 * What a shared library exports to be gated with
 *     castproof gate --library ./libmine.so
 * Compile yours with this header, so that the compiler holds it to the declaration. */

/* What one cast is asked to do. Strings are the names of the testee protocol. */
struct castproof_request {
    const char *op;         /* "cast" or "castlike" */
    const char *from;       /* "float32" */
    const char *to;         /* "float8e4m3fn" */
    int opset;              /* operator set of the model; 0 for a cast of a profile */
    int saturate;           /* 0 or 1; -1: the attribute is not given */
    const char *round_mode; /* "up", "down" or "nearest"; of a profile also "toward-zero" or
                               "nearest-away"; NULL: not given */
    size_t count;           /* elements */
    size_t input_bytes;     /* bytes of the input, packed and little-endian */
    size_t output_bytes;    /* bytes of the output, packed and little-endian */
    const char *profile;    /* "cuda-cvt": a cast of this profile; NULL: a cast of ONNX */
};

enum { CASTPROOF_OK = 0, CASTPROOF_UNSUPPORTED = 1, CASTPROOF_ERROR = 2 };

/* Casts input to output and returns CASTPROOF_OK; CASTPROOF_UNSUPPORTED where there is no such
 * cast, CASTPROOF_ERROR where it failed, both with a short text in message (message_size bytes,
 * zero-terminated). */
int castproof_cast(const struct castproof_request *request, const void *input, void *output,
                   char *message, size_t message_size);

/* May be left out: the profiles whose casts the library takes, separated by commas, as "rust-as,cuda-cvt".
 * `castproof gate --library ./libmine.so --profile cuda-cvt` asks for them. */
const char *castproof_profiles(void);

/* May be left out: which tensors the library takes, as the hello of a process writes its limits:
 *     {"elements": 65536, "multipleOf": 8, "empty": false, "ranks": [1, 2]}
 * Each member may be left out. No other tensor is asked then, and the verdict states the limits. */
const char *castproof_limits(void);

/* What a tensor is quantised to: blocks along an axis that share a scale. */
struct castproof_blocks {
    const char *rule;    /* "mx-rceil" */
    const char *from;    /* dtype of the numbers: "float32" */
    const char *to;      /* dtype of the elements: "float8e4m3fn" */
    const char *scale;   /* dtype of the scales: "float8e8m0", a byte each; "float32", four little-endian */
    size_t block_size;   /* numbers that share a scale; the last block of a line may be shorter */
    size_t rank, axis;
    const size_t *shape; /* the sides of numbers and elements; the scales have one for each block along the axis */
    const float *largest; /* the largest magnitude of the tensor, where the rule has a scale of the tensor; else NULL */
    size_t input_bytes, scale_bytes, element_bytes; /* all in row-major order, numbers and elements packed */
};

/* May be left out: quantises a tensor, and returns what castproof_cast returns. It is asked by
 *     castproof gate --library ./libmine.so --rule mx-rceil */
int castproof_quantize(const struct castproof_blocks *blocks, const void *input, unsigned char *scales,
                       void *elements, char *message, size_t message_size);

/* ------------------------------------------------------------------------------------------------
 * The library castproof. Link with castproof::castproof (CMake) or `pkg-config --libs castproof`.
 *
 * A cast is named by its dtypes, such as "float32" and "float8e4m3fn", and by its attributes, as reports
 * write them: "saturate=0 round_mode=up spec=onnx-cast-24", in any order. An attribute that is not there
 * is not given; without spec it is the newest version of ONNX Cast. NULL is "".
 *
 * Elements are little-endian. Those of 2, 4 and 6 bits are packed from the lowest bits up; the unused
 * bits of the last byte are 0. */

/* What the functions return, and what a test may end with. */
enum {
    CASTPROOF_PASSED = 0,
    CASTPROOF_FAILED = 1,   /* something is wrong; the text says what */
    CASTPROOF_NOT_ASKED = 2 /* there is no such cast, or an argument is wrong; the text says which */
};

/* A kernel under test. It casts count elements, which may be 0. Both buffers begin at multiples of an
 * element's bytes. It may keep neither of them, must return, and must not throw: castproof.hpp takes
 * kernels that throw. The context is that of the check. */
typedef void castproof_kernel(const void *input, void *output, size_t count, void *context);

/* Takes the text of a function: UTF-8, one or more lines, zero-terminated, there until the call ends. */
typedef void castproof_report(int status, const char *text, void *context);

/* Checks a kernel: codes alone (every code of sources up to 16 bits; of wider ones the ends of every
 * range with one formula, ties, their neighbours, and drawn codes), and then the same codes in buffers of
 * each count up to 1,100 and some up to 65,537, at many addresses. A result that is neither right nor
 * tolerated fails, and so does an element that is left unwritten, a write over the input, a read or
 * write outside the buffers, and a setting of floating-point arithmetic that is left changed: on Unix pages
 * without access lie beside the buffers; elsewhere writes near them are noticed. The report is called once,
 * also if all is right. If it is NULL, the text goes to standard error. One check runs at a time: another
 * thread waits. During a check on Unix the handlers of SIGSEGV and SIGBUS are those of Castproof, and so are those of SIGABRT,
 * SIGFPE and SIGILL unless the program has its own. A program that ends by exit, whatever its argument, has status 1. _exit cannot be noticed. */
int castproof_check(const char *from, const char *to, const char *attributes,
                    castproof_kernel *kernel, void *context, castproof_report *report);

/* Is called before each question of a check: how many were asked, and how many there are in all. */
typedef void castproof_progress(unsigned long long asked, unsigned long long all, void *context);

/* What a kernel takes, and how long its check may last. Begin with `= {0}`: a 0 sets no term. */
struct castproof_terms {
    size_t elements;              /* the most elements of a call */
    size_t multiple_of;           /* their number is a multiple of this, at most 65,536 */
    int no_empty;                 /* not 0: no call is without elements */
    double seconds;               /* the longest time. A check that is not done by then fails, and says how far it was */
    castproof_progress *progress; /* NULL: none */
};

/* Does the same by terms, of which NULL is none. Calls that the kernel does not take are left out; an element is
 * asked alone in as many copies as the kernel needs. A call that has begun is not ended. The text of a kernel that
 * passes names what it takes. */
int castproof_check_within(const char *from, const char *to, const char *attributes,
                           const struct castproof_terms *terms, castproof_kernel *kernel,
                           void *context, castproof_report *report);

/* Does the same as castproof_check in a fuzz target: with the codes that the bytes of a fuzzer's input spell, those that they
 * seed, and a few buffers of these. The report is called unless all is right.
 *     int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
 *         if (castproof_fuzz(data, size, "float32", "float16", NULL, kernel, NULL, NULL)) abort();
 *         return 0;
 *     } */
int castproof_fuzz(const unsigned char *data, size_t size, const char *from, const char *to,
                   const char *attributes, castproof_kernel *kernel, void *context,
                   castproof_report *report);

/* What else is right for an element. */
enum {
    CASTPROOF_ANY_NAN = 1,   /* any NaN */
    CASTPROOF_UNDEFINED = 2, /* anything: the specification leaves the result open */
    CASTPROOF_CHOICE = 4,    /* one of several, such as any quiet NaN */
    CASTPROOF_TOLERATED = 8  /* another result is tolerated */
};

/* Writes what the cast must make of count elements: to output a right element each, to kinds a byte
 * each, the sum of what else is right. The report is called only if the cast cannot be asked. The arrays
 * must not overlap. */
int castproof_expect(const char *from, const char *to, const char *attributes, const void *input,
                     size_t count, void *output, unsigned char *kinds, void *context,
                     castproof_report *report);

/* Writes to admitted a byte for each of count results: 1 if it is right or tolerated, 0 otherwise.
 * Returns CASTPROOF_FAILED if one is 0. The report is called unless all are 1. */
int castproof_admits(const char *from, const char *to, const char *attributes, const void *input,
                     size_t count, const void *results, unsigned char *admitted, void *context,
                     castproof_report *report);

/* Returns the bits of an element of a numeric dtype, or 0 if the name is none. */
int castproof_bits(const char *dtype);

#ifdef __cplusplus
}
#endif

#endif
