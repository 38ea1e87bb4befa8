"""ADAM at the server in the movie task of Augenstein et al. (2022), Appendix C.4.4 and Figure 11, on generated users.

Committed results of ``figures/experiments/mixed_movie.py``; ADAM is FedAdam of Reddi et al. (2021) with beta = 0.9 and 0.99 and
epsilon = 1e-3, which the paper does not name.  The rows neither prove nor refute what happens on MovieLens 1M.
"""

import numpy as np

from fltheory.evidence.kinds import experiment_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.experiments.paired import committed, level
from verify.mixed2022.analogues import MOVIE
from verify.mixed2022.experiments_comparisons import judged, without_data
from verify.mixed2022.experiments_movie import descent, later_share
from verify.mixed2022.experiments_movie_task import HELD_OUT, curves, described, end

EXPERIMENT = "mixed_movie"
DATA = "generated catalogue"
of_figure_11 = experiment_claim.sharing(source="Appendix C.4.4, Figure 11")
on_users = of_figure_11.sharing(analogue=MOVIE)


def order(pairs: tuple[tuple[str, str], ...]) -> Evidence:
    """The first of each pair has the lower level over the rounds with ADAM."""
    result = committed(EXPERIMENT)
    both = result[f"{DATA}/rounds"][0] <= result[f"{DATA}/adam rounds"][0][-1]  # all are recorded at the same rounds
    gaps = []
    for better, other in pairs:
        first, second = (
            level(curves(result, DATA, label)[:, slice(None) if "ADAM" in label else both]) for label in (better, other)
        )
        gaps.append((f"{DATA}: {better} minus {other}", DATA, first - second, 0.0))
    method = f"{HELD_OUT}; mean of its log over the second half of the rounds with ADAM."
    return judged(described, gaps, result, (DATA,), method)


better = on_users(
    "MX-EXP-C44.1",
    headline="On generated users ADAM at the server converges better than SGD",
    statement=r"f(\text{1-w GT, ADAM } 0.01) < f(\text{1-w GT, SGD})",
    summary="On generated users ADAM at the server with rate 0.01 converges better than SGD, under 1-way GT and the baseline.",
    printed=dict(pairs=(("1-w GT, ADAM 0.01", "1-w GT"), ("baseline, ADAM 0.01", "baseline"))),
    controls=[Control("the two sides exchanged", dict(pairs=(("1-w GT", "1-w GT, ADAM 0.01"),)))],
)(order)


def _paper(rate: float, cohort: int, batch: int, steps: int, cache: int) -> Evidence:
    """What can be said without the data: the settings fit each other."""
    conflicts = {
        f"a server rate of {rate} is not smaller than that of SGD, 1": not 0 < rate < 1,
        f"K |B_i| = {steps * batch} exceeds the {cache} examples of a client": steps * batch > cache,
        f"S={cohort} exceeds 3,865 clients": cohort > 3865,
    }
    return without_data(conflicts, "MovieLens 1M, and the constants of the authors' ADAM")


on_movielens = of_figure_11.sharing(
    printed=dict(rate=0.01, cohort=100, batch=16, steps=10, cache=160),
    controls=[Control("a rate of 1", dict(rate=1.0)), Control("K = 20", dict(steps=20))],
)
paper_curves = on_movielens(
    "MX-EXP-C44.2",
    headline="The printed curves with ADAM on the paper's movie ratings cannot be checked here",
    statement=r"\text{Figure 11 on MovieLens 1M}",
    summary="The curves with ADAM that are printed were run on MovieLens 1M itself.",
)(_paper)


@on_users(
    "MX-EXP-C44-OBS.1",
    headline="On generated users with ADAM 1-way transfer performs almost as the baseline",
    statement=r"|f(\text{1-w GT})-f(\text{baseline})| \text{ with ADAM below 5 \% of the descent}",
    summary="On generated users with ADAM at the server, 1-way GT performs almost as the baseline (read: losses at the end differ "
    "by less than 5 % of what the baseline comes down, in either direction).",
    printed=dict(first="1-w GT, ADAM 0.01", second="baseline, ADAM 0.01", tolerance=0.05),
    controls=[
        Control("1-way GT 5 % worse than measured", dict(worse=0.05)),
        Control("the first model of 1-way GT", dict(stopped=1)),
    ],
)
def alike(first: str, second: str, tolerance: float, worse: float = 0.0, stopped: int | None = None) -> Evidence:
    """Size of the difference of the losses at the end."""
    result = committed(EXPERIMENT)
    values, other = (1 + worse) * curves(result, DATA, first)[:, :stopped], curves(result, DATA, second)
    size = np.abs((end(values) - end(other)) / descent(other))
    gaps = [(f"{DATA}: |{first} - {second}| / descent", DATA, size, tolerance)]
    numbers = {f"{DATA}: share of the descent after the first record": later_share(other)}
    method = f"{HELD_OUT}; mean of the last quarter of the records, within {tolerance:.0%} of the descent."
    return judged(described, gaps, result, (DATA,), method, numbers)


smaller_rate = on_users(
    "MX-EXP-C44-OBS.2",
    headline="On generated users ADAM needs a smaller server rate than SGD",
    statement=r"f(\text{ADAM } 0.01) < f(\text{ADAM } 1)",
    summary="On generated users ADAM needs a smaller server rate than SGD to perform well (read: over the rounds "
    "that were run, 1-way GT with rate 0.01 is better than with rate 1).",
    printed=dict(pairs=(("1-w GT, ADAM 0.01", "1-w GT, ADAM 1"),)),
    controls=[Control("plain SGD better than ADAM with rate 0.01", dict(pairs=(("1-w GT", "1-w GT, ADAM 0.01"),)))],
)(order)
paper_observations = on_movielens(
    "MX-EXP-C44-OBS.3",
    headline="What was observed with ADAM on the paper's movie ratings cannot be checked here",
    statement=r"\text{the same on MovieLens 1M}",
    summary="The observations with ADAM were made on MovieLens 1M itself.",
)(_paper)

if __name__ == "__main__":
    run_script(__file__)
