#!/usr/bin/env bash
# A reader of the vectors in another language: VECTORS.md alone, in Java. No part of Castproof runs with it.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

gson=/usr/share/java/gson.jar
if ! command -v java >/dev/null || [[ ! -f "$gson" ]]; then
    apt=(apt-get -o DPkg::Lock::Timeout=600 --yes -qq)
    "${apt[@]}" update
    "${apt[@]}" install --no-install-recommends default-jdk-headless libgoogle-gson-java >/dev/null
fi

cat >Consumer.java <<'JAVA'
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/** Asks a cast from float32 to bfloat16 for every test of the newest version. */
class Consumer {
    static final int OPSET = 28;
    static JsonObject target;

    /** The code of the result, or null where the request is not taken. */
    static Long cast(JsonObject attributes, long code, String kind) {
        if (kind.equals("plain") && attributes.size() > 0) return null;
        if ((code & 0x7FFFFFFFL) > 0x7F800000L) return 0x7FC0L;
        return kind.equals("truncates") ? code >> 16 : code + 0x7FFF + (code >> 16 & 1) >> 16;
    }

    static long number(JsonElement code) {
        return Long.parseUnsignedLong(code.getAsString().substring(2), 16);
    }

    static boolean within(String member, long code) {
        for (JsonElement range : target.getAsJsonArray(member)) {
            if (number(range.getAsJsonArray().get(0)) <= code && code <= number(range.getAsJsonArray().get(1))) return true;
        }
        return false;
    }

    static boolean admits(JsonObject outcome, Long got) {
        if (outcome == null || got == null) return outcome != null && outcome.has("reject");
        if (outcome.has("any")) return within("valid", got);
        if (outcome.has("anyNaN")) return within("nan", got);
        if (outcome.has("code")) return number(outcome.get("code")) == got;
        if (!outcome.has("oneOf")) throw new IllegalStateException("an outcome that is not known: " + outcome);
        for (JsonElement code : outcome.getAsJsonArray("oneOf")) {
            if (number(code) == got) return true;
        }
        return false;
    }

    static JsonObject read(Path path) throws Exception {
        return JsonParser.parseString(Files.readString(path)).getAsJsonObject();
    }

    public static void main(String[] words) throws Exception {
        Path data = Path.of(words[0]);
        for (JsonElement dtype : read(data.resolve("dtypes.json")).getAsJsonArray("dtypes")) {
            if (dtype.getAsJsonObject().get("name").getAsString().equals("bfloat16")) target = dtype.getAsJsonObject();
        }
        Map<String, Integer> counts = new TreeMap<>(Map.of("pass", 0, "tolerated", 0, "fail", 0, "not taken", 0));
        for (JsonElement each : read(data.resolve("cast/float32__bfloat16.json")).getAsJsonArray("groups")) {
            JsonObject group = each.getAsJsonObject();
            boolean isAsked = false;
            for (JsonElement opset : group.getAsJsonArray("opsets")) isAsked |= opset.getAsInt() == OPSET;
            if (!isAsked) continue;
            for (JsonElement one : group.getAsJsonArray("tests")) {
                JsonObject test = one.getAsJsonObject();
                Long got = cast(group.getAsJsonObject("attributes"), number(test.get("input")), words[1]);
                String verdict = admits(test.getAsJsonObject("expect"), got) ? "pass"
                    : admits(test.getAsJsonObject("tolerate"), got) ? "tolerated" : got == null ? "not taken" : "fail";
                counts.merge(verdict, 1, Integer::sum);
            }
        }
        System.out.println("float32 to bfloat16, version " + OPSET + ": " + counts);
        boolean isRight = counts.get("pass") > 0 && counts.get("fail") + counts.get("not taken") == 0;
        System.exit(isRight ? 0 : 1);
    }
}
JAVA
consumer() { java -cp "$gson" Consumer.java "$CLONE/vectors/data" "$1"; }

passes consumer right
tests=$(sed -E 's/.*pass=([0-9]+).*/\1/' said)
# It asks what the gate asks.
castproof gate --testee builtin --kernel --pair float32:bfloat16 --arrangements none | grep "PASS  $tests tests" >/dev/null ||
    blame "the gate asks otherwise than for $tests tests"
fails consumer truncates
grep --quiet 'fail=[1-9]' said || blame "tests of the truncating cast must fail"
# Groups with attributes are not skipped.
fails consumer plain
grep --quiet 'not taken=[1-9]' said || blame "tests with attributes must not be skipped"
lines_written Consumer.java
