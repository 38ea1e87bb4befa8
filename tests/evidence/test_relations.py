"""Statements of algebra: read, proved as they are written, broken by instances, kept and verified again."""

from __future__ import annotations

import re
from fractions import Fraction
from random import Random
from typing import Any

import pytest

from fltheory.evidence import certificates
from fltheory.evidence.algebra import by_relations, statement_of_algebra
from fltheory.evidence.certificates import can_verify, verify_certificate
from fltheory.evidence.kinds import algebra_claim
from fltheory.evidence.model import Outcome, Rung, Verdict, verdict_of
from fltheory.evidence.relation_instances import Instances
from fltheory.evidence.relations import Relations

TRUE = [
    "2*a + 2*b <= 2*w*(a/w + b/(1 - w)) for 1/2 <= w < 1; a >= 0; b >= 0",
    "(1 - x)**2 <= 1 - x <= 1 for 0 <= x <= 1",
    "x/x = 1 for x > 0",
    "V/N < s**2 for N > 1; s > 0; V = s**2",
    "(x + y)**2 = x**2 + 2*x*y + y**2; a + b >= b for a >= 0; b >= 0",
    "a/(a + b) != 1 for a > 0; b > 0",
    "1/x > 1 for 0 < x < 1",
    "b >= V for s >= 0; V = s**2; b >= V",
]
FALSE = [
    "2*a + 2*b <= w*(a/w + b/(1 - w)) for 1/2 <= w < 1; a >= 0; b >= 0",
    "(1 - x)**2 <= 1 - x for 0 <= x <= 2",
    "V/N < s**2 for N >= 1; s > 0; V = s**2",
    "x = x**2",
    "a != 1 for 0 <= a <= 1",
    "a < b for a >= 0; b >= a",
    "a <= b/2 for a >= 0; b >= 0; a <= b",
    "1/x > 1 for 0 < x <= 1",
]
NEITHER = [
    "x/x = 1",  # undefined at 0
    "1/(a - b) = (a - b)/(a - b)**2 for a >= 0; b >= 0",
    "x**2 >= 0",  # a square, not told
    "a <= 1 for a >= 0; a <= 1; a + 1 <= 0",  # of nothing
    "n**2 >= 0 for n >= -1",
]


@pytest.mark.parametrize("text", TRUE)
def test_true_statements_are_proved_kept_and_verified_again(text: str) -> None:
    stated = Relations(text)
    assert stated.proof == (True, "proved as it is written") and stated.broken() is None
    assert can_verify(stated.certificate) and verify_certificate(stated.certificate)[0]
    assert by_relations(stated).outcome is Outcome.HOLDS


@pytest.mark.parametrize("text", FALSE)
def test_false_statements_are_broken_by_a_witness_that_verifies(text: str) -> None:
    stated = Relations(text)
    witness = stated.broken()
    assert not stated.proof[0] and witness is not None and witness.refutes
    assert not verify_certificate(stated.certificate)[0]
    found = by_relations(stated)
    assert found.outcome is Outcome.REFUTED and found.certificate is not None
    assert verify_certificate(found.certificate)[0]


@pytest.mark.parametrize("text", NEITHER)
def test_what_is_neither_proved_nor_broken_says_so(text: str) -> None:
    found = by_relations(Relations(text))
    assert found.outcome is Outcome.NOT_REFUTED and found.rung is Rung.EXACT


def test_squares_and_hypotheses_with_their_factors() -> None:
    young = "2*x*y <= c*x**2 + y**2/c for c > 0"
    assert not Relations(young).proof[0]
    assert Relations(young, squares={0: [("c", "x - y/c")]}).proof[0]
    assert not Relations(young, squares={0: [("c", "x - y")]}).proof[0]
    assert "weight" in Relations(young, squares={0: [("-c", "x - y/c")]}).proof[1]
    chain = "a <= c for a <= b; b <= c"
    assert Relations(chain, uses={0: {"a <= b": "1", "b <= c": "1"}}).proof[0]
    assert "not shown nonnegative" in Relations(chain, uses={0: {"a <= b": "-1"}}).proof[1]
    assert Relations("x**3 = x for x**2 = 1", uses={0: {"x**2 = 1": "x"}}).proof[0]


def test_a_statement_of_nothing_is_no_proof_unless_an_instance_is_given() -> None:
    text = "x <= 40 for x >= 0; x = 37"
    assert "no instance" in Relations(text, uses={0: {"x = 37": "1"}}).proof[1]
    assert Relations(text, uses={0: {"x = 37": "1"}}, at={"x": "37"}).proof[0]
    assert "no instance" in Relations(text, uses={0: {"x = 37": "1"}}, at={"x": "36"}).proof[1]


@pytest.mark.parametrize(
    "fields",
    [
        dict(text="x"),
        dict(text="x <= y <"),
        dict(text="x in y"),
        dict(text="f(x) <= 1 is 2"),
        dict(text="x <= 1 for x >= 0", squares={1: [("1", "x")]}),
        dict(text="x <= 1 for x >= 0", uses={0: {"x <= 1": "1"}}),
        dict(text="a = b for b = c; c = 1"),
        dict(text=" + ".join(f"x{i}" for i in range(100)) + " <= 1"),
        dict(text="; ".join(["x <= 1"] * 5000)),
    ],
)
def test_what_is_no_statement_is_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(ValueError):
        Relations(**fields)


@pytest.mark.parametrize("text", ["__import__('os').system('x') <= 1", "9**9**9 <= 1", "1.5 <= x for x >= 2"])
def test_texts_execute_nothing(text: str) -> None:
    with pytest.raises(ValueError):
        proved, reason = Relations(text).proof
        if not proved:
            raise ValueError(reason)


def test_what_is_shown_is_as_it_is_written() -> None:
    shown = Relations("x/x + 1/2 <= V for x > 0; V = 2*s**2", names={"V": r"\sigma^2"}).latex()
    assert shown == r"\frac{1}{2} + \frac{x}{x} \le \sigma^2\quad\text{for } x > 0,\ \sigma^2 = 2 s^{2}"


def test_a_claim_of_algebra_is_a_proof_and_its_controls_are_broken() -> None:
    made = statement_of_algebra(
        "OWN-YOUNG",
        Relations("2*x*y <= c*x**2 + y**2/c for c > 0", squares={0: [("c", "x - y/c")]}),
        false={"half of it": ("c*x**2", "c*x**2/2")},
        group=algebra_claim,
        summary="The product is at most a weighted mean of the squares.",
    )
    evidence = made.run()
    assert verdict_of(made.scope, evidence) is Verdict.HOLDS and evidence.rung is Rung.PROOF
    assert made.run_control(made.controls[0]).outcome is Outcome.REFUTED
    assert made.about[0].latex() == made.statement
    with pytest.raises(ValueError, match="occurs 0 times"):
        Relations("x <= 1 for x >= 0").changed("y", "z")


def test_points_meet_ranges_whose_ends_use_other_letters() -> None:
    stated = Relations("b <= a for 0 <= a <= 1; V = a/2; V <= b <= 2*V")
    assert stated.proof[0] and all(
        Fraction(p["a"], 2) <= p["b"] <= p["a"] for p in list(Instances(stated).found())[:50]
    )


def test_numbers_that_are_all_defined_are_evaluated() -> None:
    assert Relations("2*u = z for u = 1; z = 2").proof[0]
    assert Relations("2*u = z for u = 1; z = 3").broken() is not None


RUN = "x >= 1 - h*t; t >= 0; x >= 0 for 0 < h <= 1/2; first_x = 1; next_x = x - h*x; first_t = 0; next_t = t + 1"


def test_a_run_is_proved_by_induction_and_read_again():
    stated = Relations(RUN, uses={0: {"x >= 1 - h*t": "1 - h"}})
    assert stated.proof == (True, "proved as it is written") and stated.letters == ("h",)
    assert Relations.read(stated.certificate).proof[0] and "x^{(0)} = 1" in stated.latex()


def test_a_false_invariant_is_broken_in_a_later_round_by_a_witness_that_is_kept():
    stated = Relations(RUN.replace("1 - h*t", "1 - h*t/2"), uses={0: {"x >= 1 - h*t/2": "1 - h"}})
    witness = stated.broken()
    assert not stated.proof[0] and witness is not None and witness.refutes and "x_at_1" in witness.text
    assert certificates.verify_certificate(certificates.witness(witness))[0]


@pytest.mark.parametrize(
    "text",
    [
        "x <= 1 for first_x = 2; next_x = x/2",  # the first value
        "x <= 1 for first_x = 1; next_x = 2*x",  # the next one
        "x >= 0 for first_x = 1; next_x = x - y; first_y = 0; next_y = y + 1",  # y has no range: any real number
        "1/x > 0; x >= 0 for first_x = 1; next_x = x",  # nothing says that x does not vanish
        "1/(2 - x) > 0; x <= 2 for first_x = 1; next_x = x",
        "z >= 0 for first_x = 0; next_x = x + 1; z = 5 - x",  # what is defined by it changes too
    ],
)
def test_what_is_not_true_in_every_round_or_not_shown_is_not_proved(text):
    assert not Relations(text).proof[0]


@pytest.mark.parametrize(
    "text",
    [
        "y >= 0 for first_x = 1; next_x = x; 0 <= y <= x",
        "x >= 0 for first_x = 1; next_x = x - 1; x >= 0",
        "y >= 0 for first_x = 1; next_x = x - 1; x - y <= 0; y >= 1",
        "y >= 0 for first_x = 1; next_x = x - 1; first_y = x; next_y = y",
    ],
)
def test_ranges_hypotheses_and_first_values_do_not_change_from_round_to_round(text):
    with pytest.raises(ValueError, match="range|hypothesis"):
        Relations(text)


WHOLE = Relations(
    "m <= n for E >= 1; t >= 0; m*E <= t; t < (n + 1)*E; m, n whole",
    uses={0: {"m*E <= t": "1/E", "t < (n + 1)*E": "1/E"}},
    at={"E": "2", "t": "3", "m": "1", "n": "1"},
)


def test_between_whole_numbers_less_than_one_more_is_at_most() -> None:
    assert WHOLE.proof[0] and verify_certificate(WHOLE.certificate)[0]
    assert r"m,n \in \mathbb Z" in WHOLE.latex()
    real = WHOLE.changed("; m, n whole", "")
    broken = real.broken()
    assert not real.proof[0] and broken is not None and broken.refutes
    assert not WHOLE.changed("m, n whole", "m whole").proof[0]


def test_instances_of_whole_numbers_are_whole() -> None:
    broken = WHOLE.changed("t < (n + 1)*E", "t < (n + 2)*E").broken()
    assert broken is not None and all(Fraction(broken.at[name]).denominator == 1 for name in "mn")
    with pytest.raises(ValueError, match="whole and not used"):
        Relations("x <= 1 for x <= 1; n whole")
    assert Relations("n <= 1 for n >= 0; 2*n <= 3; n whole", at={"n": "1/2"}, uses={0: {"2*n <= 3": "1/2"}}).proof[0]


def test_a_strict_hypothesis_with_a_positive_factor_proves_a_strict_relation() -> None:
    stated = Relations("a < c for b > 0; a*b < c*b", uses={0: {"a*b < c*b": "1/b"}}, at={"a": "0", "b": "1", "c": "1"})
    assert stated.proof[0]
    assert not stated.changed("a*b < c*b", "a*b <= c*b").proof[0]
    assert not stated.changed("b > 0", "b >= 0").proof[0]


def test_a_relation_may_use_those_before_it_and_no_others() -> None:
    text = "m <= n; 1/(1 + n) <= 1/(1 + m) for m >= 0; n >= 0; m < n + 1; m, n whole"
    uses = {0: {"m < n + 1": "1"}, 1: {"m <= n": "1/((1 + n)*(1 + m))"}}
    stated = Relations(text, uses=uses)
    assert stated.proof[0] and verify_certificate(stated.certificate)[0]
    assert not stated.changed("m <= n;", "m <= n + 1;").proof[0]
    later = "1/(1 + n) <= 1/(1 + m)"
    for number, own in ((0, later), (1, later)):
        with pytest.raises(ValueError, match="is no hypothesis"):
            Relations(text, uses={number: {own: "1"}})


@pytest.mark.parametrize("range_of_z", ["z >= 0; ", ""])
def test_factors_may_not_divide_by_what_may_vanish(range_of_z: str) -> None:
    factors = {0: {"x + z*v = x": "1/z"}}
    assert Relations("v = 0 for z > 0; x + z*v = x", uses=factors).proof[0]
    assert not Relations(f"v = 0 for {range_of_z}x + z*v = x", uses=factors).proof[0]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("-e*z*h**2/2 <= 0", r"- \frac{e h^{2} z}{2} \le 0"),
        ("-e*z*h*p <= 0", r"- e h p z \le 0"),
        ("-2*e*z*h*p <= 0", r"- 2 e h p z \le 0"),
    ],
)
def test_a_sign_before_a_long_product_is_printed_before_it(text: str, shown: str) -> None:
    printed = Relations(f"{text} for e > 0; z > 0; h > 0; p > 0").latex()
    assert printed.split(r"\quad")[0].rstrip(",") == shown


@pytest.mark.parametrize(
    ("text", "squares", "uses"),
    [
        ("0 = x**2 for x >= 0", {0: [("1", "x")]}, {}),
        ("0 = x**2 for x >= 0; x**2 >= 0", {}, {0: {"x**2 >= 0": "1"}}),
        ("0 != x**2 for x >= 0", {0: [("2", "x")]}, {}),
    ],
)
def test_squares_and_inequalities_prove_no_equation(text: str, squares: Any, uses: Any) -> None:
    assert not Relations(text, squares=squares, uses=uses).proof[0]


def test_a_sign_in_a_product_is_printed_before_it() -> None:
    """``-2*L*c*s`` is no difference: SymPy prints a negative number deep in a product behind the other factors."""
    random = Random(0)

    def joined(factors: list[str]) -> str:
        if len(factors) == 1:
            return factors[0]
        place = random.randrange(1, len(factors))
        text = f"{joined(factors[:place])}*{joined(factors[place:])}"
        return f"({text})" if random.random() < 0.5 else text

    texts = ["-2*L*c*s", "-L*c*s*u"]
    for _ in range(300):
        factors = random.sample(["L", "c", "s", "u"], random.randrange(1, 5))
        factors.insert(random.randrange(len(factors) + 1), random.choice(["-2", "(-2)", "(-1/2)", "-1"]))
        texts.append(joined(factors))
    for text in texts:
        outside = re.sub(r"\\left\(.*?\\right\)", "", Relations(f"x = {text}").latex().removeprefix("x = "))
        assert " - " not in outside[1:] and "+" not in outside, f"{text} is printed as {outside}"
