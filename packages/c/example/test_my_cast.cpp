#include "my_cast.h"

#include <castproof.hpp>
#include <gtest/gtest.h>

TEST(MyCast, IsExact) {
    auto checked = castproof::check<float, uint16_t>("float32", "bfloat16", my_cast);
    EXPECT_TRUE(checked) << checked.text;
}

TEST(MyCast, IsExactInEveryVersion) {
    for (const char *spec : {"spec=onnx-cast-13", "spec=onnx-cast-19", "spec=onnx-cast-25"}) {
        auto checked = castproof::check<float, uint16_t>("float32", "bfloat16", my_cast, spec);
        EXPECT_TRUE(checked) << checked.text;
    }
}
