"""Lines of a small proving set about two bundled cases, for the tests of this folder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from iamhumans.cases import Case, Suite, Turn

OPEN_CASE = Case("BUS-001", (Turn("user", "missed the last bus"),))
HELD_OUT = Case("BUS-002", (Turn("user", "walked home"),), holdout=True)
SUITE = Suite("buses", Path("buses"), (OPEN_CASE, HELD_OUT))


def line(**changes: Any) -> str:
    """A right reply as a line; a value of ``None`` leaves its key out."""
    written: dict[str, Any] = {
        "id": "BUS-001/right",
        "case_id": "BUS-001",
        "kind": "right",
        "reply": "How far is the walk?",
        "faults": [],
        "bands": {"naturalness": "high"},
        "unsure": [],
        "hard": False,
        "marks": [],
        "words": {},
        "why": "It asks the one thing that matters now.",
    }
    written |= changes
    return json.dumps({key: value for key, value in written.items() if value is not None})


def fault(flag: str = "pity", words: str = "Poor lamb.", degree: str = "blatant", **changes: Any) -> str:
    """A reply with one planted hard fail as a line."""
    planted = [{"flag": flag, "degree": degree, "words": words}]
    return line(**{"id": "BUS-001/fault", "kind": "fault", "reply": f"{words} Far to go?", "faults": planted} | changes)
