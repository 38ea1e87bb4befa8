"""Section 2 of the elastic aggregation supplement: how the data are divided among clients.

Procedures are run by :mod:`fltheory.problems.data.random_splits`; what they promise is proved where it is a matter of counting.
"""

from collections.abc import Sequence

import numpy as np
import sympy as sp

from fltheory.evidence.algebra import by_relations, statement_of_algebra
from fltheory.evidence.decide import read
from fltheory.evidence.ends import by_witness
from fltheory.evidence.kinds import (
    algebra_claim,
    algebra_of_the_text,
    definition_claim,
    definition_in_words,
    probability_claim,
    qualitative_claim,
    run_script,
    table_claim,
)
from fltheory.evidence.model import Control, Evidence, Rung, Unprinted
from fltheory.evidence.relations import Relations
from fltheory.evidence.witness import Side, Witness
from fltheory.problems.base import Array
from fltheory.problems.data.random_splits import Exhausted, dirichlet_over_clients, pachinko
from verify.elastic2023.without_data import form_alone

of_the_dirichlet_split = definition_in_words.sharing(source="Section 2, synthetic federated datasets")
of_log_normal_sizes = qualitative_claim.sharing(source="Section 2, synthetic federated datasets, last sentences")
of_pachinko = definition_claim.sharing(source="Section 2, Fed-CIFAR100")
of_emnist = table_claim.sharing(source="Section 2, Fed-EMNIST")


def partition_fault(parts: Sequence[Array], count: int) -> str:
    """What is wrong with a partition of ``count`` examples, empty if nothing is."""
    rows = np.concatenate(parts)
    twice = len(rows) - len(np.unique(rows))
    if twice:
        return f"{twice} examples belong to two clients"
    return "" if len(rows) == count else f"{count - len(rows)} of {count} examples belong to no client"


dirichlet = statement_of_algebra(
    "EL-DIR.1",
    Relations(
        "g/(g + h) > 0; g/(g + h) + h/(g + h) = 1; a/A = 1/K; a*(a + 1)/(A*(A + 1)) - (a/A)**2 = (K - 1)/(K**2*(K*a + 1)) "
        "for g > 0; h > 0; a > 0; K >= 2; A = K*a",
        names={"g": "g_k", "h": r"\textstyle\sum_{j\ne k}g_j", "a": r"\alpha"},
    ),
    headline="Dirichlet shares are positive, sum to one, and are more uneven for small parameters",
    false={
        "variance of a uniform label": ("(K - 1)/(K**2*(K*a + 1))", "(K - 1)/(K**2*(K*a))"),
        "one of them may be zero": ("g > 0", "g >= 0"),
    },
    group=probability_claim,
    says=r"p_k=\frac{g_k}{\sum_jg_j},\ \mathbb Ep_k=\frac\alpha A,\ \mathbb Ep_k^2=\frac{\alpha(\alpha+1)}{A(A+1)}:\quad ",
    source="Section 2, synthetic federated datasets",
    summary="A vector from a symmetric Dirichlet with parameter alpha has positive components with sum 1, each of mean "
    "1/K and variance (K - 1)/(K^2 (K alpha + 1)): the smaller alpha, the more uneven. The supplement prints no alpha "
    "for its own splits.",
    prose="the components are g_k/sum g with independent Gamma(alpha) variables, and have the moments a/A and a(a + 1)/(A(A + 1))",
)


def shares_over_clients(classes: int, each: int, clients: int, seeds: int, give: str) -> Evidence:
    """Per label a vector of shares over the clients, cut at rounded cumulative shares: a partition in every seed?"""
    labels = np.repeat(np.arange(classes), each)
    words, unequal = "", 0
    for seed in range(seeds):
        parts = dirichlet_over_clients(labels, clients, concentration=0.5, seed=seed)
        if give == "shares rounded down":  # each client the whole part of its share of every label
            parts = [part[: max(0, len(part) - 1)] for part in parts]
        words = words or partition_fault(parts, len(labels))
        unequal += len({len(part) for part in parts}) > 1
    words = words or ("" if unequal == seeds else "all clients have as many examples")
    return read(
        not words,
        method="The procedure run on balanced labels; every example has one client, and sizes differ, in every seed.",
        examined=seeds,
        rung=Rung.EXACT,
        counterexample=words,
        numbers={"seeds": seeds, "clients": clients, "labels": classes},
        valid_for=f"{seeds} seeds, {clients} clients, {classes} labels of {each} examples, alpha = 1/2",
    )


over_clients = of_the_dirichlet_split(
    "EL-DIR.2[for each label, shares over the clients]",
    headline="Shares of every label over the clients divide the data completely, in unequal sizes",
    statement=r"p^{(c)}\sim\mathrm{Dir}_N(\alpha)\text{ for each label }c:\ \text{client }k\text{ gets the share "
    r"}p^{(c)}_k\text{ of it}",
    summary="Read as one vector over the K clients for every label, as the supplement's view of K clients suggests, "
    "the split gives every example to one client, and the clients differ in size.",
    printed=dict(classes=10, each=60, clients=8, seeds=20, give="all"),
    controls=[Control("what rounding leaves over is dropped", dict(give="shares rounded down"))],
)(shares_over_clients)


def over_labels_check(exhausted: str) -> Evidence:
    """Every client draws its examples by label probabilities of its own: does the process reach its end?"""
    return by_relations(
        _DRAWN if exhausted == "remove" else _NO_RULE,
        prose="before each draw an example is left, and its label has a positive weight in every vector that a Dirichlet law gives",
    )


#: a: the weight of labels that have examples, r: of those that are used up, c: what the weights are divided by.
_DRAWN = Relations(
    "a/c = 1; L = n - t; t >= 0 for a > 0; r >= 0; c = a; n >= 1; first_L = n; next_L = L - 1; first_t = 0; next_t = t + 1",
    uses={1: {"L = n - t": "1"}},
    names={
        "a": r"p_{\text{left}}",
        "r": r"p_{\text{used up}}",
        "L": r"\text{examples left}",
        "t": r"\text{draws}",
    },
)
_NO_RULE = _DRAWN.changed("c = a;", "c = a + r;")

over_labels = definition_claim(
    "EL-DIR.2[for each client, probabilities of the labels]",
    source="Section 2, synthetic federated datasets",
    headline="Label probabilities of each client divide the data only with a rule for used-up labels",
    statement=(
        r"p^{(k)}\sim\mathrm{Dir}_C(\alpha)\text{ for each client }k,\text{ examples drawn by it without replacement, the chance "
        r"that a draw finds one: }",
        _DRAWN,
    ),
    summary="Read as one vector over the labels for every client, the clients together may ask for more of a label "
    "than there is. With the rule that a used-up label is removed and the vector renormalised, the draws reach their "
    "end.",
    unprinted=Unprinted(
        "a label without examples is removed, and the vector renormalised", control="no rule for used-up labels"
    ),
    printed=dict(exhausted="remove"),
    controls=[Control("no rule for used-up labels", dict(exhausted="stop"))],
)(over_labels_check)

imbalance_of_log = statement_of_algebra(
    "EL-LOGN[variance of the logarithm]",
    Relations(
        "exp(2*m + 2*s)/exp(m + s/2)**2 - exp(2*m + s)/exp(m + s/2)**2 = exp(s) - 1; exp(s + d) - 1 > exp(s) - 1 "
        "for s >= 0; d > 0",
        uses={1: {"1 + d <= exp(d)": "exp(s)"}},
        names={"m": r"\nu", "s": r"\varsigma^2", "d": r"\delta"},
    ),
    says=r"n_k=e^{\nu+\varsigma Z_k}:\ \mathrm{Var}(n_k)/(\mathbb{E}n_k)^2\text{ with "
    r"}\mathbb{E}n_k^j=e^{j\nu+j^2\varsigma^2/2}:\quad ",
    headline="The larger the variance of the logarithm, the more uneven are log-normal sizes",
    false={"no more variance": ("d > 0", "d >= 0")},
    group=of_log_normal_sizes,
    summary="The squared coefficient of variation of log-normal sizes is exp(s) - 1, s the variance of the logarithm: "
    "free of the mean, zero for s = 0 and growing with s.",
    prose="the first two moments of a log-normal variable",
)

imbalance_at_mean = statement_of_algebra(
    "EL-LOGN[variance at a fixed mean size]",
    Relations(
        "(V + d)/M**2 > V/M**2 for M > 0; V >= 0; d > 0", names={"M": r"\mathbb{E}n_k", "V": r"\mathrm{Var}\,n_k"}
    ),
    headline="At a fixed mean size, more variance is more imbalance",
    false={"no more variance": ("d > 0", "d >= 0")},
    group=of_log_normal_sizes,
    summary="At a fixed mean number of examples the squared coefficient of variation grows with the variance of the numbers.",
)


def of_the_numbers_alone(mean: str) -> Evidence:
    """Log-normal sizes with the variance of the logarithm log 2, and the same twice as large."""
    m, n, v, w = sp.symbols("mean_1 mean_2 variance_1 variance_2")
    scale = 2 if mean == "free" else 1
    more = 4 if mean == "free" else 3  # at the same mean the law with exp(s) - 1 = 3
    return by_witness(
        Witness(
            {"mean_1": 1, "variance_1": 1, "mean_2": scale, "variance_2": more},
            Side("imbalance of the sizes with more variance, Var/mean^2", w / n**2),
            ">",
            Side("of the others", v / m**2),
            given=[(w, ">", v)],
            setting="log-normal sizes, exp(s) - 1 = 1"
            + (" for both, the second ones twice as large" if mean == "free" else " and 3, the same mean"),
        )
    )


imbalance_of_numbers = of_log_normal_sizes(
    "EL-LOGN[variance of the numbers, whatever their mean]",
    fault="reading",
    repair="EL-LOGN[variance at a fixed mean size]",
    statement=r"\mathrm{Var}\,n_k\text{ larger}\Rightarrow n_k\text{ more uneven}",
    headline="Larger variance of the sizes alone may only mean that all clients have more",
    summary="Doubling all sizes takes the variance times four and leaves the shares of the clients as they are: with "
    "the mean free, the variance of the log-normal numbers does not control the imbalance.",
    printed=dict(mean="free"),
    controls=[Control("the same mean", dict(mean="fixed"), must="pass")],
)(of_the_numbers_alone)


def allocation(coarse_rule: str, seeds: int) -> Evidence:
    """The whole process: 500 clients of 100 from 100 fine labels of 500 under 20 coarse ones."""
    if coarse_rule == "stop":
        return by_relations(_NO_RULE)
    fine = np.repeat(np.arange(100), 500)
    fault = ""
    for seed in range(seeds):
        parts = pachinko(fine // 5, fine, 500, 100, seed=seed)
        if {len(part) for part in parts} != {100}:
            raise RuntimeError("a client has not 100 images")
        fault = fault or partition_fault(parts, len(fine))
    if fault:
        raise RuntimeError(f"the process does not partition the images: {fault}")
    stopped = []
    for seed in range(seeds):
        try:
            pachinko(fine // 5, fine, 500, 100, seed=seed, coarse_exhausted="stop")
        except Exhausted as error:
            stopped.append(str(error).rpartition("; ")[2])
    return by_relations(
        _DRAWN,
        prose="before each draw an image is left, hence a fine label that has one, and its coarse label has a positive "
        "weight once the coarse labels without images are removed",
        numbers={
            "runs of the full size, all complete": seeds,
            "mean of the sum of squared coarse probabilities": "11/30, as of 2.7 equal ones of 20",
            "mean of the sum of squared fine probabilities": "11/51, as of 4.6 equal ones of 5",
            "without the rule for coarse labels the same runs stop": "; ".join(stopped),
        },
    )


pachinko_ends = of_pachinko(
    "EL-PACH.1",
    headline="Pachinko allocation needs a rule for used-up coarse labels to reach its end",
    statement=(
        r"500\cdot100\text{ draws of coarse labels for }100\cdot500\text{ images, the chance that a draw finds one: }",
        _DRAWN,
    ),
    summary="All 50,000 images are given away, so that every label is used up before the end. The print removes "
    "used-up fine labels; a client that draws a coarse label whose fine labels are all gone is left without a rule. "
    "With coarse labels removed likewise the process always ends in a true partition, 100 images for every client.",
    unprinted=Unprinted(
        "a coarse label without images is removed as a fine one is", control="no rule for used-up coarse labels"
    ),
    printed=dict(coarse_rule="remove", seeds=2),
    controls=[Control("no rule for used-up coarse labels", dict(coarse_rule="stop"))],
    quick=False,
)(allocation)

renormalised = statement_of_algebra(
    "EL-PACH.2",
    Relations(
        "p/c + r/c = 1; (p/c)/(r/c) = p/r; p/c > p for 0 < c < 1; 0 < p < c; r = c - p",
        names={"p": "p_1", "r": r"\textstyle\sum_{j\ne1,\text{used up}}p_j", "c": r"1-p_{\text{used up}}"},
    ),
    headline="Removing a used-up label and renormalising keeps the proportions of the others",
    false={"nothing removed": ("0 < c < 1", "0 < c <= 1"), "not divided": ("p/c + r/c = 1", "p/c + r = 1")},
    group=algebra_claim,
    source="Section 2, Fed-CIFAR100, last sentence",
    summary="After a used-up label is removed and the rest renormalised, the probabilities of the others sum to one, "
    "keep their proportions, and are all larger than before.",
)

counts = statement_of_algebra(
    "EL-C100-COUNT",
    Relations(
        "c*s = 20*5*500; d*s = 20*5*100; c*s + d*s = 60000; 499 - 0 + 1 = c; 99 - 0 + 1 = d for c = 500; d = 100; s = 100",
        names={"c": r"\text{training clients}", "d": r"\text{test clients}", "s": r"\text{samples each}"},
    ),
    headline="500 and 100 clients of 100 images use up the training and test images of CIFAR-100",
    false={"99 samples each": ("s = 100", "s = 99"), "one training client more": ("c = 500", "c = 501")},
    group=algebra_of_the_text,
    source="Section 2, Fed-CIFAR100",
    summary="500 clients of 100 images are the 50,000 training images, 100 clients of 100 the 10,000 test images, all "
    "60,000 together, and the ids 0-499 and 0-99 count 500 and 100 (a test client has the id of a training client and "
    "is another one).",
)

#: What the documentation of TensorFlow Federated says of its EMNIST with all classes (tff.simulation.datasets.emnist.load_data).
TFF_EMNIST = {"users": 3400, "classes": 62, "train": 671_585, "test": 77_483}


def emnist(users: int, classes: int, train: int, test: int) -> Evidence:
    """The printed counts against each other and against the documentation of the library that offers the data."""
    printed = dict(users=users, classes=classes, train=train, test=test)
    wrong = [
        f"{name}: printed {value}, documented {TFF_EMNIST[name]}"
        for name, value in printed.items()
        if value != TFF_EMNIST[name]
    ]
    if classes != 10 + 26 + 26:
        wrong.append(f"{classes} classes, while digits and letters of both cases are 62")
    if min(train, test) < users:
        wrong.append(f"{min(train, test)} examples for {users} users with at least one each")
    return read(
        not wrong,
        rung=Rung.READING,
        method="The four counts against the documentation of TensorFlow Federated, whose words the paragraph follows, and each "
        "other.",
        examined=6,
        counterexample="; ".join(wrong),
        numbers={
            "examples per user": round((train + test) / users, 1),
            "share of test examples": round(test / (train + test), 4),
        },
    )


emnist_counts = of_emnist(
    "EL-EMNIST.1",
    headline="The counts of Fed-EMNIST are those of the library that offers the data",
    statement=r"3400\text{ users},\ 62\text{ classes},\ 671585\text{ training and }77483\text{ test examples}",
    summary="The four counts are those of TensorFlow Federated's documentation, 62 is ten digits and 26 letters in "
    "both cases, and there are enough examples for each user to have one in both parts: about 220 per user, a tenth of "
    "them for the test.",
    printed=dict(users=3400, classes=62, train=671_585, test=77_483),
    controls=[
        Control("a digit of the training examples", dict(train=671_685)),
        Control("47 classes", dict(classes=47)),
    ],
)(emnist)

two_examples = statement_of_algebra(
    "EL-EMNIST.2",
    Relations("a + b >= 2; (n - 1) + 1 = n; n - 1 >= 1 for a >= 1; b >= 1; n >= 2; a, b, n whole"),
    headline="A user can have an example in both parts exactly if there are two of them",
    false={"writers of one example kept": ("n >= 2", "n >= 1"), "a part may be empty": ("b >= 1", "b >= 0")},
    group=algebra_of_the_text,
    source="Section 2, Fed-EMNIST",
    summary="A user with an example in each part has at least two, and one with n >= 2 can be split as n - 1 and 1: "
    "excluding writers with fewer than two is what the split needs, and all that it needs.",
)


def pixel_values(background: float, digit: float) -> Evidence:
    ends = 0 <= digit < background <= 1
    return form_alone(
        ""
        if ends
        else f"digits {digit}, background {background}: not two different ends of the range from 0 to 1, dark on light",
        "Only that the two values are different ends of the range can be checked; the documentation of the library says the same.",
        1,
        "the images of the data set",
    )


emnist_pixels = of_emnist(
    "EL-EMNIST.3",
    headline="Which pixel value is the background takes the images, which are not here",
    statement=r"1.0:\text{ background},\quad0.0:\text{ digits}",
    summary="Dark digits on a light background, 0 and 1: the library's documentation says the same, the images themselves are "
    "not here.",
    printed=dict(background=1.0, digit=0.0),
    controls=[Control("both 1.0", dict(digit=1.0))],
)(pixel_values)


if __name__ == "__main__":
    run_script(__file__)
