"""The trusted file by itself: what it imports, how it runs, and that nothing false passes."""

from __future__ import annotations

import ast
import copy
import json
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fltheory as fl
from fltheory.worstcase import certificate, verifier
from fltheory.worstcase.entry import build_model
from fltheory.worstcase.matching import certificate_matches
from fltheory.worstcase.multipliers import pair_keys
from fltheory.worstcase.sdp import ConicProgram
from fltheory.worstcase.solver import solve

CLASS = fl.SmoothStronglyConvex(Fraction(1, 10), 1)


@pytest.fixture(scope="module")
def data() -> dict[str, Any]:
    found = fl.worst_case(fl.FedAvg(2, Fraction(1, 4)), CLASS)
    assert found.status == "certified" and found.certificate is not None
    return json.loads(json.dumps(found.certificate))


def rejected(mutant: dict[str, Any], words: str) -> None:
    with pytest.raises(verifier.Rejected, match=words):
        verifier.verify(mutant)


def test_it_imports_four_modules_of_the_standard_library() -> None:
    tree = ast.parse(Path(verifier.__file__).read_text("utf-8"))
    names = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    names |= {str(node.module) for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert names == {"json", "math", "sys", "fractions"}


def test_it_runs_alone_and_tells_by_its_exit_code(data: dict[str, Any], tmp_path: Path) -> None:
    wrong = copy.deepcopy(data)
    wrong["upper"]["bound"]["distance"] = "1/2"
    for name, text in (("good", json.dumps(data)), ("wrong", json.dumps(wrong)), ("no", "{")):
        (tmp_path / name).write_text(text, encoding="utf-8")
    alone = tmp_path / "alone.py"
    alone.write_bytes(Path(verifier.__file__).read_bytes())
    for files, code, words in (
        (["good"], 0, "attained"),
        (["good", "wrong"], 1, "REJECTED"),
        (["no", "wrong"], 2, "unreadable"),
        (["x"], 2, "x"),
    ):
        done = subprocess.run(
            [sys.executable, "-I", "-S", str(alone), *files], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert done.returncode == code and words in done.stdout, done


@pytest.mark.parametrize("name", ["FedAvg E=3 R=2", "two-sided, gap", "noise E=3", "Gamma"])
def test_no_mutant_proves_what_is_false(script: Any, name: str) -> None:
    mutations = script("mutations")
    counted = mutations.count(name)
    assert sum(counted.values()) > 60
    assert not any(verdict == "FALSE" for _, verdict in counted)
    must_break = {
        "assumption sign",
        "assumption dropped",
        "assumption -0.1 %",
        "bound text lowered",
        "value raised",
        "bound text without a quantity",
        "blocks swapped",
        "mu lowered",
        "L raised",
        "register order",
        "interpolation sign",
    }
    survived = {kind for kind, verdict in counted if verdict == "valid"}
    assert not must_break & survived
    assert must_break <= {kind for kind, _ in counted}


def test_a_certificate_of_another_step_size_does_not_speak_of_this_method(script: Any, data: dict[str, Any]) -> None:
    algorithm = fl.FedAvg(2, Fraction(1, 4))
    assert certificate_matches(data, algorithm, CLASS)
    mutants = [mutant for kind, mutant in script("mutations").statement_mutants(data) if kind == "step size"]
    assert mutants
    for mutant in mutants:
        assert not certificate_matches(mutant, algorithm, CLASS)


@pytest.mark.parametrize(
    ("path", "entry", "words"),
    [
        (["format"], "another", "format"),
        (["upper", "assumptions", 0], 0.91, "no rational"),
        (["upper", "assumptions", 0], True, "no rational"),
        (["upper", "assumptions"], [], "malformed"),
        (["measure", "inner", 0, 1], -1, "there is none"),
        (["measure", "values"], [["1", 0]], "no function value"),
        (["assumptions", 0, "scale"], "-1", "not positive"),
        (["program", 1, 1], 1, "looks ahead"),
        (["program", 3, 1], 1, "no point"),
        (["program", 3, 0], "gradients", "unknown instruction"),
        (["classes", "clients"], ["1", "1"], "curvature range"),
        (["shares", "scheme"], "sometimes", "scheme"),
        (["shares", "clients"], "2", "N="),
        (["lower", "blocks", "d"], [], "wrong size"),
        (["lower", "value"], "2", "below the claimed"),
        (["lower", "values"], {}, "malformed"),
        (["upper", "interpolation"], {"servers": [[1, 2, "1"]]}, "unknown names"),
        (["upper", "interpolation"], {"clients": [[1, 1, "1"]]}, "interpolation between"),
        (["upper", "interpolation"], {"clients": [[1, 3, "1", 0, 1]]}, "part once"),
        (["upper", "interpolation"], {"clients": [[1, 3, "1", -1]]}, "part once"),
    ],
)
def test_bad_data_is_rejected_with_the_reason(data: dict[str, Any], path: list[Any], entry: Any, words: str) -> None:
    mutant = copy.deepcopy(data)
    place = mutant
    for key in path[:-1]:
        place = place[key]
    assert place[path[-1]] != entry
    place[path[-1]] = entry
    rejected(mutant, words)


DISTANCE = {"inner": [["1", 0, 0]], "values": [], "bound": "distance", "scale": "1"}
ANY, TWO = ({"scheme": "full", "clients": n, "cohort": None} for n in (None, 2))
TRIVIAL = {"assumptions": ["1"], "interpolation": {}, "bound": {"distance": "1"}}


def forged(program: list[Any], measure: dict[str, Any], shares: dict[str, Any] = ANY, **parts: Any) -> dict[str, Any]:
    return {
        "format": "fltheory worst case 2",
        "claim": {"algorithm": None, "rounds": 0, "models": [], "measure": "custom", "assumptions": ["custom"]},
        "program": program,
        "shares": shares,
        "assumptions": [DISTANCE],
        "classes": {"clients": ["1/10", "1"], "centre": ["1/10", "1"]},
        "measure": {name: measure[name] for name in ("inner", "values")},
        **parts,
    }


def a_gap_of_a_million(program: list[Any], size: int) -> dict[str, Any]:
    """``f(w) - f(0) = 10^6`` at distance 1: no 1-smooth function whose minimiser is the origin does that."""
    rows = [[str(int(i == j == 0)) for j in range(size)] for i in range(size)]
    lower = {
        "blocks": {"m": rows, "d": [["0"]]},
        "values": {"1": "1000000"},
        "quantities": {"distance": "1"},
        "value": "1000000",
    }
    return forged(program, {"inner": [], "values": [["1", 1]]}, lower=lower)


@pytest.mark.parametrize("curvature", [["1/10", "1"], ["-1", "1"]])
def test_an_instance_has_a_zero_gradient_at_the_origin(curvature: list[str]) -> None:
    without = a_gap_of_a_million([["given", "server", 1], ["gradient", 0]], 2)
    without["classes"]["clients"] = curvature
    rejected(without, "the origin is a minimiser")
    without["program"] += [["optimum"], ["gradient", 2]]
    without["lower"]["blocks"]["d"] = [["0", "0"], ["0", "0"]]
    rejected(without, "breaks interpolation")


def test_an_instance_has_the_servers_gradient_at_the_origin_too() -> None:
    rejected(a_gap_of_a_million([["given", "server", 1], ["centre", 0], ["optimum"], ["gradient", 2]], 3), "the origin")


def test_without_the_origin_only_what_does_not_depend_on_it_is_attained() -> None:
    """Negative curvature: values fall freely between far points, so that the origin can be put far away."""
    found = fl.worst_case(
        fl.FedAvg(2, 0.25), fl.Smooth(1), measure="gradient", heterogeneity=fl.Dissimilarity(2), start="gap"
    )
    assert found.lower is not None and found.certificate is not None
    assert not any(item[0] == "optimum" for item in found.certificate["program"])
    moved = copy.deepcopy(found.certificate)
    moved["assumptions"].append({**DISTANCE, "scale": "1000000"})
    moved["lower"]["quantities"]["distance"] = "1"
    rejected({**moved, "upper": None}, "the origin is a minimiser")


@pytest.mark.parametrize(
    ("program", "words"),
    [
        (
            [["given", "server", 1], ["noise", 1], ["combine", [["1", 0], ["1", 1]]], ["gradient", 2], ["noise", 0]],
            "expected number 0",
        ),
        ([["given", "server", 1], ["noise", 0], ["noise", 0, "again"]], "unknown instruction"),
        ([["given", "server", 1], ["noise", 0], ["noise", 0]], "repetition"),
        ([["given", "server", 1], ["noise", 10**15]], "expected number 0"),
        ([["given", "server", 1], ["noise", 0], ["combine", [["1", 0], ["1", 1]]], ["mean", 2]], "mean of a random"),
        (
            [
                ["given", "server", 1],
                ["noise", 0],
                ["average", 1],
                ["combine", [["1", 0], ["1", 2], ["1", 1]]],
                ["gradient", 3],
            ],
            "random average and a client's noise",
        ),
        (
            [
                ["given", "server", 1],
                ["noise", 0],
                ["average", 1],
                ["combine", [["1", 0], ["1", 2]]],
                ["gradient", 3],
                ["noise", 1],
            ],
            "noise after a gradient at a random average",
        ),
        ([["given", "server", 1], ["optimum", "somewhere"]], "unknown instruction"),
        ([["given", "server", True]], "degree True"),
        ([["given", "server", 1], ["combine", [["1", 0], ["-1", 0]]], ["gradient", 1]], "no point"),
        ([["given", "server", 1], ["optimum"], ["combine", [["1", 1]]], ["gradient", 2]], "always the origin"),
        ([["given", "server", 1], ["gradient", -1]], "looks ahead"),
        ([["given", "server", 1], ["gradient", False]], "looks ahead"),
        ([["given", "server", 1], ["gradient", 0], ["gradient", 0]], "repetition"),
        ([["given", "server", 1], "gradient"], "unknown instruction"),
        ([["given", "clients", 1], ["centre", 0]], "client's point"),
    ],
)
def test_programs_that_say_something_else_are_rejected(program: list[Any], words: str) -> None:
    measure = {"inner": [["1", 0, 0]], "values": []}
    rejected(forged(program, measure, TWO, upper=TRIVIAL), words)
    assert verifier.verify(forged([["given", "server", 1]], measure, TWO, upper=TRIVIAL))


@pytest.mark.parametrize(
    "text",
    ["1e400", "-1e-400", "nan", "inf", "0.5", "1_0/1_0", "\u0661", " 1", "1/0", "1/-2", "", 0.5, True, None, ["1"]],
)
def test_numbers_are_whole_or_fractions(text: Any) -> None:
    program = [["given", "server", 1], ["combine", [["0", 0]]]]
    rejected(
        forged(program, {"inner": [[text, 1, 1]], "values": []}, upper=TRIVIAL),
        "no rational|no whole number|malformed|printable|zero",
    )
    assert verifier.verify(forged(program, {"inner": [["-1/4", 0, 0]], "values": []}, upper=TRIVIAL))


def test_deep_and_huge_data_are_told_apart_from_proofs(tmp_path: Path) -> None:
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    rejected(forged([["given", "server", 1], ["combine", deep]], DISTANCE, upper=TRIVIAL), "malformed")
    huge = forged([["given", "server", 1]], DISTANCE, upper={**TRIVIAL, "bound": {"distance": "1" + "0" * 400}})
    huge["assumptions"] = [{**DISTANCE, "scale": "1" + "0" * 400}]
    assert "1e+400 Q_1" in verifier.report(huge)[0]
    (tmp_path / "twice").write_text('{"format": "x", "format": "fltheory worst case 1"}', encoding="utf-8")
    assert verifier.main([str(tmp_path / "twice")]) == 1


def test_the_names_of_quantities_are_explained(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A bound on "distance" is not called by the name if it is another one."""
    renamed = forged(
        [["given", "server", 1]], DISTANCE, upper={**TRIVIAL, "assumptions": ["1/4"], "bound": {"distance": "1/4"}}
    )
    renamed["assumptions"] = [{**DISTANCE, "inner": [["4", 0, 0]]}]
    (tmp_path / "renamed").write_text(json.dumps(renamed), encoding="utf-8")
    assert verifier.main([str(tmp_path / "renamed")]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "  if 4 |s_1 - w*|^2 <= Q_1 (the file calls Q_1 'distance')" in lines
    assert lines[1].startswith(
        "  proved: |s_1 - w*|^2 <= 0.25 Q_1, for every number of clients, all weights, every dimension"
    )
    assert lines[1].endswith(", under assumptions of its own that are written out below")


@pytest.mark.parametrize("draw", [None, 0, 1, 2])
def test_interpolation_is_the_textbook_inequality(draw: int | None) -> None:
    """``q_ij`` of Taylor, Hendrickx and Glineur; across histories without products of increments from the draw on."""
    program = [
        ["given", "clients", 1],
        ["noise", 0],
        ["noise", 1],
        ["combine", [["1", 0], ["2", 1], ["3", 2]]],
        ["combine", [["1", 0], ["5", 1]]],
        ["gradient", 3],
        ["gradient", 4],
    ]
    model = verifier._Model({**forged(program, DISTANCE, TWO), "classes": {"clients": ["1/3", "2"]}})
    mu, smooth = Fraction(1, 3), Fraction(2)
    wanted: dict[Any, Fraction] = {("f", 5): Fraction(1), ("f", 6): Fraction(-1)}

    def term(factor: Fraction, a: int, b: int, across: bool = False) -> None:
        left, right = model.program.vectors[a], model.program.vectors[b]
        if across and draw is not None:
            left = {key: e for key, e in left.items() if not (isinstance(key[0], tuple) and key[0][1] >= draw)}
        model.program.add_product(wanted, factor, left, right)

    # f_i - f_j - <g_j, x_i - x_j> - (|g_i - g_j|^2/L + mu |x_i - x_j|^2 - 2 mu/L <g_i - g_j, x_i - x_j>) L/(2 (L - mu))
    scale = smooth / (2 * (smooth - mu))
    term(Fraction(-1), 3, 6, True)
    term(Fraction(1), 4, 6)
    for (a, b), factor in {(5, 5): 1 / smooth, (3, 3): mu, (3, 5): -2 * mu / smooth}.items():
        term(-scale * factor, a, b)
        term(-scale * factor, a + 1, b + 1)
        term(scale * factor, a, b + 1, True)
        term(scale * factor, b, a + 1, True)
    pair = (5, 6, Fraction(1)) if draw is None else (5, 6, Fraction(1), draw)
    found = model.interpolation("clients", [pair])
    assert {key: e for key, e in found.items() if e} == {key: e for key, e in wanted.items() if e}


def test_measures_speak_of_points_and_directions_only(data: dict[str, Any]) -> None:
    """Half the model would be half of its distance for a minimiser at the origin, and for no other."""
    mutant = copy.deepcopy(data)
    mutant["program"].append(["combine", [["1/2", 5]]])
    mutant["measure"]["inner"] = [["1", 8, 8]]
    rejected(mutant, "neither a point nor a direction")


def test_one_client_does_not_deviate() -> None:
    found = fl.worst_case(fl.FedAvg(2, Fraction(1, 4)), CLASS, noise=True, n_clients=2)
    assert found.status == "certified" and found.certificate is not None
    single = copy.deepcopy(found.certificate)
    single["shares"] |= {"clients": 1, "noise": "1"}
    rejected({**single, "upper": None}, "one client|interpolation|below")
    alone = fl.worst_case(fl.FedAvg(2, Fraction(1, 4)), CLASS, noise=True, n_clients=1)
    assert alone.lower is None and alone.status == "upper only"


def test_instances_of_the_relaxation_without_parting_histories_are_rejected() -> None:
    """Points of the same client on two histories of the noise belong to one function: at E = 3 that bites."""
    model = build_model(fl.FedAvg(3, Fraction(5, 2)), CLASS, noise=True, n_clients=2)
    problem = ConicProgram(model)
    quantities = {name: Fraction(1) for name in model.bound_names}
    floats = dict.fromkeys(quantities, 1.0)
    honest = solve(problem, floats)
    problem.pair_rows = problem.pair_rows[: sum(key[3] is None for key in pair_keys(model))]
    relaxed = solve(problem, floats, tighten=1e-4)
    assert relaxed.value > 1.05 * honest.value
    blocks = {
        name: [[Fraction(round(e * 10**7), 10**7) for e in row] for row in m] for name, m in relaxed.blocks.items()
    }
    values = {r: Fraction(round(v * 10**7), 10**7) for r, v in zip(model.values, relaxed.values, strict=True)}
    part = certificate.lower(blocks, values, quantities, Fraction(1))
    rejected({**certificate.statement(model), "lower": part}, "histories part before draw")


def test_the_semidefinite_test_is_exact() -> None:
    rng = np.random.default_rng(7)
    for _ in range(200):
        rank, size = int(rng.integers(0, 5)), 4
        factor = [
            [Fraction(int(e), int(d)) for e, d in zip(row, rng.integers(1, 9, rank), strict=True)]
            for row in rng.integers(-4, 5, (size, rank))
        ]
        gram = [[sum((a * b for a, b in zip(x, y, strict=True)), Fraction(0)) for y in factor] for x in factor]
        assert verifier.positive_semidefinite(gram)
        k = int(rng.integers(size))
        gram[k][k] -= gram[k][k] + Fraction(1, 10**9) if rank == 0 else Fraction(0)
        lowered = [row[:] for row in gram]
        values = np.linalg.eigvalsh(np.array(lowered, dtype=float))
        for i in range(size):
            lowered[i][i] -= Fraction(float(values[0])) + Fraction(1, 1000)
        assert not verifier.positive_semidefinite(lowered)
    assert not verifier.positive_semidefinite([[Fraction(0), Fraction(1)], [Fraction(1), Fraction(5)]])
    assert verifier.positive_semidefinite([])


@pytest.mark.parametrize("heterogeneity", ["gradients", "gamma"])
def test_no_random_clients_exceed_a_proved_bound(heterogeneity: str) -> None:
    """Huber and softplus clients of random weights, through the simulator's reading of the program's gradients."""
    rounds, algorithm = 2, fl.FedAvg(2, Fraction(3, 4))
    found = fl.worst_case(algorithm, CLASS, rounds=rounds, heterogeneity=heterogeneity)
    assert found.certificate is not None
    proved = verifier.verify(found.certificate)["upper"]
    rng, largest = np.random.default_rng(11), 0.0
    for _ in range(200):
        n = int(rng.integers(1, 5))
        weights, place, width = rng.dirichlet(np.ones(n)), rng.normal(size=n) * 3, 10 ** rng.uniform(-1, 1, n)
        kind, mu = rng.integers(0, 2, n), 0.1

        def gradient(x: Any, place: Any = place, width: Any = width, kind: Any = kind, mu: float = mu) -> Any:
            huber = np.clip(x - place, -width, width)
            logistic = 4 * width / (1 + np.exp(-np.clip((x - place) / width, -60, 60)))
            return mu * x + (1 - mu) * np.where(kind == 1, huber, logistic)

        low, high = -1e4, 1e4
        for _ in range(200):
            middle = (low + high) / 2
            low, high = (middle, high) if weights @ gradient(np.full(n, middle)) < 0 else (low, middle)
        start = low + 10 ** rng.uniform(-1, 1) * rng.choice([-1, 1])
        w = start
        for _ in range(rounds):
            x = np.full(n, w)
            for _ in range(algorithm.local_steps):
                x = x - 0.75 * gradient(x)
            w = weights @ x
        if heterogeneity == "gradients":
            other = weights @ gradient(np.full(n, low)) ** 2
        else:
            own_low, own_high = np.full(n, -1e4), np.full(n, 1e4)
            for _ in range(200):
                middle = (own_low + own_high) / 2
                up = gradient(middle) < 0
                own_low, own_high = np.where(up, middle, own_low), np.where(up, own_high, middle)
            steps = own_low + (low - own_low) * (np.arange(2000)[:, None] + 0.5) / 2000
            other = weights @ ((low - own_low) * np.mean([gradient(row) for row in steps], axis=0))
        name = {"gradients": "heterogeneity", "gamma": "gamma"}[heterogeneity]
        limit = float(proved["distance"]) * (start - low) ** 2 + float(proved[name]) * other
        largest = max(largest, (w - low) ** 2 / limit)
    assert 0.5 < largest <= 1 + 1e-4 * (heterogeneity == "gamma") + 1e-9


@pytest.mark.parametrize("sampled", [False, True])
def test_what_deviates_from_an_average_averages_to_zero(sampled: bool) -> None:
    """``average(x - average(x))`` is zero for full participation and for a cohort, noises included."""
    kept = {"scheme": "without replacement", "clients": 5, "cohort": 2} if sampled else {"scheme": "full", "clients": 5}
    items = [
        ["given", "clients", 1],
        ["noise", 0],
        ["combine", [["1", 0], ["3", 1]]],
        ["average", 2],
        ["combine", [["1", 2], ["-1", 3]]],
        ["average", 4],
    ]
    program = verifier._Program({"program": items, "shares": {"cohort": None, **kept}})
    assert any(program.vectors[4].values()) and not any(program.vectors[5].values())
    form: dict[Any, Fraction] = {}
    program.add_product(form, 1, program.vectors[3], program.vectors[3])
    share = Fraction(3, 2 * 4) if sampled else None
    expected = {(("m", -1), 0, 0): Fraction(1), (("n", 0), 0, 0): 9 * Fraction(1, 2 if sampled else 5)}
    assert form == expected | ({(("d", -1), 0, 0): share} if sampled else {})


def test_a_program_may_have_so_many_registers_and_not_one_more() -> None:
    whole = [["given"]] * verifier.MOST_REGISTERS
    for program, words in (
        (whole, "shares|missing|expected"),
        ([*whole, ["given"]], "program: expected a list of at most 500"),
    ):
        with pytest.raises((verifier.Rejected, TypeError, KeyError), match=words) as caught:
            verifier._Program({"program": program, "shares": None, "classes": None})
        assert ("program: expected a list" in str(caught.value)) == (len(program) > verifier.MOST_REGISTERS)
