"""A verdict in exactly the asked form is read by the short way, with the result of the general reader."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from tests.builders import SEED

from iamhumans.verdicts import Asked, Verdict
from iamhumans.verdicts.exact import read_exact
from iamhumans.verdicts.reader import read_in_any_form

ASKED = Asked("GRF-003", "k7q2m9x4ab", "Oh no. Poor thing.", single_turn=True, repair=False)
PLAIN = st.text(st.characters(min_codepoint=32, max_codepoint=126), min_size=1, max_size=30)


@st.composite
def answers(draw: st.DrawFn) -> str:
    """Answers in the form that is asked for, and some that are nearly so."""
    yes = draw(st.sets(st.sampled_from(SEED.hard_fail_ids), max_size=3))
    evidence = draw(st.dictionaries(st.sampled_from([*SEED.hard_fail_ids, "other"]), st.lists(PLAIN, max_size=2)))
    lines = [f"case_id: {draw(st.sampled_from(['GRF-003', 'GRF-004']))}", "check: k7q2m9x4ab", "axes:"]
    scores = st.sampled_from(["0", "7", "10", "N/A", "11", "8.5"])
    lines += [f"  {name}: {draw(scores)}" for name in SEED.axis_ids]
    kept = {name: quotes for name, quotes in evidence.items() if name in yes or draw(st.booleans())}
    if kept:
        quoted = {name: ", ".join(f'"{quote}"' for quote in quotes) for name, quotes in kept.items()}
        lines += ["evidence:", *(f"  {name}: [{quotes}]" for name, quotes in quoted.items())]
    lines += ["hard_fails:", *(f"  {name}: {'YES' if name in yes else 'NO'}" for name in SEED.hard_fail_ids)]
    notes = draw(st.lists(PLAIN, min_size=1, max_size=3))
    return "\n".join([*lines, "total: 75", "verdict: FAIL", "notes: |", *(f"  {line}" for line in notes)])


@given(answers(), st.sampled_from([None, "stop", "length"]), st.sampled_from([True, False, None]))
def test_the_short_way_gives_what_the_general_reader_gives(text: str, ending: str | None, single: bool | None) -> None:
    asked = ASKED._replace(finish_reason=ending, single_turn=single)
    short = read_exact(text, SEED, asked)
    assert short is None or short == read_in_any_form(text, SEED, asked)


def test_an_answer_in_the_asked_form_takes_the_short_way() -> None:
    axes = "".join(f"  {name}: 8\n" for name in SEED.axis_ids)
    flags = "".join(f"  {name}: {'YES' if name == 'pity' else 'NO'}\n" for name in SEED.hard_fail_ids)
    head = f'case_id: GRF-003\ncheck: k7q2m9x4ab\naxes:\n{axes}evidence:\n  pity: ["Poor thing"]\n'
    found = read_exact(f"{head}hard_fails:\n{flags}total: 0\nverdict: FAIL\nnotes: |\n  Short.\n", SEED, ASKED)
    assert isinstance(found, Verdict)
    assert (found.flags["pity"].quotes, found.notes, found.stated_total) == (("Poor thing",), "Short.", 0)
