"""Section 4.3 of Augenstein et al. (2022): what the metrics of equation (7) are, what noise adds to them, what they estimate."""

from fractions import Fraction
from functools import partial
from itertools import product

from fltheory.derivation.packs import suppose
from fltheory.derivation.script import Derivation
from fltheory.derivation.witness import FiniteInstance
from fltheory.evidence.kinds import definition_claim, expectation_claim, identity_claim, inequality_claim, run_script
from fltheory.evidence.model import Unprinted
from fltheory.evidence.things import declare, granted
from verify.mixed2022.displays import constants, displayed

F, HALF = Fraction, Fraction(1, 2)
ALL = "all gradients, 0 < w_f < 1, any dimension"


def spread(a: str, b: str) -> str:
    """The closed form of Gt^2."""
    return f"sq((1 - w)*{a} - w*{b})/(w*(1 - w))"


def weighted(a: str, b: str) -> str:
    return f"sq({a})/w + sq({b})/(1 - w)"


BIAS = "(1 - w)/w*Vf + w/(1 - w)*Vc"
NAMES = {
    "w": "w_f",
    "1 - w": "w_c",
    "a": r"\nabla f_f",
    "b": r"\nabla f_c",
    "Q": r"\|\nabla f\|^2",
    "Vf": "V_f",
    "Vc": "V_c",
    "sigma": r"\sigma",
    "sigma_c": r"\sigma_c",
    "size": "S",
    "G2": "G^2",
    "B2": "B^2",
    f"({weighted('a', 'b')})/Q": r"\tilde B_t^2",
    f"({weighted('sa', 'sb')})/Q": r"\tilde B_t^2",
    f"{weighted('a', 'b')} - sq(a + b)": r"\tilde G_t^2",
    f"{weighted('sa', 'sb')} - sq(sa + sb)": r"\mathbb{E}\,\tilde G_t^2",
}


def gradients(noise: str) -> Derivation:
    """Gradients a, b of both losses with w_f, w_c, and their samples: exact, or with errors that are not correlated."""
    d = Derivation("Mixed FL, Section 4.3")
    declare(d, "axes k xi; 0 < w < 1; Q > 0; Vf, Vc, G2, sigma, sigma_c >= 0; B2, size >= 1")
    declare(d, "a, b; f = a + b; each over k xi, mean 0 over xi; ea over xi = mean(each, k)")
    d.vector("eb", "xi", mean=[["xi", "0", "unbiased central gradient"]])
    for sample, exact, error in (("sa", "a", "ea"), ("sb", "b", "eb")):
        d.vector(sample, "xi", equals=exact if noise == "none" else f"{exact} + {error}")
    suppose(d, "squared gradient", name="Q", G2="Q", gradient="f")
    suppose(d, "second moment", name="Vf", V="Vf", noise="ea")
    suppose(d, "second moment", name="Vc", V="Vc", noise="eb")
    suppose(d, "bounded variance", name="client variance", sigma2="sigma**2", noise="each")
    suppose(d, "bounded variance", name="central variance", sigma2="sigma_c**2", noise="eb")
    suppose(d, "dissimilarity", name="Definition 4.2, B = 1", G2="G2", B2="1", a="a", b="b", f="f")
    suppose(d, "dissimilarity", name="Definition 4.2, G = 0", G2="0", B2="B2", a="a", b="b", f="f")
    names = ["Q", "Vf", "Vc", "client variance", "central variance", "Definition 4.2, B = 1", "Definition 4.2, G = 0"]
    if noise == "uncorrelated":
        suppose(d, "uncorrelated", x="ea", y="eb")
        names.append("uncorrelated")
    for name in names:
        d.assume(name, name)
    d.independent("independent", "client variance", "each", "k", "V")
    granted(d, "equal weights", V="V", sigma="sigma", N="size")
    return d


def gradients_instance(noise: str) -> FiniteInstance:
    """f_f = f_c = x^2/2 at x = 1, w_f = 1/2: G = 0; errors of two answers +-1, of the centre +-2, or the clients' again."""
    outcomes = {signs: F(1, 8) for signs in product((-1, 1), repeat=3)}
    own = noise == "the same"
    errors = {
        "each": lambda p: (F(p["xi"][p["k"]]),),
        "eb": lambda p: (F(p["xi"][0] + p["xi"][1], 2) if own else F(2 * p["xi"][2]),),
    }
    numbers = {"w": HALF, "Q": 4, "Vf": HALF, "Vc": HALF if own else 4, "V": HALF, "G2": 0, "B2": 1}
    return constants(
        {"a": 1, "b": 1},
        {**numbers, "sigma": 1, "sigma_c": 2, "size": 2},
        axes={"k": {0: HALF, 1: HALF}, "xi": outcomes},
        given=errors,
    )


of_gradients = partial(
    displayed,
    begun=gradients,
    names=NAMES,
    instance=gradients_instance,
    at="f_f = f_c = x^2/2, x = 1, w_f = 1/2, errors (if any) +-1 of two answers and +-2 of the centre (or the clients' again)",
    over="xi",
)
closed_form = of_gradients(
    "MX-EQ7.1",
    headline="Both sampled metrics are one number, absolute and relative",
    text=f"{weighted('a', 'b')} - sq(a + b) = {spread('a', 'b')} >= 0; "
    f"({weighted('a', 'b')})/Q = 1 + {spread('a', 'b')}/Q >= 1",
    given=[
        {},
        {"squares": [["1/(w*(1 - w))", "(1 - w)*a - w*b"]]},
        {"facts": {"Q": "1/Q"}},
        {"squares": [["1/(w*(1 - w)*Q)", "(1 - w)*a - w*b"]]},
    ],
    group=identity_claim,
    names=NAMES
    | {"a": r"\widetilde{\nabla f_f}_t", "b": r"\widetilde{\nabla f_c}_t", "Q": r"\|\widetilde{\nabla f}_t\|^2"},
    method="Expansion, and the square that is left.",
    valid_for=ALL,
    source="eq. (7)",
    printed=dict(noise="none"),
    summary="Both metrics are one number, the weighted spread of the two sampled gradients: as it is and relative to "
    "the squared sampled gradient of f. Gt^2 is never negative and Bt^2 never below 1; Gt^2 has units, Bt^2 has none.",
    false={"plus |sampled gradient|^2 in Gt^2": ("- sq(a + b)", "+ sq(a + b)")},
)
bias = of_gradients(
    "MX-EQ7.2",
    headline="Gradient noise raises the sampled dissimilarity even where the two gradients agree",
    text=f"{weighted('sa', 'sb')} - sq(sa + sb) = {spread('a', 'b')} + ({BIAS}); Vf <= sigma**2/size; Vc <= sigma_c**2",
    given=[
        {"facts": {"Vf": "(1 - w)/w", "Vc": "w/(1 - w)", "uncorrelated": "2"}},
        {"facts": {"Vf": "-1", "independent": "1", "equal weights": "-1"}},
        {"facts": {"Vc": "-1", "central variance": "1"}},
    ],
    group=expectation_claim,
    method="Gt^2 is a quadratic form of the gradients; its mean is the form of the means plus the form of the error moments.",
    valid_for=ALL + "; every noise law with these second moments",
    source="eq. (7), with noise",
    summary="Gradient noise adds (w_c/w_f) V_f + (w_f/w_c) V_c to the mean of Gt^2, also where the two exact gradients agree.",
    assumptions=("unbiased answers", "errors of cohort and centre uncorrelated given the model"),
    printed=dict(noise="uncorrelated"),
    false={
        "variance terms times 0.99": (f"({BIAS})", f"99/100*({BIAS})"),
        "the same error in both gradients": dict(noise="the same"),
    },
)


R_U = "sq((1 - w)*f - w*c)"


def at_distance(slope: str) -> Derivation:
    """Gradients a + t f and t c - a at x* + t u on quadratics, f = H_f u and c = H_c u; no slope: a = 0.  t is small for M."""
    d = Derivation("Mixed FL, Section 4.3, near the minimiser")
    declare(d, "0 < w < 1; 0 < t <= 1/2; Q > 0; M >= 0")
    declare(d, f"star, f, c; a = {slope}*star + t*f; b = t*c - {slope}*star; gradient = a + b")
    granted(d, "squared gradient", name="Q", G2="Q", gradient="gradient")
    for name, form in (("near", f"sq(star) - 2*t*{R_U}"), ("nearer", "sq(star) - 4*M*w*(1 - w)*Q")):
        granted(d, f"small t, {name}", fact=name, form=form)
    return d


G_T = f"w*(1 - w)*({weighted('a', 'b')} - sq(a + b))"
B_T = f"w*(1 - w)*Q*(({weighted('a', 'b')})/Q - 1)"
near_minimiser = displayed(
    "MX-EQ7.3",
    at_distance,
    f"(1 - t)*(sq(star) - t*{R_U}) <= {G_T}; {G_T} <= (1 + t)*(sq(star) + t*{R_U}); {B_T} = {G_T}; {B_T} >= w*(1 - w)*Q*M",
    headline="Noise-free, the relative metric exceeds any bound near a minimiser with gradients left",
    given=[
        {"squares": [["t", "star + (1 - w)*f - w*c"]]},
        {"squares": [["t", "star - ((1 - w)*f - w*c)"]]},
        {"facts": {"Q": "w*(1 - w)"}},
        {
            "facts": {"Q": "-w*(1 - w)", "near": "(1 - t)/2", "nearer": "1/4"},
            "squares": [["t", "star + (1 - w)*f - w*c"], ["(1 - 2*t)/4", "star"]],
        },
    ],
    names={
        **NAMES,
        f"({weighted('a', 'b')})/Q": r"\tilde B_t^2",
        "sq(star)": r"\|\nabla f_f(x^*)\|^2",
        R_U: r"\|(w_cH_f-w_fH_c)u\|^2",
        "Q": r"t^2\|Hu\|^2",
    },
    instance=lambda slope: constants(
        {"star": 1, "f": 1, "c": 3}, {"w": HALF, "t": F(1, 1000), "Q": F(16, 10**6), "M": 62500}
    ),
    at="curvatures 1 and 3, w_f = 1/2, grad f_f(x*) = 1 (or 0, where 1 is claimed), x - x* = 1/1000",
    says=r"x=x^*+tu,\ 0<t\le\tfrac12,\ 2t\|(w_cH_f-w_fH_c)u\|^2\le\|\nabla f_f(x^*)\|^2,\ "
    r"4Mw_fw_ct^2\|Hu\|^2\le\|\nabla f_f(x^*)\|^2:\quad ",
    group=definition_claim,
    method="Squares; the definitions of both metrics inserted.",
    valid_for="quadratics, all directions u with H u != 0, all w_f",
    source="eq. (7), near the minimiser",
    summary="On quadratics without noise, at x* + t u with t at most 1/2, 2t R and 4M w_f w_c t^2 |H u|^2 at most A: w_f "
    "w_c Gt^2 is between (1 - t)(A - t R) and (1 + t)(A + t R), A = |grad f_f(x*)|^2 and R = |(w_c H_f - w_f "
    "H_c)u|^2; Bt^2 - 1 is Gt^2/(t^2 |H u|^2), and at least M.",
    printed=dict(slope="1"),
    false={
        "grad f_f(x*) = 0": dict(slope="0"),
        "half of the limit": ("<= (1 + t)*(sq(star)", "<= (1 + t)*(sq(star)/2"),
        "4 M": (">= w*(1 - w)*Q*M", ">= w*(1 - w)*Q*4*M"),
    },
)


of_estimate = partial(
    of_gradients,
    group=inequality_claim,
    method="Definition 4.2 at the model of the round.",
    valid_for="all losses for which the definition holds",
    source="Section 4.3",
)
_NOISE = "gradient noise"
exact_estimate = of_estimate(
    "MX-EQ7-EST",
    text=f"{weighted('sa', 'sb')} - sq(sa + sb) <= G2; ({weighted('sa', 'sb')})/Q <= B2",
    given=[{"facts": {"Definition 4.2, B = 1": "1"}}, {"facts": {"Definition 4.2, G = 0": "1/Q", "Q": "B2/Q"}}],
    headline="Measured from exact gradients the metrics are lower estimates",
    says=r"\text{exact gradients, }B=1\text{ and }G=0\text{ in Definition 4.2, respectively: }",
    printed=dict(noise="none"),
    assumptions=("exact gradients",),
    summary="From exact gradients the metrics, and their maxima over rounds, are lower estimates of G^2 (with B = 1) and of "
    "B^2 (with G = 0), where such constants exist. From stochastic gradients they are not: noise raises the mean of Gt^2.",
    false={_NOISE: dict(noise="uncorrelated")},
    unprinted=Unprinted("the gradients in the metrics are exact", _NOISE),
)
corrected_estimate = of_estimate(
    "MX-EQ7-EST-R1",
    text=f"{weighted('sa', 'sb')} - sq(sa + sb) - ({BIAS}) <= G2",
    given={"facts": {"Definition 4.2, B = 1": "1", "Vf": "(1 - w)/w", "Vc": "w/(1 - w)", "uncorrelated": "2"}},
    says=r"B=1\text{ in Definition 4.2: }",
    printed=dict(noise="uncorrelated"),
    headline="The estimator's mean less its noise is a lower bound of the dissimilarity",
    summary="The mean of Gt^2 less the noise term is the spread at the model of the round, hence at most G^2.",
    false={"0.99 of the noise term subtracted": (f"({BIAS})", f"99/100*({BIAS})")},
)

if __name__ == "__main__":
    run_script(__file__)
