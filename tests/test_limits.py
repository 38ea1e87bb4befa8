"""What is too large to be read is refused at once, in one line."""

from __future__ import annotations

import time

import pytest

from fltheory import limits
from fltheory.evidence.certificates import verify_certificate
from fltheory.worstcase import box_verifier, verifier


def test_the_verifiers_that_stand_alone_have_the_same_limits() -> None:
    assert verifier.MOST_BYTES == limits.CERTIFICATE_BYTES and verifier.MOST_DIGITS == limits.DIGITS
    assert box_verifier.MOST_POWER <= limits.POWER


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("9**9**9", "is not a number"),
        ("9**99999", "more than 10000"),
        ("((9**999)**999)**999", "binary digits"),
        ("2**9999*3**9999", "binary digits"),
        ("(1+x)**900*(1+y)**900*(1+z)**900", "terms when it is expanded"),
        ("*".join(f"(1+x{i})" for i in range(22)), "when it is expanded"),
        ("+".join(["x"] * 20000), "characters"),
        ("(" * 5000 + "x" + ")" * 5000, "too deep"),
        ("-" * 15000 + "x", "too deep"),
        ("9" * 10000, "not plain arithmetic, or too deep|binary digits"),
        ("x**y**z", "is not a number"),
        ("x +", "not plain arithmetic"),
        ("__import__('os')", "not plain arithmetic"),
        ("f(x)", "not plain arithmetic"),
        ("x.y", "not plain arithmetic"),
        ("[x for x in y]", "not plain arithmetic"),
        ("1.5", "not plain arithmetic"),
        ("'x'", "not plain arithmetic"),
        ("", "not plain arithmetic"),
    ],
)
def test_expressions_that_are_too_large_or_none(text: str, words: str) -> None:
    begin = time.monotonic()
    with pytest.raises(ValueError, match=words):
        verify_certificate({"type": "identity", "expressions": [text]})
    assert time.monotonic() - begin < 1


def test_expressions_of_ordinary_size_are_read() -> None:
    assert verify_certificate({"type": "identity", "expressions": ["(x+y)**30 - (y+x)**30", "2**1000 - 4**500"]})[0]
