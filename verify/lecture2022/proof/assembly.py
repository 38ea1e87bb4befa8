"""Proof of Theorem 1, displays (7) and (8): assembling the step."""

from fltheory.derivation.statement import text_of
from fltheory.evidence.algebra import statement_of_algebra
from fltheory.evidence.kinds import definition_in_words, identity_claim, inequality_claim, run_script
from fltheory.evidence.relations import Relations
from fltheory.theory.lecture2022.bounds import L, N, lemma_1, one_step, one_step_with_drift, s
from fltheory.theory.states import proves
from verify.lecture2022.displays import proof
from verify.lecture2022.orders import refuted_algebra
from verify.lecture2022.proof.displayed import displayed, multiplied, times

of_display_7 = inequality_claim.sharing(source="proof of Theorem 1, (7)")
underbrace = definition_in_words.sharing(source="underbrace in (7)")
of_display_8 = inequality_claim.sharing(source="proof of Theorem 1, (8)")
below_display_7 = dict(source="proof of Theorem 1, below (7)")

seventh_dumped = displayed(
    "LEC-P7[as dumped]",
    "(7)",
    proof.p_7_printed,
    {"L s^2 sigma^2/(2N)": one_step},
    broken=Relations(
        "(up**2/2 + down**2/2)/2 > x**2/2 - (s - s**2*L)/2*g**2 - s/2*a**2 + s/2*(a - g)**2 + L**2*s**2/(2*N); "
        "-4 <= up <= 4; -4 <= down <= 4 "
        "for L = 1; N = 1; s = 1/2; sigma = 2; x = 0; a = x; g = x; up = x - s*(g + sigma); down = x - s*(g - sigma)"
    ),
    must="pass",
    group=of_display_7,
    fault="transcription",
    repair="LEC-P7[with sigma squared]",
    headline="As transcribed the noise term has lost its variance",
    summary="The last term as transcribed has no sigma, and one client with the gradient x on [-4, 4] and noises 2 and -2 breaks "
    "(7); (8) prints L s^2 sigma^2/(2N), and the original handwriting would tell.",
)

seventh_intended = displayed(
    "LEC-P7[with sigma squared]",
    "(7)",
    one_step,
    {"L^2 s^2/(2N)": proof.p_7_printed},
    group=of_display_7,
    proves=proves(one_step, under=(s * L <= 1,)),
    summary="One step changes f by at most what is displayed, with the deviation term kept.",
)

_CHAIN = (proof.p_7_jensen, proof.p_7_smooth)
deviation_term = displayed(
    "LEC-P7a",
    ("Jensen", "smoothness"),
    _CHAIN,
    {
        "1/N -> 1/N^2, as for independent terms": (multiplied(_CHAIN[0], 1 / N), _CHAIN[1]),
        "L^2 -> 0.98 L^2": (_CHAIN[0], times(_CHAIN[1], L="99/100")),
    },
    group=inequality_claim,
    **below_display_7,
    summary="The deviation is bounded by Jensen over the clients and then by smoothness.",
)

_SCALED = (proof.p_7_definition, proof.p_7_scaled)
drawn_out = displayed(
    "LEC-P7b.1",
    ("definition of f", "one sum"),
    _SCALED,
    {"1/N^2 -> 1/N": (_SCALED[0], multiplied(_SCALED[1], N))},
    group=identity_claim,
    **below_display_7,
    summary="By the definition of f the two gradients are one average, and 1/N is drawn out of the norm.",
)


#: D, which (a) stands for, has the factor s/2 in (7); it is bounded below (7) and by Lemma 1, and (8) has the right side.
LABEL = Relations(
    f"s/2*D <= 2*s**3*K**2*G**2*L**2 for s > 0; L > 0; K >= 1; G >= 0; D >= 0; D <= L**2*({text_of(lemma_1.expression)})",
    uses={0: {f"D <= L**2*({text_of(lemma_1.expression)})": "s/2"}},
)


label_with = refuted_algebra(
    "LEC-P7b.2[(a) with the factor s/2, as dumped]",
    Relations("s/2*D = D for s > 0; D >= 0"),
    ("brace without the factor", LABEL),
    group=underbrace,
    says=r"\tfrac s2\mathbb{E}\|a-b\|^2=(a)=\mathbb{E}\|a-b\|^2",
    fault="transcription",
    repair="LEC-P7b.2[(a) without the factor]",
    headline="As transcribed a brace covers a factor that the next line leaves out",
    summary="As transcribed from handwriting the brace covers s/2 and the next line does not; how far the brace "
    "reaches the original would tell. Taken literally the chain for (a) is off by s/2.",
)

label_without = statement_of_algebra(
    "LEC-P7b.2[(a) without the factor]",
    LABEL,
    false={"brace with the factor": ("s/2*D <= 2*s**3*K**2*G**2*L**2", "s/2*D = D")},
    group=underbrace,
    says=r"(a)=\mathbb{E}\|a-b\|^2=D:\quad ",
    headline="Read without its factor, the brace times half a step is at most the next display's term",
    summary="With (a) read without s/2, s/2 times (a) is at most the drift term of (8) if (a) is at most L^2 times the bound of "
    "Lemma 1.",
)

drift_inserted = statement_of_algebra(
    "LEC-P8.1",
    Relations(f"s/2*L**2*({text_of(lemma_1.expression)}) = 2*s**3*K**2*G**2*L**2"),
    false={"2 -> 1.98": ("2*s**3", "99/50*s**3")},
    group=identity_claim,
    source="proof of Theorem 1, (8)",
    summary="The drift term of (8) is what Lemma 1 gives in the deviation term of (7).",
)

one_step_drift = displayed(
    "LEC-P8.2",
    "(8)",
    one_step_with_drift,
    {"2 -> 1/20": times(one_step_with_drift, G="1/7")},
    group=of_display_8,
    proves=proves(one_step_with_drift, under=(s * L <= 1,)),
    depends=("LEC-LEM1",),
    summary="Display (8): (7) with Lemma 1. The coefficient 2 is Lemma 1's and not sharp; 1/20 is too small.",
)

middle_at_average = displayed(
    "LEC-P8-ARG[at the average, as dumped]",
    "(8)",
    proof.p_8_printed,
    {"at the clients' own points": proof.p_8},
    broken=Relations(
        "((u_1 + u_2)/2)**2/4 > y**2/4 - (s - s**2*L)/2*((h_1 + h_2)/N)**2 - s/2*a**2 + 2*s**3*K**2*G**2*L**2 + "
        "L*s**2*sigma**2/(2*N); -1 <= u_1 <= 1; -(r - r**2*M)/2*g**2 <= 0 for L = 1; N = 2; K = 1; G = 1; sigma = 0; s "
        "= 1/64; x_0 = 1; p_1 = x_0 - s*x_0; p_2 = x_0 - s*0; y = (p_1 + p_2)/N; h_1 = y; h_2 = 0; a = (h_1 + h_2)/N; "
        "g_1 = p_1; g_2 = 0; u_1 = y - s*g_1; u_2 = y - s*g_2; M > 0; 0 < r <= 1/M",
        squares={3: [("(r - r**2*M)/2", "g")]},
    ),
    must="pass",
    group=of_display_8,
    fault="transcription",
    repair="LEC-P8-ARG[at the clients' own points]",
    headline="As transcribed a gradient is taken at the wrong point, harmlessly",
    summary="As transcribed from handwriting the middle term is taken at the average. Then (8) is false, harmlessly, since for "
    "steps up to 1/L the term is at most 0 wherever it is taken; the original would tell.",
)

middle_at_own = displayed(
    "LEC-P8-ARG[at the clients' own points]",
    "(8)",
    proof.p_8,
    {"at the average": proof.p_8_printed},
    group=of_display_8,
    summary="With the middle term taken at the clients' own points, as in (7), the line follows.",
)


if __name__ == "__main__":
    run_script(__file__)
