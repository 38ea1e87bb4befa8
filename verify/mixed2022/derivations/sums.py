"""Lemma D.2 of Mixed FL, sums of vectors, for two vectors and for tau of them, with the identity and Jensen's inequality."""

from collections.abc import Mapping

import sympy as sp

from fltheory.derivation.script import Derivation
from fltheory.derivation.statement import text_of
from fltheory.evidence.things import declare
from fltheory.kinds import JSON
from fltheory.theory.bound import Bound
from fltheory.theory.mixed2022 import vectors
from fltheory.theory.notation import NormSq

_ROOT = sp.Symbol("root", positive=True)


def two_vectors(bound: Bound = vectors.LEMMA_D2_1, sign: int = 1) -> Mapping[str, JSON]:
    """Lemma D.2 for two vectors: right less left is |a u - v|^2/a, and what the coefficients have beyond 1 + a and 1 + 1/a."""
    d = Derivation("Mixed FL, Lemma D.2, two vectors")
    declare(d, f"size > 0; let a = {sign}*size; u, v")
    squares = [["1/a", "a*u - v"]]
    for vector, used in ((vectors.u, 1 + vectors.a), (vectors.v, 1 + 1 / vectors.a)):
        squares.append([text_of(bound.expression.coeff(NormSq(vector)) - used), str(vector)])
    d.combine("Lemma D.2", f"{_text(bound.expression)} - {_text(bound.left)}", squares=squares)
    return d.concluding("Lemma D.2")


def identity(bound: Bound = vectors.IDENTITY_D2_REPAIRED) -> Mapping[str, JSON]:
    """The identity of the proof, with a = root^2."""
    d = Derivation("Mixed FL, Lemma D.2, identity of the proof")
    declare(d, "root > 0; u, v")
    left, right = (side.subs(vectors.a, _ROOT**2) for side in (bound.left, bound.expression))
    d.combine("the identity", f"{_text(right)} - {_text(left)}", relation="=")
    return d.concluding("the identity")


def many_vectors(bound: Bound = vectors.LEMMA_D2_2) -> Mapping[str, JSON]:
    """Lemma D.2 for tau vectors w, or Jensen's inequality: sums are tau times means over an axis, w splits into mean and rest."""
    d = Derivation("Mixed FL, Lemma D.2, tau vectors")
    declare(d, "axes j; tau >= 1; w over j")
    whole, squares = vectors.total(vectors.w), vectors.total(NormSq(vectors.w))
    used = bound.left.subs(NormSq(whole), vectors.tau**2).subs(NormSq(whole / vectors.tau), 1)
    weight = bound.expression.coeff(squares) * vectors.tau
    names = {NormSq(whole): "sq(tau*mean(w, j))", NormSq(whole / vectors.tau): "sq(mean(w, j))", squares: "(tau*sq(w))"}
    target = f"{text_of(bound.expression, names)} - {text_of(bound.left, names)}"
    rest = [[text_of(weight), "w - mean(w, j)"], [text_of(sp.cancel(weight - used)), "mean(w, j)"]]
    d.combine("Lemma D.2", target, over="j", squares=rest)
    return d.concluding("Lemma D.2")


def _text(expression: sp.Expr) -> str:
    return text_of(expression, {node: f"sq({sp.sstr(node.args[0])})" for node in expression.atoms(NormSq)})
