"""Held-out cases: which texts may be shown, and when they may be used."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache
from math import erf, exp, pi, sqrt
from pathlib import Path

from iamhumans.cases.findings import Finding
from iamhumans.cases.ledger import Result, Use, append, read_ledger, without_path
from iamhumans.cases.suite import Suite
from iamhumans.cases.suite_files import BUNDLED_SUITES, bundled_suite_path
from iamhumans.errors import CommandError, InputError
from iamhumans.text import has_substance, one_line, read_text

_HASH = re.compile("sha256:[0-9a-f]{64}")
_LONGEST_REASON = 500
_SHORTEST_UNSPACED = 6
_FEW_SUBJECTS = 2
"""Comparing so few subjects leaves little to luck."""


def shown(text: str, *, held_out: bool, reason: str | None) -> str:
    """What may be shown of a text: the text, or its hash if the case is held out and there is no reason to show it."""
    if not text or not held_out or (reason and reason.strip()) or _HASH.fullmatch(text):
        return text
    return f"sha256:{hashlib.sha256(text.encode(errors='surrogatepass')).hexdigest()}"


def record_use(
    suite_or_folder: Suite | Path,
    *,
    reason: str,
    output: str,
    run: str | None,
    cases: Iterable[str],
    subject: str = "",
    variant: str = "",
) -> None:
    """Record a use of held-out cases in the ledger of their suite; call it before any text is shown or sent.

    A run that is resumed under the same seal counts once.

    Args:
        suite_or_folder: The suite, or its folder.
        reason: Why, in a few words.
        output: What uses or shows them: ``run``, ``report``, ``compare``, ``export``, ``label``, ``show``, ...
        run: The name of the run, if there is one.
        cases: The ids of the held-out cases.
        subject: The subject whose replies are judged. A path in it is cut to its last part.
        variant: What tells versions of the subject apart, such as a hash of its settings and skill.

    Raises:
        CommandError: The reason is too short or too long, or the suite is bundled.
        InputError: The ledger is a link, or its last line is cut off.
        CannotRunError: The ledger cannot be written.
    """
    folder = suite_or_folder.path if isinstance(suite_or_folder, Suite) else suite_or_folder
    entry = {"event": "used", "output": output, "reason": require_reason(reason), "run": run, "cases": list(cases)}
    refuse_bundled(folder)
    sealed = read_ledger(folder).sealed
    seal = sealed["seal"] if sealed else None
    append(folder, {**entry, "seal": seal, "subject": without_path(subject), "variant": variant})


def record_result(suite_or_folder: Suite | Path, *, run: str, result: Result, finished: bool = True) -> None:
    """Record the figures of a run on held-out cases; ``finished`` is false if it was stopped.

    Raises:
        InputError: The ledger is a link, or its last line is cut off.
        CannotRunError: The ledger cannot be written.
    """
    folder = suite_or_folder.path if isinstance(suite_or_folder, Suite) else suite_or_folder
    figures = {name: getattr(result, name) for name in Result.__slots__}
    append(folder, {"event": "result", "run": run, "finished": finished, "result": figures})


def require_reason(reason: str) -> str:
    """A reason on one line.

    Raises:
        CommandError: It has fewer than two words, or is longer than 500 characters.
    """
    line = one_line(reason)
    words = sum(map(has_substance, line.split()))
    # Japanese, Chinese and Thai put no blanks between words.
    if words < 2 and (line.isascii() or not has_substance(line) or len(line) < _SHORTEST_UNSPACED):
        problem = "Held-out cases are used for a reason, and the reason needs at least two words."
        raise CommandError(problem, fix='Say it in a few words: --reason "release 1.2".')
    if len(line) > _LONGEST_REASON:
        problem = f"The reason has {len(line)} characters; the ledger takes {_LONGEST_REASON}."
        raise CommandError(problem, fix="Say it in one sentence.")
    return line


def is_bundled(folder: Path) -> bool:
    """Whether the folder is that of a suite that ships with the package."""
    return folder.resolve() in [bundled_suite_path(name).resolve() for name in BUNDLED_SUITES]


def refuse_bundled(folder: Path) -> None:
    """Refuse a bundled suite, since an upgrade would delete its seal and ledger."""
    if is_bundled(folder):
        problem = f"The suite `{folder.name}` ships with the package; an upgrade would delete what is recorded there."
        copy = f'iamhumans cases sample {folder.name} -n 1000 --holdout --reason "my copy" -o FOLDER'
        raise CommandError(problem, fix=f"Copy it first: `{copy}`.")


def says_held_out(path: Path) -> bool:
    """Whether a file says that it is a held-out case, even if it is not a valid case."""
    try:
        lines = read_text(path).splitlines()
    except InputError:
        return False
    keys_and_values = (line.partition(":") for line in lines if ":" in line)
    claims = (value.partition("#")[0].strip("'\" \t") for key, _, value in keys_and_values if key.strip() == "holdout")
    return any(claim.casefold() not in ("", "false", "no", "off") for claim in claims)


def without_quotes(findings: Sequence[Finding]) -> list[Finding]:
    """The findings with no words of held-out cases in them: where something is and its code, but not what."""
    hidden = cache(says_held_out)
    return [
        replace(
            finding,
            problem="This held-out case has a problem.",
            fix="To see it: `iamhumans cases lint --holdout --reason TEXT`.",
        )
        if hidden(finding.path)
        else finding
        for finding in findings
    ]


def effect_of(uses: Sequence[Use]) -> str:
    """What the runs so far have done to the figures of held-out cases, in plain sentences.

    The best of several equally good subjects is ahead by luck: on average by the largest of as many standard normal
    values, in standard errors of the figure. So the number of different subjects matters, not the number of runs.
    """
    runs = [use for use in uses if use.output == "run"]
    if not runs:
        return "No run has used them: their figures will be fresh."
    times = "One run has" if len(runs) == 1 else f"{len(runs)} runs have"
    subjects = len({(use.subject, use.variant) for use in runs})
    on = "one subject" if subjects == 1 else f"{subjects} different subjects"
    if subjects <= _FEW_SUBJECTS:
        return f"{times} used them, on {on}: their figures can still be trusted."
    return (
        f"{times} used them, on {on}. If you chose among subjects by these figures, luck was part of the choice: of "
        f"{subjects} equally good subjects, the best looks better than it is by about {expected_lead(subjects):.1f} "
        "standard errors. Before the next decision, write new held-out cases and make these everyday ones."
    )


def expected_lead(subjects: int) -> float:
    """The mean of the largest of so many independent standard normal values: 0.56 of two, 1.16 of five."""
    step = 0.01
    points = (step * index for index in range(-1000, 1001))
    return step * sum(
        x * subjects * exp(-x * x / 2) / sqrt(2 * pi) * ((1 + erf(x / sqrt(2))) / 2) ** (subjects - 1) for x in points
    )
