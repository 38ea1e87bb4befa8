"""One case in a process of its own: ``python -m benchmarks.speed.child NAME OUT [--quick] [--core N]``.

A process of its own is pinned before anything is loaded, has its memory to itself, and may hang or die without harm to others.
"""

from __future__ import annotations

import argparse
import json
import math
from pathlib import Path

from benchmarks.speed.pinned import limit_memory, pin


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("name")
    parser.add_argument("out", type=Path)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--core", type=int)
    asked = parser.parse_args()
    pin(asked.core)
    from benchmarks.speed.case import Disagreement, Skip, cases

    one = cases()[asked.name]
    limit_memory(one.gigabytes)
    answer: dict[str, object] = {"status": "done"}
    try:
        rows = one.measure(asked.quick)
        answer["rows"] = [
            {"who": row.who, "runs": row.runs, "value": _number(row.value)}
            | {key: text for key, text in (("note", row.note), ("unit", row.unit)) if text}
            for row in rows
        ]
    except Skip as error:
        answer = {"status": "skipped", "why": str(error)}
    except Disagreement as error:
        answer = {"status": "disagree", "why": str(error)}
    except Exception as error:  # noqa: BLE001  what a case raises is its result
        answer = {"status": "failed", "why": f"{type(error).__name__}: {' '.join(str(error).split())[:400]}"}
    asked.out.write_text(json.dumps(answer), encoding="utf-8")


def _number(value: float) -> float | None:
    return float(f"{value:.4g}") if math.isfinite(value) else None


if __name__ == "__main__":
    main()
