// Casts codes with the types of NVIDIA's headers: compiled by g++ for this machine, or by nvcc for its device. The
// protocol is that of cast.c, with attributes. A float of less than a byte takes a byte.

#include "../adapters/cuda-host/casts.cpp"

#include <cstdint>
#include <vector>

static std::size_t bytes_of(const char *name) {
    for (const auto &type : TYPES) {
        if (std::strcmp(type.name, name) == 0) {
            return type.bytes;
        }
    }
    return 0;
}

int main() {
    char from[16], to[16], words[64];
    unsigned long count;
    // The attributes are the rest of the line, which may be empty.
    while (std::scanf("%15s %15s %lu", from, to, &count) == 3 && std::fgets(words, sizeof words, stdin)) {
        int saturate = -1;
        char round_mode[16] = "";
        for (const char *word = std::strtok(words, " \n"); word != nullptr; word = std::strtok(nullptr, " \n")) {
            if (std::sscanf(word, "saturate=%d", &saturate) != 1 &&
                std::sscanf(word, "round_mode=%15s", round_mode) != 1) {
                std::fprintf(stderr, "there is no attribute %s\n", word);
                return 1;
            }
        }
        std::vector<uint64_t> codes(count), results(count, 0);
        if (std::fread(codes.data(), sizeof(uint64_t), count, stdin) != count) {
            return 1;
        }
        // Every machine that this runs on is little-endian.
        const std::size_t source = bytes_of(from), target = bytes_of(to);
        std::vector<unsigned char> in(count * source + 8), out(count * target + 8);
        for (unsigned long i = 0; i < count; i++) {
            std::memcpy(&in[i * source], &codes[i], source);
        }
        const bool is_plain = saturate == -1 && *round_mode == '\0';
        if (is_plain ? castproof_loop(from, to, in.data(), out.data(), count)
                     : castproof_loop_with(from, to, saturate, round_mode, in.data(), out.data(), count)) {
            std::fprintf(stderr, "there is no such cast from %s to %s\n", from, to);
            return 1;
        }
        for (unsigned long i = 0; i < count; i++) {
            std::memcpy(&results[i], &out[i * target], target);
        }
        std::fwrite(results.data(), sizeof(uint64_t), count, stdout);
        std::fflush(stdout);
    }
    return 0;
}
