"""The rubrics that ship with the package."""

from functools import cache
from importlib.resources import files

from iamhumans.text import YamlValue, read_yaml

BUNDLED = ("iamhumans", "iamhumans-extended")
DEFAULT_RUBRIC = "iamhumans"


def bundled_text(name: str) -> str:
    """The file of a bundled rubric."""
    return files("iamhumans.rubrics").joinpath("data", f"{name}.yaml").read_text(encoding="utf-8")


@cache
def bundled_hard_fail_ids(name: str) -> tuple[str, ...]:
    """The hard fail ids of a bundled rubric. Building the whole rubric takes longer than reading a hundred cases."""
    written = read_yaml(bundled_text(name)).value
    base = _entry(written, "extends")
    without = _entry(written, "without") or ()
    added = [_entry(part, "id") for part in _entry(written, "hard_fails") or ()]
    inherited = [one for one in bundled_hard_fail_ids(str(base)) if one not in without] if base else []
    return tuple(map(str, dict.fromkeys([*inherited, *added])))


def _entry(value: YamlValue, key: str) -> YamlValue:
    return value.get(key, "") if isinstance(value, dict) else ""
