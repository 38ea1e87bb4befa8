r"""What a small Dirichlet coefficient means (Appendix, artificial data heterogeneity): uneven sizes, and uneven labels.

Of every label the m clients get shares ``p = (p_1, ..., p_m)`` from a symmetric Dirichlet law with coefficient alpha,
independently for the labels.  A share has mean 1/m and variance ``(m - 1)/(m^2 (m alpha + 1))``.  The code that the document
names (FedML) also passes over clients that hold their even part already, and draws again where a client is left with less
than ten examples; the law that it starts from is the one of these rows.

The sentence says "small", so that every row compares two coefficients ``a < b``.
"""

from __future__ import annotations

from fltheory.evidence.algebra import by_relations, statement_of_algebra
from fltheory.evidence.kinds import probability_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.evidence.relations import Relations

_MOMENTS = (
    "a share is Beta(alpha, (m - 1) alpha) and has the variance V(alpha) = (m - 1)/(m^2 (m alpha + 1)); the shares of "
    "different labels at a client are independent with the same mean"
)
_RANGES = "for a > 0; e > 0; m >= 2; b = a + e; V = (m - 1)/(m**2*(m*a + 1)); W = (m - 1)/(m**2*(m*b + 1))"
_NAMES = {"V": "V(a)", "W": "V(b)", "e": "(b-a)"}
of_the_split = probability_claim.sharing(source="Appendix, artificial data heterogeneity")

sizes = statement_of_algebra(
    "LA-EXP-DIR.1",
    Relations(f"S*V > S*W {_RANGES}; S > 0", names={**_NAMES, "S": r"\textstyle\sum_c w_c^2"}),
    false={"a larger coefficient": ("S*V > S*W", "S*V < S*W"), "one client": ("m >= 2", "m >= 1")},
    group=of_the_split,
    headline="A smaller Dirichlet coefficient makes the numbers of samples of the clients more unequal",
    summary="Where the labels make up the shares w_c of all samples, a client's share of the samples is the sum of "
    "w_c times its share of label c. Its variance is the sum of w_c^2 times that of one share, which falls strictly "
    "as the coefficient grows, for any number of clients from two on: a small coefficient means very unequal numbers "
    "of local samples, as it is printed.",
    prose=_MOMENTS,
)

_MORE, _LESS = f"2*V > 2*W {_RANGES}", f"2*V < 2*W {_RANGES}"
_SAYS = r"\mathbb E\,(p_c-p_{c'})^2\text{ for two labels of a client, }2V(a)\text{ and }2V(b):\quad "


@of_the_split(
    "LA-EXP-DIR.2[balanced labels]",
    statement=_SAYS + "2V(a)<2V(b)" + r"\text{ for }a<b,\ V(\alpha)=\frac{m-1}{m^2(m\alpha+1)}",
    headline="A smaller Dirichlet coefficient does not balance the samples across the labels",
    summary="Read as it stands, a small coefficient means that the samples of a client are balanced across the "
    "labels. The shares that a client gets of two labels differ by a mean square of 2(m - 1)/(m^2 (m alpha + 1)), "
    "which is larger for the smaller coefficient.",
    printed=dict(text=_LESS),
    controls=[
        Control("imbalance", dict(text=_MORE), must="pass"),
        Control("ten clients or more", dict(text=_LESS.replace("m >= 2", "m >= 10"))),
    ],
    prose=_MOMENTS,
    fault="slip",
    repair="LA-EXP-DIR.2-R1",
)
def balanced(text: str) -> Evidence:
    """The printed direction, or an instance that breaks it."""
    return by_relations(Relations(text, names=_NAMES))


imbalance = statement_of_algebra(
    "LA-EXP-DIR.2-R1",
    Relations(_MORE, names=_NAMES),
    false={"balance": ("2*V > 2*W", "2*V < 2*W"), "one client": ("m >= 2", "m >= 1")},
    group=of_the_split,
    says=_SAYS,
    headline="A smaller Dirichlet coefficient means samples that are less balanced across the labels",
    summary="For the word balance read imbalance: the mean squared difference of the shares that a client gets of two "
    "labels, 2(m - 1)/(m^2 (m alpha + 1)), falls strictly as the coefficient grows.",
    prose=_MOMENTS,
)

degree = statement_of_algebra(
    "LA-EXP-DIR.2[how balanced the labels are]",
    Relations(f"2*V != 2*W {_RANGES}", names=_NAMES),
    false={"one client": ("m >= 2", "m >= 1"), "equal coefficients": ("e > 0", "e >= 0")},
    group=of_the_split,
    says=_SAYS,
    headline="The Dirichlet coefficient decides how balanced the samples are across the labels",
    summary="If the word balance means the state of being more or less balanced, the sentence says only that the "
    "coefficient stands for it. So it does: two coefficients never give the same mean squared difference of a "
    "client's shares of two labels. This sense does not say what a small one means.",
    prose=_MOMENTS,
)


if __name__ == "__main__":
    run_script(__file__)
