"""Lines of a small proving set, for the tests of this folder."""

from __future__ import annotations

import json
from typing import Any


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
