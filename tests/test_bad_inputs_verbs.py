"""Bad arguments of the verbs: each is refused by the name of the quantity, with its value, before anything is computed.

A row is a call and the words that its error must contain; the fixture ``refused`` says what else is asked of an error.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

TABLE = r"""
fl.claims[3]  # no claim 3; expected an id
fl.simulate_batch(quad, avg, rounds=3)  # algorithms=FedAvg(local_steps=2,
fl.from_client_server(3, 4)  # fit=3 cannot be called
fl.from_client_server(print, 4)  # aggregate=4 cannot be called
fl.from_client_server(print, print, setup=5)  # setup=5 cannot be called
fl.fixed_point(None, avg, exact=True, start=None, numbers=None)  # problem=None
fl.fixed_point(3, avg, exact=True, start=None, numbers=None)  # problem=3
fl.fixed_point(fl.QuadraticProblem, avg, exact=True, start=None, numbers=None)  # problem=QuadraticProblem
fl.fixed_point(avg, avg, exact=True, start=None, numbers=None)  # problem=FedAvg(local_steps=2,
fl.fixed_point([], avg, exact=True, start=None, numbers=None)  # problem=[]
fl.fixed_point(object(), avg, exact=True, start=None, numbers=None)  # problem=<object
fl.fixed_point(quad, 'FedAvg', exact=True, start=None, numbers=None)  # algorithm='FedAvg'
fl.fixed_point(quad, None, exact=True, start=None, numbers=None)  # algorithm=None
fl.fixed_point(quad, fl.FedAvg, exact=True, start=None, numbers=None)  # algorithm=FedAvg
fl.fixed_point(quad, quad, exact=True, start=None, numbers=None)  # algorithm=QuadraticProblem(N=2, d=2)
fl.fixed_point(quad, 3, exact=True, start=None, numbers=None)  # algorithm=3
fl.fixed_point(quad, [], exact=True, start=None, numbers=None)  # algorithm=[]
fl.fixed_point(quad, avg, exact=1.0, start=None, numbers=None)  # exact=1.0
fl.fixed_point(quad, avg, exact='yes', start=None, numbers=None)  # exact='yes'
fl.fixed_point(quad, avg, exact=2, start=None, numbers=None)  # exact=2
fl.fixed_point(quad, avg, exact=None, start=None, numbers=None)  # exact=None
fl.fixed_point(quad, avg, exact=nan, start=None, numbers=None)  # exact=nan
fl.fixed_point(quad, avg, exact=True, start=[], numbers=None)  # start has
fl.fixed_point(quad, avg, exact=True, start='x', numbers=None)  # start='x'
fl.fixed_point(quad, avg, exact=True, start=[1.0], numbers=None)  # start has
fl.fixed_point(quad, avg, exact=True, start=[nan, 1.0], numbers=None)  # start[0]=nan
fl.fixed_point(quad, avg, exact=True, start=[inf, 0.0], numbers=None)  # start[0]=inf
fl.fixed_point(quad, avg, exact=True, start=[1j, 0.0], numbers=None)  # start has
fl.fixed_point(quad, avg, exact=True, start=None, numbers='float')  # numbers='float'
fl.fixed_point(quad, avg, exact=True, start=None, numbers=3)  # numbers=3
fl.fixed_point(quad, avg, exact=True, start=None, numbers=F)  # numbers=the class
fl.round_map('quad', avg, exact=True, start=None, numbers=None)  # problem='quad'
fl.round_map(None, avg, exact=True, start=None, numbers=None)  # problem=None
fl.round_map(3, avg, exact=True, start=None, numbers=None)  # problem=3
fl.round_map(fl.QuadraticProblem, avg, exact=True, start=None, numbers=None)  # problem=QuadraticProblem
fl.round_map(avg, avg, exact=True, start=None, numbers=None)  # problem=FedAvg(local_steps=2,
fl.round_map(quad, 'FedAvg', exact=True, start=None, numbers=None)  # algorithm='FedAvg'
fl.round_map(quad, None, exact=True, start=None, numbers=None)  # algorithm=None
fl.round_map(quad, fl.FedAvg, exact=True, start=None, numbers=None)  # algorithm=FedAvg
fl.round_map(quad, quad, exact=True, start=None, numbers=None)  # algorithm=QuadraticProblem(N=2, d=2)
fl.round_map(quad, 3, exact=True, start=None, numbers=None)  # algorithm=3
fl.round_map(quad, avg, exact=1.0, start=None, numbers=None)  # exact=1.0
fl.round_map(quad, avg, exact='yes', start=None, numbers=None)  # exact='yes'
fl.round_map(quad, avg, exact=2, start=None, numbers=None)  # exact=2
fl.round_map(quad, avg, exact=None, start=None, numbers=None)  # exact=None
fl.round_map(quad, avg, exact=nan, start=None, numbers=None)  # exact=nan
fl.round_map(quad, avg, exact=True, start=list, numbers=None)  # start contains
fl.round_map(quad, avg, exact=True, start=[[1.0], [2.0, 3.0]], numbers=None)  # start=[[1.0],
fl.round_map(quad, avg, exact=True, start=[], numbers=None)  # start has
fl.round_map(quad, avg, exact=True, start='x', numbers=None)  # start='x'
fl.round_map(quad, avg, exact=True, start=[1.0], numbers=None)  # start has
fl.round_map(quad, avg, exact=True, start=None, numbers='float')  # numbers='float'
fl.round_map(quad, avg, exact=True, start=None, numbers=3)  # numbers=3
fl.round_map(quad, avg, exact=True, start=None, numbers=F)  # numbers=the class
fl.trajectory([], avg, rounds=2, start=None, exact=True, numbers=None, cohorts=None)  # problem=[]
fl.trajectory(object(), avg, rounds=2, start=None, exact=True, numbers=None, cohorts=None)  # problem=<object
fl.trajectory('quad', avg, rounds=2, start=None, exact=True, numbers=None, cohorts=None)  # problem='quad'
fl.trajectory(None, avg, rounds=2, start=None, exact=True, numbers=None, cohorts=None)  # problem=None
fl.trajectory(3, avg, rounds=2, start=None, exact=True, numbers=None, cohorts=None)  # problem=3
fl.trajectory(fl.QuadraticProblem, avg, rounds=2, start=None, exact=True, numbers=None, cohorts=None)  # problem=QuadraticProblem
fl.trajectory(quad, [], rounds=2, start=None, exact=True, numbers=None, cohorts=None)  # algorithm=[]
fl.trajectory(quad, 'FedAvg', rounds=2, start=None, exact=True, numbers=None, cohorts=None)  # algorithm='FedAvg'
fl.trajectory(quad, None, rounds=2, start=None, exact=True, numbers=None, cohorts=None)  # algorithm=None
fl.trajectory(quad, fl.FedAvg, rounds=2, start=None, exact=True, numbers=None, cohorts=None)  # algorithm=FedAvg
fl.trajectory(quad, 3, rounds=2, start=None, exact=True, numbers=None, cohorts=None)  # algorithm=3
fl.trajectory(quad, avg, rounds=True, start=None, exact=True, numbers=None, cohorts=None)  # rounds=True
fl.trajectory(quad, avg, rounds=nan, start=None, exact=True, numbers=None, cohorts=None)  # rounds=nan
fl.trajectory(quad, avg, rounds=inf, start=None, exact=True, numbers=None, cohorts=None)  # rounds=inf
fl.trajectory(quad, avg, rounds=int, start=None, exact=True, numbers=None, cohorts=None)  # rounds=the class
fl.trajectory(quad, avg, rounds=-1, start=None, exact=True, numbers=None, cohorts=None)  # rounds=-1
fl.trajectory(quad, avg, rounds=2.5, start=None, exact=True, numbers=None, cohorts=None)  # rounds=2.5
fl.trajectory(quad, avg, rounds=2, start=[nan, 1.0], exact=True, numbers=None, cohorts=None)  # start[0]=nan
fl.trajectory(quad, avg, rounds=2, start=[inf, 0.0], exact=True, numbers=None, cohorts=None)  # start[0]=inf
fl.trajectory(quad, avg, rounds=2, start=[1j, 0.0], exact=True, numbers=None, cohorts=None)  # start has
fl.trajectory(quad, avg, rounds=2, start=list, exact=True, numbers=None, cohorts=None)  # start contains
fl.trajectory(quad, avg, rounds=2, start=[[1.0], [2.0, 3.0]], exact=True, numbers=None, cohorts=None)  # start=[[1.0],
fl.trajectory(quad, avg, rounds=2, start=[], exact=True, numbers=None, cohorts=None)  # start has
fl.trajectory(quad, avg, rounds=2, start=None, exact=1.0, numbers=None, cohorts=None)  # exact=1.0
fl.trajectory(quad, avg, rounds=2, start=None, exact='yes', numbers=None, cohorts=None)  # exact='yes'
fl.trajectory(quad, avg, rounds=2, start=None, exact=2, numbers=None, cohorts=None)  # exact=2
fl.trajectory(quad, avg, rounds=2, start=None, exact=None, numbers=None, cohorts=None)  # exact=None
fl.trajectory(quad, avg, rounds=2, start=None, exact=nan, numbers=None, cohorts=None)  # exact=nan
fl.trajectory(quad, avg, rounds=2, start=None, exact=True, numbers='float', cohorts=None)  # numbers='float'
fl.trajectory(quad, avg, rounds=2, start=None, exact=True, numbers=3, cohorts=None)  # numbers=3
fl.trajectory(quad, avg, rounds=2, start=None, exact=True, numbers=F, cohorts=None)  # numbers=the class
fl.trajectory(quad, avg, rounds=2, start=None, exact=True, numbers=None, cohorts=[1, 2])  # cohorts=1
fl.trajectory(quad, avg, rounds=2, start=None, exact=True, numbers=None, cohorts='x')  # cohorts='x'
fl.trajectory(quad, avg, rounds=2, start=None, exact=True, numbers=None, cohorts=3)  # cohorts=3
fl.moments(avg, avg, rounds=2, oracle=None, centre_oracle=None, start=None)  # problem=FedAvg(local_steps=2,
fl.moments([], avg, rounds=2, oracle=None, centre_oracle=None, start=None)  # problem=[]
fl.moments(object(), avg, rounds=2, oracle=None, centre_oracle=None, start=None)  # problem=<object
fl.moments('quad', avg, rounds=2, oracle=None, centre_oracle=None, start=None)  # problem='quad'
fl.moments(quad, [], rounds=2, oracle=None, centre_oracle=None, start=None)  # algorithm=[]
fl.moments(quad, 'FedAvg', rounds=2, oracle=None, centre_oracle=None, start=None)  # algorithm='FedAvg'
fl.moments(quad, None, rounds=2, oracle=None, centre_oracle=None, start=None)  # algorithm=None
fl.moments(quad, fl.FedAvg, rounds=2, oracle=None, centre_oracle=None, start=None)  # algorithm=FedAvg
fl.moments(quad, avg, rounds='3', oracle=None, centre_oracle=None, start=None)  # rounds='3'
fl.moments(quad, avg, rounds=None, oracle=None, centre_oracle=None, start=None)  # rounds=None
fl.moments(quad, avg, rounds=True, oracle=None, centre_oracle=None, start=None)  # rounds=True
fl.moments(quad, avg, rounds=nan, oracle=None, centre_oracle=None, start=None)  # rounds=nan
fl.moments(quad, avg, rounds=2, oracle=fl.Exact, centre_oracle=None, start=None)  # oracle=the class
fl.moments(quad, avg, rounds=2, oracle=1.0, centre_oracle=None, start=None)  # oracle=1.0
fl.moments(quad, avg, rounds=2, oracle=avg, centre_oracle=None, start=None)  # oracle=FedAvg(local_steps=2,
fl.moments(quad, avg, rounds=2, oracle='exact', centre_oracle=None, start=None)  # oracle='exact'
fl.moments(quad, avg, rounds=2, oracle=None, centre_oracle=3, start=None)  # centre_oracle=3
fl.moments(quad, avg, rounds=2, oracle=None, centre_oracle=fl.Exact, start=None)  # centre_oracle=the class
fl.moments(quad, avg, rounds=2, oracle=None, centre_oracle=1.0, start=None)  # centre_oracle=1.0
fl.moments(quad, avg, rounds=2, oracle=None, centre_oracle=avg, start=None)  # centre_oracle=FedAvg(local_steps=2,
fl.moments(quad, avg, rounds=2, oracle=None, centre_oracle=None, start='x')  # start='x'
fl.moments(quad, avg, rounds=2, oracle=None, centre_oracle=None, start=[1.0])  # start has
fl.moments(quad, avg, rounds=2, oracle=None, centre_oracle=None, start=[nan, 1.0])  # start[0]=nan
fl.moments(quad, avg, rounds=2, oracle=None, centre_oracle=None, start=[inf, 0.0])  # start[0]=inf
fl.second_moment_of_gradients(None, avg, rounds=2, oracle=noise)  # problem=None
fl.second_moment_of_gradients(3, avg, rounds=2, oracle=noise)  # problem=3
fl.second_moment_of_gradients(fl.QuadraticProblem, avg, rounds=2, oracle=noise)  # problem=QuadraticProblem
fl.second_moment_of_gradients(quad, None, rounds=2, oracle=noise)  # algorithm=None
fl.second_moment_of_gradients(quad, fl.FedAvg, rounds=2, oracle=noise)  # algorithm=FedAvg
fl.second_moment_of_gradients(quad, quad, rounds=2, oracle=noise)  # algorithm=QuadraticProblem(N=2, d=2)
fl.second_moment_of_gradients(quad, avg, rounds=inf, oracle=noise)  # rounds=inf
fl.second_moment_of_gradients(quad, avg, rounds=int, oracle=noise)  # rounds=the class
fl.second_moment_of_gradients(quad, avg, rounds=-1, oracle=noise)  # rounds=-1
fl.second_moment_of_gradients(quad, avg, rounds=2, oracle='exact')  # oracle='exact'
fl.second_moment_of_gradients(quad, avg, rounds=2, oracle=3)  # oracle=3
fl.second_moment_of_gradients(quad, avg, rounds=2, oracle=fl.Exact)  # oracle=the class
fl.rational_functions(3)  # names=3
fl.rational_functions(None)  # names=None
fl.rational_functions('')  # names=''
fl.rational_functions('1x')  # names='1x'
fl.rational_functions('a b')  # names='a
fl.plan(None, fl.FedAvg, rounds=3)  # problem=None
fl.plan(3, fl.FedAvg, rounds=3)  # problem=3
fl.plan(fl.QuadraticProblem, fl.FedAvg, rounds=3)  # problem=QuadraticProblem
fl.plan(avg, fl.FedAvg, rounds=3)  # problem=FedAvg(
fl.plan(quad, None, rounds=3)  # None
fl.plan(quad, 3, rounds=3)  # 3
fl.plan(quad, 'FedAvg', rounds=3)  # 'FedAvg'
fl.plan(quad, quad, rounds=3)  # QuadraticProblem
fl.plan(quad, fl.FedAvg)  # none
fl.plan(quad, fl.FedAvg, rounds=3, bytes=3)  # rounds=3, bytes=3
fl.plan(quad, fl.FedAvg, rounds=0)  # rounds=0
fl.plan(quad, fl.FedAvg, rounds=2.5)  # rounds=2.5
fl.plan(quad, fl.FedAvg, rounds='3')  # rounds='3'
fl.plan(quad, fl.FedAvg, gradients=nan)  # gradients=nan
fl.plan(quad, fl.FedAvg, bytes=inf)  # bytes=inf
fl.plan(quad, fl.FedAvg, local_steps=-1)  # local_steps=-1
fl.plan(quad, fl.FedAvg, rounds=3, local_steps_grid=())  # local_steps_grid is empty
fl.plan(quad, fl.FedAvg, rounds=3, local_steps_grid=(1.5,))  # local_steps_grid=1.5
fl.plan(quad, fl.FedAvg, rounds=3, local_steps_grid=3)  # local_steps_grid=3
fl.plan(quad, fl.FedAvg, rounds=3, cohorts=())  # cohorts is empty
fl.plan(quad, fl.FedAvg, rounds=3, cohorts=(9,))  # 9 clients
fl.plan(quad, fl.FedAvg, rounds=3, cohorts=('all',))  # cohorts
fl.plan(quad, fl.FedAvg, rounds=3, theorems='yes')  # theorems='yes'
fl.plan(quad, fl.FedAvg, rounds=3, start=[1.0])  # start has
fl.plan(quad, fl.FedAvg, rounds=3, start='x')  # start='x'
fl.plan(quad, fl.FedAvg, rounds=3, oracle=3)  # oracle=3
fl.plan(quad, fl.FedAvg, rounds=3, time_limit=0)  # time_limit=0
fl.plan(quad, fl.FedAvg, rounds=3, quantities={'D0': 1})  # quantities
fl.one_step_check('f', rounds=6, tolerance=1e-9)  # run='f'
fl.one_step_check(3, rounds=6, tolerance=1e-9)  # run=3
fl.one_step_check(nan, rounds=6, tolerance=1e-9)  # run=nan
fl.one_step_check(len, rounds=0, tolerance=1e-9)  # rounds=0
fl.one_step_check(len, rounds=-1, tolerance=1e-9)  # rounds=-1
fl.one_step_check(len, rounds=2.5, tolerance=1e-9)  # rounds=2.5
fl.one_step_check(len, rounds='3', tolerance=1e-9)  # rounds='3'
fl.one_step_check(len, rounds=6, tolerance=None)  # tolerance=None
fl.one_step_check(len, rounds=6, tolerance=True)  # tolerance=True
fl.one_step_check(len, rounds=6, tolerance=0.1j)  # tolerance=0.1j
fl.one_step_check(len, rounds=6, tolerance=[0.1])  # tolerance=[0.1]
fl.simulate(avg, avg, rounds=2)  # problem=FedAvg(local_steps=2,
fl.simulate([], avg, rounds=2)  # problem=[]
fl.simulate(object(), avg, rounds=2)  # problem=<object
fl.simulate('quad', avg, rounds=2)  # problem='quad'
fl.simulate(quad, 3, rounds=2)  # algorithm=3
fl.simulate(quad, [], rounds=2)  # algorithm=[]
fl.simulate(quad, 'FedAvg', rounds=2)  # algorithm='FedAvg'
fl.simulate(quad, None, rounds=2)  # algorithm=None
fl.simulate(quad, avg, rounds=None, runs=2, seed=0, oracle=None)  # rounds=None
fl.simulate(quad, avg, rounds=True, runs=2, seed=0, oracle=None)  # rounds=True
fl.simulate(quad, avg, rounds=nan, runs=2, seed=0, oracle=None)  # rounds=nan
fl.simulate(quad, avg, rounds=inf, runs=2, seed=0, oracle=None)  # rounds=inf
fl.simulate(quad, avg, rounds=2j, runs=2, seed=0, oracle=None)  # rounds=2j
fl.simulate(quad, avg, rounds=[2], runs=2, seed=0, oracle=None)  # rounds=[2]
fl.simulate(quad, avg, rounds=2, runs=int, seed=0, oracle=None)  # runs=the class
fl.simulate(quad, avg, rounds=2, runs=10**30, seed=0, oracle=None)  # runs=1000000000000000000000000000000
fl.simulate(quad, avg, rounds=2, runs=0, seed=0, oracle=None)  # runs=0
fl.simulate(quad, avg, rounds=2, runs=-1, seed=0, oracle=None)  # runs=-1
fl.simulate(quad, avg, rounds=2, runs=2.5, seed=0, oracle=None)  # runs=2.5
fl.simulate(quad, avg, rounds=2, runs='3', seed=0, oracle=None)  # runs='3'
fl.simulate(quad, avg, rounds=2, runs=2, seed=nan, oracle=None)  # seed=nan
fl.simulate(quad, avg, rounds=2, runs=2, seed=-1, oracle=None)  # seed=-1
fl.simulate(quad, avg, rounds=2, runs=2, seed=2.5, oracle=None)  # seed=2.5
fl.simulate(quad, avg, rounds=2, runs=2, seed='3', oracle=None)  # seed='3'
fl.simulate(quad, avg, rounds=2, runs=2, seed=None, oracle=None)  # seed=None
fl.simulate(quad, avg, rounds=2, runs=2, seed=True, oracle=None)  # seed=True
fl.simulate(quad, avg, rounds=2, runs=2, seed=0, oracle=1.0)  # oracle=1.0
fl.simulate(quad, avg, rounds=2, runs=2, seed=0, oracle=avg)  # oracle=FedAvg(local_steps=2,
fl.simulate(quad, avg, rounds=2, runs=2, seed=0, oracle='exact')  # oracle='exact'
fl.simulate(quad, avg, rounds=2, runs=2, seed=0, oracle=3)  # oracle=3
fl.simulate(quad, avg, rounds=2, runs=2, seed=0, oracle=fl.Exact)  # oracle=the class
fl.simulate(quad, avg, rounds=2, centre_oracle=1.0, start=None, record_every=1)  # centre_oracle=1.0
fl.simulate(quad, avg, rounds=2, centre_oracle=avg, start=None, record_every=1)  # centre_oracle=FedAvg(local_steps=2,
fl.simulate(quad, avg, rounds=2, centre_oracle='exact', start=None, record_every=1)  # centre_oracle='exact'
fl.simulate(quad, avg, rounds=2, centre_oracle=3, start=None, record_every=1)  # centre_oracle=3
fl.simulate(quad, avg, rounds=2, centre_oracle=None, start=[1j, 0.0], record_every=1)  # start has
fl.simulate(quad, avg, rounds=2, centre_oracle=None, start=list, record_every=1)  # start contains
fl.simulate(quad, avg, rounds=2, centre_oracle=None, start=[[1.0], [2.0, 3.0]], record_every=1)  # start=[[1.0],
fl.simulate(quad, avg, rounds=2, centre_oracle=None, start=[], record_every=1)  # start has
fl.simulate(quad, avg, rounds=2, centre_oracle=None, start=None, record_every=None)  # record_every=None
fl.simulate(quad, avg, rounds=2, centre_oracle=None, start=None, record_every=True)  # record_every=True
fl.simulate(quad, avg, rounds=2, centre_oracle=None, start=None, record_every=nan)  # record_every=nan
fl.simulate(quad, avg, rounds=2, centre_oracle=None, start=None, record_every=inf)  # record_every=inf
fl.simulate(quad, avg, rounds=2, first_run=2.5, threads=1, chunk=1, backend='auto')  # first_run=2.5
fl.simulate(quad, avg, rounds=2, first_run='3', threads=1, chunk=1, backend='auto')  # first_run='3'
fl.simulate(quad, avg, rounds=2, first_run=None, threads=1, chunk=1, backend='auto')  # first_run=None
fl.simulate(quad, avg, rounds=2, first_run=True, threads=1, chunk=1, backend='auto')  # first_run=True
fl.simulate(quad, avg, rounds=2, first_run=0, threads='3', chunk=1, backend='auto')  # threads='3'
fl.simulate(quad, avg, rounds=2, first_run=0, threads=True, chunk=1, backend='auto')  # threads=True
fl.simulate(quad, avg, rounds=2, first_run=0, threads=nan, chunk=1, backend='auto')  # threads=nan
fl.simulate(quad, avg, rounds=2, first_run=0, threads=-1, chunk=1, backend='auto')  # threads=-1
fl.simulate(quad, avg, rounds=2, first_run=0, threads=1, chunk=0, backend='auto')  # chunk=0
fl.simulate(quad, avg, rounds=2, first_run=0, threads=1, chunk=2.5, backend='auto')  # chunk=2.5
fl.simulate(quad, avg, rounds=2, first_run=0, threads=1, chunk='3', backend='auto')  # chunk='3'
fl.simulate(quad, avg, rounds=2, first_run=0, threads=1, chunk=True, backend='auto')  # chunk=True
fl.simulate(quad, avg, rounds=2, first_run=0, threads=1, chunk=1, backend=3)  # backend=3
fl.simulate(quad, avg, rounds=2, first_run=0, threads=1, chunk=1, backend=None)  # backend=None
fl.simulate(quad, avg, rounds=2, first_run=0, threads=1, chunk=1, backend=True)  # backend=True
fl.simulate(quad, avg, rounds=2, first_run=0, threads=1, chunk=1, backend=str)  # backend=the class
fl.simulate(quad, avg, rounds=2, divergence_threshold=float, keep_models=True, reference=True)  # divergence_threshold=the class
fl.simulate(quad, avg, rounds=2, divergence_threshold=object(), keep_models=True, reference=True)  # divergence_threshold=<object
fl.simulate(quad, avg, rounds=2, divergence_threshold=0, keep_models=True, reference=True)  # divergence_threshold=0
fl.simulate(quad, avg, rounds=2, divergence_threshold=1, keep_models=1.0, reference=True)  # keep_models=1.0
fl.simulate(quad, avg, rounds=2, divergence_threshold=1, keep_models='yes', reference=True)  # keep_models='yes'
fl.simulate(quad, avg, rounds=2, divergence_threshold=1, keep_models=2, reference=True)  # keep_models=2
fl.simulate(quad, avg, rounds=2, divergence_threshold=1, keep_models=None, reference=True)  # keep_models=None
fl.simulate(quad, avg, rounds=2, divergence_threshold=1, keep_models=True, reference=nan)  # reference=nan
fl.simulate(quad, avg, rounds=2, divergence_threshold=1, keep_models=True, reference=1.0)  # reference=1.0
fl.simulate(quad, avg, rounds=2, divergence_threshold=1, keep_models=True, reference='yes')  # reference='yes'
fl.simulate(quad, avg, rounds=2, divergence_threshold=1, keep_models=True, reference=2)  # reference=2
fl.simulate(quad, avg, rounds=2, reference=False, objective='f', progress=None)  # objective='f'
fl.simulate(quad, avg, rounds=2, reference=False, objective=3, progress=None)  # objective=3
fl.simulate(quad, avg, rounds=2, reference=False, objective=nan, progress=None)  # objective=nan
fl.simulate(quad, avg, rounds=2, reference=False, objective=None, progress='f')  # progress='f'
fl.simulate(quad, avg, rounds=2, reference=False, objective=None, progress=3)  # progress=3
fl.simulate(quad, avg, rounds=2, reference=False, objective=None, progress=nan)  # progress=nan
run.values('splendid')  # quantity='splendid'
run.values(3)  # quantity=3
run.values(None)  # quantity=None
fl.simulate(quad, avg, rounds=10**12)  # rounds=1000000000000 with runs=1, record_every=1: too large a request
fl.simulate(quad, avg, rounds=10**15, record_every=10**14)  # too large a request
fl.simulate(quad, avg, rounds=10**15, keep_models=True)  # too large a request
fl.simulate(quad, avg, rounds=10, runs=10**14)  # runs=100000000000000, record_every=1: too large a request
fl.simulate(quad, avg, rounds=1e10)  # rounds=10000000000.0
fl.simulate(quad, avg, rounds=2, first_run=2**63 - 1)  # first_run + runs
fl.simulate(quad, fl.FedAvg(2, 0.1, fl.SchemeII(3)), rounds=2)  # K=3 clients per round exceeds N=2
fl.simulate(quad, avg, rounds=2, oracle=fl.MiniBatch(2))  # samples=None
fl.simulate(quad, avg, rounds=2, oracle=fl.AdditiveNoise(np.eye(3)))  # covariance has shape (3, 3)
fl.simulate(quad, avg, rounds=2, start=np.zeros((3, 2)))  # start has shape (3, 2)
fl.simulate(mixed, avg, rounds=2)  # algorithm=FedAvg never asks for the server's own loss
fl.series(mixed, lambda eta: fl.FedAvg(1, eta), 1)  # algorithm=FedAvg never asks for the server's own loss
fl.simulate_law(fl.li_tridiagonal(2, 2, 1), avg, rounds=2, oracle=1)  # TridiagonalProblem has none here: to_dense()
fl.simulate(quad, fl.OneWayGradientTransfer(2, 0.1), rounds=2)  # has no central loss
fl.simulate(quad, avg, rounds=2, objective=len)  # objective is given
fl.fixed_point(quad, fl.FedAvg(2, 0.1, fl.SchemeII(3)))  # K=3 clients per round exceeds N=2
fl.fixed_point(quad, fl.FedAvg(2, fl.Harmonic(1, 8)))  # step_size=Harmonic
fl.fixed_point(quad, fl.FedAvg(2, 3.0))  # the rounds diverge
fl.round_map(fl.LogisticProblem(X, Y, l2), avg)  # problem=LogisticProblem
fl.fixed_point(fl.LogisticProblem(X, Y, l2), avg, exact=True)  # problem=LogisticProblem
fl.round_map(quad, fl.FedOpt(2, 0.1, server=fl.Adam()))  # server=Adam
fl.trajectory(quad, fl.FedAvg(2, 0.1, fl.SchemeII(1)), rounds=1, cohorts=[(0, 1)])  # cohort (0, 1) is none
fl.trajectory(quad, avg, rounds=1, cohorts=[("a",)])  # cohorts='a'
fl.trajectory(quad, avg, rounds=1, cohorts=[3])  # cohorts=3
fl.rational_functions()  # names=()
fl.rational_functions("a", "a")  # names=('a', 'a')
fl.one_step_check(lambda a, p, s, r: np.zeros(2))  # models has shape
run.mean("splendid")  # quantity='splendid'
fl.Run.load(3)  # path=3
fl.Run.load(None)  # path=None
fl.Run.load("no/such/run")  # path='no/such/run'
fl.claims["LI-LEM33"]  # similar: LI-LEM3
"""
ROWS = [tuple(row.split("  # ")) for row in TABLE.strip().splitlines()]


@pytest.mark.parametrize(("call", "words"), ROWS)
def test_it_is_refused_in_words(call: str, words: str, refused: Callable[[str, str], None]) -> None:
    refused(call, words)
