#!/usr/bin/env bash
# A kernel in C as a shared library: README, "Your own kernel".
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

cat >kernel.c <<'C'
#include "castproof.h"
#include <stdint.h>
#include <string.h>

/* The codes of bfloat16 nearest to an integer, ties to even. */
static uint16_t bfloat16(uint16_t x)
{
    float value = x;
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return (uint16_t)((bits + ROUNDING) >> 16);
}

int castproof_cast(const struct castproof_request *request, const void *input, void *output,
                   char *message, size_t message_size)
{
    const uint16_t *x = input;
    uint16_t *y = output;
    if (strcmp(request->from, "uint16") || strcmp(request->to, "bfloat16")) {
        strncpy(message, "no such cast", message_size);
        return CASTPROOF_UNSUPPORTED;
    }
    for (size_t i = 0; i < request->count; i++)
        y[i] = bfloat16(x[i]);
    return CASTPROOF_OK;
}
C

build() { cc -O2 -shared -fPIC -I "$CLONE/gate/include" "-DROUNDING=$1" kernel.c -o libkernel.so; }

build '0x7fff + (bits >> 16 & 1)'
passes castproof gate --library ./libkernel.so --pair uint16:bfloat16 --kernel
passes castproof gate --library ./libkernel.so
passes castproof sweep --library ./libkernel.so --from uint16 --to bfloat16
passes castproof fuzz --library ./libkernel.so --pair uint16:bfloat16 --tensors 500

build 0
fails_with_one_finding castproof gate --library ./libkernel.so --pair uint16:bfloat16 --kernel --json results.json
fails_with_one_finding castproof gate --library ./libkernel.so --json results.json
fails_with_one_finding castproof fuzz --library ./libkernel.so --pair uint16:bfloat16 --tensors 500 --seed 1 \
    --json fuzzed.json --out found
fails castproof sweep --library ./libkernel.so --from uint16 --to bfloat16
lines_written kernel.c
