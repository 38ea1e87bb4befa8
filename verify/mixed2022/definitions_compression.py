"""Appendix A.1 of Augenstein et al. (2022): compressing the central gradient of 1-way GT, by rounding to a grid of width g."""

from __future__ import annotations

from fractions import Fraction
from math import floor

import sympy as sp

from fltheory.evidence.model import Control, Evidence
from fltheory.theory.steps import Instance, Step, identity, sign
from verify.mixed2022.declared import qualitative_claim
from verify.mixed2022.settled import settle

HALF = Fraction(1, 2)
WIDTH = Fraction(2, 5)


def outcomes(value: Fraction, rounding: str) -> list[tuple[Fraction, Fraction]]:
    """(probability, grid point) for random or nearest rounding."""
    low = floor(value / WIDTH)
    share = value / WIDTH - low
    if rounding == "random":
        return [(1 - share, low * WIDTH), (share, (low + 1) * WIDTH)]
    return [(Fraction(1), (low + (1 if share >= HALF else 0)) * WIDTH)]


def compressed(rounding: str, constant: str) -> Evidence:
    """Second moment of the rounding error, and the mean fixed point of x+ = x - e (x + Q(-1/2)): f_f = x^2/2, f_c = -x/2."""
    k, p, g = sp.Rational(constant), sp.Symbol("p"), sp.Symbol("g")
    error = p * (g * (1 - p)) ** 2 + (1 - p) * (g * p) ** 2  # value = (low + p) g
    steps = (
        Step("rounding is random", rounding == "random", "nearest rounding is a function of the value"),
        identity("mean of random rounding", p * (1 - p) - (1 - p) * p, 0),
        identity("squared error", error, g**2 * p * (1 - p)),
        sign(
            "at most g^2/4 per coordinate",
            k * g**2 / 4 - error - g**2 * (p - sp.Rational(1, 2)) ** 2,
            [(g, 0, None), (p, 0, 1)],
        ),
    )

    def instances() -> list[Instance]:
        found = []
        for value in (-HALF, Fraction(1, 5), Fraction(1, 7)):
            law = outcomes(value, rounding)
            square = sum((q * (x - value) ** 2 for q, x in law), Fraction(0))
            found.append(
                Instance(
                    f"value {value}, grid {WIDTH}, {rounding} rounding: squared error",
                    square,
                    Fraction(constant) * WIDTH**2 / 4,
                )
            )
        fixed = -sum((q * x for q, x in outcomes(-HALF, rounding)), Fraction(0))
        found.append(
            Instance(
                f"f_f = x^2/2, f_c = -x/2 (x* = 1/2), grid {WIDTH}, {rounding} rounding: f - f* at the mean "
                f"fixed point "
                f"x = {fixed}, any step size and K",
                (fixed - HALF) ** 2 / 2,
                Fraction(0),
            )
        )
        return found

    return settle(
        steps,
        instances,
        method=(
            "Random rounding is unbiased with squared error g^2 p(1-p) per coordinate, so that equation (6) holds "
            "with sigma_c^2 + d g^2/4 and every result for such noise applies."
        ),
        valid_for="every value, grid width and dimension",
    )


random_rounding = qualitative_claim(
    "MX-A1-COMPR",
    source="Appendix A.1",
    statement=r"\mathbb{E}Q(v)=v,\quad\mathbb{E}\|Q(v)-v\|^2\le\tfrac{dg^2}4",
    printed=dict(rounding="random", constant="1"),
    summary="The central gradient is amenable to unbiased compression: random rounding to a grid adds d g^2/4 to "
    "sigma_c^2 and nothing else. Nearest rounding leaves an error that no step size removes, since g_c(x*) is not 0 "
    "and its compression is biased there.",
    controls=[
        Control("d g^2/4 times 0.99", dict(constant="99/100")),
        Control("nearest grid point", dict(rounding="nearest")),
    ],
)(compressed)

if __name__ == "__main__":
    from fltheory.evidence.runner import run_script

    run_script(__file__)
