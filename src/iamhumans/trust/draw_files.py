"""A draw as a JSON Lines file, a reply a line: what `calibrate` writes and `label` reads."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from iamhumans.errors import CommandError, InputError, Place
from iamhumans.text import one_line, read_text
from iamhumans.trust.draw import Draw, Drawn
from iamhumans.trust.label_files import MOST_BYTES
from iamhumans.trust.label_values import read_count, read_part, read_text_value, read_weight

_KEYS = ("reply_key", "case_id", "subject", "number", "part", "weight", "reasons")


def draw_as_json_lines(draw: Draw) -> Iterator[str]:
    """The lines of the file."""
    for one in draw.drawn:
        yield json.dumps(drawn_values(one), ensure_ascii=True) + "\n"


def drawn_values(one: Drawn) -> dict[str, Any]:
    """A drawn reply as a JSON object has it."""
    values: dict[str, Any] = {
        "reply_key": one.reply_key,
        "case_id": one.case_id,
        "subject": one.subject,
        "number": one.number,
        "part": one.part,
        "weight": one.weight,
        "reasons": list(one.reasons),
    }
    return {key: value for key, value in values.items() if value not in (None, [])}


def read_draw(path: Path) -> tuple[Drawn, ...]:
    """The replies of the file.

    Raises:
        InputError: It cannot be read, holds none, or a line is not as `calibrate` writes it; with file and line.
    """
    drawn: dict[str, Drawn] = {}
    for number, line in enumerate(read_text(path, limit=MOST_BYTES).split("\n"), start=1):
        if not line.strip():
            continue
        place = Place(path, number)
        try:
            one = _drawn(line)
        except InputError as error:
            raise InputError(error.problem, fix=error.fix, place=place) from None
        if one.reply_key in drawn:
            raise InputError("The reply of this line stands in the file twice.", fix="Keep one.", place=place)
        drawn[one.reply_key] = one
    if not drawn:
        raise InputError("There is no drawn reply in it.", place=Place(path))
    return tuple(drawn.values())


def _drawn(line: str) -> Drawn:
    fix = "Write the file with `iamhumans calibrate RUN --sample N -o FILE`."
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        raise InputError("The line is not JSON.", fix=fix) from None
    if not isinstance(value, dict):
        raise InputError("The line is no JSON object.", fix=fix)
    return _checked(value, fix)


def _checked(value: Mapping[str, Any], fix: str) -> Drawn:
    for key in value:
        if key not in _KEYS:
            raise InputError(f"`{one_line(key, 60)}` is not a key of a draw.", fix=fix)
    reply_key, part, weight = (
        read_text_value(value.get("reply_key"), "reply_key"),
        read_part(value.get("part")),
        read_weight(value.get("weight")),
    )
    reasons = value.get("reasons", [])
    if reply_key is None or part is None or weight is None:
        raise InputError("The line lacks one of `reply_key`, `part` and `weight`.", fix=fix)
    if not isinstance(reasons, list) or not all(isinstance(reason, str) for reason in reasons):
        raise InputError("`reasons` is not a list of texts.", fix=fix)
    return Drawn(
        reply_key=reply_key,
        case_id=read_text_value(value.get("case_id"), "case_id") or "",
        subject=read_text_value(value.get("subject"), "subject"),
        number=read_count(value.get("number")) or 1,
        part=part,
        weight=weight,
        reasons=tuple(reasons),
    )


def check_drawn_from(keys: Collection[str], drawn: Sequence[Drawn], path: Path) -> None:
    """Check that a draw is one from these replies.

    Raises:
        CommandError: It is not.
    """
    missing = sum(one.reply_key not in keys for one in drawn)
    if missing:
        raise CommandError(
            f"{missing} of the {len(drawn)} replies of the draw are not in this run.",
            fix="Name the run that it was drawn from.",
            place=Place(path),
        )
