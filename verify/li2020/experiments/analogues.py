"""How far the experiments that are run again here are from those of Li et al. (2020), Section 6."""

from collections.abc import Iterable

from fltheory.evidence.model import Analogue

_MODEL = "the document's: multinomial logistic regression with its l2 term, full objective; step sizes and schemes as printed"
SYNTHETIC = Analogue(
    model=_MODEL,
    data="drawn anew by the document's generator synthetic(0,0) and synthetic(1,1); its own draw was not published",
    size="100 clients and b = 24 as printed; fewer rounds, 14 to 28 replicates instead of one",
    heterogeneity="sizes by the law of the authors' program, int(lognormal(4, 2)) + 50, instead of the power law of Appendix D.1",
)
IMAGES = Analogue(
    model=_MODEL,
    data="a subset of MNIST of 4,000 images and the 1,797 digits of 8 by 8 pixels, instead of MNIST divided by the authors",
    size="100 clients of 40 images and b = 8 (MNIST subset), or 20 clients (digits), instead of 100 of about 542 and b = 64",
    heterogeneity="two digits per client as printed, dealt anew; unbalanced sizes by a power law of exponent 1, its own not given",
)
ALL = Analogue(
    model=_MODEL,
    data=f"synthetic: {SYNTHETIC.data}; images: {IMAGES.data}",
    size=f"synthetic: {SYNTHETIC.size}; images: {IMAGES.size}",
    heterogeneity=f"synthetic: {SYNTHETIC.heterogeneity}; images: {IMAGES.heterogeneity}",
)


def of(sets: Iterable[str]) -> Analogue:
    """The distance of the data sets of a row from those of the document."""
    kinds = {name.startswith("synthetic") for name in sets}
    return ALL if len(kinds) == 2 else SYNTHETIC if True in kinds else IMAGES
