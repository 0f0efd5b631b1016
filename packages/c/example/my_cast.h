/* The kernel of the example: replace it with yours. */
#ifndef MY_CAST_H
#define MY_CAST_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* float32 to the codes of bfloat16, rounded to nearest, ties to even. */
void my_cast(const float *input, uint16_t *output, size_t count);

#ifdef __cplusplus
}
#endif

#endif
