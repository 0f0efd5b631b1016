/* What castproof_check finds, what it passes, and what it refuses. Also compiled as C++. */
#include "kernels.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static int failures;

/* The kernels' context: where one that reads outside puts what it read, and what was reported. */
static struct {
    volatile uint32_t read;
    int calls, status;
    char text[8192];
} said;

static void keep(int status, const char *text, void *context) {
    if (context != (void *)&said) failures++;
    said.calls++;
    said.status = status;
    strncpy(said.text, text, sizeof said.text - 1);
}

static void expect(int is_so, const char *what) {
    if (is_so) return;
    failures++;
    fprintf(stderr, "%s: status %d, %d calls: %s\n", what, said.status, said.calls, said.text);
}

static void begin(void) { memset((void *)&said, 0, sizeof said); }

static void try_all(const struct tried *tried, size_t count, int due) {
    for (; count > 0; count--, tried++) {
        int status;
        begin();
        status = castproof_check(tried->from, tried->to, tried->attributes, tried->kernel, (void *)&said, keep);
        expect(status == due && said.status == due && said.calls == 1, tried->name);
        expect(strstr(said.text, tried->due) && strstr(said.text, "Cast("), tried->name);
    }
}

/* Inputs of a fuzzer find wrong kernels and pass right ones. */
static void fuzz_all(const struct tried *tried, size_t count, int due) {
    for (; count > 0; count--, tried++) {
        unsigned input;
        int status = CASTPROOF_PASSED;
        begin();
        for (input = 0; input < 2000 && status == CASTPROOF_PASSED; input += due == CASTPROOF_FAILED ? 1 : 40) {
            unsigned char bytes[4];
            memcpy(bytes, &input, sizeof bytes);
            status = castproof_fuzz(bytes, sizeof bytes, tried->from, tried->to, tried->attributes, tried->kernel,
                                    (void *)&said, keep);
        }
        expect(status == due && said.status == due && said.calls == (due == CASTPROOF_FAILED), tried->name);
    }
}

static void asks_again(const void *input, void *output, size_t count, void *context) {
    static int is_within;
    (void)context;
    right_kernels[1].kernel(input, output, count, NULL);
    if (is_within++ == 0) {
        int status = castproof_check("float32", "float16", NULL, asks_again, (void *)&said, keep);
        expect(status == CASTPROOF_NOT_ASKED, "a check within a check");
        expect(strstr(said.text, "a kernel that is checked calls castproof_check") != NULL, "a check within a check");
    }
}

static unsigned beyond, longest;
static unsigned long long told, all_told;

static void takes_some(const void *input, void *output, size_t count, void *context) {
    (void)context;
    if (count == 0 || count % 8 != 0 || count > 1000) beyond++;
    if (count > longest) longest = (unsigned)count;
    right_kernels[1].kernel(input, output, count, NULL);
}

static void sleeps(const void *input, void *output, size_t count, void *context) {
    clock_t until = clock() + CLOCKS_PER_SEC / 100;
    (void)context;
    while (clock() < until) {}
    right_kernels[1].kernel(input, output, count, NULL);
}

static void progress(unsigned long long asked, unsigned long long all, void *context) {
    if (context != (void *)&said || asked != told++) failures++;
    all_told = all;
}

static int check_within(castproof_kernel *kernel, const struct castproof_terms *terms) {
    begin();
    return castproof_check_within("float32", "float16", NULL, terms, kernel, (void *)&said, keep);
}

/* A kernel is asked within its terms, and for so long. */
static void keep_terms(void) {
    struct castproof_terms terms = {0, 0, 0, 0, NULL};
    expect(check_within(takes_some, NULL) == CASTPROOF_PASSED && beyond > 0, "no terms");
    expect(check_within(takes_some, &terms) == CASTPROOF_PASSED && !strstr(said.text, "limits"), "empty terms");
    terms.elements = 1000, terms.multiple_of = 8, terms.no_empty = 1, terms.progress = progress;
    beyond = longest = 0;
    expect(check_within(takes_some, &terms) == CASTPROOF_PASSED && beyond == 0 && longest > 900, "limits");
    expect(strstr(said.text, "; within limits: at most 1,000 elements, multiples of 8, no empty slice") != NULL,
           "limits are stated");
    expect(told > 100 && told == all_told, "progress");
    terms.progress = NULL, terms.seconds = 0.3;
    expect(check_within(sleeps, &terms) == CASTPROOF_FAILED && strstr(said.text, "the time of 0.3 s is over"), "time");
    terms.seconds = -1;
    expect(check_within(takes_some, &terms) == CASTPROOF_NOT_ASKED && strstr(said.text, "no time"), "a negative time");
    terms.seconds = 0, terms.elements = 7;
    expect(check_within(takes_some, &terms) == CASTPROOF_NOT_ASKED && strstr(said.text, "no slice has"), "no slice");
}

static void refuse(const char *from, const char *to, const char *attributes, castproof_kernel *kernel,
                   const char *due) {
    int status;
    begin();
    status = castproof_check(from, to, attributes, kernel, (void *)&said, keep);
    expect(status == CASTPROOF_NOT_ASKED && said.status == status && said.calls == 1, due);
    expect(strstr(said.text, due) && !strchr(said.text, '\n'), due);
}

int main(void) {
    castproof_kernel *half = right_kernels[1].kernel;
    expect(right_count >= 4 && wrong_count >= 12, "the kernels are many");
    try_all(right_kernels, right_count, CASTPROOF_PASSED);
    try_all(wrong_kernels, wrong_count, CASTPROOF_FAILED);

    fuzz_all(right_kernels, right_count, CASTPROOF_PASSED);
    fuzz_all(wrong_kernels, wrong_count, CASTPROOF_FAILED);
    expect(castproof_fuzz(NULL, 0, "float32", "float16", NULL, half, NULL, NULL) == CASTPROOF_PASSED, "no input");
    expect(castproof_fuzz(NULL, 1, "float32", "float16", NULL, half, (void *)&said, keep) == CASTPROOF_NOT_ASKED &&
               strstr(said.text, "data is NULL"), "an input that is not there");

    keep_terms();

    refuse(NULL, "float16", NULL, half, "the source is NULL");
    refuse("float32", NULL, NULL, half, "the target is NULL");
    refuse("float32", "float16", NULL, NULL, "the kernel is NULL");
    refuse("float\xff", "float16", NULL, half, "the source is not UTF-8");
    refuse("float33", "float16", NULL, half, "unknown dtype 'float33'");
    refuse("string", "float16", NULL, half, "string is not a numeric dtype");
    refuse("float32", "float16", "saturate", half, "unknown word 'saturate'");
    refuse("float32", "float16", "saturate=2", half, "saturate is 2");
    refuse("float32", "float16", "round_mode=sideways", half, "sideways");
    refuse("float32", "float16", "spec=onnx-cast-20", half, "no version 20");
    refuse("float32", "float8e4m3fn", "spec=onnx-cast-13", half, "is refused [T-01");

    begin();
    expect(castproof_check("float32", "float16", NULL, asks_again, NULL, NULL) == CASTPROOF_PASSED,
           "the check around a check");
    fprintf(stderr, "%lu right kernels passed, %lu wrong ones were found\n", (unsigned long)right_count,
            (unsigned long)wrong_count);
    return failures != 0;
}
