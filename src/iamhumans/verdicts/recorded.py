"""Verdicts in files: from another tool, an earlier run, or a person.

A file holds one verdict as a judge printed it, in any form that the reader accepts. A JSON Lines file holds one per
line. The reply may be in the same file, under a key such as ``reply`` or ``skill_response``.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from glob import glob, has_magic  # for patterns that may begin anywhere
from pathlib import Path

from iamhumans.errors import CommandError, InputError, Place
from iamhumans.rubrics import AXIS_MAXIMUM, NOT_APPLICABLE, Rubric
from iamhumans.text import YamlProblem, read_text, read_yaml
from iamhumans.verdicts.reader import read_verdict
from iamhumans.verdicts.verdict import Asked, Flag, MaybeVerdict, Reason, Unjudged, Verdict

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
    """One recorded answer; ``unjudged`` if the file says that the judge gave no verdict.

    ``partial`` is the verdict of a judge that did not see every criterion, whose line has null there. ``repairs`` are
    those that a line of ``judge`` names: writing the line has not added any.
    """

    text: str
    place: Place
    case_id: str | None = None
    reply: str | None = None
    subject: str | None = None
    number: int | None = None
    unjudged: Unjudged | None = None
    partial: Verdict | None = None
    repairs: tuple[str, ...] | None = None

    def read(self, rubric: Rubric, asked: Asked) -> MaybeVerdict:
        """The verdict, or why there is none. Only what ``judge`` wrote may leave a criterion out as not seen."""
        if self.unjudged is not None:
            return self.unjudged
        if self.partial is None:
            found = read_verdict(self.text, rubric, asked)
            return (
                found if isinstance(found, Unjudged) or self.repairs is None else replace(found, repairs=self.repairs)
            )
        for reason, ids, said in (
            (Reason.MISSING_AXIS, rubric.axis_ids, self.partial.axes),
            (Reason.MISSING_FLAG, rubric.hard_fail_ids, self.partial.flags),
        ):
            if missing := [name for name in ids if name not in said]:
                return Unjudged(reason, f"the recorded verdict has no {missing[0]}")
        axes = {name: self.partial.axes[name] for name in rubric.axis_ids}
        for axis in rubric.axes:
            if axes[axis.id] is None and axis.default is None and axis.id not in self.partial.unseen:
                return Unjudged(Reason.MISSING_AXIS, f"the recorded verdict has N/A for {axis.id}")
        flags = {name: self.partial.flags[name] for name in rubric.hard_fail_ids}
        return replace(self.partial, axes=axes, flags=flags, unseen=self.partial.unseen.intersection(axes))


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
    stated, repairs = _as_stated(row), row.get("repairs")
    return RecordedVerdict(
        texts.get("answer") or stated or line,
        place,
        case_id=texts.get("case_id"),
        reply=_reply_in(row),
        subject=texts.get("subject"),
        number=number if isinstance(number, int) else None,
        unjudged=Unjudged(Reason(reason), texts.get("detail", "")) if is_unjudged else None,
        partial=_partial(row),
        repairs=tuple(map(str, repairs)) if stated and isinstance(repairs, list) and "answer" not in texts else None,
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


def _partial(row: Mapping[str, object]) -> Verdict | None:
    """The verdict of a JSON line that `judge` wrote, where a criterion was not seen. No other line may have a null."""
    axes, flags, defaulted = (row.get(key) for key in ("axes", "hard_fails", "defaulted"))
    if not (isinstance(axes, dict) and isinstance(flags, dict) and isinstance(defaulted, list) and "stated" in row):
        return None
    answers = {name: _flag(said) for name, said in flags.items()}
    scores = {name: score for name, score in axes.items() if name not in defaulted}
    whole = None not in scores.values() and all(flag is None or flag.present is not None for flag in answers.values())
    if whole or None in answers.values() or not all(map(_is_score, scores.values())):
        return None
    case_id, notes = row.get("case_id"), row.get("notes")
    return Verdict(
        axes={name: None if name in defaulted else score for name, score in axes.items()},
        flags={name: flag for name, flag in answers.items() if flag is not None},
        case_id=case_id if isinstance(case_id, str) else None,
        notes=notes if isinstance(notes, str) else "",
        unseen=frozenset(name for name, score in scores.items() if score is None),
    )


def _flag(said: object) -> Flag | None:
    if not isinstance(said, dict) or "present" not in said or not isinstance(said["present"], bool | None):
        return None
    quotes = said.get("quotes") or []
    return Flag(said["present"], tuple(quotes)) if all(isinstance(quote, str) for quote in quotes) else None


def _is_score(value: object) -> bool:
    return value is None or (
        isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= AXIS_MAXIMUM
    )


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
