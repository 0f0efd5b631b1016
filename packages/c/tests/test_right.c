/* Right kernels, written in ways that differ from each other, pass; those with limits within them. */
#define ONLY_TABLE
#include "right.c"

#include <castproof.h>

static char said[4096];

static void cast(const void *input, void *output, size_t count, void *context) {
    ((const struct right *)context)->cast(input, output, count);
}

static void keep(int status, const char *text, void *context) {
    (void)status, (void)context;
    snprintf(said, sizeof said, "%s", text);
}

int main(void) {
    int wrong = 0;
    size_t i;
    for (i = 0; i < RIGHTS; i++) {
        struct right right = rights[i];
        struct castproof_terms terms = {0};
        int status, is_stated, is_limited = right.limits.elements || right.limits.multiple_of || right.limits.no_empty;
        terms.elements = right.limits.elements;
        terms.multiple_of = right.limits.multiple_of;
        terms.no_empty = right.limits.no_empty;
        status = castproof_check_within(right.from, right.to, NULL, &terms, cast, &right, keep);
        is_stated = strstr(said, "; within limits: ") != NULL;
        if (status == CASTPROOF_PASSED && is_stated == is_limited) continue;
        fprintf(stderr, "%s: status %d: %s\n", right.name, status, said);
        wrong = 1;
    }
    return wrong;
}
