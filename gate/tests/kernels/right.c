/* Right kernels, written in ways that differ from each other and from ours. Each must pass as a library of
 * `castproof gate --library`, as a process, by the package for C and by that for Python.
 *
 *   cc -shared -fPIC right.c -o libright.so -lpthread     CASTPROOF_RIGHT=name chooses the kernel
 *   cc -DPROCESS right.c -o right -lpthread               the same as a process
 *   #include "right.c" with ONLY_TABLE                    the table alone
 */
#define _GNU_SOURCE
#include <fenv.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How many elements a kernel is given; a 0 sets no limit. */
struct limits {
    size_t elements, multiple_of;
    int no_empty;
};

struct right {
    const char *name, *from, *to;
    void (*cast)(const void *input, void *output, size_t count);
    struct limits limits;
};

static uint32_t bits_of(float x) {
    uint32_t bits;
    memcpy(&bits, &x, 4);
    return bits;
}

static float float_of(uint32_t bits) {
    float x;
    memcpy(&x, &bits, 4);
    return x;
}

static uint32_t lowbias(uint32_t x) {
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x ^ x >> 16;
}

/* A float of so many exponent and fraction bits, by integers alone: rounded to nearest, ties to even; the code where
 * the exponent overflows. NaN and Inf are the caller's. */
static uint32_t narrowed(uint32_t bits, int exponent_bits, int fraction_bits) {
    int bias = (1 << (exponent_bits - 1)) - 1, exponent = (int)(bits >> 23 & 0xff) - 127 + bias;
    uint64_t significand = (bits & 0x7fffff) | (bits >> 23 & 0xff ? 0x800000 : 0);
    int dropped = 23 - fraction_bits;
    uint64_t kept, half;
    if ((bits & 0x7fffffff) == 0) return 0;
    if (exponent < 1) {
        dropped += 1 - exponent;
        exponent = 1;
    }
    if (dropped > 30) return 0;
    kept = significand >> dropped;
    half = significand & (((uint64_t)1 << dropped) - 1);
    if (half > (uint64_t)1 << (dropped - 1) || (half == (uint64_t)1 << (dropped - 1) && (kept & 1))) kept++;
    /* A carry goes on into the exponent. */
    return (uint32_t)(((uint64_t)(exponent - 1) << fraction_bits) + kept);
}

/* --- float32 to bfloat16 --- */

static uint16_t bfloat16(float x) {
    uint32_t bits = bits_of(x);
    return x != x ? 0x7fc0 : (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

static void bf16_forwards(const void *input, void *output, size_t count) {
    for (size_t i = 0; i < count; i++) ((uint16_t *)output)[i] = bfloat16(((const float *)input)[i]);
}

static void bf16_backwards(const void *input, void *output, size_t count) {
    while (count-- > 0) ((uint16_t *)output)[count] = bfloat16(((const float *)input)[count]);
}

/* The last vector of 8 overlaps the one before it. */
static void bf16_overlapping(const void *input, void *output, size_t count) {
    if (count < 8) {
        bf16_forwards(input, output, count);
        return;
    }
    for (size_t i = 0; i < count; i += 8) {
        size_t start = i + 8 > count ? count - 8 : i;
        bf16_forwards((const float *)input + start, (uint16_t *)output + start, 8);
    }
}

/* NaN keeps its sign and the high bits of its payload. */
static void bf16_payload(const void *input, void *output, size_t count) {
    for (size_t i = 0; i < count; i++) {
        float x = ((const float *)input)[i];
        ((uint16_t *)output)[i] = x != x ? (uint16_t)(bits_of(x) >> 16 | 0x40) : bfloat16(x);
    }
}

/* By the neighbours: of the code cut off and the next one, the nearer, of two the even one. */
static void bf16_neighbours(const void *input, void *output, size_t count) {
    for (size_t i = 0; i < count; i++) {
        uint32_t bits = bits_of(((const float *)input)[i]), low = bits & 0xffff;
        uint16_t down = (uint16_t)(bits >> 16), up = (uint16_t)(down + 1);
        int is_nan = (bits & 0x7fffffff) > 0x7f800000;
        ((uint16_t *)output)[i] = is_nan ? 0xffc1 : low < 0x8000 ? down : low > 0x8000 ? up : (down & 1) ? up : down;
    }
}

/* --- float32 to float16 --- */

static void f16_integers(const void *input, void *output, size_t count) {
    for (size_t i = 0; i < count; i++) {
        uint32_t bits = bits_of(((const float *)input)[i]), magnitude = bits & 0x7fffffff;
        uint32_t code = magnitude > 0x7f800000 ? 0x7e00 : magnitude >= 0x477ff000 ? 0x7c00 : narrowed(bits, 5, 10);
        ((uint16_t *)output)[i] = (uint16_t)(code | (bits >> 16 & 0x8000));
    }
}

/* By the arithmetic of float32: an addition of a large number rounds to a multiple of the step. */
static void f16_arithmetic(const void *input, void *output, size_t count) {
    for (size_t i = 0; i < count; i++) {
        uint32_t bits = bits_of(((const float *)input)[i]), sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
        uint32_t code;
        if (magnitude > 0x7f800000)
            code = 0x7fff;
        else if (magnitude >= 0x477ff000)
            code = 0x7c00;
        else if (magnitude < 0x38800000) /* subnormal: the step is 2^-24 */
            code = bits_of(float_of(magnitude) + 0.5f) - 0x3f000000;
        else
            code = (magnitude - 0x38000000 + 0xfff + (magnitude >> 13 & 1)) >> 13;
        ((uint16_t *)output)[i] = (uint16_t)(code | sign);
    }
}

/* --- float32 to int32: out of range, every result is right --- */

static int fits(float x) { return x >= -2147483648.0f && x < 2147483648.0f; }

static void i32_saturating(const void *input, void *output, size_t count) {
    for (size_t i = 0; i < count; i++) {
        float x = ((const float *)input)[i];
        ((int32_t *)output)[i] = x != x ? 0 : fits(x) ? (int32_t)x : x < 0 ? INT32_MIN : INT32_MAX;
    }
}

static void i32_as_x86(const void *input, void *output, size_t count) {
    for (size_t i = 0; i < count; i++) {
        float x = ((const float *)input)[i];
        ((int32_t *)output)[i] = fits(x) ? (int32_t)x : INT32_MIN;
    }
}

/* Another result in every call. */
static void i32_varying(const void *input, void *output, size_t count) {
    static uint32_t calls;
    uint32_t call = __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
    for (size_t i = 0; i < count; i++) {
        float x = ((const float *)input)[i];
        ((int32_t *)output)[i] = fits(x) ? (int32_t)x : (int32_t)lowbias(call * 77777 + (uint32_t)i);
    }
}

/* Another result at every place: a vector body and a tail that saturate otherwise. */
static void i32_by_place(const void *input, void *output, size_t count) {
    for (size_t i = 0; i < count; i++) {
        float x = ((const float *)input)[i];
        ((int32_t *)output)[i] = fits(x) ? (int32_t)x : i < count / 8 * 8 ? INT32_MIN : x > 0 ? INT32_MAX : 0;
    }
}

/* By shifts alone; out of range the low bits are lost. */
static void i32_by_shifts(const void *input, void *output, size_t count) {
    for (size_t i = 0; i < count; i++) {
        uint32_t bits = bits_of(((const float *)input)[i]);
        int exponent = (int)(bits >> 23 & 0xff) - 150;
        uint32_t whole = (bits & 0x7fffff) | 0x800000;
        whole = exponent > 8 ? 0x80000000u : exponent >= 0 ? whole << exponent : exponent > -24 ? whole >> -exponent : 0;
        ((int32_t *)output)[i] = (int32_t)(bits >> 31 ? 0u - whole : whole);
    }
}

/* --- uint8 to float32 --- */

static float u8_values[256];

static void u8_fill(void) {
    for (int code = 0; code < 256; code++) u8_values[code] = (float)code;
}

static void u8_table(const void *input, void *output, size_t count) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, u8_fill);
    for (size_t i = 0; i < count; i++) ((float *)output)[i] = u8_values[((const uint8_t *)input)[i]];
}

/* 2^23 + x has x in its low bits. */
static void u8_magic(const void *input, void *output, size_t count) {
    for (size_t i = 0; i < count; i++)
        ((float *)output)[i] = float_of(0x4b000000u | ((const uint8_t *)input)[i]) - 8388608.0f;
}

struct half {
    const uint8_t *input;
    float *output;
    size_t count;
};

static void *u8_half(void *argument) {
    struct half *half = argument;
    u8_magic(half->input, half->output, half->count);
    return NULL;
}

/* The second half in a thread of its own, which ends before the call does. */
static void u8_two_threads(const void *input, void *output, size_t count) {
    struct half second = {(const uint8_t *)input + count / 2, (float *)output + count / 2, count - count / 2};
    pthread_t thread;
    if (pthread_create(&thread, NULL, u8_half, &second) != 0) abort();
    u8_magic(input, output, count / 2);
    pthread_join(thread, NULL);
}

/* Through memory of its own, behind a lock. */
static void u8_scratch(const void *input, void *output, size_t count) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static float scratch[512];
    for (size_t done = 0; done < count; done += 512) {
        size_t some = count - done < 512 ? count - done : 512;
        pthread_mutex_lock(&lock);
        u8_magic((const uint8_t *)input + done, scratch, some);
        memcpy((float *)output + done, scratch, some * sizeof(float));
        pthread_mutex_unlock(&lock);
    }
}

/* Twice over the output: zeros first. */
static void u8_zero_first(const void *input, void *output, size_t count) {
    memset(output, 0, count * sizeof(float));
    for (size_t i = 0; i < count; i++) ((float *)output)[i] += (float)((const uint8_t *)input)[i];
}

/* --- Others --- */

static void e4m3_integers(const void *input, void *output, size_t count) {
    for (size_t i = 0; i < count; i++) {
        uint32_t bits = bits_of(((const float *)input)[i]), magnitude = bits & 0x7fffffff;
        uint32_t code = magnitude > 0x7f800000 ? 0x7f : magnitude > 0x43e00000 ? 0x7e : narrowed(bits, 4, 3);
        ((uint8_t *)output)[i] = (uint8_t)(code | (bits >> 24 & 0x80));
    }
}

static void i8_low_byte(const void *input, void *output, size_t count) {
    for (size_t i = 0; i < count; i++) ((uint8_t *)output)[i] = (uint8_t)((const uint32_t *)input)[i];
}

static void i64_to_f32(const void *input, void *output, size_t count) {
    for (size_t i = 0; i < count; i++) ((float *)output)[i] = (float)((const int64_t *)input)[i];
}

/* Restores the rounding mode that it needs for a moment. */
static void f64_to_f32(const void *input, void *output, size_t count) {
    int before = fegetround();
    fesetround(FE_TONEAREST);
    for (size_t i = 0; i < count; i++) {
        volatile double x = ((const double *)input)[i];
        ((float *)output)[i] = (float)x;
    }
    fesetround(before);
}

static void f32_to_bool(const void *input, void *output, size_t count) {
    for (size_t i = 0; i < count; i++) ((uint8_t *)output)[i] = (bits_of(((const float *)input)[i]) << 1) != 0;
}

/* Two elements a byte, the first in the low half. */
static void i4_to_i8(const void *input, void *output, size_t count) {
    for (size_t i = 0; i < count; i++) {
        uint8_t code = ((const uint8_t *)input)[i / 2] >> (4 * (i % 2)) & 15;
        ((uint8_t *)output)[i] = (uint8_t)(code ^ 8) - 8;
    }
}

/* Whole vectors only, as its limits say. */
static void u8_vectors(const void *input, void *output, size_t count) {
    if (count % 8 != 0) abort();
    u8_magic(input, output, count);
}

static void u8_few(const void *input, void *output, size_t count) {
    if (count > 4096) abort();
    u8_magic(input, output, count);
}

static void u8_some(const void *input, void *output, size_t count) {
    if (count == 0) abort();
    u8_magic(input, output, count);
}

static void bf16_tiles(const void *input, void *output, size_t count) {
    if (count == 0 || count % 32 != 0 || count > 1024) abort();
    bf16_forwards(input, output, count);
}

#define ALL {0, 0, 0}

static const struct right rights[] = {
    {"bf16_forwards", "float32", "bfloat16", bf16_forwards, ALL},
    {"bf16_backwards", "float32", "bfloat16", bf16_backwards, ALL},
    {"bf16_overlapping", "float32", "bfloat16", bf16_overlapping, ALL},
    {"bf16_payload", "float32", "bfloat16", bf16_payload, ALL},
    {"bf16_neighbours", "float32", "bfloat16", bf16_neighbours, ALL},
    {"f16_integers", "float32", "float16", f16_integers, ALL},
    {"f16_arithmetic", "float32", "float16", f16_arithmetic, ALL},
    {"i32_saturating", "float32", "int32", i32_saturating, ALL},
    {"i32_as_x86", "float32", "int32", i32_as_x86, ALL},
    {"i32_varying", "float32", "int32", i32_varying, ALL},
    {"i32_by_place", "float32", "int32", i32_by_place, ALL},
    {"i32_by_shifts", "float32", "int32", i32_by_shifts, ALL},
    {"u8_table", "uint8", "float32", u8_table, ALL},
    {"u8_magic", "uint8", "float32", u8_magic, ALL},
    {"u8_two_threads", "uint8", "float32", u8_two_threads, ALL},
    {"u8_scratch", "uint8", "float32", u8_scratch, ALL},
    {"u8_zero_first", "uint8", "float32", u8_zero_first, ALL},
    {"e4m3_integers", "float32", "float8e4m3fn", e4m3_integers, ALL},
    {"i8_low_byte", "int32", "int8", i8_low_byte, ALL},
    {"i64_to_f32", "int64", "float32", i64_to_f32, ALL},
    {"f64_to_f32", "float64", "float32", f64_to_f32, ALL},
    {"f32_to_bool", "float32", "bool", f32_to_bool, ALL},
    {"i4_to_i8", "int4", "int8", i4_to_i8, ALL},
    {"u8_vectors", "uint8", "float32", u8_vectors, {0, 8, 0}},
    {"u8_few", "uint8", "float32", u8_few, {4096, 0, 0}},
    {"u8_some", "uint8", "float32", u8_some, {0, 0, 1}},
    {"bf16_tiles", "float32", "bfloat16", bf16_tiles, {1024, 32, 1}},
};

#define RIGHTS (sizeof rights / sizeof *rights)

#ifndef ONLY_TABLE

/* Returns the kernel that the environment names. */
static const struct right *chosen(void) {
    const char *name = getenv("CASTPROOF_RIGHT");
    for (size_t i = 0; name && i < RIGHTS; i++)
        if (!strcmp(rights[i].name, name)) return &rights[i];
    fprintf(stderr, "CASTPROOF_RIGHT names no kernel\n");
    exit(2);
}

/* The limits as the protocol writes them. */
const char *castproof_limits(void) {
    static char text[128];
    const struct limits *limits = &chosen()->limits;
    char *end = text + sprintf(text, "{\"empty\":%s", limits->no_empty ? "false" : "true");
    if (limits->elements) end += sprintf(end, ",\"elements\":%zu", limits->elements);
    if (limits->multiple_of) end += sprintf(end, ",\"multipleOf\":%zu", limits->multiple_of);
    sprintf(end, "}");
    return text;
}

#ifndef PROCESS

#include "castproof.h"

int castproof_cast(const struct castproof_request *request, const void *input, void *output, char *message,
                   size_t message_size) {
    const struct right *right = chosen();
    (void)message, (void)message_size;
    if (strcmp(request->from, right->from) || strcmp(request->to, right->to) || request->saturate == 0)
        return CASTPROOF_UNSUPPORTED;
    right->cast(input, output, request->count);
    return CASTPROOF_OK;
}

#else

#define main template_main
#include "testee.c" /* adapters/templates/c: it reads the lines of the protocol */
#undef main

static size_t bits_of_dtype(const char *name) {
    return strstr(name, "64") ? 64 : strstr(name, "32") ? 32 : strstr(name, "16") ? 16 : 8;
}

int main(void) {
    static char line[1 << 16];
    const struct right *right = chosen();
    (void)template_main;
    while (fgets(line, sizeof line, stdin) && !member(line, "bye")) {
        if (member(line, "hello")) {
            printf("{\"hello\":\"castproof-testee/1\",\"name\":\"%s\",\"version\":\"1\",\"limits\":%s}\n", right->name,
                   castproof_limits());
            fflush(stdout);
            continue;
        }
        size_t bytes = (size_t)number(line, "bytes"), count = (size_t)atoll(member(line, "shape") + 1);
        size_t out_bytes = count * bits_of_dtype(right->to) / 8;
        char *input = malloc(bytes + 1), *output = malloc(out_bytes + 1);
        if (!input || !output || fread(input, 1, bytes, stdin) != bytes) return 1;
        int is_cast = is(line, "op", "cast") && is(line, "from", right->from) && is(line, "to", right->to);
        if (is_cast && (!member(line, "saturate") || number(line, "saturate"))) {
            right->cast(input, output, count);
            printf("{\"seq\":%lld,\"status\":\"ok\",\"bytes\":%zu}\n", number(line, "seq"), out_bytes);
            fwrite(output, 1, out_bytes, stdout);
        } else {
            printf("{\"seq\":%lld,\"status\":\"unsupported\",\"message\":\"no such cast\"}\n", number(line, "seq"));
        }
        fflush(stdout);
        free(input);
        free(output);
    }
    return 0;
}

#endif
#endif
