"""Which layers wait longer: the adjustment of FedLAMA's intervals (Lee et al. 2021, Algorithm 2), in each reading of its rule.

``d_l >= 0`` is the unit discrepancy of layer ``l``, ``dim_l`` the number of its parameters.  Layers are taken in ascending
order of ``d``, equal ones in the order in which they are listed; the size goes with its layer, although (3) and (4) write
``dim(u_i)`` beside the i-th smallest ``d``.  With ``p_1, p_2, ...`` for that order

    delta_l = sum_{i<=l} d_{p_i} dim_{p_i} / sum d dim,     lambda_l = sum_{i<=l} dim_{p_i} / sum dim,

``lambda`` against ``delta`` is a Lorenz curve: ``delta_l <= lambda_l``, with equality before the last layer only if all ``d``
are equal.  The readings differ in the layers to which they give the long interval ``phi tau'``; the others keep ``tau'``:

===================  ===========================================================================================
rule                 layers with the long interval
===================  ===========================================================================================
"printed"            ``delta_l < lambda_l``, line 9 of the listing: all but the last of the order, or none if all d are equal
"before crossing"    ``delta_l < 1 - lambda_l``: those before the curves cross, without the layer in which they do
"through crossing"   these and the next one: the first with ``delta_l >= 1 - lambda_l`` is the last (the default)
"nearest crossing"   up to the first l that makes ``|delta_l - (1 - lambda_l)|`` smallest among 1..L
"accelerated"        none: in descending order, the layers up to the first with ``lambda_l >= 1 - delta_l`` get ``tau'/phi``
===================  ===========================================================================================

The default is what the text and its Figure 1 describe and what the program does that the authors released (it goes one layer
further where ``delta_l = 1 - lambda_l`` exactly).  The printed condition contradicts them, and the costs of Table 1: with all
layers of ResNet20 but one at ``2 tau'`` the cost is at most 57 percent, and 62.33 is printed.

Numbers are compared as the rationals that they are: floats are exact here, and no rounding decides a tie.  Where all ``d`` are
zero, ``delta_l`` is ``lambda_l``, as it is wherever they are equal.  With one layer "printed" and "before crossing" leave it at
``tau'``, "through crossing" and "nearest crossing" give it ``phi tau'``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from fltheory.kinds import Number
from fltheory.problems.checks import check_choice, check_count, check_nonnegative, check_sequence, is_real

RULES = ("printed", "before crossing", "through crossing", "nearest crossing", "accelerated")
DEFAULT = "through crossing"


@dataclass(frozen=True)
class LayerShares:
    """Layers in the order of their unit discrepancy, and what the first l of them hold, l = 1..L.

    order : numbers of the layers, from 0.
    discrepancy : ``delta_l``, their share of ``sum d dim``.
    parameters : ``lambda_l``, their share of ``sum dim``.
    """

    order: tuple[int, ...]
    discrepancy: tuple[Fraction, ...]
    parameters: tuple[Fraction, ...]


def layer_shares(d: Sequence[Number], sizes: Sequence[int], *, descending: bool = False) -> LayerShares:
    """``delta_l`` and ``lambda_l`` of (3) and (4), in ascending order of ``d`` unless it is to be descending.

    Raises
    ------
    ValueError : no layers, another number of sizes, a discrepancy that is negative or not finite, a size below 1.
    """
    amounts, counts = _checked(d, sizes)
    order = sorted(range(len(amounts)), key=lambda layer: -amounts[layer] if descending else amounts[layer])
    held = [amount * size for amount, size in zip(amounts, counts, strict=True)] if any(amounts) else list(counts)
    return LayerShares(tuple(order), _shares(held, order), _shares(counts, order))


def selected_layers(d: Sequence[Number], sizes: Sequence[int], rule: str = DEFAULT) -> tuple[int, ...]:
    """Numbers (from 0) of the layers whose interval the rule changes, in the order in which it takes them.

    Raises
    ------
    ValueError : as in :func:`layer_shares`, or a rule that is unknown.
    """
    check_choice("rule", rule, RULES)
    held = layer_shares(d, sizes, descending=rule == "accelerated")
    # the curves cross where delta + lambda reaches 1, in either order
    gaps = [delta + share - 1 for delta, share in zip(held.discrepancy, held.parameters, strict=True)]
    if rule == "printed":
        last = sum(delta < share for delta, share in zip(held.discrepancy, held.parameters, strict=True))
    elif rule == "nearest crossing":
        last = min(range(len(gaps)), key=lambda place: abs(gaps[place])) + 1
    else:
        last = sum(gap < 0 for gap in gaps) + (rule != "before crossing")
    return held.order[:last]


def intervals(
    d: Sequence[Number], sizes: Sequence[int], base: int, factor: int, rule: str = DEFAULT
) -> tuple[int, ...]:
    """The aggregation interval of each layer, in the order in which the layers are listed.

    Parameters
    ----------
    d : unit discrepancies of the layers; equal discrepancies are taken in the order of the layers.
    sizes : numbers of their parameters.
    base : ``tau'``, the base interval.
    factor : ``phi``, by which the rule lengthens (``"accelerated"``: shortens) intervals.
    rule : one of ``RULES``; see the table above.

    Raises
    ------
    ValueError : as in :func:`selected_layers`; ``base < 1``, ``factor < 1``; accelerated with a factor that does not divide
        the base.
    """
    base, factor = check_count("base", base), check_count("factor", factor)
    if rule == "accelerated" and base % factor:
        raise ValueError(
            f"base={base} is no multiple of factor={factor}; expected one: the short interval is base/factor"
        )
    changed = base // factor if rule == "accelerated" else base * factor
    chosen = set(selected_layers(d, sizes, rule))
    return tuple(changed if layer in chosen else base for layer in range(len(sizes)))


def _checked(d: Sequence[Number], sizes: Sequence[int]) -> tuple[list[Fraction], list[int]]:
    amounts = check_sequence("d", d, "the unit discrepancy of each layer")
    counts = check_sequence("sizes", sizes, "the number of parameters of each layer")
    if not amounts or len(amounts) != len(counts):
        raise ValueError(f"d has {len(amounts)} layers and sizes has {len(counts)}; expected as many, and at least one")
    for layer, amount in enumerate(amounts):
        check_nonnegative(f"d[{layer}]", amount)
        if not is_real(amount):
            raise ValueError(f"d[{layer}]={amount} cannot be compared; expected a real number")
    checked = [check_count(f"sizes[{layer}]", size) for layer, size in enumerate(counts)]
    return [Fraction(amount) for amount in amounts], checked


def _shares(held: Sequence[Number], order: Sequence[int]) -> tuple[Fraction, ...]:
    total, so_far, shares = sum(held, Fraction(0)), Fraction(0), []
    for layer in order:
        so_far += held[layer]
        shares.append(so_far / total)
    return tuple(shares)
