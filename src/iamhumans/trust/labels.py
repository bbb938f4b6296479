"""The labels of a run: from files, to files, and asked of a person."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from iamhumans.cases.holdout import shown
from iamhumans.errors import CommandError, InputError, Place
from iamhumans.rubrics import Rubric
from iamhumans.runs.journal.journal import Journal
from iamhumans.runs.journal.queries import RunRecord
from iamhumans.runs.labels import Label, Part
from iamhumans.text import one_line
from iamhumans.trust.drawing import Drawn, candidates_of, draw, read_draw
from iamhumans.trust.label_files import DEFAULT_RATER, LabelProblem, LabelRow, check_name, read_labels
from iamhumans.trust.label_session import LabelSession, begin, items_of
from iamhumans.trust.store import RunReply, import_labels, labels_of, replies_of

__all__ = ["Label", "Part", "RunLabels", "bundled_labels_path", "match_labels"]


@dataclass(frozen=True)
class RunLabels:
    """A run whose replies people label.

    ``replies`` holds all of them. Texts of held-out ones are shown only where ``holdout_reason`` says why.
    """

    journal: Journal
    run: RunRecord
    rubric: Rubric
    replies: tuple[RunReply, ...]
    holdout_reason: str | None = None

    @classmethod
    def of(
        cls, journal: Journal, run: RunRecord, *, subject: str | None = None, holdout_reason: str | None = None
    ) -> RunLabels:
        """The labels of a run, or of the replies of one subject.

        Raises:
            CommandError: The run has no reply, or none of the subject.
            CannotRunError: The journal does not hold the rubric of the run.
        """
        replies = tuple(reply for reply in replies_of(journal, run) if subject in (None, reply.subject))
        if not replies:
            whose = f" of {one_line(subject, 60)}" if subject else ""
            raise CommandError(
                f"Run {run.name} has no reply{whose}.", fix=f"`iamhumans runs show {run.name}` shows what it holds."
            )
        return cls(journal, run, journal.rubric(run), replies, holdout_reason)

    def read(
        self, path: Path | None, *, map_file: Path | None = None, rater: str | None = None
    ) -> tuple[list[Label], list[LabelProblem]]:
        """The labels of a file, matched to the replies of the run, and the rows that cannot be used.

        Args:
            path: The label file; without one, the labels in the journal are read.
            map_file: A map, for a file of another form.
            rater: Who labelled, where a row does not say.

        Raises:
            InputError: The file or the map cannot be read, or the file is empty.
            CommandError: There is no label in the journal.
        """
        if path is None:
            return [row.label for row in self.rows()], []
        label_map = None
        if map_file is not None:
            from iamhumans.trust.label_maps import read_label_map

            label_map = read_label_map(map_file, self.rubric)
        rows = match_labels(read_labels(path, self.rubric, label_map=label_map, rater=rater), self.replies)
        if not rows:
            raise InputError("The file holds no label.", fix="Write one label a line.", place=Place(path))
        return [row for row in rows if isinstance(row, Label)], [row for row in rows if isinstance(row, LabelProblem)]

    def import_file(
        self, path: Path, *, map_file: Path | None = None, rater: str | None = None
    ) -> tuple[int, list[LabelProblem]]:
        """Store the labels of a file, all that can be used or none; how many, and the rows that cannot be used.

        Raises:
            InputError: As for :meth:`read`.
            CommandError: Labels without a name contradict those of the default rater in this journal.
        """
        labels, problems = self.read(path, map_file=map_file, rater=rater)
        if rater is None:
            self._check_nameless(labels, path)
        import_labels(self.journal, self.run, labels)
        return len(labels), problems

    def _check_nameless(self, labels: Sequence[Label], path: Path) -> None:
        """Labels by "me" that contradict those of "me" in this journal are probably another person's."""
        here = {one.reply_key: one for one in labels_of(self.journal, self.run) if one.rater == DEFAULT_RATER}
        other = sum(
            _contradict(one, here[one.reply_key])
            for one in labels
            if one.rater == DEFAULT_RATER and one.reply_key in here
        )
        if other:
            contradict = "1 label contradicts" if other == 1 else f"{other} labels contradict"
            raise CommandError(
                f"{contradict} what `{DEFAULT_RATER}` said in this journal, so they may be another person's. Nothing is"
                " imported.",
                fix=f"Name the person with --rater NAME, or replace the answers here with --rater {DEFAULT_RATER}.",
                place=Place(path),
            )

    def rows(self, rater: str | None = None) -> list[LabelRow]:
        """All labels as rows of a file, or those of one rater.

        Words and notes on held-out replies are replaced by their hashes, unless there is a reason to show them.

        Raises:
            CommandError: There is none.
        """
        replies = {reply.key: reply for reply in self.replies}
        rows = [
            LabelRow(self._shown(label, reply), reply.hash)
            for label in labels_of(self.journal, self.run)
            if rater in (None, label.rater) and (reply := replies.get(label.reply_key or "")) is not None
        ]
        if not rows:
            whose = f" by {one_line(rater, 60)}" if rater else ""
            raise CommandError(
                f"There is no label{whose} of run {self.run.name} in the journal.",
                fix=f"`iamhumans label {self.run.name}` asks for labels, and --import FILE reads them.",
            )
        return rows

    def _shown(self, label: Label, reply: RunReply) -> Label:
        if not reply.held_out or self.holdout_reason is not None:
            return label
        hidden = partial(shown, held_out=True, reason=None)
        words = {name: tuple(map(hidden, texts)) for name, texts in label.words.items()}
        return replace(label, words=words, notes=hidden(label.notes))

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
        """A labelling session, at the first reply that the rater has not labelled.

        Args:
            rater: Who labels.
            flags: Ask about these hard fails; about all where neither these nor axes are given.
            axes: Ask about these axes; the same.
            sample: How many replies to draw at random.
            draw_file: A file with drawn replies.
            again: Begin with the replies that are already labelled.

        Raises:
            InputError: The rubric has no such hard fail or axis, or the draw cannot be read.
            CommandError: The draw is from another run, nothing is asked, or all replies are held out.
        """
        asked_flags = None if flags is None else tuple(dict.fromkeys(flags))
        asked_axes = None if axes is None else tuple(dict.fromkeys(axes))
        for name in asked_flags or ():
            check_name(name, self.rubric.hard_fail_ids, "hard fail")
        for name in asked_axes or ():
            check_name(name, self.rubric.axis_ids, "axis")
        replies = [reply for reply in self.replies if not reply.held_out or self.holdout_reason is not None]
        if not replies:
            raise CommandError(
                f"All replies of run {self.run.name} answer held-out cases.",
                fix='Add --holdout --reason "why", to show them to the rater.',
            )
        drawn = {one.reply_key: one for one in self._drawn(replies, sample, draw_file)}
        replies = [reply for reply in replies if not drawn or reply.key in drawn]
        items = items_of(replies, self.rubric, flags=asked_flags, axes=asked_axes)
        if not items:
            raise CommandError("There is nothing to ask about these replies.", fix="Name hard fails or axes.")
        known = {
            one.reply_key: one for one in labels_of(self.journal, self.run) if one.rater == rater and one.reply_key
        }
        state = begin(items, known, rater=rater, again=again)
        return LabelSession(self.journal, {reply.key: reply for reply in replies}, rater, drawn, state)

    def _drawn(self, replies: Sequence[RunReply], sample: int | None, draw_file: Path | None) -> Sequence[Drawn]:
        keys = {reply.key for reply in replies}
        if draw_file is not None:
            return read_draw(draw_file, keys)
        if sample is None:
            return ()
        candidates = candidates_of(self.journal, self.run, self.rubric, holdout_reason=self.holdout_reason)
        return draw([one for one in candidates if one.reply_key in keys], sample, targeted=0).drawn


def _contradict(label: Label, before: Label) -> bool:
    return any(before.flags.get(name, said) != said for name, said in label.flags.items()) or any(
        before.axes.get(name, said) != said for name, said in label.axes.items()
    )


def match_labels(rows: Iterable[LabelRow | LabelProblem], replies: Sequence[RunReply]) -> list[Label | LabelProblem]:
    """The labels with the keys of their replies; a row that matches no reply, or several, becomes a problem.

    A row is matched by its ``reply_key``; else by the text of the reply, and among equal texts by case, subject and
    number; else by case, subject and number alone. The label keeps the case that the row names.
    """
    by_key = {reply.key: reply for reply in replies}
    by_hash: dict[str, list[RunReply]] = {}
    by_case: dict[str, list[RunReply]] = {}
    for reply in replies:
        by_hash.setdefault(reply.hash, []).append(reply)
        by_case.setdefault(reply.case_id, []).append(reply)
    found: list[Label | LabelProblem] = []
    seen: set[tuple[str, str]] = set()
    for row in rows:
        if isinstance(row, LabelProblem):
            found.append(row)
            continue
        label = row.label
        if label.reply_key in by_key:
            match: RunReply | str = by_key[label.reply_key]
        elif row.reply_hash is not None:
            match = _by_text(row, by_hash.get(row.reply_hash, []))
        else:
            match = _by_name(row, by_case.get(label.case_id, []))
        if isinstance(match, RunReply) and (match.key, label.rater) in seen:
            match = f"{one_line(label.rater, 60)} labels this reply twice. Keep one row, or name two people."
        if isinstance(match, str):
            found.append(LabelProblem(match, row.place))
            continue
        seen.add((match.key, label.rater))
        case_id = label.case_id or match.case_id
        found.append(replace(label, reply_key=match.key, case_id=case_id, subject=match.subject, number=match.number))
    return found


def _by_text(row: LabelRow, found: list[RunReply]) -> RunReply | str:
    for fits in _tests(row):
        if len(found) > 1:
            found = [reply for reply in found if fits(reply)] or found
    return _only(row, found, ": its text is different")


def _by_name(row: LabelRow, found: list[RunReply]) -> RunReply | str:
    for fits in _tests(row):
        found = [reply for reply in found if fits(reply)]
    return _only(row, found, "")


def _tests(row: LabelRow) -> Iterator[Callable[[RunReply], bool]]:
    """What the row says about its reply, the most certain first."""
    label = row.label
    yield lambda reply: reply.case_id == label.case_id
    if label.subject is not None:
        yield lambda reply: reply.subject == label.subject
    if row.numbered:
        yield lambda reply: reply.number == label.number


def _only(row: LabelRow, found: list[RunReply], why: str) -> RunReply | str:
    case = f" to case {one_line(row.label.case_id, 60)}" if row.label.case_id else ""
    if not found:
        return f"The run has no such reply{case}{why}."
    if len(found) > 1:
        return f"{len(found)} replies of the run{case} match. Name one by `subject` and `number`, or by `reply_key`."
    return found[0]


def bundled_labels_path() -> Path:
    """Labels of the bundled sample replies by two invented people. They are constructed, so they prove nothing."""
    return Path(__file__).with_name("data") / "demo-labels.jsonl"
