"""Verdicts that stand in files: of another tool, of an earlier time, of a person.

A file holds one verdict as a judge printed it, in any dress that the reader forgives; a JSON Lines file holds one a
line. The reply may stand beside the verdict, under a key such as ``reply`` or ``skill_response``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from glob import glob, has_magic  # for patterns that may begin anywhere
from pathlib import Path

from iamhumans.errors import CommandError, InputError, Place
from iamhumans.rubrics import NOT_APPLICABLE
from iamhumans.text import YamlProblem, read_text, read_yaml
from iamhumans.verdicts.model import Reason, Unjudged

REPLY_KEYS = ("reply", "skill_response", "baseline_response", "response")
"""Keys under which a verdict file may hold the reply that it judges, the first that is there."""

_VERDICT_SUFFIXES = (".yaml", ".yml", ".json", ".txt")
# At the margin or as the first key of a JSON object; failing that anywhere, as in an indented verdict. A reply that
# stands beside the verdict is indented or inside a string, and may hold such a line, too.
_CASE_IDS = tuple(
    re.compile(start + r"[*_\"'`]*case_id[*_\"'`]*[ \t]*[:：][ \t]*[*_]*[\"'`]?([^\s\"'`,{}]+)", re.MULTILINE)
    for start in ("^", r"\A\s*\{\s*", r"(?:^[ \t]+|[{,][ \t]*)")
)


@dataclass(frozen=True, slots=True)
class RecordedVerdict:
    """One recorded answer: what a judge printed, for which case, and the reply where it stands beside it."""

    text: str
    place: Place
    case_id: str | None = None
    reply: str | None = None
    subject: str | None = None
    number: int | None = None
    unjudged: Unjudged | None = None
    """Where the file says that the judge gave no verdict, and why."""


def read_recorded(source: str) -> tuple[RecordedVerdict, ...]:
    """The verdicts of a file, of a folder with all below it, or of a pattern such as ``verdicts/*/first.yaml``.

    Raises:
        CommandError: Nothing is there.
        InputError: A file cannot be read.
    """
    found = [verdict for path in _paths(source) for verdict in _verdicts_of(path)]
    if not found:
        raise CommandError(
            f"There is no recorded verdict under `{source}`.",
            fix="Name a verdict file, a folder of them, or a .jsonl file that `judge -o` wrote.",
        )
    return tuple(found)


def verdict_paths(source: str) -> list[Path]:
    """The verdict files under a path or pattern, sorted."""
    return _paths(source)


def _paths(source: str) -> list[Path]:
    if has_magic(source) and not Path(source).exists():
        return sorted(Path(name) for name in glob(source, recursive=True) if Path(name).is_file())
    path = Path(source)
    if path.is_dir():
        return sorted(file for file in path.rglob("*") if file.suffix in _VERDICT_SUFFIXES and file.is_file())
    if not path.exists():
        raise CommandError(f"There is no `{source}`.", fix="Check the path of the recorded verdicts.")
    return [path]


def _verdicts_of(path: Path) -> Iterator[RecordedVerdict]:
    if path.suffix == ".jsonl":
        yield from _from_lines(path)
        return
    text = read_text(path)
    match = next(filter(None, (pattern.search(text) for pattern in _CASE_IDS)), None)
    yield RecordedVerdict(text, Place(path), match[1] if match else None, reply_inside(text))


def _from_lines(path: Path) -> Iterator[RecordedVerdict]:
    with path.open(encoding="utf-8", errors="replace") as lines:
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            place = Place(path, number)
            try:
                row = json.loads(line)
            except (ValueError, RecursionError):
                raise InputError("This line is not JSON.", fix="One verdict a line.", place=place) from None
            if not isinstance(row, dict):
                raise InputError("This line is no JSON object.", fix="One verdict a line.", place=place)
            yield _from_row(row, line, place)


def _from_row(row: Mapping[str, object], line: str, place: Place) -> RecordedVerdict:
    def text(*keys: str) -> str | None:
        return next((value for key in keys if isinstance(value := row.get(key), str)), None)

    number = row.get("number")
    own = _own_line(row)
    return RecordedVerdict(
        text("answer") or own or line,
        place,
        case_id=text("case_id"),
        reply=text(*REPLY_KEYS),
        subject=text("subject"),
        number=number if isinstance(number, int) else None,
        unjudged=_own_unjudged(row),
    )


def _own_line(row: Mapping[str, object]) -> str | None:
    """The verdict of a line that this program wrote, as the judge gave it.

    Such a line holds the axes as they count and the total that follows from them. What was defaulted is N/A again, and
    the total and the verdict are those that the judge stated, so that the same score follows once more.
    """
    axes, flags, stated, defaulted = (row.get(key) for key in ("axes", "hard_fails", "stated", "defaulted"))
    if not (isinstance(axes, dict) and isinstance(flags, dict) and isinstance(stated, dict)):
        return None
    if not isinstance(defaulted, list) or not all(map(_is_own_flag, flags.values())):
        return None
    verdict = {
        "case_id": row.get("case_id"),
        "axes": {name: NOT_APPLICABLE if name in defaulted else value for name, value in axes.items()},
        "evidence": {name: flag.get("quotes") or [] for name, flag in flags.items() if flag["present"]},
        "hard_fails": {name: "YES" if flag["present"] else "NO" for name, flag in flags.items()},
        **{key: stated[key] for key in ("total", "verdict") if stated.get(key) is not None},
        "notes": row.get("notes") or "",
    }
    return json.dumps(verdict)


def _is_own_flag(flag: object) -> bool:
    return isinstance(flag, dict) and isinstance(flag.get("present"), bool)


def _own_unjudged(row: Mapping[str, object]) -> Unjudged | None:
    """What a line of this program says that has no verdict."""
    reason, detail = row.get("reason"), row.get("detail")
    if row.get("status") != "unjudged" or not isinstance(reason, str) or reason not in set(Reason):
        return None
    return Unjudged(Reason(reason), detail if isinstance(detail, str) else "")


def reply_inside(text: str) -> str | None:
    """The reply that stands beside a verdict in its file, where there is one."""
    if not any(f"{key}:" in text or f'"{key}"' in text for key in REPLY_KEYS):
        return None
    try:
        value = read_yaml(text).value
    except YamlProblem:
        return None
    if not isinstance(value, dict):
        return None
    return next((reply for key in REPLY_KEYS if isinstance(reply := value.get(key), str)), None)
