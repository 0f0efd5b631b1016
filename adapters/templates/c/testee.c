/* A castproof testee in C, without dependencies. Put your kernel where uint8_to_float32 is.
 *     cc -O2 -o testee testee.c && castproof gate --testee ./testee --from uint8 --to float32 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void uint8_to_float32(const unsigned char *input, float *output, size_t count) {
    for (size_t i = 0; i < count; i++) output[i] = input[i];
}

/* Returns the text after "key": in a JSON line without blanks, as the gate writes it; or NULL. */
static const char *member(const char *line, const char *key) {
    char wanted[32];
    snprintf(wanted, sizeof wanted, "\"%s\":", key);
    const char *found = strstr(line, wanted);
    return found ? found + strlen(wanted) : NULL;
}

static long long number(const char *line, const char *key) {
    const char *text = member(line, key);
    return text ? atoll(text) : 0;
}

static int is(const char *line, const char *key, const char *name) {
    const char *text = member(line, key);
    return text && !strncmp(text + 1, name, strlen(name)) && text[1 + strlen(name)] == '"';
}

/* Does this testee know every member of the line? Members of later protocols must be refused. */
static int all_known(const char *line) {
    static const char *known[] = {"seq",      "op",        "from",  "to",   "opset", "profile",
                                  "saturate", "roundMode", "shape", "bytes"};
    for (const char *end = line; (end = strstr(end, "\":")); end++) {
        size_t i = 0, count = sizeof known / sizeof *known;
        const char *name = end;
        while (name > line && name[-1] != '"') name--;
        while (i < count && (strlen(known[i]) != (size_t)(end - name) ||
                             strncmp(name, known[i], (size_t)(end - name))))
            i++;
        if (i == count) return 0;
    }
    return 1;
}

/* Is there an attribute that the operator set does not have yet? It must be refused. The profiles here have none. */
static int too_new(const char *line) {
    long long opset = number(line, "opset");
    return (opset < 19 && member(line, "saturate")) || (opset < 24 && member(line, "roundMode"));
}

int main(void) {
    static char line[1 << 16];
    while (fgets(line, sizeof line, stdin) && !member(line, "bye")) {
        if (member(line, "hello")) {
            /* `shapes`: any shape, because only the number of elements matters here. `profiles`: the specifications
               other than ONNX's that the kernel follows, as `castproof gate --profile NAME` asks for them. */
            printf("{\"hello\":\"castproof-testee/1\",\"name\":\"c-template\",\"version\":\"1\","
                   "\"features\":[\"shapes\"],\"profiles\":[\"rust-as\"]}\n");
            fflush(stdout);
            continue;
        }
        size_t count = (size_t)number(line, "bytes"); /* a uint8 is one byte; the count may be 0 */
        unsigned char *input = malloc(count + 1);
        float *output = malloc(count * sizeof *output + 1);
        if (!input || !output || fread(input, 1, count, stdin) != count) return 1;
        /* A bitcast between these dtypes is not a cast. */
        int is_cast = is(line, "op", "cast") || is(line, "op", "castlike");
        if (is_cast && is(line, "from", "uint8") && is(line, "to", "float32") && !too_new(line) &&
            all_known(line)) {
            uint8_to_float32(input, output, count);
            printf("{\"seq\":%lld,\"status\":\"ok\",\"bytes\":%zu}\n", number(line, "seq"),
                   count * sizeof *output);
            fwrite(output, sizeof *output, count, stdout);
        } else {
            printf("{\"seq\":%lld,\"status\":\"unsupported\",\"message\":\"no such cast\"}\n",
                   number(line, "seq"));
        }
        fflush(stdout);
        free(input);
        free(output);
    }
    return 0;
}
