/* What castproof_expect and castproof_admits say. Also compiled as C++. */
#include <castproof.h>

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;
static char said[1024];

static void keep(int status, const char *text, void *context) {
    *(int *)context = status;
    strncpy(said, text, sizeof said - 1);
}

static void expect(int is_so, const char *what) {
    if (is_so) return;
    failures++;
    fprintf(stderr, "%s: %s\n", what, said);
}

static void of_a_few(void) {
    const float x[5] = {1, 464, 480, NAN, -0.0f};
    uint8_t y[5], kinds[5], admitted[5];
    int status = -1;
    expect(castproof_expect("float32", "float8e4m3fn", "saturate=0", x, 5, y, kinds, &status, keep) == 0, "asked");
    expect(status == -1, "no text");
    expect(y[0] == 0x38 && y[1] == 0x7e && y[4] == 0x80, "codes");
    expect(kinds[0] == 0 && kinds[2] == CASTPROOF_ANY_NAN && kinds[3] == CASTPROOF_ANY_NAN, "kinds");
    y[2] = 0xff; /* another NaN */
    expect(castproof_admits("float32", "float8e4m3fn", "saturate=0", x, 5, y, admitted, &status, keep) == 0, "right");
    y[1] = 0x7f;
    expect(castproof_admits("float32", "float8e4m3fn", "saturate=0", x, 5, y, admitted, &status, keep) == 1, "wrong");
    expect(status == CASTPROOF_FAILED && strstr(said, "1 of 5 results are wrong") != NULL, "text");
    expect(admitted[0] == 1 && admitted[1] == 0 && admitted[2] == 1, "admitted");
}

static void of_every_kind(void) {
    const double twice = 1.0004882812500002; /* 0x3ff0020000000001: a tie but for the last bit */
    const float nan = NAN;
    uint16_t half;
    uint8_t byte, kind = 0;
    expect(castproof_expect("float64", "float16", NULL, &twice, 1, &half, &kind, NULL, NULL) == 0, "float16");
    expect(kind == CASTPROOF_TOLERATED && half == 0x3c01, "tolerated");
    expect(castproof_expect("float32", "int8", NULL, &nan, 1, &byte, &kind, NULL, NULL) == 0, "int8");
    expect(kind == CASTPROOF_UNDEFINED, "undefined");
    half = 0x3c00;
    expect(castproof_admits("float64", "float16", NULL, &twice, 1, &half, &kind, NULL, NULL) == 0, "admits it");
}

/* More elements than are answered at a time, of which an odd number is packed. */
static void of_many(void) {
    const size_t count = 200001, packed = (count + 1) / 2;
    int8_t *x = (int8_t *)malloc(count);
    uint8_t *y = (uint8_t *)malloc(packed), *kinds = (uint8_t *)malloc(count);
    size_t i, wrong = 0;
    int status;
    for (i = 0; i < count; i++) x[i] = (int8_t)(i * 7);
    expect(castproof_expect("int8", "int4", NULL, x, count, y, kinds, &status, keep) == 0, "packed");
    for (i = 0; i < count; i++) wrong += (y[i / 2] >> i % 2 * 4 & 15) != (x[i] & 15) || kinds[i] != 0;
    expect(wrong == 0 && y[count / 2] >> 4 == 0, "each of many");
    y[packed - 1] ^= 1;
    y[0] ^= 0x10;
    expect(castproof_admits("int8", "int4", NULL, x, count, y, kinds, &status, keep) == 1, "two of many");
    expect(strstr(said, "2 of 200001 results are wrong") && !kinds[1] && !kinds[count - 1], "which of many");
    free(x);
    free(y);
    free(kinds);
}

static void refused(int status, const int *told, const char *due) {
    expect(status == CASTPROOF_NOT_ASKED && *told == status && strstr(said, due), due);
}

static void of_bad_input(void) {
    const float x = 1;
    uint16_t y;
    uint8_t kind;
    int told = 0;
    refused(castproof_expect("float33", "float16", NULL, &x, 1, &y, &kind, &told, keep), &told, "unknown dtype 'float33'");
    refused(castproof_expect("float32", "float16", NULL, NULL, 1, &y, &kind, &told, keep), &told, "input is NULL");
    refused(castproof_expect("float32", "float16", NULL, &x, 1, NULL, &kind, &told, keep), &told, "output is NULL");
    refused(castproof_expect("float32", "float16", NULL, &x, 1, &y, NULL, &told, keep), &told, "kinds is NULL");
    refused(castproof_admits("float32", "float16", NULL, &x, 1, NULL, &kind, &told, keep), &told, "results is NULL");
    refused(castproof_admits("float32", "float16", NULL, &x, 1, &y, NULL, &told, keep), &told, "admitted is NULL");
    refused(castproof_expect("float32", "float16", NULL, &x, (size_t)-1, &y, &kind, &told, keep), &told, "memory");
    refused(castproof_expect("float32", "float16", NULL, &x, (size_t)-1 / 5, &y, &kind, &told, keep), &told, "memory");
    refused(castproof_expect("int8", "float8e4m3fn", "spec=onnx-cast-13", &x, 1, &y, &kind, &told, keep), &told, "refused");
    expect(castproof_expect("float32", "float16", NULL, NULL, 0, NULL, NULL, NULL, NULL) == 0, "nothing is asked");
}

int main(void) {
    of_a_few();
    of_every_kind();
    of_many();
    of_bad_input();
    expect(castproof_bits("float8e4m3fn") == 8 && castproof_bits("int4") == 4, "bits");
    expect(castproof_bits("string") == 0 && castproof_bits("float33") == 0 && castproof_bits(NULL) == 0, "no bits");
    return failures != 0;
}
