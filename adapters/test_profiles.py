"""Tests requests of profiles, which castproof_testee.py reads for every adapter."""

import unittest

from test_adapters import AdapterCase, floats


class Profiles(AdapterCase):
    """A request of a profile has `profile`, and no `opset`."""

    name = "numpy-ml-dtypes"

    def test_a_profile_that_the_hello_lists_is_cast(self):
        codes = floats("f")(1e9, float("nan"))
        self.assert_codes("7f7f", "float32", "float8e4m3fn", None, codes, profile="ml-dtypes")

    def test_another_profile_is_unsupported(self):
        text = "the hello lists no profile rust-as"
        self.assert_refused(text, "float32", "int8", None, bytes(4), profile="rust-as")
        text = "ml-dtypes has no attributes"
        self.assert_refused(text, "float32", "int8", None, bytes(4), profile="ml-dtypes", saturate=1)

    def test_a_request_has_a_profile_or_an_opset(self):
        for opset, more, text in (
            (28, {"profile": "ml-dtypes"}, "opset and profile are given"),
            (None, {"profile": 7}, "'profile' is 7; it must be of type str"),
            (None, {}, "'opset' is null; it must be of type int"),
        ):
            status, message = self.ask("float32", "int8", opset, bytes(4), [1], **more)
            self.assertEqual(status, "error", message)
            self.assertIn(text, message)


if __name__ == "__main__":
    unittest.main()
