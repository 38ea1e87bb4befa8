"""Displays of the lecture note as texts of derivations: expectations, norms, products and sums over clients, read as they stand."""

from collections.abc import Mapping

import sympy as sp

from fltheory.theory.bound import Bound
from fltheory.theory.lecture2022 import bounds
from fltheory.theory.notation import ClientSum, Expect, Inner, NormSq, StepSum
from verify.lecture2022.displays import proof

#: What letters of the displays are in a derivation: u and u1 the averages before and after the step, x the clients' points.
LETTERS: Mapping[str, str] = {
    "before": "f_u",
    "after": "f_u1",
    "a": "mean(g_u, k)",
    "h": "g_u",
    "g_mean": "g_x",
    "g": "(g_x + noise)",
    "xbar": "u1",
    "xbar_before": "u",
    "x_before": "x",
}
#: What letters that stand for expectations mean.
MEANINGS: Mapping[sp.Basic, sp.Expr] = {
    bounds.before: Expect(proof.before),
    bounds.after: Expect(proof.after),
    bounds.square_a: proof.mean_square(proof.a),
    bounds.square_b: proof.mean_square(proof.mean_gradient),
    bounds.square_ab: proof.mean_square(proof.a - proof.mean_gradient),
}


def texts(display: Bound, letters: Mapping[str, str] = LETTERS) -> tuple[str, str]:
    """Left and right side as forms that are to be averaged over clients, times and all that is drawn.

    Displays of :mod:`fltheory.theory` print their left side, which is E f(xbar^t).
    """
    left = Expect(proof.after) if isinstance(display.left, str) else display.left.xreplace(MEANINGS)
    return _text(left, letters), _text(display.expression.xreplace(MEANINGS), letters)


def form(display: Bound, letters: Mapping[str, str] = LETTERS) -> str:
    """The right side less the left one."""
    left, right = texts(display, letters)
    return f"{right} - ({left})"


def _text(node: sp.Basic, letters: Mapping[str, str]) -> str:
    if isinstance(node, sp.Symbol):
        return letters.get(node.name, node.name)
    if isinstance(node, sp.Number):
        return f"({node})"
    inside = (
        {name.removesuffix(" of all"): text for name, text in letters.items()}
        if isinstance(node, ClientSum)
        else letters
    )
    inner = [_text(one, inside) for one in node.args if isinstance(one, sp.Expr)]
    if isinstance(node, Expect):
        return inner[0]
    if isinstance(node, NormSq):
        return f"sq({inner[0]})"
    if isinstance(node, Inner):
        return f"dot({inner[0]}, {inner[1]})"
    if isinstance(node, ClientSum):
        of_numbers = node.args[0].has(NormSq, Inner)
        return f"N*({inner[0]})" if of_numbers else f"N*mean({inner[0]}, k)"
    if isinstance(node, StepSum):
        if "the sum" in letters:  # the letters are sums already
            return inner[0]
        count, axis = ("T", "t") if node.args[2].name == "T" else ("since", "j")
        return (
            f"{count}*({inner[0]})" if node.args[0].has(NormSq, Inner, Expect) else f"{count}*mean({inner[0]}, {axis})"
        )
    if isinstance(node, sp.Pow):
        return f"({inner[0]})**{inner[1].strip('()')}"
    if isinstance(node, sp.Add | sp.Mul):
        return "(" + (" + " if isinstance(node, sp.Add) else "*").join(inner) + ")"
    raise ValueError(f"{node} of a display has no place in a derivation")
