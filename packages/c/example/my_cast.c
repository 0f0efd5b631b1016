#include "my_cast.h"

#include <string.h>

void my_cast(const float *input, uint16_t *output, size_t count) {
    for (size_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, &input[i], sizeof bits);
        int is_nan = (bits & 0x7fffffff) > 0x7f800000;
        output[i] = (uint16_t)(is_nan ? 0x7fc0 : (bits + 0x7fff + (bits >> 16 & 1)) >> 16);
    }
}
