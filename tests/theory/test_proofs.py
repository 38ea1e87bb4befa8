"""The trusted checks accept what is true, refuse what is false, and survive the way through text."""

from __future__ import annotations

import json

import pytest
import sympy as sp

from fltheory.evidence import certificates as data
from fltheory.evidence.check import certificate_problems
from fltheory.theory.closure import MOVE, Closure
from fltheory.theory.proofs import (
    Certificate,
    Open,
    gram_matrix,
    is_positive_semidefinite,
    is_zero,
    nonnegative_on,
    positive_on,
)
from fltheory.theory.steps import inequality

a, b, x, y, L, mu = sp.symbols("a b x y L mu")


def test_identities() -> None:
    assert is_zero((x**2 - y**2) / (x - y) - x - y)
    assert not is_zero((x**2 - y**2) / (x - y) - x + y)


def test_signs_on_ranges() -> None:
    assert nonnegative_on(L - mu, [(mu, 0, None), (L, mu, None)])
    assert nonnegative_on(1 - L * x, [(L, 1, None), (x, 0, 1 / L)])
    assert not nonnegative_on(1 - L * x, [(L, 1, None), (x, 0, 2 / L)])
    with pytest.raises(ValueError, match="without a range"):
        nonnegative_on(L - mu, [(L, 0, None)])


def young(constant: sp.Expr) -> Certificate:
    """2ab <= c a^2 + b^2/c, by the square of sqrt(c) a - b / sqrt(c)."""
    return Certificate(2 * a * b, constant * a**2 + b**2 / mu, {}, [(1 / mu, mu * a - b)], [(mu, 1, None)])


def test_certificates() -> None:
    assert young(mu).verify()[0]
    good, reason = young(mu * sp.Rational(99, 100)).verify()
    assert not good and "residual" in reason
    minus = Certificate(x, x - a**2, {}, [(sp.Integer(-1), a)], [])
    assert not minus.verify()[0]


def test_certificates_survive_text_and_planted_errors_do_not() -> None:
    kept = json.loads(json.dumps(data.polynomial(young(mu))))
    assert data.can_verify(kept) and data.verify_certificate(kept)[0]
    kept["right"] = kept["right"].replace("a**2", "99*a**2/100")
    assert not data.verify_certificate(kept)[0]
    assert data.verify_certificate(data.identity((x + y) ** 2 - x**2 - 2 * x * y - y**2))[0]
    assert not data.verify_certificate(data.identity(x - y))[0]
    assert data.verify_certificate(data.nonnegative(L - mu, [(mu, 0, None), (L, mu, None)]))[0]
    assert not data.verify_certificate(data.nonnegative(mu - L, [(mu, 0, None), (L, mu, None)]))[0]
    assert data.verify_certificate(data.psd(sp.Matrix([[2, -1], [-1, sp.Rational(1, 2)]])))[0]
    assert not data.verify_certificate(data.psd(sp.Matrix([[2, -1], [-1, sp.Rational(49, 100)]])))[0]


def test_certificates_execute_nothing_and_confuse_no_symbols() -> None:
    with pytest.raises(ValueError, match="plain arithmetic"):
        data.verify_certificate({"type": "identity", "expressions": ["__import__('os').getcwd()"]})
    with pytest.raises(ValueError, match="different assumptions"):
        data.identity(x - sp.Symbol("x", positive=True))
    assert not data.can_verify({"type": "identity", "formulas": []})


def test_quadratic_forms() -> None:
    matrix = gram_matrix((x - y) ** 2 + 3 * x * y, [x, y])
    assert matrix == sp.Matrix([[1, sp.Rational(1, 2)], [sp.Rational(1, 2), 1]])
    assert is_positive_semidefinite(matrix)
    assert not is_positive_semidefinite(gram_matrix((x - y) ** 2 - x**2 / 100, [x, y]))
    with pytest.raises(ValueError, match="not quadratic"):
        gram_matrix(x**3, [x])


p, s, t, v = sp.symbols("p s t v")
P, N0 = sp.Symbol("p", positive=True), sp.Symbol("n", commutative=False)
ABOVE, BESIDE = [(mu, 0, None), (L, mu, None)], [(mu, 0, None), (L, Open(mu), None)]
UNIT, SUM = [(x, 0, 1)], [(mu, Open(0), None), (L, mu, None)]
I0 = sp.Symbol("i", imaginary=True)
NOTHING = sp.Integer(0)
VANISHING = (x + 1) ** 2 - x**2 - 2 * x - 1


def from_premise(multiplier: sp.Expr, premise: sp.Expr, target: sp.Expr, ranges: object) -> Certificate:
    return Certificate(NOTHING, target, {"premise": (multiplier, premise)}, [], ranges)  # type: ignore[arg-type]


#: Certificates of what does not follow, or of nothing: the identity holds, at least as it is read by a formula system.
HOSTILE = {
    "the trial: p >= 0 from (L - mu) p >= 0 on L >= mu": from_premise(1 / (L - mu), (L - mu) * p, p, ABOVE),
    "the same on an end that is added above": from_premise(1 / (1 - x), (1 - x) * p, p, UNIT),
    "at both ends": from_premise(1 / (x * (1 - x)), x * (1 - x) * p, p, UNIT),
    "pole inside the range": from_premise(1 / (x - 1) ** 2, (x - 1) ** 2 * p, p, [(x, 0, 2)]),
    "pole in a product": from_premise(1 / (L**2 - mu**2), (L**2 - mu**2) * p, p, ABOVE),
    "nested pole": from_premise(1 / (1 - 1 / (1 + x)), (1 - 1 / (1 + x)) * p, p, [(x, 0, None)]),
    "pole in the premise": from_premise(L - mu, p / (L - mu), p, ABOVE),
    "pole of a weight": Certificate(NOTHING, p**2, {}, [(1 / (L - mu) ** 2, (L - mu) * p)], ABOVE),
    "pole of a square": Certificate(NOTHING, p**2, {}, [((L - mu) ** 2, p / (L - mu))], ABOVE),
    "pole of the sides": Certificate(p / (L - mu), p / (L - mu) + s**2, {}, [(sp.Integer(1), s)], ABOVE),
    "pole in a symbol without a range": from_premise(sp.Integer(1), p - 1 / s, p - 1 / s, ABOVE),
    "denominator that vanishes identically": from_premise(sp.Integer(1), p / VANISHING, p / VANISHING, [(x, 0, None)]),
    "zero over zero": from_premise(1 / VANISHING, VANISHING * p, p, [(x, 0, None)]),
    "end with a pole": from_premise(1 - L * x, p, (1 - L * x) * p, [(L, 0, None), (x, 0, 1 / L)]),
    "empty range": from_premise(-x, p, -x * p, [(x, 1, 0)]),
    "empty range of open ends": from_premise(x - 1, p, (x - 1) * p, [(x, Open(1), 1)]),
    "inverted dependent range": from_premise(x - 1, p, (x - 1) * p, [(L, 0, None), (x, L, L - 1)]),
    "end that uses a later symbol": from_premise(L - mu, p, (L - mu) * p, [(L, mu, None), (mu, 0, None)]),
    "end that uses its own symbol": from_premise(x, p, x * p, [(x, x - 1, None)]),
    "symbol with two ranges": from_premise(x - 1, p, (x - 1) * p, [(x, 0, None), (x, 1, None)]),
    "infinite end": from_premise(1 / x, x * p, p, [(x, 1, sp.oo)]),
    "lower end at minus infinity": from_premise(x, p, x * p, [(x, -sp.oo, 1)]),
    "nan": from_premise(sp.nan, p, p, []),
    "complex infinity": from_premise(sp.zoo, p, p, []),
    "no lower end": from_premise(x, p, x * p, [(x, None, 1)]),
    "float that is nearly right": from_premise(sp.Float("0.1") * 10, p, sp.Float("1.0") * p, []),
    "float as an end": from_premise(x - sp.Rational(1, 10), p, (x - sp.Rational(1, 10)) * p, [(x, 0.1, None)]),
    "square of an imaginary number": Certificate(NOTHING, -(p**2), {}, [(sp.Integer(1), sp.I * p)], []),
    "square of a root": Certificate(NOTHING, p, {}, [(sp.Integer(1), sp.sqrt(p))], []),
    "weight with a root": Certificate(NOTHING, sp.sqrt(x) * s**2, {}, [(sp.sqrt(x), s)], [(x, -1, None)]),
    "absolute value": from_premise(sp.Abs(x), p, sp.Abs(x) * p, [(x, -1, 1)]),
    "maximum": from_premise(sp.Max(x, -1), p, sp.Max(x, -1) * p, [(x, 0, None)]),
    "cases": from_premise(
        sp.Piecewise((1, x > 0), (-1, True)), p, sp.Piecewise((1, x > 0), (-1, True)) * p, [(x, 0, None)]
    ),
    "function": from_premise(sp.exp(x) - 1, p, (sp.exp(x) - 1) * p, [(x, 0, None)]),
    "power of a symbol": from_premise(2**x, p, 2**x * p, [(x, 0, None)]),
    "two symbols of one name": from_premise(P, p, P * p, [(P, 0, None)]),
    "positive symbol on a range with negative numbers": from_premise(sp.sqrt(P**2), s, P * s, [(P, -1, None)]),
    "negative symbol": from_premise(x, s, x * s, [(sp.Symbol("x", negative=True), 0, None)]),
    "imaginary symbol": Certificate(NOTHING, I0**2, {}, [(sp.Integer(1), I0)], []),
    "symbols that do not commute": Certificate(NOTHING, N0**2, {}, [(sp.Integer(1), N0)], []),
    "name of an inner variable": from_premise(
        sp.Symbol("u_0", nonnegative=True), p, sp.Symbol("u_0", nonnegative=True) * p, []
    ),
    "text that would be evaluated": from_premise("1", p, p, []),  # type: ignore[arg-type]
}


@pytest.mark.parametrize("name", HOSTILE)
def test_what_does_not_follow_is_not_accepted(name: str) -> None:
    proved, reason = HOSTILE[name].verify()
    assert not proved and reason


HONEST = {
    "the trial where L > mu": from_premise(1 / (L - mu), (L - mu) * p, p, BESIDE),
    "an open upper end": from_premise(1 / (1 - x), (1 - x) * p, p, [(x, 0, Open(1))]),
    "both ends open": from_premise(1 / (x * (1 - x)), x * (1 - x) * p, p, [(x, Open(0), Open(1))]),
    "a denominator above zero at every end": from_premise(1 / (2 - x), (2 - x) * p, p, UNIT),
    "a denominator of two symbols, one above zero": from_premise(1 / (L + mu), (L + mu) * p, p, SUM),
    "an end without a pole": from_premise(1 - L * x, p, (1 - L * x) * p, [(L, Open(0), None), (x, 0, 1 / L)]),
    "a positive symbol from zero": from_premise(1 / P, P * s, s, [(P, 0, None)]),
    "a denominator that is negative": from_premise(-1 / (mu - L), (L - mu) * p, p, BESIDE),
    "a range of one point": from_premise(x, p, x * p, [(x, 2, 2)]),
}


@pytest.mark.parametrize("name", HONEST)
def test_what_follows_is_accepted_and_survives_text(name: str) -> None:
    assert HONEST[name].verify() == (True, "identity and signs verified")
    kept = json.loads(json.dumps(data.polynomial(HONEST[name])))
    assert data.verify_certificate(kept)[0]


def test_identities_of_what_is_undefined_are_none() -> None:
    for expression in (
        1 / VANISHING - 1 / ((x + 2) ** 2 - x**2 - 4 * x - 4),
        (p - p * VANISHING) / VANISHING,
        sp.zoo,
        sp.nan,
        sp.Float(0) * x + sp.Float("1e-30"),
    ):
        with pytest.raises(ValueError, match="vanishes identically|no exact number"):
            is_zero(expression)
    assert is_zero(sp.Abs(x) - sp.Abs(x) + (x - y) * (x + y) - x**2 + y**2)


def test_signs_at_the_ends() -> None:
    for low, high, vanishes in ((0, 1, True), (Open(0), 1, False), (0, None, True), (Open(0), None, False)):
        assert positive_on(x, [(x, low, high)]) != vanishes
        assert nonnegative_on(x, [(x, low, high)])
    for high, vanishes in ((1, True), (Open(1), False)):
        assert positive_on(1 - x, [(x, 0, high)]) != vanishes
    square = (1 - x) * (1 - y) + x * y  # zero where one is 0 and the other 1
    assert not positive_on(square, [(x, 0, 1), (y, 0, 1)]) and positive_on(square, [(x, 0, Open(1)), (y, 0, Open(1))])


def test_matrices_with_other_entries_are_no_certificates() -> None:
    for entry in (sp.I, sp.Float(0.5), sp.sqrt(2), sp.oo, sp.nan, x):
        with pytest.raises(ValueError, match="rational"):
            is_positive_semidefinite(sp.Matrix([[1, entry], [entry, -1]]))
    with pytest.raises(ValueError, match="quadratic"):
        gram_matrix(x**2 / y, [x, y])


def steps(left: sp.Expr, right: sp.Expr, multiplier: sp.Expr, **changes: object) -> Closure:
    """<g, d> >= ... for one function: d = x - y, from A1 at (y, x), L |d|^2/2 >= gap, divided by L - mu."""
    form = L / 2 * s**2 - t
    parts: dict = {
        "certificate": Certificate(left, right, {"A1": (multiplier, form)}, [], BESIDE),
        "symbol": L,
        "hypotheses": {"A1": (form, [(MOVE / 2, s)])},
        "sources": {"A1": [(sp.Integer(1), "A1", {})]},
    }
    return Closure(**(parts | changes))


def test_the_end_follows_by_continuity_where_the_rule_applies() -> None:
    """(L - mu)^2/(L - mu)^2 stands for a proof that needs L > mu."""
    right = L / 2 * s**2
    whole = steps(t, right, 1 + (L - mu) ** 2 / (L - mu + 1 / (L - mu) * (L - mu) ** 2) - (L - mu) / 2)
    assert whole.verify()[0], whole.verify()
    assert data.verify_certificate(json.loads(json.dumps(data.closure(whole))))[0]
    part = data.closure(whole)
    assert not data.verify_certificate({**part, "sides": data.regular([t], whole.ranges)})[0]
    pole = steps(t / (L - mu), right / (L - mu), 1 / (L - mu))
    assert pole.certificate.verify()[0] and "continuity" in pole.verify()[1]


def test_the_end_does_not_follow_otherwise() -> None:
    right, good = L / 2 * s**2, {"left": t, "right": L / 2 * s**2, "multiplier": sp.Integer(1)}
    shrinks = steps(**good, hypotheses={"A1": (L / 2 * s**2 - t, [(-MOVE / 2, s)])})
    assert not shrinks.verify()[0]
    unknown = steps(**good, sources={})
    assert "is no sum of hypotheses" in unknown.verify()[1]
    another = steps(**good, sources={"A1": [(sp.Integer(1), "A1", {t: t + 1})]})
    assert "not the sum" in another.verify()[1]
    negative = steps(**good, sources={"A1": [(sp.Integer(-1), "A1", {})]})
    assert "not shown nonnegative" in negative.verify()[1]
    other_parameter = steps(**good, sources={"A1": [(sp.Integer(1), "A1", {L: 2 * L})]})
    assert "another parameter" in other_parameter.verify()[1]
    closed = steps(**good, certificate=Certificate(t, right, {"A1": (sp.Integer(1), right - t)}, [], ABOVE))
    assert "no open end" in closed.verify()[1]
    falls = Certificate(-(L - mu) * p, NOTHING, {"mu p >= L q": ((L - mu) / 1, p)}, [], BESIDE)
    wrong = Closure(falls, L, {"h": (p - L, [])}, {"mu p >= L q": [(sp.Integer(1), "h", {})]})
    assert not wrong.verify()[0]


def test_a_closure_as_data_is_one_argument() -> None:
    whole = steps(t, L / 2 * s**2, sp.Integer(1))
    kept = data.closure(whole)
    assert data.verify_certificate(kept)[0]
    beside = data.regular([t, L / 2 * s**2], BESIDE)
    shifted = data.polynomial(
        Certificate(sp.Integer(0), MOVE / 2 * s**2, {}, [(MOVE / 2, s)], [*ABOVE, (MOVE, 0, None)])
    )
    for changed, word in (
        ({"sides": beside}, "ranges of the sides"),
        ({"gains": {"A1": shifted}}, "gain of hypothesis"),
    ):
        good, reason = data.verify_certificate({**kept, **changed})
        assert not good and word in reason
    own = steps(t, L / 2 * s**2, sp.Integer(1), hypotheses={"A1": (L / 2 * s**2 - t + MOVE, [(MOVE / 2, s)])})
    assert not own.verify()[0]


def test_texts_that_divide_by_zero_prove_nothing_though_sympy_cancels() -> None:
    unit = [["x", "0", "1"]]
    for found in (
        {"type": "nonnegative", "expression": "x/x", "ranges": unit},
        {"type": "nonnegative", "expression": "(1 - x)**(-1)*(1 - x)", "ranges": unit},
        {"type": "regular", "expressions": ["1/x - 1/x"], "ranges": unit},
        {
            "type": "polynomial",
            "left": "0",
            "right": "p",
            "premises": {"h": ["1", "p*x/x"]},
            "squares": [],
            "ranges": unit,
        },
    ):
        assert not data.verify_certificate(found)[0]
        assert data.verify_certificate({**found, "ranges": [["x", "> 0", "< 1"]]})[0]
    with pytest.raises(ValueError, match="power"):
        data.verify_certificate({"type": "identity", "expressions": ["2**10**10 - 2**10**10"]})


def test_ranges_of_one_point_and_malformed_ranges() -> None:
    for hidden in (1 / x, y / x, 1 / (1 + 1 / x), 1 / (x - y)):
        assert not nonnegative_on(hidden, [(y, 0, 0), (x, y, y)])
    assert nonnegative_on(x, [[x, 0, None]])  # type: ignore[list-item]
    for wrong in ([(x, [0], None)], [x], None):
        with pytest.raises(ValueError, match="expected \\(symbol, low, high\\)"):
            nonnegative_on(x, wrong)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="no rational function"):
        nonnegative_on((x + 1) ** 10**9, [(x, 0, None)])


def test_kept_certificates_that_cannot_be_read_are_problems_and_no_error() -> None:
    kept = {"type": "nonnegative", "expression": "__import__('os')", "ranges": []}
    count, problems = certificate_problems({"X-1": {"id": "X-1", "certificate": kept}})
    assert count == 1 and "plain arithmetic" in problems[0]


def test_an_inequality_may_need_squares_alone() -> None:
    a, b = sp.symbols("a b", real=True)
    assert inequality("young", 2 * a * b, a**2 + b**2, squares=[(1, a - b)]).verified
    assert not inequality("false", 2 * a * b, a**2 + b**2 / 2, squares=[(1, a - b)]).verified
