/* Judges kernels by a small file: prints its inputs, and then `pass` or `fail` for each line of results. The test
   puts the names of the dtypes in the place of NAME. */
#include "small.h"
#include <stdio.h>

int main(void) {
    unsigned i;
    unsigned long long got;
    for (i = 0; i < castproof_NAME_count; i++)
        printf(i ? " %llu" : "%llu", (unsigned long long)castproof_NAME_input[i]);
    puts("");
    for (;;) {
        int right = 1;
        for (i = 0; i < castproof_NAME_count; i++) {
            if (scanf("%llu", &got) != 1) return 0;
            right = right && castproof_NAME_is_right(i, got);
            right = right && castproof_NAME_is_right(i, castproof_NAME_expected[i]);
        }
        puts(right ? "pass" : "fail");
    }
}
