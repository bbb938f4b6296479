"""How well a judge finds planted faults: ``python -m benchmarks.proving [--half open|closed] [--judge rules]``.

Judges the proving set beside this file and prints Markdown: a table of the hard fails, the price that clean replies
pay, the axes, and the languages. A judge's silence is measured as "not flagged". With ``--all`` everything that the
``rules`` find is measured, not only what counts when they judge (``python -m benchmarks.rules_coverage``).

A judge that needs no model is asked here and now. Any other takes three steps:

    python -m benchmarks.proving --export proving.jsonl
    iamhumans judge proving.jsonl --suite core --judge openai/gpt-5.1 -o verdicts.jsonl
    python -m benchmarks.proving --verdicts verdicts.jsonl

The verdicts belong to the set that was exported: after a change of it they are none for the replies of now, which are
then all unjudged. Export and judge again.
"""

from __future__ import annotations

import hashlib
import json
import sys
from argparse import ArgumentParser, Namespace
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import get_args

from benchmarks.measure import FlagFigures, JudgedReply, Measured, Share
from benchmarks.proving_set import Half, ProvingReply, load_proving

from iamhumans.cases import Reply, Suite, bundled_suite
from iamhumans.errors import CommandError, Exit, IamhumansError
from iamhumans.judges import Judge, JudgeTask, RulesJudge, open_judge
from iamhumans.prompts import Request
from iamhumans.rubrics import Rubric, load_rubric
from iamhumans.verdicts import EVERYTHING, Unjudged


def numbered(replies: Sequence[ProvingReply]) -> list[tuple[ProvingReply, Reply]]:
    """The replies as a judge gets them; those to one case are counted, which tells them apart in a file of verdicts.

    All are said to be by one subject, so that no judge is told more; its name holds a hash of the set, so that
    verdicts on an earlier one are not taken for those on this.
    """
    texts = json.dumps([(reply.case_id, reply.text) for reply in replies])
    subject = f"proving-{hashlib.sha256(texts.encode()).hexdigest()[:8]}"
    counts: Counter[str] = Counter()
    pairs = []
    for reply in replies:
        counts[reply.case_id] += 1
        pairs.append((reply, Reply(reply.case_id, reply.text, subject, counts[reply.case_id])))
    return pairs


def export(pairs: Sequence[tuple[ProvingReply, Reply]], path: Path) -> None:
    rows = (
        {"case_id": reply.case_id, "number": reply.number, "reply": reply.text, "subject": reply.subject}
        for _, reply in pairs
    )
    path.write_text("".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows), encoding="utf-8")


def judged(
    judge: Judge, pairs: Sequence[tuple[ProvingReply, Reply]], suite: Suite, rubric: Rubric
) -> list[JudgedReply]:
    if judge.asks_model:
        raise CommandError(f"{judge.name} needs a model.", fix="Use --export, `iamhumans judge` and --verdicts.")
    found = []
    for proving, reply in pairs:
        case = suite.by_id[reply.case_id]
        outcome = judge.next(JudgeTask(rubric, case, reply), ())
        assert not isinstance(outcome, Request)
        found.append(JudgedReply(proving, outcome, case.lang))
    return found


def percent(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.0f} %"


def decimal(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def counted(share: Share) -> str:
    return f"{percent(share.value)} ({share.hits}/{share.of})" if share.of else "-"


def with_interval(share: Share) -> str:
    interval = share.interval
    if interval is None:
        return "-"
    low, high = interval
    return f"{percent(share.value)} [{100 * low:.0f}, {100 * high:.0f}]"


def table(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for number, row in enumerate(rows):
        cells = (
            cell.ljust(width) if not place else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        yield f"| {' | '.join(cells)} |"
        if not number:
            yield f"|{'|'.join('-' * (width + 1) + (':' if place else '-') for place, width in enumerate(widths))}|"


FLAG_HEADINGS = (
    "hard fail",
    "n",
    "recall [95 %]",
    "blatant",
    "subtle",
    "precision",
    "F1",
    "in place",
    "clean left alone",
    "look-alikes left alone",
)


def flag_row(figures: FlagFigures) -> Sequence[str]:
    return (
        figures.flag,
        str(figures.recall.of),
        with_interval(figures.recall),
        counted(figures.blatant),
        counted(figures.subtle),
        counted(figures.precision),
        decimal(figures.f1),
        percent(figures.in_place.value),
        counted(figures.clean),
        counted(figures.hard_negatives),
    )


def report(measured: Measured, title: str) -> Iterator[str]:
    yield f"## {title}"
    yield ""
    yield f"{measured.coverage.hits} of {measured.coverage.of} replies judged."
    reasons = Counter(one.judgement.reason.value for one in measured.judged if isinstance(one.judgement, Unjudged))
    yield from (f"Unjudged, `{reason}`: {count}." for reason, count in sorted(reasons.items()))
    yield ""
    yield from table([FLAG_HEADINGS, *map(flag_row, measured.flags)])
    yield ""
    yield from table(
        [
            ("all together", "figure"),
            ("planted hard fails found", with_interval(measured.recall)),
            ("macro F1", decimal(measured.macro_f1)),
            ("clean replies zeroed", with_interval(measured.clean_zeroed)),
            ("hard negatives zeroed", with_interval(measured.hard_negatives_zeroed)),
            ("stale replies zeroed", with_interval(measured.stale_zeroed)),
            ("naturalness, AUC of plain against stale", decimal(measured.naturalness_auc)),
        ]
    )
    yield ""
    yield from table(
        [
            ("axis", "low scored 0 to 3", "middle 4 to 7", "high 8 to 10"),
            *((axis.axis, counted(axis.low), counted(axis.middle), counted(axis.high)) for axis in measured.axes),
        ]
    )
    yield ""
    yield from table(
        [
            ("language", "judged", "hard fails found", "clean zeroed", "AUC of naturalness"),
            *(
                (
                    lang,
                    counted(part.coverage),
                    with_interval(part.recall),
                    with_interval(part.clean_zeroed),
                    decimal(part.naturalness_auc),
                )
                for lang, part in measured.by_language.items()
            ),
        ]
    )


def arguments() -> Namespace:
    parser = ArgumentParser(description="How well a judge finds planted faults.")
    parser.add_argument("--half", choices=get_args(Half), help="Only half of the set.")
    parser.add_argument("--judge", default="rules", help="A judge that needs no model, such as rules or recorded/PATH.")
    parser.add_argument("--all", action="store_true", help="Count all that `rules` finds, as if all of it counted.")
    parser.add_argument("--verdicts", help="What `iamhumans judge -o` wrote for the replies of --export.")
    parser.add_argument("--export", type=Path, help="Write the replies for `iamhumans judge` into this file, and stop.")
    return parser.parse_args()


def main() -> int:
    """Measure and print; what the user can mend is one line on standard error."""
    try:
        measure(arguments())
    except (IamhumansError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return error.exit_code if isinstance(error, IamhumansError) else Exit.COULD_NOT_RUN
    return 0


def measure(asked: Namespace) -> None:
    suite = bundled_suite()
    rubric = load_rubric(suite.rubric)
    # Numbered before half of them is taken: the file of verdicts may be on all.
    pairs = numbered(load_proving())
    if asked.half:
        half = {reply.id for reply in load_proving(asked.half)}
        pairs = [pair for pair in pairs if pair[0].id in half]
    if asked.export:
        export(pairs, asked.export)
        return
    name = f"recorded/{asked.verdicts}" if asked.verdicts else asked.judge
    if asked.all and name != "rules":
        raise CommandError("--all is for the judge `rules`.", fix="Leave it out.")
    judge = RulesJudge(EVERYTHING) if asked.all else open_judge(name)
    measured = Measured(judged(judge, pairs, suite, rubric), rubric)
    of = f"the {asked.half} half of the proving set" if asked.half else "the proving set"
    print("\n".join(report(measured, f"`{name}` on {of}")))


if __name__ == "__main__":
    sys.exit(main())
