"""Held-out cases: which texts may be shown, and when they may be used."""

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from functools import cache
from pathlib import Path

from iamhumans.cases.findings import Finding
from iamhumans.cases.ledger import Result, append, read_ledger, without_path
from iamhumans.cases.suite import Suite
from iamhumans.cases.suite_files import BUNDLED_SUITES, bundled_suite_path
from iamhumans.errors import CommandError, InputError
from iamhumans.text import has_substance, one_line, read_text

_HASH = re.compile("sha256:[0-9a-f]{64}")
_LONGEST_REASON = 500
_SHORTEST_UNSPACED = 6


def shown(text: str, *, held_out: bool, reason: str | None) -> str:
    """What may be shown of a text: the text, or its hash if the case is held out and there is no reason to show it."""
    if not text or not held_out or (reason and reason.strip()) or _HASH.fullmatch(text):
        return text
    return f"sha256:{hashlib.sha256(text.encode(errors='surrogatepass')).hexdigest()}"


def is_hash(text: str) -> bool:
    """Whether a text is the hash that :func:`shown` gives in place of one."""
    return _HASH.fullmatch(text) is not None


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

    A run that is resumed under the same seal counts once. ``output`` is what uses or shows them (``run``, ``report``,
    ``compare``, ``show``, ...), ``cases`` are their ids. A path in ``subject`` is cut to its last part; ``variant``
    tells versions of the subject apart. Without a good reason, or for a bundled suite, it is a CommandError.
    """
    folder = suite_or_folder.path if isinstance(suite_or_folder, Suite) else suite_or_folder
    entry = {"event": "used", "output": output, "reason": require_reason(reason), "run": run, "cases": list(cases)}
    refuse_bundled(folder)
    seal = (read_ledger(folder).sealed or {}).get("seal")
    append(folder, {**entry, "seal": seal, "subject": without_path(subject), "variant": variant})


def record_result(suite_or_folder: Suite | Path, *, run: str, result: Result, finished: bool = True) -> None:
    """Record the figures of a run on held-out cases; ``finished`` is false if it was stopped."""
    folder = suite_or_folder.path if isinstance(suite_or_folder, Suite) else suite_or_folder
    append(folder, {"event": "result", "run": run, "finished": finished, "result": asdict(result)})


def require_reason(reason: str) -> str:
    """A reason on one line. With fewer than two words or more than 500 characters it is a CommandError."""
    line = one_line(reason)
    words = sum(map(has_substance, line.split()))
    # Japanese, Chinese and Thai put no blanks between words.
    if words < 2 and (line.isascii() or not has_substance(line) or len(line) < _SHORTEST_UNSPACED):
        problem = "The reason for using held-out cases needs at least two words."
        raise CommandError(problem, fix='Say why in a few words, such as "release 1.2".')
    if len(line) > _LONGEST_REASON:
        problem = f"The reason has {len(line)} characters; the limit is {_LONGEST_REASON}."
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
    values = (value for key, _, value in (line.partition(":") for line in lines) if key.strip() == "holdout")
    claims = (value.partition("#")[0].strip("'\" \t").casefold() for value in values)
    return any(claim not in ("", "false", "no", "off") for claim in claims)


def without_quotes(findings: Sequence[Finding]) -> list[Finding]:
    """The findings with no words of held-out cases in them: where something is and its code, but not what."""
    hidden = cache(says_held_out)
    problem, fix = "This held-out case has a problem.", "To see it: `iamhumans cases lint --holdout --reason TEXT`."
    return [replace(one, problem=problem, fix=fix) if hidden(one.path) else one for one in findings]
