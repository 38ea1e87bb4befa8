"""What a synchronisation of some layers does to the clients: each layer l keeps the share ``go`` of what sets the clients apart.

A layer that is averaged has go = 0, another one go = 1.  The squared length of a model is the sum over its layers; a mean over them
is that sum if each layer is told in units in which its square is as many times as large as there are layers.
"""

from collections.abc import Mapping

from fltheory.derivation.script import Derivation
from fltheory.evidence.things import declare
from fltheory.kinds import JSON
from verify.fedlama2021.derivations.lemma_5_2 import begun

_ALL = "k l xi past"


def some_layers(factor: str = "1") -> Mapping[str, JSON]:
    """No mean square over the clients grows, and sums of centred noises stay orthogonal to what is not drawn.

    The second statement is proved for v, any vectors at the last step, and before it what the synchronisations make of them: the
    average of <a averaged, v> is that of <a, v averaged>.
    """
    d = Derivation("FedLAMA, some layers averaged")
    declare(d, "axes k l:clients xi past t; 0 <= go <= 1 over l t; j >= 0 over t, next j + 1")
    declare(d, "y over k l t; y1 over k l t = go*y + (1 - go)*mean(y, k)")
    form, squares = f"({factor})*sq(y) - sq(y1)", [["1 - go**2", "y - mean(y, k)"], [f"({factor}) - 1", "y"]]
    d.combine("each layer", form, over="k", squares=squares, unfold="y1")
    d.combine("no longer", form, over="k l", facts={"each layer": "1"})
    declare(d, "noise over k l xi past t, mean 0 over xi; a over k l past t")
    declare(d, "a1 over k l xi past t = go*(a + noise) + (1 - go)*mean(a + noise, k); next a = a1; v1 over k l t")
    declare(d, "v over k l t = go*v1 + (1 - go)*mean(v1, k); next v = v1")
    d.combine("a layer's products", "dot(a1, v1) - dot(a, v)", over="k xi past", relation="=", unfold="a1 v")
    d.combine("products", "dot(a1, v1) - dot(a, v)", over=_ALL, relation="=", facts={"a layer's products": "1"})
    for name, sign in (("Above", "1"), ("Below", "-1")):
        begun(d, name, f"{sign}*dot(a, v)", "k l past", following=_ALL)
        facts = {name: "1", f"{name}_next": "-1", "products": f"-({sign})"}
        d.combine(f"step of {name}", f"{name} - {name}_next", over=_ALL, facts=facts)
        step = {"keep": "1", "facts": {f"step of {name}": "1"}, "base": {f"{name} at the start": "-1"}}
        d.induction(f"{name} at every step", of=name, bound="0", index="j", over=_ALL, **step)
        facts = {f"{name} at every step": "1", name: "1"}
        d.combine(f"orthogonal, {name.lower()}", f"-({sign})*dot(a, v)", over="k l past", facts=facts)
    return d.concluding("no longer", "orthogonal, above", "orthogonal, below")
