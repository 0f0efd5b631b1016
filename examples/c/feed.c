/* Feeds a fuzz target without libFuzzer: with each file that is named, as libFuzzer replays a
 * corpus, or with pseudo-random bytes: ./fuzz_cast -runs=10000 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 1 << 12 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void feed_file(const char *path) {
    static uint8_t bytes[MOST];
    FILE *file = fopen(path, "rb");
    if (!file) {
        fprintf(stderr, "%s cannot be read\n", path);
        exit(2);
    }
    LLVMFuzzerTestOneInput(bytes, fread(bytes, 1, MOST, file));
    fclose(file);
}

int main(int argc, char **argv) {
    uint8_t bytes[680];
    uint64_t state = 1;
    long runs = argc < 2 ? 10000 : 0;
    for (int i = 1; i < argc; i++) {
        if (!strncmp(argv[i], "-runs=", 6)) runs = atol(argv[i] + 6);
        else feed_file(argv[i]);
    }
    for (long run = 0; run < runs; run++) {
        for (size_t i = 0; i < sizeof bytes; i++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            bytes[i] = (uint8_t)(state >> 56);
        }
        LLVMFuzzerTestOneInput(bytes, bytes[0] % 4 ? sizeof bytes : bytes[1]);
    }
    printf("%ld inputs of chance and %d files passed\n", runs, argc - 1 - (argc > 1 && runs > 0));
    return 0;
}
