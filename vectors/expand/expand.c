/* Expands the book: prints every code of a request with its answer, in the form of vector files.
 * The book has a line for each row of requests and for each piece, so no reader of JSON is needed.
 *     gunzip -c book.json.gz | ./expand onnx-cast-28 float16 int8 '{}'
 *     gunzip -c book.json.gz | ./expand 16      (every answer of sources up to 16 bits) */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define RESULT(count) (to + 3) / 4, (base + sign * (count)) & mask
typedef unsigned long long u64;
static char line[1 << 16], all[32], quoted[4][80];

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
static void piece(int from, int to) {
  u64 origin = number("\"origin\":"), base = number("\"base\":"), first = number("\"twice\":");
  int bits = after("\"bits\":") ? atoi(after("\"bits\":")) : 0;
  char *expect = after("\"expect\":"), *tolerate = after("\"tolerate\":");
  char *rules[3] = {after("\"rule\":\""), after("\"ruleInexact\":\""), after("\"ruleTwice\":\"")};
  int down = !!after("\"descending\""), nearest = !!after("\"nearest\""), cuts = !!after("\"truncated\"");
  u64 sign = after("\"subtract\"") ? -1 : 1, last = number("\"last\":"), mask = ~0ull >> (64 - to);
  for (u64 code = number("\"first\":");; code++) {
    u64 d = (down ? origin - code : code - origin) & ~0ull >> (64 - from);
    u64 cut = bits > 0 ? d >> bits : d << -bits, count = nearest ? rounded(d, bits, base) : cut;
    u64 twice = first ? rounded(rounded(d, first, 0), bits - first, base) : count;
    u64 other = cuts ? cut : count, low = other < twice ? other : twice, high = other ^ twice ^ low;
    char *rule = bits > 0 && d & ((1ull << bits) - 1) && rules[1] ? rules[1] : rules[0];
    rule = *all ? all : twice != count && rules[2] ? rules[2] : rule;
    printf("{\"input\":\"0x%0*llx\",\"expect\":", (from + 3) / 4, code);
    if (expect) printf("%.*s}", (int)strcspn(expect, "}"), expect);
    else printf("{\"code\":\"0x%0*llx\"}", RESULT(count));
    if (tolerate) printf(",\"tolerate\":%.*s}", (int)strcspn(tolerate, "}"), tolerate);
    else if (low != count && high != count && low != high)
      printf(",\"tolerate\":{\"oneOf\":[\"0x%0*llx\",\"0x%0*llx\"]}", RESULT(low), RESULT(high));
    else if (low != count || high != count)
      printf(",\"tolerate\":{\"code\":\"0x%0*llx\"}", RESULT(low != count ? low : high));
    printf(",\"clause\":\"%.*s\"}\n", (int)strcspn(rule, "\""), rule);
    if (code == last) return;
  }
}
int main(int argc, char **argv) {
  long answer = -1, wanted = -1, from = 0, to = 0, most = argc == 2 ? atoi(argv[1]) : 0;
  const char *forms[] = {"\"%s\"", "\"from\":\"%s\"", "\"to\":\"%s\"", "%s"};
  for (int i = 0; argc == 5 && i < 4; i++) snprintf(quoted[i], 80, forms[i], argv[i + 1]);
  while (fgets(line, sizeof line, stdin)) {
    int met = argc == 5 && !strncmp(line, "{\"specs\"", 8);
    char *rule = after("\"rule\":\"");
    for (int i = 0; i < 4; i++) met = met && after(quoted[i]);
    if (met) wanted = (long)number("\"answer\":"), snprintf(all, 32, "%s", rule ? rule : "");
    if (after("{\"fromBits\":")) answer++, from = number("\"fromBits\":"), to = number("\"toBits\":");
    if (after("{\"first\"") && (answer == wanted || from <= most)) piece((int)from, (int)to);
  }
}
