"""A new case file: a commented starter that loads as it is."""

from collections.abc import Sequence
from pathlib import Path
from textwrap import wrap

from iamhumans.cases.case import DIMENSIONS, PLACEHOLDER
from iamhumans.cases.case_file import read_case
from iamhumans.cases.findings import Finding
from iamhumans.cases.front_matter import flow_list, id_problem, quoted
from iamhumans.cases.suite_files import CASES_FOLDER, files_below, find_home, in_suite, read_cases
from iamhumans.errors import CommandError, Place
from iamhumans.text import is_inside, one_line


def write_new_case(
    case_id: str, folder: Path, *, title: str = "", dimensions: Sequence[str] = (), conversation: bool = False
) -> tuple[Path, tuple[Finding, ...]]:
    """Write a starter into a suite and overwrite nothing. Gives the file and what is odd about it."""
    if problem := id_problem(case_id):
        raise CommandError(problem, fix="Choose letters, digits and hyphens, such as GRF-001.")
    if not folder.is_dir():
        fix = "Create the folder first, or name another with `--suite`."
        raise CommandError("There is no such folder.", fix=fix, where=Place(folder))
    home = find_home(folder)
    manifest = home.manifest()
    target = folder / CASES_FOLDER if home.is_whole(folder) else folder
    path = target / f"{case_id}.md"
    if not is_inside(target, home.folder):
        problem = "This folder is a link that leads out of the suite."
        raise CommandError(problem, fix="Replace it with a real folder.", where=Place(target))
    for reading in read_cases(files_below(home.folder, home).files, manifest):
        if reading.case is not None and reading.case.id == case_id:
            place = Place(reading.path, reading.line_of("id"))
            raise CommandError(f"The suite already has a case `{case_id}`.", fix="Choose another id.", where=place)
    known = (manifest.dimensions, manifest.hard_fails)
    text = new_case_text(case_id, title=title, dimensions=dimensions, conversation=conversation, known=known)
    findings = in_suite(read_case(text, path), manifest).findings
    for error in (finding for finding in findings if finding.error):
        fix = "Leave out special characters in the title and the dimensions."
        raise CommandError(f"The new file would not be a case: {error.problem}", fix=fix)
    try:
        path.parent.mkdir(exist_ok=True)
        with path.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except FileExistsError:
        fix = "Choose another id. No file is overwritten."
        raise CommandError("This file already exists.", fix=fix, where=Place(path)) from None
    except OSError as failure:
        fix = "Check the folder's permissions and the length of the id."
        raise CommandError(f"The file cannot be written: {failure.strerror}.", fix=fix, where=Place(path)) from None
    return path, findings


def new_case_text(
    case_id: str,
    *,
    title: str = "",
    dimensions: Sequence[str] = (),
    conversation: bool = False,
    known: tuple[Sequence[str], Sequence[str]] = (DIMENSIONS, ()),
) -> str:
    """A starter with placeholders; ``known`` are the suite's dimensions and hard fails, which go into comments."""
    front = [
        "---",
        f"id: {quoted(case_id)}",
        f"title: {quoted(one_line(title) or f'{PLACEHOLDER} what the case is about, in a few words')}",
        *_comment("What the case tests", known[0]),
        f"dimensions: {flow_list(one_line(dimension) for dimension in dimensions)}",
        *_comment("The hard fails to watch for most", known[1]),
        "hard_fails: []",
    ]
    return "\n".join(front) + _MORE_KEYS + (_CONVERSATION if conversation else _INPUT) + _REST


def _comment(text: str, known: Sequence[str]) -> list[str]:
    names = ", ".join(one_line(name) for name in known)
    return [f"# {line}" for line in wrap(f"{text}: some of {names}." if names else f"{text}.", 100)]


_MORE_KEYS = """
# true: left out of everyday runs, so that no skill is tuned to it.
holdout: false
# true: something must be put right in this case, such as a mistake or a misunderstanding.
repair: false
lang: en
---
"""
_INPUT = f"""
<!-- What the user writes, word for word. All of it reaches the model, so do not put comments inside. -->

## input

{PLACEHOLDER} what the user writes.
"""
_CONVERSATION = f"""
## conversation

<!-- The turns in order, word for word. The last one is the user's, and the reply to it is judged.
An assistant turn without text is answered live by the model under test. -->

### user

{PLACEHOLDER} what the user writes first.

### assistant

{PLACEHOLDER} what the assistant answered.

### user

{PLACEHOLDER} what the user writes then.
"""
_REST = f"""
## rubric

<!-- What a good answer does: one bullet for each criterion on which two readers would agree. -->

- {PLACEHOLDER} what a good answer does

## failure_modes

<!-- How answers to this case go wrong: one bullet for each way. -->

- {PLACEHOLDER} how answers go wrong

## notes

<!-- For the author. No judge and no subject sees it. -->
"""
