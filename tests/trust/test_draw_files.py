"""The file of a draw."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.builders import FEW, HOSTILE_TEXT
from tests.trust.labelled import SAID

from iamhumans.errors import CommandError, InputError
from iamhumans.trust.drawing import Draw, Drawn, draw_as_json_lines, read_draw

DRAWS = st.builds(
    Drawn,
    SAID,
    SAID,
    st.none() | SAID,
    st.integers(1, 99),
    st.sampled_from(["random", "targeted"]),
    st.floats(1, 1e6),
    st.lists(HOSTILE_TEXT.filter(lambda text: text.isascii()), max_size=2).map(tuple),
)


@FEW
@given(st.lists(DRAWS, min_size=1, max_size=4, unique_by=lambda one: one.reply_key))
def test_what_is_written_is_read_back(drawn: list[Drawn]) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "draw.jsonl"
        path.write_text("".join(draw_as_json_lines(Draw(tuple(drawn), 9))), encoding="utf-8")
        assert read_draw(path, {one.reply_key for one in drawn}) == tuple(drawn)


def lines(folder: Path, *values: Any) -> Path:
    path = folder / "draw.jsonl"
    path.write_text("".join((one if isinstance(one, str) else json.dumps(one)) + "\n" for one in values))
    return path


GOOD = {"reply_key": "k1", "part": "random", "weight": 2.0}


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        ("{", "not a JSON object"),
        ("[]", "not a JSON object"),
        ({"reply_key": "k2", "part": "random"}, "`weight`: Field required"),
        ({**GOOD, "reply_key": "k2", "weight": 0.5}, "must be at least 1"),
        ({**GOOD, "reply_key": "k2", "reasons": "one"}, "`reasons`"),
    ],
)
def test_line_that_is_wrong_is_an_error_with_its_place(tmp_path: Path, bad: Any, said: str) -> None:
    with pytest.raises(InputError, match=r"draw\.jsonl:2: ") as raised:
        read_draw(lines(tmp_path, GOOD, bad), {"k1", "k2"})
    assert said in str(raised.value)


def test_empty_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no drawn reply"):
        read_draw(lines(tmp_path), set())


def test_draw_of_another_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="1 of the 1 replies of the draw cannot be labelled in this run"):
        read_draw(lines(tmp_path, GOOD), {"k2"})
