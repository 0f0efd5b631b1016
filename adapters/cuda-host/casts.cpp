// One loop for each pair of types of C++ and of NVIDIA's headers. The compiler of a host makes loops of this machine;
// nvcc makes kernels of its device. A host has no cast of a float32 or float64 to an integer: C++ leaves open there
// what `cvt` of PTX fixes on a device. adapters/cuda and witnesses/cuda_cvt.cpp have these loops too.

#include <cstddef>
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

#ifdef __CUDACC__
#define ON_DEVICE __device__
constexpr bool is_on_device = true;
#else
#define ON_DEVICE
constexpr bool is_on_device = false;
#endif

template <typename From, typename To>
struct Cast {
    static ON_DEVICE To of(From from) {
        if constexpr (through_float<From, To>) {
            return static_cast<To>(static_cast<float>(from));
        } else {
            return static_cast<To>(from);
        }
    }
};

#ifdef CASTPROOF_CVT

// nvcc converts a float32 or float64 to an integer of less than 32 bits as C++ lets it: to 32 bits, of which it keeps the
// low ones. With CASTPROOF_CVT, it is `cvt` of PTX to the integer itself.
#define CVT(FROM, CONSTRAINT, TO, TYPES)                                      \
    template <>                                                              \
    struct Cast<FROM, TO> {                                                  \
        static ON_DEVICE TO of(FROM from) {                                  \
            int made;                                                        \
            asm("cvt.rzi." TYPES " %0, %1;" : "=r"(made) : CONSTRAINT(from)); \
            return static_cast<TO>(made);                                    \
        }                                                                    \
    };
CVT(float, "f", signed char, "s8.f32")
CVT(float, "f", unsigned char, "u8.f32")
CVT(float, "f", short, "s16.f32")
CVT(float, "f", unsigned short, "u16.f32")
CVT(double, "d", signed char, "s8.f64")
CVT(double, "d", unsigned char, "u8.f64")
CVT(double, "d", short, "s16.f64")
CVT(double, "d", unsigned short, "u16.f64")

#endif

// What the functions of the headers take: saturation and, to float8e8m0, a round mode.
struct Attributes {
    __nv_saturation_t saturation;
    cudaRoundMode rounding;
};

// To float8e4m3fn and float8e5m2, from each float of at least 16 bits.
inline ON_DEVICE unsigned char to_fp8(__half from, Attributes with, __nv_fp8_interpretation_t type) {
    return __nv_cvt_halfraw_to_fp8(from, with.saturation, type);
}
inline ON_DEVICE unsigned char to_fp8(__nv_bfloat16 from, Attributes with, __nv_fp8_interpretation_t type) {
    return __nv_cvt_bfloat16raw_to_fp8(from, with.saturation, type);
}
inline ON_DEVICE unsigned char to_fp8(float from, Attributes with, __nv_fp8_interpretation_t type) {
    return __nv_cvt_float_to_fp8(from, with.saturation, type);
}
inline ON_DEVICE unsigned char to_fp8(double from, Attributes with, __nv_fp8_interpretation_t type) {
    return __nv_cvt_double_to_fp8(from, with.saturation, type);
}

// To float8e8m0. There is no function from float16, which float32 holds.
inline ON_DEVICE unsigned char to_e8m0(__nv_bfloat16 from, Attributes with) {
    return __nv_cvt_bfloat16raw_to_e8m0(from, with.saturation, with.rounding);
}
inline ON_DEVICE unsigned char to_e8m0(float from, Attributes with) {
    return __nv_cvt_float_to_e8m0(from, with.saturation, with.rounding);
}
inline ON_DEVICE unsigned char to_e8m0(double from, Attributes with) {
    return __nv_cvt_double_to_e8m0(from, with.saturation, with.rounding);
}
inline ON_DEVICE unsigned char to_e8m0(__half from, Attributes with) {
    return to_e8m0(static_cast<float>(from), with);
}

// A cast by such a function, with its attributes.
template <typename From, typename To>
struct CastWith {
    Attributes with;
    ON_DEVICE To operator()(From from) const {
        To made;
        if constexpr (std::is_same<To, __nv_fp8_e8m0>::value) {
            made.__x = to_e8m0(from, with);
        } else {
            made.__x = to_fp8(from, with, std::is_same<To, __nv_fp8_e4m3>::value ? __NV_E4M3 : __NV_E5M2);
        }
        return made;
    }
};

// A cast by a constructor or a conversion of C++.
template <typename From, typename To>
struct CastWithout {
    ON_DEVICE To operator()(From from) const { return Cast<From, To>::of(from); }
};

#ifdef __CUDACC__

static void succeed(cudaError_t error) {
    if (error != cudaSuccess) {
        std::fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(error));
        std::exit(1);
    }
}

// Memory of the device. It grows, and is kept until the program ends.
struct Memory {
    void *start = nullptr;
    std::size_t bytes = 0;

    void *of(std::size_t needed) {
        if (needed > bytes) {
            succeed(cudaFree(start));
            succeed(cudaMalloc(&start, needed));
            bytes = needed;
        }
        return start;
    }
};

template <typename From, typename To, typename Made>
__global__ void kernel(Made cast, const From *from, To *made, std::size_t count) {
    const std::size_t step = std::size_t(gridDim.x) * blockDim.x;
    for (std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += step) {
        made[i] = cast(from[i]);
    }
}

template <typename From, typename To, typename Made>
void run(Made cast, const void *in, void *out, std::size_t count) {
    static Memory from, made;
    if (count == 0) {
        return;
    }
    From *const source = static_cast<From *>(from.of(count * sizeof(From)));
    To *const target = static_cast<To *>(made.of(count * sizeof(To)));
    succeed(cudaMemcpy(source, in, count * sizeof(From), cudaMemcpyHostToDevice));
    const std::size_t blocks = (count + 255) / 256;
    kernel<From, To><<<blocks < 65536 ? blocks : 65536, 256>>>(cast, source, target, count);
    succeed(cudaGetLastError());
    succeed(cudaMemcpy(out, target, count * sizeof(To), cudaMemcpyDeviceToHost));
}

#else

template <typename From, typename To, typename Made>
void run(Made cast, const void *in, void *out, std::size_t count) {
    const From *from = static_cast<const From *>(in);
    To *made = static_cast<To *>(out);
    for (std::size_t i = 0; i < count; i++) {
        made[i] = cast(from[i]);
    }
}

#endif

template <typename From, typename To>
void loop(const void *in, void *out, std::size_t count) {
    run<From, To>(CastWithout<From, To>(), in, out, count);
}

template <typename From, typename To>
void loop_with(Attributes with, const void *in, void *out, std::size_t count) {
    run<From, To>(CastWith<From, To>{with}, in, out, count);
}

using Loop = void (*)(const void *, void *, std::size_t);

// The loop of a pair; none where a type has no conversion to the other.
template <typename From, typename To>
Loop loop_of() {
    constexpr bool is_open = !is_on_device && std::is_floating_point<From>::value &&
                             std::is_integral<To>::value && !std::is_same<To, bool>::value;
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
    std::size_t bytes;
    Loop (*to)(const char *);
} TYPES[] = {
    {"bool", sizeof(bool), loop_from<bool>},
    {"int8", sizeof(signed char), loop_from<signed char>},
    {"uint8", sizeof(unsigned char), loop_from<unsigned char>},
    {"int16", sizeof(short), loop_from<short>},
    {"uint16", sizeof(unsigned short), loop_from<unsigned short>},
    {"int32", sizeof(int), loop_from<int>},
    {"uint32", sizeof(unsigned), loop_from<unsigned>},
    {"int64", sizeof(long long), loop_from<long long>},
    {"uint64", sizeof(unsigned long long), loop_from<unsigned long long>},
    {"float16", sizeof(__half), loop_from<__half>},
    {"bfloat16", sizeof(__nv_bfloat16), loop_from<__nv_bfloat16>},
    {"float32", sizeof(float), loop_from<float>},
    {"float64", sizeof(double), loop_from<double>},
    {"float8e4m3fn", sizeof(__nv_fp8_e4m3), loop_from<__nv_fp8_e4m3>},
    {"float8e5m2", sizeof(__nv_fp8_e5m2), loop_from<__nv_fp8_e5m2>},
    {"float8e8m0", sizeof(__nv_fp8_e8m0), loop_from<__nv_fp8_e8m0>},
    {"float6e2m3", sizeof(__nv_fp6_e2m3), loop_from<__nv_fp6_e2m3>},
    {"float6e3m2", sizeof(__nv_fp6_e3m2), loop_from<__nv_fp6_e3m2>},
    {"float4e2m1", sizeof(__nv_fp4_e2m1), loop_from<__nv_fp4_e2m1>},
};

// Returns the loop of a pair, or a null pointer.
static Loop find(const char *from, const char *to) {
    for (const auto &source : TYPES) {
        if (std::strcmp(source.name, from) == 0) {
            return source.to(to);
        }
    }
    return nullptr;
}

using LoopWith = void (*)(Attributes, const void *, void *, std::size_t);

static const struct {
    const char *from, *to;
    LoopWith loop;
} WITH_ATTRIBUTES[] = {
    {"float16", "float8e4m3fn", loop_with<__half, __nv_fp8_e4m3>},
    {"bfloat16", "float8e4m3fn", loop_with<__nv_bfloat16, __nv_fp8_e4m3>},
    {"float32", "float8e4m3fn", loop_with<float, __nv_fp8_e4m3>},
    {"float64", "float8e4m3fn", loop_with<double, __nv_fp8_e4m3>},
    {"float16", "float8e5m2", loop_with<__half, __nv_fp8_e5m2>},
    {"bfloat16", "float8e5m2", loop_with<__nv_bfloat16, __nv_fp8_e5m2>},
    {"float32", "float8e5m2", loop_with<float, __nv_fp8_e5m2>},
    {"float64", "float8e5m2", loop_with<double, __nv_fp8_e5m2>},
    {"float16", "float8e8m0", loop_with<__half, __nv_fp8_e8m0>},
    {"bfloat16", "float8e8m0", loop_with<__nv_bfloat16, __nv_fp8_e8m0>},
    {"float32", "float8e8m0", loop_with<float, __nv_fp8_e8m0>},
    {"float64", "float8e8m0", loop_with<double, __nv_fp8_e8m0>},
};

// Runs a loop with attributes, as the arguments of the constructors unless they are given: `saturate` is 0, 1 or, if it
// is not given, -1; `round_mode` is up, down, nearest or, if it is not given, empty. Returns 0; 1 if there is no such cast.
extern "C" int castproof_loop_with(const char *from, const char *to, int saturate, const char *round_mode,
                                   const void *in, void *out, std::size_t count) {
    Attributes with = {saturate == 0 ? __NV_NOSAT : __NV_SATFINITE, cudaRoundPosInf};
    if (std::strcmp(round_mode, "down") == 0) {
        with.rounding = cudaRoundZero;
    } else if (std::strcmp(round_mode, "nearest") == 0) {
        with.rounding = cudaRoundNearest;
    } else if (*round_mode != '\0' && std::strcmp(round_mode, "up") != 0) {
        return 1;
    }
    for (const auto &row : WITH_ATTRIBUTES) {
        const bool is_pair = std::strcmp(row.from, from) == 0 && std::strcmp(row.to, to) == 0;
        const bool has_mode = std::strcmp(to, "float8e8m0") == 0 || *round_mode == '\0';
        if (is_pair && has_mode) {
            row.loop(with, in, out, count);
            return 0;
        }
    }
    return 1;
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
