// Casts float32 and bfloat16 to float8 with the functions that riscv-isa-sim, the simulator, has for the instructions of
// Zvfofp8min. The protocol is that of cast.c, with the attributes `saturate` and `round_mode`. It is compiled in the folder
// of the simulator's softfloat.

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platform.h"
#include "internals.h"
#include "softfloat.h"

// The round modes, each with that of `frm`. Without a mode it is to nearest.
static const struct {
    const char *word;
    uint_fast8_t mode;
} MODES[] = {
    {"nearest", softfloat_round_near_even}, {"nearest-away", softfloat_round_near_maxMag},
    {"toward-zero", softfloat_round_minMag}, {"up", softfloat_round_max},
    {"down", softfloat_round_min},
};

static void fail(const char *what, const char *word) {
    fprintf(stderr, "%s %s\n", what, word);
    exit(1);
}

static uint_fast8_t mode_of(const char *word) {
    for (size_t i = 0; i < sizeof MODES / sizeof *MODES; i++) {
        if (strcmp(MODES[i].word, word) == 0) {
            return MODES[i].mode;
        }
    }
    fail("no round mode", word);
    return 0;
}

static uint8_t cast(const char *from, const char *to, uint64_t code, bool saturate) {
    bool e4m3 = strcmp(to, "float8e4m3fn") == 0;
    float8_t result;
    if (strcmp(from, "float32") == 0) {
        float32_t number = {(uint32_t)code};
        result = e4m3 ? f32_to_e4m3(number, saturate) : f32_to_e5m2(number, saturate);
    } else {
        bfloat16_t number = {(uint16_t)code};
        result = e4m3 ? bf16_to_e4m3(number, saturate) : bf16_to_e5m2(number, saturate);
    }
    return result.v;
}

int main(void) {
    char line[256];
    while (fgets(line, sizeof line, stdin) != NULL) {
        char from[32], to[32];
        size_t count;
        int read = 0;
        if (sscanf(line, "%31s %31s %zu%n", from, to, &count, &read) != 3) {
            fail("no request:", line);
        }
        if ((strcmp(from, "float32") != 0 && strcmp(from, "bfloat16") != 0) ||
            (strcmp(to, "float8e4m3fn") != 0 && strcmp(to, "float8e5m2") != 0)) {
            fail("no conversion:", line);
        }
        bool saturate = false;
        softfloat_roundingMode = softfloat_round_near_even;
        for (char *word = strtok(line + read, " \n"); word != NULL; word = strtok(NULL, " \n")) {
            if (strncmp(word, "saturate=", 9) == 0) {
                saturate = word[9] == '1';
            } else if (strncmp(word, "round_mode=", 11) == 0) {
                softfloat_roundingMode = mode_of(word + 11);
            } else {
                fail("no attribute", word);
            }
        }
        for (size_t i = 0; i < count; i++) {
            uint64_t code, result;
            if (fread(&code, sizeof code, 1, stdin) != 1) {
                fail("a code is missing:", from);
            }
            result = cast(from, to, code, saturate);
            fwrite(&result, sizeof result, 1, stdout);
        }
    }
    return 0;
}
