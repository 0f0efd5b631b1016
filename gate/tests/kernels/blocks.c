/* A quantiser of float32 to blocks of 32 float8e4m3fn by mx-rceil, as a library of `castproof gate --library`. With
 * -DFLOOR the scale is that of mx-floor, with -DSHORT the last element of a tensor is not written, with -DBEYOND a byte
 * behind the elements is; with -DWRONG_CALLS=0 each second call gives other elements from the first on, with 1 from the
 * second on. */
#include "castproof.h"
#include <math.h>
#include <stdint.h>
#include <string.h>

enum { SIZE = 32 };

/* The code nearest to a number of at most 448; ties go to the even one. */
static uint8_t e4m3(double x) {
    uint8_t sign = signbit(x) ? 0x80 : 0;
    int exponent;
    double magnitude = fabs(x), units;
    if (magnitude > 448) magnitude = 448;
    if (magnitude == 0) return sign;
    frexp(magnitude, &exponent); /* magnitude lies from 2^(exponent - 1) to below 2^exponent */
    if (exponent < -5) exponent = -5;
    units = nearbyint(ldexp(magnitude, 4 - exponent)); /* 8 to 16, or fewer where subnormal */
    return (uint8_t)(sign | ((exponent + 5) * 8 + (int)units));
}

int castproof_quantize(const struct castproof_blocks *blocks, const void *input, unsigned char *scales, void *elements,
                       char *message, size_t message_size) {
    const float *x = input;
    uint8_t *y = elements;
    size_t outer = 1, inner = 1, along = blocks->shape[blocks->axis], count = (along + SIZE - 1) / SIZE, i, j, b, k;
    (void)message, (void)message_size;
    if (strcmp(blocks->rule, RULE) || strcmp(blocks->from, "float32") || strcmp(blocks->to, "float8e4m3fn"))
        return CASTPROOF_UNSUPPORTED;
    for (i = 0; i < blocks->axis; i++) outer *= blocks->shape[i];
    for (i = blocks->axis + 1; i < blocks->rank; i++) inner *= blocks->shape[i];
    for (i = 0; i < outer; i++)
        for (j = 0; j < inner; j++)
            for (b = 0; b < count; b++) {
                size_t end = (b + 1) * SIZE < along ? (b + 1) * SIZE : along;
                float largest = 0;
                int exponent = -127, is_number = 1;
                for (k = b * SIZE; k < end; k++) {
                    float magnitude = fabsf(x[(i * along + k) * inner + j]);
                    if (!isfinite(magnitude)) is_number = 0;
                    if (magnitude > largest) largest = magnitude;
                }
#ifdef FLOOR
                if (largest > 0 && is_number) frexp(largest, &exponent), exponent -= 9;
                if (exponent < -127) exponent = -127;
#else
                while (is_number && ldexp(448, exponent) < largest) exponent++;
#endif
                scales[(i * count + b) * inner + j] = is_number ? (unsigned char)(exponent + 127) : 0xff;
                for (k = b * SIZE; k < end; k++) {
                    size_t place = (i * along + k) * inner + j;
#ifdef SHORT
                    if (place + 1 == blocks->element_bytes) continue;
#endif
                    y[place] = is_number ? e4m3(ldexp(x[place], -exponent)) : 0x7f;
                }
            }
#ifdef WRONG_CALLS
    static unsigned calls;
    if (calls++ % 2 == WRONG_CALLS) y[0] ^= 1;
#endif
#ifdef BEYOND
    y[blocks->element_bytes] = 0;
#endif
    return CASTPROOF_OK;
}

int castproof_cast(const struct castproof_request *request, const void *input, void *output, char *message,
                   size_t message_size) {
    (void)request, (void)input, (void)output, (void)message, (void)message_size;
    return CASTPROOF_UNSUPPORTED;
}
