"""What is far too large is refused at once in one line that says how much it would take, before anything large is made.

One process under a limit of 4 GB of address space asks for all of it: a refusal that comes too late would be a ``MemoryError``.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys

import pytest

#: What is asked, and what the refusal says: how much, and what does it instead.
ASKED = {
    "fl.li_tridiagonal(100, 500).to_dense()": r"2000\.0 GB of numbers.*TridiagonalProblem itself",
    "fl.moments(fl.li_tridiagonal(100, 100), A, rounds=3)": r"80\.0 GB of numbers.*TridiagonalProblem itself",
    "fl.ridge_regression([np.ones((10, 40000))], [np.ones(10)], R)": r"40000 features.*12\.8 GB.*SoftmaxProblem keep samples",
    "fl.LogisticProblem([np.ones((3, 40000))], [np.array([1, -1, 1])], 0).constants.smoothness": r"64\.0 GB of numbers",
    "fl.AdditiveNoise(0.1).covariances(fl.li_tridiagonal(10, 5000))": r"dimension=50001.*20\.0 GB.*simulate needs none",
    "fl.simulate(P, fl.FedAvg(2, 0.1, fl.SchemeI(10**9)), rounds=2)": r"1000000000 clients with dimension=21.*192\.0 GB",
    "fl.simulate(P, fl.FedAvg(10**9, 0.1), rounds=1)": r"local_steps=1000000000.*40\.0 GB.*limit_local_steps_to_infinity",
    "fl.simulate(S, A, rounds=2, oracle=fl.MiniBatch(10**10, replacement=True), reference=False)": r"800\.0 GB.*Exact\(\)",
    "fl.simulate(S, B, rounds=10**13, record_every=10**13, oracle=M, reference=False)": r"days of computing.*7 days; moments",
    "fl.cost(P, fl.FedAvg(10**9, 0.1), rounds=10)": r"more than 250000 gradients of each client: too large a request",
    "fl.worst_case(fl.FedAvg(10**6, 0.1), C, rounds=1)": r"more than 1000 gradients is too large a request",
    "fl.lyapunov(fl.FedAvg(10**6, 0.1), C)": r"more than 1000 gradients is too large a request",
}
#: The same calls at a size that is ordinary: they are not refused.
ORDINARY = [
    "fl.li_tridiagonal(3, 5).to_dense()",
    "fl.ridge_regression([np.ones((10, 4))], [np.ones(10)], R)",
    "fl.simulate(fl.li_tridiagonal(10, 2000), A, rounds=1, oracle=fl.AdditiveNoise(0.1), reference=False)",
    "fl.simulate(S, B, rounds=2, oracle=M, reference=False)",
    "fl.cost(P, fl.FedAvg(10**4, 0.1), rounds=10)",
]
CODE = """
import json, resource, sys, time
resource.setrlimit(resource.RLIMIT_AS, (4 * 10**9, 4 * 10**9))
import numpy as np
import fltheory as fl
P, A, B, M = fl.li_counterexample(5, 4, 0.1), fl.FedAvg(5, 0.1), fl.FedAvg(100, 0.1), fl.MiniBatch(5)
S = fl.synthetic(1, 1, seed=0, n_clients=10).softmax(0)
R, C = fl.Regulariser(0.1, "lambda|w|^2"), fl.SmoothStronglyConvex(mu=0.1, L=1)
answers = {}
for asked in json.loads(sys.argv[1]):
    begin = time.process_time()
    try:
        eval(asked)
        said = "nothing"
    except Exception as error:
        said = f"{type(error).__name__}: {error}"
    answers[asked] = [said, time.process_time() - begin]
print(json.dumps(answers))
"""


@pytest.fixture(scope="module")
def answers() -> dict[str, tuple[str, float]]:
    pytest.importorskip("resource")
    call = [sys.executable, "-c", CODE, json.dumps([*ASKED, *ORDINARY])]
    done = subprocess.run(call, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    found: dict[str, tuple[str, float]] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("asked", ASKED)
def test_refused_with_a_number(answers: dict[str, tuple[str, float]], asked: str) -> None:

    said, seconds = answers[asked]
    assert said.startswith("ValueError: ") and "\n" not in said
    assert re.search(ASKED[asked], said), said
    assert seconds < 8


@pytest.mark.parametrize("asked", ORDINARY)
def test_ordinary_requests_pass(answers: dict[str, tuple[str, float]], asked: str) -> None:
    assert answers[asked][0] == "nothing"
