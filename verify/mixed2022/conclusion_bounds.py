"""Augenstein et al. (2022), Section 6, on the bounds: they are loose, and non-IID clients do not change their form."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, log

import sympy as sp

from fltheory.evidence.model import Control, Evidence, Kind, Outcome, Rung, Scope, claim
from fltheory.theory.mixed2022.orders import ALGORITHMS, C, K, S, V, central_factor
from fltheory.theory.steps import Instance, identity, sign
from verify.mixed2022 import closed_forms
from verify.mixed2022.declared import qualitative_of_an_instance
from verify.mixed2022.settled import settle

F, R = Fraction, sp.Rational
ALGEBRA = dict(kind=Kind.ALGEBRA, scope=Scope.GENERAL)
RANGES = ((V, 0, None), (C, 0, None), (K, 1, None), (S, 1, None))


@qualitative_of_an_instance(
    "MX-CONC-LOOSE",
    source="Section 6",
    printed=dict(scale="1", least="1"),
    statement=r"T_{bound}(\epsilon)>T(\epsilon)",
    depends=("MX-SC-FINAL.1", "MX-IMPL-2W.3[each at the largest step of Table 3]"),
    summary="The bounds are loose: on f_f = f_c = x^2/2 the explicit strongly convex bound of 1-way GT asks for more than "
    "three times the rounds that it needs at the largest step of the condition. That comparisons between algorithms can "
    "differ is shown by MX-IMPL-2W.3.",
    controls=[Control("more than 4 times", dict(least="4"))],
)
def loose(scale: str, least: str) -> Evidence:
    """eps = 1e-6, start 1, no noise, K = 2: (16/3) log(540/102 /eps) rounds of the bound (20/17 (9/2)

    exp(-3T/16) = eps) against x_T^2 <= eps.
    """
    eps = 1e-6 * float(F(scale))
    asked = ceil(16 / 3 * log(float(F(90, 17)) / eps))
    factor = 1 - 2 * closed_forms.value(F(1), F(1, 16), 2)  # eta = 1/(8 K), eta_s = 1
    needed, value = 0, F(1)
    while value**2 > F(eps):
        value, needed = value * factor, needed + 1
    good = asked > float(F(least)) * needed
    if not good:
        fixed = 1 - 2 * closed_forms.value(F(1), F(1, 16), 2)
        return Evidence(
            Rung.EXACT,
            Outcome.REFUTED,
            "explicit bound and exact iterates",
            1,
            margin=asked / (float(F(least)) * needed) - 1,
            numbers={"bound": asked, "needed": needed},
            counterexample=f"f_f = f_c = x^2/2, eps = {eps:g}: bound {asked} rounds, needed {needed} (factor {fixed}), "
            f"ratio {asked / needed:.3g} <= {least}",
        )
    return Evidence(
        Rung.EXACT,
        Outcome.HOLDS,
        "explicit bound and exact iterates",
        1,
        margin=1 - float(F(least)) * needed / asked,
        numbers={"bound": asked, "needed": needed},
    )


NONIID = dict(**ALGEBRA, source="Section 6; Section 4.2")
sf = sp.Symbol("V_f", nonnegative=True)


def form(factor: str) -> Evidence:
    """Noise term with K sigma_f^2 added, against the one without."""
    added = sp.sympify(factor, locals={"K": K}) * sf
    steps, instances = [], []
    at = {V: 1, C: 1, K: 16, S: 100, sf: 1}
    for name in ALGORITHMS:
        before = (V + central_factor(name) * C) / (K * S)
        after = (V + added + central_factor(name) * C) / (K * S)
        steps.append(identity(f"{name}: added term sigma_f^2/S, without K", after - before, sf / S))
        gap = abs(F(str((after - before).subs(at))) - F(1, 100))
        instances.append(Instance(f"{name}, K = 16, S = 100, unit variances: |added - 1/100|", gap, F(0)))
    return settle(
        steps,
        instances,
        method="noise terms of Table 1 with K sigma_f^2 added (Section 4.2)",
        valid_for="all K, S, variances",
    )


def size(limit: str) -> Evidence:
    """sigma_f^2 = part limit sigma^2/K with 0 <= part <= 1: is the noise term at most doubled?"""
    part = sp.Symbol("part", nonnegative=True)
    added = part * R(limit) * V
    steps, instances = [], []
    for name in ALGORITHMS:
        before = (V + central_factor(name) * C) / (K * S)
        gap = sp.simplify((2 * before - (before + added / (K * S))) * K * S)
        steps.append(sign(f"{name}: twice the term less the new one", gap, (*RANGES, (part, 0, 1))))
        for many in (2, 10, 16):
            at = {V: 1, C: 0, K: many, S: 100, part: 1}
            new, old = (F(str(x.subs(at))) for x in (before + added / (K * S), before))
            text = f"{name}, K = {many}, S = 100, sigma_c = 0, sigma_f^2 = {limit} sigma^2/K: new term against twice the old"
            instances.append(Instance(text, new, 2 * old))
    return settle(
        steps,
        instances,
        method="noise terms of Table 1 with K sigma_f^2 added (Section 4.2)",
        valid_for="all K, S, variances",
    )


noniid_rows = [
    claim(
        "MX-CONC-NONIID[form of the orders]",
        **NONIID,
        printed=dict(factor="K"),
        statement=r"\tfrac{K\sigma_f^2}{KS}=\tfrac{\sigma_f^2}S",
        depends=("MX-HET.1W", "MX-HET.PT[eta_s eta_m at least sqrt(S)]", "MX-HET.2W[eta_s eta_m at least sqrt(S)]"),
        summary="The extended orders have the same form: one more term, sigma_f^2/S in place of sigma^2/(KS), "
        "which falls with S and not with K. How large it is depends on sigma_f, which is not printed.",
        controls=[Control("sigma_f^2 instead of K sigma_f^2", dict(factor="1"))],
    )(form),
    claim(
        "MX-CONC-NONIID-S1",
        **NONIID,
        printed=dict(limit="1"),
        statement=r"\sigma_f^2\le\tfrac{\sigma^2}K\Rightarrow\sigma^2+K\sigma_f^2+c\,\sigma_c^2\le2(\sigma^2+c\,\sigma_c^2)",
        summary="The noise term at most doubles up to sigma_f^2 = sigma^2/K, and more than doubles beyond if "
        "sigma_c = 0; K is 2, 16 and 10 in the three tasks.",
        controls=[Control("up to 1.01 sigma^2/K", dict(limit="101/100"))],
    )(size),
]

if __name__ == "__main__":
    from fltheory.evidence.runner import run_script

    run_script(__file__)
