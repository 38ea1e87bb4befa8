"""The trusted checks accept what is true, refuse what is false, and survive the way through text."""

from __future__ import annotations

import json

import pytest
import sympy as sp

from fltheory.evidence import certificates as data
from fltheory.theory.proofs import (
    Certificate,
    gram_matrix,
    is_positive_semidefinite,
    is_zero,
    nonnegative_on,
)

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
