"""Section 6 of Augenstein et al. (2022): what splitting a population does to sigma^2, and to G and B of Definition 4.2.

A client is drawn with its weight, then an answer g of its gradient oracle at x.  Group a of a split has the share pi_a, the
mean m_a(x) and the variance V_a(x) of such answers; m and V are those of the whole population.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import pairwise, product

import sympy as sp

from fltheory.derivation.script import Derivation
from fltheory.derivation.witness import FiniteInstance
from fltheory.evidence.kinds import identity_claim, inequality_claim, probability_claim, run_script
from fltheory.evidence.model import Control, Evidence, Rung, Tightness
from fltheory.evidence.things import declare, granted
from fltheory.theory.steps import Instance, identity, sign
from verify.mixed2022.displays import constants, displayed
from verify.mixed2022.populations import splits
from verify.mixed2022.settled import settle

F = Fraction
of_section_6 = probability_claim.sharing(source="Section 6")


def groups(counted: str = "1") -> Derivation:
    """Groups k of share p_k with answers g, of a client drawn in the group, their mean m, and a centre.

    A group counts ``counted`` times; with "c" other groups may count for nothing.
    """
    d = Derivation("Mixed FL, Section 6, groups of clients")
    declare(d, f"axes k xi; 0 < w < 1; c >= 0 over k; let often = {counted}")
    declare(d, "g over k xi; centre over nothing; m over k = mean(g, xi)")
    return d


def two_groups(first: int, second: int, means: tuple[int, int] = (0, 0)) -> Callable[..., FiniteInstance]:
    """Shares 9/10 and 1/10, answers with these means +-first and +-second, equally likely; only the second group counts."""

    def instance(**settings: str) -> FiniteInstance:
        shares = {0: F(9, 10), 1: F(1, 10)}
        given = {
            "g": lambda p: (F((first, second)[p["k"]] * p["xi"] + means[p["k"]]),),
            "c": lambda p: F(10 * p["k"]),
        }
        axes = {"k": shares, "xi": {-1: F(1, 2), 1: F(1, 2)}}
        return constants({"centre": 0}, {"w": F(1, 2)}, axes=axes, given=given)

    return instance


WITHIN, WHOLE, BETWEEN = "sq(g - m)", "sq(g - mean(m, k))", "sq(m - mean(m, k))"
NAMES = {
    f"often*{WITHIN}": r"\sum_a\pi_aV_a(x)",
    WITHIN: r"\sum_a\pi_aV_a(x)",
    WHOLE: "V(x)",
    BETWEEN: r"\sum_a\pi_a\|m_a(x)-m(x)\|^2",
    "sq(mean(m, k))": r"\|\nabla f_f\|^2",
    "sq(centre)": r"\|\nabla f_c\|^2",
    "w": "w_f",
    "1 - w": "w_c",
}
of_groups = partial(
    displayed, begun=groups, over="k xi", names=NAMES, method="Variances and means split along the groups."
)
LAWS = "every split into any number of groups, every d, weights and law of the answers with a variance, each x"

mean_variance = of_groups(
    "MX-CONC-SPLIT.1",
    headline="A split into groups never raises the average variance within them",
    text=f"often*{WITHIN} = {WHOLE} - {BETWEEN}; often*{WITHIN} <= {WHOLE}",
    given=[{}, {"squares": [["1", "m - mean(m, k)"]]}],
    instance=two_groups(1, 3),
    at="groups of shares 9/10 and 1/10, answers +-1 and +-3",
    printed=dict(counted="1"),
    group=of_section_6,
    valid_for=LAWS,
    summary="A split never raises the variance within the groups, averaged by their shares, at any x, and lowers it wherever the "
    "groups' mean gradients differ. (The paper says that sigma^2 'will likely' fall; on average it always does. One group may be "
    "more variable than the whole: MX-CONC-SPLIT-U1 says by how much at most.)",
    tightness=Tightness(1.0, Rung.PROOF, "equal group means"),
    false={"0.99 V(x)": (f"<= {WHOLE}", f"<= 99/100*{WHOLE}"), "every group by itself": dict(counted="c")},
)


def bumps(count: int) -> tuple[Fraction, Fraction, list[Instance]]:
    """``count`` groups of equal share, two clients each with gradients x +- h_a(x), h_a(x) = max(0, 1 - |x - 2a|).

    Returns sum_a pi_a sup_x V_a, sup_x V, and that all gradients rise with slopes in [0, 2] between the breakpoints.  V_a and V
    are squares of linear functions there, so that their suprema are at breakpoints, which are 1 apart.
    """
    points = [F(i) for i in range(-2, 2 * count + 2)]
    found = []
    height = [[max(F(0), 1 - abs(x - 2 * a)) for x in points] for a in range(count)]
    for a, each in enumerate(height):
        for way in (1, -1):
            values = [x + way * h for x, h in zip(points, each, strict=True)]
            slopes = [after - before for before, after in pairwise(values)]
            found.append(Instance(f"group {a}: minus the least slope of the gradients", -min(slopes), F(0)))
            found.append(Instance(f"group {a}: largest slope", max(slopes), F(2)))
    own = sum((max(h * h for h in each) for each in height), F(0)) / count
    return own, max(sum((h * h for h in column), F(0)) / count for column in zip(*height, strict=True)), found


@of_section_6(
    "MX-CONC-SPLIT-U1",
    printed=dict(factor="1", count="1"),
    statement=r"\pi_a\sup_xV_a(x)\le\sup_xV(x),\qquad\sum_{a\le J}\pi_a\sup_xV_a(x)\le J\,\sup_xV(x)",
    headline="How much a split into groups changes the largest variance, with sharp factors",
    summary="With sigma_a^2 the supremum over x of each group, as Assumption 4.1 has it: a group's is at most 1/pi_a times the "
    "whole's, and the mean of the suprema at most J times, both attained by convex smooth losses that vary in different places. So "
    "even on average sigma^2 can rise by a split; for quadratics, whose variances are constant where they are bounded, it cannot.",
    depends=("MX-CONC-SPLIT.1",),
    controls=[Control("0.99 J", dict(count="99/100")), Control("0.99 V for one group", dict(factor="99/100"))],
)
def suprema(factor: str, count: str) -> Evidence:
    k, (P, M, U, w, z, v) = sp.Rational(factor), sp.symbols("P M U w z v", positive=True)
    merged = P * (U + (M + z) ** 2) + w * (v + M**2) - (P * (M + z) + w * M) ** 2 / (P + w)
    whole = P * U + w * v + P * w / (P + w) * z**2
    steps = [
        sign("J of these", F(count) - 1, []),
        sign(
            "one group: w v <= k (P+w) U', so pi_a V_a <= k V at each x, and the suprema",
            sp.expand(k * whole - w * v),
            [(letter, 0, None) for letter in (P, w, U, v, z)],
        ),
        identity("(P+w) U' with difference z of the means", merged, whole),
    ]

    def instances() -> Iterator[Instance]:
        for one in splits():
            for a, (p, each) in enumerate(zip(one.shares, one.variances, strict=True)):
                yield Instance(f"{one.name}: pi_a V_a of group {a}, V", p * each, F(factor) * one.variance)
        for groups in (2, 3):
            own, whole, slopes = bumps(groups)
            name = f"J={groups} groups of two clients, gradients x +- max(0, 1-|x-2a|): mean of suprema, J sup V"
            yield from (*slopes, Instance(name, own, F(factor) * F(count) * groups * whole))

    return settle(
        steps,
        instances,
        method="law of total variance for one group against the rest, then suprema; attained by J groups with disjoint bumps",
        valid_for="every split, J, d and law",
        tightness=Tightness(1.0, Rung.EXACT, "2 and 3 groups with disjoint bumps") if k == 1 else None,
    )


def cohorts(drawn: str) -> Derivation:
    """Clients i of a cohort of S, with answers g = m + e of which those of one group have one m; they count as they are drawn."""
    d = Derivation("Mixed FL, Section 6, a cohort drawn from groups")
    declare(d, "axes i:clients xi; S > 0; v >= 0 over i; m over i")
    d.vector("e", "i xi", mean=[["xi", "0", "m is the mean of the answers of the group"]])
    d.vector("g", "i xi", equals="m + e")
    granted(d, "second moment", fact="variance in the group", V="v", noise="e")
    d.combine("at most", "v - sq(e)", over="xi", facts={"variance in the group": "1"})
    d.independent("independent", "at most", "e", "i", "V_S")
    if drawn == "in proportion":
        counts = dict(form="V_S - sq(e)/S", over="i xi", relation="=")
        granted(d, "every client of the cohort counts 1/S", fact="in proportion", **counts)
    return d


def cohort_of_two(drawn: str) -> FiniteInstance:
    """Two clients with answers +-1 that count alike, or by the shares 9/10 and 1/10 of their groups."""
    first = F(1, 2) if drawn == "in proportion" else F(9, 10)
    axes = {"i": {0: first, 1: 1 - first}, "xi": {signs: F(1, 4) for signs in product((-1, 1), repeat=2)}}
    given = {"m": lambda p: (F(0),), "e": lambda p: (F(p["xi"][p["i"]]),), "v": lambda p: F(1)}
    return constants({}, {"S": 2}, axes=axes, given=given)


stratified = displayed(
    "MX-CONC-SPLIT-S2",
    cohorts,
    "sq(mean(g, i) - mean(m, i)) <= sq(g - mean(m, i))/S",
    prose="with S_a = pi_a S the mean over the cohort is the one over groups by shares, so V of the cohort is that of "
    "one draw from all",
    given={"facts": {"independent": "1", "in proportion": "-1"}, "squares": [["1/S", "m - mean(m, i)"]]},
    over="i xi",
    names={
        "sq(mean(g, i) - mean(m, i))": r"\mathbb{E}\big\|\tfrac1S\sum_{i\in\mathcal S}(g_i-\mathbb{E}g_i)\big\|^2",
        "sq(g - mean(m, i))": "V(x)",
    },
    instance=cohort_of_two,
    at="two groups, answers +-1, a client of each, S = 2; counted alike (or by the shares 9/10 and 1/10)",
    says=r"S_a=\pi_aS:\quad ",
    printed=dict(drawn="in proportion"),
    group=of_section_6,
    method="Independent deviations from the groups' means; variances split along the groups.",
    valid_for="every split, d, S with pi_a S clients of group a in the cohort, answers independent given x",
    headline="Stratified cohorts have at most the variance of one draw divided by their size",
    summary="If the S clients of a cohort are drawn independently, from the groups in proportion to their shares, the variance "
    "of the mean of their gradients is at most V/S, V being that of one gradient of a client drawn from all of them (as in "
    "stratified sampling).",
    depends=("MX-CONC-SPLIT.1",),
    false={
        "one client of each group, weighted by the shares": dict(drawn="one of each"),
        "0.99 V/S": ("i))/S", "i))*99/(100*S)"),
    },
)
#: The term of a side with the weight w_f, w_c: of groups with the weights w_f pi_a it is sum_a pi_a |grad f_a/pi_a|^2/w_f.
CENTRE = "sq(centre)/(1 - w)"
BEFORE, SPREAD = f"sq(mean(m, k))/w + {CENTRE}", "sq(m - mean(m, k))/w"
WHOLE_GRADIENT = "sq(mean(m, k) + centre)"


def admissible(means: str) -> Derivation:
    """Groups, with means that are ``apart`` or not, and a centre with (G, B) as in Definition 4.2 after the split."""
    d = groups()
    declare(d, "G2, B2 >= 0")
    form = f"G2 + B2*{WHOLE_GRADIENT} - sq(m)/w - {CENTRE}"
    granted(d, "Definition 4.2 after the split", fact="after", form=form, over="k")
    return d


def of_two_groups(means: str) -> FiniteInstance:
    """Mean gradients 0 and 2, or 1 and 1, w_f = 1/2, G = 0 and the least B^2."""
    apart = means == "apart"
    found = two_groups(1, 1, (0, 2) if apart else (1, 1))()
    return replace(found, given={**found.given, "G2": lambda p: F(0), "B2": lambda p: F(20 if apart else 2)})


RAISED = f"sq(m)/w + {CENTRE} = {BEFORE} + {SPREAD} >= {BEFORE}; {BEFORE} <= "
dissimilarity = displayed(
    "MX-CONC-SPLIT.2",
    admissible,
    f"{RAISED}G2 + B2*{WHOLE_GRADIENT}",
    headline="A split into groups can only raise the dissimilarity",
    given=[
        {},
        {"squares": [["1/w", "m - mean(m, k)"]]},
        {"facts": {"after": "1"}, "squares": [["1/w", "m - mean(m, k)"]]},
    ],
    over="k",
    instance=of_two_groups,
    names={
        **NAMES,
        "sq(m)/w": r"\sum_a\tfrac1{w_a}\|\nabla f_a\|^2",
        SPREAD: r"\sum_a\tfrac{w_a}{w_f^2}\|m_a-m\|^2",
        WHOLE_GRADIENT: r"\|\nabla f\|^2",
        "G2": "G^2",
        "B2": "B^2",
    },
    at="groups of shares 9/10 and 1/10, answers +-1 and 2 +- 1 (or 1 +- 1), w_f = 1/2, G = 0, B^2 = 20 (or 2)",
    printed=dict(means="apart"),
    says=r"\nabla f_f=\sum_{a}\nabla f_a,\ \nabla f_a=\pi_am_a,\ w_a=w_f\pi_a,\ \sum_a\pi_a=1,\ "
    r"(G,B)\text{ as in Definition 4.2 after the split}:\quad ",
    group=inequality_claim,
    method="Variances and means split along the groups.",
    source="Section 6; Definition 4.2",
    valid_for="every split, number of groups, d; weights w_a = w_f pi_a; losses f_a that add up to f_f",
    summary="A split raises the left side of Definition 4.2 at any x by the spread of the groups' mean gradients over w_f, and "
    "never lowers it, so that (G, B) admissible afterwards were so before: G and B can only grow.",
    depends=("MX-CONC-MULTI.3",),
    false={
        "0.99 of the spread": (f"{BEFORE} + {SPREAD} >=", f"{BEFORE} + 99/100*{SPREAD} >="),
        "1.01 times the left side before": dict(
            text=f"{RAISED}G2 + B2*{WHOLE_GRADIENT}".replace(f">= {BEFORE};", f">= 101/100*({BEFORE});"), means="alike"
        ),
        "half of B^2": dict(text=f"{RAISED}G2 + B2/2*{WHOLE_GRADIENT}", means="alike"),
    },
)
trade = of_groups(
    "MX-CONC-SPLIT-S3",
    text=f"sq(m)/w - sq(mean(m, k))/w = ({WHOLE} - {WITHIN})/w = {SPREAD}",
    instance=two_groups(1, 1, (0, 3)),
    at="groups of shares 9/10 and 1/10, answers +-1 and 3 +- 1, w_f = 1/2",
    names={**NAMES, "sq(m)/w": r"\sum_a\tfrac{\|\nabla f_a\|^2}{w_a}"},
    says=r"w_a=w_f\pi_a,\ \nabla f_a=\pi_am_a:\quad",
    group=identity_claim,
    source="Section 6; Definition 4.2",
    valid_for="every split, number of groups, d and law, weights in proportion to the shares, each x",
    headline="A split moves variance into dissimilarity: the two effects are one",
    summary="At every x the dissimilarity gains 1/w_f times what the variance loses, the spread of the groups' mean gradients: "
    "the two effects are one, and neither comes without the other. Both are zero where the groups' mean gradients agree, as "
    "under Assumption 4.1 as printed.",
    depends=("MX-CONC-SPLIT.1", "MX-CONC-SPLIT.2"),
    false={"1.01/w_f": (f"({WHOLE} - {WITHIN})/w", f"101/100*({WHOLE} - {WITHIN})/w")},
)


if __name__ == "__main__":
    run_script(__file__)
