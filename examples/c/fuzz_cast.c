/* A fuzz target that compares your castproof_cast with the answers of one cast. From the root of
 * the repository:
 *     castproof vectors export --format partition --out answers --from uint8 --to float32 --opset 28
 *     export CASTPROOF_ANSWERS=answers/uint8__float32.json CASTPROOF_DTYPES=vectors/data/dtypes.json
 *     clang -g -O1 -fsanitize=fuzzer,address -I gate/include examples/c/fuzz_cast.c \
 *         adapters/templates/library/kernel.c -o fuzz_cast && ./fuzz_cast
 * Without libFuzzer, compile it with feed.c, which feeds it bytes. If the cast has attributes, set
 * them in the request below. */
#include "castproof.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PIECES = 1 << 17, MOST_CODES = 8, MOST_RANGES = 4, ELEMENTS = 67 };

/* An outcome: one of some codes, any NaN, or any valid element. The outcome of a piece that shifts
 * follows from the source's bits instead. */
struct outcome { int count, any_nan, any; uint64_t codes[MOST_CODES]; };
struct piece {
    uint64_t first, last, origin, base;
    int shifts, bits, descending, nearest, subtract, tolerate_by_code;
    struct outcome expect, tolerate;
};
struct ranges { int count; uint64_t first[MOST_RANGES], last[MOST_RANGES]; };

static struct piece *pieces;
static size_t piece_count;
static unsigned from_bits, to_bits;
static char from_name[32], to_name[32];
static int opset;
static struct ranges nan_codes, valid_codes;

static void give_up(const char *what) {
    fprintf(stderr, "fuzz_cast: %s\n", what);
    exit(2);
}

static const char *after(const char *line, const char *member) {
    const char *at = line ? strstr(line, member) : NULL;
    return at ? at + strlen(member) : NULL;
}

/* Returns the number after a member, with or without quotes; 0 if there is none. */
static uint64_t number(const char *line, const char *member) {
    const char *at = after(line, member);
    return at ? strtoull(at + (*at == '"'), NULL, 0) : 0;
}

static struct outcome outcome(const char *at) {
    struct outcome read = {0};
    if (!at) return read;
    size_t length = strcspn(at, "}");
    const char *end = at + length;
    const char *any_nan = strstr(at, "\"anyNaN\""), *any = strstr(at, "\"any\"");
    read.any_nan = any_nan && any_nan < end;
    read.any = any && any < end;
    for (const char *hex = strstr(at, "\"0x"); hex && hex < end; hex = strstr(hex + 1, "\"0x"))
        if (read.count < MOST_CODES) read.codes[read.count++] = strtoull(hex + 1, NULL, 16);
    return read;
}

static void read_piece(const char *line) {
    if (piece_count == MOST_PIECES) give_up("more pieces than there is room for");
    struct piece *piece = &pieces[piece_count++];
    const char *shift = after(line, "\"shift\":");
    const char *bits = after(shift, "\"bits\":");
    *piece = (struct piece){.first = number(line, "\"first\":"), .last = number(line, "\"last\":")};
    piece->expect = outcome(after(line, "\"expect\":"));
    piece->tolerate = outcome(after(line, "\"tolerate\":"));
    piece->tolerate_by_code = !!after(line, "\"tolerateByCode\":true");
    piece->shifts = !!shift;
    piece->origin = number(shift, "\"origin\":");
    piece->base = number(shift, "\"base\":");
    piece->bits = bits ? atoi(bits) : 0;
    piece->descending = !!after(shift, "\"descending\"");
    piece->nearest = !!after(shift, "\"nearest\"");
    piece->subtract = !!after(shift, "\"subtract\"");
}

static void name(const char *line, const char *member, char *into) {
    const char *at = after(line, member);
    if (at) snprintf(into, 32, "%.*s", (int)strcspn(at, "\""), at);
}

static void read_answers(const char *path) {
    static char line[1 << 16];
    FILE *file = path ? fopen(path, "r") : NULL;
    if (!file) give_up("CASTPROOF_ANSWERS names no file of castproof vectors export --format partition");
    pieces = calloc(MOST_PIECES, sizeof *pieces);
    if (!pieces) give_up("no memory for the pieces");
    while (fgets(line, sizeof line, file)) {
        if (strstr(line, "\"fromBits\"")) from_bits = (unsigned)number(line, "\"fromBits\": ");
        if (strstr(line, "\"toBits\"")) to_bits = (unsigned)number(line, "\"toBits\": ");
        if (strstr(line, "\"opset\"")) opset = (int)number(line, "\"opset\": ");
        name(line, "\"from\": \"", from_name);
        name(line, "\"to\": \"", to_name);
        if (!strncmp(line, "{\"first\"", 8)) read_piece(line);
    }
    fclose(file);
    if (!piece_count || !from_bits || !to_bits) give_up("CASTPROOF_ANSWERS names a file without pieces");
}

/* Reads ranges like [["0x7f","0x7f"],["0xff","0xff"]]. */
static struct ranges ranges(const char *at) {
    struct ranges read = {0};
    const char *end = at ? strstr(at, at[1] == ']' ? "]" : "]]") : NULL;
    while (end && read.count < MOST_RANGES && (at = strstr(at, "\"0x")) && at < end) {
        read.first[read.count] = strtoull(at + 1, NULL, 16);
        at = strstr(at + 1, "\"0x");
        read.last[read.count++] = strtoull(at + 1, NULL, 16);
        at++;
    }
    return read;
}

static void read_dtype(const char *path) {
    static char line[1 << 14];
    char wanted[64];
    FILE *file = path ? fopen(path, "r") : NULL;
    if (!file) give_up("CASTPROOF_DTYPES must name vectors/data/dtypes.json");
    snprintf(wanted, sizeof wanted, "{\"name\":\"%s\"", to_name);
    while (fgets(line, sizeof line, file))
        if (!strncmp(line, wanted, strlen(wanted))) {
            nan_codes = ranges(after(line, "\"nan\":"));
            valid_codes = ranges(after(line, "\"valid\":"));
        }
    fclose(file);
    if (!valid_codes.count) give_up("CASTPROOF_DTYPES lacks the target");
}

static int within(const struct ranges *ranges, uint64_t code) {
    for (int i = 0; i < ranges->count; i++)
        if (ranges->first[i] <= code && code <= ranges->last[i]) return 1;
    return 0;
}

static int admits(const struct outcome *outcome, uint64_t got) {
    if (outcome->any) return within(&valid_codes, got);
    if (outcome->any_nan) return within(&nan_codes, got);
    for (int i = 0; i < outcome->count; i++)
        if (outcome->codes[i] == got) return 1;
    return 0;
}

static const struct piece *piece_of(uint64_t code) {
    size_t low = 0, high = piece_count - 1;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (pieces[middle].last < code) low = middle + 1;
        else high = middle;
    }
    return &pieces[low];
}

static uint64_t shifted(const struct piece *piece, uint64_t code) {
    uint64_t distance = piece->descending ? piece->origin - code : code - piece->origin, count;
    distance &= ~0ull >> (64 - from_bits);
    if (piece->bits <= 0) count = distance << -piece->bits;
    else {
        uint64_t dropped = distance & ((1ull << piece->bits) - 1), half = 1ull << (piece->bits - 1);
        count = distance >> piece->bits;
        count += piece->nearest && (dropped > half || (dropped == half && (piece->base + count) & 1));
    }
    return (piece->subtract ? piece->base - count : piece->base + count) & ~0ull >> (64 - to_bits);
}

static void judge(uint64_t code, uint64_t got, size_t place) {
    const struct piece *piece = piece_of(code);
    struct outcome due = piece->expect;
    if (piece->shifts) due = (struct outcome){.count = 1, .codes = {shifted(piece, code)}};
    if (admits(&due, got) || admits(&piece->tolerate, got)) return;
    /* Practice may truncate. It may also round twice, but the file does not say what that gives. */
    struct piece cut = *piece;
    cut.nearest = 0;
    if (piece->tolerate_by_code && got == shifted(&cut, code)) return;
    fprintf(stderr, "%s -> %s: 0x%llx as element %zu gave 0x%llx, expected %s0x%llx\n", from_name,
            to_name, (unsigned long long)code, place, (unsigned long long)got,
            due.any_nan ? "any NaN, not " : due.count > 1 ? "one of some, first " : "",
            (unsigned long long)(due.count ? due.codes[0] : got));
    abort();
}

/* Elements are packed without gaps, the first in the lowest bits. */
static void put(uint8_t *bytes, size_t index, unsigned bits, uint64_t code) {
    for (size_t bit = 0; bit < bits; bit++)
        bytes[(index * bits + bit) / 8] |= (code >> bit & 1) << (index * bits + bit) % 8;
}
static uint64_t get(const uint8_t *bytes, size_t index, unsigned bits) {
    uint64_t code = 0;
    for (size_t bit = 0; bit < bits; bit++)
        code |= (uint64_t)(bytes[(index * bits + bit) / 8] >> (index * bits + bit) % 8 & 1) << bit;
    return code;
}

/* Returns a tie near a code if its piece drops bits, otherwise the code. */
static uint64_t tie(const struct piece *piece, uint64_t code) {
    if (!piece->shifts || piece->bits <= 0) return code;
    uint64_t half = 1ull << (piece->bits - 1), low = 2 * half - 1;
    uint64_t distance = piece->descending ? piece->origin - code : code - piece->origin;
    distance = (distance & ~low) | half;
    return piece->descending ? piece->origin - distance : piece->origin + distance;
}

/* Makes a code from 10 bytes: what they spell, an end of a piece, a tie, or a code near these. */
static uint64_t drawn(const uint8_t *bytes) {
    uint64_t spelled = 0, mask = ~0ull >> (64 - from_bits);
    for (int i = 8; i > 0; i--) spelled = spelled << 8 | bytes[i];
    const struct piece *piece = &pieces[(spelled & 0xffffff) % piece_count];
    uint64_t width = piece->last - piece->first + 1; /* 0: all 2^64 */
    uint64_t within = piece->first + (width ? (spelled >> 8) % width : spelled);
    switch (bytes[0] % 6) {
    case 0: return bytes[9] % 2 ? piece->first : piece->last;
    case 1: return (piece->last - 1) & mask;
    case 2: return (piece->first ^ 1ull << bytes[9] % 64) & mask;
    case 3: return tie(piece, within) & mask;
    case 4: return (tie(piece, within) ^ 1ull << bytes[9] % 64) & mask;
    default: return spelled & mask;
    }
}

static int is_ready;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static uint64_t input[ELEMENTS + 1], output[ELEMENTS + 1];
    uint64_t codes[ELEMENTS];
    char message[256] = "";
    if (!is_ready) {
        read_answers(getenv("CASTPROOF_ANSWERS"));
        read_dtype(getenv("CASTPROOF_DTYPES"));
        is_ready = 1;
    }
    size_t count = size / 10 < ELEMENTS ? size / 10 : ELEMENTS;
    memset(input, 0, sizeof input);
    memset(output, 0, sizeof output);
    for (size_t i = 0; i < count; i++) {
        codes[i] = drawn(data + 10 * i);
        put((uint8_t *)input, i, from_bits, codes[i]);
    }
    struct castproof_request request = {
        .op = "cast", .from = from_name, .to = to_name, .opset = opset, .saturate = -1, .count = count,
        .input_bytes = (count * from_bits + 7) / 8, .output_bytes = (count * to_bits + 7) / 8};
    if (castproof_cast(&request, input, output, message, sizeof message) != CASTPROOF_OK) {
        fprintf(stderr, "%s -> %s: refused: %.255s\n", from_name, to_name, message);
        abort();
    }
    for (size_t i = 0; i < count; i++) judge(codes[i], get((uint8_t *)output, i, to_bits), i);
    return 0;
}
