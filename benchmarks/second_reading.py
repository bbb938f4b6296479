"""How far the blind reading of the proving set agrees with its authors: ``python -m benchmarks.second_reading``.

Prints Markdown, as it stands in ``docs/data-card.md``. All figures are of the labels before they were settled.
"""

from __future__ import annotations

from benchmarks.proving import table

from iamhumans.rubrics import load_rubric
from iamhumans.stats import Measure
from iamhumans.trust.second_reading import axis_agreement, flag_agreement, load_second_reading


def decimal(measure: Measure) -> str:
    return "-" if measure.value is None else f"{measure.value:.2f}"


def main() -> None:
    readings, rubric = load_second_reading(), load_rubric("iamhumans")
    print(f"{len(readings)} replies, each read twice.\n")
    headings = ("hard fail", "both YES", "author alone", "reader alone", "in doubt", "both NO", "kappa")
    rows = [
        (
            one.flag,
            *map(str, (one.both, one.author_alone, one.reader_alone, one.in_doubt, one.neither)),
            decimal(one.kappa),
        )
        for one in flag_agreement(readings, rubric)
    ]
    print(*table([headings, *rows]), sep="\n")
    print()
    axis_headings = ("axis", "bands by both", "the same", "opposite", "weighted kappa")
    axes = [
        (one.axis, *map(str, (one.replies, one.same, one.opposite)), decimal(one.kappa))
        for one in axis_agreement(readings, rubric)
    ]
    print(*table([axis_headings, *axes]), sep="\n")


if __name__ == "__main__":
    main()
