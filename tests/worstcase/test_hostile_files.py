"""Files that were once accepted with a theorem that is false as printed: refused now, or printed with what they assume."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from fltheory.worstcase.command import check

FILES = Path(__file__).parent / "hostile"
REFUSED = {
    "lyap_parts": "is a point: its parts depend on where the origin is",
    "best_prox": "pieces of methods with 'prox'",
    "best_cohort": "pieces of methods with 'cohort'",
    "best_infima": "an instance breaks a constraint somewhere in its piece",
    "best_names": "alone: there it is another theorem",
    "best_server": "no model of the server's stands in register",
    "best_range0": "is not among those that the pieces cover",
    "best_range1": "the parabolas fall below the value",
    "random_start": "the first model is random",
    "infimum": "the infimum of clients whose gradients nobody asked for",
}
TOLD = {
    "main_cohort1": "the cohort is a uniformly drawn subset of 1 clients of 2",
    "noise_after_noise": "if a client's noise depends on no noise of the server's that came after those in the point",
    "two_compressors": "if E sum_k p_k |noise_1|^2 <= sum_k p_k |grad f_k(w_0)|^2, of a compressor",
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    code, lines = check(FILES / f"{name}.json", explained=False)
    assert code == 1 and REFUSED[name] in lines[0]


@pytest.mark.parametrize("name", TOLD)
def test_told(name: str) -> None:
    code, lines = check(FILES / f"{name}.json", explained=False)
    assert code == 0 and any(TOLD[name] in line for line in lines)


def test_every_name_is_defined() -> None:
    code, lines = check(FILES / "undefined_name.json", explained=False)
    words = " ".join(lines)
    used = set(re.findall(r"\b[vuxys]_\d+", words))
    assert code == 0 and all(re.search(rf"{name}( =|:)", words) for name in used)


def test_every_file_is_named_here() -> None:
    assert {path.stem for path in FILES.iterdir()} == {*REFUSED, *TOLD, "undefined_name"}
