"""What holds for any case file."""

from __future__ import annotations

from pathlib import Path

from hypothesis import example, given
from hypothesis import strategies as st

from iamhumans.cases import Case, Turn, read_case
from iamhumans.cases.front_matter import flow_list, id_problem, quoted
from iamhumans.cases.new_case import new_case_text
from iamhumans.text import has_substance

_PIECES = (
    "---\n¦...\n¦id: A\n¦title: a: b\n¦title: {a\n¦holdout: yes\n¦dimensions: [a, b]\n¦  - a\n¦## input\n¦"
    "## conversation\n¦## rubric\n¦## notes\n¦## Failure modes:\n¦## other\n¦### user\n¦### assistant\n¦"
    "### human\n¦# x\n¦\\## rubric\n¦##\n¦- \n¦- a\n¦1. b\n¦```\n¦~~~~\n¦<!--¦-->¦\n¦  ¦x¦\t¦\r¦\r\n¦\ufeff¦\x00¦"
    "\x1b¦\x85¦\ud800¦\u2028¦&a ¦*a ¦!t ¦'¦\"¦|¦>¦{¦[¦:¦,¦#¦%¦@¦`"
)
PIECES = st.sampled_from(_PIECES.split("¦"))
TEXTS = st.one_of(
    st.text(),
    st.lists(PIECES, max_size=40).map("".join),
    st.lists(PIECES, max_size=12).map(lambda pieces: "---\nid: A\n" + "".join(pieces)),
    st.lists(PIECES, max_size=20).map(lambda pieces: "---\nid: A\n---\n" + "".join(pieces)),
)

# Letters, marks, numbers, punctuation, symbols and the blank: whatever people type on one line.
WORDS = st.text(
    st.characters(categories=["L", "M", "N", "P", "S", "Zs"], exclude_characters="\ufeff"), min_size=1, max_size=40
).filter(lambda text: text.strip() == text and text != "")
_STRUCTURE = "## rubric|## notes|## Today|### user|### assistant|# x|- item|---|\\## rubric|<!--"
STRUCTURE = _STRUCTURE.split("|")
LINES = st.one_of(WORDS, st.sampled_from(["", *STRUCTURE]))
CODE = st.lists(st.sampled_from(["x = 1", "## rubric", "### user", "\\## notes", ""]), max_size=4).map(
    lambda lines: ["```", *lines, "```"]
)
BLOCKS = st.one_of(LINES.filter(lambda line: "`" not in line and "~" not in line).map(lambda line: [line]), CODE)


def shown(block: list[str]) -> str:
    """A block of a message as it is written in a file: headings outside of code get a backslash."""
    if len(block) > 1:
        return "\n".join(block)
    line = block[0].lstrip("\\")
    return f"\\{block[0]}" if line.startswith(("## ", "### ")) else block[0]


def is_message(blocks: list[list[str]]) -> bool:
    """Whether the blocks are a message without blank lines around it, and none of them opens a comment for others."""
    text = "\n".join("\n".join(block) for block in blocks)
    return text == text.strip() and text != ""


MESSAGES = st.lists(BLOCKS, min_size=1, max_size=6).filter(is_message)
CRITERIA = WORDS.filter(lambda text: has_substance(text) and not any(mark in text for mark in ("<!--", "`", "~")))
NAMES = st.from_regex(r"[a-z][a-z_]{0,20}", fullmatch=True)
IDS = WORDS.filter(lambda text: not id_problem(text))


@st.composite
def parts(draw: st.DrawFn) -> tuple[Case, str]:
    """A case, and its file as a careful person writes it."""
    users = draw(st.lists(MESSAGES, min_size=1, max_size=3))
    answers = draw(st.lists(st.one_of(MESSAGES, st.just([[""]])), min_size=len(users) - 1, max_size=len(users) - 1))
    turns = [("user", users[0])]
    for answer, user in zip(answers, users[1:], strict=True):
        turns += [("assistant", answer), ("user", user)]
    case = Case(
        id=draw(IDS),
        title=" ".join(draw(WORDS).split()),
        conversation=tuple(
            Turn("user" if speaker == "user" else "assistant", "\n".join("\n".join(block) for block in blocks))
            for speaker, blocks in turns
        ),
        dimensions=tuple(draw(st.lists(NAMES, unique=True, max_size=3))),
        hard_fails=tuple(draw(st.lists(NAMES, unique=True, max_size=3))),
        rubric=tuple(draw(st.lists(CRITERIA, max_size=3))),
        failure_modes=tuple(draw(st.lists(CRITERIA, max_size=3))),
        holdout=draw(st.booleans()),
        repair=draw(st.booleans()),
        lang=draw(st.sampled_from(["en", "vi", "pt-BR"])),
    )
    return case, file_text(case, turns)


def file_text(case: Case, turns: list[tuple[str, list[list[str]]]]) -> str:
    front = [
        f"id: {quoted(case.id)}",
        f"title: {quoted(case.title)}",
        f"dimensions: {flow_list(case.dimensions)}",
        f"hard_fails: {flow_list(case.hard_fails)}",
        f"holdout: {case.holdout}",
        f"repair: {case.repair}",
        f"lang: {case.lang}",
    ]
    body = [f"### {speaker}\n\n" + "\n".join(shown(block) for block in blocks) for speaker, blocks in turns]
    lists = [
        f"## {name}\n\n" + "\n".join(f"- {text}" for text in texts)
        for name, texts in (("rubric", case.rubric), ("failure_modes", case.failure_modes))
    ]
    return "\n".join(["---", *front, "---", ""]) + "\n\n".join(["\n## conversation", *body, *lists]) + "\n"


@given(TEXTS)
@example("---\nid: A\n---\n## input\nhi\n## rubric")
@example("---\nid: A\ntitle:\n---\n")
def test_no_text_raises_and_a_case_stands_exactly_where_there_is_no_error(text: str) -> None:
    reading = read_case(text, Path("a.md"))
    failed = any(finding.error for finding in reading.findings)
    assert (reading.case is None) == failed
    lines = text.replace("\r\n", "\n").replace("\r", "\n").count("\n") + 1
    for finding in reading.findings:
        assert 1 <= finding.line <= lines
        assert finding.problem
        assert finding.fix


@given(TEXTS)
def test_a_case_that_loads_can_be_judged(text: str) -> None:
    case = read_case(text, Path("a.md")).case
    if case is not None:
        assert case.id
        assert case.conversation[-1].speaker == "user"
        assert all(turn.text.strip() for turn in case.conversation if turn.speaker == "user")
        assert all(criterion.strip() for criterion in (*case.rubric, *case.failure_modes))
        assert len(case.hash) == 64


@given(parts())
def test_a_case_written_from_parts_reads_back_as_these_parts(written: tuple[Case, str]) -> None:
    case, text = written
    reading = read_case(text, Path("a.md"))
    assert [str(finding) for finding in reading.findings if finding.error] == []
    assert reading.case == case


@given(WORDS, st.lists(WORDS, max_size=3), st.booleans())
def test_a_starter_loads_with_the_title_and_dimensions_it_was_given(
    title: str, dimensions: list[str], conversation: bool
) -> None:
    text = new_case_text("A-1", title=title, dimensions=dimensions, conversation=conversation)
    case = read_case(text, Path("A-1.md")).case
    assert case is not None
    assert case.title == " ".join(title.split())
    assert case.dimensions == tuple(dict.fromkeys(" ".join(name.split()) for name in dimensions))
