// Casts codes with OpenCL's conversions on the processor: those with `_sat` to integers, the others
// to floats. The protocol is that of cast.c, with the attribute `round_mode` of floats to integers.

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    const char *type;
    size_t bytes;
} DTYPES[] = {
    {"int8", "char", 1},     {"uint8", "uchar", 1},    {"int16", "short", 2}, {"uint16", "ushort", 2},
    {"int32", "int", 4},     {"uint32", "uint", 4},    {"int64", "long", 8},  {"uint64", "ulong", 8},
    {"float32", "float", 4}, {"float64", "double", 8},
};

// The round modes of floats to integers, each with its suffix of `convert`. Without a mode there is none.
static const struct {
    const char *word;
    const char *suffix;
} MODES[] = {
    {"", ""},
    {"round_mode=nearest", "_rte"},
    {"round_mode=up", "_rtp"},
    {"round_mode=down", "_rtn"},
};
enum { MODE_COUNT = sizeof MODES / sizeof *MODES };

static cl_context context;
static cl_command_queue queue;
static cl_device_id device;
static cl_program program;

static void check(cl_int status, const char *call) {
    if (status != CL_SUCCESS) {
        fprintf(stderr, "%s: OpenCL error %d\n", call, status);
        exit(1);
    }
}

static size_t dtype(const char *name) {
    for (size_t i = 0; i < sizeof DTYPES / sizeof *DTYPES; i++) {
        if (strcmp(DTYPES[i].name, name) == 0) {
            return i;
        }
    }
    fprintf(stderr, "no dtype %s\n", name);
    exit(1);
}

static int is_float(size_t dtype) {
    return DTYPES[dtype].name[0] == 'f';
}

static int has_mode(size_t from, size_t to, size_t mode) {
    return mode == 0 || (is_float(from) && !is_float(to));
}

static size_t mode_of(const char *word) {
    for (size_t i = 0; i < MODE_COUNT; i++) {
        if (strcmp(MODES[i].word, word) == 0) {
            return i;
        }
    }
    fprintf(stderr, "no attribute %s\n", word);
    exit(1);
}

// Writes the kernel of a pair and a mode. Returns its length.
static int write_kernel(char *source, size_t from, size_t to, size_t mode) {
    const char *target = DTYPES[to].type;
    return sprintf(source,
                   "kernel void %s_%s%s(global const %s *in, global %s *out) {\n"
                   "    size_t i = get_global_id(0);\n"
                   "    out[i] = convert_%s%s%s(in[i]);\n"
                   "}\n",
                   DTYPES[from].name, DTYPES[to].name, MODES[mode].suffix, DTYPES[from].type, target, target,
                   is_float(to) ? "" : "_sat", MODES[mode].suffix);
}

// One program with a kernel for each pair and mode, because the library of conversions is linked once
// for each program.
static void build(void) {
    size_t dtypes = sizeof DTYPES / sizeof *DTYPES, length = 0;
    char *source = calloc(dtypes * dtypes * MODE_COUNT, 200);
    for (size_t from = 0; from < dtypes; from++) {
        for (size_t to = 0; to < dtypes; to++) {
            for (size_t mode = 0; mode < MODE_COUNT; mode++) {
                if (has_mode(from, to, mode)) {
                    length += write_kernel(source + length, from, to, mode);
                }
            }
        }
    }
    cl_int status;
    const char *pieces = source;
    program = clCreateProgramWithSource(context, 1, &pieces, NULL, &status);
    check(status, "clCreateProgramWithSource");
    check(clBuildProgram(program, 1, &device, "", NULL, NULL), "clBuildProgram");
    free(source);
}

static cl_kernel kernel(size_t from, size_t to, size_t mode) {
    char name[40];
    snprintf(name, sizeof name, "%s_%s%s", DTYPES[from].name, DTYPES[to].name, MODES[mode].suffix);
    cl_int status;
    cl_kernel kernel = clCreateKernel(program, name, &status);
    check(status, "clCreateKernel");
    return kernel;
}

static void cast(size_t from, size_t to, size_t mode, uint64_t *codes, size_t count) {
    size_t in_bytes = DTYPES[from].bytes, out_bytes = DTYPES[to].bytes;
    unsigned char *packed = calloc(count, 8);
    for (size_t i = 0; i < count; i++) {
        memcpy(packed + i * in_bytes, &codes[i], in_bytes);
    }
    cl_int status;
    cl_mem in = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, count * in_bytes,
                               packed, &status);
    check(status, "clCreateBuffer");
    cl_mem out = clCreateBuffer(context, CL_MEM_WRITE_ONLY, count * out_bytes, NULL, &status);
    check(status, "clCreateBuffer");
    cl_kernel made = kernel(from, to, mode);
    check(clSetKernelArg(made, 0, sizeof in, &in), "clSetKernelArg");
    check(clSetKernelArg(made, 1, sizeof out, &out), "clSetKernelArg");
    check(clEnqueueNDRangeKernel(queue, made, 1, NULL, &count, NULL, 0, NULL, NULL),
          "clEnqueueNDRangeKernel");
    check(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, count * out_bytes, packed, 0, NULL, NULL),
          "clEnqueueReadBuffer");
    for (size_t i = 0; i < count; i++) {
        codes[i] = 0;
        memcpy(&codes[i], packed + i * out_bytes, out_bytes);
    }
    clReleaseKernel(made);
    clReleaseMemObject(in);
    clReleaseMemObject(out);
    free(packed);
}

int main(int count, char **arguments) {
    cl_platform_id platform;
    cl_int status;
    check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_CPU, 1, &device, NULL), "clGetDeviceIDs");
    if (count == 2 && strcmp(arguments[1], "--version") == 0) {
        char version[200];
        check(clGetPlatformInfo(platform, CL_PLATFORM_VERSION, sizeof version, version, NULL),
              "clGetPlatformInfo");
        puts(version);
        return 0;
    }
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    check(status, "clCreateContext");
    queue = clCreateCommandQueue(context, device, 0, &status);
    check(status, "clCreateCommandQueue");
    build();
    char from[16], to[16], words[64];
    unsigned long asked;
    // The attribute is the rest of the line, which may be empty.
    while (scanf("%15s %15s %lu", from, to, &asked) == 3 && fgets(words, sizeof words, stdin)) {
        char *word = strtok(words, " \n");
        size_t mode = mode_of(word == NULL ? "" : word);
        uint64_t *codes = calloc(asked, sizeof *codes);
        if (fread(codes, sizeof *codes, asked, stdin) != asked) {
            return 1;
        }
        if (asked > 0) {
            cast(dtype(from), dtype(to), mode, codes, asked);
        }
        fwrite(codes, sizeof *codes, asked, stdout);
        fflush(stdout);
        free(codes);
    }
    return 0;
}
