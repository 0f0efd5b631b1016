#include "my_cast.h"

#include <castproof.h>

static void kernel(const void *input, void *output, size_t count, void *context) {
    (void)context;
    my_cast((const float *)input, (uint16_t *)output, count);
}

/* The text goes to standard error, and the status is that of the test. */
int main(void) {
    return castproof_check("float32", "bfloat16", NULL, kernel, NULL, NULL);
}
