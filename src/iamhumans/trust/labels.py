"""The labels of a run: from files, to files, and asked of a person."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from iamhumans.cases.holdout import shown
from iamhumans.errors import CommandError, InputError, Place
from iamhumans.rubrics import Rubric
from iamhumans.runs.journal.journal import Journal
from iamhumans.runs.journal.labels import labels_of, store_labels
from iamhumans.runs.journal.queries import JudgedReply, RunRecord
from iamhumans.runs.keys import content_hash
from iamhumans.runs.labels import Label
from iamhumans.text import one_line
from iamhumans.trust.drawing import Drawn, candidates_of, draw, read_draw
from iamhumans.trust.label_files import DEFAULT_RATER, LabelProblem, LabelRow, check_names, read_labels
from iamhumans.trust.label_session import LabelSession, begin, items_of


@dataclass(frozen=True)
class RunLabels:
    """A run whose replies people label; texts of held-out ones are shown only where ``holdout_reason`` says why."""

    journal: Journal
    run: RunRecord
    rubric: Rubric
    replies: tuple[JudgedReply, ...]
    holdout_reason: str | None = None

    @classmethod
    def of(
        cls, journal: Journal, run: RunRecord, *, subject: str | None = None, holdout_reason: str | None = None
    ) -> "RunLabels":
        """The labels of a run, or of the replies of one subject. Raises CommandError where there is no such reply."""
        replies = tuple(reply for reply in journal.replies(run) if subject in (None, reply.subject))
        if not replies:
            problem = f"Run {run.name} has no reply{f' of {one_line(subject, 60)}' if subject else ''}."
            raise CommandError(problem, fix=f"`iamhumans runs show {run.name}` shows what it holds.")
        return cls(journal, run, journal.rubric(run), replies, holdout_reason)

    def read(
        self, path: Path | None, *, map_file: Path | None = None, rater: str | None = None
    ) -> tuple[list[Label], list[LabelProblem]]:
        """The labels of a file (without one, of the journal) matched to the replies, and the unusable rows."""
        if path is None:
            return [row.label for row in self.rows()], []
        label_map = None
        if map_file is not None:
            from iamhumans.trust.label_maps import read_label_map

            label_map = read_label_map(map_file, self.rubric)
        rows = match_labels(read_labels(path, self.rubric, label_map=label_map, rater=rater), self.replies)
        if not rows:
            raise InputError("The file holds no label.", fix="Write one label per line.", where=Place(path))
        return [row for row in rows if isinstance(row, Label)], [row for row in rows if isinstance(row, LabelProblem)]

    def import_file(
        self, path: Path, *, map_file: Path | None = None, rater: str | None = None
    ) -> tuple[int, list[LabelProblem]]:
        """Add the labels of a file to what the same raters said before; how many, and the rows that cannot be used."""
        labels, problems = self.read(path, map_file=map_file, rater=rater)
        before = self._said_before()
        pairs = [(before.get((label.reply_key, label.rater)), label) for label in labels]
        # Labels by "me" that contradict those of "me" in this journal are probably another person's.
        other = sum(label.rater == DEFAULT_RATER and _contradict(label, earlier) for earlier, label in pairs)
        if other and rater is None:
            contradict = "1 label contradicts" if other == 1 else f"{other} labels contradict"
            said = f"what `{DEFAULT_RATER}` said in this journal, so they may be another person's. Nothing is imported."
            fix = f"Name the person (`--rater`, or `rater=`). To replace the answers here, name `{DEFAULT_RATER}`."
            raise CommandError(f"{contradict} {said}", fix=fix, where=Place(path))
        self._merge(pairs)
        return len(labels), problems

    def add(self, labels: Iterable[Label]) -> int:
        """Add labels to what the same raters said before, all or none. Returns how many.

        Raises InputError where a label names a reply that the run does not have, or an unknown hard fail or axis, or
        has a score that is not from 0 to 10.
        """
        keys, given = {reply.key for reply in self.replies}, list(labels)
        for label in given:
            if not isinstance(label, Label):
                raise InputError(
                    f"`{one_line(repr(label), 60)}` is not a Label.", fix="Make it with `iamhumans.Label`."
                )
            if label.reply_key not in keys:
                fix = "Take the key from `run.replies()`, or from `run.draw(n).drawn`."
                raise InputError(f"Run {self.run.name} has no reply `{one_line(label.reply_key or '', 60)}`.", fix=fix)
            check_names(label.flags, self.rubric.hard_fail_ids, "hard fail")
            check_names(label.axes, self.rubric.axis_ids, "axis")
            for name, score in label.axes.items():
                if score is not None and not 0 <= score <= 10:
                    raise InputError(f"A label has {score:g} for `{name}`.", fix="Scores must be from 0 to 10.")
        before = self._said_before()
        self._merge([(before.get((one.reply_key, one.rater)), one) for one in given])
        return len(given)

    def _said_before(self) -> dict[tuple[str | None, str], Label]:
        return {(one.reply_key, one.rater): one for one in labels_of(self.journal, self.run)}

    def _merge(self, pairs: Iterable[tuple[Label | None, Label]]) -> None:
        store_labels(self.journal, [merge_labels(earlier, label) for earlier, label in pairs])

    def rows(self, rater: str | None = None) -> list[LabelRow]:
        """All labels as rows, with texts of held-out replies as hashes. Raises CommandError where there is none."""
        replies = {reply.key: reply for reply in self.replies}
        rows = [
            LabelRow(self._shown(label, reply), content_hash(reply.text))
            for label in labels_of(self.journal, self.run)
            if rater in (None, label.rater) and (reply := replies.get(label.reply_key or "")) is not None
        ]
        if not rows:
            whose = f" by {one_line(rater, 60)}" if rater else ""
            fix = f"Label its replies with `iamhumans label {self.run.name}`, or import labels: add --import FILE."
            raise CommandError(f"There is no label{whose} for run {self.run.name}.", fix=fix)
        return rows

    def _shown(self, label: Label, reply: JudgedReply) -> Label:
        if self._may_show(reply):
            return label
        hidden = partial(shown, held_out=True, reason=None)
        words = {name: tuple(map(hidden, texts)) for name, texts in label.words.items()}
        return replace(label, words=words, notes=hidden(label.notes))

    def _may_show(self, reply: JudgedReply) -> bool:
        return not reply.case.holdout or self.holdout_reason is not None

    def session(
        self,
        rater: str,
        *,
        flags: Iterable[str] | None = None,
        axes: Iterable[str] | None = None,
        sample: int | None = None,
        draw_file: Path | None = None,
        again: bool = False,
    ) -> LabelSession:
        """A session about these hard fails and axes, or all; of all replies, a random ``sample``, or drawn ones."""
        asked_flags, asked_axes = (None if some is None else tuple(dict.fromkeys(some)) for some in (flags, axes))
        check_names(asked_flags or (), self.rubric.hard_fail_ids, "hard fail")
        check_names(asked_axes or (), self.rubric.axis_ids, "axis")
        replies = {reply.key: reply for reply in self.replies if self._may_show(reply)}
        if not replies:
            fix = "To show them to the rater, give a reason (--holdout --reason TEXT, or `holdout_reason`)."
            raise CommandError(f"All replies of run {self.run.name} answer held-out cases.", fix=fix)
        drawn: Sequence[Drawn] = ()
        if draw_file is not None:
            drawn = read_draw(draw_file, replies)
        elif sample is not None:
            candidates = candidates_of(self.journal, self.run, self.rubric, holdout_reason=self.holdout_reason)
            drawn = draw([one for one in candidates if one.reply_key in replies], sample, targeted=0).drawn
        if drawn:
            replies = {one.reply_key: replies[one.reply_key] for one in drawn}
        items = items_of(replies.values(), self.rubric, flags=asked_flags, axes=asked_axes)
        if not items:
            raise CommandError("There is nothing to ask about these replies.", fix="Name hard fails or axes.")
        known = {one.reply_key or "": one for one in labels_of(self.journal, self.run) if one.rater == rater}
        state = begin(items, known, rater=rater, again=again)
        return LabelSession(self.journal, replies, rater, {one.reply_key: one for one in drawn}, state)


def _contradict(label: Label, before: Label | None) -> bool:
    said = [(label.flags, before.flags), (label.axes, before.axes)] if before else []
    return any(before_it.get(name, one) != one for now, before_it in said for name, one in now.items())


def merge_labels(before: Label | None, label: Label) -> Label:
    """A label together with the earlier answers of its rater that it does not change."""
    if before is None:
        return label
    flags, axes = {**before.flags, **label.flags}, {**before.axes, **label.axes}
    words = {name: quoted for name, quoted in {**before.words, **label.words}.items() if flags.get(name, True)}
    notes, drawn = label.notes or before.notes, label if label.part else before
    return replace(label, flags=flags, axes=axes, words=words, notes=notes, part=drawn.part, weight=drawn.weight)


def match_labels(rows: Iterable[LabelRow | LabelProblem], replies: Sequence[JudgedReply]) -> list[Label | LabelProblem]:
    """The labels with the keys of their replies; a row that matches no reply, or several, becomes a problem.

    A row is matched by its ``reply_key``; else by the text of the reply, and among equal texts by case, subject and
    number; else by case, subject and number alone. The label keeps the case that the row names.
    """
    by_key = {reply.key: reply for reply in replies}
    by_name: dict[tuple[str, str | None], list[JudgedReply]] = {}
    for reply in replies:
        for name in (("text", content_hash(reply.text)), ("case", reply.case.id)):
            by_name.setdefault(name, []).append(reply)
    found, seen = list[Label | LabelProblem](), set[tuple[str, str]]()
    for row in rows:
        if isinstance(row, LabelProblem):
            found.append(row)
            continue
        label = row.label
        exact = by_key.get(label.reply_key or "")
        matches = [exact] if exact else _matches(row, by_name)
        key = (matches[0].key, label.rater) if len(matches) == 1 else None
        if key is None or key in seen:
            found.append(LabelProblem(_why_not(row, len(matches)), row.place))
            continue
        seen.add(key)
        (reply,) = matches
        case_id, subject = label.case_id or reply.case.id, reply.subject or None
        found.append(replace(label, reply_key=reply.key, case_id=case_id, subject=subject, number=reply.number))
    return found


def _matches(row: LabelRow, by_name: Mapping[tuple[str, str | None], list[JudgedReply]]) -> list[JudgedReply]:
    label, by_text = row.label, row.reply_hash is not None
    found = by_name.get(("text", row.reply_hash) if by_text else ("case", label.case_id), [])
    for name, says in (("id", label.case_id), ("subject", label.subject), ("number", row.numbered and label.number)):
        if says not in (None, False) and (len(found) > 1 or not by_text):
            fitting = [reply for reply in found if says == getattr(reply.case if name == "id" else reply, name)]
            # A text says more than names, which may be those of another journal.
            found = (fitting or found) if by_text else fitting
    return found


def _why_not(row: LabelRow, matches: int) -> str:
    case = f" to case {one_line(row.label.case_id, 60)}" if row.label.case_id else ""
    if matches == 1:
        return f"{one_line(row.label.rater, 60)} labels this reply twice. Keep one row, or name two people."
    if matches:
        return f"{matches} replies of the run{case} match. Name one by `subject` and `number`, or by `reply_key`."
    return f"The run has no such reply{case}{'' if row.reply_hash is None else ': its text is different'}."


def bundled_labels_path() -> Path:
    """Labels of the bundled sample replies by two invented people. They are constructed, so they prove nothing."""
    return Path(__file__).with_name("data") / "demo-labels.jsonl"
