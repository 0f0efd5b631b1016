// Casts codes with the types of NVIDIA's headers, compiled for this machine. The protocol is that
// of cast.c. It has no cast of a float32 or float64 to an integer: C++ leaves open on a host what
// `cvt` of PTX fixes on a device.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <type_traits>

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp4.h>
#include <cuda_fp6.h>
#include <cuda_fp8.h>

template <typename T>
constexpr bool is_16_bit_float =
    std::is_same<T, __half>::value || std::is_same<T, __nv_bfloat16>::value;

// A float of 16 bits has several conversions of which C++ chooses none where it becomes a double.
// It goes through float32, which holds all its numbers.
template <typename From, typename To>
constexpr bool through_float =
    is_16_bit_float<From> && !std::is_constructible<To, From>::value &&
    (is_16_bit_float<To> || std::is_same<To, double>::value);

// Floats of less than a byte take a byte.
template <typename From, typename To>
uint64_t cast(uint64_t code) {
    From in;
    To out;
    std::memcpy(&in, &code, sizeof in);
    if constexpr (through_float<From, To>) {
        out = static_cast<To>(static_cast<float>(in));
    } else {
        out = static_cast<To>(in);
    }
    uint64_t result = 0;
    std::memcpy(&result, &out, sizeof out);
    return result;
}

using Cast = uint64_t (*)(uint64_t);

// The cast of a pair; none where a type has no conversion to the other.
template <typename From, typename To>
Cast cast_of() {
    constexpr bool is_open = std::is_floating_point<From>::value && std::is_integral<To>::value &&
                             !std::is_same<To, bool>::value;
    if constexpr (is_open) {
        return nullptr;
    } else if constexpr (through_float<From, To> || std::is_constructible<To, From>::value) {
        return cast<From, To>;
    } else {
        return nullptr;
    }
}

template <typename From>
Cast cast_from(const char *to) {
    const struct {
        const char *name;
        Cast cast;
    } targets[] = {
        {"bool", cast_of<From, bool>()},
        {"int8", cast_of<From, signed char>()},
        {"uint8", cast_of<From, unsigned char>()},
        {"int16", cast_of<From, short>()},
        {"uint16", cast_of<From, unsigned short>()},
        {"int32", cast_of<From, int>()},
        {"uint32", cast_of<From, unsigned>()},
        {"int64", cast_of<From, long long>()},
        {"uint64", cast_of<From, unsigned long long>()},
        {"float16", cast_of<From, __half>()},
        {"bfloat16", cast_of<From, __nv_bfloat16>()},
        {"float32", cast_of<From, float>()},
        {"float64", cast_of<From, double>()},
        {"float8e4m3fn", cast_of<From, __nv_fp8_e4m3>()},
        {"float8e5m2", cast_of<From, __nv_fp8_e5m2>()},
        {"float8e8m0", cast_of<From, __nv_fp8_e8m0>()},
        {"float6e2m3", cast_of<From, __nv_fp6_e2m3>()},
        {"float6e3m2", cast_of<From, __nv_fp6_e3m2>()},
        {"float4e2m1", cast_of<From, __nv_fp4_e2m1>()},
    };
    for (const auto &target : targets) {
        if (std::strcmp(target.name, to) == 0) {
            return target.cast;
        }
    }
    return nullptr;
}

static const struct {
    const char *name;
    Cast (*to)(const char *);
} SOURCES[] = {
    {"bool", cast_from<bool>},
    {"int8", cast_from<signed char>},
    {"uint8", cast_from<unsigned char>},
    {"int16", cast_from<short>},
    {"uint16", cast_from<unsigned short>},
    {"int32", cast_from<int>},
    {"uint32", cast_from<unsigned>},
    {"int64", cast_from<long long>},
    {"uint64", cast_from<unsigned long long>},
    {"float16", cast_from<__half>},
    {"bfloat16", cast_from<__nv_bfloat16>},
    {"float32", cast_from<float>},
    {"float64", cast_from<double>},
    {"float8e4m3fn", cast_from<__nv_fp8_e4m3>},
    {"float8e5m2", cast_from<__nv_fp8_e5m2>},
    {"float8e8m0", cast_from<__nv_fp8_e8m0>},
    {"float6e2m3", cast_from<__nv_fp6_e2m3>},
    {"float6e3m2", cast_from<__nv_fp6_e3m2>},
    {"float4e2m1", cast_from<__nv_fp4_e2m1>},
};

static Cast find(const char *from, const char *to) {
    for (const auto &source : SOURCES) {
        if (std::strcmp(source.name, from) == 0) {
            return source.to(to);
        }
    }
    return nullptr;
}

int main() {
    char from[16], to[16];
    unsigned long count;
    while (std::scanf("%15s %15s %lu", from, to, &count) == 3 && std::getchar() == '\n') {
        const Cast cast = find(from, to);
        if (cast == nullptr) {
            std::fprintf(stderr, "there is no cast from %s to %s\n", from, to);
            return 1;
        }
        for (unsigned long i = 0; i < count; i++) {
            uint64_t code;
            if (std::fread(&code, sizeof code, 1, stdin) != 1) {
                return 1;
            }
            code = cast(code);
            std::fwrite(&code, sizeof code, 1, stdout);
        }
        std::fflush(stdout);
    }
    return 0;
}
