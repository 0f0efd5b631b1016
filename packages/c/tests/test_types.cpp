// castproof.hpp: types, anything that can be called, exceptions.
#include <castproof.hpp>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <stdexcept>

static int failures;

static void expect(bool is_so, const std::string &what) {
    if (is_so) return;
    failures++;
    std::fprintf(stderr, "%s\n", what.c_str());
}

static bool has(const castproof::Checked &checked, const char *text) {
    return checked.text.find(text) != std::string::npos;
}

static void to_int8(const std::int64_t *x, std::int8_t *y, std::size_t count) {
    for (std::size_t i = 0; i < count; i++) y[i] = static_cast<std::int8_t>(x[i]);
}

int main() {
    castproof::Checked checked = castproof::check<std::int64_t, std::int8_t>("int64", "int8", to_int8);
    expect(bool(checked) && has(checked, "Cast(28) int64 -> int8: passed"), checked.text);

    std::size_t most = 0;
    auto counts = [&most](const float *x, double *y, std::size_t count) {
        for (std::size_t i = 0; i < count; i++) y[i] = x[i];
        if (count > most) most = count;
    };
    checked = castproof::check<float, double>("float32", "float64", counts, "spec=onnx-cast-13");
    expect(bool(checked) && most > 60000, checked.text);

    auto clamps = [](const float *x, std::uint8_t *y, std::size_t count) {
        for (std::size_t i = 0; i < count; i++) y[i] = x[i] > 0;
    };
    checked = castproof::check<float, std::uint8_t>("float32", "bool", clamps);
    expect(checked.status == CASTPROOF_FAILED && has(checked, "codes are wrong"), checked.text);

    checked = castproof::check<float, std::uint8_t>("float32", "float16", clamps);
    expect(checked.status == CASTPROOF_NOT_ASKED && has(checked, "float16 has elements of 2 bytes"), checked.text);
    checked = castproof::check<float, std::uint8_t>("float33", "bool", clamps);
    expect(checked.status == CASTPROOF_NOT_ASKED && has(checked, "unknown dtype 'float33'"), checked.text);

    // An exception of the kernel comes out, and the next check is not disturbed.
    int calls = 0;
    auto throws = [&calls](const std::int64_t *x, std::int8_t *y, std::size_t count) {
        if (++calls == 1000) throw std::runtime_error("mine");
        to_int8(x, y, count);
    };
    try {
        castproof::check<std::int64_t, std::int8_t>("int64", "int8", throws);
        expect(false, "no exception");
    } catch (const std::runtime_error &error) {
        expect(std::strcmp(error.what(), "mine") == 0 && calls == 1000, error.what());
    }
    expect(bool(castproof::check<std::int64_t, std::int8_t>("int64", "int8", to_int8)), "after an exception");

    // One of the report passes through the library.
    struct Report {
        static void throws(int, const char *, void *) { throw std::logic_error("reported"); }
    };
    try {
        castproof_check("float33", "int8", NULL, NULL, NULL, Report::throws);
        expect(false, "no exception of the report");
    } catch (const std::logic_error &error) {
        expect(std::strcmp(error.what(), "reported") == 0, error.what());
    }
    return failures != 0;
}
