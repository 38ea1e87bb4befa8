"""The figures of the elastic aggregation supplement on two further sets of images, with the settings that were chosen on digits."""

from __future__ import annotations

from fltheory.evidence.kinds import experiment_claim, run_script
from fltheory.evidence.model import Claim, Control
from verify.elastic2023.analogue import METHODS, TAUS
from verify.elastic2023.figures import FURTHER, FURTHER_ANALOGUE, boosted, gains, robustness

on_further_images = experiment_claim.sharing(analogue=FURTHER_ANALOGUE)
MNIST, FASHION = FURTHER
SCALED = "plain, times the mean elasticity"

boosted_further = on_further_images(
    "EL-FIG1-U1",
    headline="On MNIST and Fashion-MNIST, too, the momentum form does not boost fewer parameters",
    source="Section 1, Figure 1",
    statement=r"\text{share of parameters with }\zeta^i>1:\quad\text{momentum}<\text{average},\quad\text{MNIST, Fashion-MNIST}",
    summary="The sentence of EL-FIG1 on two further sets of images: for tau = 0.3 and 1/2 the momentum form boosts more parameters "
    "than the average form in the mean, on both sets, by at most one percent of the parameters; for tau = 0.1 on Fashion-MNIST by "
    "two percent.",
    printed=dict(fewer="momentum", more="average", taus=TAUS, sets=FURTHER),
    controls=[
        Control("the average form fewer, tau = 1/2", dict(fewer="average", more="momentum", taus=(0.5,)), must="pass"),
        Control("tau = 1/2 alone", dict(taus=(0.5,))),
    ],
)(boosted)

faster_further = on_further_images(
    "EL-FIG2-U2",
    headline="On MNIST and Fashion-MNIST elastic aggregation speeds up all three optimisers, too",
    source="Section 3, Figure 2",
    statement=r"\text{FedAvg, FedAvgM, FedProx: faster with elastic aggregation},\quad\text{MNIST, Fashion-MNIST}",
    summary="On two further sets of images the mean test accuracy over the rounds is higher with elastic aggregation, in every "
    "replicate and for each of the three optimisers.",
    printed=dict(better="elastic", worse="plain", methods=tuple(METHODS), sets=FURTHER),
    controls=[Control("faster without it", dict(better="plain", worse="elastic"))],
)(gains)


def longer_step(name: str, images: str, headline: str, summary: str) -> Claim:
    """The row on the plain step times the mean elasticity on one set."""
    return on_further_images(
        name,
        headline=headline,
        source="Figure 2, its cause",
        statement=r"\theta+\bar\zeta\,\Delta\text{ with the mean }\bar\zeta\text{ of the elasticities: faster than }"
        rf"\theta+\mathrm{{diag}}(\zeta)\Delta,\quad\text{{{images}}}",
        summary=summary,
        printed=dict(better=SCALED, worse="elastic", methods=tuple(METHODS), sets=(images,)),
        controls=[Control("elastic aggregation faster", dict(better="elastic", worse=SCALED))],
    )(gains)


on_mnist = longer_step(
    "EL-FIG2-U3",
    MNIST,
    "On MNIST, too, the plain step times the mean elasticity is faster still",
    "On MNIST, as on digits (EL-FIG2-U1), the plain update times the mean of the elasticities, with no difference between "
    "parameters, is faster than elastic aggregation in every replicate and for all three optimisers.",
)
on_fashion = longer_step(
    "EL-FIG2-U4",
    FASHION,
    "On Fashion-MNIST the plain step times the mean elasticity is not faster in every replicate",
    "What EL-FIG2-U1 says of digits is not so in every replicate on Fashion-MNIST: the plain update times the mean of the "
    "elasticities is surely faster in the mean with FedAvgM alone; with FedAvg and FedProx no difference is sure. Elastic "
    "aggregation is nowhere seen to be faster.",
)


def robust(name: str, images: str, headline: str, summary: str) -> Claim:
    """The row on the range over tau on one set."""
    return on_further_images(
        name,
        headline=headline,
        source="Section 1, second paragraph",
        statement=r"\max_\tau-\min_\tau\text{ of the accuracy}:\quad\text{momentum}<\text{average},\quad"
        rf"\text{{{images}}}",
        summary=summary,
        printed=dict(robust="momentum", other="average", taus=TAUS, share=1.0, sets=(images,)),
        controls=[
            Control("the average form more robust", dict(robust="average", other="momentum")),
            Control("a tenth less", dict(share=0.9)),
        ],
    )(robustness)


robust_on_mnist = robust(
    "EL-ROBTAU.3-U1",
    MNIST,
    "On MNIST, too, the momentum form is slightly more robust to tau",
    "On MNIST the mean accuracy varies with tau by 5.66 points with the momentum form, and by 5.74 with the average form; 45 of "
    "60 replicates have a smaller range. The difference is small, and just sure.",
)
robust_on_fashion = robust(
    "EL-ROBTAU.3-U2",
    FASHION,
    "On Fashion-MNIST, too, the momentum form is slightly more robust to tau",
    "On Fashion-MNIST the mean accuracy varies with tau by 3.8 points with the momentum form, and by 4.1 with the average form; "
    "57 of 60 replicates have a smaller range.",
)


if __name__ == "__main__":
    run_script(__file__)
