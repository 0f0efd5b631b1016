// Casts codes with the types of NVIDIA's headers, compiled for this machine. The protocol is that
// of cast.c. A float of less than a byte takes a byte.

#include "../adapters/cuda-host/casts.cpp"

#include <cstdint>
#include <cstdio>

int main() {
    char from[16], to[16];
    unsigned long count;
    while (std::scanf("%15s %15s %lu", from, to, &count) == 3 && std::getchar() == '\n') {
        const Loop loop = find(from, to);
        if (loop == nullptr) {
            std::fprintf(stderr, "there is no cast from %s to %s\n", from, to);
            return 1;
        }
        for (unsigned long i = 0; i < count; i++) {
            uint64_t code, result = 0;
            if (std::fread(&code, sizeof code, 1, stdin) != 1) {
                return 1;
            }
            // Every machine that this runs on is little-endian.
            loop(&code, &result, 1);
            std::fwrite(&result, sizeof result, 1, stdout);
        }
        std::fflush(stdout);
    }
    return 0;
}
