"""One reply takes one short way: few functions, and no module is left and entered again."""

from __future__ import annotations

import sys
from pathlib import Path
from types import FrameType

import iamhumans as ih

HOUSE = str(Path(ih.__file__).parent)
REPLY = "Your feelings are completely valid. I want to acknowledge how hard this is."
MOST = 30


def way_of(reply: str) -> list[tuple[str, str]]:
    """The functions of ours that are called while one reply is judged, with their modules, in order."""
    called: list[tuple[str, str]] = []

    def note(frame: FrameType, event: str, argument: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(HOUSE) and not code.co_name.startswith("<"):
            called.append((code.co_filename, code.co_name))

    ih.judge(reply, input="i can't sleep again")  # what is loaded once is no part of the way
    sys.setprofile(note)
    try:
        ih.judge(reply, input="i can't sleep again")
    finally:
        sys.setprofile(None)
    return called


def test_a_reply_passes_at_most_thirty_functions() -> None:
    assert len(set(way_of(REPLY))) <= MOST


def test_no_module_is_left_and_entered_again() -> None:
    modules = [module for module, _ in way_of(REPLY)]
    visits = [module for module, before in zip(modules, [None, *modules], strict=False) if module != before]
    assert len(visits) == len(set(visits)), visits
