#include "kernels.h"

#include <stdint.h>
#include <string.h>

/* One element. */

static uint32_t bits_of(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static float float_of(uint32_t bits) {
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static int is_nan(uint32_t x) { return (x & 0x7fffffff) > 0x7f800000; }

/* float32 to bfloat16, without a thought for NaN. */
static uint16_t round_bfloat16(uint32_t x) { return (uint16_t)((x + 0x7fff + (x >> 16 & 1)) >> 16); }

static uint16_t bfloat16(uint32_t x) { return is_nan(x) ? 0x7fc0 : round_bfloat16(x); }

/* float32 to float16. Where a sum with 0.5 has the steps of the target, its rounding is the cast's. */
static uint16_t float16(uint32_t x) {
    uint32_t sign = x >> 16 & 0x8000, rest = x & 0x7fffffff;
    if (is_nan(x)) return (uint16_t)(sign | 0x7e00);
    if (rest >= 0x477ff000) return (uint16_t)(sign | 0x7c00); /* 65520 */
    if (rest < 0x38800000) return (uint16_t)(sign | (bits_of(float_of(rest) + 0.5f) - 0x3f000000));
    return (uint16_t)(sign | (rest - 0x38000000 + 0xfff + (rest >> 13 & 1)) >> 13);
}

/* float32 to float8e4m3fn. */
static uint8_t e4m3(uint32_t x, int saturate) {
    uint32_t sign = x >> 24 & 0x80, rest = x & 0x7fffffff;
    if (is_nan(x)) return (uint8_t)(sign | 0x7f);
    if (rest > 0x43e80000) return (uint8_t)(sign | (saturate ? 0x7e : 0x7f)); /* 464 */
    if (rest < 0x3c800000) return (uint8_t)(sign | (bits_of(float_of(rest) + 16384.0f) - 0x46800000));
    return (uint8_t)(sign | (rest - 0x3c000000 + 0x7ffff + (rest >> 20 & 1)) >> 20);
}

static double forgetful(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits &= ~(uint64_t)0xffff;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static int8_t clamped(int64_t x) { return (int8_t)(x < -128 ? -128 : x > 127 ? 127 : x); }

static int is_tail(size_t i, size_t count) { return i >= count / 8 * 8 && count > 8; }

/* float16 with one fault. */
static uint16_t no_nan(uint32_t x) { return is_nan(x) ? 0 : float16(x); }
static uint16_t no_minus(uint32_t x) { return x == 0x80000000 ? 0 : float16(x); }
static uint16_t no_subnormal(uint32_t x) {
    uint16_t y = float16(x);
    return y & 0x7c00 ? y : y & 0x8000;
}

/* A kernel of which each element is this expression of x, the element, i and count. */
#define KERNEL(name, FROM, TO, expression)                                           \
    static void name(const void *input, void *output, size_t count, void *context) { \
        size_t i;                                                                    \
        (void)context;                                                               \
        for (i = 0; i < count; i++) {                                                \
            FROM x = ((const FROM *)input)[i];                                       \
            ((TO *)output)[i] = (TO)(expression);                                    \
        }                                                                            \
    }

/* Right ones. */
KERNEL(to_bfloat16, uint32_t, uint16_t, bfloat16(x))
KERNEL(to_float16, uint32_t, uint16_t, float16(x))
KERNEL(to_e4m3, uint32_t, uint8_t, e4m3(x, 1))
KERNEL(to_e4m3_open, uint32_t, uint8_t, e4m3(x, 0))
KERNEL(to_int8, int64_t, int8_t, x)
KERNEL(to_float32, double, float, x)
KERNEL(to_bool, float, uint8_t, x != 0)

/* int8 to int4, two to a byte. */
static void to_int4(const void *input, void *output, size_t count, void *context) {
    const uint8_t *x = (const uint8_t *)input;
    uint8_t *y = (uint8_t *)output;
    size_t i;
    (void)context;
    for (i = 0; i < count; i += 2) {
        unsigned high = i + 1 < count ? x[i + 1] & 15 : 0;
        y[i / 2] = (uint8_t)((x[i] & 15) | high << 4);
    }
}

/* Wrong elements. */
KERNEL(truncates, uint32_t, uint16_t, is_nan(x) ? 0x7fc0 : x >> 16)
KERNEL(rounds_ties_up, uint32_t, uint16_t, is_nan(x) ? 0x7fc0 : (x + 0x8000) >> 16)
KERNEL(rounds_twice, uint32_t, uint8_t, e4m3((uint32_t)bfloat16(x) << 16, 1))
KERNEL(rounds_nan, uint32_t, uint16_t, round_bfloat16(x))
KERNEL(zeroes_nan, uint32_t, uint16_t, no_nan(x))
KERNEL(forgets_low_bits, double, float, forgetful(x))
KERNEL(loses_minus, uint32_t, uint16_t, no_minus(x))
KERNEL(flushes, uint32_t, uint16_t, no_subnormal(x))
KERNEL(clamps, int64_t, int8_t, clamped(x))
KERNEL(rounds_scale_to_nearest, uint32_t, uint8_t, (x + 0x400000) >> 23 & 0xff)
KERNEL(reads_bool_as_positive, float, uint8_t, x > 0)

/* Wrong places. */
KERNEL(cuts_tail, uint32_t, uint16_t, is_tail(i, count) && !is_nan(x) ? x >> 16 : bfloat16(x))
KERNEL(fails_beyond_block, uint32_t, uint16_t, float16(x) ^ (i == 1024))

static void skips_last(const void *input, void *output, size_t count, void *context) {
    to_float16(input, output, count % 4 == 3 ? count - 1 : count, context);
}

static void needs_alignment(const void *input, void *output, size_t count, void *context) {
    /* What a load of whole vectors does: it begins at the address below. */
    size_t before = (uintptr_t)input / 4 % 8;
    to_float16(input, output, count, context);
    if (count > 8 && before != 0) ((uint16_t *)output)[count - 1] ^= 1;
}

static void writes_past_end(const void *input, void *output, size_t count, void *context) {
    size_t i;
    to_float16(input, output, count, context);
    for (i = count; i % 8 != 0; i++) ((uint16_t *)output)[i] = 0;
}

static void writes_before_start(const void *input, void *output, size_t count, void *context) {
    to_float16(input, output, count, context);
    if (count != 0) ((uint16_t *)output)[-1] = 0;
}

static void reads_past_end(const void *input, void *output, size_t count, void *context) {
    to_float16(input, output, count, context);
    if (count % 2 == 1) *(volatile uint32_t *)context = ((const uint32_t *)input)[count];
}

static void writes_into_input(const void *input, void *output, size_t count, void *context) {
    size_t i;
    to_float16(input, output, count, context);
    for (i = 0; i < count; i++) ((uint32_t *)(uintptr_t)input)[i] = 0;
}

static void soils_unused_bits(const void *input, void *output, size_t count, void *context) {
    to_int4(input, output, count, context);
    if (count % 2 == 1) ((uint8_t *)output)[count / 2] |= 0xf0;
}

const struct tried right_kernels[] = {
    {"bfloat16", "float32", "bfloat16", NULL, to_bfloat16, ": passed; "},
    {"float16", "float32", "float16", "", to_float16, ": passed; "},
    {"float8e4m3fn", "float32", "float8e4m3fn", "saturate=1", to_e4m3, " saturate=1: passed; "},
    {"float8e4m3fn without saturation, an older version", "float32", "float8e4m3fn",
     "saturate=0 spec=onnx-cast-19", to_e4m3_open, "Cast(19) float32 -> float8e4m3fn saturate=0: passed; "},
    {"int8", "int64", "int8", NULL, to_int8, ": passed; "},
    {"float32", "float64", "float32", NULL, to_float32, ": passed; "},
    {"bool", "float32", "bool", NULL, to_bool, ": passed; "},
    {"int4, packed", "int8", "int4", NULL, to_int4, ": passed; "},
};

const struct tried wrong_kernels[] = {
    {"truncates", "float32", "bfloat16", NULL, truncates, "codes are wrong"},
    {"rounds ties up", "float32", "bfloat16", NULL, rounds_ties_up, "codes are wrong"},
    {"rounds twice", "float32", "float8e4m3fn", NULL, rounds_twice, "codes are wrong"},
    {"never saturates", "float32", "float8e4m3fn", NULL, to_e4m3_open, "expected 0x7e (448)"},
    {"saturates when told not to", "float32", "float8e4m3fn", "saturate=0", to_e4m3, "expected any NaN"},
    {"rounds NaN", "float32", "bfloat16", NULL, rounds_nan, "expected any NaN"},
    {"turns NaN into zero", "float32", "float16", NULL, zeroes_nan, "expected any NaN"},
    {"forgets the low bits", "float64", "float32", NULL, forgets_low_bits, "codes are wrong"},
    {"loses the sign of zero", "float32", "float16", NULL, loses_minus, "expected 0x8000 (-0)"},
    {"flushes subnormals", "float32", "float16", NULL, flushes, "codes are wrong"},
    {"saturates integers", "int64", "int8", NULL, clamps, "codes are wrong"},
    {"reads an absent attribute as nearest", "float32", "float8e8m0", NULL, rounds_scale_to_nearest,
     "codes are wrong"},
    {"reads bool as positive", "float32", "bool", NULL, reads_bool_as_positive, "codes are wrong"},
    {"cuts the tail of 8", "float32", "bfloat16", NULL, cuts_tail, "element 8 of 9"},
    {"fails beyond a block", "float32", "float16", NULL, fails_beyond_block, "element 1024 of 10"},
    {"skips the last element", "float32", "float16", NULL, skips_last, "left unwritten"},
    {"needs alignment", "float32", "float16", NULL, needs_alignment, "right alone"},
    {"writes past the end", "float32", "float16", NULL, writes_past_end, "written outside, after the end"},
    {"writes before the start", "float32", "float16", NULL, writes_before_start,
     "written outside, before the start"},
    {"reads past the end", "float32", "float16", NULL, reads_past_end, "read outside, after the end"},
    {"writes into its input", "float32", "float16", NULL, writes_into_input, "written over the input"},
    {"soils unused bits", "int8", "int4", NULL, soils_unused_bits, "unused bits of the output are not zero"},
};

const size_t right_count = sizeof right_kernels / sizeof *right_kernels;
const size_t wrong_count = sizeof wrong_kernels / sizeof *wrong_kernels;
