"""Small Lyapunov certificates written by hand: what a forger would have them say is refused, and what is said is true."""

from __future__ import annotations

import copy
import time
from fractions import Fraction
from typing import Any

import pytest

import fltheory as fl
from fltheory.worstcase import lyapunov_verifier, verifier

Data = dict[str, Any]
FULL = {"scheme": "full", "clients": None, "cohort": None}
W, Y = ["given", "server", 1], ["given", "server", 0]


def _part(program: list[Any], measure: list[Any], assumptions: list[Any], bound: dict[str, str], shares: Data) -> Data:
    return {
        "format": "fltheory worst case 1",
        "program": program,
        "classes": {"clients": ["1/10", "1"]},
        "shares": dict(shares),
        "assumptions": assumptions,
        "measure": {"inner": measure, "values": []},
        "upper": {"interpolation": {}, "assumptions": list(bound.values()), "bound": bound},
    }


def _square(register: int, bound: str) -> Data:
    return {"inner": [["1", register, register]], "values": [], "bound": bound, "scale": "1"}


def _still(program: list[Any], v: list[Any], names: dict[str, int], shares: Data = FULL) -> Data:
    """A method that does nothing, with V_R = V_0: all that the sentences can be wrong about is in the words."""
    bounded = {"inner": v, "values": [], "bound": "lyapunov", "scale": "1"}
    leaves = [
        {"name": name, "given": r if program[r][0] == "given" else None, "before": r, "after": r, "start": r}
        for name, r in names.items()
    ]
    return {
        "format": "fltheory lyapunov 1",
        "leaves": leaves,
        "given": [[leaf["given"], leaf["given"]] for leaf in leaves if leaf["given"] is not None],
        "model": 0,
        "step": _part(program, v, [bounded], {"lyapunov": "1"}, shares),
        "floor": _part(program, [["1", 0, 0]], [bounded], {"lyapunov": "1"}, shares),
    }


def _with_start(data: Data, program: list[Any], measure: list[Any], listed: dict[str, tuple[int, str]]) -> Data:
    items = [_square(r, name) for name, (r, _) in listed.items()]
    bound = {name: y for name, (_, y) in listed.items()}
    data["start"] = _part(program, measure, items, bound, data["step"]["shares"])
    return data


def _words(data: Data) -> tuple[str, ...]:
    found: tuple[str, ...] = lyapunov_verifier.verify(data)["words"]  # type: ignore[no-untyped-call]
    return found


def _refused(data: Data, words: str) -> None:
    with pytest.raises(verifier.Rejected, match=words):
        lyapunov_verifier.verify(data)  # type: ignore[no-untyped-call]


def test_the_still_method_is_accepted() -> None:
    words = _words(_still([W], [["1", 0, 0]], {"w": 0}))
    assert words[0] == "V_R <= 1^R V_0, for every R >= 1"


def test_no_method_is_made_of_the_minimiser() -> None:
    data = _still([W, ["optimum"]], [["1", 0, 0]], {"w": 0})
    _words(data)
    for register, made in ((1, ["optimum"]), (2, ["combine", [["1/2", 0], ["1/2", 1]]])):
        jump = copy.deepcopy(data)
        jump["step"]["program"][register:] = [made]
        jump["leaves"][0]["after"] = register
        jump["step"]["measure"]["inner"] = [["1", register, register]]
        _refused(jump, "step: the method is made of register 1, 'optimum'")
    begun = [W, ["optimum"]]
    _words(_with_start(copy.deepcopy(data), begun, [["1", 0, 0]], {"distance": (0, "1")}))
    warm = _with_start(copy.deepcopy(data), begun, [["1", 1, 1]], {"distance": (1, "0")})
    warm["leaves"][0]["start"] = 1
    _refused(warm, "start: the method is made of register 1, 'optimum'")
    own = _still(
        [W, Y, ["minimiser"], ["combine", [["1", 0], ["-1", 2]]], ["mean", 3]], [["1", 0, 0]], {"w": 0, "y": 1}
    )
    own["leaves"][1]["after"] = 4
    _refused(own, "step: the method is made of register 2, 'minimiser'")


def test_gradients_at_the_minimiser_are_no_part_of_a_method() -> None:
    program = [W, Y, ["optimum"], ["centre", 2]]
    data = _still(program, [["1", 0, 0]], {"w": 0, "y": 1})
    for part in ("step", "floor"):
        data[part]["classes"]["centre"] = ["0", "1"]
    _words(data)
    data["leaves"][1]["after"] = 3
    _refused(data, "step: the method is made of register 2, 'optimum'")


def test_an_invariant_without_a_start_is_a_condition() -> None:
    clients = ["given", "clients", 0]
    program = [W, clients, ["average", 1]]
    v = [["1", 0, 0], ["1", 1, 1], ["1", 2, 2]]
    data = _still(program, v, {"w": 0, "client c": 1, "c": 2})
    assert "from every state with c = mean(client c), which a round keeps (proved)" in _words(data)
    assert not any("in all rounds" in line for line in _words(data))
    zero = [W, ["combine", []]]
    begun = [*zero, ["average", 1]]
    start = _with_start(copy.deepcopy(data), begun, [["1", 0, 0], ["1", 1, 1], ["1", 2, 2]], {"distance": (0, "1")})
    assert "c = mean(client c) in all rounds (proved)" in _words(start)
    start["start"]["program"].append(["given", "server", 0])
    start["leaves"][2]["start"] = 3
    _refused(start, "the invariant is lost, start")


def test_a_leaf_that_is_given_is_the_register_that_is_given() -> None:
    data = _still([W, Y, ["combine", [["2", 1]]]], [["1", 0, 0], ["1", 1, 1]], {"w": 0, "y": 1})
    data["leaves"][1]["before"] = 2
    _refused(data, "leaf 'y': register 2 is not given")


@pytest.mark.parametrize(
    ("pair", "words"),
    [
        (["0", "1], and all is well, in [0"], "no rational in quotes"),
        (["5", "1"], "expected mu < L"),
        (["1", "1"], "expected mu < L"),
        (["-1", "1"], "need not be a minimiser"),
        (["0", "1", "2"], "malformed"),
        (["0"], "malformed"),
        (None, "malformed"),
        (["0", "1/0"], "denominator zero"),
        (["0", 1.5], "no whole number"),
    ],
)
def test_classes_that_no_gradient_asks_are_read_too(pair: Any, words: str) -> None:
    data = _still([W], [["1", 0, 0]], {"w": 0})
    for part in ("step", "floor"):
        data[part]["classes"]["clients"] = pair
    _refused(data, words)


def test_combinations_of_combinations_keep_their_factors() -> None:
    program = [W, Y, ["combine", [["1", 0], ["1", 1]]], ["combine", [["2", 2], ["-1", 0]]]]
    line = _words(_still(program, [["1", 0, 0], ["3", 3, 3]], {"w": 0, "y": 1}))[1]
    assert line == "V = |w - w*|^2 + 3 |2 (w + y) - w - w*|^2, at least |w - w*|^2"


def test_terms_of_one_register_are_one_term() -> None:
    program = [W, Y, ["combine", [["1", 1], ["1", 1], ["1", 0], ["-1", 0]]]]
    assert "|2 y|^2" in _words(_still(program, [["1", 0, 0], ["1", 2, 2]], {"w": 0, "y": 1}))[1]


def test_words_have_an_end() -> None:
    program: list[Any] = [W, Y]
    last = 1
    for _ in range(60):
        program += [["combine", [["2", last]]], ["combine", [["1", last], ["1", len(program)]]]]
        last = len(program) - 1
    began = time.perf_counter()
    _refused(_still(program, [["1", 0, 0], ["1", last, last]], {"w": 0, "y": 1}), "more than 20000 words")
    assert time.perf_counter() - began < 20


def test_a_start_with_draws_is_an_expectation() -> None:
    shares = {"scheme": "full", "clients": 5, "cohort": None}
    v = [["1", 0, 0], ["1", 1, 1]]
    data = _still([W, Y], v, {"w": 0, "y": 1}, shares)
    program = [W, ["noise", 0], ["average", 1]]
    _with_start(data, program, [["1", 0, 0], ["1", 2, 2]], {"distance": (0, "1"), "noise": (1, "1/5")})
    data["leaves"][1]["start"] = 2
    words = _words(data)
    assert "E V_0 <= |w_0 - w*|^2 + 0.2 sigma^2 at the method's own start" in words
    assert words[0].startswith("V_R <= 1^R V_0")
    assert any(
        line.startswith("if given all that came before") and "independent between clients" in line for line in words
    )
    data["leaves"][1]["start"] = 1
    _refused(data, "a vector of the clients in the place of a server's")


def test_noise_is_said_where_its_factor_is_zero() -> None:
    shares = {"scheme": "full", "clients": 5, "cohort": None}
    data = _still([W], [["1", 0, 0]], {"w": 0}, shares)
    assert not any("noise" in line for line in _words(data))
    data["step"]["program"] = [W, ["noise", 0]]
    assert any("given all that came before, noises" in line for line in _words(data))


@pytest.mark.parametrize("scheme", ["with replacement", "without replacement", "with replacement, separate runs"])
@pytest.mark.parametrize("cohort", [1, 3])
def test_cohorts_are_as_large_as_they_are(scheme: str, cohort: int) -> None:
    shares = {"scheme": scheme, "clients": 7, "cohort": cohort}
    data = _still([W], [["1", 0, 0]], {"w": 0}, shares)
    data["step"]["upper"]["assumptions"] = ["81/16"]
    data["step"]["upper"]["bound"] = {"lyapunov": "81/16"}  # the fourth power of 3/2
    words = _words(data)
    assert words[0].startswith("E V_R <= (3/2)^(4 R) V_0")
    assert f"cohorts of {cohort} drawn afresh in each round, {scheme}, independent of all noise" in words


def test_the_cohort_of_a_method_is_the_one_printed() -> None:
    found = fl.lyapunov(fl.FedAvg(2, 0.25, fl.SchemeI(3)), fl.SmoothStronglyConvex(Fraction(1, 10), 1))
    assert any(line.startswith("cohorts of 3 drawn") for line in found.words)


def test_a_gap_of_the_clients_is_no_gap_of_the_sum() -> None:
    """With a loss of the server's own, F* might be read as another number than sum_k p_k f_k(w*)."""
    found = fl.lyapunov(fl.FedAvg(2, 0.25), fl.SmoothStronglyConvex(Fraction(1, 10), 1), heterogeneity="gamma")
    assert "if sum_k p_k (f_k(w*) - min f_k) <= Gamma" in found.words


def test_a_rate_with_an_exponent_stands_in_brackets() -> None:
    program = [W, Y, ["combine", [["1/1000001", 1]]]]
    data = _still(program, [["1", 0, 0], ["1", 1, 1]], {"w": 0, "y": 1})
    data["step"]["upper"] |= {"assumptions": ["12345678"], "bound": {"lyapunov": "12345678"}}
    assert "12345678^R" in _words(data)[0]
    data["step"]["upper"] |= {"assumptions": ["12345678901"], "bound": {"lyapunov": "12345678901"}}
    assert "(1.23456790e+10)^R".replace("0e", "e") in _words(data)[0]


@pytest.mark.parametrize(
    "name",
    [
        "w ",
        " w",
        "w  0",
        "V",
        "V_0",
        "grad f_k",
        "sum_k p_k y",
        "w_0",
        "rho",
        "w in all rounds",
        "sigma",
        "w'",
        "w^2",
        "1",
    ],
)
def test_names_do_not_sound_like_sentences(name: str) -> None:
    _refused(_still([W, Y], [["1", 0, 0], ["1", 1, 1]], {"w": 0, name: 1}), "the name")


def test_the_model_is_w_and_nothing_else_is() -> None:
    v = [["1", 0, 0], ["1", 1, 1]]
    assert "w = model" in _words(_still([W, Y], v, {"model": 0, "y": 1}))
    assert "w = w" not in _words(_still([W, Y], v, {"w": 0, "y": 1}))
    _refused(_still([W, Y], v, {"model": 0, "w": 1}), "w is another vector than the model")


def test_names_that_are_exchanged_are_no_match() -> None:
    algorithm = fl.FedOpt(2, 0.25, server=fl.HeavyBall(0.5))
    found = fl.lyapunov(algorithm, fl.SmoothStronglyConvex(Fraction(1, 10), 1))
    assert found.matches(algorithm)
    data = copy.deepcopy(found.certificate)
    assert data is not None
    data["leaves"][1]["name"] = "change"
    assert not fl.LyapunovBound.of(data).matches(algorithm)
