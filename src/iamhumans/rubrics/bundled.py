"""The rubrics that ship: their names, their texts, and what can be told of them without building them."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from iamhumans.text import YamlValue, read_yaml

BUNDLED = ("iamhumans", "iamhumans-extended")
DEFAULT_RUBRIC = "iamhumans"


def bundled_text(name: str) -> str:
    """The file of a rubric that ships."""
    return files("iamhumans.rubrics").joinpath("data", f"{name}.yaml").read_text(encoding="utf-8")


@cache
def bundled_hard_fail_ids(name: str) -> tuple[str, ...]:
    """The ids of the hard fails of a rubric that ships, as ``load_rubric(name).hard_fail_ids`` has them.

    A suite declares them, and to build a whole rubric for that takes longer than to read a hundred cases.
    """
    written = read_yaml(bundled_text(name)).value
    base = _entry(written, "extends")
    without = _entry(written, "without") or ()
    own = [_entry(part, "id") for part in _entry(written, "hard_fails") or ()]
    before = [one for one in bundled_hard_fail_ids(str(base)) if one not in without] if base else []
    return tuple(map(str, dict.fromkeys([*before, *own])))


def _entry(value: YamlValue, key: str) -> YamlValue:
    return value.get(key, "") if isinstance(value, dict) else ""
