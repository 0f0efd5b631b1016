/* castproof.hpp: castproof_check for kernels of C++11 and later, with types. It takes anything that can be
 * called. What the kernel throws is thrown again once the check has ended. */
#ifndef CASTPROOF_HPP
#define CASTPROOF_HPP

#include "castproof.h"

#include <cstddef>
#include <exception>
#include <memory>
#include <string>
#include <type_traits>

namespace castproof {

/* How a check ended. In a test: EXPECT_TRUE(checked) << checked.text; */
struct Checked {
    int status;       /* CASTPROOF_PASSED, CASTPROOF_FAILED or CASTPROOF_NOT_ASKED */
    std::string text; /* what was asked, or what is wrong */

    explicit operator bool() const { return status == CASTPROOF_PASSED; }
};

namespace detail {

template <class From, class To, class Cast>
struct Call {
    Cast *cast;
    Checked checked;
    std::exception_ptr thrown;

    static void kernel(const void *input, void *output, std::size_t count, void *context) {
        Call *self = static_cast<Call *>(context);
        if (self->thrown) return;
        try {
            (*self->cast)(static_cast<const From *>(input), static_cast<To *>(output), count);
        } catch (...) {
            self->thrown = std::current_exception();
        }
    }

    static void report(int, const char *text, void *context) {
        static_cast<Call *>(context)->checked.text = text;
    }
};

/* Says whether elements of a dtype are too long or too short for a type. The library names a dtype that
 * it does not know. */
template <class Element>
bool misfits(const char *dtype) {
    int bits = castproof_bits(dtype);
    return bits != 0 && static_cast<std::size_t>(bits + 7) / 8 != sizeof(Element);
}

template <class Element>
Checked misfit(const char *dtype) {
    return Checked{CASTPROOF_NOT_ASKED, std::string(dtype) + " has elements of " +
                                            std::to_string((castproof_bits(dtype) + 7) / 8) +
                                            " bytes, and the kernel's type has " +
                                            std::to_string(sizeof(Element))};
}

} // namespace detail

/* Does what castproof_check does. The kernel is called as cast(const From *, To *, std::size_t). The types
 * have the bytes of an element: std::uint16_t for float16, std::uint8_t for what is packed. */
template <class From, class To, class Cast>
Checked check(const char *from, const char *to, Cast &&cast, const char *attributes = "") {
    typedef typename std::remove_reference<Cast>::type Callable;
    if (detail::misfits<From>(from)) return detail::misfit<From>(from);
    if (detail::misfits<To>(to)) return detail::misfit<To>(to);
    typedef detail::Call<From, To, Callable> Call;
    Call call = {std::addressof(cast), Checked(), nullptr};
    call.checked.status = castproof_check(from, to, attributes, Call::kernel, &call, Call::report);
    if (call.thrown) std::rethrow_exception(call.thrown);
    return call.checked;
}

} // namespace castproof

#endif
