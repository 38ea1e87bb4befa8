"""What trusted functions confirm is recorded once, by name, and never in the record of something else."""

from __future__ import annotations

import sympy as sp

from fltheory.theory.proofs import Certificate, equal, is_positive_semidefinite, is_zero
from fltheory.theory.record import recording, remembered
from fltheory.theory.signs import nonnegative_on, pole, positive_on
from fltheory.theory.steps import from_tests, hypothesis, identity, inequality, shown, sign

x, y = sp.symbols("x y")
UP = ((x, 0, None),)


def kinds(record: list) -> list[str]:
    return [one.kind for one in record]


def test_a_yes_is_recorded_and_a_no_is_not() -> None:
    with recording() as record:
        assert is_zero(x - x) and not is_zero(x)
        assert nonnegative_on(x, UP) and not nonnegative_on(-x, UP)
        assert positive_on(x + 1, UP) and not positive_on(x, UP)
        assert pole(1 / (x + 1), UP) is None and pole(1 / x, UP) is not None
        assert is_positive_semidefinite(sp.eye(2)) and not is_positive_semidefinite(-sp.eye(2))
        assert equal(x * (x + 1), x**2 + x) and not equal(x, y)
    assert kinds(record) == ["identity", "nonnegative", "positive", "regular", "psd", "equality"]


def test_what_a_trusted_function_calls_on_the_way_is_no_entry_of_its_own() -> None:
    good = Certificate(2 * x * y, x**2 + y**2, {}, [(sp.Integer(1), x - y)], ())
    with recording() as record:
        assert good.verify()[0]
        assert not Certificate(x**2 + y**2, 2 * x * y, {}, [(sp.Integer(1), x - y)], ()).verify()[0]
    assert kinds(record) == ["polynomial"] and record[0].parts == (good,)


def test_records_do_not_leak_into_each_other() -> None:
    with recording() as outer:
        is_zero(x - x)
        with recording() as inner:
            nonnegative_on(x, UP)
        equal(x, x)
    assert kinds(outer) == ["identity", "equality"] and kinds(inner) == ["nonnegative"]
    is_zero(x - x)
    assert len(outer) == 2


def test_steps_carry_what_they_confirmed_and_note_it_by_their_name() -> None:
    with recording() as record:
        steps = [
            identity("a", (x + 1) ** 2, x**2 + 2 * x + 1),
            sign("b", x, UP),
            inequality("c", 2 * x * y, x**2 + y**2, squares=[(1, x - y)]),
            shown("d", lambda: is_zero(x - x) and nonnegative_on(x, UP)),
            sign("no", -x, UP),
            shown("refused", lambda: nonnegative_on(sp.sqrt(x), UP)),
        ]
    assert [len(step.confirmed) for step in steps] == [1, 1, 1, 2, 0, 0]
    assert [one.name for one in record] == ["a", "b", "c", "d", "d"]
    assert [step.verified for step in steps] == [True] * 4 + [False] * 2
    assert "no rational function" in steps[5].reason


def test_a_step_that_fails_half_way_keeps_nothing() -> None:
    with recording() as record:
        step = shown("half", lambda: is_zero(x - x) and nonnegative_on(-x, UP), "no")
    assert (step.verified, step.reason, step.confirmed, record) == (False, "no", (), [])


def test_named_tests_become_steps() -> None:
    steps = from_tests({"a": lambda: equal(x, x), "b": True, "c": sign("other", x, UP), "d": lambda: False})
    assert [(s.name, s.verified, len(s.confirmed)) for s in steps] == [
        ("a", True, 1),
        ("b", True, 0),
        ("c", True, 1),
        ("d", False, 0),
    ]
    assert hypothesis("h", True, "why").hypothesis and hypothesis("h", False, "why").reason == "why"


def test_an_answer_from_memory_notes_what_was_confirmed_to_find_it() -> None:
    calls = []

    @remembered
    def proof(number: int, *, top: int = 1) -> bool:
        """A proof."""
        calls.append((number, top))
        return nonnegative_on(x + number + top, UP)

    records = []
    for _ in range(2):
        with recording() as record:
            assert proof(3, top=2)
        records.append(record)
    assert calls == [(3, 2)] and records[0] == records[1] and kinds(records[0]) == ["nonnegative"]
    assert proof.__doc__ == "A proof."
    proof.cache_clear()
    proof(3, top=2)
    assert len(calls) == 2
