"""What the ``rules`` judge sees: ``python -m benchmarks.rules_coverage [--check]``.

Judges the proving set with all that the rules find, and writes the table by which the judge then answers
(``src/iamhumans/judges/rules_coverage.json``). ``--check`` writes nothing and fails where the table is another one.

All limits are for the share that was observed (a point estimate), criterion by criterion and language by language:

- The *YES* to a hard fail counts where at most 1 % of the clean replies and at most 10 % of the look-alikes are wrongly
  flagged, with 50 or more of each. Look-alikes are all replies that were written to look like some hard fail.
- Its *NO* counts where, besides, at least half of the planted faults are found, of 10 or more.
- The score of an *axis* counts where at least half of the replies that belong into its low band are scored there, of 10
  or more, and at most 1 % of those that belong into its high band are scored below, of 50 or more.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from benchmarks.measure import CLEAN, JudgedReply, Share
from benchmarks.proving import judged, numbered
from benchmarks.proving_set import BANDS, bundled_proving_path, load_proving

from iamhumans.cases import bundled_suite
from iamhumans.judges.rules import VERSION, RulesJudge
from iamhumans.judges.rules_coverage import TABLE
from iamhumans.rubrics import Rubric, load_rubric
from iamhumans.verdicts import EVERYTHING

MAX_CLEAN, MAX_LOOK_ALIKES, LEAST_REPLIES = 0.01, 0.10, 50
MIN_RECALL, LEAST_FAULTS = 0.5, 10


def table() -> dict[str, Any]:
    """The whole table, from the proving set as it is."""
    rubric = load_rubric("iamhumans")
    found = judged(RulesJudge(EVERYTHING), numbered(load_proving()), bundled_suite(), rubric)
    languages = sorted({one.lang for one in found}, key=lambda lang: (lang != "en", lang))
    return {
        "rules": VERSION,
        "rubric": rubric.hash,
        "proving_set": _hash_of_set(),
        "languages": {lang: _language([one for one in found if one.lang == lang], rubric) for lang in languages},
    }


def text_of(measured: dict[str, Any]) -> str:
    """The table as its file holds it."""
    lines = json.dumps(measured, indent=1)
    return re.sub(r"\[\s+(\d+),\s+(\d+)\s+\]", r"[\1, \2]", lines) + "\n"


def path() -> Path:
    """The file of the table."""
    return Path(str(files("iamhumans.judges").joinpath(TABLE)))


def _hash_of_set() -> str:
    digest = hashlib.sha256()
    for file in sorted(bundled_proving_path().glob("*.jsonl")):
        digest.update(file.read_bytes().replace(b"\r\n", b"\n"))
    return digest.hexdigest()


def _language(found: Sequence[JudgedReply], rubric: Rubric) -> dict[str, Any]:
    seen = [one for one in found if one.verdict is not None]
    return {
        "replies": len(found),
        "judged": len(seen),
        "hard_fails": {name: _hard_fail(seen, name) for name in rubric.hard_fail_ids},
        "axes": {name: _axis(seen, name) for name in rubric.axis_ids},
    }


def _hard_fail(found: Sequence[JudgedReply], flag: str) -> dict[str, Any]:
    answers = [(one, bool(one.said(flag))) for one in found if one.reply.answer(flag) is not None]
    clean = _count([said for one, said in answers if one.reply.kind in CLEAN])
    look_alikes = _count([said for one, said in answers if one.reply.kind == "hard_negative"])
    own = _count([said for one, said in answers if flag in one.reply.resembles])
    planted = _count([said for one, said in answers if one.reply.answer(flag)])
    yes = _at_most(clean, MAX_CLEAN) and _at_most(look_alikes, MAX_LOOK_ALIKES)
    return {
        "clean_flagged": [clean.hits, clean.of],
        "look_alikes_flagged": [look_alikes.hits, look_alikes.of],
        "own_look_alikes_flagged": [own.hits, own.of],
        "planted_found": [planted.hits, planted.of],
        "yes_counts": yes,
        "no_counts": yes and _recalls(planted),
    }


def _axis(found: Sequence[JudgedReply], axis: str) -> dict[str, Any]:
    def scores(band: str) -> list[float]:
        own = [one for one in found if one.reply.bands.get(axis) == band]
        return [score for one in own if (score := one.score(axis)) is not None]

    low = _count([score <= BANDS["low"][1] for score in scores("low")])
    high = _count([score < BANDS["high"][0] for score in scores("high")])
    return {
        "low_found": [low.hits, low.of],
        "high_scored_below": [high.hits, high.of],
        "counts": _recalls(low) and _at_most(high, MAX_CLEAN),
    }


def _count(answers: Sequence[bool]) -> Share:
    return Share(sum(answers), len(answers))


def _at_most(wrong: Share, limit: float) -> bool:
    return wrong.of >= LEAST_REPLIES and wrong.hits <= limit * wrong.of


def _recalls(found: Share) -> bool:
    return found.of >= LEAST_FAULTS and found.hits >= MIN_RECALL * found.of


def main() -> int:
    parser = ArgumentParser(description="Measure what the rules see, and write their table of coverage.")
    parser.add_argument("--check", action="store_true", help="Write nothing; fail where the table is another one.")
    measured = text_of(table())
    if parser.parse_args().check:
        same = path().read_text(encoding="utf-8") == measured
        print("The table is up to date." if same else "Run python -m benchmarks.rules_coverage: the table differs.")
        return 0 if same else 1
    path().write_text(measured, encoding="utf-8", newline="\n")
    print(f"Wrote {path()}.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
