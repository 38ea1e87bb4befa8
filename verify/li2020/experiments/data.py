"""The data of the experiments of Li et al. (2020), Appendix D.1: synthetic(alpha, beta), and MNIST with two digits per device."""

import numpy as np

from fltheory.evidence.ends import by_rerun
from fltheory.evidence.kinds import experiment_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.experiments.paired import unavailable
from fltheory.experiments.statistics import mean_at_most
from fltheory.problems import power_law_sizes, split_by_class, synthetic

of_appendix_d1 = experiment_claim.sharing(source="Appendix D.1")
of_mnist = experiment_claim.sharing(source="Section 6, Appendix D.1")

#: Images per digit in the 60,000 of MNIST's training set.
DIGITS = (5923, 6742, 5958, 6131, 5842, 5421, 5918, 6265, 5851, 5949)
_SEED = 77


def _within(name: str, samples: np.ndarray, target: float, tolerance: float, tests: int) -> tuple[str, float, str]:
    """Equivalence test of a mean: both confidence limits inside ``target (1 -+ tolerance)``."""
    test = mean_at_most(samples, target * (1 + tolerance), tests=tests)
    margin = min(target * (1 + tolerance) - test.upper, test.lower - target * (1 - tolerance)) / target
    return name, margin, f"mean {test.mean:.4f}, limits [{test.lower:.4f}, {test.upper:.4f}], claimed {target:.4f}"


@of_appendix_d1(
    "LI-SYN.1",
    headline="The generator of synthetic data makes inputs with the printed variances",
    statement=r"(x_k)_j\sim\mathcal N(v_{kj},j^{-1.2}),\ v_{kj}\sim\mathcal N(B_k,1),\ B_k\sim\mathcal N(0,\beta)",
    summary="The generator makes inputs with the printed moments: variance j^-1.2 inside a client, 1 + beta between "
    "clients, beta between coordinates (v_k read as a vector with common mean B_k).",
    quick=False,
    printed=dict(exponent=1.2, spread=1.0, made_with=1.0, tolerance=0.1),
    controls=[
        Control("variance j^-1", dict(exponent=1.0)),
        Control("beta = 1 claimed of data made with beta = 0.5", dict(made_with=0.5)),
    ],
)
def moments(exponent: float, spread: float, made_with: float, tolerance: float) -> Evidence:
    """4,000 clients of 30 samples; the client is the independent unit, so that every test has 4,000 samples."""
    clients, count, tests = 4000, 30, 6
    data = synthetic(1.0, made_with, seed=_SEED, n_clients=clients, sizes=np.full(clients, count))
    inputs = np.stack(data.features)
    index = np.arange(1, inputs.shape[2] + 1)
    scaled = inputs.var(axis=1, ddof=1) * index**exponent
    centres = inputs.mean(axis=1)
    # E (mean of the samples)^2 = beta + 1 + j^-1.2/count; coordinates 2i and 2i+1 share beta only.
    square = (centres**2 - index**-1.2 / count).mean(axis=1)
    products = (centres[:, 0::2] * centres[:, 1::2]).mean(axis=1)
    variance = "variance inside a client times j^exponent"
    claimed = {
        f"{variance}, first coordinate": (scaled[:, 0], 1.0),
        f"{variance}, last ten coordinates": (scaled[:, -10:].mean(axis=1), 1.0),
        "mean square of client means": (square, 1 + spread),
        "1 + mean product of neighbouring coordinates": (1 + products, 1 + spread),
    }
    found = [_within(name, *samples, tolerance, tests) for name, samples in claimed.items()]
    margin = min(item[1] for item in found)
    return by_rerun(
        margin > 0,
        f"Equivalence tests on {clients} generated clients: confidence limits (Student, error 1e-6 over the tests) "
        f"within {tolerance:.0%} of the claimed moment.",
        examined=4 * clients,
        margin=margin,
        numbers={name: words for name, _, words in found},
        seeds=(_SEED,),
    )


@of_appendix_d1(
    "LI-SYN.2",
    headline="Each synthetic client's labels are linearly separable, with ten exchangeable classes",
    statement=r"y=\arg\max(W_kx+b_k),\ (W_k)_{ij}\sim\mathcal N(\mu_k,1),\ \mu_k\sim\mathcal N(0,\alpha)",
    summary="The labels of a client are those of one linear classifier with noiseless labels: they are linearly "
    "separable, and the classes are exchangeable (each has a tenth of the samples on average).",
    quick=False,
    printed=dict(shuffled=False, share=0.1),
    controls=[
        Control("labels shuffled inside the clients", dict(shuffled=True)),
        Control("share of a class 0.12", dict(share=0.12)),
    ],
)
def labels(shuffled: bool, share: float) -> Evidence:
    """Separability by a linear programme per client; shares over 20,000 clients."""
    from scipy.optimize import linprog

    data = synthetic(1.0, 1.0, seed=_SEED, n_clients=3, sizes=np.full(3, 300))
    many = synthetic(1.0, 1.0, seed=_SEED, n_clients=20_000, sizes=np.full(20_000, 5))
    rng = np.random.default_rng(_SEED)
    separable, tried = 0, data.n_clients
    for x, y in zip(data.features, data.labels, strict=True):
        y = rng.permutation(y) if shuffled else y
        rows, present = np.hstack([x, np.ones((len(x), 1))]), np.unique(y)
        system = []
        for row, label in zip(rows, y, strict=True):
            for other in present[present != label]:
                line = np.zeros((data.classes, rows.shape[1]))
                line[other], line[label] = row, -row
                system.append(line.ravel())
        solve = dict(A_ub=np.array(system), b_ub=-np.ones(len(system)), bounds=(None, None))
        separable += int(not system or linprog(np.zeros(data.classes * rows.shape[1]), **solve).status == 0)
    drawn = np.stack(many.labels)
    shares = np.stack([(drawn == c).mean(axis=1) for c in range(many.classes)], axis=1)
    # All ten shares of a client sum to one: one class stands for all by exchangeability, tested class by class.
    tests = [_within(f"share of class {c}", shares[:, c], share, 0.15, data.classes) for c in range(data.classes)]
    margin = min(item[1] for item in tests)
    good = separable == tried and margin > 0
    return by_rerun(
        good,
        f"Linear programmes on {tried} clients of 300 samples; equivalence tests of the ten class shares within 15 % "
        f"on 20,000 clients of 5.",
        examined=tried + data.classes,
        margin=margin if (margin > 0) == good else None,
        numbers={"separable clients": f"{separable} of {tried}", **{name: words for name, _, words in tests[:2]}},
        seeds=(_SEED,),
    )


@experiment_claim(
    "LI-SYN.3",
    headline="How unequal the synthetic clients are cannot be checked: the law's exponent is not given",
    source="Appendix D.1, Table 2",
    statement=r"N=100,\ \text{sizes by a power law}: (425, 1372),\ (273, 421)",
    summary="The sizes of the generated sets: a power law whose exponent, and a draw which, are not given.",
    printed=dict(devices=100, totals=(42522, 27348), means=(425, 273)),
    controls=[Control("mean 435 instead of 425", dict(means=(435, 273)))],
)
def sizes(devices: int, totals: tuple[int, ...], means: tuple[int, ...]) -> Evidence:
    """n/N agrees with the printed means up to rounding; the law itself cannot be recovered from a mean and a deviation."""
    pairs = [(n, m) for n, m in zip(totals, means, strict=True) if abs(n / devices - m) >= 1]
    wrong = [f"{n}/{devices} = {n / devices:.2f}, printed {m}" for n, m in pairs]
    return unavailable(
        wrong,
        examined=len(totals),
        method="Totals, devices and means of Table 2 compared with each other.",
        would_settle="the authors' generated data, or the exponent, the smallest size and the seed of their generator",
    )


@of_mnist(
    "LI-MNIST.1",
    headline="MNIST can be dealt out evenly to 100 devices with two digits each",
    statement=r"100 \text{ devices} \times 542 \text{ samples, at most two digits each}",
    summary="Balanced: MNIST's training set can be divided among 100 devices with 542 samples of two digits each.",
    printed=dict(size=542, digits=2),
    controls=[Control("601 samples each", dict(size=601)), Control("no device with two digits", dict(digits=1))],
)
def balanced(size: int, digits: int) -> Evidence:
    """The division of this package on the label counts of MNIST (known), images not needed."""
    return _division(np.full(100, size), digits, exact_digits=2)


@of_mnist(
    "LI-MNIST.2",
    headline="MNIST can be dealt out with power-law sizes and two digits per device",
    statement=r"n_k \propto r^{-a},\ \text{at most two digits each}",
    summary="Unbalanced: power-law sizes (exponent 1, 45,000 samples, at least 64) with two digits per device are "
    "possible.",
    printed=dict(total=45_000, exponent=1.0),
    controls=[
        Control("exponent 2: one device would need more than two digits hold", dict(exponent=2.0)),
        Control("62,864 samples of 60,000", dict(total=62_864)),
    ],
)
def unbalanced(total: int, exponent: float) -> Evidence:
    return _division(power_law_sizes(100, total, exponent=exponent, least=64), 2, exact_digits=2)


def _division(wanted: np.ndarray, digits: int, exact_digits: int) -> Evidence:
    """Whether the digits can be dealt out in the wanted sizes, disjointly, with the stated digits per device."""
    labels = np.repeat(np.arange(10), DIGITS)
    try:
        parts = split_by_class(labels, len(wanted), seed=_SEED, sizes=wanted, classes_per_client=digits)
    except ValueError as error:
        return by_rerun(False, f"Division refused: {error}.", examined=len(wanted), margin=-1.0)
    rows = np.concatenate(parts)
    kinds = [len(np.unique(labels[part])) for part in parts]
    sizes_agree = [len(part) for part in parts] == wanted.tolist()
    return by_rerun(
        sizes_agree and len(np.unique(rows)) == len(rows) and max(kinds) == exact_digits,
        "Largest devices are served first, each from the two digits with most samples left; sizes, disjointness and "
        "digits are counted.",
        examined=len(parts),
        numbers={
            "devices with two digits": kinds.count(2),
            "samples used": len(rows),
            "mean size": float(wanted.mean()),
            "standard deviation of sizes": float(wanted.std()),
        },
        seeds=(_SEED,),
    )


@experiment_claim(
    "LI-MNIST.3",
    headline="The paper's own division of MNIST was not published",
    source="Section 6, Table 2",
    statement=r"\text{the two MNIST divisions of the experiments}",
    summary="The divisions used in the paper, which were not published.",
    printed=dict(total=54200, devices=100, size=542, images=60000),
    controls=[Control("548 per device", dict(size=548)), Control("54,200 of 50,000 images", dict(images=50000))],
)
def published(total: int, devices: int, size: int, images: int) -> Evidence:
    wrong = [f"{devices} x {size} = {devices * size}, printed {total}"] if devices * size != total else []
    wrong += [f"{total} samples exceed the {images} images"] if total > images else []
    return unavailable(
        wrong,
        examined=2,
        method="Arithmetic of Table 2 for the balanced set (the unbalanced one: rows of Table 2).",
        would_settle="the authors' assignment of images to devices",
    )


if __name__ == "__main__":
    run_script(__file__)
