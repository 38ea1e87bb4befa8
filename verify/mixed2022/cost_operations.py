"""Operations of the recommendation task in Appendix C.3 of Augenstein et al. (2022): their sum, the saving, the regulariser."""

from __future__ import annotations

from fractions import Fraction

import sympy as sp

from fltheory.evidence.decide import read
from fltheory.evidence.model import Control, Evidence, Rung
from fltheory.theory.mixed2022.cost_model import Recommendation, rounds_to
from fltheory.theory.steps import Instance, Step, equality, identity
from verify.mixed2022.declared import identity_claim, table_claim
from verify.mixed2022.settled import settle

ZERO = Fraction(0)


@identity_claim(
    "MX-C3-OPS.1",
    source="Appendix C.3, Computation",
    statement=r"(Bd+Bd^2+B^2d)+B+(2Bd^2+2B^2d)+B=Bd+3Bd^2+3B^2d+2B",
    summary="Forward, hinge loss, backward and hinge gradient add up to the numerator of the printed saving, and with "
    "0.5 N^2 d + N d to its denominator.",
    printed=dict(hinge=2),
    controls=[Control("hinge counted once", dict(hinge=1))],
)
def sum_of_parts(hinge: int) -> Evidence:
    B, d, N = sp.symbols("B d N", positive=True)
    parts = (B * d + B * d**2 + B**2 * d) + (2 * B * d**2 + 2 * B**2 * d) + hinge * B
    total = B * d + 3 * B * d**2 + 3 * B**2 * d + 2 * B
    steps = (
        identity("numerator", parts, total),
        identity("denominator", parts + N**2 * d / 2 + N * d, total + N**2 * d / 2 + N * d),
    )

    def instances() -> list[Instance]:
        at = {B: 16, d: 16, N: 3954}
        model = Recommendation(3954, 16)
        return [
            equality("B = d = 16, N = 3954", Fraction(int(parts.subs(at))), model.network_step().value),
            equality(
                "with the regulariser",
                Fraction(int((parts + N**2 * d / 2 + N * d).subs(at))),
                model.baseline_step().value,
            ),
        ]

    return settle(
        steps,
        instances,
        method="Expansion.",
        valid_for="all B, d, N; orders with constant one",
    )


@table_claim(
    "MX-C3-OPS.2",
    source="Appendix C.3, Computation",
    statement=r"1-\frac{\text{mixed}}{\text{baseline}}=99.98\%",
    summary="The printed saving per client is right with |B_i| = 16, d = 16 and the 3,952 movies (99.980 % with "
    "3,954 rows too).",
    printed=dict(percent="99.98"),
    controls=[Control("planted 99.97 %", dict(percent="99.97")), Control("planted 99.99 %", dict(percent="99.99"))],
)
def client_saving(percent: str) -> Evidence:
    values = [100 * m.baseline_step().saving(m.network_step()) for m in (Recommendation(n, 16) for n in (3952, 3954))]
    return read(
        all(rounds_to(v, percent) for v in values),
        rung=Rung.READING,
        method="exact value of the printed fraction",
        examined=2,
        numbers={"percent": float(values[0])},
        counterexample=f"{float(values[0]):.4f} %, claimed {percent} %",
    )


@identity_claim(
    "MX-C3-OPS-S1",
    source="Appendix C.3, 0.5 N^2 d for the regulariser",
    statement=r"\sum_{i,j}\langle e_i,e_j\rangle^2=\|E^\top E\|_F^2,\quad\sum_{i,j}\langle e_i,e_j\rangle=\|\sum_ie_i\|^2",
    summary="If the regulariser is built from first and second moments of inner products (Zhang et al., 2017), it costs N "
    "d(d+1)/2 through the d by d matrix of the table instead of N^2 d/2: about 0.5 instead of 125 Mflop, also on a client.",
    printed=dict(power=2),
    controls=[Control("third powers through the same matrix", dict(power=3))],
)
def small_gram(power: int) -> Evidence:
    """<e, f>^p for generic rows e, f against the pairing of their outer products, one coordinate more at a time."""
    s, t, xk, yk, xl, yl = sp.symbols("s t xk yk xl yl")
    steps = (
        identity("coordinates k, l", (xk * yk) * (xl * yl), (xk * xl) * (yk * yl)),
        identity("one more coordinate: (s + t)^p = s^2 + 2 s t + t^2", (s + t) ** power, s**2 + 2 * s * t + t**2),
        Step("square", power == 2, "higher powers pair higher tensors"),
    )

    def instances() -> list[Instance]:
        E = [[Fraction(a) for a in row] for row in ((1, 2), (0, -1), (3, 1))]
        left = sum((sum(a * b for a, b in zip(e, f, strict=True)) ** power for e in E for f in E), ZERO)
        gram = [[sum((e[i] * e[j] for e in E), ZERO) for j in (0, 1)] for i in (0, 1)]
        return [equality("rows (1, 2), (0, -1), (3, 1)", left, sum((g * g for r in gram for g in r), ZERO))]

    N, d = 3954, 16
    return settle(
        steps,
        instances,
        method="<e,f>^2 = sum_kl e_k e_l f_k f_l is the pairing of outer products, which is bilinear in them.",
        valid_for="every table",
        numbers={"Mflop through d by d": N * d * (d + 1) / 2e6, "Mflop as printed": N * N * d / 2e6},
    )


if __name__ == "__main__":
    from fltheory.evidence.runner import run_script

    run_script(__file__)
