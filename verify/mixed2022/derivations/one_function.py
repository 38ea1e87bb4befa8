"""A beta-smooth and mu-convex function: Lemma D.8 of Mixed FL in all its forms, and cocoercivity."""

from collections.abc import Mapping

from fltheory.derivation.contraction import contracts
from fltheory.derivation.packs import suppose
from fltheory.derivation.script import Derivation
from fltheory.kinds import JSON
from fltheory.theory.bound import Bound
from fltheory.theory.mixed2022 import convex as displays


def losses(title: str, *, modulus: bool = True, strongly: bool = False) -> Derivation:
    """Constants beta and mu <= beta, and no more; ``strongly``: mu > 0."""
    d = Derivation(title)
    d.parameter("beta", 0, low_open=True)
    if modulus:
        d.parameter("mu", 0, "beta", low_open=strongly)
    return d


def one_function(d: Derivation, *, smooth: bool = True, convex: bool = True, points: str = "xyz") -> Derivation:
    """A beta-smooth and mu-convex h at x, y, z."""
    d.function("h")
    for point in points:
        d.vector(point)
        d.point(point, "h", value=f"h{point.lower()}", gradient=f"g{point.lower()}")
    if smooth:
        suppose(d, "smooth", of="h", L="beta")
    if convex:
        suppose(d, "strongly convex", of="h", mu="mu")
        suppose(d, "convex", of="h")
    return d


def cocoercive(d: Derivation, name: str, x: str, y: str, *, of: str, beta: str = "beta") -> None:
    """f(y) >= f(x) + <grad f(x), y - x> + |grad f(y) - grad f(x)|^2/(2 beta), at the step below y."""
    fx, gx = d.state.points[of, x]
    fy, gy = d.state.points[of, y]
    lower = f"{y}_below_{x}_{of}"
    axes = " ".join(sorted(d.state.vectors[gx]["axes"] | d.state.vectors[gy]["axes"]))
    d.vector(lower, axes, equals=f"{y} - ({gy} - {gx})/{beta}")
    d.point(lower, of)
    smooth, below = ("smooth", "convex") if of != "fc" else ("fc smooth", "fc convex")
    d.assume(f"{name}: smooth", smooth, [y, lower])
    d.assume(f"{name}: convex", below, [x, lower])
    target = f"{fy} - {fx} - dot({gx}, {y} - {x}) - sq({gy} - {gx})/(2*{beta})"
    d.combine(name, target, facts={f"{name}: smooth": "1", f"{name}: convex": "1"}, unfold=lower)


def lemma_d8(
    bound: Bound = displays.LEMMA_D8, *, low: str = "0", top: str = "1/beta", convex: bool = True, modulus: bool = True
) -> Mapping[str, JSON]:
    """Lemma D.8 and its sharper forms, for steps from ``low`` to ``top`` and mu > 0, or mu = 0 (not ``modulus``)."""
    d = Derivation("Mixed FL, Lemma D.8")
    if modulus:
        d.parameter("mu", 0, low_open=True)
    else:
        d.let("mu", "0")
    d.parameter("beta", "mu", low_open=True)
    one_function(d, convex=convex, points="XY")
    d.parameter("eta", low, top)
    factor = bound.expression.coeff(displays.NormSq(displays.x - displays.y))
    return contracts(d, "Lemma D.8", factor, short=low == "0", closed=modulus)
