"""The built-in prompt: what is fixed, what is fenced, and that no text gets out of its fence."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.builders import EXTENDED, HOSTILE_TEXT, LINE_ENDS, SEED, axis, case, own_rubric

from iamhumans.cases import Case
from iamhumans.prompts import asks_for_token, common_share, fenced, judge_messages, prompt_hash
from iamhumans.rubrics import AxisDefault, Rubric
from iamhumans.verdicts import Unjudged, read_verdict

RUBRICS = pytest.mark.parametrize("rubric", [SEED, EXTENDED, own_rubric(), own_rubric(hard_fails=["a", "b"])])


def messages(of: Case, reply: str = "hi", *, rubric: Rubric = SEED, **more: str | None) -> tuple[str, str]:
    """The texts of the two messages."""
    fixed, variable = judge_messages(rubric, of, reply, **more)  # type: ignore[arg-type]  # persona and token alone
    assert (fixed.role, variable.role) == ("system", "user")
    return fixed.content, variable.content


def outside(prompt: str) -> list[str]:
    """The lines outside of all fences, for a reader who takes every line end for one."""
    return [line for line in prompt.splitlines() if not line.startswith("> ")]


# --- the fixed part


@RUBRICS
def test_fixed_part_is_the_same_for_all_cases(rubric: Rubric) -> None:
    cases = [
        messages(case(), rubric=rubric),
        messages(
            case("a", "b", "c", case_id="X", title="T", hard_fails=["pity"], rubric=["r"], repair=True),
            "another reply",
            rubric=rubric,
            persona="A baker.",
            token="abc",
        ),
    ]

    assert cases[0][0].encode() == cases[1][0].encode()


@given(HOSTILE_TEXT, HOSTILE_TEXT, HOSTILE_TEXT)
def test_fixed_part_holds_nothing_of_case_or_reply(one: str, two: str, three: str) -> None:
    assert messages(case(one, two, three, case_id=one), two, persona=three)[0] == messages(case())[0]


def test_most_of_a_prompt_is_common_to_a_suite() -> None:
    prompts = [messages(case("Hello there, how are you today?", case_id=f"C-{n}"), "Well.") for n in range(5)]

    assert common_share(prompts) >= 0.75


def test_common_share_is_exact() -> None:
    prompts = [("abc", "dxy"), ("abc", "dz"), ("abc", "dxz")]

    assert common_share(prompts) == pytest.approx(5 / 7)
    assert common_share(prompts[:1]) == 1


@RUBRICS
def test_a_judge_that_copies_the_format_has_said_nothing(rubric: Rubric) -> None:
    fixed = messages(case(), rubric=rubric)[0]

    assert isinstance(read_verdict(fixed, rubric), Unjudged)
    assert isinstance(read_verdict(fixed[fixed.index("```yaml") :], rubric), Unjudged)


@RUBRICS
def test_format_holds_no_number_to_copy(rubric: Rubric) -> None:
    fixed = messages(case(), rubric=rubric)[0]
    form = fixed[fixed.index("```yaml\n") : fixed.index("\n```\n")].splitlines()

    keys = [line for line in form if ":" in line]
    assert len(keys) == 7 + len(rubric.axes) + (2 + 1 + len(rubric.hard_fails) if rubric.hard_fails else 0) - 1
    values = [line.partition(":")[2].strip() for line in keys]
    assert [value for value in values if not re.fullmatch(r"|\||<.*>|\[\"<.*>\"\]", value)] == []
    assert not re.search(r"\d", re.sub("from 0 to 10", "", "\n".join(form)))


@RUBRICS
def test_format_names_axes_flags_and_pass_mark_of_the_rubric(rubric: Rubric) -> None:
    fixed = messages(case(), rubric=rubric)[0]
    form = fixed[fixed.index("```yaml") :]

    assert re.findall(r"^  (\w+): <a number", form, re.MULTILINE) == list(rubric.axis_ids)
    assert re.findall(r"^  (\w+): <YES or NO>", form, re.MULTILINE) == list(rubric.hard_fail_ids)
    assert f"at least {rubric.scoring.pass_mark}." in form


def test_rubric_without_hard_fails_asks_for_none() -> None:
    prompt = "\n".join(messages(case(hard_fails=["pity"]), rubric=own_rubric()))

    assert not re.search(r"hard.fail|YES|evidence", prompt)


def test_format_asks_for_scores_before_a_separate_scan() -> None:
    fixed = messages(case())[0]

    assert fixed.index("\naxes:") < fixed.index("\nevidence:") < fixed.index("\nhard_fails:") < fixed.index("\ntotal:")
    assert "Score the axes first. Then read the reply again for the hard fails alone" in fixed


def test_format_says_how_halves_are_rounded_and_how_not_applicable_counts() -> None:
    fixed = messages(case())[0]

    assert "a half is rounded up" in fixed
    assert len(re.findall(r"write N/A if .* It then counts as 10 in the total\.", fixed)) == 2
    assert "It then counts as 7 in the total." in messages(case(), rubric=own_rubric())[0]


def test_not_applicable_is_offered_where_it_has_a_default() -> None:
    fixed = messages(case())[0]

    assert re.findall(r"^  (\w+): .*N/A", fixed, re.MULTILINE) == ["memory_coherence", "repair_quality"]


def test_not_applicable_is_not_offered_where_the_default_replaces_scores_alone() -> None:
    default = AxisDefault(value=10, when="always", instead_of=("10",), reason="x")
    rubric = Rubric(name="own", axes=(axis("warmth", default),))

    assert "N/A" not in messages(case(), rubric=rubric)[0]


# --- the case and the reply


def test_case_part_shows_all_that_the_judge_needs() -> None:
    of = case(
        "first",
        "second",
        "third",
        title="Bread",
        dimensions=["memory", "feeling"],
        hard_fails=["pity", "lecturing"],
        rubric=["Stays with the bread"],
        failure_modes=["Recommends cake"],
    )
    text = messages(of, "the reply", persona="A baker of 60.", token="tok3n")[1]

    for line in (
        "> A baker of 60.",
        "ID: `BAK-001`",
        "Check token: `tok3n`",
        "> Bread",
        "> memory, feeling",
        "> pity, lecturing",
        "> first",
        "> second",
        "> third",
        "> - Stays with the bread",
        "> - Recommends cake",
        "> the reply",
    ):
        assert f"\n{line}\n" in f"\n{text}\n"
    assert re.findall(r"^The (user|assistant)", text, re.MULTILINE)[-3:] == ["user", "assistant", "user"]


def test_reply_comes_last() -> None:
    text = messages(case(rubric=["r"], failure_modes=["f"]), "the reply", persona="p")[1]

    assert [line for line in text.splitlines() if line.startswith("> ")][-1] == "> the reply"


def test_notes_of_the_case_reach_no_judge() -> None:
    of = Case(id="A", conversation=case().conversation, notes="SECRET")

    assert "SECRET" not in "".join(messages(of))


def test_repair_is_told() -> None:
    assert "put right: score the repair" in messages(case(repair=True))[1]
    assert "score the repair" not in messages(case())[1]


def test_hard_fails_that_the_rubric_does_not_have_are_not_asked_for() -> None:
    text = messages(case(hard_fails=["pity", "someone_elses"]))[1]

    assert "> pity\n" in text
    assert "someone_elses" not in text


def test_empty_lines_are_fenced_too() -> None:
    assert "> a\n> \n> b" in messages(case(), "a\n\nb")[1]


def test_empty_text_has_a_fence() -> None:
    assert fenced("") == "> "


@pytest.mark.parametrize("end", LINE_ENDS)
def test_every_line_end_begins_a_fenced_line(end: str) -> None:
    assert fenced(f"a{end}b") == "> a\n> b"


@given(st.text(st.characters(), max_size=40), st.text(st.characters(), max_size=40))
@example("{{SKILL_RESPONSE}} {{USER_INPUT}} {0} %s $x \\1 \\g<0>", "{{CASE_ID}}")
def test_text_is_inserted_as_it_is(user: str, reply: str) -> None:
    text = messages(case(user), reply)[1]

    for foreign in (user, reply):
        lines = re.sub("[\ud800-\udfff]", "\ufffd", foreign).splitlines() or [""]
        assert "\n".join(f"> {line}" for line in lines) in text


PLAIN = messages(
    case("a", "b", "c", title="T", dimensions=["d"], rubric=["r"], failure_modes=["f"]), "x", persona="p", token="t"
)


@given(st.lists(HOSTILE_TEXT, min_size=8, max_size=8))
def test_no_text_changes_a_line_outside_of_the_fences(texts: list[str]) -> None:
    one, two, three, title, dimension, bullet, mode, reply = texts
    of = case(one, two, three, title=title or "T", dimensions=[dimension], rubric=[bullet, mode], failure_modes=[mode])
    text = messages(of, reply, persona=one or "p", token="t")[1]

    assert outside(text) == outside(PLAIN[1])
    text.encode()


@given(HOSTILE_TEXT)
def test_no_case_id_adds_a_line(case_id: str) -> None:
    hostile, plain = messages(case(case_id=case_id))[1], messages(case(case_id="A"))[1]

    assert len(hostile.splitlines()) == len(plain.splitlines())
    hostile.encode()


def test_prompt_asks_for_the_token() -> None:
    fixed, variable = messages(case(), token="tok3n")

    assert "check: <the check token>" in fixed
    assert "Check token: `tok3n`" in variable
    assert "Check token: `none`" in messages(case())[1]
    assert asks_for_token(None)


def test_hash_of_the_prompt_follows_the_rubric() -> None:
    assert len({prompt_hash(rubric) for rubric in (SEED, EXTENDED, own_rubric(), own_rubric(pass_mark=61))}) == 4
    assert prompt_hash(SEED) == prompt_hash(SEED.model_copy(update={"name": "other"}))
