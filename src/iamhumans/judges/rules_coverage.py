"""The table of what the ``rules`` judge sees. ``python -m benchmarks.rules_coverage`` writes it; nothing else does."""

import json
from functools import cache
from importlib.resources import files
from typing import Any

from iamhumans.verdicts import Coverage, Seen

TABLE = "rules_coverage.json"


@cache
def rules_table() -> Any:
    """The table as it was measured: for each language and criterion, counts and whether YES, NO or the score counts."""
    return json.loads(files("iamhumans.judges").joinpath(TABLE).read_text(encoding="utf-8"))


@cache
def rules_coverage() -> Coverage:
    """What the ``rules`` judge sees, by its table."""
    return Coverage({lang: _seen(measured) for lang, measured in rules_table()["languages"].items()})


def _seen(measured: Any) -> Seen:
    flags, axes = measured["hard_fails"], measured["axes"]
    return Seen(
        yes=frozenset(name for name, one in flags.items() if one["yes_counts"]),
        no=frozenset(name for name, one in flags.items() if one["no_counts"]),
        axes=frozenset(name for name, one in axes.items() if one["counts"]),
    )
