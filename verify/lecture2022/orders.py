"""Orders with their constants: what holds with constants free of N and T, and what no constant makes true."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import sympy as sp

from fltheory.derivation.statement import derived
from fltheory.evidence.algebra import by_matrices, by_relations
from fltheory.evidence.decide import Tried, decide
from fltheory.evidence.matrices import Matrices
from fltheory.evidence.model import Claim, Control, Evidence, Rung, Tightness
from fltheory.evidence.relations import Relations
from fltheory.evidence.stated import Stated
from fltheory.theory.lecture2022.vocabulary import LectureBound
from fltheory.theory.states import proves
from verify.lecture2022.derivations.corollaries import Scripts
from verify.lecture2022.instances import scaled

#: LaTeX of the roots of N and T and of the gap at the start.
NAMES = {"p": r"\sqrt{N}", "q": r"\sqrt{T}", "gap": r"(f(\bar x^0)-f^*)", "sigma_G": r"\sigma_G"}


def breaking(stated: Relations) -> Tried:
    """The instance that breaks a statement, if one is found."""
    found = None if stated.proof[0] else stated.broken()
    return Tried(1, found.text, found.margin) if found else Tried(len(stated.claims))


def opposite(stated: Relations | Matrices, setting: str = "") -> Tried:
    """The proved opposite of a claim as its counterexample."""
    text = ": ".join(filter(None, [setting, stated.text]))
    return Tried(1, text, -1.0, certificate=stated.certificate) if stated.proof[0] else Tried(1)


def proved(stated: Relations | Matrices) -> Evidence:
    """By its text, or broken by an instance."""
    return by_matrices(stated) if isinstance(stated, Matrices) else by_relations(stated)


def no_constant(
    id: str,
    says: Stated,
    false_for_every_C: Relations | Matrices,
    true_where: tuple[str, Relations | Matrices],
    *,
    group: Callable[..., Any],
    setting: str = "for every C",
    method: str = "For every constant C an instance breaks it: that is proved as it is written.",
    **words: Any,
) -> Claim:
    """The claim ``says``, that some constant C free of N and T will do: for every C an instance is proved to break it.

    ``true_where``: the name and the statement of the control, in which there is such a constant.
    """
    name, control = true_where

    def check(uniformly: bool) -> Evidence:
        if not uniformly:
            return proved(control)
        return decide((False, false_for_every_C.proof[1]), opposite(false_for_every_C, setting), method=method)

    controls = [Control(name, dict(uniformly=False), must="pass")]
    claim: Claim = group(id, statement=says, printed=dict(uniformly=True), controls=controls, **words)(check)
    return claim


def refuted_algebra(
    id: str,
    stated: Relations,
    right: tuple[str, Relations],
    *,
    group: Callable[..., Any],
    says: Stated = "",
    setting: str = "",
    **words: Any,
) -> Claim:
    """The claim of a statement of algebra that an instance breaks; ``right``: the name and the statement of its control.

    ``setting``: what the letters of the instance are.
    """
    name, control = right

    def check(repaired: bool) -> Evidence:
        if repaired:
            return by_relations(control)
        found = stated.broken()
        return by_relations(stated, otherwise=[replace(found, setting=setting)] if found else [])

    controls = [Control(name, dict(repaired=True), must="pass")]
    made = group(id, statement=says or stated, printed=dict(repaired=False), controls=controls, **words)
    claim: Claim = made(check)
    return claim


def claim_of_bound(
    id: str,
    bound: LectureBound,
    check: Callable[[LectureBound], Evidence],
    false: Mapping[str, Mapping[sp.Symbol, str]],
    *,
    group: Callable[..., Any],
    under: Sequence[sp.Basic] = (),
    **words: Any,
) -> Claim:
    """The claim of a bound that ``check`` proves ``under`` conditions; ``false`` are controls, with factors of its terms."""

    def check_of(case: str) -> Evidence:
        return check(scaled(bound, false[case]) if case in false else bound)

    controls = [Control(name, dict(case=name)) for name in false]
    shared = dict(statement=bound, proves=proves(bound, under=tuple(under)), printed=dict(case="as printed"))
    claim: Claim = group(id, **{**shared, "controls": controls, **words})(check_of)
    return claim


def loose_by(
    bound: LectureBound, factors: Mapping[sp.Symbol, str], scripts: Callable[[LectureBound], Scripts], names: str
) -> Tightness | None:
    """How loose a bound is in some of its terms: the same with smaller factors is derived too."""
    smaller = scripts(scaled(bound, factors))
    if not all(derived(script)[0][0] for script in smaller.values()):
        return None
    ratio = min(1 / sp.Rational(factor) for factor in factors.values())
    return Tightness(float(ratio), Rung.PROOF, f"the same is derived with {names}")
