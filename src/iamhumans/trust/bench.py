"""The bench at which people label the replies of a run: what is asked of whom, and what is kept of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from iamhumans.errors import CommandError, InputError, Place
from iamhumans.rubrics import Rubric
from iamhumans.runs import Journal, Run
from iamhumans.runs.labels import Label
from iamhumans.runs.rows import rubric_of
from iamhumans.text import one_line
from iamhumans.trust.draw import Drawn, draw
from iamhumans.trust.draw_files import check_drawn_from, read_draw
from iamhumans.trust.label_files import read_labels
from iamhumans.trust.label_maps import read_label_map
from iamhumans.trust.label_rows import LabelProblem, LabelRow, Reading
from iamhumans.trust.label_values import Names
from iamhumans.trust.labelling import (
    NOTHING_SAID,
    Answers,
    Session,
    answers_in,
    begin,
    changes,
    items_of,
    label_from,
    rebased,
)
from iamhumans.trust.labels import change_label, contradict, labels_of, take_in_labels
from iamhumans.trust.matching import matched
from iamhumans.trust.raters import DEFAULT_RATER
from iamhumans.trust.replies import RunReply, replies_of
from iamhumans.trust.worth import candidates_of


@dataclass(frozen=True, slots=True)
class Asked:
    """What a rater is asked about.

    Attributes:
        flags: The hard fails; where neither these nor axes are named, all.
        axes: The axes; the same.
        drawn: How the replies were drawn, by their keys; empty where all of them are asked about.
    """

    flags: tuple[str, ...] | None = None
    axes: tuple[str, ...] | None = None
    drawn: Mapping[str, Drawn] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TakenIn:
    """What came of a label file: how many labels are kept, and the rows that could not be used."""

    labels: int
    problems: tuple[LabelProblem, ...]


@dataclass(frozen=True)
class Bench:
    """A run, ready to be labelled."""

    journal: Journal
    run: Run
    rubric: Rubric
    replies: tuple[RunReply, ...]

    @classmethod
    def of(cls, journal: Journal, run: Run, subject: str | None = None) -> Bench:
        """The bench of a run, or of the replies of one subject.

        Raises:
            CommandError: There is no such reply.
            CannotRunError: The journal does not hold its rubric.
        """
        replies = tuple(reply for reply in replies_of(journal, run) if subject in (None, reply.subject))
        if not replies:
            raise CommandError(f"Run {run.name} has no such reply to label.", fix="`iamhumans runs show` tells more.")
        return cls(journal, run, rubric_of(journal, run), replies)

    @property
    def names(self) -> Names:
        """The ids of the rubric."""
        return Names(self.rubric.axis_ids, self.rubric.hard_fail_ids)

    def read(
        self, path: Path, *, table: Path | None = None, rater: str | None = None
    ) -> tuple[list[Label], tuple[LabelProblem, ...]]:
        """The labels of a file, with the keys of the replies that they are about, and the rows that cannot be used.

        Args:
            path: The label file.
            table: The file of a table that says how to read it.
            rater: Who labelled, where a row does not say.

        Raises:
            InputError: The file or the table cannot be read, or there is no row in it.
        """
        mapped = read_label_map(table, self.names) if table else None
        rows = list(matched(read_labels(path, Reading(self.names, rater), table=mapped), self.replies))
        if not rows:
            raise InputError("There is no label in it.", place=Place(path))
        good = [row for row in rows if isinstance(row, Label)]
        return good, tuple(row for row in rows if isinstance(row, LabelProblem))

    def take_in(self, path: Path, *, table: Path | None = None, rater: str | None = None) -> TakenIn:
        """Keep the labels of a file that can be used, all or none; as :meth:`read`.

        Raises:
            CommandError: The rater without a name said something else of the same replies in this journal.
        """
        labels, problems = self.read(path, table=table, rater=rater)
        if rater is None:
            self._check_nameless(labels, path)
        return TakenIn(take_in_labels(self.journal, self.run, labels), problems)

    def _check_nameless(self, labels: Sequence[Label], path: Path) -> None:
        """Check that labels without a rater's name contradict none that are here: that may be another person."""
        here = {one.reply_key: one for one in labels_of(self.journal, self.run) if one.rater == DEFAULT_RATER}
        nameless = [
            (one, here[one.reply_key]) for one in labels if one.rater == DEFAULT_RATER and one.reply_key in here
        ]
        other = sum(contradict(one, before) for one, before in nameless)
        if other:
            there_are = "There is 1 label" if other == 1 else f"There are {other} labels"
            raise CommandError(
                f"{there_are} by `{DEFAULT_RATER}` that say something else than `{DEFAULT_RATER}` said here,"
                " so this may be another person, and nothing is kept.",
                fix=f"Say who labelled with --rater NAME; --rater {DEFAULT_RATER} takes them in place of what is here.",
                place=Place(path),
            )

    def rows(self, rater: str | None = None) -> list[LabelRow]:
        """All labels as a file has them, or those of one rater.

        Raises:
            CommandError: There is none.
        """
        hashes = {reply.key: reply.hash for reply in self.replies}
        rows = [
            LabelRow(label, hashes[label.reply_key])
            for label in labels_of(self.journal, self.run)
            if label.reply_key in hashes and rater in (None, label.rater)
        ]
        if not rows:
            whose = f" by {one_line(rater, 60)}" if rater else ""
            raise CommandError(
                f"There is no label{whose} of run {self.run.name} in the journal yet.",
                fix=f"`iamhumans label {self.run.name}` makes some, and takes them in from a file with --import.",
            )
        return rows

    def asked(
        self,
        *,
        flags: Iterable[str] | None = None,
        axes: Iterable[str] | None = None,
        sample: int | None = None,
        draw_file: Path | None = None,
    ) -> Asked:
        """What is asked about.

        Args:
            flags: Hard fails, by name.
            axes: Axes, by name.
            sample: How many replies to draw by chance.
            draw_file: A file with drawn replies.

        Raises:
            InputError: The rubric has no such hard fail or axis, or the file of the draw cannot be read.
            CommandError: The draw is of another run.
        """
        asked_flags = None if flags is None else tuple(dict.fromkeys(flags))
        asked_axes = None if axes is None else tuple(dict.fromkeys(axes))
        for name in asked_flags or ():
            self.names.check_hard_fail(name)
        for name in asked_axes or ():
            self.names.check_axis(name)
        drawn = {one.reply_key: one for one in self._drawn(sample, draw_file)}
        return Asked(asked_flags, asked_axes, drawn)

    def _drawn(self, sample: int | None, draw_file: Path | None) -> Sequence[Drawn]:
        keys = {reply.key for reply in self.replies}
        if draw_file is not None:
            drawn = read_draw(draw_file)
            check_drawn_from(keys, drawn, draw_file)
            return drawn
        if sample is None:
            return ()
        candidates = candidates_of(self.journal, self.run, self.rubric)
        return draw([one for one in candidates if one.reply_key in keys], sample, targeted=0).drawn

    def begin(self, asked: Asked, rater: str, *, again: bool = False) -> tuple[Session, Keeper]:
        """A session of a rater, at the first reply that they have not labelled, and what keeps its answers.

        Args:
            asked: What is asked about.
            rater: Who labels.
            again: Begin at the first of all replies, to look over what was said before.

        Raises:
            CommandError: Nothing is asked about any reply.
        """
        replies = [reply for reply in self.replies if not asked.drawn or reply.key in asked.drawn]
        items = items_of(replies, self.rubric, flags=asked.flags, axes=asked.axes)
        if not items:
            raise CommandError("There is nothing to ask about these replies.", fix="Name hard fails or axes.")
        before = {
            label.reply_key: label
            for label in labels_of(self.journal, self.run)
            if label.rater == rater and label.reply_key is not None
        }
        session = begin(items, {key: answers_in(label) for key, label in before.items()}, rater=rater, again=again)
        by_key = {reply.key: reply for reply in self.replies}
        return session, Keeper(self.journal, by_key, rater, asked.drawn)


@dataclass(frozen=True)
class Keeper:
    """Keeps in the journal what changes from one state of a session to the next."""

    journal: Journal
    replies: Mapping[str, RunReply]
    rater: str
    drawn: Mapping[str, Drawn]

    def keep(self, before: Session, after: Session) -> None:
        """Keep what is new and forget what was taken back."""
        for key, answers in changes(before, after).items():
            said_before = before.kept.get(key, NOTHING_SAID)
            change = partial(self._changed, key, said_before, answers or NOTHING_SAID)
            change_label(self.journal, key, self.rater, change)

    def _changed(self, key: str, before: Answers, after: Answers, known: Label | None) -> Label | None:
        """The label as it is to be, from the one that is there now: the same rater may label elsewhere too."""
        answers = rebased(answers_in(known) if known else NOTHING_SAID, before, after)
        if answers.empty:
            return None
        return label_from(answers, self.replies[key], self.rater, drawn=self.drawn.get(key), before=known)
