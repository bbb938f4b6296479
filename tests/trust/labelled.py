"""Labels, replies and rubrics that the tests of this folder share."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from tests.builders import HOSTILE_TEXT, SEED

from iamhumans.cases import Case
from iamhumans.errors import Place
from iamhumans.runs.journal.entries import storable
from iamhumans.runs.journal.queries import JudgedReply
from iamhumans.runs.labels import Label
from iamhumans.trust.label_files import LabelRow

KEY = "k1"
TEXT = "Oh no. The one with the poppy rolls?"


def label(**changes: Any) -> Label:
    """A label of one reply."""
    known: dict[str, Any] = {
        "reply_key": KEY,
        "case_id": "BAK-001",
        "subject": "friend",
        "number": 1,
        "rater": "ann",
        "flags": {"pity": False},
        "axes": {"naturalness": 8.0},
    }
    return Label(**{**known, **changes})


def row(*, place: Place = Place(), **changes: Any) -> LabelRow:  # noqa: B008 - it is frozen
    """A row of a label file."""
    about = {name: changes.pop(name) for name in ("reply_hash", "numbered") if name in changes}
    return LabelRow(label(**changes), place=place, **about)


def reply(key: str = KEY, *, case_id: str = "BAK-001", text: str = TEXT, **changes: Any) -> JudgedReply:
    """A reply of a run."""
    facts = {name: changes.pop(name) for name in ("repair", "holdout") if name in changes}
    known: dict[str, Any] = {"subject": "friend", "number": 1, "text": text, "conversation": (), **changes}
    return JudgedReply(key, Case(case_id, known["conversation"], **facts), **known)


# What a label may hold after it was read: no lone surrogates, and no text of blanks alone.
SAID = HOSTILE_TEXT.map(storable).filter(lambda text: bool(text.strip())).map(lambda text: text[:300])
_OR_NONE = st.none() | SAID
_FLAGS = st.dictionaries(st.sampled_from(SEED.hard_fail_ids), st.none() | st.booleans())
_SCORE = st.none() | st.floats(0, 10)
_AXES = st.dictionaries(st.sampled_from(SEED.axis_ids), _SCORE)
_QUOTES = st.lists(SAID, min_size=1, max_size=3).map(tuple)
_WORDS = st.dictionaries(st.sampled_from(SEED.hard_fail_ids), _QUOTES, max_size=3)
LABELS = st.builds(
    Label,
    reply_key=_OR_NONE,
    case_id=SAID,
    subject=_OR_NONE,
    number=st.integers(1, 1_000),
    rater=SAID,
    flags=_FLAGS,
    axes=_AXES,
    words=_WORDS,
    notes=st.just("") | SAID,
    part=st.sampled_from([None, "random", "targeted"]),
    weight=st.none() | st.floats(1, 1e9),
)
ROWS = st.builds(LabelRow, LABELS, reply_hash=_OR_NONE)
