// Casts codes with the casts of C, as this machine's compiler translates them. `cargo xtask
// witnesses` compiles it for each processor and compares the results with the oracle.
//
// Standard input holds requests, each a source dtype, a target dtype and a count in one line, then
// the codes, 8 bytes each, little-endian. Standard output holds the results in the same form. Where a
// profile has attributes, those that are given follow the count, like `saturate=0 round_mode=down`. A
// witness of a profile that traps is also asked `traps` there: it answers 1 where the cast traps, and 0
// elsewhere.

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// One element. It is not inlined, so that no compiler computes the result beforehand.
#define CAST(SOURCE, TARGET) \
    { \
        SOURCE in; \
        TARGET out; \
        memcpy(&in, &code, sizeof in); \
        out = (TARGET)in; \
        memcpy(&result, &out, sizeof out); \
    }

#define DEFINE(FUNCTION, SOURCE) \
    static __attribute__((noinline)) uint64_t FUNCTION(const char *to, uint64_t code) { \
        uint64_t result = 0; \
        TARGETS(SOURCE) \
        abort(); \
    }
#define STEP(SOURCE, NAME, TARGET) if (strcmp(to, NAME) == 0) { CAST(SOURCE, TARGET) return result; }
#define TARGETS(SOURCE) \
    STEP(SOURCE, "bool", bool) \
    STEP(SOURCE, "int8", int8_t) \
    STEP(SOURCE, "uint8", uint8_t) \
    STEP(SOURCE, "int16", int16_t) \
    STEP(SOURCE, "uint16", uint16_t) \
    STEP(SOURCE, "int32", int32_t) \
    STEP(SOURCE, "uint32", uint32_t) \
    STEP(SOURCE, "int64", int64_t) \
    STEP(SOURCE, "uint64", uint64_t) \
    STEP(SOURCE, "float32", float) \
    STEP(SOURCE, "float64", double)

DEFINE(from_bool, bool)
DEFINE(from_int8, int8_t)
DEFINE(from_uint8, uint8_t)
DEFINE(from_int16, int16_t)
DEFINE(from_uint16, uint16_t)
DEFINE(from_int32, int32_t)
DEFINE(from_uint32, uint32_t)
DEFINE(from_int64, int64_t)
DEFINE(from_uint64, uint64_t)
DEFINE(from_float32, float)
DEFINE(from_float64, double)

static const struct {
    const char *name;
    uint64_t (*cast)(const char *to, uint64_t code);
} SOURCES[] = {
    {"bool", from_bool},       {"int8", from_int8},       {"uint8", from_uint8},
    {"int16", from_int16},     {"uint16", from_uint16},   {"int32", from_int32},
    {"uint32", from_uint32},   {"int64", from_int64},     {"uint64", from_uint64},
    {"float32", from_float32}, {"float64", from_float64},
};

int main(void) {
    char from[16], to[16];
    unsigned long count;
    while (scanf("%15s %15s %lu", from, to, &count) == 3 && getchar() == '\n') {
        size_t source = 0;
        while (strcmp(SOURCES[source].name, from) != 0) {
            source++;
            if (source == sizeof SOURCES / sizeof *SOURCES) {
                fprintf(stderr, "no dtype %s\n", from);
                return 1;
            }
        }
        for (unsigned long i = 0; i < count; i++) {
            uint64_t code;
            if (fread(&code, sizeof code, 1, stdin) != 1) {
                return 1;
            }
            code = SOURCES[source].cast(to, code);
            fwrite(&code, sizeof code, 1, stdout);
        }
        fflush(stdout);
    }
    return 0;
}
