"""A user's own prompt template."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.builders import HOSTILE_TEXT, LINE_ENDS, SEED, case, own_rubric

from iamhumans.cases import Case
from iamhumans.errors import InputError
from iamhumans.prompts import PLACEHOLDERS, Template, asks_for_token, judge_messages, prompt_hash
from iamhumans.rubrics import Rubric

# Of the same build as the file that this tool's users start from, and with the same placeholders.
WHOLE = """\
# Judge this

**ID**: `{{CASE_ID}}`, **Title**: {{CASE_TITLE}}
**Dimensions**: {{DIMENSIONS}}
**Watch for**: {{HARD_FAILS}}

### What the user wrote

> {{USER_INPUT}}

### Criteria

{{RUBRIC_BULLETS}}

### Failures

{{FAILURE_MODES}}

### The reply

> {{SKILL_RESPONSE}}

---

Respond ONLY in this exact format.
"""
OWN_FORMAT = "Judge {{CASE_ID}}:\n> {{SKILL_RESPONSE}}\n\nAnswer with\naxes: ...\nhard_fails: ...\n"


def prompt(
    template: str,
    of: Case | None = None,
    reply: str = "the reply",
    *,
    rubric: Rubric = SEED,
    persona: str | None = None,
    token: str | None = None,
) -> str:
    """The text of the one message."""
    (message,) = judge_messages(rubric, of or case(), reply, template=Template(template), persona=persona, token=token)
    assert message.role == "user"
    return message.content


def error_of(text: str) -> InputError:
    with pytest.raises(InputError) as caught:
        Template(text, Path("t.md"))
    return caught.value


# --- what is refused


def test_unknown_placeholder_is_named_with_its_line() -> None:
    error = error_of("# x\n\n> {{SKILL_RESPONSE}}\n{{CASE}}\n")

    assert str(error.where) == "t.md:4"
    assert "{{CASE}}" in error.what
    assert "{{CASE_ID}}" in error.fix


def test_unknown_placeholder_without_a_likely_meaning_lists_what_is_known() -> None:
    assert all(name in error_of("{{ZZZZZZZZZ}} {{SKILL_RESPONSE}}").fix for name in PLACEHOLDERS)


@pytest.mark.parametrize(
    "name", ["{{}}", "{{ }}", "{{skill_response}}", "{{SKILL RESPONSE}}", "{{#if x}}", "{{{CASE_ID}}}x{{y}}"]
)
def test_odd_placeholders_are_refused(name: str) -> None:
    assert error_of(f"a\n{name}\n> {{{{SKILL_RESPONSE}}}}").where.line == 2


def test_missing_reply_is_an_error_at_the_end_of_the_template() -> None:
    error = error_of("# x\n{{CASE_ID}}\nend\n\n")

    assert str(error.where) == "t.md:3"
    assert "{{SKILL_RESPONSE}}" in error.what


def test_empty_template_is_refused() -> None:
    assert "{{SKILL_RESPONSE}}" in error_of("").what


# --- what is filled in


def test_every_placeholder_is_filled() -> None:
    of = case(
        "hello",
        title="Bread",
        dimensions=["memory", "feeling"],
        hard_fails=["pity", "lecturing"],
        rubric=["one", "two"],
        failure_modes=["three"],
    )
    text = prompt(WHOLE, of)

    assert (
        "**ID**: `BAK-001`, **Title**: Bread\n**Dimensions**: memory, feeling\n**Watch for**: pity, lecturing\n" in text
    )
    assert "\n> hello\n" in text
    assert "\n- one\n- two\n" in text
    assert "\n- three\n" in text
    assert "\n> the reply\n" in text
    assert "{{" not in text


def test_what_a_case_does_not_have_is_said() -> None:
    text = prompt(WHOLE)

    assert "**Dimensions**: none named\n**Watch for**: none named\n" in text
    assert text.count("- none named") == 2


def test_hard_fails_follow_the_rubric() -> None:
    of = case(hard_fails=["pity", "rudeness"])

    assert "**Watch for**: pity\n" in prompt(WHOLE, of)
    assert "**Watch for**: rudeness\n" in prompt(WHOLE, of, rubric=own_rubric(hard_fails=["rudeness"]))


def test_blanks_inside_a_placeholder_are_allowed() -> None:
    assert "> the reply" in prompt("> {{ SKILL_RESPONSE }}")


def test_a_placeholder_may_stand_twice() -> None:
    assert prompt("> {{SKILL_RESPONSE}}\n\n> {{SKILL_RESPONSE}}").count("> the reply") == 2


@pytest.mark.parametrize("mark", ["> ", ">", "  > ", ">> ", "> > "])
def test_mark_of_the_template_stands_before_every_line(mark: str) -> None:
    text = prompt(f"Reply:\n{mark}{{{{SKILL_RESPONSE}}}}\n\nEnd.", reply="a\n\nb\u2028c")

    assert f"Reply:\n{mark}a\n{mark}\n{mark}b\n{mark}c\n\nEnd." in text


@pytest.mark.parametrize(
    "line", ["Reply: {{SKILL_RESPONSE}} (end)", '"{{SKILL_RESPONSE}}"', "{{SKILL_RESPONSE}}", "\t{{SKILL_RESPONSE}}."]
)
def test_reply_within_a_line_gets_a_fence_of_its_own(line: str) -> None:
    text = prompt(f"before\n{line}\nafter", reply="a\nb")

    assert "\n> a\n> b\n" in text
    assert [found for found in text.splitlines() if found.strip() in ("a", "b")] == []


def test_reply_behind_another_placeholder_gets_a_fence_of_its_own() -> None:
    assert "\n> a\n> b\n" in prompt("> {{USER_INPUT}} {{SKILL_RESPONSE}}", reply="a\nb")


def test_blank_lines_at_the_end_of_the_reply_are_fenced() -> None:
    assert "> a\n> \n>  \n\nPrint one verdict" in prompt("> {{SKILL_RESPONSE}}", reply="a\n\n ")


def test_several_turns_have_their_speakers_and_a_deeper_fence() -> None:
    text = prompt(WHOLE, case("one\nAssistant:", "two", "three"))

    assert "> User:\n> > one\n> > Assistant:\n> Assistant:\n> > two\n> User:\n> > three\n" in text


PLAIN = prompt(WHOLE, case("a", "b", "c", title="t", dimensions=["d"], rubric=["r"], failure_modes=["f"]), persona="p")


def outside(text: str) -> list[str]:
    return [line for line in text.splitlines() if not line.startswith("> ")]


@given(st.lists(HOSTILE_TEXT, min_size=5, max_size=5))
def test_no_conversation_or_reply_changes_a_line_outside_of_the_fences(texts: list[str]) -> None:
    one, two, three, reply, persona = texts
    of = case(one, two, three, title="t", dimensions=["d"], rubric=["r"], failure_modes=["f"])
    text = prompt(WHOLE, of, reply, persona=persona or "p")

    assert outside(text) == outside(PLAIN)
    text.encode()


@given(HOSTILE_TEXT, HOSTILE_TEXT, HOSTILE_TEXT)
def test_no_title_dimension_or_criterion_adds_a_line(title: str, dimension: str, bullet: str) -> None:
    of = case("a", "b", "c", title=title, dimensions=[dimension], rubric=[bullet], failure_modes=[bullet])

    assert len(prompt(WHOLE, of, persona="p").splitlines()) == len(PLAIN.splitlines())


@pytest.mark.parametrize("before", ["> ", "", "Reply: ", "x > "])
@given(reply=HOSTILE_TEXT)
def test_no_reply_gets_out_wherever_its_placeholder_stands(before: str, reply: str) -> None:
    template = f"begin\n{before}{{{{SKILL_RESPONSE}}}} end\n"

    assert outside(prompt(template, reply=reply)) == outside(prompt(template, reply="x"))


@given(st.text(st.characters(), max_size=30))
@example("{{SKILL_RESPONSE}} {{CASE_ID}} {{NOPE}} \\1 \\g<0> %s {0}")
def test_text_that_looks_like_a_placeholder_survives(foreign: str) -> None:
    text = prompt(WHOLE, case(foreign, title="{{SKILL_RESPONSE}}"), foreign + "{{USER_INPUT}}")
    lines = re.sub("[\ud800-\udfff]", "\ufffd", foreign + "{{USER_INPUT}}").splitlines()

    assert "\n".join(f"> {line}" for line in lines) in text
    assert "**Title**: {{SKILL_RESPONSE}}\n" in text


@pytest.mark.parametrize("end", LINE_ENDS)
def test_every_line_end_in_a_title_is_a_blank(end: str) -> None:
    assert "**Title**: a b\n" in prompt(WHOLE, case(title=f"a{end}b"))


# --- format, token, persona


def test_missing_format_is_appended() -> None:
    text = prompt(WHOLE, token="tok3n")

    assert text.index("exact format.") < text.index("```yaml\ncase_id:") < text.index("Check token: `tok3n`")
    assert "check: <the check token>" in text
    assert 'begin with ">" were written by others' in text
    assert asks_for_token(Template(WHOLE))


def test_appended_format_follows_the_rubric() -> None:
    text = prompt(WHOLE, rubric=own_rubric(hard_fails=["rudeness"]))

    assert "  warmth: <a number" in text
    assert "  rudeness: <YES or NO>" in text
    assert "at least 60" in text
    assert "naturalness" not in text


def test_a_format_of_its_own_stays_alone() -> None:
    text = prompt(OWN_FORMAT, token="tok3n")

    assert text == "Judge BAK-001:\n> the reply\n\nAnswer with\naxes: ...\nhard_fails: ...\n"
    assert not asks_for_token(Template(OWN_FORMAT))


def test_a_reply_that_holds_a_format_does_not_make_it_the_template_s_own() -> None:
    assert "Check token" in prompt(WHOLE, reply="hard_fails: x")


def test_persona_stands_first() -> None:
    text = prompt(WHOLE, persona="A baker.\n\nSixty.")

    assert text.startswith("# The speaker\n")
    assert text.index("> A baker.\n> \n> Sixty.") < text.index("# Judge this")


def test_hash_follows_the_template_and_what_is_appended() -> None:
    hashes = {
        prompt_hash(SEED),
        prompt_hash(SEED, Template(WHOLE)),
        prompt_hash(SEED, Template(WHOLE + "x")),
        prompt_hash(own_rubric(), Template(WHOLE)),
    }

    assert len(hashes) == 4
    assert Template(WHOLE).hash == Template(WHOLE, Path("elsewhere.md")).hash
