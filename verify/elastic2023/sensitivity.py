"""Section 1 of the elastic aggregation supplement: sensitivities of parameters, their average and momentum forms, the elasticity.

``g`` is the gradient of abs(F(theta; x))^2; ``tau`` and ``mu`` are hyper-parameters, ``Omega_k`` belongs to client k.
"""

from fractions import Fraction

import sympy as sp

from fltheory.algorithms.sensitivities import average_sensitivity, momentum_sensitivity
from fltheory.evidence.algebra import statement_of_algebra
from fltheory.evidence.ends import by_witness
from fltheory.evidence.kinds import algebra_claim, definition_claim, identity_claim, qualitative_claim, run_script
from fltheory.evidence.model import Control, Evidence, Unprinted
from fltheory.evidence.relations import Relations
from fltheory.evidence.witness import Side, Witness

of_the_average = definition_claim.sharing(source="Section 1, (1)")
of_the_momentum = identity_claim.sharing(source="Algorithms 1 and 2, first inner loop")
of_zeta = algebra_claim.sharing(source="Algorithms 1 and 2, last loop")

average_of_examples = statement_of_algebra(
    "EL-EQ1[each x is one example]",
    Relations(
        "A = (s + t)/(m + n); A >= 0 for m > 0; n > 0; s >= 0; t >= 0; A = m/(m + n)*(s/m) + n/(m + n)*(t/n)",
        names={
            "m": r"|\mathcal D_1|",
            "n": r"|\mathcal D_2|",
            "A": r"\Omega",
            "s": r"\sum_{x\in\mathcal D_1}|g|",
            "t": r"\sum_{x\in\mathcal D_2}|g|",
        },
    ),
    headline="Averaged sensitivities of two clients, weighted by size, are those of their joint data",
    false={
        "the size not divided out": ("n/(m + n)*(t/n)", "n/(m + n)*t"),
        "equal weights": ("m/(m + n)*(s/m) + n/(m + n)*(t/n)", "s/m/2 + t/n/2"),
    },
    group=of_the_average,
    summary="With one term for each example, (1) is the mean of |g| over a client's data, and the aggregate of two clients with "
    "weights |D_k|/sum |D_k| is the same mean over both data sets; of more clients by joining them one by one.",
)


def constant_gradients(size: int, divisor: str) -> Evidence:
    """Two batches of ``size`` examples, every gradient equal to 1: an average of equal numbers is that number."""
    gradient, examples, batches = sp.symbols("g n b")
    total = batches * gradient  # the batch gradient, a mean over the batch, is g in each of the b batches
    right = total / (examples if divisor == "examples" else batches)
    return by_witness(
        Witness(
            dict(g=1, n=2 * size, b=2),
            Side("sum over batches over the divisor", right),
            "=",
            Side("the gradient that all of them have", gradient),
            given=[(examples, ">=", batches)],
            setting=f"two batches of {size}, the gradient of a batch is the mean over it, all gradients equal",
        ),
        would_settle="a batch of more than one example",
    )


batches_over_examples = of_the_average(
    "EL-EQ1[each x is a batch, |D_k| counts examples]",
    fault="reading",
    repair="EL-EQ1[each x is one example]",
    statement=r"\Omega^i_k=\tfrac1{|\mathcal D_k|}\textstyle\sum_{x\in\mathcal D_k}|g(\theta^i;x)|,\ x\text{ a batch: "
    r"an average over batches}",
    headline="A sum over batches divided by the number of examples is no average",
    summary="The text averages over batches; if the terms of (1) are batches, the divisor |D_k| must count batches as "
    "well, else the value is too small by the batch size.",
    printed=dict(size=2, divisor="examples"),
    controls=[
        Control("divided by the number of batches", dict(divisor="batches"), must="pass"),
        Control("batches of one example", dict(size=1), must="pass"),
    ],
)(constant_gradients)


unrolled = statement_of_algebra(
    "EL-EMA.1",
    Relations(
        "(1 - mu)*mu**(B + 1 - b)*g = mu*((1 - mu)*mu**(B - b)*g); (1 - mu)*mu**(B - B)*g = mu*0 + (1 - mu)*g "
        "for 0 < mu < 1; B >= 1; 1 <= b <= B; g >= 0"
    ),
    says=r"\Omega_k=(1-\mu)\textstyle\sum_{b=1}^{B}\mu^{B-b}|g_b|:\quad ",
    headline="The momentum form gives every earlier batch a geometrically smaller weight",
    false={
        "the first batch weighs most": (
            "mu**(B + 1 - b)*g = mu*((1 - mu)*mu**(B - b)*g)",
            "mu**b*g = mu*((1 - mu)*mu**b*g)",
        ),
        "no factor 1 - mu": ("(1 - mu)*mu**(B - B)*g", "mu**(B - B)*g"),
    },
    group=of_the_momentum,
    summary="The loop's value after B batches is (1 - mu) times the sum of mu^(B-b) |g_b|: batch b has weight (1 - mu) mu^(B-b).",
    prose="induction over B: a batch multiplies all terms before it by mu and adds (1 - mu)|g|",
)

zero_start = statement_of_algebra(
    "EL-EMA.2",
    Relations(
        "O = (1 - M)*c; M >= 0; M <= 1 for 0 < mu < 1; c >= 0; first_O = 0; next_O = mu*O + (1 - mu)*c; first_M = 1; next_M = mu*M",
        names={"O": r"\Omega_k", "M": r"{\mu^B}"},
        uses={0: {"O = (1 - M)*c": "mu"}, 2: {"M <= 1": "mu"}},
    ),
    headline="Started from zero, the momentum form misses a share that depends on the number of batches",
    false={"start at the first value": ("first_O = 0", "first_O = c"), "no share missing": ("O = (1 - M)*c", "O = c")},
    group=of_the_momentum,
    summary="Of a sensitivity that is the same in all batches the momentum form reports the share 1 - mu^B after B "
    "batches: nothing divides by the sum of the weights.",
)


different_batches = statement_of_algebra(
    "EL-EMA-U1",
    Relations("3*(1 - mu) < 2*(1 - mu**2); 3/2 > 2/2 for 1/2 < mu < 1"),
    says=r"|g_{1,b}|=(3,0)\ (B_1=1),\ |g_{2,b}|=(0,2)\ (B_2=2),\ w_1=w_2:\quad ",
    headline="Unequal numbers of batches can swap which parameter counts as most sensitive",
    false={"every momentum": ("1/2 < mu", "0 < mu"), "two batches each": ("3*(1 - mu)", "3*(1 - mu**2)")},
    group=of_the_momentum,
    source="Algorithms 1 and 2, the momentum form in the aggregate",
    summary="A limit of use: the share 1 - mu^B_k acts as a second weight of the client. Where client 1 has one batch "
    "and feels parameter 1 by 3, client 2 has two and feels parameter 2 by 2, and both weigh the same, parameter 2 is "
    "the most sensitive one for every mu > 1/2; by averages it is parameter 1.",
)

divided = statement_of_algebra(
    "EL-EMA-U2",
    Relations(
        "O/(1 - M) = c for 0 < mu < 1; c >= 0; 0 < M < 1; O = (1 - M)*c", names={"O": r"\Omega_k", "M": r"\mu^{B_k}"}
    ),
    headline="Divided by the sum of its weights the momentum form is free of the number of batches",
    false={"divided by the momentum": ("O/(1 - M)", "O/M")},
    group=of_the_momentum,
    source="Algorithms 1 and 2, the momentum form in the aggregate",
    summary="Divided by 1 - mu^B_k, the sum of its weights, the momentum form of a sensitivity that is the same in all "
    "batches is that sensitivity, for every number of batches (equal numbers of batches need no division: zeta has a "
    "quotient of Omegas).",
)

aggregate = statement_of_algebra(
    "EL-OMEGA",
    Relations(
        "p + q = 1; a <= p*a + q*b <= b; p*a + q*b <= M for m > 0; n > 0; a >= 0; b >= a; M >= b; p = m/(m + n); q = n/(m + n)",
        names={
            "a": r"\Omega_1^i",
            "b": r"\Omega_2^i",
            "m": r"|\mathcal D_1|",
            "n": r"|\mathcal D_2|",
            "p": "w_1",
            "q": "w_2",
        },
    ),
    headline="The aggregated sensitivity lies between the clients', and its maximum is not above theirs",
    false={
        "weights not divided by their sum": ("p = m/(m + n)", "p = m"),
        "one weight twice": ("q = n/(m + n)", "q = m/(m + n)"),
    },
    group=definition_claim,
    source="Algorithms 1 and 2, before the last loop",
    summary="The weights |D_k|/sum |D_k| are positive and sum to one, so Omega is a weighted mean of what the clients "
    "report: between the smallest and largest of it in every coordinate (two clients; of more by joining them one by "
    "one).",
)

range_of_zeta = statement_of_algebra(
    "EL-ZETA.1",
    Relations(
        "tau <= z <= 1 + tau; z = 1 + tau - c*O/(c*M) for tau >= 0; c > 0; M > 0; 0 <= O <= M; z = 1 + tau - O/M",
        names={"O": r"\Omega^i", "M": r"\hat\Omega", "z": r"\zeta^i"},
    ),
    headline="The elasticity of a parameter lies between tau and one plus tau, whatever the unit",
    false={
        "below 1": ("z <= 1 + tau", "z <= 1"),
        "above tau": ("tau <= z", "tau < z"),
        "a sensitivity may exceed the maximum": ("0 <= O <= M", "0 <= O <= 2*M"),
    },
    group=of_zeta,
    summary="zeta lies in [tau, 1 + tau], is tau at the most sensitive parameter and 1 + tau at one without "
    "sensitivity, and is free of the unit in which sensitivities are measured.",
)

boosted = statement_of_algebra(
    "EL-ZETA.2",
    Relations(
        "1 + tau - O/M > 1; 1 + tau - P/M <= 1 for tau >= 0; M > 0; 0 <= O <= M; 0 <= P <= M; O < tau*M; P >= tau*M",
        uses={0: {"O < tau*M": "1/M"}, 1: {"P >= tau*M": "1/M"}},
        names={"O": r"\Omega^i", "P": r"\Omega^j", "M": r"\hat\Omega"},
        at={"tau": "1/2", "M": "1", "O": "0", "P": "1"},
    ),
    headline="Boosted are exactly the parameters whose sensitivity is below tau times the largest",
    false={"at tau times the largest": ("O < tau*M", "O <= tau*M"), "below the maximum": ("O < tau*M", "O < M")},
    group=of_zeta,
    summary="A parameter moves further than without elasticity exactly if its sensitivity is below tau times the largest one; with "
    "tau = 0 none does, and with tau > 1 all do.",
)

mean_of_zeta = statement_of_algebra(
    "EL-ZETA.3",
    Relations(
        "tau <= Z <= 1 + tau - 1/n; Z - 1 = tau - S/(n*M) for tau >= 0; n >= 1; M > 0; M <= S <= n*M; Z = 1 + tau - S/(n*M)",
        names={"S": r"\sum_i\Omega^i", "M": r"\hat\Omega", "Z": r"\bar\zeta"},
    ),
    headline="The mean elasticity exceeds one exactly if the mean sensitivity is below tau times the top",
    false={
        "as large as one plus tau": ("1 + tau - 1/n; Z", "1 + tau - 2/n; Z"),
        "a smaller sum": ("M <= S", "M/2 <= S"),
    },
    group=of_zeta,
    summary="The mean of zeta over n parameters is 1 + tau minus the mean sensitivity over the largest: between tau "
    "(all equal) and 1 + tau - 1/n (one parameter alone is sensitive), and 1 exactly where the mean sensitivity is tau "
    "times the largest.",
)


zero_over_zero = statement_of_algebra(
    "EL-ZETA.4",
    Relations("M > 0 for O > 0; M >= O", names={"O": r"\Omega^i", "M": r"\hat\Omega"}),
    says=r"\hat\Omega=\max_i\Omega^i,\text{ by which the elasticities are divided}:\quad ",
    headline="The elasticities exist if some parameter has a sensitivity; else they are zero over zero",
    false={"no parameter has any": ("O > 0", "O >= 0")},
    group=of_zeta,
    unprinted=Unprinted("some parameter has a positive sensitivity", control="no parameter has any"),
    summary="zeta divides by the largest sensitivity, which is positive once some parameter has any. Where the output "
    "vanishes on the sampled data all sensitivities are zero, as for a linear model that starts from zero in its first "
    "round: 0/0, for which the print has no rule (equal sensitivities would give tau).",
)

one_parameter = statement_of_algebra(
    "EL-ZETA.5",
    Relations(
        "1 + tau - O/M = tau; (1 + tau - O/M)*v = tau*v for tau >= 0; M > 0; O = M",
        names={"O": r"\Omega^i", "M": r"\hat\Omega"},
    ),
    headline="Equal sensitivities, or a single parameter, scale the whole update by tau",
    false={"half the largest": ("O = M", "O = M/2")},
    group=of_zeta,
    summary="Equal sensitivities, among them one parameter alone, give zeta = tau: the plain update times tau; with "
    "tau = 0 the most sensitive parameters never move, and a single parameter stands still.",
)


def online(first: str, second: str, seen: tuple[str, ...]) -> Evidence:
    """The same gradients in two orders: does the exchange move the first form at least as much as the second?"""
    values = [[Fraction(one)] for one in seen]
    a, b = sp.symbols("g_1 g_2")
    at, moved = {"g_1": Fraction(seen[0]), "g_2": Fraction(seen[1])}, {}
    for form in ("average", "momentum"):
        found = [
            average_sensitivity(order) if form == "average" else momentum_sensitivity(order, Fraction(1, 2))
            for order in (values, values[::-1])
        ]
        one, two = ((a + b) / 2, (b + a) / 2) if form == "average" else ((a / 2 + b) / 2, (b / 2 + a) / 2)
        if [one.subs(at), two.subs(at)] != [sp.Rational(each[0]) for each in found]:
            raise RuntimeError("the forms written out are not what the package computes")
        moved[form] = (one - two) ** 2
    sides = Side(f"squared change of the {first} form", moved[first]), Side(f"of the {second} form", moved[second])
    return by_witness(
        Witness(at, sides[0], ">=", sides[1], setting="two batches exchanged, |g| = g_1 and g_2, mu = 1/2")
    )


accumulated = statement_of_algebra(
    "EL-ROBTAU.1",
    Relations(
        "O = mu*P + (1 - mu)*h; A = (S + h)/(n + 1) for 0 < mu < 1; P >= 0; S >= 0; h >= 0; n >= 1; Q = S/n; "
        "O = P - (1 - mu)*(P - h); A = Q - (Q - h)/(n + 1)",
        names={
            "O": r"\Omega_{\mathrm{new}}",
            "P": r"\Omega",
            "A": r"\bar\Omega_{\mathrm{new}}",
            "Q": r"\bar\Omega",
            "S": r"\textstyle\sum_{b\le n}|g_b|",
            "h": "|g_{n+1}|",
        },
    ),
    headline="The momentum form can be accumulated online, and the average as well with a counter",
    false={
        "no counter": ("(Q - h)/(n + 1)", "(Q - h)/2"),
        "the momentum exchanged": ("(1 - mu)*(P - h)", "mu*(P - h)"),
    },
    group=qualitative_claim,
    source="Section 1, second paragraph",
    summary="The momentum form needs the value so far and the new batch, so that it can be accumulated online, as the "
    "text says. So can the average, with the number of batches beside it: this does not set the two apart.",
)

order_of_collection = qualitative_claim(
    "EL-ROBTAU.2[random collection speaks against the average]",
    source="Section 1, second paragraph",
    fault="reading",
    repair="EL-ROBTAU.2-R1",
    statement=r"\text{another order of collection moves the average at least as much as the momentum form}",
    headline="The order in which data arrive changes the momentum form, not the average",
    summary="Randomly collected data are named as the obstacle for averaging. It is the other way round: the average "
    "does not depend on the order in which data arrive, while the momentum form weighs what came last most.",
    printed=dict(first="average", second="momentum", seen=("1", "0")),
    controls=[
        Control("the two forms exchanged", dict(first="momentum", second="average"), must="pass"),
        Control("two equal batches", dict(seen=("1", "1")), must="pass"),
    ],
)(online)

recent = statement_of_algebra(
    "EL-ROBTAU.2[what was collected last shall weigh most]",
    Relations("(1 - mu)*mu**(B - b)*mu < (1 - mu)*mu**(B - b) for 0 < mu < 1; B >= 2; 2 <= b <= B"),
    says=r"\text{weights of batches }b-1\text{ and }b:\quad ",
    headline="The momentum form favours what was collected last, and the average does not",
    false={"a momentum above one": ("0 < mu < 1", "0 < mu < 2")},
    group=qualitative_claim,
    source="Section 1, second paragraph",
    summary="If data collected later are to count more, the momentum form does that, each batch by the factor mu less "
    "than the one after it; in the average all weigh the same.",
)

free_of_order = statement_of_algebra(
    "EL-ROBTAU.2-R1",
    Relations(
        "(g + h)/2 - (h + g)/2 = 0; (1 - mu)*(mu*g + h) - (1 - mu)*(mu*h + g) = (1 - mu)**2*(h - g) for 0 < mu < 1; g >= 0; h >= 0"
    ),
    headline="Exchanging two batches leaves the average and moves the momentum form",
    false={"linear in 1 - mu": ("(1 - mu)**2*(h - g)", "(1 - mu)*(h - g)")},
    group=qualitative_claim,
    source="repairs Section 1, second paragraph",
    summary="Exchanging the last two batches leaves the average as it is and changes the momentum form by (1 - mu)^2 times their "
    "difference.",
)


if __name__ == "__main__":
    run_script(__file__)
