"""Which reply of a run a row of a label file is about."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from iamhumans.runs.labels import Label
from iamhumans.text import one_line
from iamhumans.trust.label_rows import LabelProblem, LabelRow
from iamhumans.trust.replies import RunReply


def matched(rows: Iterable[LabelRow | LabelProblem], replies: Sequence[RunReply]) -> Iterator[Label | LabelProblem]:
    """The labels with the keys of the replies that they are about, and what cannot be matched as a problem.

    A row is matched by its ``reply_key``; else by the text of the reply, and among like texts by case, subject and
    number; else by case, subject and number alone. A row that fits several replies is a problem, never a guess. The
    case of the row stays what it is: a file from elsewhere may call it otherwise.
    """
    by_key = {reply.key: reply for reply in replies}
    by_hash: dict[str, list[RunReply]] = defaultdict(list)
    by_case: dict[str, list[RunReply]] = defaultdict(list)
    for reply in replies:
        by_hash[reply.hash].append(reply)
        by_case[reply.case_id].append(reply)
    seen: set[tuple[str, str]] = set()
    for row in rows:
        if isinstance(row, LabelProblem):
            yield row
            continue
        found = _found(row, by_key, by_hash, by_case)
        if isinstance(found, RunReply) and (found.key, row.label.rater) in seen:
            found = f"{one_line(row.label.rater, 60)} labels this reply twice. Keep one row, or name two people."
        if isinstance(found, str):
            yield LabelProblem(found, row.place)
        else:
            seen.add((found.key, row.label.rater))
            yield _label(row.label, found)


def _found(
    row: LabelRow,
    by_key: Mapping[str, RunReply],
    by_hash: Mapping[str, Sequence[RunReply]],
    by_case: Mapping[str, Sequence[RunReply]],
) -> RunReply | str:
    """The reply, or why there is none."""
    if row.label.reply_key is not None and row.label.reply_key in by_key:
        return by_key[row.label.reply_key]
    if row.reply_hash is not None:
        return _by_text(row, by_hash.get(row.reply_hash, ()))
    return _by_name(row, by_case.get(row.label.case_id, ()))


def _label(label: Label, reply: RunReply) -> Label:
    return replace(
        label,
        reply_key=reply.key,
        case_id=label.case_id or reply.case_id,
        subject=reply.subject,
        number=reply.number,
    )


def _by_text(row: LabelRow, found: Sequence[RunReply]) -> RunReply | str:
    if not found:
        return f"The run has no such reply{_of_case(row)}: its text is another."
    for fits in _fitting(row):
        if len(found) > 1:
            found = [reply for reply in found if fits(reply)] or found
    return found[0] if len(found) == 1 else _several(row, found)


def _by_name(row: LabelRow, found: Sequence[RunReply]) -> RunReply | str:
    for fits in _fitting(row):
        found = [reply for reply in found if fits(reply)]
    if not found:
        return f"The run has no such reply{_of_case(row)}."
    return found[0] if len(found) == 1 else _several(row, found)


def _fitting(row: LabelRow) -> Iterator[Callable[[RunReply], bool]]:
    """What the row says of its reply, the surest first."""
    label = row.label
    yield lambda reply: reply.case_id == label.case_id
    if label.subject is not None:
        yield lambda reply: reply.subject == label.subject
    if row.numbered:
        yield lambda reply: reply.number == label.number


def _of_case(row: LabelRow) -> str:
    return f" to case {one_line(row.label.case_id, 60)}" if row.label.case_id else ""


def _several(row: LabelRow, found: Sequence[RunReply]) -> str:
    return (
        f"{len(found)} replies of the run{_of_case(row)} fit. Say which is meant:"
        " by `subject` and `number`, or by `reply_key`."
    )
