"""Bad arguments of worst cases, bounds, costs, moments, limits and pictures: each is refused by the name of the quantity.

A row is a call and the words that its error must contain; the fixture ``refused`` says what else is asked of an error.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

TABLE = r"""
fl.round_map(quad, avg, round=-1)  # round=-1
fl.round_map(quad, avg, round=2.5)  # round=2.5
fl.round_map(quad, avg, round="3")  # round='3'
fl.round_map(quad, avg, round=True)  # round=True
fl.round_map(quad, avg, round=nan)  # round=nan
fl.round_map(quad, avg, round=[2])  # round=[2]
fl.moments(quad, avg, rounds=2, exact="yes")  # exact='yes'
fl.moments(quad, avg, rounds=2, exact=None)  # exact=None
fl.moments(quad, avg, rounds=2, exact=2)  # exact=2
fl.moments(quad, avg, rounds=2, every=0)  # every=0
fl.moments(quad, avg, rounds=2, every=1.5)  # every=1.5
fl.moments(quad, avg, rounds=2, oracle=fl.MiniBatch(3))  # samples
fl.moments(quad, fl.FedAvg(2, 0.1, fl.SchemeII(3)), rounds=2)  # K=3
fl.moments(fl.LogisticProblem(X, Y, l2), avg, rounds=2)  # problem=LogisticProblem
fl.second_moment_of_gradients(quad, avg, rounds=0)  # rounds
fl.stability_limit("quad", lambda eta: fl.FedAvg(1, eta), 2.0)  # problem='quad'
fl.stability_limit(quad, "f", 2.0)  # algorithm_of='f'
fl.stability_limit(quad, None, 2.0)  # algorithm_of=None
fl.stability_limit(quad, 3, 2.0)  # algorithm_of=3
fl.stability_limit(quad, lambda eta: "FedAvg", 2.0)  # algorithm
fl.stability_limit(quad, lambda eta: fl.FedAvg(1, eta), 0)  # upper=0
fl.stability_limit(quad, lambda eta: fl.FedAvg(1, eta), -1.0)  # upper=-1.0
fl.stability_limit(quad, lambda eta: fl.FedAvg(1, eta), nan)  # upper=nan
fl.stability_limit(quad, lambda eta: fl.FedAvg(1, eta), inf)  # upper=inf
fl.stability_limit(quad, lambda eta: fl.FedAvg(1, eta), "two")  # upper='two'
fl.stability_limit(quad, lambda eta: fl.FedAvg(1, eta), 2.0, points=0)  # points=0
fl.stability_limit(quad, lambda eta: fl.FedAvg(1, eta), 2.0, points=2.5)  # points=2.5
fl.stability_limit(quad, lambda eta: fl.FedAvg(1, eta), 2.0, points=None)  # points=None
fl.stability_limit(quad, lambda eta: fl.FedAvg(1, eta), 2.0, tolerance=0)  # tolerance=0
fl.stability_limit(quad, lambda eta: fl.FedAvg(1, eta), 2.0, tolerance=-1.0)  # tolerance=-1.0
fl.stability_limit(quad, lambda eta: fl.FedAvg(1, eta), 2.0, tolerance=nan)  # tolerance=nan
fl.stability_limit(quad, lambda eta: fl.FedAvg(1, eta), 2.0, tolerance=inf)  # tolerance=inf
fl.stability_limit(quad, lambda eta: fl.FedAvg(1, eta), 2.0, tolerance="x")  # tolerance='x'
fl.stability_limit(quad, lambda eta: fl.FedAvg(1, eta), 2.0, tolerance=None)  # tolerance=None
fl.series("quad", lambda eta: fl.FedAvg(1, eta), 1)  # problem='quad'
fl.series(quad, "f", 1)  # algorithm_of='f'
fl.series(quad, None, 1)  # algorithm_of=None
fl.series(quad, lambda eta: fl.FedAvg(1, eta), -1)  # order=-1
fl.series(quad, lambda eta: fl.FedAvg(1, eta), 1.5)  # order=1.5
fl.series(quad, lambda eta: fl.FedAvg(1, eta), "1")  # order='1'
fl.series(quad, lambda eta: fl.FedAvg(1, eta), 1, start=[1.0])  # start has shape (1,)
fl.limit_local_steps_to_infinity("quad", 0.1)  # problem='quad'
fl.limit_local_steps_to_infinity(quad, 0)  # step_size=0
fl.limit_local_steps_to_infinity(quad, -0.1)  # step_size=-0.1
fl.limit_local_steps_to_infinity(quad, nan)  # step_size=nan
fl.limit_local_steps_to_infinity(quad, "a tenth")  # step_size='a tenth'
fl.limit_local_steps_to_infinity(quad, None)  # step_size=None
fl.limit_local_steps_to_infinity(quad, [0.1])  # step_size=[0.1]
fl.limit_local_steps_to_infinity(quad, 1.0)  # step_size=1.0 is not below 2/L
fl.limit_local_steps_to_infinity(quad, 0.1, exact="yes")  # exact='yes'
fl.limit_local_steps_to_infinity(quad, 0.1, exact=None)  # exact=None
fl.cost("quad", avg)  # problem
fl.cost(None, avg)  # problem
fl.cost(3, avg)  # problem
fl.cost([], avg)  # problem
fl.cost((2,), avg)  # problem_or_sizes=(2,)
fl.cost((2, 2, 2), avg)  # problem_or_sizes=(2, 2, 2)
fl.cost((0, 2), avg)  # n_clients=0
fl.cost((2, 0), avg)  # dimension=0
fl.cost((2.5, 2), avg)  # n_clients=2.5
fl.cost(("a", 2), avg)  # n_clients='a'
fl.cost(quad, "FedAvg")  # algorithm='FedAvg'
fl.cost(quad, None)  # algorithm=None
fl.cost(quad, fl.FedAvg)  # algorithm=FedAvg is a class
fl.cost(quad, quad)  # algorithm=QuadraticProblem
fl.cost(quad, avg, 0)  # rounds=0
fl.cost(quad, avg, 2.5)  # rounds=2.5
fl.cost(quad, avg, None)  # rounds=None
fl.cost(quad, fl.FedAvg(2, 0.1, fl.SchemeII(3)))  # K=3
fl.FunctionClass(nan, 1)  # mu=nan
fl.FunctionClass("x", 1)  # mu='x'
fl.FunctionClass(None, 1)  # mu=None
fl.FunctionClass(True, 2)  # mu=True
fl.FunctionClass(0, 0)  # L=0
fl.FunctionClass(-2, -1)  # L=-1
fl.FunctionClass(0, inf)  # L=inf
fl.FunctionClass(0, None)  # L=None
fl.FunctionClass(0, True)  # L=True
fl.FunctionClass(2, 1)  # mu=2 exceeds L=1
fl.FunctionClass(1, 1)  # mu=L=1
fl.FunctionClass(0, [1])  # L=[1]
fl.FunctionClass(0, float)  # L
fl.SmoothStronglyConvex(0, 1)  # mu=0
fl.SmoothStronglyConvex(-1, 1)  # mu=-1
fl.SmoothStronglyConvex(0.1, nan)  # L=nan
fl.SmoothConvex(0)  # L=0
fl.SmoothConvex("1/0")  # L='1/0'
fl.Smooth(nan)  # L=nan
fl.Smooth(None)  # L=None
fl.Smooth("x")  # L='x'
fl.Smooth(0)  # L=0
fl.Smooth(-1)  # L=-1
fl.Dissimilarity(0.5)  # B=1/2
fl.Dissimilarity(nan)  # B=nan
fl.Dissimilarity(None)  # B=None
fl.Dissimilarity("x")  # B='x'
fl.Dissimilarity(True)  # B=True
fl.MixedDissimilarity(0.5)  # B=1/2
fl.MixedDissimilarity(1, 0)  # federated_weight=0
fl.MixedDissimilarity(1, 1.5)  # federated_weight=3/2
fl.MixedDissimilarity(1, nan)  # federated_weight=nan
fl.MixedDissimilarity(1, None)  # federated_weight=None
fl.worst_case("FedAvg", convex)  # algorithm='FedAvg'
fl.worst_case(None, convex)  # algorithm=None
fl.worst_case(fl.FedAvg, convex)  # algorithm=FedAvg is a class
fl.worst_case(avg, "convex")  # function_class='convex'
fl.worst_case(avg, None)  # function_class=None
fl.worst_case(avg, fl.SmoothConvex)  # function_class
fl.worst_case(avg, convex, rounds=0)  # rounds=0
fl.worst_case(avg, convex, rounds=1.5)  # rounds=1.5
fl.worst_case(avg, convex, rounds=None)  # rounds=None
fl.worst_case(avg, convex, rounds=True)  # rounds=True
fl.worst_case(avg, convex, n_clients=0)  # n_clients=0
fl.worst_case(avg, convex, n_clients=-1)  # n_clients=-1
fl.worst_case(avg, convex, n_clients=2.5)  # n_clients=2.5
fl.worst_case(avg, convex, n_clients="3")  # n_clients='3'
fl.worst_case(avg, convex, measure="splendid")  # splendid
fl.worst_case(avg, convex, measure=None)  # measure=None
fl.worst_case(avg, convex, start="splendid")  # splendid
fl.worst_case(avg, convex, start=3)  # start=3
fl.worst_case(avg, convex, heterogeneity="splendid")  # splendid
fl.worst_case(avg, convex, heterogeneity=3)  # heterogeneity=3
fl.worst_case(avg, convex, quantities={"no such": 1})  # no such
fl.worst_case(avg, convex, quantities={"heterogeneity": nan})  # heterogeneity
fl.worst_case(avg, convex, quantities={"heterogeneity": -1})  # heterogeneity
fl.worst_case(avg, convex, quantities={"heterogeneity": "x"})  # heterogeneity
fl.worst_case(avg, convex, quantities=3)  # quantities=3
fl.worst_case(avg, convex, centre=convex)  # centre
fl.worst_case(avg, convex, centre="convex")  # centre='convex'
fl.worst_case(avg, convex, noise="yes")  # noise='yes'
fl.worst_case(avg, convex, centre_noise="yes")  # centre_noise='yes'
fl.worst_case(avg, convex, centre_noise=True)  # centre_noise=True
fl.worst_case(avg, convex, time_limit=0)  # time_limit=0
fl.worst_case(avg, convex, time_limit=nan)  # time_limit=nan
fl.worst_case(avg, convex, time_limit="1")  # time_limit='1'
fl.worst_case(fl.FedAvg(2, 0.1, fl.SchemeII(2)), convex)  # n_clients
fl.worst_case(fl.FedOpt(1, 0.1, server=fl.Adam()), convex)  # server=Adam
fl.theory.li2020.theorem_1.curve(D1=1, E=5, Gamma=1, L=2, T=100, V=1, mu=1, G2=-9)  # G2=-9
fl.theory.li2020.theorem_1.curve(D1=1, E=5, Gamma=1, L=2, T=100, V=1, mu=1, G2=nan)  # G2=nan
fl.theory.li2020.theorem_1.curve(no_such_symbol=1)  # no_such_symbol
fl.theory.li2020.theorem_1.curve(D1=1, E=5, Gamma=1, L=2, T=100, V=1, mu=1, G2=9, unchecked="yes")  # unchecked='yes'
fl.theory.li2020.theorem_1.exact(D1=1, E=5, Gamma=1, L=2, T=100, V=1, mu=1, G2=9, unchecked=1)  # unchecked=1
fl.theory.li2020.theorem_1.curve(D1=1, E=5, Gamma=1, L=2, T=100, V=1, mu=1, G2="x")  # G2='x'
fl.theory.li2020.theorem_1.curve(G2=1)  # D1
fl.theory.li2020.theorem_1.curve(D1=1, E=0, G2=1, Gamma=1, L=2, T=100, V=1, mu=1)  # E=0
fl.theory.li2020.theorem_1.curve(D1=1, E=5, G2=1, Gamma=1, L=2, T=-5000, V=1, mu=1)  # T=-5000
fl.theory.li2020.theorem_1.curve(D1=1, E=5, G2=1, Gamma=1, L=2, T=100, V=1, mu=3)  # mu=3
fl.theory.li2020.theorem_1.curve(D1=1, E=5, G2=1, Gamma=1, L=2, T=100, V=1, mu=0)  # mu=0
fl.plot("no/such/run")  # no/such/run
fl.plot(None)  # run=None
fl.plot(3)  # run=3
fl.plot({})  # run is an empty mapping
fl.plot(run, quantity="splendid")  # quantity='splendid'
fl.plot(run, quantity=None)  # quantity=None
fl.plot(run, 3)  # bound
fl.plot(run, "theorem 1")  # bound
fl.plot(run, path="no-such-kind.xyz")  # path
fl.plot(run, path=".")  # path
fl.plot(run, path=3)  # path=3
fl.plot(run, exact=3)  # exact=3
fl.plot(run, axes=3)  # axes=3
run.band(level=0)  # level=0
run.band(level=1.5)  # level=1.5
run.band(level=nan)  # level=nan
run.band(level="x")  # level='x'
run.band("splendid")  # quantity='splendid'
run.band(bound=0)  # bound=0
run.band(bound=-1.0)  # bound=-1.0
run.band(bound="x")  # bound='x'
run.band(bound=nan)  # bound=nan
"""
ROWS = [tuple(row.split("  # ")) for row in TABLE.strip().splitlines()]


@pytest.mark.parametrize(("call", "words"), ROWS)
def test_it_is_refused_in_words(call: str, words: str, refused: Callable[[str, str], None]) -> None:
    refused(call, words)
