"""Tables of figures, and sentences, in as many columns as there are."""

from __future__ import annotations

from dataclasses import replace

import pytest
from rich.cells import cell_len

from iamhumans.reports.figure_tables import Table, rate_with_interval, said_once, table_lines, wrapped
from iamhumans.stats import Estimate

NAMES = ("structured_output_in_emotional_moment", "pity")
TABLE = Table(
    "judge against people", ("both", "sensitivity", "specificity"), [(n, "9", "a" * 20, "b" * 20) for n in NAMES]
)


@pytest.mark.parametrize("width", [60, 80, 120])
def test_a_table_is_no_wider_than_the_terminal(width: int) -> None:
    assert max(cell_len(line) for line in table_lines(TABLE, width)) <= width


def test_columns_that_do_not_fit_stand_below_with_their_names() -> None:
    lines = list(table_lines(TABLE, 66))
    assert sum(line.startswith("pity") for line in lines) == 2
    assert sum("b" * 20 in line for line in lines) == 2


def test_columns_that_fit_stand_beside_each_other() -> None:
    assert sum(line.startswith("pity") for line in table_lines(TABLE, 120)) == 1


def test_wide_characters_keep_columns_in_line() -> None:
    table = replace(TABLE, rows=[("\u3053\u3093\u306b\u3061\u306f", "9", "a", "b"), ("pity", "9", "a", "b")])
    _, first, second = table_lines(table, 120)
    assert cell_len(first) == cell_len(second)


def test_sentences_end_between_words_and_are_one_line_to_begin_with() -> None:
    lines = list(wrapped("one two\n\x1b[31m " * 20, 50, indent="  "))
    assert max(map(len, lines)) <= 50
    assert "\x1b" not in "".join(lines)


def test_what_holds_for_several_is_said_once_and_many_names_are_counted() -> None:
    said = list(said_once([(f"n{number}", "rare") for number in range(7)] + [("n9", "narrow")]))
    assert said == ["n0, n1, n2, n3 and 3 more: rare", "n9: narrow"]


def test_ends_of_an_interval_are_not_further_in_than_its_rate() -> None:
    estimate = Estimate(0.998, 0.996, 0.9999, 100, "Wilson", 0.95)
    assert rate_with_interval(estimate) == "99.8 % (99.6 to 100 %)"
