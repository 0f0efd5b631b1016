// Casts codes with OpenCL's conversions on the processor: those with `_sat` to integers, the others
// to floats. The protocol is that of cast.c.

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

// One program with a kernel for each pair, because the library of conversions is linked once for each
// program.
static void build(void) {
    size_t dtypes = sizeof DTYPES / sizeof *DTYPES, length = 0;
    char *source = calloc(dtypes * dtypes, 200);
    for (size_t from = 0; from < dtypes; from++) {
        for (size_t to = 0; to < dtypes; to++) {
            const char *target = DTYPES[to].type;
            const char *saturated = DTYPES[to].name[0] == 'f' ? "" : "_sat";
            length += sprintf(source + length,
                              "kernel void %s_%s(global const %s *in, global %s *out) {\n"
                              "    size_t i = get_global_id(0);\n"
                              "    out[i] = convert_%s%s(in[i]);\n"
                              "}\n",
                              DTYPES[from].name, DTYPES[to].name, DTYPES[from].type, target, target,
                              saturated);
        }
    }
    cl_int status;
    const char *pieces = source;
    program = clCreateProgramWithSource(context, 1, &pieces, NULL, &status);
    check(status, "clCreateProgramWithSource");
    check(clBuildProgram(program, 1, &device, "", NULL, NULL), "clBuildProgram");
    free(source);
}

static cl_kernel kernel(size_t from, size_t to) {
    char name[40];
    snprintf(name, sizeof name, "%s_%s", DTYPES[from].name, DTYPES[to].name);
    cl_int status;
    cl_kernel kernel = clCreateKernel(program, name, &status);
    check(status, "clCreateKernel");
    return kernel;
}

static void cast(size_t from, size_t to, uint64_t *codes, size_t count) {
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
    cl_kernel made = kernel(from, to);
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
    char from[16], to[16];
    unsigned long asked;
    while (scanf("%15s %15s %lu", from, to, &asked) == 3 && getchar() == '\n') {
        uint64_t *codes = calloc(asked, sizeof *codes);
        if (fread(codes, sizeof *codes, asked, stdin) != asked) {
            return 1;
        }
        if (asked > 0) {
            cast(dtype(from), dtype(to), codes, asked);
        }
        fwrite(codes, sizeof *codes, asked, stdout);
        fflush(stdout);
        free(codes);
    }
    return 0;
}
