// One loop for each pair of arithmetic types, with a cast of C in it and nothing else. The compiler is free
// to make vectors of it.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

// Floats of 16 bits, where the compiler computes with them.
#ifdef __FLT16_MAX__
#define FLOAT16(TAKE) TAKE
#else
#define FLOAT16(TAKE)
#endif
#ifdef __BFLT16_MAX__
#define BFLOAT16(TAKE) TAKE
#else
#define BFLOAT16(TAKE)
#endif

#define LOOP(SOURCE, NAME, TARGET) \
    if (strcmp(to, NAME) == 0) { \
        const SOURCE *restrict from = in; \
        TARGET *restrict made = out; \
        for (size_t i = 0; i < count; i++) { \
            made[i] = (TARGET)from[i]; \
        } \
        return 0; \
    }

// The loops of a source to every target.
#define SOURCE(FUNCTION, TYPE) \
    static int FUNCTION(const char *to, const void *in, void *out, size_t count) { \
        LOOP(TYPE, "bool", bool) \
        LOOP(TYPE, "int8", int8_t) \
        LOOP(TYPE, "uint8", uint8_t) \
        LOOP(TYPE, "int16", int16_t) \
        LOOP(TYPE, "uint16", uint16_t) \
        LOOP(TYPE, "int32", int32_t) \
        LOOP(TYPE, "uint32", uint32_t) \
        LOOP(TYPE, "int64", int64_t) \
        LOOP(TYPE, "uint64", uint64_t) \
        FLOAT16(LOOP(TYPE, "float16", _Float16)) \
        BFLOAT16(LOOP(TYPE, "bfloat16", __bf16)) \
        LOOP(TYPE, "float32", float) \
        LOOP(TYPE, "float64", double) \
        return 1; \
    }

SOURCE(from_bool, bool)
SOURCE(from_int8, int8_t)
SOURCE(from_uint8, uint8_t)
SOURCE(from_int16, int16_t)
SOURCE(from_uint16, uint16_t)
SOURCE(from_int32, int32_t)
SOURCE(from_uint32, uint32_t)
SOURCE(from_int64, int64_t)
SOURCE(from_uint64, uint64_t)
FLOAT16(SOURCE(from_float16, _Float16))
BFLOAT16(SOURCE(from_bfloat16, __bf16))
SOURCE(from_float32, float)
SOURCE(from_float64, double)

static const struct {
    const char *name;
    int (*loop)(const char *to, const void *in, void *out, size_t count);
} SOURCES[] = {
    {"bool", from_bool},
    {"int8", from_int8},
    {"uint8", from_uint8},
    {"int16", from_int16},
    {"uint16", from_uint16},
    {"int32", from_int32},
    {"uint32", from_uint32},
    {"int64", from_int64},
    {"uint64", from_uint64},
#ifdef __FLT16_MAX__
    {"float16", from_float16},
#endif
#ifdef __BFLT16_MAX__
    {"bfloat16", from_bfloat16},
#endif
    {"float32", from_float32},
    {"float64", from_float64},
};

int castproof_loop(const char *from, const char *to, const void *in, void *out, size_t count) {
    for (size_t i = 0; i < sizeof SOURCES / sizeof *SOURCES; i++) {
        if (strcmp(SOURCES[i].name, from) == 0) {
            return SOURCES[i].loop(to, in, out, count);
        }
    }
    return 1;
}
