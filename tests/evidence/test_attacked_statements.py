"""Statements of algebra and of matrices, and kept certificates, that say what is false or nothing: none is accepted."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import pytest

from fltheory.derivation.script import Derivation
from fltheory.evidence.certificates import verify_certificate
from fltheory.evidence.matrices import Matrices
from fltheory.evidence.relations import Relations

Uses = Mapping[str, Any]


def accepted(kind: str, text: str, squares: Uses | None = None, uses: Uses | None = None, at: Any = ()) -> bool:
    data = {"type": kind, "text": text, "squares": squares or {}, "uses": uses or {}}
    try:
        return verify_certificate({**data, "at": at if kind == "matrices" else dict(at)})[0]
    except ValueError:
        return False


@pytest.mark.parametrize(
    ("text", "squares", "uses", "at"),
    [
        ("-sq(x) >= 0 for x in R(n)", {"0": [["1", "x) - 2*sq(x"]]}, {}, []),
        (
            "0 >= 1 for c in R(1); x in R(n); c >= 0",
            {},
            {"0": [["c >= 0", "1", "0)*0 - 1*(1"]]},
            [{"c": "1", "x": "[1]"}],
        ),
        ("A*B = B*A for A in R(n,n); B in R(n,n)", {}, {}, []),
        ("A = T(A) for A in R(n,n)", {}, {}, []),
        ("x*T(x) = T(x)*x for x in R(n)", {}, {}, []),
        ("A**-1*A = I for a >= 0; A = [[a, 0], [0, 1]]", {}, {}, []),
        ("a*a**-1 = 1 for a in R(1); x in R(n)", {}, {}, []),
        ("sq(I) = 1 for x in R(n)", {}, {}, []),
        ("n = 5 for x in R(n); n = 5", {}, {}, []),
        ("1 >= 2 for x in R(n); 1 <= a <= 0", {}, {}, []),
        ("1 = 1 # = 2\n for x = 1", {}, {}, []),
        ("1 = 1 for A in R(", {}, {}, []),
        ("x = x for x in R(n)", {"0": [["1", "x +"]]}, {}, []),
    ],
)
def test_false_statements_about_matrices(text: str, squares: Uses, uses: Uses, at: Any) -> None:
    assert not accepted("matrices", text, squares, uses, at)


@pytest.mark.parametrize(
    ("text", "uses"),
    [
        ("exp(log(-1)) < 0", {}),
        ("exp(log(V)) < 0 for V = -1", {}),
        ("sqrt(-1)**2 < 0", {}),
        ("1/log(0) = 0", {}),
        ("log(-2) - log(-2) = 0", {}),
        ("(-8)**(1/3) = (-8)**(1/3)", {}),
        ("0**x = 0 for x >= 0", {}),
        ("sqrt(x**2) = x for x >= -1", {}),
        ("x**r > 0 for 0 <= x <= 1; r > 0", {}),
        ("x**r >= y**r for x > 0; y >= x; r > 0", {"0": {"y**r <= x**r": "1"}}),
        ("(1/2)**r <= (1/3)**r for r > 0", {"0": {"(1/2)**r <= (1/3)**r": "1"}}),
        ("x**(-r) >= y**(-r) for y > 0; x >= y; r > 0", {"0": {"y**(-r) <= x**(-r)": "1"}}),
        ("log(x) <= 0 for 0 <= x <= 1", {"0": {"log(x) <= x - 1": "1"}}),
        ("log(x) > 0 for x >= 1", {}),
        ("exp(1/x) > 0 for x >= 0", {}),
        ("exp(0*x/x) = 1 for x >= 0", {}),
        ("n <= 0; n >= 1 for 1/4 <= n <= 1/2; n whole", {}),
        ("k <= 0; k >= 1 for 0 < n < 1; k = n; k, n whole", {}),
        ("m <= n for n >= 0; n/2 <= m <= n/2 + 1; m, n whole", {}),
        ("1 <= 0; 1<=0 for x >= 0", {"1": {"1 <= 0": "1"}, "0": {"1<=0": "1"}}),
        ("2 <= 3 #*0", {}),
        ("log(3/2, base=2) <= 1/2", {"0": {"log(3/2) <= 3/2 - 1": "1"}}),
    ],
)
def test_false_statements_of_algebra(text: str, uses: Uses) -> None:
    assert not accepted("relations", text, uses=uses)


@pytest.mark.parametrize(
    "text",
    [
        "exp(1000000000*log(2)) > 0",
        "exp(log(2)*V) > 0 for V = 1000000000",
        "2**V > 0 for V = 10**9",
        "2**(V*W) > 0 for V = 10**6; W = 10**6",
        f"{'exp(' * 150}x{')' * 150} > 0 for x >= 0",
    ],
)
def test_huge_powers_are_refused_at_once(text: str) -> None:
    start = time.monotonic()
    assert not accepted("relations", text)
    assert time.monotonic() - start < 2


@pytest.mark.parametrize("left", ["exp(log(x))", "sqrt(x)**2"])
def test_no_witness_where_a_side_is_not_defined(left: str) -> None:
    with pytest.raises(ValueError, match="no real number"):
        verify_certificate({"type": "witness", "at": {"x": "-1"}, "given": [], "claim": [left, ">=", "0"]})
    assert Relations("x**(1/2)*x**(1/2) >= 0").broken() is None


def constant(*letters: str, value: str, given: str, ranged: bool = True) -> bool:
    """``mean(P*x, t) = P*mean(x, t)`` at P = value."""
    d = Derivation("a constant factor")
    d.axis("t", "time")
    d.parameter("P", *([0] if ranged else []))
    for name in letters:
        d.value(name, "t")
    d.value("x", "t")
    d.parameter("w", 0, varies="t")
    d.combine("c", "mean(P*x, t) - P*mean(x, t)", relation="=", facts={})
    data = {"type": "valued", "derivation": d.concluding("c"), "values": {"P": value}}
    try:
        return verify_certificate({**data, "relations": Relations(given).certificate})[0]
    except ValueError:
        return False


def test_a_value_of_a_derivation_is_a_fixed_number() -> None:
    assert constant(value="exp(-a)", given="exp(-a) >= 0 for a >= 0")
    assert not constant(value="w", given="w >= 0 for w >= 0")
    assert not constant(value="x**2", given="x**2 >= 0 for x >= 0")
    assert not constant(value="t", given="t >= 0 for t >= 0")
    assert not constant(value="1/a", given="a >= 0 for a >= 0", ranged=False)
    assert not constant(value="log(-1)", given="a >= 0 for a >= 0", ranged=False)


def test_no_matrix_in_the_place_of_a_number() -> None:
    pair = {"a": "[[0, 1], [0, 0]]", "b": "[[0, 0], [1, 0]]", "x": "[1, 0]"}
    assert Matrices("(a*b - b*a)*x = 0*x for a in R(1); b in R(1); x in R(n)", at=[pair]).broken() is None
    one = {"a": "[[1, 1], [1, 2]]", "x": "[1, 0]", "A": "[[1, 0], [0, 2]]"}
    assert Matrices("A*(a*x) = a*A*x for A in R(n,n); x in R(n); a > 0", at=[one]).broken() is None


def test_sizes_are_printed_as_they_are() -> None:
    shown = Matrices("T(x)*A*y = T(y)*T(A)*x for A in R(12, 3); x in R(12); y in R(3)").latex()
    assert r"A\in \mathbb R^{12\times 3}" in shown and r"x\in \mathbb R^{12}" in shown


@pytest.mark.parametrize(
    "text",
    [
        "1 + x - x <= 0 for first_x = 0; next_x = x",
        "x*0 + 1 <= 0 for first_x = 0; next_x = x",
        "1 + z <= 0 for first_x = 0; next_x = x; z = x - x",
        "1 <= 0; 1 + x - x <= 0 for first_x = 0; next_x = x",
    ],
)
def test_a_relation_in_which_what_changes_cancels_does_not_prove_itself(text: str) -> None:
    used = text.split(" for ")[0].split("; ")[-1]
    numbers = range(len(text.split(" for ")[0].split("; ")))
    assert not Relations(text, uses={number: {used: "1"} for number in numbers}).proof[0]
