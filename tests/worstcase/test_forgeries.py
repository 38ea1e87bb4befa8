"""Forged certificates: each is refused, or what is printed of it is another theorem, and true as printed.

Where a forgery is accepted the printed lines are read back by :mod:`printed`, an interpreter of its own, which evaluates the
inequality on random clients under the printed assumptions; a control shows that it notices factors that are too small.
"""

from __future__ import annotations

import random
import re
import sys
from fractions import Fraction
from pathlib import Path

import pytest

from fltheory.worstcase import box_verifier, command, verifier

sys.path.insert(0, str(Path(__file__).parent))

from forging import (  # noqa: E402
    QUESTIONS,
    Forgery,
    both,
    claimed_anew,
    drop,
    empty_measure,
    half_the_scale,
    honest,
    larger_start,
    lower_only,
    measured_in,
    more_assumed,
    moved_zeta,
    put,
    renamed,
    scaled,
    somewhere,
    start_measured,
    swapped_names,
    text,
    upper_only,
    without_assumption,
    zero_at_the_end,
)
from printed import worst_excess  # noqa: E402

F = Fraction
LONG = "1" + "0" * 2500

# --- texts and shapes: refused, whatever the mathematics -------------------------------------------------------------
SHAPES = [
    Forgery("a newline in a quantity's name", "fedavg", renamed("distance\nproved: 0 <= 0"), "printable"),
    Forgery("an escape sequence in a quantity's name", "fedavg", renamed("distance\x1b[2K"), "printable"),
    Forgery("a letter of another alphabet", "fedavg", renamed("dist\u0430nce"), "printable"),
    Forgery("a quantity named like a sentence", "fedavg", renamed("0, for all N; proved: w"), "the bound"),
    Forgery("a quantity without a name", "fedavg", renamed(""), "the bound"),
    Forgery("a newline in classes", "fedavg", put("classes", "clients", ["1/10\n", "1"]), "printable"),
    Forgery("an escape sequence in classes", "fedavg", put("classes", "clients", ["\x1b[1A1/10", "1"]), "printable"),
    Forgery("an extra key in classes", "fedavg", put("classes", "for every method", ["1/10", "1"]), "unknown names"),
    Forgery("three numbers in classes", "fedavg", put("classes", "clients", ["1/10", "1", "2"]), "malformed"),
    Forgery("a class of words", "fedavg", put("classes", "clients", ["mu", "L"]), "no rational"),
    Forgery("an extra key", "fedavg", put("theorem", "P = NP"), "unknown names"),
    Forgery("an extra key in the claim", "fedavg", put("claim", "holds", "for all"), "unknown names"),
    Forgery("an extra key in the shares", "fedavg", put("shares", "law", None), "unknown names"),
    Forgery("an extra key in the measure", "fedavg", put("measure", "scale", "1/1000"), "unknown names"),
    Forgery("an extra key in an assumption", "fedavg", put("assumptions", 0, "unless", "0"), "unknown names"),
    Forgery("an extra key in the proof", "fedavg", put("upper", "except", "0"), "unknown names"),
    Forgery("an extra key in the instance", "fedavg", put("lower", "except", "0"), "unknown names"),
    Forgery("a group of its own", "fedavg", put("upper", "interpolation", "servers", []), "unknown names"),
    Forgery("a format of version 1", "fedavg", put("format", "fltheory worst case 1"), "without a claim"),
    Forgery(
        "version 1 as it was", "fedavg", both(put("format", "fltheory worst case 1"), drop("claim")), "without a claim"
    ),
    Forgery("a format of version 3", "fedavg", put("format", "fltheory worst case 3"), "unknown format"),
    Forgery("no format", "fedavg", drop("format"), "unknown format"),
    Forgery("no claim", "fedavg", drop("claim"), "missing"),
    Forgery("an empty claim", "fedavg", put("claim", None), "claim: expected an object"),
    Forgery("a claim in words", "fedavg", put("claim", "distance"), "claim: expected an object"),
    Forgery("no measure", "fedavg", drop("measure"), "missing"),
    Forgery("no program", "fedavg", drop("program"), "missing"),
    Forgery("no proof", "fedavg", both(upper_only, lower_only), "neither an upper nor a lower"),
    Forgery("a key twice", "fedavg", text('"program":', '"format": "x", "program":'), "twice"),
    Forgery("a scale twice", "fedavg", text('"scale": "1"', '"scale": "1", "scale": "2"'), "twice"),
    Forgery("a claim twice", "fedavg", text('"claim":', '"claim": {}, "claim":'), "twice"),
    Forgery("a float", "fedavg", text('"scale": "1"', '"scale": 1.0'), "no whole number"),
    Forgery("a float with a power", "fedavg", text('"scale": "1"', '"scale": 1e3'), "no whole number"),
    Forgery("not a number", "fedavg", text('"scale": "1"', '"scale": NaN'), "no whole number"),
    Forgery("infinity", "fedavg", text('"scale": "1"', '"scale": Infinity'), "no whole number"),
    Forgery("a decimal in quotes", "fedavg", put("assumptions", 0, "scale", "1.0"), "no rational"),
    Forgery("2/2", "fedavg", put("measure", "inner", 0, 0, "2/2"), "lowest terms"),
    Forgery("2/20 and 1 for a class", "fedavg", put("classes", "clients", ["2/20", "1"]), "lowest terms"),
    Forgery("10/10 as a multiplier", "fedavg", put("upper", "assumptions", 0, "10/10"), "lowest terms"),
    Forgery("01", "fedavg", put("assumptions", 0, "scale", "01"), "lowest terms"),
    Forgery("-0", "fedavg", put("measure", "inner", [["1", 5, 5], ["-0", 5, 5]]), "lowest terms"),
    Forgery("1/01", "fedavg", put("assumptions", 0, "scale", "1/01"), "lowest terms"),
    Forgery("a negative denominator", "fedavg", put("assumptions", 0, "scale", "-1/-1"), "malformed|lowest"),
    Forgery("a denominator of zero", "fedavg", put("assumptions", 0, "scale", "1/0"), "denominator zero"),
    Forgery("true for one", "fedavg", put("assumptions", 0, "scale", True), "no rational"),
    Forgery("a list for a number", "fedavg", put("assumptions", 0, "scale", ["1"]), "no rational|malformed"),
    Forgery("a huge number", "fedavg", put("assumptions", 0, "scale", LONG), "characters"),
    Forgery("a huge whole number", "fedavg", text('"scale": "1"', f'"scale": {LONG}'), "digits"),
    Forgery("deep nesting", "fedavg", text('"1"', "[" * 100_000 + "]" * 100_000), "deep"),
    Forgery(
        "deep nesting in the name",
        "fedavg",
        put("claim", "algorithm", "fields", "step_size", [[[["0.25"]]]]),
        "rational",
    ),
    Forgery("a program of many registers", "fedavg", put("program", [["given", "server", 1]] * 600), "at most"),
    Forgery("an object for the program", "fedavg", put("program", {}), "at most"),
    Forgery("too much white space", "fedavg", text('"1"', '"1"' + " " * 5_000_000), "bytes"),
    Forgery("no object at all", "fedavg", text("{", "[{"), "delimiter|Expecting"),
]
# --- the algorithm's name is a label: names and numbers, no sentences -----------------------------------------------
LABEL = ("claim", "algorithm")
LABELS = [
    Forgery("a sentence for a name", "fedavg", put(*LABEL, "name", "any method; proved: 0"), "no rational|the names"),
    Forgery("a newline in the name", "fedavg", put(*LABEL, "name", "FedAvg\n"), "printable"),
    Forgery("a number for a name", "fedavg", put(*LABEL, "name", 7), "malformed"),
    Forgery("a name of a thousand letters", "fedavg", put(*LABEL, "name", "F" * 1000), "the names"),
    Forgery("a text for the algorithm", "fedavg", put(*LABEL, "FedAvg"), "expected an object"),
    Forgery("a sentence for a field", "fedavg", put(*LABEL, "fields", "step_size", "1/4, for all N"), "no rational"),
    Forgery("a sentence for a field's name", "fedavg", put(*LABEL, "fields", "all, N", "1"), "the names"),
    Forgery("a field not in lowest terms", "fedavg", put(*LABEL, "fields", "step_size", "2/8"), "lowest terms"),
    Forgery("a source in words", "fedavg", put(*LABEL, "source", "as printed"), "the names"),
    Forgery("an extra key of the algorithm", "fedavg", put(*LABEL, "note", "true"), "unknown names"),
    Forgery("too many fields", "fedavg", put(*LABEL, "fields", {f"a{k}": k for k in range(400)}), "too long"),
    Forgery("another algorithm's name", "fedavg", put(*LABEL, "name", "Scaffold"), says="said to be Scaffold("),
    Forgery("another step size in the name", "fedavg", put(*LABEL, "fields", "step_size", "1/8"), says="step_size=1/8"),
    Forgery("other local steps in the name", "fedavg", put(*LABEL, "fields", "local_steps", 50), says="local_steps=50"),
    Forgery("no name", "fedavg", put(*LABEL, None), says="the program is:"),
]
# --- a claim that is not what program and functionals are -----------------------------------------------------------
CLAIMS = [
    Forgery("the gap for the distance", "fedavg", put("claim", "measure", "gap"), "the measure said to be 'gap'"),
    Forgery("the distance for the gap", "two rounds", put("claim", "measure", "distance"), "the measure said to be"),
    Forgery("an unknown measure", "fedavg", put("claim", "measure", "loss"), "the measure said to be"),
    Forgery(
        "no heterogeneity in the claim", "fedavg", put("claim", "assumptions", ["distance"]), "the assumptions said"
    ),
    Forgery("no assumptions in the claim", "fedavg", put("claim", "assumptions", []), "the assumptions said to be"),
    Forgery(
        "an assumption too many", "fedavg", put("claim", "assumptions", ["distance", "gamma", "heterogeneity"]), "said"
    ),
    Forgery("assumptions in words", "fedavg", put("claim", "assumptions", "distance"), "the assumptions said to be"),
    Forgery("two rounds said of one", "fedavg", put("claim", "rounds", 2), "models, 2 rounds"),
    Forgery("true rounds", "fedavg", put("claim", "rounds", True), "models, True rounds"),
    Forgery("rounds in quotes", "fedavg", put("claim", "rounds", "1"), "models, 1 rounds"),
    Forgery("one round said of two", "two rounds", put("claim", "rounds", 1), "models, 1 rounds"),
    Forgery("no models", "fedavg", put("claim", "models", []), "0 models"),
    Forgery("a client's point is the last model", "fedavg", put("claim", "models", [0, 4]), "no model of the server's"),
    Forgery("a gradient is the last model", "fedavg", put("claim", "models", [0, 3]), "no model of the server's"),
    Forgery("the minimiser is the last model", "fedavg", put("claim", "models", [0, 6]), "no model in register 6"),
    Forgery("the last model is said to be the first", "fedavg", put("claim", "models", [5, 0]), "said to be"),
    Forgery("the start is the end", "fedavg", put("claim", "models", [5, 5]), "said to be"),
    Forgery("the end is the start", "fedavg", put("claim", "models", [0, 0]), "the measure said to be"),
    Forgery("a model that is not there", "fedavg", put("claim", "models", [0, 99]), "no model in register 99"),
    Forgery("a negative model", "fedavg", put("claim", "models", [0, -1]), "no model in register -1"),
    Forgery("true is no model", "fedavg", put("claim", "models", [0, True]), "no model in register True"),
    Forgery("models in words", "fedavg", put("claim", "models", "05"), "expected a list"),
    Forgery("a client's vector is the start", "free state", put("claim", "models", [3, 9]), "no model"),
    Forgery("a noisy point is the last model", "noise", put("claim", "models", [0, 3]), "no model of the server's"),
]
# --- statements changed beneath the claim ---------------------------------------------------------------------------
STATEMENTS = {
    "the measure is assumed to be zero": zero_at_the_end,
    "twice the start under its name": larger_start,
    "half the scale": half_the_scale,
    "a thousandth of the measure": measured_in(F(1, 1000)),
    "a third of the measure": measured_in(F(1, 3)),
    "an empty measure": empty_measure,
    "swapped names": swapped_names,
    "a name of its own": renamed("error"),
    "the first quantity called noise of the server's": renamed("centre_noise"),
}
BENEATH = [
    Forgery(f"{name}, under the old claim ({base})", base, both(upper_only, change), "said to be|claimed bound|lowest")
    for base in ("fedavg", "two rounds", "nonconvex", "free state", "noise", "cohort")
    for name, change in STATEMENTS.items()
]
ANEW = [
    Forgery(f"{name}, under a claim that fits ({base})", base, both(upper_only, change), says="<=", claims=True)
    for base in ("fedavg", "two rounds", "nonconvex", "free state", "noise", "cohort")
    for name, change in STATEMENTS.items()
]
SQUARE_OF_THE_END = {"inner": [["1", 5, 5]], "values": []}
OTHERS = [
    Forgery(
        "an assumption dropped",
        "fedavg",
        both(upper_only, without_assumption),
        "claimed|cancel|semidefinite",
        claims=True,
    ),
    Forgery(
        "one more assumption, not used",
        "fedavg",
        both(upper_only, more_assumed({**SQUARE_OF_THE_END, "bound": None, "scale": "1"})),
        says="if |w_1 - w*|^2 <= 0",
        claims=True,
    ),
    Forgery(
        "one more assumption on the distance",
        "fedavg",
        both(upper_only, more_assumed({**SQUARE_OF_THE_END, "bound": "more", "scale": "1"})),
        says="(the file calls Q_1 'more')",
        claims=True,
    ),
    Forgery("the start is measured", "fedavg", both(upper_only, start_measured), says="1 |w_0 - w*|^2", claims=True),
    Forgery("the start is measured as the end", "fedavg", both(upper_only, start_measured), "the measure said to be"),
    Forgery(
        "zeta of the gradients at the start",
        "fedavg",
        both(upper_only, moved_zeta),
        says="if sum_k p_k |grad f_k(w_0)|^2 <= Q_1",
        claims=True,
    ),
    Forgery("a scale of zero", "fedavg", put("assumptions", 0, "scale", "0"), "not positive"),
    Forgery("a negative scale", "fedavg", put("assumptions", 0, "scale", "-1"), "not positive"),
    Forgery("a bound that is smaller", "fedavg", put("upper", "bound", "distance", "1/2"), "claimed bound"),
    Forgery("a bound of another quantity", "fedavg", put("upper", "bound", {"G2": "1"}), "claimed bound"),
    Forgery("a negative multiplier", "fedavg", put("upper", "assumptions", 1, "-1"), "negative"),
    Forgery(
        "a multiplier of a point with itself",
        "fedavg",
        put("upper", "interpolation", "clients", [[1, 1, "1"]]),
        "between",
    ),
    Forgery("multipliers left out", "fedavg", put("upper", "interpolation", "clients", []), "semidefinite|cancel"),
]
# --- programs that are others ---------------------------------------------------------------------------------------
W = ["given", "server", 1]
PROGRAMS = [
    Forgery(
        "a smaller step", "fedavg", both(upper_only, put("program", 2, 1, 1, 0, "-1/5")), says="w_0 - 1/5 grad f_k(w_0)"
    ),
    Forgery(
        "a point made of another and of what that is made of",
        "fedavg",
        both(
            upper_only,
            put("program", 4, ["combine", [["1/2", 0], ["1/2", 2], ["-1/8", 1], ["-1/4", 3]]]),
        ),
        says="x_2 = 1/2 w_0 + 1/2 x_1 - 1/8 grad f_k(w_0) - 1/4 grad f_k(x_1)",
    ),
    Forgery(
        "a step of the other sign",
        "fedavg",
        both(upper_only, put("program", 2, 1, 1, 0, "1/4")),
        says="x_1 = w_0 + 1/4 grad f_k(w_0)",
    ),
    Forgery("half of the model", "fedavg", put("program", 2, 1, 0, 0, "1/2"), "no point"),
    Forgery(
        "a method that goes to the minimiser", "fedavg", put("program", 5, ["optimum"]), "no model|no method|repetition"
    ),
    Forgery(
        "a method that knows the minimiser",
        "fedavg",
        both(
            upper_only,
            put("program", [*[W, ["optimum"]], ["combine", [["1/2", 0], ["1/2", 1]]]]),
            put("claim", "models", [0, 2]),
            put("method_length", 3),
            put("measure", "inner", [["1", 2, 2]]),
            put("assumptions", [{"inner": [["1", 0, 0]], "values": [], "bound": "distance", "scale": "1"}]),
            put("upper", {"interpolation": {}, "assumptions": ["1/4"], "bound": {"distance": "1/4"}}),
        ),
        "which no method knows",
        claims=True,
    ),
    Forgery(
        "a method that knows the clients' minimisers",
        "fedavg",
        both(
            upper_only,
            put("program", [W, ["minimiser"], ["average", 1]]),
            put("claim", "models", [0, 2]),
            put("method_length", 3),
            put("measure", "inner", [["1", 2, 2]]),
            put("assumptions", []),
            put("upper", {"interpolation": {}, "assumptions": [], "bound": {}}),
        ),
        "semidefinite|which no method knows",
        claims=True,
    ),
    Forgery("a method that ends before its models", "fedavg", put("method_length", 5), "no model in register 5"),
    Forgery("a method that is all of the program", "fedavg", put("method_length", 8), "which no method knows"),
    Forgery("a method of no length", "fedavg", put("method_length", 0), "no model in register 0"),
    Forgery("a negative length", "fedavg", put("method_length", -1), "method_length"),
    Forgery("a length of true", "fedavg", put("method_length", True), "method_length"),
    Forgery("registers in another order", "fedavg", put("program", 1, ["gradient", 4]), "looks ahead"),
    Forgery("a register twice", "fedavg", put("program", 3, ["gradient", 0]), "repetition"),
    Forgery("an instruction of its own", "fedavg", put("program", 3, ["hessian", 2]), "unknown instruction"),
    Forgery("the start is a direction", "fedavg", put("program", 0, ["given", "server", 0]), "no point"),
    Forgery(
        "the start is each client's own",
        "fedavg",
        both(upper_only, put("program", 0, ["given", "clients", 1])),
        "no model of the server's|semidefinite",
    ),
    Forgery(
        "all clients have one gradient at w*",
        "fedavg",
        both(upper_only, put("program", 6, ["optimum", "shared"])),
        says="if all clients have the same gradient at w*",
    ),
    Forgery("another minimiser", "fedavg", put("program", 6, ["optimum", "nearly"]), "unknown instruction"),
    Forgery("flatter clients", "fedavg", put("classes", "clients", ["1/20", "1"]), "semidefinite|interpolation"),
    Forgery("steeper clients", "fedavg", put("classes", "clients", ["1/10", "2"]), "semidefinite|interpolation"),
    Forgery(
        "rounder clients",
        "fedavg",
        both(upper_only, put("classes", "clients", ["1/5", "1"])),
        says="each f_k has curvature in [1/5, 1]",
    ),
    Forgery("no class", "fedavg", put("classes", "clients", None), "malformed"),
    Forgery("mu = L", "fedavg", put("classes", "clients", ["1", "1"]), "curvature range"),
    Forgery("mu above L", "fedavg", put("classes", "clients", ["2", "1"]), "curvature range"),
    Forgery(
        "a class of the server's that is not asked",
        "fedavg",
        both(upper_only, put("classes", "centre", ["-5", "7"])),
        says="for every number of clients",
    ),
    Forgery("no class of the server's", "centre", put("classes", "centre", None), "malformed"),
    Forgery(
        "a steeper loss of the server's",
        "centre",
        both(upper_only, put("classes", "centre", ["0", "3"])),
        says="f_c has curvature in [0, 3]",
    ),
    Forgery(
        "a mean over all clients in a cohort's method",
        "cohort",
        both(upper_only, put("program", 3, ["mean", 2])),
        says="mean: over all clients, with their weights",
    ),
    Forgery(
        "gamma of another point",
        "two rounds",
        both(upper_only, put("assumptions", 1, "values", [["-1", 1]])),
        "said to be|cancel|semidefinite",
    ),
    Forgery(
        "gradients bounded elsewhere",
        "two rounds",
        both(upper_only, put("assumptions", 2, "inner", [["2", 1, 1]])),
        "said to be|semidefinite",
    ),
    Forgery(
        "w_1 left out",
        "two rounds",
        both(upper_only, put("claim", "models", [0, 6]), put("claim", "rounds", 1)),
        says="F(w_1) - F(w*) <=",
    ),
    Forgery(
        "a smaller step of a free state",
        "free state",
        both(upper_only, put("claim", "algorithm", "fields", {"local_steps": 9})),
        says=": any direction of each client's own",
    ),
    Forgery(
        "a free state that is not said",
        "free state",
        both(upper_only, put("claim", "algorithm", "name", "FedAvg")),
        says="any direction",
    ),
    Forgery(
        "dissimilarity with another constant",
        "nonconvex",
        both(upper_only, put("assumptions", -1, "inner", 0, 0, "2")),
        "said to be|semidefinite",
    ),
]
# --- noise, clients, cohorts ----------------------------------------------------------------------------------------
NOISY = {"scheme": "full", "clients": 3, "cohort": None}
RANDOM = [
    Forgery(
        "noise of half the variance", "noise", put("assumptions", -1, "inner", 0, 0, "2"), "semidefinite|said|breaks"
    ),
    Forgery(
        "noise of twice the variance", "noise", put("assumptions", -1, "inner", 0, 0, "1/2"), "semidefinite|said|breaks"
    ),
    Forgery("noise without a bound", "noise", both(upper_only, without_assumption), "semidefinite|claimed"),
    Forgery("more clients", "noise", put("shares", {**NOISY, "clients": 100}), "semidefinite|interpolation|below"),
    Forgery("more clients, from below", "noise", both(lower_only, put("shares", {**NOISY, "clients": 100})), "below"),
    Forgery(
        "one client", "noise", both(lower_only, put("shares", {**NOISY, "clients": 1})), "one client|interpolation"
    ),
    Forgery("any number of clients", "noise", put("shares", {**NOISY, "clients": None}), "depends on N"),
    Forgery(
        "fewer clients, from above", "noise", both(upper_only, put("shares", {**NOISY, "clients": 2})), "semidefinite"
    ),
    Forgery("another share of noise", "noise", put("shares", "noise", "1/100"), "noise is"),
    Forgery("a share not in lowest terms", "noise", put("shares", "noise", "2/6"), "lowest terms"),
    Forgery(
        "noise of the server's", "noise", put("program", 2, ["noise", 0, "server"]), "semidefinite|blocks|missing|said"
    ),
    Forgery("a draw left out", "noise", put("program", 2, ["noise", 1]), "expected number 0"),
    Forgery("a larger cohort", "cohort", put("shares", "cohort", 4), "deviation is|noise is"),
    Forgery(
        "a larger cohort, by itself",
        "cohort",
        put("shares", {"scheme": "without replacement", "clients": 5, "cohort": 4}),
        "below|semidefinite",
    ),
    Forgery(
        "a smaller cohort",
        "cohort",
        both(upper_only, put("shares", {"scheme": "without replacement", "clients": 5, "cohort": 1})),
        "semidefinite",
    ),
    Forgery(
        "more clients for a cohort",
        "cohort",
        both(upper_only, put("shares", {"scheme": "without replacement", "clients": 50, "cohort": 2})),
        "semidefinite",
    ),
    Forgery(
        "a cohort larger than all",
        "cohort",
        put("shares", {"scheme": "without replacement", "clients": 5, "cohort": 6}),
        "scheme",
    ),
    Forgery(
        "full participation for a cohort",
        "cohort",
        both(lower_only, put("shares", {"scheme": "full", "clients": None, "cohort": None})),
        "below",
    ),
    Forgery(
        "drawn with replacement",
        "cohort",
        both(upper_only, put("shares", {"scheme": "with replacement", "clients": None, "cohort": 2})),
        "semidefinite",
    ),
    Forgery("a scheme of its own", "cohort", put("shares", "scheme", "the best two"), "scheme"),
    Forgery("half a client", "cohort", put("shares", "clients", "5"), "N="),
    Forgery("a cohort of true", "cohort", put("shares", "cohort", True), "K=True"),
]
# --- instances ------------------------------------------------------------------------------------------------------
INSTANCES = [
    Forgery("a larger value", "fedavg", put("lower", "value", "2"), "below the claimed"),
    Forgery("a larger value by little", "two rounds", put("lower", "value", "1"), "below the claimed"),
    Forgery("a smaller start", "fedavg", put("lower", "quantities", "distance", "1/2"), "breaks an assumption"),
    Forgery("less heterogeneity", "fedavg", put("lower", "quantities", "heterogeneity", "0"), "breaks an assumption"),
    Forgery("a quantity left out", "fedavg", drop("lower", "quantities", "heterogeneity"), "missing"),
    Forgery("a quantity of its own", "fedavg", put("lower", "quantities", "luck", "1"), "unknown names"),
    Forgery("a block left out", "fedavg", drop("lower", "blocks", "d"), "missing"),
    Forgery("a block of its own", "fedavg", put("lower", "blocks", "x", []), "unknown names"),
    Forgery("a block that is not symmetric", "fedavg", put("lower", "blocks", "m", 0, 1, "7"), "symmetric"),
    Forgery("a block that is not semidefinite", "fedavg", put("lower", "blocks", "m", 0, 0, "-1"), "semidefinite"),
    Forgery("values of a steeper function", "fedavg", put("lower", "values", "1", "7"), "breaks interpolation"),
    Forgery("a value of the wrong register", "fedavg", put("lower", "values", "0", "0"), "unknown names"),
    Forgery(
        "blocks of one client",
        "fedavg",
        put("shares", {"scheme": "full", "clients": 1, "cohort": None}),
        "one client|semidef",
    ),
    Forgery("the start is free of the distance", "fedavg", both(lower_only, drop("assumptions", 0)), "unknown names"),
    Forgery("a smaller value", "fedavg", put("lower", "value", "1/7"), says=">= 0.142857142 for some N >= 2 clients"),
    Forgery(
        "a larger start",
        "fedavg",
        both(lower_only, put("lower", "quantities", "distance", "3")),
        says="|w_0 - w*|^2 <= 3",
    ),
]
# --- boxes ----------------------------------------------------------------------------------------------------------
BOXES = [
    Forgery("a wider box", "box", put("box", [["1/8", "3/2"], ["1/20", "1/5"]]), "semidefinite"),
    Forgery("a box of mu from above", "box", put("box", [["1/8", "1/4"], ["1/5", "1/20"]]), "expected 0 <"),
    Forgery("a box with long steps", "box", put("box", [["0", "1/4"], ["1/20", "1/5"]]), "expected 0 <"),
    Forgery("an end not in lowest terms", "box", put("box", [["2/16", "1/4"], ["1/20", "1/5"]]), "lowest terms"),
    Forgery("a smaller contraction", "box", put("contraction", [[0, 0, "1/2"]]), "semidefinite"),
    Forgery("a larger contraction", "box", put("contraction", [[0, 0, "5"]]), says="a = 5"),
    Forgery("a smaller floor", "box", put("b", ["0"] * 12), "semidefinite"),
    Forgery("a client's point at the end", "box", put("end", 2), "no vector of the server's"),
    Forgery("the start at the end", "box", put("end", 0), "semidefinite|cancel"),
    Forgery("another start", "box", put("start", 3), "the start is the given model"),
    Forgery("zeta at another point", "box", put("optimum", 1), "no gradient at w\\*"),
    Forgery("a gradient for the end", "box", put("end", 1), "no point"),
    Forgery("an extra key of a box", "box", put("for", "every method"), "unknown names"),
    Forgery(
        "a negative multiplier of a box", "box", put("multipliers", [[1, 5, ["-1"] * 9]]), "negative|two registers"
    ),
    Forgery("no multipliers", "box", put("multipliers", []), "semidefinite|cancel"),
    Forgery("degrees of a box", "box", put("degrees", "b", [1, 1]), "Bernstein coefficients"),
    Forgery("a longer step of a box", "box", put("program", 2, 1, 1, 0, [[1, 0, "-3"]]), "semidefinite"),
    Forgery("a program of a box in words", "box", put("program", "FedAvg"), "expected a list"),
    Forgery(
        "a box's method that knows the minimiser",
        "box",
        both(
            put(
                "program",
                [
                    ["given", "server", 1],
                    ["optimum"],
                    ["gradient", 1],
                    ["combine", [[[[0, 0, "1/2"]], 0], [[[0, 0, "1/2"]], 1]]],
                ],
            ),
            put("end", 3),
            put("optimum", 2),
            put("multipliers", []),
            put("b", ["0"] * 12),
            put("contraction", [[0, 0, "1/4"]]),
        ),
        "which no method knows",
    ),
]
ALL = [*SHAPES, *LABELS, *CLAIMS, *BENEATH, *ANEW, *OTHERS, *PROGRAMS, *RANDOM, *INSTANCES, *BOXES]


def judged(lines: list[str]) -> None:
    """What is printed of an accepted certificate is true, as far as numbers tell."""
    if any(line.startswith("proved: ") for line in lines):
        excess, counted = worst_excess(lines, tries=24)
        assert excess <= 1e-9, lines
        assert counted or any(line.endswith(("<= 0", "= 0")) for line in lines if line.startswith("if ")), lines


@pytest.mark.parametrize("forgery", ALL, ids=[forgery.name for forgery in ALL])
def test_a_forgery_is_refused_or_true_as_printed(forgery: Forgery, tmp_path: Path) -> None:
    data, written = forgery.made()
    path = tmp_path / "forged.json"
    path.write_text(written, encoding="utf-8")
    code, lines = command.check(path, explained=False)
    assert all(line.isascii() and line.isprintable() for line in lines)
    if forgery.words:
        assert code in (1, 2) and re.search(forgery.words, lines[0]), lines
        trusted = box_verifier if forgery.base == "box" else verifier
        assert trusted.main([str(path)]) == code
        return
    assert code == 0 and forgery.says in "\n".join(lines), lines
    report = (
        verifier.report if forgery.base != "box" else lambda box: box_verifier.report(box, box_verifier.verify(box))
    )
    told, true = report(data), report(honest(forgery.base))
    assert told != true or "not asked" in forgery.name, told
    if forgery.base != "box":
        judged(told)


@pytest.mark.parametrize("base", QUESTIONS)
def test_what_is_changed_somewhere_is_refused_or_true_as_printed(base: str) -> None:
    rng, accepted = random.Random(base), 0
    true = verifier.report(honest(base))
    for number in range(120):
        data = honest(base)
        data.pop("lower", None)
        somewhere(data, rng)
        if number % 3:
            claimed_anew(data)
        try:
            told = verifier.report(data)
        except verifier.Rejected:
            continue
        if told != true:
            accepted += 1
            assert worst_excess(told, tries=8, seed=number)[0] <= 1e-9, told
    assert accepted


def test_there_are_many() -> None:
    names = [forgery.name for forgery in ALL]
    assert len(set(names)) == len(names) >= 150


@pytest.mark.parametrize("base", QUESTIONS)
def test_what_is_printed_of_the_honest_is_true_and_no_smaller_factor_is(base: str) -> None:
    lines = verifier.report(honest(base))
    excess, counted = worst_excess(lines)
    assert excess <= 1e-9 and counted > 5
    first = lines[0]
    number = re.findall(r"<= ([0-9.e-]+) ", first)[0]
    smaller = first.replace(f"<= {number} ", f"<= {float(number) / 1000} ", 1)
    smaller = re.sub(r"\+ [0-9.e-]+ ", "+ 0.000000001 ", smaller)
    assert worst_excess([smaller, *lines[1:]])[0] > 1e-3


def test_every_base_is_forged() -> None:
    assert {forgery.base for forgery in ALL} == {*QUESTIONS, "box"}
    assert scaled(F(1)) is not None
