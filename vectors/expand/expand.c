/* Expands the book: prints every code of a request with its answer, in the form of vector files.
 * The book has a line for each row of requests and for each piece, so no reader of JSON is needed.
 *     gunzip -c book.json.gz | ./expand onnx-cast-28 float16 int8 '{}'
 *     gunzip -c book.json.gz | ./expand 16      (every answer of sources up to 16 bits) */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define RESULT(count) ((base + sign * (count)) & mask)
#define REFUSE(...) (fprintf(stderr, "expand: " __VA_ARGS__), fputc('\n', stderr), exit(1))
typedef unsigned long long u64;
/* The line that was read last, and the last piece, which ends where the next one begins. */
static char lines[2][1 << 16], *line = lines[0], *held = lines[1], all[32], quoted[4][80];
static int former; /* castproof-book/1, in which every piece has its last code */

static char *after(const char *member) {
  char *at = strstr(line, member);
  return at ? at + strlen(member) : NULL;
}
static u64 number(const char *member) {
  char *at = after(member);
  return at ? strtoull(at + (*at == '"'), NULL, 0) : 0;
}
/* Drops bits, to nearest; a tie goes to the even of base and what is left. */
static u64 rounded(u64 value, int bits, u64 base) {
  u64 count = value >> bits, dropped = value & ((1ull << bits) - 1), half = 1ull << (bits - 1);
  return count + (dropped > half || (dropped == half && (base + count) & 1));
}
/* Ends the program if the output cannot be written; quietly, if nobody reads on. */
static void check_output(int failed) {
  if (failed && errno == EPIPE) _Exit(0);
  if (failed) REFUSE("the output cannot be written: %s", strerror(errno));
}
/* Adds a code in ascending order, unless it is there or the expected one. Returns how many there are. */
static int add(u64 *codes, int count, u64 code, u64 expected) {
  int at = count;
  while (at > 0 && codes[at - 1] > code) at--;
  if (code == expected || (at > 0 && codes[at - 1] == code)) return count;
  memmove(codes + at + 1, codes + at, (count - at) * sizeof *codes);
  codes[at] = code;
  return count + 1;
}
static void piece(int from, int to, u64 last) {
  u64 origin = number("\"origin\":"), base = number("\"base\":"), first = number("\"twice\":");
  int bits = after("\"bits\":") ? atoi(after("\"bits\":")) : 0;
  char *expect = after("\"expect\":"), *tolerate = after("\"tolerate\":"), *open = after("\"expectInexact\":");
  char *rules[3] = {after("\"rule\":\""), after("\"ruleInexact\":\""), after("\"ruleTwice\":\"")};
  int down = !!after("\"descending\""), nearest = !!after("\"nearest\""), cuts = !!after("\"truncated\"");
  int ties = !!after("\"tie\""), flushed = !!after("\"flushed\"");
  u64 sign = after("\"subtract\"") ? -1 : 1, mask = ~0ull >> (64 - to);
  for (u64 code = number("\"first\":");; code++) {
    u64 d = (down ? origin - code : code - origin) & ~0ull >> (64 - from);
    u64 cut = bits > 0 ? d >> bits : d << -bits, count = nearest ? rounded(d, bits, base) : cut;
    u64 twice = first ? rounded(rounded(d, first, 0), bits - first, base) : count;
    u64 rest = bits > 0 ? d & ((1ull << bits) - 1) : 0, expected = RESULT(count), codes[5];
    int others = add(codes, 0, RESULT(twice), expected), tie = rest && rest == 1ull << (bits - 1);
    if (cuts || (ties && tie)) others = add(codes, others, RESULT(cut), expected);
    if (ties && tie) others = add(codes, others, RESULT(cut + 1), expected);
    if (flushed) others = add(codes, others, expected & 1ull << (to - 1), expected);
    char *rule = rest && rules[1] ? rules[1] : rules[0];
    rule = *all ? all : twice != count && rules[2] ? rules[2] : rule;
    printf("{\"input\":\"0x%0*llx\",\"expect\":", (from + 3) / 4, code);
    if (open && rest) printf("%.*s}", (int)strcspn(open, "}"), open);
    else if (expect) printf("%.*s}", (int)strcspn(expect, "}"), expect);
    else printf("{\"code\":\"0x%0*llx\"}", (to + 3) / 4, expected);
    if (tolerate) printf(",\"tolerate\":%.*s}", (int)strcspn(tolerate, "}"), tolerate);
    else if (others) printf(",\"tolerate\":{\"%s", others > 1 ? "oneOf\":[" : "code\":");
    for (int i = 0; !tolerate && i < others; i++) printf("%s\"0x%0*llx\"", i ? "," : "", (to + 3) / 4, codes[i]);
    if (!tolerate && others) printf(others > 1 ? "]}" : "}");
    printf(",\"clause\":\"%.*s\"}\n", (int)strcspn(rule, "\""), rule);
    check_output(ferror(stdout));
    if (code == last) return;
  }
}
/* Ends the held piece: before the code `next`, or, if it is the last one, at the greatest code. */
static void end_piece(long answer, int from, int to, int is_last, u64 next, int asked) {
  char *read = line;
  line = held, held = read;
  u64 first = number("\"first\":"), greatest = ~0ull >> (64 - from), end = is_last ? greatest : next - 1;
  u64 last = number("\"last\":");
  int has_last = !!after("\"last\":");
  if (!is_last && next <= first)
    REFUSE("answer %ld: a piece at 0x%llx follows one at 0x%llx: put them in ascending order", answer, next, first);
  if (first > end)
    REFUSE("answer %ld: a piece begins at 0x%llx, but the greatest code is 0x%llx: remove it", answer, first, end);
  if (former && !has_last)
    REFUSE("answer %ld: the piece at 0x%llx has no 'last': add it, or give castproof-book/5", answer, first);
  if (!former && has_last)
    REFUSE("answer %ld: the piece at 0x%llx has a 'last': remove it, or give castproof-book/1", answer, first);
  if (former && last != end)
    REFUSE("answer %ld: the piece at 0x%llx ends at 0x%llx: end it at 0x%llx, without gap or overlap", answer, first,
           last, end);
  if (asked) piece(from, to, end);
  held = line, line = read;
}
static void read_format(void) {
  char *format = fgets(line, sizeof lines[0], stdin) ? after("\"format\":\"") : NULL;
  int length = format ? (int)strcspn(format, "\"") : 0;
  former = length == 16 && !strncmp(format, "castproof-book/1", 16);
  int known = length == 16 && !strncmp(format, "castproof-book/", 15) && strchr("12345", format[15]);
  if (!known)
    REFUSE("its format is '%.*s': give one of castproof-book/1 to castproof-book/5", length, format ? format : "");
}
int main(int argc, char **argv) {
  long answer = -1, wanted = -1, from = 0, to = 0, most = argc == 2 ? atoi(argv[1]) : 0, pieces = -1;
  const char *forms[] = {"\"%s\"", "\"from\":\"%s\"", "\"to\":\"%s\"", "%s"};
#ifdef SIGPIPE
  signal(SIGPIPE, SIG_IGN); /* else a closed pipe ends the program with a signal */
#endif
  for (int i = 0; argc == 5 && i < 4; i++) snprintf(quoted[i], 80, forms[i], argv[i + 1]);
  read_format();
  while (fgets(line, sizeof lines[0], stdin)) {
    int met = argc == 5 && !strncmp(line, "{\"specs\"", 8), asked = answer == wanted || from <= most;
    char *rule = after("\"rule\":\"");
    for (int i = 0; i < 4; i++) met = met && after(quoted[i]);
    if (met) wanted = (long)number("\"answer\":"), snprintf(all, 32, "%s", rule ? rule : "");
    if (after("{\"fromBits\":"))
      answer++, pieces = 0, from = number("\"fromBits\":"), to = number("\"toBits\":");
    int begins = !!after("{\"first\""), closes = !strncmp(line, "]}", 2) && pieces >= 0;
    u64 first = number("\"first\":");
    if (begins && !pieces && first)
      REFUSE("answer %ld: the first piece begins at 0x%llx: begin it at 0", answer, first);
    if (closes && !pieces) REFUSE("answer %ld: it has no pieces: begin with a piece at 0", answer);
    if ((begins || closes) && pieces) end_piece(answer, from, to, closes, first, asked);
    if (begins) {
      char *next = held;
      held = line, line = next, pieces++;
    }
    if (closes) pieces = -1;
  }
  if (answer < 0 || pieces >= 0) REFUSE("the input is not a book: it ends before its last answer does");
  check_output(fflush(stdout));
}
