"""Verdicts in files: from another tool, an earlier run, or a person.

A file holds one verdict as a judge printed it, in any form that the reader accepts. A JSON Lines file holds one per
line. The reply may be in the same file, under a key such as ``reply`` or ``skill_response``.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from glob import glob, has_magic  # for patterns that may begin anywhere
from pathlib import Path

from iamhumans.errors import CommandError, InputError, Place
from iamhumans.rubrics import NOT_APPLICABLE
from iamhumans.text import YamlProblem, read_text, read_yaml
from iamhumans.verdicts.verdict import Reason, Unjudged

REPLY_KEYS = ("reply", "skill_response", "baseline_response", "response")
"""Keys under which a verdict file may hold the reply that it judges; the first one present counts."""

_VERDICT_SUFFIXES = (".yaml", ".yml", ".json", ".txt")
_MOST_FILES = 100_000  # below a folder, of any kind
# At the margin, or as the first key of a JSON object; otherwise anywhere. A reply in the same file is indented or in a
# string, and may hold such a line, too.
_CASE_IDS = tuple(
    re.compile(start + r"[*_\"'`]*case_id[*_\"'`]*[ \t]*[:：][ \t]*[*_]*[\"'`]?([^\s\"'`,{}]+)", re.MULTILINE)
    for start in ("^", r"\A\s*\{\s*", r"(?:^[ \t]+|[{,][ \t]*)")
)


@dataclass(frozen=True, slots=True)
class RecordedVerdict:
    """One recorded answer; ``unjudged`` if the file says that the judge gave no verdict."""

    text: str
    place: Place
    case_id: str | None = None
    reply: str | None = None
    subject: str | None = None
    number: int | None = None
    unjudged: Unjudged | None = None


def read_recorded(source: str) -> tuple[RecordedVerdict, ...]:
    """The verdicts of a file, of a folder and its subfolders, or of a pattern such as ``verdicts/*/first.yaml``.

    Raises:
        CommandError: There is none.
        InputError: A file cannot be read.
    """
    found = [verdict for path in verdict_paths(source) for verdict in _verdicts_of(path)]
    if not found:
        raise CommandError(
            f"There is no recorded verdict under `{source}`.",
            fix="Name a verdict file, a folder of verdict files, or a .jsonl file from `judge -o`.",
        )
    return tuple(found)


def verdict_paths(source: str) -> list[Path]:
    """The verdict files under a path or pattern, sorted."""
    path = Path(source)
    if path.is_file():
        return [path]
    if path.is_dir():
        return sorted(_below(path))
    if path.exists() or not has_magic(source):
        what = "is not a regular file" if path.exists() else "does not exist"
        raise CommandError(f"`{source}` {what}.", fix="Check the path of the recorded verdicts.")
    return sorted(Path(name) for name in glob(source, recursive=True) if Path(name).is_file())


def _below(folder: Path) -> Iterator[Path]:
    """The verdict files in a folder and its subfolders. Whole disks are refused: reading them takes very long."""
    fix = "Name the folder that holds the verdicts."
    if folder.resolve() in (Path(folder.resolve().anchor), _home()):
        raise CommandError(f"`{folder}` is a whole disk or a home folder, and all of it would be read.", fix=fix)
    seen = 0
    for place, _, names in os.walk(folder):
        seen += len(names)
        if seen > _MOST_FILES:
            raise CommandError(f"There are more than {_MOST_FILES:,} files below `{folder}`.", fix=fix)
        files = (Path(place, name) for name in names if Path(name).suffix in _VERDICT_SUFFIXES)
        yield from (file for file in files if file.is_file())


def _home() -> Path | None:
    try:
        return Path.home().resolve()
    except RuntimeError:
        return None


def _verdicts_of(path: Path) -> Iterator[RecordedVerdict]:
    if path.suffix != ".jsonl":
        text = read_text(path)
        match = next(filter(None, (pattern.search(text) for pattern in _CASE_IDS)), None)
        yield RecordedVerdict(text, Place(path), match[1] if match else None, reply_inside(text))
        return
    with path.open(encoding="utf-8", errors="replace") as lines:
        for number, line in enumerate(lines, start=1):
            if line.strip():
                yield _from_line(line, Place(path, number))


def _from_line(line: str, place: Place) -> RecordedVerdict:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        row = None
    if not isinstance(row, dict):
        raise InputError("This line is not a JSON object.", fix="Write one verdict per line.", where=place)
    texts = {key: value for key, value in row.items() if isinstance(value, str)}
    number, reason = row.get("number"), texts.get("reason", "")
    is_unjudged = texts.get("status") == "unjudged" and reason in set(Reason)
    return RecordedVerdict(
        texts.get("answer") or _as_stated(row) or line,
        place,
        case_id=texts.get("case_id"),
        reply=_reply_in(row),
        subject=texts.get("subject"),
        number=number if isinstance(number, int) else None,
        unjudged=Unjudged(Reason(reason), texts.get("detail", "")) if is_unjudged else None,
    )


def _as_stated(row: Mapping[str, object]) -> str | None:
    """The verdict of a JSON line that `judge` wrote, so that it scores the same again.

    Defaulted axes are N/A again, and total and verdict are the ones that the judge stated.
    """
    axes, flags, stated, defaulted = (row.get(key) for key in ("axes", "hard_fails", "stated", "defaulted"))
    if not (isinstance(axes, dict) and isinstance(flags, dict) and isinstance(stated, dict)):
        return None
    answers = [flag.get("present") if isinstance(flag, dict) else None for flag in flags.values()]
    if not isinstance(defaulted, list) or not all(isinstance(answer, bool) for answer in answers):
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


def reply_inside(text: str) -> str | None:
    """The reply in the same file as a verdict, if there is one."""
    if not any(f"{key}:" in text or f'"{key}"' in text for key in REPLY_KEYS):
        return None
    try:
        value = read_yaml(text).value
    except YamlProblem:
        return None
    return _reply_in(value) if isinstance(value, dict) else None


def _reply_in(row: Mapping[str, object]) -> str | None:
    return next((reply for key in REPLY_KEYS if isinstance(reply := row.get(key), str)), None)
