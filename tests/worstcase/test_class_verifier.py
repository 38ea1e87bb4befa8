"""The trusted file on certificates with several classes of clients: what is forged is rejected, what is proved holds."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from fractions import Fraction as F
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fltheory as fl
from fltheory.worstcase import lyapunov_verifier, verifier
from fltheory.worstcase.client_classes import MOST_CLASSES

Data = dict[str, Any]
CLASSES = fl.ClientClasses([fl.SmoothStronglyConvex(0.1, 1), fl.SmoothStronglyConvex(0.5, 2)], shares=["1/3", "2/3"])
METHOD = fl.FedAvg((1, 2), F(1, 4))


@pytest.fixture(scope="module")
def data() -> Data:
    found = fl.worst_case(METHOD, CLASSES)
    assert found.status == "certified"
    loaded: Data = json.loads(json.dumps(found.certificate))
    assert set(verifier.verify(loaded)) == {"upper", "lower"}
    return loaded


def changed(*path: Any, to: Any) -> Callable[[Data], None]:
    def change(data: Data) -> None:
        for step in path[:-1]:
            data = data[step]
        data[path[-1]] = to

    return change


def place(data: Data, *item: Any) -> int:
    found: int = data["program"].index(list(item))
    return found


def named(data: Data, c: int) -> list[Any]:
    """The gradient of class c at the first model."""
    return ["gradient", 0, c]


def renumbered(to: Any) -> Callable[[Data], None]:
    def change(data: Data) -> None:
        data["program"][place(data, *named(data, 2))][2] = to

    return change


def without_class(data: Data) -> None:
    del data["program"][place(data, *named(data, 2))][2]


def at_another_class(data: Data) -> None:
    """The second gradient of class 2, asked of class 1 at the same point."""
    (second,) = [k for k, item in enumerate(data["program"]) if item[0] == "gradient" and item[1] and item[2] == 2][:1]
    data["program"][second][2] = 1


def swapped(*keys: str) -> Callable[[Data], None]:
    def change(data: Data) -> None:
        part = data
        for key in keys[:-2]:
            part = part[key]
        part[keys[-2]], part[keys[-1]] = part[keys[-1]], part[keys[-2]]

    return change


def average(data: Data) -> None:
    first = next(k for k, item in enumerate(data["program"]) if item[0] == "mean")
    data["program"][first][0] = "average"


def shares(*texts: Any) -> Callable[[Data], None]:
    return changed("shares", "classes", to=list(texts))


HOSTILE: dict[str, tuple[Callable[[Data], None], str]] = {
    "sum below one": (shares("1/3", "1/3"), "not positive with sum one"),
    "sum above one": (shares("1/3", "1"), "not positive with sum one"),
    "a negative share": (shares("4/3", "-1/3"), "not positive with sum one"),
    "a share of zero": (shares("1", "0"), "not positive with sum one"),
    "a share over zero": (shares("1/0", "1/3"), "denominator zero"),
    "a list in the place of a share": (shares(["1/3"], "2/3"), "no rational"),
    "a truth value as a share": (shares(True, "0"), "no rational"),
    "one class": (shares("1"), f"expected 2 to {MOST_CLASSES} shares"),
    "no class": (shares(), f"expected 2 to {MOST_CLASSES} shares"),
    "too many classes": (shares(*["1/21"] * 21), f"expected 2 to {MOST_CLASSES} shares"),
    "a text": (changed("shares", "classes", to="11"), f"expected 2 to {MOST_CLASSES} shares"),
    "nothing": (changed("shares", "classes", to=None), f"expected 2 to {MOST_CLASSES} shares"),
    "an object": (changed("shares", "classes", to={"1/3": 1, "2/3": 2}), f"expected 2 to {MOST_CLASSES} shares"),
    "a third class": (shares("1/3", "1/3", "1/3"), "malformed|clients 3"),
    "other shares": (shares("2/3", "1/3"), "not positive semidefinite"),
    "equal shares": (shares("1/2", "1/2"), "not positive semidefinite"),
    "classes left out": (lambda data: data["shares"].pop("classes"), "unknown names|unknown instruction"),
    "a number of clients": (lambda data: data["shares"].update(clients=4, noise="1/4"), "only with all of any number"),
    "one client": (changed("shares", "clients", to=1), "only with all of any number"),
    "a cohort": (
        lambda data: data["shares"].update(scheme="with replacement", cohort=2, deviation="1/2", noise="1"),
        "only with all of any number",
    ),
    "class 0": (renumbered(0), "class 0 of 2"),
    "class 3": (renumbered(3), "class 3 of 2"),
    "class -1": (renumbered(-1), "class -1 of 2"),
    "class true": (renumbered(True), "class True of 2|repetition"),
    "class '2'": (renumbered("2"), "class '2' of 2"),
    "class 2.0 in quotes": (renumbered("2.0"), "class '2.0' of 2"),
    "no class named": (without_class, "class 0 of 2|unknown instruction|repetition"),
    "another class's gradient": (renumbered(1), "repetition|another class"),
    "another class's point": (at_another_class, "a point of another class"),
    "an average": (average, "'average' with several classes"),
    "a noise": (lambda data: data["program"].append(["noise", 0]), "names? it|'noise' with several classes"),
    "a noise of the server's": (
        lambda data: data["program"].append(["noise", 0, "server"]),
        "'noise' with several classes",
    ),
    "a minimiser of nobody": (lambda data: data["program"].append(["minimiser"]), "class 'minimiser' of 2"),
    "an infimum of nobody": (lambda data: data["program"].append(["infimum"]), "class 'infimum' of 2"),
    "a client of no class": (
        lambda data: data["program"].append(["given", "clients", 1]),
        "class 1|unknown instruction",
    ),
    "a server of a class": (lambda data: data["program"].append(["given", "server", 1, 1]), "unknown instruction"),
    "curvatures exchanged": (swapped("classes", "clients 1", "clients 2"), "not positive semidefinite|breaks"),
    "a class without curvature": (lambda data: data["classes"].pop("clients 2"), "malformed"),
    "a class unknown": (changed("classes", "clients 3", to=["0", "1"]), "unknown names"),
    "a class of all": (changed("classes", "clients", to=["0", "1"]), "unknown names"),
    "mu above L": (changed("classes", "clients 2", to=["2", "1"]), "curvature range"),
    "a smaller range is not the one proved": (changed("classes", "clients 1", to=["0", "1"]), "semidefinite|breaks"),
    "multipliers exchanged": (
        swapped("upper", "interpolation", "clients 1", "clients 2"),
        "interpolation between|cancel",
    ),
    "deviations exchanged": (swapped("lower", "blocks", "d of class 1", "d of class 2"), "wrong size|breaks|values"),
    "a block unknown": (changed("lower", "blocks", "d", to=[]), "unknown names"),
    "a value too high": (changed("lower", "value", to="1"), "below the claimed"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_what_is_forged_is_rejected(data: Data, name: str) -> None:
    change, words = HOSTILE[name]
    mutant = copy.deepcopy(data)
    change(mutant)
    with pytest.raises(verifier.Rejected, match=words):
        verifier.verify(mutant)


def test_the_printed_theorem_speaks_of_classes(data: Data) -> None:
    lines = verifier.report(data)
    assert lines[0].startswith("proved: |w_1 - w*|^2 <= ") and lines[0].endswith(
        "zeta^2, for every number of clients in each class, all weights there, every dimension"
    )
    assert "some N >= 2 clients of equal weights in each class and some start" in lines[1]
    for words in (
        "class 2 of clients has 2/3 of all weights, and each of its losses f_2k has curvature in [1/2, 2]",
        "w* is a minimiser of F = 1/3 (mean of f_1k over class 1) + 2/3 (mean of f_2k over class 2)",
        "if 1/3 mean over k in class 1 of |grad f_1k(w*)|^2 + 2/3 mean over k in class 2 of |grad f_2k(w*)|^2 <= zeta^2",
        "mean: over all clients of a class, with their weights",
        "x_1 = w_0 - 1/4 grad f_2k(w_0)",
    ):
        assert any(words in line for line in lines), words
    assert not any("f_k" in line or "sum_k p_k" in line or "the server" in line for line in lines)


@pytest.mark.parametrize(
    "change",
    [
        changed("claim", "measure", to="gap"),
        changed("measure", "inner", 0, 0, to="1/2"),
        changed("assumptions", 1, "inner", 0, 0, to="1/4"),
    ],
)
def test_a_claim_says_what_is_in_the_file(data: Data, change: Callable[[Data], None]) -> None:
    mutant = copy.deepcopy(data)
    change(mutant)
    theorem = verifier.Theorem(mutant, verifier._Model(mutant))
    assert (theorem.measured, theorem.kinds) != (mutant["claim"]["measure"], mutant["claim"]["assumptions"])
    with pytest.raises(verifier.Rejected):
        verifier.verify(mutant)


def test_no_method_knows_the_minimisers_of_a_class(data: Data) -> None:
    mutant = copy.deepcopy(data)
    mutant["program"][mutant["method_length"] - 1] = ["minimiser", 1]
    with pytest.raises(verifier.Rejected):
        verifier.verify(mutant)


def test_products_of_two_classes_are_told_as_such(data: Data) -> None:
    """A custom measure of one client of each class: they are drawn independently, and meet in their means."""
    mutant = copy.deepcopy(data)
    first, second = place(mutant, "gradient", 0, 1), place(mutant, "gradient", 0, 2)
    mutant["measure"] = {"inner": [["1", first, second]], "values": []}
    mutant["claim"]["measure"] = "custom"
    theorem = verifier.Theorem(mutant, verifier._Model(mutant))
    assert theorem.measure() == "mean over independent k in class 1 and 2 of <grad f_1k(w_0), grad f_2k(w_0)>"


def test_other_multipliers_prove_nothing_false(data: Data) -> None:
    """Whatever single multiplier is changed, the bound that comes of it is rejected or not below the attained value."""
    rng, accepted, rejected = np.random.default_rng(7), 0, 0
    attained = F(data["lower"]["value"])
    for _ in range(150):
        mutant = copy.deepcopy(data)
        del mutant["lower"]
        upper, factor = mutant["upper"], F(str(rng.choice(["0", "1/2", "9/10", "999/1000", "1001/1000", "2"])))
        name = str(rng.choice(["clients 1", "clients 2", "assumptions"]))
        listed = upper["assumptions"] if name == "assumptions" else upper["interpolation"][name]
        k = int(rng.integers(len(listed)))
        if name == "assumptions":
            listed[k] = str(F(listed[k]) * factor)
        else:
            listed[k][2] = str(F(listed[k][2]) * factor)
        pairs = zip(mutant["assumptions"], upper["assumptions"], strict=True)
        upper["bound"] = {item["bound"]: str(F(y) * F(item["scale"])) for item, y in pairs}
        try:
            found = verifier.verify(mutant)["upper"]
        except verifier.Rejected:
            rejected += 1
            continue
        accepted += 1
        assert sum(found.values()) >= attained
    assert rejected > 60 and accepted > 5


def test_a_class_named_twice_is_rejected(data: Data, tmp_path: Path) -> None:
    text = json.dumps(data)
    pair = json.dumps(data["classes"]["clients 1"])
    twice = text.replace(f'"clients 1": {pair}', f'"clients 1": {pair}, "clients 1": {pair}', 1)
    assert twice != text
    (tmp_path / "twice.json").write_text(twice, encoding="utf-8")
    with pytest.raises(verifier.Rejected, match="stands twice"):
        verifier.read(tmp_path / "twice.json")


def test_a_sum_of_vectors_of_two_classes_is_no_point(data: Data) -> None:
    mutant = copy.deepcopy(data)
    first, second = place(mutant, "gradient", 0, 1), place(mutant, "gradient", 0, 2)
    mutant["program"] += [["combine", [["1", 0], ["1", first], ["-1", second]]]]
    verifier.verify(mutant)  # nobody asks there
    mutant["program"] += [["gradient", len(mutant["program"]) - 1, 1]]
    with pytest.raises(verifier.Rejected, match="a point of another class"):
        verifier.verify(mutant)


def test_of_its_mean_it_is_one(data: Data) -> None:
    mutant = copy.deepcopy(data)
    first, second = place(mutant, "gradient", 0, 1), place(mutant, "gradient", 0, 2)
    place_of_sum = len(mutant["program"])
    mutant["program"] += [["combine", [["1", 0], ["1", first], ["-1", second]]], ["mean", place_of_sum]]
    mutant["program"] += [["gradient", place_of_sum + 1, 1]]
    del mutant["lower"]  # it lacks the new gradient
    verifier.verify(mutant)


def test_a_gradient_that_all_classes_share_has_no_balance_with_the_servers() -> None:
    found = fl.worst_case(
        fl.OneWayGradientTransfer(1, F(1, 4)), CLASSES, centre=fl.SmoothConvex(1), certify=True, measure="gap"
    )
    mutant = json.loads(json.dumps(found.certificate))
    mutant["program"] = [["optimum", "shared"] if item == ["optimum"] else item for item in mutant["program"]]
    with pytest.raises(verifier.Rejected, match="one gradient of all classes"):
        verifier.verify(mutant)


def test_several_classes_are_no_part_of_a_lyapunov_certificate() -> None:
    found = fl.lyapunov(fl.FedAvg(1, F(1, 4)), fl.SmoothStronglyConvex(0.1, 1))
    forged = json.loads(json.dumps(found.certificate))
    lyapunov_verifier.verify(copy.deepcopy(forged))
    for part in ("step", "floor", "start"):
        if part in forged:
            forged[part]["shares"]["classes"] = ["1/2", "1/2"]
            forged[part]["classes"] |= {"clients 1": ["1/10", "1"], "clients 2": ["1/10", "1"]}
    with pytest.raises(verifier.Rejected):
        lyapunov_verifier.verify(forged)


def matrices(rng: np.random.Generator, count: int, mu: float, smooth: float) -> Any:
    """Symmetric matrices that do not commute, with eigenvalues in ``[mu, L]``, at its ends mostly."""
    found = []
    for _ in range(count):
        turn = np.linalg.qr(rng.normal(size=(4, 4)))[0]
        found.append(turn.T @ np.diag(rng.choice([mu, smooth, (mu + smooth) / 2], 4)) @ turn)
    return found


@pytest.mark.parametrize("seed", range(6))
def test_bounds_hold_on_quadratics_that_do_not_commute(seed: int) -> None:
    """Any numbers of clients, any weights within a class; the printed factors, none of which is above two."""
    rng = np.random.default_rng(seed)
    numbers = rng.integers(1, 4, 2)
    members = np.repeat([0, 1], numbers)
    curved = matrices(rng, int(numbers[0]), 0.1, 1.0) + matrices(rng, int(numbers[1]), 0.5, 2.0)
    parts = rng.uniform(0.1, 1.0, len(members))
    for c, share in enumerate((1 / 3, 2 / 3)):
        parts[members == c] *= share / parts[members == c].sum()
    slopes = rng.normal(size=(len(members), 4)) * rng.choice([0.0, 1.0, 5.0])
    problem = fl.QuadraticProblem(np.array(curved), slopes, weights=parts)
    best = np.linalg.solve(np.einsum("k,kij->ij", parts, np.array(curved)), parts @ slopes)
    start = best + rng.normal(size=4)
    zeta = float(parts @ ((np.array(curved) @ best - slopes) ** 2).sum(axis=1))
    own = tuple(int((1, 2)[c]) for c in members)
    for method, of_each in (
        (METHOD, fl.FedAvg(own, 0.25)),
        (fl.FedNova((1, 2), F(1, 4)), fl.FedNova(own, 0.25)),
        (fl.Scaffold((1, 2), F(1, 4)), fl.Scaffold(own, 0.25)),
    ):
        bound = proved(method)
        models = fl.trajectory(problem, of_each, rounds=2, start=start).models
        begun, ended = ((models[k] - best) @ (models[k] - best) for k in (0, -1))
        assert ended <= float(bound["distance"]) * begun + float(bound["heterogeneity"]) * zeta + 1e-12
        assert float(bound["distance"]) <= 2


PROVED: dict[Any, Any] = {}


def proved(method: Any) -> Any:
    """The factors that the verifier finds proved of two rounds, once for each method."""
    if method not in PROVED:
        certificate = fl.worst_case(method, CLASSES, rounds=2).certificate
        PROVED[method] = verifier.verify(json.loads(json.dumps(certificate)))["upper"]
    return PROVED[method]
