// One loop for each pair of types of C++ and of NVIDIA's headers, compiled for this machine. It has no cast of a
// float32 or float64 to an integer: C++ leaves open on a host what `cvt` of PTX fixes on a device.
// witnesses/cuda_cvt.cpp has these loops too.

#include <cstddef>
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

template <typename From, typename To>
void loop(const void *in, void *out, std::size_t count) {
    const From *from = static_cast<const From *>(in);
    To *made = static_cast<To *>(out);
    for (std::size_t i = 0; i < count; i++) {
        if constexpr (through_float<From, To>) {
            made[i] = static_cast<To>(static_cast<float>(from[i]));
        } else {
            made[i] = static_cast<To>(from[i]);
        }
    }
}

using Loop = void (*)(const void *, void *, std::size_t);

// The loop of a pair; none where a type has no conversion to the other.
template <typename From, typename To>
Loop loop_of() {
    constexpr bool is_open = std::is_floating_point<From>::value && std::is_integral<To>::value &&
                             !std::is_same<To, bool>::value;
    constexpr bool converts = through_float<From, To> || std::is_constructible<To, From>::value;
    if constexpr (converts && !is_open) {
        return loop<From, To>;
    } else {
        return nullptr;
    }
}

template <typename From>
Loop loop_from(const char *to) {
    const struct {
        const char *name;
        Loop loop;
    } targets[] = {
        {"bool", loop_of<From, bool>()},
        {"int8", loop_of<From, signed char>()},
        {"uint8", loop_of<From, unsigned char>()},
        {"int16", loop_of<From, short>()},
        {"uint16", loop_of<From, unsigned short>()},
        {"int32", loop_of<From, int>()},
        {"uint32", loop_of<From, unsigned>()},
        {"int64", loop_of<From, long long>()},
        {"uint64", loop_of<From, unsigned long long>()},
        {"float16", loop_of<From, __half>()},
        {"bfloat16", loop_of<From, __nv_bfloat16>()},
        {"float32", loop_of<From, float>()},
        {"float64", loop_of<From, double>()},
        {"float8e4m3fn", loop_of<From, __nv_fp8_e4m3>()},
        {"float8e5m2", loop_of<From, __nv_fp8_e5m2>()},
        {"float8e8m0", loop_of<From, __nv_fp8_e8m0>()},
        {"float6e2m3", loop_of<From, __nv_fp6_e2m3>()},
        {"float6e3m2", loop_of<From, __nv_fp6_e3m2>()},
        {"float4e2m1", loop_of<From, __nv_fp4_e2m1>()},
    };
    for (const auto &target : targets) {
        if (std::strcmp(target.name, to) == 0) {
            return target.loop;
        }
    }
    return nullptr;
}

static const struct {
    const char *name;
    Loop (*to)(const char *);
} SOURCES[] = {
    {"bool", loop_from<bool>},
    {"int8", loop_from<signed char>},
    {"uint8", loop_from<unsigned char>},
    {"int16", loop_from<short>},
    {"uint16", loop_from<unsigned short>},
    {"int32", loop_from<int>},
    {"uint32", loop_from<unsigned>},
    {"int64", loop_from<long long>},
    {"uint64", loop_from<unsigned long long>},
    {"float16", loop_from<__half>},
    {"bfloat16", loop_from<__nv_bfloat16>},
    {"float32", loop_from<float>},
    {"float64", loop_from<double>},
    {"float8e4m3fn", loop_from<__nv_fp8_e4m3>},
    {"float8e5m2", loop_from<__nv_fp8_e5m2>},
    {"float8e8m0", loop_from<__nv_fp8_e8m0>},
    {"float6e2m3", loop_from<__nv_fp6_e2m3>},
    {"float6e3m2", loop_from<__nv_fp6_e3m2>},
    {"float4e2m1", loop_from<__nv_fp4_e2m1>},
};

// Returns the loop of a pair, or a null pointer.
static Loop find(const char *from, const char *to) {
    for (const auto &source : SOURCES) {
        if (std::strcmp(source.name, from) == 0) {
            return source.to(to);
        }
    }
    return nullptr;
}

extern "C" int castproof_loop(const char *from, const char *to, const void *in, void *out,
                              std::size_t count) {
    const Loop loop = find(from, to);
    if (loop == nullptr) {
        return 1;
    }
    loop(in, out, count);
    return 0;
}
