"""Appendix D.2.2 of Augenstein et al. (2022): the recursion without convexity, from Lemmas D.12 and D.13."""

from __future__ import annotations

from fractions import Fraction

import sympy as sp

from fltheory.evidence.exact_search import search
from fltheory.evidence.model import Control, Evidence, Rung, Tightness
from fltheory.theory.mixed2022 import one_round
from fltheory.theory.mixed2022.assembly import NC_REC, NC_REC_SHARP, smooth
from fltheory.theory.mixed2022.one_round import G2, LEMMA_D12, LEMMA_D12_SHARP, C, K, V, beta, e, gain
from fltheory.theory.mixed2022.scalars import number
from fltheory.theory.steps import sign
from verify.mixed2022 import assembly_steps
from verify.mixed2022.declared import algebra_claim, expectation_claim
from verify.mixed2022.one_way_instances import Round, evaluated, rounds, sampled
from verify.mixed2022.settled import settle

R, INT = sp.Rational, sp.Integer
EDGE, ONE = Fraction(1, 18), Fraction(1)
#: Roots of at least S for S = 1, 2.
WIDER = {1: ONE, 2: Fraction(3, 2)}
METHOD = (
    "the lemma on one round with the bound of its drift inserted; the largest value of 1/eta_s^2; signs of polynomials"
)
VALID = "every N, S <= N, K >= 1, dimension, all noise laws"
SMOOTH = (
    "Assumption 4.1",
    "E g_c = grad f_c, variance at most sigma_c^2",
    "f_f, f_c beta-smooth",
    "eta_s >= sqrt(S)",
    "effective step at most 1/(18 beta)",
)


def instances() -> list[Round]:
    """Rounds with wide enough servers for their cohorts, curvature -1 included."""
    items = []
    for S, server in WIDER.items():
        some = rounds([EDGE, EDGE / 2], convex=False, servers=(server, 2 * server))
        items += sampled([r for r in some if r.cohort == S], 9)
    return items


def nc_rec(decrease: str, client: str, central: str, doubled: bool) -> Evidence:
    """Lemma D.12 with the drift of Lemma D.13."""
    target = smooth(R(decrease), R(client), R(central))
    inside = R(4, 9) * e / beta * assembly_steps.u * G2 + e**2 * assembly_steps.u * (2 * V / K + 8 * C)
    step = assembly_steps.recursion(LEMMA_D12.expression, inside, target, R(1, 18), 1 / one_round.S)
    items = instances()
    if not doubled:
        items = [r for r in items if _curvature(r) <= 1]
    return settle(
        [step],
        evaluated(gain, target, items),
        method=METHOD,
        valid_for=VALID,
        tightness=Tightness(
            9 / 4, Rung.PROOF, "decrease 3/4 instead of 1/3 with the noise 3/2, 3/2 instead of 3, 2 (MX-NC-REC-S2)"
        ),
    )


def _curvature(item: Round) -> Fraction:
    return max(abs(getattr(item.federated, side) + getattr(item.central, side)) for side in ("left", "right"))


NC = dict(source="Appendix D.2.2", statement=NC_REC.latex())
NC_PRINTED = dict(decrease="1/3", client="3", central="2", doubled=True)
NC_CONTROLS = [
    Control("decrease 1.01", dict(decrease="101/100")),
    Control("client variance 0.49", dict(client="49/100")),
    Control("central variance 0.49", dict(central="49/100")),
]
nc_parts = expectation_claim(
    "MX-NC-REC[f_f and f_c beta-smooth]",
    **NC,
    assumptions=SMOOTH,
    printed=NC_PRINTED,
    controls=NC_CONTROLS,
    summary="Under the theorem's assumption (f is 2 beta-smooth) the printed recursion holds, although the printed proof uses "
    "beta for f.",
    depends=("MX-LEMD12[f_f and f_c beta-smooth]", "MX-LEMD13"),
    proof_steps=("MX-NC-REC-S1",),
)(nc_rec)
nc_sum = expectation_claim(
    "MX-NC-REC[f beta-smooth]",
    **NC,
    assumptions=(*SMOOTH, "f beta-smooth"),
    printed={**NC_PRINTED, "doubled": False},
    controls=NC_CONTROLS,
    summary="The printed chain, Lemma D.12 with beta for f and Lemma D.13, gives the recursion.",
    proof_steps=("MX-NC-REC-S1",),
    depends=("MX-LEMD12[f beta-smooth]", "MX-LEMD13"),
)(nc_rec)


@expectation_claim(
    "MX-NC-REC-S2",
    source="Appendix D.2.2, sharpened",
    statement=NC_REC_SHARP.latex(),
    summary="More than twice the decrease and at most half and three quarters of the noise, for f_f and f_c beta-smooth.",
    assumptions=SMOOTH,
    depends=("MX-LEMD12-S9", "MX-LEMD13-S7"),
    printed=dict(decrease="3/4", client="3/2", central="3/2"),
    controls=[
        Control("decrease 1.01", dict(decrease="101/100")),
        Control("client variance 0.99", dict(client="99/100")),
        Control("central variance 0.99", dict(central="99/100")),
    ],
)
def nc_rec_sharp(decrease: str, client: str, central: str) -> Evidence:
    """MX-LEMD12-S9 with MX-LEMD13-S7."""
    target = smooth(R(decrease), R(client), R(central))
    step = assembly_steps.recursion(
        LEMMA_D12_SHARP.expression, assembly_steps.nc_drift(INT(2), INT(2), INT(2)), target, R(1, 18), 1 / one_round.S
    )
    return settle([step], evaluated(gain, target, instances()), method=METHOD, valid_for=VALID)


@algebra_claim(
    "MX-NC-REC-S1",
    source="Appendix D.2.2 (arithmetic behind the recursion)",
    statement=r"\tfrac49-\tfrac4{243\eta_s^2}\ge\tfrac13,\quad\tfrac2{KS}+\tfrac2{27K\eta_s^2}\le\tfrac3{KS},\quad1+"
    r"\tfrac8{27\eta_s^2}\le2\quad(\eta_s\ge\sqrt S)",
    summary="All three hold for every S >= 1, with room: at S = 1 104/243, 56/27 and 35/27 in place of 1/3, 3 and 2.",
    printed=dict(decrease="1/3", client="3", central="2"),
    controls=[
        Control("decrease 4/9", dict(decrease="4/9")),
        Control("client 2", dict(client="2")),
        Control("central 1.29", dict(central="129/100")),
    ],
)
def nc_arithmetic(decrease: str, client: str, central: str) -> Evidence:
    pairs = [
        (R(decrease), R(4, 9) - R(4, 243) * assembly_steps.u),
        (2 / one_round.S + R(2, 27) * assembly_steps.u, R(client) / one_round.S),
        (1 + R(8, 27) * assembly_steps.u, R(central)),
    ]
    points: list[dict[sp.Symbol, Fraction | int]] = [
        {one_round.S: S, assembly_steps.u: Fraction(1, S)} for S in (1, 2, 5)
    ]

    def sides(case: tuple[int, int]) -> tuple[Fraction, Fraction]:
        pair, point = pairs[case[0]], points[case[1]]
        return number(pair[0], point), number(pair[1], point)

    found = search(
        [(i, j) for i in range(len(pairs)) for j in range(len(points))],
        sides,
        describe=lambda c: f"inequality {c[0] + 1} at " + ", ".join(f"{s} = {x}" for s, x in points[c[1]].items()),
    )
    ranges = ((one_round.S, 1, None), (assembly_steps.u, 0, 1 / one_round.S))
    steps = [sign(f"inequality {i + 1}", right - left, ranges) for i, (left, right) in enumerate(pairs)]
    return settle(steps, found, method="signs of rational functions", valid_for="every S >= 1")


if __name__ == "__main__":
    from fltheory.evidence.runner import run_script

    run_script(__file__)
