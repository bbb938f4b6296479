"""Sentences for people who never took statistics."""

from __future__ import annotations

import pytest

from iamhumans.stats import say_change, say_needed, say_smallest


def test_what_could_have_been_shown_is_said() -> None:
    assert say_smallest(2.31, 40).startswith("40 cases show a difference of 2.4 points or more in four of five tries")
    assert "47 percentage points" in say_smallest(0.466, 16, rate=True)
    assert say_smallest(None, 1) == "1 case cannot show any difference."


@pytest.mark.parametrize(("needed", "said"), [(7, "7"), (59, "59"), (101, "110"), (1234, "1300")])
def test_the_cases_needed_are_rounded_up_to_two_digits(needed: int, said: str) -> None:
    assert say_needed(needed).startswith(f"About {said} cases would decide it")


def test_no_number_of_cases_is_said() -> None:
    assert say_needed(None) == "No number of cases would decide it at these figures."


@pytest.mark.parametrize(
    ("p_value", "changed", "start"),
    [
        (None, 0, "There is nothing to compare"),
        (1.0, 0, "None of 40 cases changed"),
        (0.05, 9, "A change is shown"),
        (0.06, 5, "Only 5 cases changed"),
        (0.06, 9, "No change is shown"),
    ],
)
def test_a_change_is_said_as_far_as_it_is_shown(p_value: float | None, changed: int, start: str) -> None:
    assert say_change(p_value, 40, changed).startswith(start)
